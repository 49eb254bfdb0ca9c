// SPDX-License-Identifier: Apache-2.0
// Indirect access (Smcsrind/Sscsrind): the iselect registers of all levels, and what an access to an ireg alias selects.
module csr_indirect
#(
  parameter int Xlen     = 64,
  parameter bit HasS     = 1'b1,
  parameter bit HasH     = 1'b1,
  parameter bit HasMireg = 1'b1   // miselect selects something
) (
  input  logic            clk_i,
  input  logic            rst_ni,

  // The access (csr_group), and what is at its address.
  input  logic [11:0]     addr_i,
  input  logic            xlen32_i,
  input  logic            virt_i,
  output logic            known_o,
  output logic            closable_o,  // state enables close it: what is not of M-mode
  output logic [63:0]     value_o,     // of an iselect
  input  logic            writes_i,
  input  logic [63:0]     after_i,

  // An ireg alias.
  output logic            ireg_o,
  output logic [Xlen-1:0] selected_o   // 0 without one
);

  logic [Xlen-1:0] mselect_q, mselect_d, sselect_q, sselect_d, vsselect_q, vsselect_d;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      mselect_q  <= '0;
      sselect_q  <= '0;
      vsselect_q <= '0;
    end else begin
      mselect_q  <= mselect_d;
      sselect_q  <= sselect_d;
      vsselect_q <= vsselect_d;
    end
  end

  logic is_ireg, at_mselect, at_mireg, at_sselect, at_sireg, at_vsselect, at_vsireg, use_sselect, use_vsselect;

  assign is_ireg      = (addr_i[2:0] != 3'd0) && (addr_i[2:0] != 3'd4);
  assign at_mselect   = (addr_i == csr_reg_pkg::MiselectAddr);
  assign at_mireg     = HasMireg && is_ireg && (addr_i[11:3] == csr_reg_pkg::MiregAddr[11:3]);
  assign at_sselect   = HasS && (addr_i == csr_reg_pkg::SiselectAddr);
  assign at_sireg     = HasS && is_ireg && (addr_i[11:3] == csr_reg_pkg::SiregAddr[11:3]);
  assign at_vsselect  = HasH && (addr_i == csr_reg_pkg::VsiselectAddr);
  assign at_vsireg    = HasH && is_ireg && (addr_i[11:3] == csr_reg_pkg::VsiregAddr[11:3]);

  // With V = 1 vsiselect and vsireg replace siselect and sireg.
  assign use_sselect  = at_sselect && !virt_i;
  assign use_vsselect = at_vsselect || (at_sselect && virt_i);

  assign ireg_o       = at_mireg || at_sireg || at_vsireg;
  assign closable_o   = at_sselect || at_sireg || at_vsselect || at_vsireg;
  assign known_o      = at_mselect || at_mireg || closable_o;

  assign selected_o   = !ireg_o ? {Xlen{1'b0}} :
                        shown(at_mireg ? mselect_q : (at_vsireg || virt_i) ? vsselect_q : sselect_q, xlen32_i);
  assign value_o      = (wide(shown(mselect_q, xlen32_i))  & {64{at_mselect}}) |
                        (wide(shown(sselect_q, xlen32_i))  & {64{use_sselect}}) |
                        (wide(shown(vsselect_q, xlen32_i)) & {64{use_vsselect}});

  assign mselect_d    = (writes_i && at_mselect)   ? kept(after_i[Xlen-1:0], xlen32_i) : mselect_q;
  assign sselect_d    = (writes_i && use_sselect)  ? kept(after_i[Xlen-1:0], xlen32_i) : sselect_q;
  assign vsselect_d   = (writes_i && use_vsselect) ? kept(after_i[Xlen-1:0], xlen32_i) : vsselect_q;

  // A value as XLEN 32 shows it on an RV64 hart: its most significant bit moves.
  function automatic logic [Xlen-1:0] shown(input logic [Xlen-1:0] value, input logic narrow);
    shown = value;
    if (narrow && (Xlen == 64)) begin
      shown       = {Xlen{1'b0}};
      shown[30:0] = value[30:0];
      shown[31]   = value[Xlen-1];
    end
  endfunction

  // And what a write of such a value leaves.
  function automatic logic [Xlen-1:0] kept(input logic [Xlen-1:0] value, input logic narrow);
    kept = value;
    if (narrow && (Xlen == 64)) begin
      kept         = {Xlen{1'b0}};
      kept[30:0]   = value[30:0];
      kept[Xlen-1] = value[31];
    end
  endfunction

  function automatic logic [63:0] wide(input logic [Xlen-1:0] x);
    wide           = 64'd0;
    wide[Xlen-1:0] = x;
  endfunction

  logic unused_bits;  // RV32
  assign unused_bits = ^after_i;

endmodule
