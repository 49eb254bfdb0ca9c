// cores_tb: joins ports to a row of kind trap; what has no port is 0.
// SPDX-License-Identifier: Apache-2.0
// Generated from tb/cores/agents/layout.py; do not edit, type `python -m rvtrace.flow.generate`.
module cores_trap_join
#(
  parameter int Xlen = 32
) (
  input  logic [63:0]                        cycle_i,
  input  logic [63:0]                        retired_i,
  input  logic [Xlen-1:0]                    cause_i,
  input  logic [Xlen-1:0]                    tval_i,
  input  logic [Xlen-1:0]                    epc_i,
  input  logic [Xlen-1:0]                    status_i,
  input  logic                               interrupt_i,
  input  logic [1:0]                         mode_from_i,
  input  logic [1:0]                         mode_i,
  output logic [cores_row_pkg::TrapBits-1:0] row_o
);

  import cores_row_pkg::*;

  assign row_o = {
    40'd0,
    8'(mode_i),
    8'(mode_from_i),
    8'(interrupt_i),
    64'(status_i),
    64'(epc_i),
    64'(tval_i),
    64'(cause_i),
    retired_i,
    cycle_i
  };

endmodule
