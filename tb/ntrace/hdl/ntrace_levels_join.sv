// ntrace_tb: joins ports to a row of kind levels; what has no port is 0.
// SPDX-License-Identifier: Apache-2.0
// Generated from tb/common/agents/layout.py; do not edit, type `python -m rvtrace.flow.generate`.
module ntrace_levels_join (
  input  logic                                  enable_i,
  input  logic                                  inst_tracing_i,
  input  logic                                  halted_i,
  input  logic                                  drop_i,
  input  logic                                  in_reset_i,
  input  logic                                  low_power_i,
  input  logic                                  notify_i,
  input  logic                                  ext_notify_i,
  input  logic [5:0]                            vendor_i,
  output logic [ntrace_row_pkg::LevelsBits-1:0] row_o
);

  import ntrace_row_pkg::*;

  assign row_o = {
    {10'd0, vendor_i, 6'd0, ext_notify_i, notify_i, 2'd0, low_power_i, in_reset_i, drop_i, halted_i, inst_tracing_i, enable_i}
  };

endmodule
