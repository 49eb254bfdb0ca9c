// tci_tb: splits a row of kind request into ports.
// SPDX-License-Identifier: Apache-2.0
// Generated from tb/tci/agents/layout.py; do not edit, type `python -m rvtrace.flow.generate`.
module tci_request_split (
  /* verilator lint_off UNUSEDSIGNAL */  // some bits are 0, or are read by others
  input  logic [tci_row_pkg::RequestBits-1:0] row_i,
  /* verilator lint_on UNUSEDSIGNAL */
  output logic        go_o,
  output logic        write_o,
  output logic        preceded_o,
  output logic        other_enable_o,
  output logic        other_write_o,
  output logic [31:0] addr_o,
  output logic [31:0] wdata_o,
  output logic [31:0] other_addr_o,
  output logic [31:0] other_wdata_o
);

  import tci_row_pkg::*;

  assign go_o = row_i[RequestControlAt + RequestControlGoLsb];
  assign write_o = row_i[RequestControlAt + RequestControlWriteLsb];
  assign preceded_o = row_i[RequestControlAt + RequestControlPrecededLsb];
  assign other_enable_o = row_i[RequestControlAt + RequestControlOtherEnableLsb];
  assign other_write_o = row_i[RequestControlAt + RequestControlOtherWriteLsb];
  assign addr_o = row_i[RequestAddrAt +: 32];
  assign wdata_o = row_i[RequestWdataAt +: 32];
  assign other_addr_o = row_i[RequestOtherAddrAt +: 32];
  assign other_wdata_o = row_i[RequestOtherWdataAt +: 32];

endmodule
