// SPDX-License-Identifier: Apache-2.0
// Widths of the counter block, and which inhibit bit belongs to a mode.
package hpm_pkg;

  // Bits of a stored selector: the parameter Selectors has 64 of them.
  localparam int SelectBits = 6;

  // Inhibit bits of mhpmevent, mcyclecfg and minstretcfg: MINH, SINH, UINH, VSINH, VUINH.
  localparam int InhibitBits = 5;

  // Those of the modes that exist.
  function automatic logic [InhibitBits-1:0] inhibits(input logic has_u, input logic has_s, input logic has_h);
    inhibits = {1'b1, has_s, has_u, has_h, has_h};
  endfunction

  // The one that rules in this mode.
  function automatic logic [InhibitBits-1:0] inhibit_of(input logic [2:0] priv);
    case (priv)
      csr_pkg::PrivM, csr_pkg::PrivDebug: inhibit_of = 5'b10000;
      csr_pkg::PrivS:                     inhibit_of = 5'b01000;
      csr_pkg::PrivU:                     inhibit_of = 5'b00100;
      csr_pkg::PrivVs:                    inhibit_of = 5'b00010;
      csr_pkg::PrivVu:                    inhibit_of = 5'b00001;
      default:                            inhibit_of = 5'b00000;
    endcase
  endfunction

endpackage
