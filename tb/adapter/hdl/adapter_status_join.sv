// adapter_tb: joins ports to a row of kind status; what has no port is 0.
// SPDX-License-Identifier: Apache-2.0
// Generated from tb/adapter/agents/layout.py; do not edit, type `python -m rvtrace.flow.generate`.
module adapter_status_join
#(
  parameter int Xlen = 64
) (
  input  logic [63:0]                            cycle_i,
  input  logic [Xlen-1:0]                        error_pc_i,
  input  logic [3:0]                             error_code_i,
  input  logic                                   stall_i,
  input  logic                                   hart_moved_i,
  input  logic                                   ingress_moved_i,
  input  logic                                   hart_idle_i,
  input  logic                                   ingress_idle_i,
  input  logic                                   ended_i,
  input  logic                                   unknown_i,
  output logic [adapter_row_pkg::StatusBits-1:0] row_o
);

  import adapter_row_pkg::*;

  assign row_o = {
    {25'd0, unknown_i, ended_i, ingress_idle_i, hart_idle_i, ingress_moved_i, hart_moved_i, stall_i},
    32'(error_code_i),
    64'(error_pc_i),
    cycle_i
  };

endmodule
