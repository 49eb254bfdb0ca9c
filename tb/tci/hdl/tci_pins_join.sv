// tci_tb: joins ports to a row of kind pins; what has no port is 0.
// SPDX-License-Identifier: Apache-2.0
// Generated from tb/tci/agents/layout.py; do not edit, type `python -m rvtrace.flow.generate`.
module tci_pins_join (
  input  logic [63:0]                      cycle_i,
  input  logic [15:0]                      data_i,
  input  logic                             clk_i,
  output logic [tci_row_pkg::PinsBits-1:0] row_o
);

  import tci_row_pkg::*;

  assign row_o = {
    {15'd0, clk_i, data_i},
    cycle_i
  };

endmodule
