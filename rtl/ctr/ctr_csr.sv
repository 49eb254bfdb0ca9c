// SPDX-License-Identifier: Apache-2.0
// The registers and the access to them: what exists, who may, what it reads and what a write leaves
// (chapters CSRs, Entry Registers, State Enable Access Control; "Registers" in docs/reference/ctr-profile.md).
//
// The status is kept here; an access sees it as the transfers of its cycle left it. DEPTH is kept as bits 7:4 of depth - 1.
module ctr_csr
#(
  parameter int          Xlen       = 64,
  parameter bit          Draft      = 1'b0,
  parameter logic [4:0]  Depths     = 5'h1F,
  parameter bit          HasS       = 1'b1,
  parameter bit          HasH       = 1'b1,
  parameter logic [63:0] Fields     = 64'hFFFFFFFFFFFFFFFF,
  parameter bit          HasStateen = 1'b1
) (
  input  logic            clk_i,
  input  logic            rst_ni,

  input  logic            csr_valid_i,
  input  logic [2:0]      csr_op_i,
  input  logic [11:0]     csr_addr_i,
  input  logic [Xlen-1:0] csr_wdata_i,
  input  logic [2:0]      csr_priv_i,
  input  logic            csr_xlen32_i,
  output logic [Xlen-1:0] csr_rdata_o,
  output logic [1:0]      csr_outcome_o,

  // Settings of this cycle.
  output logic [63:0]     mctl_o,
  output logic [63:0]     vsctl_o,
  output logic [7:0]      last_o,         // depth - 1

  // Status: at the start of the cycle, and after its transfers.
  output logic            frozen_o,
  output logic            wrap_o,
  output logic [7:0]      wrptr_o,
  input  logic            frozen_i,
  input  logic            wrap_i,
  input  logic [7:0]      wrptr_i,

  // Entries.
  output logic [7:0]      entry_index_o,  // physical
  output logic            entry_source_we_o,
  output logic            entry_target_we_o,
  output logic            entry_data_we_o,
  output logic [Xlen-1:0] entry_wdata_o,
  input  logic [Xlen-1:0] entry_source_i,
  input  logic [Xlen-1:0] entry_target_i,
  input  logic [31:0]     entry_data_i,
  output logic            clear_o,
  output logic [7:0]      clear_last_o,

  output logic            restart_o       // the cycle counter begins again
);

  // --- Parameters --------------------------------------------------------------------------------------

  function automatic logic [63:0] bit_of(input int lsb);
    bit_of = 64'd1 << lsb;
  endfunction

  // In the draft: S and STE need S-mode; DEPTH and CLR are kept elsewhere, or not at all.
  localparam logic [63:0] DraftS     = bit_of(ctr_reg_pkg::DraftMctrcontrolSLsb) | bit_of(ctr_reg_pkg::DraftMctrcontrolSteLsb);
  localparam logic [63:0] DraftApart = (64'hF << ctr_reg_pkg::DraftMctrcontrolDepthLsb) |
                                       bit_of(ctr_reg_pkg::DraftMctrcontrolClrLsb);
  localparam logic [63:0] DraftMask  = ((Fields & ctr_reg_pkg::DraftMctrcontrolMask & ~DraftApart) | ctr_reg_pkg::DraftRequired) &
                                       (HasS ? {64{1'b1}} : ~DraftS);
  localparam logic [63:0] MctlMask   = Draft ? DraftMask : (Fields & ctr_reg_pkg::MctrctlMask) | ctr_reg_pkg::Required;
  // M and MTE, which the s and vs registers do not have.
  localparam logic [63:0] HiddenMask =
    Draft ? bit_of(ctr_reg_pkg::DraftMctrcontrolMLsb) | bit_of(ctr_reg_pkg::DraftMctrcontrolMteLsb)
          : bit_of(ctr_reg_pkg::MctrctlMLsb) | bit_of(ctr_reg_pkg::MctrctlMteLsb);
  localparam logic [63:0] VsctlMask  = HasH ? MctlMask & ~HiddenMask : 64'd0;
  localparam int          FrozenBit  = Draft ? ctr_reg_pkg::DraftMctrstatusFrozenLsb : ctr_reg_pkg::SctrstatusFrozenLsb;

  // The least supported depth.
  localparam logic [3:0]  LeastSpan  = Depths[0] ? 4'h0 : Depths[1] ? 4'h1 : Depths[2] ? 4'h3 : Depths[3] ? 4'h7 : 4'hF;

  // --- Registers ---------------------------------------------------------------------------------------

  logic [63:0] mctl_q, mctl_d, vsctl_q, vsctl_d;
  logic [3:0]  span_q, span_d;  // 0 16, 1 32, 3 64, 7 128, 15 256
  logic        frozen_q, frozen_d, wrap_q, wrap_d;
  logic [7:0]  wrptr_q, wrptr_d;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      mctl_q   <= '0;
      vsctl_q  <= '0;
      span_q   <= LeastSpan;
      frozen_q <= '0;
      wrap_q   <= '0;
      wrptr_q  <= '0;
    end else begin
      mctl_q   <= mctl_d;
      vsctl_q  <= vsctl_d;
      span_q   <= span_d;
      frozen_q <= frozen_d;
      wrap_q   <= wrap_d;
      wrptr_q  <= wrptr_d;
    end
  end

  assign mctl_o   = mctl_q;
  assign vsctl_o  = vsctl_q;
  assign last_o   = {span_q, 4'hF};
  assign frozen_o = frozen_q;
  assign wrap_o   = wrap_q;
  assign wrptr_o  = wrptr_q;

  // --- What is accessed --------------------------------------------------------------------------------

  logic        at_mctl, at_mctlh, at_mstatus, at_sctl, at_sctlh, at_sstatus, at_sdepth, at_vsctl, at_vsctlh;
  logic [11:0] addr;
  logic [2:0]  op;
  logic        xlen32, is_m, is_u, virt, known, high, m_closed, h_closed, is_clear, writes;
  logic        illegal_entry, virtual_entry;
  logic [1:0]  clear_outcome;
  logic [63:0] value, after, written;

  csr_group #(
    .Xlen           (Xlen),
    .HasS           (HasS)
  ) u_group (
    .csr_valid_i,
    .csr_op_i,
    .csr_addr_i,
    .csr_wdata_i,
    .csr_priv_i,
    .csr_xlen32_i,
    .csr_rdata_o,
    .csr_outcome_o,
    .op_o           (op),
    .addr_o         (addr),
    .xlen32_o       (xlen32),
    .is_m_o         (is_m),
    .is_u_o         (is_u),
    .virt_o         (virt),
    .known_i        (known),
    .high_i         (high),
    .value_i        (value),
    .hidden_i       (at_sdepth),
    .mcounteren_i   (32'd0),
    .scounteren_i   (32'd0),
    .hcounteren_i   (32'd0),
    .m_closed_i     (m_closed),
    .h_closed_i     (h_closed),
    .ireg_illegal_i (illegal_entry),
    .ireg_virtual_i (virtual_entry),
    .own_i          (is_clear),
    .own_outcome_i  (clear_outcome),
    .writes_o       (writes),
    .after_o        (after),
    .written_o      (written)
  );

  // By address. Registers that this implementation does not have, or not at this XLEN, stay 0.
  assign at_mctl      = (addr == (Draft ? ctr_reg_pkg::DraftMctrcontrolAddr : ctr_reg_pkg::MctrctlAddr));
  assign at_mctlh     = Draft && xlen32 && (addr == ctr_reg_pkg::DraftMctrcontrolhAddr);
  assign at_mstatus   = Draft && (addr == ctr_reg_pkg::DraftMctrstatusAddr);

  assign at_sctl      = HasS && (addr == (Draft ? ctr_reg_pkg::DraftSctrcontrolAddr : ctr_reg_pkg::SctrctlAddr));
  assign at_sctlh     = HasS && Draft && xlen32 && (addr == ctr_reg_pkg::DraftSctrcontrolhAddr);
  assign at_sstatus   = HasS && (addr == (Draft ? ctr_reg_pkg::DraftSctrstatusAddr : ctr_reg_pkg::SctrstatusAddr));
  assign at_sdepth    = HasS && !Draft && (addr == ctr_reg_pkg::SctrdepthAddr);

  assign at_vsctl     = HasH && (addr == (Draft ? ctr_reg_pkg::DraftVsctrcontrolAddr : ctr_reg_pkg::VsctrctlAddr));
  assign at_vsctlh    = HasH && Draft && xlen32 && (addr == ctr_reg_pkg::DraftVsctrcontrolhAddr);

  // With V = 1 the vs register replaces the s register.
  logic on_mctl, on_sctl, on_vsctl, use_mctl, use_high;

  assign on_mctl  = at_mctl || at_mctlh;
  assign on_sctl  = (at_sctl || at_sctlh) && !virt;
  assign on_vsctl = at_vsctl || at_vsctlh || ((at_sctl || at_sctlh) && virt);
  assign use_mctl = on_mctl || on_sctl;
  assign use_high = at_mctlh || at_sctlh || at_vsctlh;

  // --- State enables, and indirect access --------------------------------------------------------------

  logic            known_stateen, high_stateen, known_select, use_ireg, closable_ind, m_ctr, m_ind, h_ctr, h_ind;
  logic            in_range, in_depth;
  logic [63:0]     stateen, select;
  logic [Xlen-1:0] selected;

  csr_stateen #(
    .HasH         (HasH),
    .HasStateen   (HasStateen),
    .GroupBit     (Draft ? ctr_reg_pkg::DraftCtrBit : ctr_reg_pkg::CtrBit)
  ) u_stateen (
    .clk_i,
    .rst_ni,
    .addr_i       (addr),
    .xlen32_i     (xlen32),
    .is_m_i       (is_m),
    .virt_i       (virt),
    .known_o      (known_stateen),
    .high_o       (high_stateen),
    .value_o      (stateen),
    .writes_i     (writes),
    .written_i    (written),
    .m_group_o    (m_ctr),
    .h_group_o    (h_ctr),
    .m_indirect_o (m_ind),
    .h_indirect_o (h_ind)
  );

  csr_indirect #(
    .Xlen       (Xlen),
    .HasS       (HasS),
    .HasH       (HasH),
    .HasMireg   (Draft)  // v1_0: miselect selects nothing
  ) u_indirect (
    .clk_i,
    .rst_ni,
    .addr_i     (addr),
    .xlen32_i   (xlen32),
    .virt_i     (virt),
    .known_o    (known_select),
    .closable_o (closable_ind),
    .value_o    (select),
    .writes_i   (writes),
    .after_i    (after),
    .ireg_o     (use_ireg),
    .selected_o (selected)
  );

  assign in_range = (selected[Xlen-1:8] == {{(Xlen-12){1'b0}}, ctr_reg_pkg::SelectFirst[11:8]});
  assign in_depth = ((selected[7:0] & ~last_o) == 8'd0);

  assign entry_index_o = !use_ireg ? 8'd0 : (wrptr_i - selected[7:0] - 8'd1) & last_o;

  // --- Who may -----------------------------------------------------------------------------------------

  logic closable_ctr, clear_illegal, clear_virtual;

  assign known         = at_mctl || at_mctlh || at_mstatus || closable_ctr || known_stateen || known_select;
  assign high          = use_high || high_stateen;
  assign closable_ctr  = at_sctl || at_sctlh || at_sstatus || at_sdepth || at_vsctl || at_vsctlh;

  assign m_closed      = (closable_ctr && !m_ctr) || (closable_ind && !m_ind);
  assign h_closed      = (closable_ctr && !h_ctr) || (closable_ind && !h_ind);
  assign illegal_entry = use_ireg && (!in_range || !m_ctr);
  assign virtual_entry = use_ireg && !h_ctr;

  assign is_clear      = (op == ctr_pkg::OpZero) && !Draft;
  assign clear_illegal = !m_ctr || (is_u && !virt);
  assign clear_virtual = virt && (is_u || !h_ctr);
  assign clear_outcome = clear_illegal ? csr_pkg::IllegalInstruction :
                         clear_virtual ? csr_pkg::VirtualInstruction : csr_pkg::Done;

  // --- Read --------------------------------------------------------------------------------------------

  logic [63:0] depth_field, mctl, vsctl, status, entry;

  assign depth_field = Draft ? {60'd0, span_q} << ctr_reg_pkg::DraftMctrcontrolDepthLsb : 64'd0;
  assign mctl        = mctl_q | depth_field;
  assign vsctl       = vsctl_q | depth_field;
  assign status      = Draft ? {48'd0, frozen_i, wrap_i, 6'd0, wrptr_i} : {32'd0, frozen_i, 23'd0, wrptr_i};

  assign entry = (!in_depth)                ? 64'd0 :
                 (addr[2:0] == 3'd1)  ? wide(entry_source_i) :
                 (addr[2:0] == 3'd2)  ? wide(entry_target_i) :
                 (addr[2:0] == 3'd3)  ? {32'd0, entry_data_i} : 64'd0;

  function automatic logic [63:0] wide(input logic [Xlen-1:0] x);
    wide            = 64'd0;
    wide[Xlen-1:0]  = x;
  endfunction

  assign value =
    (mctl                            & {64{on_mctl}}) |
    (mctl & ~HiddenMask              & {64{on_sctl}}) |
    (vsctl                           & {64{on_vsctl}}) |
    (status                          & {64{at_mstatus || at_sstatus}}) |
    ({61'd0, depth_code(span_q)}     & {64{at_sdepth}}) |
    (entry                           & {64{use_ireg}}) |
    stateen | select;

  // DEPTH of v1_0.
  function automatic logic [2:0] depth_code(input logic [3:0] span);
    depth_code = span[3] ? 3'd4 : span[2] ? 3'd3 : span[1] ? 3'd2 : span[0] ? 3'd1 : 3'd0;
  endfunction

  // --- Write -------------------------------------------------------------------------------------------

  logic        clears;
  logic [63:0] mctl_new, vsctl_new;

  assign clears    = (csr_outcome_o == csr_pkg::Done) && is_clear;

  assign mctl_new  = written & MctlMask;
  assign vsctl_new = written & VsctlMask;
  assign mctl_d    = !(writes && use_mctl) ? mctl_q : on_sctl ? (mctl_new & ~HiddenMask) | (mctl_q & HiddenMask) : mctl_new;
  assign vsctl_d   = (writes && on_vsctl) ? vsctl_new : vsctl_q;

  assign entry_source_we_o = writes && use_ireg && in_depth && (addr[2:0] == 3'd1);
  assign entry_target_we_o = writes && use_ireg && in_depth && (addr[2:0] == 3'd2);
  assign entry_data_we_o   = writes && use_ireg && in_depth && (addr[2:0] == 3'd3);
  assign entry_wdata_o     = after[Xlen-1:0];

  // --- Depth, clear, status ----------------------------------------------------------------------------

  logic       writes_depth, writes_status, clear_draft;
  logic [7:0] last_d;

  if (Draft) begin : gen_draft
    assign writes_depth = writes && use_mctl && !use_high;
    assign span_d       = writes_depth ? draft_span(after[ctr_reg_pkg::DraftMctrcontrolDepthLsb +: 4]) : span_q;
    // Through the vs register only with V = 1.
    assign clear_draft  = writes && !use_high && after[ctr_reg_pkg::DraftMctrcontrolClrLsb] && (use_mctl || (on_vsctl && virt));
  end else begin : gen_ratified
    assign writes_depth = writes && at_sdepth;
    assign span_d       = writes_depth ? ratified_span(after[2:0], span_q) : span_q;
    assign clear_draft  = 1'b0;
  end

  // The greatest supported depth that is not above the written one, else the least.
  function automatic logic [3:0] draft_span(input logic [3:0] code);
    draft_span = LeastSpan;
    if (Depths[1] && (code >= 4'h1)) draft_span = 4'h1;
    if (Depths[2] && (code >= 4'h3)) draft_span = 4'h3;
    if (Depths[3] && (code >= 4'h7)) draft_span = 4'h7;
    if (Depths[4] && (code >= 4'hF)) draft_span = 4'hF;
    if (Depths[0] && (code == 4'h0)) draft_span = 4'h0;
  endfunction

  function automatic logic [3:0] ratified_span(input logic [2:0] code, input logic [3:0] old);
    ratified_span = old;
    if (Depths[0] && (code == 3'd0)) ratified_span = 4'h0;
    if (Depths[1] && (code == 3'd1)) ratified_span = 4'h1;
    if (Depths[2] && (code == 3'd2)) ratified_span = 4'h3;
    if (Depths[3] && (code == 3'd3)) ratified_span = 4'h7;
    if (Depths[4] && (code == 3'd4)) ratified_span = 4'hF;
  endfunction

  assign writes_status = writes && (at_mstatus || at_sstatus);
  assign last_d        = {span_d, 4'hF};

  assign wrptr_d  = clear_draft                       ? 8'd0 :
                    writes_status                     ? after[7:0] & last_o :
                    (!Draft && (span_d != span_q))    ? 8'd0 : wrptr_i & last_d;
  assign wrap_d   = clear_draft ? 1'b0 : writes_status ? Draft && after[ctr_reg_pkg::DraftMctrstatusWrapLsb] : wrap_i;
  assign frozen_d = clear_draft ? 1'b0 : writes_status ? after[FrozenBit] : frozen_i;

  assign clear_o      = clears || clear_draft;
  assign clear_last_o = Draft ? last_d | last_o : 8'hFF;  // the greater of the depths before and after the write
  assign restart_o    = clears || (writes && (use_mctl || on_vsctl));

  logic unused_bits;  // what a mask leaves out
  assign unused_bits = ^{written, after};

endmodule
