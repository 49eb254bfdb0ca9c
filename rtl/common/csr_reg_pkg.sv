// CSRs that any group may need: addresses of state enables, iselects and ireg aliases.
// SPDX-License-Identifier: Apache-2.0
// Generated from models/csr/standard.py; do not edit, type `python -m rvtrace.flow.generate`.
package csr_reg_pkg;

  // Smcsrind/Sscsrind: iselect, and the first of its six ireg aliases.
  localparam logic [11:0] SiselectAddr = 12'h150;
  localparam logic [11:0] SiregAddr = 12'h151;
  localparam logic [11:0] VsiselectAddr = 12'h250;
  localparam logic [11:0] VsiregAddr = 12'h251;
  localparam logic [11:0] MiselectAddr = 12'h350;
  localparam logic [11:0] MiregAddr = 12'h351;

  // Smstateen.
  localparam logic [11:0] Mstateen0Addr = 12'h30C;
  localparam logic [11:0] Mstateen0hAddr = 12'h31C;
  localparam logic [11:0] Hstateen0Addr = 12'h60C;
  localparam logic [11:0] Hstateen0hAddr = 12'h61C;
  localparam int CsrindBit = 60;

endpackage
