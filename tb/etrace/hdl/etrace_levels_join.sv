// etrace_tb: joins ports to a row of kind levels; what has no port is 0.
// SPDX-License-Identifier: Apache-2.0
// Generated from tb/common/agents/layout.py; do not edit, type `python -m rvtrace.flow.generate`.
module etrace_levels_join (
  input  logic                                  enable_i,
  input  logic                                  inst_tracing_i,
  input  logic                                  halted_i,
  input  logic                                  drop_i,
  input  logic                                  in_reset_i,
  input  logic                                  notify_i,
  input  logic [1:0]                            ctype_i,
  input  logic [5:0]                            toggle_i,
  output logic [etrace_row_pkg::LevelsBits-1:0] row_o
);

  import etrace_row_pkg::*;

  assign row_o = {
    {2'd0, toggle_i, 10'd0, ctype_i, 3'd0, notify_i, 3'd0, in_reset_i, drop_i, halted_i, inst_tracing_i, enable_i}
  };

endmodule
