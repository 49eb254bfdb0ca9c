// SPDX-License-Identifier: Apache-2.0
// Moves the slots that hold something to the front, in order; the others are 0. Combinational.
module subsystem_compact
#(
  parameter int N     = 2,
  parameter int Width = 8
) (
  input  logic [N-1:0]       valid_i,
  input  logic [N*Width-1:0] data_i,   // slot k in bits k*Width +: Width
  output logic [N-1:0]       valid_o,
  output logic [N*Width-1:0] data_o
);

  localparam int PlaceBits = $clog2(N + 1);

  // Where slot k goes: as many places from the front as there are full slots before it.
  for (genvar k = 0; k < N; k++) begin : gen_in
    logic [PlaceBits-1:0] place;
    logic [N-1:0]         goes;
    if (k == 0) begin : gen_first
      assign place = '0;
    end else begin : gen_next
      assign place = gen_in[k-1].place + {{(PlaceBits-1){1'b0}}, valid_i[k-1]};
    end
    for (genvar j = 0; j < N; j++) begin : gen_goes
      assign goes[j] = valid_i[k] && (place == j);
    end
  end

  for (genvar j = 0; j < N; j++) begin : gen_out
    for (genvar k = 0; k < N; k++) begin : gen_from
      logic             valid;
      logic [Width-1:0] data;
      if (k == 0) begin : gen_first
        assign valid = gen_in[k].goes[j];
        assign data  = data_i[Width*k +: Width] & {Width{gen_in[k].goes[j]}};
      end else begin : gen_next
        assign valid = gen_from[k-1].valid || gen_in[k].goes[j];
        assign data  = gen_from[k-1].data | (data_i[Width*k +: Width] & {Width{gen_in[k].goes[j]}});
      end
    end
    assign valid_o[j]                = gen_from[N-1].valid;
    assign data_o[Width*j +: Width]  = gen_from[N-1].data;
  end

endmodule
