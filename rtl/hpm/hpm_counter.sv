// SPDX-License-Identifier: Apache-2.0
// One counter: Width bits, of the 64 that an access sees ("A cycle" in docs/reference/hpm-profile.md, steps 2 and 3).
module hpm_counter
#(
  parameter int Width     = 64,  // 1 to 64
  parameter int CountBits = 4
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,

  input  logic [CountBits-1:0] count_i,     // what happened in this cycle
  input  logic                 we_i,        // the counter, or half of it, is written: then it does not count
  input  logic [63:0]          wdata_i,
  output logic [63:0]          counter_o,
  output logic                 overflow_o   // it wraps at the end of this cycle
);

  localparam int SumBits = 1 + (Width > CountBits ? Width : CountBits);

  logic [Width-1:0]   counter_q, counter_d;
  logic [SumBits-1:0] sum;

  assign sum        = {{(SumBits-Width){1'b0}}, counter_q} + {{(SumBits-CountBits){1'b0}}, count_i};
  assign overflow_o = !we_i && (sum[SumBits-1:Width] != '0);
  assign counter_d  = we_i ? wdata_i[Width-1:0] : sum[Width-1:0];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) counter_q <= '0;
    else         counter_q <= counter_d;
  end

  if (Width == 64) begin : gen_full
    assign counter_o = counter_q;
  end else begin : gen_narrow
    assign counter_o = {{(64-Width){1'b0}}, counter_q};

    logic unused_bits;
    assign unused_bits = ^wdata_i[63:Width];
  end

endmodule
