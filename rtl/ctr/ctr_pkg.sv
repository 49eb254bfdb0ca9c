// SPDX-License-Identifier: Apache-2.0
// Codes at the ports of the control transfer records, and how a cycle count is written.
package ctr_pkg;

  // Recording is enabled in this mode. The vs register has S and U where the m register has them.
  function automatic logic is_enabled(
    input logic draft, input logic [63:0] mctl, input logic [63:0] vsctl, input logic [2:0] priv);
    logic m, s, u, vs, vu;
    m  = mctl[draft ? ctr_reg_pkg::DraftMctrcontrolMLsb : ctr_reg_pkg::MctrctlMLsb];
    s  = mctl[draft ? ctr_reg_pkg::DraftMctrcontrolSLsb : ctr_reg_pkg::MctrctlSLsb];
    u  = mctl[draft ? ctr_reg_pkg::DraftMctrcontrolULsb : ctr_reg_pkg::MctrctlULsb];
    vs = vsctl[draft ? ctr_reg_pkg::DraftMctrcontrolSLsb : ctr_reg_pkg::MctrctlSLsb];
    vu = vsctl[draft ? ctr_reg_pkg::DraftMctrcontrolULsb : ctr_reg_pkg::MctrctlULsb];
    case (priv)
      csr_pkg::PrivM:   is_enabled = m;
      csr_pkg::PrivS:   is_enabled = s;
      csr_pkg::PrivU:   is_enabled = u;
      csr_pkg::PrivVs:  is_enabled = vs;
      csr_pkg::PrivVu:  is_enabled = vu;
      default:          is_enabled = 1'b0;
    endcase
  endfunction

  // What the CSR port does besides accesses.
  localparam logic [2:0] OpZero = 3'd4;  // SCTRCLR

  // Causes that freeze.
  localparam logic [7:0] CauseBreakpoint = 8'd3;   // of an exception
  localparam logic [7:0] CauseLcofi      = 8'd13;  // of an interrupt

  // The entries are in four banks by the two least bits of their number: a group of up to four transfers
  // touches neighbours, and so each bank once.
  localparam int NBanks = 4;

  // {CCE, CCM, CCV}
  localparam int CountBits = 17;

  // The counter: the widest is 27 bits.
  localparam int CounterMax = 27;

  // Its largest value: all implemented bits of CCE and CCM are 1.
  function automatic logic [CounterMax-1:0] largest(input int cce_bits);
    case (cce_bits)
      0:       largest = 27'd4095;
      1:       largest = 27'd8191;
      2:       largest = 27'd32764;
      3:       largest = 27'd524224;
      default: largest = 27'd134201344;
    endcase
  endfunction

  // {CCE, CCM} of a count: CCE is 0 below 4096, else the index of the most significant one minus 11.
  function automatic logic [15:0] encoded(input logic [CounterMax-1:0] count);
    encoded = {4'd0, count[11:0]};
    for (int e = 1; e < 16; e++) begin
      if (count[11+e]) encoded = {e[3:0], count[e-1 +: 12]};
    end
  endfunction

  // The count that {CCE, CCM} tells.
  function automatic logic [CounterMax-1:0] decoded(input logic [15:0] cc);
    decoded = (cc[15:12] == 4'd0) ? {15'd0, cc[11:0]} : ({14'd0, 1'b1, cc[11:0]} << (cc[15:12] - 4'd1));
  endfunction

endpackage
