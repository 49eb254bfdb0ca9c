// subsystem_tb: joins ports to a row of kind head; what has no port is 0.
// SPDX-License-Identifier: Apache-2.0
// Generated from tb/subsystem/agents/layout.py; do not edit, type `python -m rvtrace.flow.generate`.
module subsystem_head_join (
  input  logic [63:0]                            cycle_i,
  input  logic [7:0]                             levels_i,
  input  logic [3:0]                             external_i,
  input  logic [1:0]                             enabled_i,
  input  logic                                   tandem_enabled_i,
  input  logic                                   taken_i,
  input  logic                                   error_i,
  input  logic [63:0]                            mcycle_i,
  input  logic [63:0]                            minstret_i,
  output logic [subsystem_row_pkg::HeadBits-1:0] row_o
);

  import subsystem_row_pkg::*;

  assign row_o = {
    minstret_i,
    mcycle_i,
    32'd0,
    {10'd0, error_i, taken_i, 1'd0, tandem_enabled_i, enabled_i, 4'd0, external_i, levels_i},
    cycle_i
  };

endmodule
