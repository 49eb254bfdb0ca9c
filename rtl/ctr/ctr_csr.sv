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

  // Status: at the begin of the cycle, and behind its transfers.
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
  localparam int          StateenBit = Draft ? ctr_reg_pkg::DraftCtrBit : ctr_reg_pkg::CtrBit;
  localparam int          FrozenBit  = Draft ? ctr_reg_pkg::DraftMctrstatusFrozenLsb : ctr_reg_pkg::SctrstatusFrozenLsb;

  // The least supported depth.
  localparam logic [3:0]  LeastSpan  = Depths[0] ? 4'h0 : Depths[1] ? 4'h1 : Depths[2] ? 4'h3 : Depths[3] ? 4'h7 : 4'hF;

  // --- Registers ---------------------------------------------------------------------------------------

  logic [63:0]     mctl_q, mctl_d, vsctl_q, vsctl_d;
  logic [3:0]      span_q, span_d;  // 0 16, 1 32, 3 64, 7 128, 15 256
  logic            frozen_q, frozen_d, wrap_q, wrap_d;
  logic [7:0]      wrptr_q, wrptr_d;
  logic [Xlen-1:0] mselect_q, mselect_d, sselect_q, sselect_d, vsselect_q, vsselect_d;
  logic [1:0]      mstateen_q, mstateen_d, hstateen_q, hstateen_d;  // {CSRIND, CTR}

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      mctl_q     <= '0;
      vsctl_q    <= '0;
      span_q     <= LeastSpan;
      frozen_q   <= '0;
      wrap_q     <= '0;
      wrptr_q    <= '0;
      mselect_q  <= '0;
      sselect_q  <= '0;
      vsselect_q <= '0;
      mstateen_q <= '0;
      hstateen_q <= '0;
    end else begin
      mctl_q     <= mctl_d;
      vsctl_q    <= vsctl_d;
      span_q     <= span_d;
      frozen_q   <= frozen_d;
      wrap_q     <= wrap_d;
      wrptr_q    <= wrptr_d;
      mselect_q  <= mselect_d;
      sselect_q  <= sselect_d;
      vsselect_q <= vsselect_d;
      mstateen_q <= mstateen_d;
      hstateen_q <= hstateen_d;
    end
  end

  assign mctl_o   = mctl_q;
  assign vsctl_o  = vsctl_q;
  assign last_o   = {span_q, 4'hF};
  assign frozen_o = frozen_q;
  assign wrap_o   = wrap_q;
  assign wrptr_o  = wrptr_q;

  // --- What is accessed --------------------------------------------------------------------------------

  logic [11:0] addr;
  logic [2:0]  op, priv;
  logic        xlen32, is_m, is_u, virt, changes;
  logic [63:0] operand;

  csr_port #(
    .Xlen         (Xlen)
  ) u_port (
    .csr_valid_i,
    .csr_op_i,
    .csr_addr_i,
    .csr_wdata_i,
    .csr_priv_i,
    .csr_xlen32_i,
    .addr_o       (addr),
    .op_o         (op),
    .priv_o       (priv),
    .xlen32_o     (xlen32),
    .is_m_o       (is_m),
    .virt_o       (virt),
    .operand_o    (operand),
    .changes_o    (changes)
  );

  assign is_u = (priv[1:0] == 2'd0);

  // By address. Registers that this implementation does not have, or not at this XLEN, stay 0.
  logic at_mctl, at_mctlh, at_mstatus, at_mselect, at_mireg, at_mstateen, at_mstateenh;
  logic at_sctl, at_sctlh, at_sstatus, at_sdepth, at_sselect, at_sireg;
  logic at_vsctl, at_vsctlh, at_vsselect, at_vsireg, at_hstateen, at_hstateenh;
  logic is_ireg;

  assign is_ireg      = (addr[2:0] != 3'd0) && (addr[2:0] != 3'd4);

  assign at_mctl      = (addr == (Draft ? ctr_reg_pkg::DraftMctrcontrolAddr : ctr_reg_pkg::MctrctlAddr));
  assign at_mctlh     = Draft && xlen32 && (addr == ctr_reg_pkg::DraftMctrcontrolhAddr);
  assign at_mstatus   = Draft && (addr == ctr_reg_pkg::DraftMctrstatusAddr);
  assign at_mselect   = (addr == ctr_reg_pkg::MiselectAddr);
  assign at_mireg     = Draft && is_ireg && (addr[11:3] == ctr_reg_pkg::MiregAddr[11:3]);  // v1_0: selects nothing
  assign at_mstateen  = HasStateen && (addr == ctr_reg_pkg::Mstateen0Addr);
  assign at_mstateenh = HasStateen && xlen32 && (addr == ctr_reg_pkg::Mstateen0hAddr);

  assign at_sctl      = HasS && (addr == (Draft ? ctr_reg_pkg::DraftSctrcontrolAddr : ctr_reg_pkg::SctrctlAddr));
  assign at_sctlh     = HasS && Draft && xlen32 && (addr == ctr_reg_pkg::DraftSctrcontrolhAddr);
  assign at_sstatus   = HasS && (addr == (Draft ? ctr_reg_pkg::DraftSctrstatusAddr : ctr_reg_pkg::SctrstatusAddr));
  assign at_sdepth    = HasS && !Draft && (addr == ctr_reg_pkg::SctrdepthAddr);
  assign at_sselect   = HasS && (addr == ctr_reg_pkg::SiselectAddr);
  assign at_sireg     = HasS && is_ireg && (addr[11:3] == ctr_reg_pkg::SiregAddr[11:3]);

  assign at_vsctl     = HasH && (addr == (Draft ? ctr_reg_pkg::DraftVsctrcontrolAddr : ctr_reg_pkg::VsctrctlAddr));
  assign at_vsctlh    = HasH && Draft && xlen32 && (addr == ctr_reg_pkg::DraftVsctrcontrolhAddr);
  assign at_vsselect  = HasH && (addr == ctr_reg_pkg::VsiselectAddr);
  assign at_vsireg    = HasH && is_ireg && (addr[11:3] == ctr_reg_pkg::VsiregAddr[11:3]);
  assign at_hstateen  = HasH && HasStateen && (addr == ctr_reg_pkg::Hstateen0Addr);
  assign at_hstateenh = HasH && HasStateen && xlen32 && (addr == ctr_reg_pkg::Hstateen0hAddr);

  // With V = 1 the vs register stands in for the s register.
  logic on_mctl, on_sctl, on_vsctl, use_mctl, use_sselect, use_vsselect, use_high, use_ireg;

  assign on_mctl      = at_mctl || at_mctlh;
  assign on_sctl      = (at_sctl || at_sctlh) && !virt;
  assign on_vsctl     = at_vsctl || at_vsctlh || ((at_sctl || at_sctlh) && virt);
  assign use_mctl     = on_mctl || on_sctl;
  assign use_sselect  = at_sselect && !virt;
  assign use_vsselect = at_vsselect || (at_sselect && virt);
  assign use_high     = at_mctlh || at_sctlh || at_vsctlh || at_mstateenh || at_hstateenh;
  assign use_ireg     = at_mireg || at_sireg || at_vsireg;

  // --- Indirect access ---------------------------------------------------------------------------------

  logic [Xlen-1:0] selected;
  logic            in_range, in_depth;

  assign selected = !use_ireg ? {Xlen{1'b0}} :
                    shown_select(at_mireg ? mselect_q : (at_vsireg || virt) ? vsselect_q : sselect_q, xlen32);
  assign in_range = (selected[Xlen-1:8] == {{(Xlen-12){1'b0}}, ctr_reg_pkg::SelectFirst[11:8]});
  assign in_depth = ((selected[7:0] & ~last_o) == 8'd0);

  assign entry_index_o = !use_ireg ? 8'd0 : (wrptr_i - selected[7:0] - 8'd1) & last_o;

  // An iselect register as XLEN 32 shows it on an RV64 hart: its most significant bit moves.
  function automatic logic [Xlen-1:0] shown_select(input logic [Xlen-1:0] value, input logic narrow);
    shown_select = value;
    if (narrow && (Xlen == 64)) begin
      shown_select              = {Xlen{1'b0}};
      shown_select[30:0]        = value[30:0];
      shown_select[31]          = value[Xlen-1];
    end
  endfunction

  // And what a write of such a value leaves.
  function automatic logic [Xlen-1:0] kept_select(input logic [Xlen-1:0] value, input logic narrow);
    kept_select = value;
    if (narrow && (Xlen == 64)) begin
      kept_select         = {Xlen{1'b0}};
      kept_select[30:0]   = value[30:0];
      kept_select[Xlen-1] = value[31];
    end
  endfunction

  // --- Who may -----------------------------------------------------------------------------------------

  logic level_m, level_h, level_s, closable_ctr, closable_ind;
  logic m_ctr, m_ind, h_ctr, h_ind, m_closed, h_closed;
  logic illegal_entry, virtual_entry;
  logic is_access, is_clear, clear_illegal, clear_virtual;

  assign level_m = at_mctl || at_mctlh || at_mstatus || at_mselect || at_mireg || at_mstateen || at_mstateenh;
  assign level_h = at_vsctl || at_vsctlh || at_vsselect || at_vsireg || at_hstateen || at_hstateenh;
  assign level_s = at_sctl || at_sctlh || at_sstatus || at_sdepth || at_sselect || at_sireg;

  assign closable_ctr = at_sctl || at_sctlh || at_sstatus || at_sdepth || at_vsctl || at_vsctlh;
  assign closable_ind = at_sselect || at_sireg || at_vsselect || at_vsireg;

  // Open below M; open with V = 1 as far as hstateen0 is asked.
  assign {m_ind, m_ctr} = mstateen_q | {2{is_m || !HasStateen}};
  assign {h_ind, h_ctr} = (hstateen_q & mstateen_q) | {2{!virt || !HasStateen}};
  assign m_closed       = (closable_ctr && !m_ctr) || (closable_ind && !m_ind);
  assign h_closed       = (closable_ctr && !h_ctr) || (closable_ind && !h_ind);

  assign is_access     = (op <= csr_pkg::OpClear);
  assign illegal_entry = use_ireg && (!in_range || !m_ctr);
  assign virtual_entry = use_ireg && !h_ctr;

  assign is_clear      = (op == ctr_pkg::OpZero) && !Draft;
  assign clear_illegal = !m_ctr || (is_u && !virt);
  assign clear_virtual = virt && (is_u || !h_ctr);

  logic [1:0] access_outcome, clear_outcome;

  csr_access #(
    .HasS           (HasS)
  ) u_access (
    .priv_i         (priv),
    .changes_i      (1'b0),
    .read_only_i    (1'b0),
    .machine_i      (level_m),
    .supervisor_i   (level_s),
    .hypervisor_i   (level_h),
    .hidden_i       (at_sdepth),
    .view_i         (1'b0),
    .number_i       (5'd0),
    .mcounteren_i   (32'd0),
    .scounteren_i   (32'd0),
    .hcounteren_i   (32'd0),
    .m_closed_i     (m_closed),
    .h_closed_i     (h_closed),
    .ireg_illegal_i (illegal_entry),
    .ireg_virtual_i (virtual_entry),
    .outcome_o      (access_outcome)
  );

  assign clear_outcome  = clear_illegal ? csr_pkg::IllegalInstruction :
                          clear_virtual ? csr_pkg::VirtualInstruction : csr_pkg::Done;
  assign csr_outcome_o  = !csr_valid_i ? csr_pkg::Done  :
                          is_access    ? access_outcome :
                          is_clear     ? clear_outcome  : csr_pkg::IllegalInstruction;

  // --- Read --------------------------------------------------------------------------------------------

  logic [63:0] depth_field, mctl, vsctl, status, stateen_m, stateen_h, entry, value, seen;

  assign depth_field = Draft ? {60'd0, span_q} << ctr_reg_pkg::DraftMctrcontrolDepthLsb : 64'd0;
  assign mctl        = mctl_q | depth_field;
  assign vsctl       = vsctl_q | depth_field;
  assign status      = Draft ? {48'd0, frozen_i, wrap_i, 6'd0, wrptr_i} : {32'd0, frozen_i, 23'd0, wrptr_i};
  assign stateen_m   = stateen(mstateen_q);
  assign stateen_h   = stateen(hstateen_q & mstateen_q);

  function automatic logic [63:0] stateen(input logic [1:0] bits);
    stateen             = 64'd0;
    stateen[ctr_reg_pkg::CsrindBit]  = bits[1];
    stateen[StateenBit] = bits[0];
  endfunction

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
    (wide(shown_select(mselect_q, xlen32))  & {64{at_mselect}}) |
    (wide(shown_select(sselect_q, xlen32))  & {64{use_sselect}}) |
    (wide(shown_select(vsselect_q, xlen32)) & {64{use_vsselect}}) |
    (stateen_m                       & {64{at_mstateen || at_mstateenh}}) |
    (stateen_h                       & {64{at_hstateen || at_hstateenh}}) |
    (entry                           & {64{use_ireg}});

  // The bits that this access sees.
  assign seen      = csr_pkg::seen(value, use_high, xlen32);
  assign csr_rdata_o = (csr_valid_i && is_access && (csr_outcome_o == csr_pkg::Done)) ? seen[Xlen-1:0] : {Xlen{1'b0}};

  // DEPTH of v1_0.
  function automatic logic [2:0] depth_code(input logic [3:0] span);
    depth_code = span[3] ? 3'd4 : span[2] ? 3'd3 : span[1] ? 3'd2 : span[0] ? 3'd1 : 3'd0;
  endfunction

  // --- Write -------------------------------------------------------------------------------------------

  logic        writes, clears;
  logic [63:0] after;

  assign writes  = (csr_outcome_o == csr_pkg::Done) && changes;
  assign clears  = (csr_outcome_o == csr_pkg::Done) && is_clear;
  assign after   = csr_pkg::changed(op, seen, operand);

  logic [63:0] mctl_new, vsctl_new, mstateen_new, hstateen_new;

  assign mctl_new     = csr_pkg::merged(mctl_q, after, use_high, xlen32) & MctlMask;
  assign vsctl_new    = csr_pkg::merged(vsctl_q, after, use_high, xlen32) & VsctlMask;
  assign mctl_d       = !(writes && use_mctl) ? mctl_q : on_sctl ? (mctl_new & ~HiddenMask) | (mctl_q & HiddenMask) : mctl_new;
  assign vsctl_d      = (writes && on_vsctl) ? vsctl_new : vsctl_q;

  assign mstateen_new = csr_pkg::merged(stateen(mstateen_q), after, use_high, xlen32);
  assign hstateen_new = csr_pkg::merged(stateen(hstateen_q), after, use_high, xlen32);
  assign mstateen_d   = (writes && (at_mstateen || at_mstateenh))
                      ? {mstateen_new[ctr_reg_pkg::CsrindBit], mstateen_new[StateenBit]} : mstateen_q;
  assign hstateen_d   = (writes && (at_hstateen || at_hstateenh))
                      ? {hstateen_new[ctr_reg_pkg::CsrindBit], hstateen_new[StateenBit]} & mstateen_q : hstateen_q;

  assign mselect_d    = (writes && at_mselect)   ? kept_select(after[Xlen-1:0], xlen32) : mselect_q;
  assign sselect_d    = (writes && use_sselect)  ? kept_select(after[Xlen-1:0], xlen32) : sselect_q;
  assign vsselect_d   = (writes && use_vsselect) ? kept_select(after[Xlen-1:0], xlen32) : vsselect_q;

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
  assign clear_last_o = Draft ? last_d | last_o : 8'hFF;  // the greater of the depths before and behind the write
  assign restart_o    = clears || (writes && (use_mctl || on_vsctl));

  logic unused_bits;  // what a mask leaves out
  assign unused_bits = ^{mstateen_new, hstateen_new, seen, operand, after};

endmodule
