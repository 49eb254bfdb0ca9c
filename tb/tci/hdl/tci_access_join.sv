// tci_tb: joins ports to a row of kind access; what has no port is 0.
// SPDX-License-Identifier: Apache-2.0
// Generated from tb/tci/agents/layout.py; do not edit, type `python -m rvtrace.flow.generate`.
module tci_access_join (
  input  logic [63:0]                        cycle_i,
  input  logic [31:0]                        paddr_i,
  input  logic [31:0]                        pwdata_i,
  input  logic [31:0]                        prdata_i,
  input  logic                               penable_i,
  input  logic                               pwrite_i,
  input  logic                               pready_i,
  input  logic                               pslverr_i,
  input  logic                               pready_unknown_i,
  input  logic                               pslverr_unknown_i,
  input  logic                               prdata_unknown_i,
  output logic [tci_row_pkg::AccessBits-1:0] row_o
);

  import tci_row_pkg::*;

  assign row_o = {
    {25'd0, prdata_unknown_i, pslverr_unknown_i, pready_unknown_i, pslverr_i, pready_i, pwrite_i, penable_i},
    prdata_i,
    pwdata_i,
    paddr_i,
    cycle_i
  };

endmodule
