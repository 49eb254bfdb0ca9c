// SPDX-License-Identifier: Apache-2.0
// Hardware performance counters: mcycle, minstret, mhpmcounter3 to 31, with Sscofpmf, Smcntrpmf and Shlcofideleg.
//
// What they count and what every access gives is docs/reference/hpm-profile.md; how it is built, docs/reference/rtl-hpm.md.
module hpm
#(
  parameter int                 Xlen            = 64,  // 32 or 64
  parameter int                 NRetired        = 4,   // most instructions retired in a cycle: 1 to 8
  parameter int                 NEvents         = 8,   // external events: 1 to 61
  parameter int                 EventBits       = 2,   // bits of the count of each: 1 to 8
  parameter logic [31:0]        Counters        = 32'hFFFFFFF8,  // which of mhpmcounter3 to 31 exist
  parameter logic [32*7-1:0]    Widths          = {32{7'd64}},   // bits of counter n: 7*n +: 7
  parameter logic [32*64-1:0]   Selectors       = {32{64'hFFFFFFFFFFFFFFFF}},  // what it can count: 64*n +: 64, bit e selector e
  parameter logic [31:0]        Inhibit         = 32'hFFFFFFFF,  // implemented bits of mcountinhibit
  parameter bit                 HasU            = 1'b1,
  parameter bit                 HasS            = 1'b1,   // needs HasU
  parameter bit                 HasH            = 1'b1,   // needs HasS
  parameter bit                 HasSscofpmf     = 1'b1,
  parameter bit                 HasSmcntrpmf    = 1'b1,
  parameter bit                 HasShlcofideleg = 1'b1    // needs HasH and HasSscofpmf
) (
  input  logic                         clk_i,
  input  logic                         rst_ni,

  // The hart in this cycle.
  input  logic [2:0]                   priv_i,        // {V, PRV}, 7 is Debug Mode
  input  logic                         stopcount_i,   // in Debug Mode, with dcsr.stopcount
  input  logic                         cycle_i,       // 0: halted in WFI
  input  logic [3:0]                   retired_i,
  input  logic [NEvents*EventBits-1:0] events_i,      // event k in bits k*EventBits +: EventBits
  input  logic [63:0]                  time_i,

  // One access a cycle. The answer comes in the same cycle.
  input  logic                         csr_valid_i,
  input  logic [2:0]                   csr_op_i,      // 0 read, 1 write, 2 set, 3 clear
  input  logic [11:0]                  csr_addr_i,
  input  logic [Xlen-1:0]              csr_wdata_i,
  input  logic [2:0]                   csr_priv_i,    // as priv_i
  input  logic                         csr_xlen32_i,  // made at XLEN 32 (RV64 only)
  output logic [Xlen-1:0]              csr_rdata_o,   // before the access; 0 if it is refused
  output logic [1:0]                   csr_outcome_o, // 0 done, 1 illegal instruction, 2 virtual instruction

  output logic                         lcofi_o,       // mip.LCOFIP
  output logic                         lcofie_o,      // mie.LCOFIE

  // For checks.
  output logic [32*64-1:0]             counter_o,     // counter n: 64*n +: 64
  output logic [31:0]                  of_o
);

  localparam int RetiredBits = $clog2(NRetired + 1);
  localparam int CountBits   = (EventBits > RetiredBits) ? EventBits : RetiredBits;  // of the largest count
  localparam int Counts      = hpm_reg_pkg::SelectEvents + NEvents;
  localparam logic [hpm_pkg::InhibitBits-1:0] Inhibits = hpm_pkg::inhibits(HasU, HasS, HasH);

  // --- What happened, by selector ----------------------------------------------------------------------

  logic [Counts*CountBits-1:0]     counts;  // element k is selector k
  logic [hpm_pkg::InhibitBits-1:0] mode;

  function automatic logic [Counts*CountBits-1:0] by_selector(
    input logic cycle, input logic [RetiredBits-1:0] retired, input logic [NEvents*EventBits-1:0] happened);
    by_selector = '0;
    by_selector[CountBits*hpm_reg_pkg::SelectCycles]                 = cycle;
    by_selector[CountBits*hpm_reg_pkg::SelectRetired +: RetiredBits] = retired;
    for (int k = 0; k < NEvents; k++) begin
      by_selector[CountBits*(hpm_reg_pkg::SelectEvents+k) +: EventBits] = happened[EventBits*k +: EventBits];
    end
  endfunction

  assign mode   = hpm_pkg::inhibit_of(priv_i);
  assign counts = by_selector(cycle_i, retired_i[RetiredBits-1:0], events_i);

  logic unused_counts;  // bits that NRetired does without; all, if no counter can select
  assign unused_counts = ^{retired_i, counts};

  // --- Registers ---------------------------------------------------------------------------------------

  logic [31:0]                     counter_we, event_we, inhibit, stopped, request;
  logic [63:0]                     wdata;
  logic [32*64-1:0]                events;
  logic [hpm_pkg::InhibitBits-1:0] cyclecfg, instretcfg;

  assign stopped = inhibit | {32{stopcount_i}};

  hpm_csr #(
    .Xlen            (Xlen),
    .Counters        (Counters),
    .Inhibit         (Inhibit),
    .HasU            (HasU),
    .HasS            (HasS),
    .HasH            (HasH),
    .HasSscofpmf     (HasSscofpmf),
    .HasSmcntrpmf    (HasSmcntrpmf),
    .HasShlcofideleg (HasShlcofideleg)
  ) u_csr (
    .clk_i,
    .rst_ni,
    .time_i,
    .csr_valid_i,
    .csr_op_i,
    .csr_addr_i,
    .csr_wdata_i,
    .csr_priv_i,
    .csr_xlen32_i,
    .csr_rdata_o,
    .csr_outcome_o,
    .counter_i       (counter_o),
    .event_i         (events),
    .of_i            (of_o),
    .counter_we_o    (counter_we),
    .event_we_o      (event_we),
    .wdata_o         (wdata),
    .inhibit_o       (inhibit),
    .cyclecfg_o      (cyclecfg),
    .instretcfg_o    (instretcfg),
    .request_i       (request != 32'd0),
    .lcofi_o,
    .lcofie_o
  );

  // --- Counters ----------------------------------------------------------------------------------------

  for (genvar n = 0; n < 32; n++) begin : gen_counter
    localparam bit Programmable = (n >= hpm_reg_pkg::FirstCounter) && Counters[n];
    localparam bit Fixed        = (n == hpm_reg_pkg::CyBit) || (n == hpm_reg_pkg::IrBit);
    logic [63:0] counter;

    if (Programmable || Fixed) begin : gen_present
      localparam int Width = Programmable ? {25'd0, Widths[7*n +: 7]} : 64;

      logic [CountBits-1:0] count;
      logic                 overflow;

      hpm_counter #(
        .Width      (Width),
        .CountBits  (CountBits)
      ) u_counter (
        .clk_i,
        .rst_ni,
        .count_i    (count),
        .we_i       (counter_we[n]),
        .wdata_i    (wdata),
        .counter_o  (counter),
        .overflow_o (overflow)
      );

      if (Programmable) begin : gen_event
        hpm_event #(
          .Counts      (Counts),
          .CountBits   (CountBits),
          .Selectors   (Selectors[64*n +: 64]),
          .HasSscofpmf (HasSscofpmf),
          .Inhibits    (Inhibits)
        ) u_event (
          .clk_i,
          .rst_ni,
          .mode_i      (mode),
          .stopped_i   (stopped[n]),
          .counts_i    (counts),
          .count_o     (count),
          .overflow_i  (overflow),
          .we_i        (event_we[n]),
          .wdata_i     (wdata),
          .event_o     (events[64*n +: 64]),
          .of_o        (of_o[n]),
          .request_o   (request[n])
        );
      end else begin : gen_fixed
        localparam int Selector = (n == hpm_reg_pkg::CyBit) ? hpm_reg_pkg::SelectCycles : hpm_reg_pkg::SelectRetired;

        logic [hpm_pkg::InhibitBits-1:0] filters;

        assign filters = (n == hpm_reg_pkg::CyBit) ? cyclecfg : instretcfg;
        assign count   = (stopped[n] || ((filters & mode) != '0)) ? {CountBits{1'b0}} : counts[CountBits*Selector +: CountBits];

        logic unused_fixed;
        assign unused_fixed = overflow || event_we[n];
        assign events[64*n +: 64] = 64'd0;
        assign of_o[n]    = 1'b0;
        assign request[n] = 1'b0;
      end
    end else begin : gen_absent
      logic unused_absent;
      assign unused_absent = counter_we[n] || event_we[n] || stopped[n];
      assign counter            = 64'd0;
      assign events[64*n +: 64] = 64'd0;
      assign of_o[n]            = 1'b0;
      assign request[n]         = 1'b0;
    end
  end

  // At once: as an assignment for each, Icarus would wake whoever looks at the vector for each of them.
  assign counter_o = {
    gen_counter[31].counter, gen_counter[30].counter, gen_counter[29].counter, gen_counter[28].counter,
    gen_counter[27].counter, gen_counter[26].counter, gen_counter[25].counter, gen_counter[24].counter,
    gen_counter[23].counter, gen_counter[22].counter, gen_counter[21].counter, gen_counter[20].counter,
    gen_counter[19].counter, gen_counter[18].counter, gen_counter[17].counter, gen_counter[16].counter,
    gen_counter[15].counter, gen_counter[14].counter, gen_counter[13].counter, gen_counter[12].counter,
    gen_counter[11].counter, gen_counter[10].counter, gen_counter[9].counter, gen_counter[8].counter,
    gen_counter[7].counter, gen_counter[6].counter, gen_counter[5].counter, gen_counter[4].counter,
    gen_counter[3].counter, gen_counter[2].counter, gen_counter[1].counter, gen_counter[0].counter};

endmodule
