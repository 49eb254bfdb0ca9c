// SPDX-License-Identifier: Apache-2.0
// The registers but counters and mhpmevents, and the access to all of them: what it reads, and what a write leaves
// ("Registers" in docs/reference/hpm-profile.md).
module hpm_csr
#(
  parameter int          Xlen             = 64,
  parameter logic [31:0] Counters         = 32'hFFFFFFF8,
  parameter logic [31:0] Inhibit          = 32'hFFFFFFFF,
  parameter bit          HasU             = 1'b1,
  parameter bit          HasS             = 1'b1,
  parameter bit          HasH             = 1'b1,
  parameter bit          HasSscofpmf      = 1'b1,
  parameter bit          HasSmcntrpmf     = 1'b1,
  parameter bit          HasShlcofideleg  = 1'b1
) (
  input  logic            clk_i,
  input  logic            rst_ni,

  input  logic [63:0]     time_i,

  input  logic            csr_valid_i,
  input  logic [2:0]      csr_op_i,
  input  logic [11:0]     csr_addr_i,
  input  logic [Xlen-1:0] csr_wdata_i,
  input  logic [2:0]      csr_priv_i,
  input  logic            csr_xlen32_i,
  output logic [Xlen-1:0] csr_rdata_o,
  output logic [1:0]      csr_outcome_o,

  // Counters and events: as they are, and the write to one of them.
  input  logic [32*64-1:0] counter_i,
  input  logic [32*64-1:0] event_i,
  input  logic [31:0]      of_i,
  output logic [31:0]      counter_we_o,
  output logic [31:0]      event_we_o,
  output logic [63:0]      wdata_o,       // all 64 bits after the write

  // Settings of this cycle.
  output logic [31:0]     inhibit_o,      // mcountinhibit
  output logic [hpm_pkg::InhibitBits-1:0] cyclecfg_o,
  output logic [hpm_pkg::InhibitBits-1:0] instretcfg_o,

  input  logic            request_i,      // of an interrupt, at the end of this cycle
  output logic            lcofi_o,
  output logic            lcofie_o
);

  // --- Parameters --------------------------------------------------------------------------------------

  localparam logic [31:0] Events      = {Counters[31:3], 3'b000};
  localparam logic [31:0] Present     = Events | (32'd1 << hpm_reg_pkg::CyBit) | (32'd1 << hpm_reg_pkg::IrBit);
  localparam logic [31:0] EnableMask  = Present | (32'd1 << hpm_reg_pkg::TmBit);
  localparam logic [31:0] InhibitMask = Present & Inhibit;
  localparam logic [hpm_pkg::InhibitBits-1:0] Filters = HasSmcntrpmf ? hpm_pkg::inhibits(HasU, HasS, HasH) : 5'b00000;

  // --- Registers ---------------------------------------------------------------------------------------

  logic [31:0] inhibit_q, inhibit_d, mcounteren_q, mcounteren_d, scounteren_q, scounteren_d, hcounteren_q, hcounteren_d;
  logic [63:0] timedelta_q, timedelta_d;
  logic        lcofip_q, lcofip_d, lcofie_q, lcofie_d, mideleg_q, mideleg_d, hideleg_q, hideleg_d;
  logic [hpm_pkg::InhibitBits-1:0] cyclecfg_q, cyclecfg_d, instretcfg_q, instretcfg_d;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      inhibit_q    <= '0;
      cyclecfg_q   <= '0;
      instretcfg_q <= '0;
      mcounteren_q <= '0;
      scounteren_q <= '0;
      hcounteren_q <= '0;
      timedelta_q  <= '0;
      lcofip_q     <= '0;
      lcofie_q     <= '0;
      mideleg_q    <= '0;
      hideleg_q    <= '0;
    end else begin
      inhibit_q    <= inhibit_d;
      cyclecfg_q   <= cyclecfg_d;
      instretcfg_q <= instretcfg_d;
      mcounteren_q <= mcounteren_d;
      scounteren_q <= scounteren_d;
      hcounteren_q <= hcounteren_d;
      timedelta_q  <= timedelta_d;
      lcofip_q     <= lcofip_d;
      lcofie_q     <= lcofie_d;
      mideleg_q    <= mideleg_d;
      hideleg_q    <= hideleg_d;
    end
  end

  assign inhibit_o    = inhibit_q;
  assign cyclecfg_o   = cyclecfg_q;
  assign instretcfg_o = instretcfg_q;
  assign lcofi_o      = lcofip_q;
  assign lcofie_o     = lcofie_q;

  // --- What is accessed --------------------------------------------------------------------------------

  logic [11:0] addr;
  logic [4:0]  number;
  logic        xlen32, is_m, virt, known, high, writes;
  logic [63:0] value, written, unused_after;
  logic [2:0]  unused_op;
  logic        unused_is_u;

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
    .op_o           (unused_op),
    .addr_o         (addr),
    .xlen32_o       (xlen32),
    .is_m_o         (is_m),
    .is_u_o         (unused_is_u),
    .virt_o         (virt),
    .known_i        (known),
    .high_i         (high),
    .value_i        (value),
    .hidden_i       (1'b0),
    .mcounteren_i   (mcounteren_q),
    .scounteren_i   (scounteren_q),
    .hcounteren_i   (hcounteren_q),
    .m_closed_i     (1'b0),
    .h_closed_i     (1'b0),
    .ireg_illegal_i (1'b0),
    .ireg_virtual_i (1'b0),
    .own_i          (1'b0),
    .own_outcome_i  (csr_pkg::IllegalInstruction),
    .writes_o       (writes),
    .after_o        (unused_after),
    .written_o      (written)
  );

  assign number = addr[4:0];

  // By address. Registers that this implementation does not have, or not at this XLEN, stay 0.
  logic at_counter, at_counterh, at_event, at_eventh, at_view, at_viewh;
  logic at_inhibit, at_cyclecfg, at_cyclecfgh, at_instretcfg, at_instretcfgh, at_mcounteren, at_mip, at_mie, at_mideleg;
  logic at_scounteren, at_scountovf, at_sip, at_sie;
  logic at_hcounteren, at_timedelta, at_timedeltah, at_hideleg, at_vsip, at_vsie;

  assign at_counter     = (addr[11:5] == hpm_reg_pkg::MhpmcounterBase[11:5]) && (number != 5'd1);
  assign at_counterh    = (addr[11:5] == hpm_reg_pkg::MhpmcounterhBase[11:5]) && (number != 5'd1) && xlen32;
  assign at_event       = (addr[11:5] == hpm_reg_pkg::MhpmeventBase[11:5]) && (number >= 5'd3);
  assign at_eventh      = (addr[11:5] == hpm_reg_pkg::MhpmeventhBase[11:5]) && (number >= 5'd3) && xlen32 && HasSscofpmf;
  assign at_view        = (addr[11:5] == hpm_reg_pkg::HpmcounterBase[11:5]);
  assign at_viewh       = (addr[11:5] == hpm_reg_pkg::HpmcounterhBase[11:5]) && xlen32;

  assign at_inhibit     = (addr == hpm_reg_pkg::McountinhibitAddr);
  assign at_cyclecfg    = HasSmcntrpmf && (addr == hpm_reg_pkg::McyclecfgAddr);
  assign at_cyclecfgh   = HasSmcntrpmf && (addr == hpm_reg_pkg::McyclecfghAddr) && xlen32;
  assign at_instretcfg  = HasSmcntrpmf && (addr == hpm_reg_pkg::MinstretcfgAddr);
  assign at_instretcfgh = HasSmcntrpmf && (addr == hpm_reg_pkg::MinstretcfghAddr) && xlen32;
  assign at_mcounteren  = HasU && (addr == hpm_reg_pkg::McounterenAddr);
  assign at_mip         = (addr == hpm_reg_pkg::MipAddr);
  assign at_mie         = (addr == hpm_reg_pkg::MieAddr);
  assign at_mideleg     = HasS && (addr == hpm_reg_pkg::MidelegAddr);

  assign at_scounteren  = HasS && (addr == hpm_reg_pkg::ScounterenAddr);
  assign at_scountovf   = HasS && HasSscofpmf && (addr == hpm_reg_pkg::ScountovfAddr);
  assign at_sip         = HasS && (addr == hpm_reg_pkg::SipAddr);
  assign at_sie         = HasS && (addr == hpm_reg_pkg::SieAddr);

  assign at_hcounteren  = HasH && (addr == hpm_reg_pkg::HcounterenAddr);
  assign at_timedelta   = HasH && (addr == hpm_reg_pkg::HtimedeltaAddr);
  assign at_timedeltah  = HasH && (addr == hpm_reg_pkg::HtimedeltahAddr) && xlen32;
  assign at_hideleg     = HasH && (addr == hpm_reg_pkg::HidelegAddr);
  assign at_vsip        = HasH && (addr == hpm_reg_pkg::VsipAddr);
  assign at_vsie        = HasH && (addr == hpm_reg_pkg::VsieAddr);

  logic on_counter, on_event, on_view, on_time, on_cyclecfg, on_instretcfg, on_timedelta, on_ip, on_ie;
  logic s_shown, vs_shown;

  assign high          = at_counterh || at_eventh || at_viewh || at_cyclecfgh || at_instretcfgh || at_timedeltah;
  assign on_counter    = at_counter || at_counterh;
  assign on_event      = at_event || at_eventh;
  assign on_view       = at_view || at_viewh;
  assign on_time       = on_view && (number == 5'd1);
  assign on_cyclecfg   = at_cyclecfg || at_cyclecfgh;
  assign on_instretcfg = at_instretcfg || at_instretcfgh;
  assign on_timedelta  = at_timedelta || at_timedeltah;

  assign known = on_counter || on_event || on_view || at_inhibit || on_cyclecfg || on_instretcfg || at_mcounteren || at_mip ||
                 at_mie || at_mideleg || at_scounteren || at_scountovf || at_sip || at_sie || at_hcounteren ||
                 on_timedelta || at_hideleg || at_vsip || at_vsie;

  // With V = 1 vsip and vsie replace sip and sie. Bits that are not delegated are read-only 0.
  assign s_shown  = mideleg_q && !virt;
  assign vs_shown = mideleg_q && hideleg_q;
  assign on_ip    = at_mip || (at_sip && s_shown) || ((at_vsip || (at_sip && virt)) && vs_shown);
  assign on_ie    = at_mie || (at_sie && s_shown) || ((at_vsie || (at_sie && virt)) && vs_shown);

  // --- Read --------------------------------------------------------------------------------------------

  logic [63:0] now;
  logic [31:0] overflowed;

  assign now        = time_i + (virt ? timedelta_q : 64'd0);
  assign overflowed = of_i & (mcounteren_q | {32{is_m}}) & (hcounteren_q | {32{!virt}});

  function automatic logic [63:0] lcofi(input logic shown);
    lcofi                        = 64'd0;
    lcofi[hpm_reg_pkg::LcofiBit] = shown;
  endfunction

  function automatic logic [63:0] filters(input logic [hpm_pkg::InhibitBits-1:0] bits);
    filters                                                = 64'd0;
    filters[hpm_reg_pkg::MinhLsb:hpm_reg_pkg::VuinhLsb] = bits;
  endfunction

  assign value =
    (counter_i[64*number +: 64] & {64{on_counter || (on_view && !on_time)}}) |
    (event_i[64*number +: 64]   & {64{on_event}}) |
    (now                        & {64{on_time}}) |
    (timedelta_q                & {64{on_timedelta}}) |
    (filters(cyclecfg_q)        & {64{on_cyclecfg}}) |
    (filters(instretcfg_q)      & {64{on_instretcfg}}) |
    {32'd0,
      (inhibit_q                & {32{at_inhibit}}) |
      (mcounteren_q             & {32{at_mcounteren}}) |
      (scounteren_q             & {32{at_scounteren}}) |
      (hcounteren_q             & {32{at_hcounteren}}) |
      (overflowed               & {32{at_scountovf}})} |
    lcofi((lcofip_q && on_ip) || (lcofie_q && on_ie) || (mideleg_q && at_mideleg) || (hideleg_q && at_hideleg));

  // --- Write -------------------------------------------------------------------------------------------

  assign wdata_o      = written;
  assign counter_we_o = (writes && on_counter) ? (32'd1 << number) & Present : 32'd0;
  assign event_we_o   = (writes && on_event)   ? (32'd1 << number) & Events  : 32'd0;

  assign inhibit_d    = (writes && at_inhibit)    ? written[31:0] & InhibitMask : inhibit_q;
  assign mcounteren_d = (writes && at_mcounteren) ? written[31:0] & EnableMask  : mcounteren_q;
  assign scounteren_d = (writes && at_scounteren) ? written[31:0] & EnableMask  : scounteren_q;
  assign hcounteren_d = (writes && at_hcounteren) ? written[31:0] & EnableMask  : hcounteren_q;
  assign timedelta_d  = (writes && on_timedelta)  ? written                     : timedelta_q;
  assign cyclecfg_d   = (writes && on_cyclecfg)   ? written[hpm_reg_pkg::MinhLsb:hpm_reg_pkg::VuinhLsb] & Filters : cyclecfg_q;
  assign instretcfg_d = (writes && on_instretcfg) ? written[hpm_reg_pkg::MinhLsb:hpm_reg_pkg::VuinhLsb] & Filters : instretcfg_q;

  logic new_bit;

  assign new_bit   = written[hpm_reg_pkg::LcofiBit] && HasSscofpmf;
  assign lcofip_d  = ((writes && on_ip) ? new_bit : lcofip_q) || request_i;  // a clear does not lose a request
  assign lcofie_d  = (writes && on_ie)      ? new_bit                    : lcofie_q;
  assign mideleg_d = (writes && at_mideleg) ? new_bit                    : mideleg_q;
  assign hideleg_d = (writes && at_hideleg) ? new_bit && HasShlcofideleg : hideleg_q;

  logic unused;
  assign unused = ^{unused_op, unused_is_u, unused_after};

endmodule
