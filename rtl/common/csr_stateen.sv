// SPDX-License-Identifier: Apache-2.0
// The state enables mstateen0 and hstateen0 (Smstateen), with the bit of indirect access and that of a group of CSRs.
module csr_stateen
#(
  parameter bit HasH       = 1'b1,
  parameter bit HasStateen = 1'b1,
  parameter int GroupBit   = 54
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  // The access (csr_group), and what is at its address.
  input  logic [11:0] addr_i,
  input  logic        xlen32_i,
  input  logic        is_m_i,
  input  logic        virt_i,
  output logic        known_o,
  output logic        high_o,
  output logic [63:0] value_o,
  input  logic        writes_i,
  input  logic [63:0] written_i,

  // What mstateen0 opens to this access, and hstateen0.
  output logic        m_group_o,
  output logic        h_group_o,
  output logic        m_indirect_o,
  output logic        h_indirect_o
);

  logic [1:0] mstateen_q, mstateen_d, hstateen_q, hstateen_d;  // {CSRIND, of the group}

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      mstateen_q <= '0;
      hstateen_q <= '0;
    end else begin
      mstateen_q <= mstateen_d;
      hstateen_q <= hstateen_d;
    end
  end

  logic at_mstateen, at_mstateenh, at_hstateen, at_hstateenh, on_mstateen, on_hstateen;

  assign at_mstateen  = HasStateen && (addr_i == csr_reg_pkg::Mstateen0Addr);
  assign at_mstateenh = HasStateen && xlen32_i && (addr_i == csr_reg_pkg::Mstateen0hAddr);
  assign at_hstateen  = HasStateen && HasH && (addr_i == csr_reg_pkg::Hstateen0Addr);
  assign at_hstateenh = HasStateen && HasH && xlen32_i && (addr_i == csr_reg_pkg::Hstateen0hAddr);

  assign on_mstateen  = at_mstateen || at_mstateenh;
  assign on_hstateen  = at_hstateen || at_hstateenh;
  assign known_o      = on_mstateen || on_hstateen;
  assign high_o       = at_mstateenh || at_hstateenh;

  // A bit of hstateen0 reads 0 and cannot be set while mstateen0 has 0.
  logic [63:0] mstateen, hstateen;

  assign mstateen = placed(mstateen_q);
  assign hstateen = placed(hstateen_q & mstateen_q);
  assign value_o  = (mstateen & {64{on_mstateen}}) | (hstateen & {64{on_hstateen}});

  function automatic logic [63:0] placed(input logic [1:0] bits);
    placed                         = 64'd0;
    placed[csr_reg_pkg::CsrindBit] = bits[1];
    placed[GroupBit]               = bits[0];
  endfunction

  assign mstateen_d = (writes_i && on_mstateen) ? {written_i[csr_reg_pkg::CsrindBit], written_i[GroupBit]} : mstateen_q;
  assign hstateen_d = (writes_i && on_hstateen)
                    ? {written_i[csr_reg_pkg::CsrindBit], written_i[GroupBit]} & mstateen_q : hstateen_q;

  // mstateen0 decides below M, hstateen0 with V = 1.
  assign {m_indirect_o, m_group_o} = mstateen_q | {2{is_m_i || !HasStateen}};
  assign {h_indirect_o, h_group_o} = (hstateen_q & mstateen_q) | {2{!virt_i || !HasStateen}};

  logic unused_bits;
  assign unused_bits = ^written_i;

endmodule
