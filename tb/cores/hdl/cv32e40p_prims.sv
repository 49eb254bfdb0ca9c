// SPDX-License-Identifier: Apache-2.0
// The clock gate that the RTL of CV32E40P names and that the user gives: without it the core waits as well.
module cv32e40p_clock_gate (
  input  logic clk_i,
  input  logic en_i,
  input  logic scan_cg_en_i,
  output logic clk_o
);

  logic unused;

  assign unused = en_i ^ scan_cg_en_i;
  assign clk_o  = clk_i;

endmodule
