// SPDX-License-Identifier: Apache-2.0
// Assertions on one counter, for Verilator; bound to every instance of hpm_counter.
//
// A counter that is written has the written value, one that counts nothing stays, and no other wraps.
module hpm_counter_assert
#(
  parameter int Width     = 64,
  parameter int CountBits = 4
) (
  input logic                 clk_i,
  input logic                 rst_ni,
  input logic [CountBits-1:0] count_i,
  input logic                 we_i,
  input logic [63:0]          wdata_i,
  input logic [63:0]          counter_o,
  input logic                 overflow_o
);

  localparam logic [63:0] Mask = 64'hFFFFFFFFFFFFFFFF >> (64 - Width);

  Fits: assert property (@(posedge clk_i) disable iff (!rst_ni) counter_o == (counter_o & Mask));
  WriteWins: assert property (@(posedge clk_i) disable iff (!rst_ni) we_i |=> counter_o == ($past(wdata_i) & Mask));
  NoOverflowOfWrite: assert property (@(posedge clk_i) disable iff (!rst_ni) we_i |-> !overflow_o);
  NothingStays: assert property (@(posedge clk_i) disable iff (!rst_ni) !we_i && (count_i == '0) |=> $stable(counter_o));
  OnlyOverflowWraps: assert property (@(posedge clk_i) disable iff (!rst_ni)
                                      !we_i && !overflow_o |=> counter_o >= $past(counter_o));

  CoverOverflow: cover property (@(posedge clk_i) disable iff (!rst_ni) overflow_o);

endmodule

bind hpm_counter hpm_counter_assert #(
  .Width     (Width),
  .CountBits (CountBits)
) u_assert (.*);
