// SPDX-License-Identifier: Apache-2.0
// Writes the transfers of a byte port to a file: {data, nbytes[31:0], 0[31:0], cycle taken[63:0], cycle shown first[63:0]}.
//
// The first half of the 0 word tells what should not happen: bit 0, valid fell or data changed before ready; bit 1, X.
module stream_recorder
#(
  parameter int OutBytes = 8,
  parameter     File     = "stream.bin"
) (
  input  logic                          clk_i,
  input  logic                          go_i,
  input  logic [63:0]                   cycle_i,
  input  logic                          valid_i,
  input  logic                          ready_i,
  input  logic [$clog2(OutBytes+1)-1:0] nbytes_i,
  input  logic [8*OutBytes-1:0]         data_i
);

  localparam int CountBits = $clog2(OutBytes + 1);

  logic                  waiting, changed, unknown;
  logic [63:0]           since;
  logic [CountBits-1:0]  nbytes;
  logic [8*OutBytes-1:0] data;
  logic                  broken;  // in the cycles before, not reported yet

  assign changed = waiting && !(valid_i && (nbytes_i === nbytes) && (data_i === data));
  assign unknown = (valid_i !== 1'b0) && ((^{valid_i, ready_i, nbytes_i, data_i}) === 1'bx);

  always_ff @(posedge clk_i) begin
    waiting <= go_i && valid_i && !ready_i;
    nbytes  <= nbytes_i;
    data    <= data_i;
    broken  <= go_i && (broken || changed) && !(valid_i && ready_i);
    if (!waiting) since <= cycle_i;
  end

  row_recorder #(.Bits(64+64+32+32+8*OutBytes), .File(File)) u_rows (
    .clk_i(clk_i), .go_i(go_i), .write_i((valid_i && ready_i) || unknown),
    .row_i({data_i, {(32-CountBits){1'b0}}, nbytes_i, 30'd0, unknown, (broken === 1'b1) || changed,
            cycle_i, waiting ? since : cycle_i})
  );

endmodule
