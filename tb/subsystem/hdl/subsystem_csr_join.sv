// subsystem_tb: joins ports to a row of kind csr; what has no port is 0.
// SPDX-License-Identifier: Apache-2.0
// Generated from tb/subsystem/agents/layout.py; do not edit, type `python -m rvtrace.flow.generate`.
module subsystem_csr_join
#(
  parameter int Xlen = 64
) (
  input  logic [63:0]                           cycle_i,
  input  logic [Xlen-1:0]                       wdata_i,
  input  logic [Xlen-1:0]                       rdata_i,
  input  logic [2:0]                            priv_i,
  input  logic [2:0]                            op_i,
  input  logic [1:0]                            outcome_i,
  input  logic                                  unknown_i,
  input  logic [11:0]                           addr_i,
  output logic [subsystem_row_pkg::CsrBits-1:0] row_o
);

  import subsystem_row_pkg::*;

  assign row_o = {
    32'(addr_i),
    8'(unknown_i),
    8'(outcome_i),
    8'(op_i),
    8'(priv_i),
    64'(rdata_i),
    64'(wdata_i),
    cycle_i
  };

endmodule
