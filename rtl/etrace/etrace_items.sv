// SPDX-License-Identifier: Apache-2.0
// One beat through the E-Trace algorithm: docs/reference/etrace-profile.md from "Items" to "Loss".
//
// Holds the encoder's state and gives up to 2*NBlocks+1 descriptors (etrace_lane), registered, in slot order: two of
// each lane, and one of the last instruction before a trap, which is in the newest block.
module etrace_items
#(
  parameter int IAddressWidth   = 64,
  parameter int IAddressLsb     = 1,
  parameter int NBlocks         = 1,
  parameter int ContextBits     = 32,
  parameter int TimeBits        = 32,
  parameter int StampWidth      = 16,  // of the time of a support packet
  parameter int IRetireWidth    = 7,
  parameter int BpredSize       = 6,
  parameter int CacheSize       = 5,
  parameter int CallCounterSize = 0,
  parameter int ReturnStackSize = 4,
  parameter bit SijumpEn        = 1'b1,
  parameter int BcountBits      = 32,
  // Derived, do not set.
  parameter int NDesc      = 2*NBlocks + 1,
  parameter int AddrBits   = IAddressWidth - IAddressLsb,
  parameter int DepthBits  = (ReturnStackSize > 0) ? ReturnStackSize + 1 : (CallCounterSize > 0) ? CallCounterSize : 1,
  parameter int ItemBits   = etrace_layout_pkg::item_bits(ContextBits, TimeBits, IAddressWidth, AddrBits),
  parameter int StateBits  = etrace_layout_pkg::state_bits(DepthBits, IAddressWidth, AddrBits,
                                                           etrace_layout_pkg::branch_bits(BcountBits)),
  parameter int ReturnBits = DepthBits + ((ReturnStackSize > 0) ? (1 << ReturnStackSize)*AddrBits : 0),
  parameter int TableBits  = 2 << BpredSize,
  parameter int CacheBits  = (CacheSize > 0) ? (1 + AddrBits - CacheSize) << CacheSize : 1,
  parameter int ReportBits = etrace_layout_pkg::report_bits((CacheSize > 0) ? CacheSize : 1, ContextBits, TimeBits,
                                                            IAddressWidth, AddrBits),
  parameter int DescBits   = etrace_layout_pkg::desc_bits(StampWidth, ReportBits)
) (
  input  logic                             clk_i,
  input  logic                             rst_ni,

  // Levels of the beat.
  input  logic                             enable_i,
  input  logic                             inst_tracing_i,
  input  logic                             halted_i,
  input  logic                             in_reset_i,
  input  logic [5:0]                       options_i,

  input  logic                             draft_i,
  input  logic [1:0]                       sync_mode_i,
  input  logic [3:0]                       sync_max_i,

  // The beat is taken in this cycle; with drop_i, there is no room for its packets.
  input  logic                             accept_i,
  input  logic                             drop_i,

  input  logic [NBlocks*4-1:0]             ing_itype_i,
  input  logic [NBlocks*IAddressWidth-1:0] ing_iaddr_i,
  input  logic [NBlocks*IRetireWidth-1:0]  ing_iretire_i,
  input  logic [NBlocks-1:0]               ing_ilastsize_i,
  input  logic [NBlocks-1:0]               ing_sijump_i,
  input  logic [NBlocks-1:0]               ing_notify_i,   // watchpoints included
  input  logic [NBlocks-1:0]               qualified_i,    // by the filters
  input  logic [7:0]                       ing_cause_i,
  input  logic [IAddressWidth-1:0]         ing_tval_i,
  input  logic [2:0]                       ing_priv_i,
  input  logic [1:0]                       ing_ctype_i,
  input  logic [ContextBits-1:0]           ing_context_i,
  input  logic [TimeBits-1:0]              ing_time_i,

  output logic [NDesc-1:0]                 desc_valid_o,
  output logic [NDesc*DescBits-1:0]        desc_o,

  output logic                             lost_o,         // a support packet that tells of a loss is owed
  output logic                             overflow_o      // packets were lost
);

  localparam int CountBits = trace_pkg::SyncCountBits;
  localparam int OnceBits  = etrace_layout_pkg::item_once_bits(ContextBits, TimeBits, IAddressWidth);
  localparam int AddrAt    = etrace_layout_pkg::item_addr(ContextBits, TimeBits, IAddressWidth);
  localparam int RestBits  = etrace_layout_pkg::state_rest_bits(DepthBits, IAddressWidth, AddrBits,
                                                                etrace_layout_pkg::branch_bits(BcountBits));
  localparam logic [ItemBits-1:0] TrapBit = {{(ItemBits-1){1'b0}}, 1'b1} << etrace_layout_pkg::ItemTrap;

  // The state between beats. waits_q: the item in wait_q waits for the next one.
  logic                  enable_q, lost_q, waits_q, prev_valid_q;
  logic [5:0]            options_q;
  logic [ItemBits-1:0]   wait_q;
  logic [RestBits-1:0]   state_q;    // all but the validity of the previous item
  logic [ReturnBits-1:0] returns_q;
  logic [TableBits-1:0]  table_q;
  logic [CacheBits-1:0]  cache_q;
  logic [CountBits-1:0]  since_sync_q, since_wait_q;

  // What the levels do. Nothing is known of the beats before while packets are lost.
  logic tracing, resume, active, changed, ends, support;
  assign tracing = enable_i && inst_tracing_i && !halted_i && !in_reset_i;
  assign resume  = lost_q && !drop_i;
  assign active  = tracing && (!lost_q || resume);
  assign changed = enable_i && enable_q && (options_i != options_q);
  assign ends    = waits_q && (!tracing || changed);
  assign support = resume || (!lost_q && ((enable_i && !enable_q) || changed || (!enable_i && enable_q && !waits_q)));

  // How the beat reports its context. The draft has no code for "unreported": a code counts where the context is not that
  // of the item before. (A first item needs none: it is a sync.) A notification asks for the first instruction's address.
  logic                   moved, notification;
  logic [ContextBits-1:0] context_before;
  logic [1:0]             ctype;
  assign context_before = wait_q[etrace_layout_pkg::ItemContext +: ContextBits];
  assign moved          = waits_q && (ing_context_i != context_before);
  assign ctype          = !draft_i ? ing_ctype_i : moved ? etrace_pkg::draft_ctype(ing_ctype_i) : etrace_pkg::CtypeUnreported;
  assign notification   = draft_i && moved && (ing_ctype_i == etrace_pkg::DraftCtypeNotification);

  // What items have once a cycle.
  localparam int OnceAt    = etrace_layout_pkg::ItemPriv;
  localparam int CauseAt   = etrace_layout_pkg::ItemCause - OnceAt;
  localparam int ContextAt = etrace_layout_pkg::ItemContext - OnceAt;
  localparam int TimeAt    = etrace_layout_pkg::item_time(ContextBits) - OnceAt;
  localparam int TvalAt    = etrace_layout_pkg::item_tval(ContextBits, TimeBits) - OnceAt;
  logic [OnceBits-1:0] once;
  always_comb begin : join_row
    logic [OnceBits-1:0] row;
    row[0 +: 3]                   = ing_priv_i;
    row[CauseAt +: 8]             = ing_cause_i;
    row[ContextAt +: ContextBits] = ing_context_i;
    row[TimeAt +: TimeBits]       = ing_time_i;
    row[TvalAt +: IAddressWidth]  = ing_tval_i;
    once = row;
  end

  logic [NBlocks-1:0] trapped, trapped_interrupt;

  for (genvar k = 0; k < NBlocks; k++) begin : gen_lane
    logic                  waits_in, waits_out;
    logic [ItemBits-1:0]   wait_in, wait_out;
    logic [CountBits-1:0]  since_wait_in, since_wait_out, since_sync_in, since_sync_out, total_in, total_out;
    logic                  synced_in, synced_out;
    logic [3:0]            packets_in, packets_out;
    logic [15:0]           dues_in, dues_out;
    logic [StateBits-1:0]  state_in, state_out;
    logic [ReturnBits-1:0] returns_in, returns_out;
    logic [TableBits-1:0]  table_in, table_out;
    logic [CacheBits-1:0]  cache_in, cache_out;
    logic                  lane_ends, lane_support;
    logic [5:0]            lane_options;
    logic [1:0]            lane_ctype;
    logic                  lane_notify;

    if (k == 0) begin : gen_first
      assign waits_in      = waits_q;
      assign wait_in       = wait_q;
      assign since_wait_in = since_wait_q;
      assign total_in      = since_sync_q;
      assign synced_in     = 1'b0;
      assign since_sync_in = '0;
      assign packets_in    = '0;
      assign dues_in       = trace_pkg::sync_dues(sync_mode_i, sync_max_i, since_sync_q);
      assign state_in[etrace_layout_pkg::StateValid]           = prev_valid_q;
      assign state_in[etrace_layout_pkg::StateTrap +: RestBits] = state_q;
      assign returns_in    = returns_q;
      assign table_in      = table_q;
      assign cache_in      = cache_q;
      assign lane_ends     = ends;
      assign lane_support  = support;
      assign lane_options  = options_q;
      assign lane_ctype    = ctype;
      assign lane_notify   = notification;
    end else begin : gen_next
      assign waits_in      = gen_lane[k-1].waits_out;
      assign wait_in       = gen_lane[k-1].wait_out;
      assign since_wait_in = gen_lane[k-1].since_wait_out;
      assign total_in      = gen_lane[k-1].total_out;
      assign synced_in     = gen_lane[k-1].synced_out;
      assign since_sync_in = gen_lane[k-1].since_sync_out;
      assign packets_in    = gen_lane[k-1].packets_out;
      assign dues_in       = gen_lane[k-1].dues_out;
      assign state_in      = gen_lane[k-1].state_out;
      assign returns_in    = gen_lane[k-1].returns_out;
      assign table_in      = gen_lane[k-1].table_out;
      assign cache_in      = gen_lane[k-1].cache_out;
      assign lane_ends     = 1'b0;
      assign lane_support  = 1'b0;
      assign lane_options  = options_i;
      assign lane_ctype    = etrace_pkg::CtypeUnreported;
      assign lane_notify   = 1'b0;
    end

    logic                  trapped_out;
    logic [1:0]            valid;
    logic [2*DescBits-1:0] desc;

    etrace_lane #(
      .IAddressWidth   (IAddressWidth),
      .IAddressLsb     (IAddressLsb),
      .ContextBits     (ContextBits),
      .TimeBits        (TimeBits),
      .StampWidth      (StampWidth),
      .IRetireWidth    (IRetireWidth),
      .BpredSize       (BpredSize),
      .CacheSize       (CacheSize),
      .CallCounterSize (CallCounterSize),
      .ReturnStackSize (ReturnStackSize),
      .SijumpEn        (SijumpEn),
      .BcountBits      (BcountBits)
    ) u_lane (
      .draft_i,
      .options_wait_i (lane_options),
      .options_i,
      .sync_mode_i,
      .sync_max_i,
      .active_i       (active),
      .enable_i,
      .end_i          (lane_ends),
      .support_i      (lane_support),
      .support_lost_i (lost_q),
      .itype_i        (ing_itype_i[4*k +: 4]),
      .iaddr_i        (ing_iaddr_i[IAddressWidth*k +: IAddressWidth]),
      .iretire_i      (ing_iretire_i[IRetireWidth*k +: IRetireWidth]),
      .ilastsize_i    (ing_ilastsize_i[k]),
      .sijump_i       (ing_sijump_i[k]),
      .notify_i       (ing_notify_i[k]),
      .qualified_i    (qualified_i[k]),
      .once_i         (once),
      .ctype_i        (lane_ctype),
      .notification_i (lane_notify),
      .waits_i        (waits_in),
      .waits_o        (waits_out),
      .wait_i         (wait_in),
      .wait_o         (wait_out),
      .since_wait_i   (since_wait_in),
      .since_wait_o   (since_wait_out),
      .total_i        (total_in),
      .total_o        (total_out),
      .synced_i       (synced_in),
      .synced_o       (synced_out),
      .since_sync_i   (since_sync_in),
      .since_sync_o   (since_sync_out),
      .packets_i      (packets_in),
      .packets_o      (packets_out),
      .dues_i         (dues_in),
      .dues_o         (dues_out),
      .state_i        (state_in),
      .state_o        (state_out),
      .returns_i      (returns_in),
      .returns_o      (returns_out),
      .table_i        (table_in),
      .table_o        (table_out),
      .cache_i        (cache_in),
      .cache_o        (cache_out),
      .trapped_o      (trapped_out),
      .valid_o        (valid),
      .desc_o         (desc)
    );

    assign trapped[k]           = trapped_out;
    assign trapped_interrupt[k] = trapped_out && (ing_itype_i[4*k +: 4] == trace_pkg::ItypeInterrupt);
  end

  // The last instruction before a trap, with the trap next to it; then the trap waits. Its address is of no use: the
  // EPC follows from an instruction that was reported.
  logic                  trap, sync_trap, report_trap, trap_explicit;
  logic [2:0]            packets_trap;
  logic [3:0]            trap_itype;
  logic [ReportBits-1:0] trap_report;
  logic [StateBits-1:0]  state;
  logic [ReturnBits-1:0] returns;
  logic [TableBits-1:0]  predictor;
  logic [CacheBits-1:0]  cache;
  logic [ItemBits-1:0]   wait_trap;

  assign trap       = |trapped;
  assign trap_itype = (|trapped_interrupt) ? trace_pkg::ItypeInterrupt : trace_pkg::ItypeException;

  assign wait_trap[etrace_layout_pkg::ItemTrap]                                        = 1'b1;
  assign wait_trap[etrace_layout_pkg::ItemItype +: 4]                                  = trap_itype;
  assign wait_trap[etrace_layout_pkg::ItemFollows +: etrace_layout_pkg::ItemFlagsBits] = '0;
  assign wait_trap[etrace_layout_pkg::ItemPriv +: OnceBits]                            = once;
  assign wait_trap[AddrAt +: AddrBits]                                                 = '0;

  etrace_item #(
    .IAddressWidth   (IAddressWidth),
    .IAddressLsb     (IAddressLsb),
    .ContextBits     (ContextBits),
    .TimeBits        (TimeBits),
    .BpredSize       (BpredSize),
    .CacheSize       (CacheSize),
    .CallCounterSize (CallCounterSize),
    .ReturnStackSize (ReturnStackSize),
    .SijumpEn        (SijumpEn),
    .BcountBits      (BcountBits)
  ) u_trap (
    .draft_i,
    .options_i,
    .treat_i        (trap),
    .item_i         (gen_lane[NBlocks-1].wait_out & ~TrapBit),  // an instruction
    .next_trap_i    (1'b1),
    .next_none_i    (1'b0),
    .next_priv_i    (ing_priv_i),
    .next_ctype_i   (2'd0),
    .state_i        (gen_lane[NBlocks-1].state_out),
    .state_o        (state),
    .returns_i      (gen_lane[NBlocks-1].returns_out),
    .returns_o      (returns),
    .table_i        (gen_lane[NBlocks-1].table_out),
    .table_o        (predictor),
    .cache_i        (gen_lane[NBlocks-1].cache_out),
    .cache_o        (cache),
    .sync_o         (sync_trap),
    .packets_o      (packets_trap),
    .explicit_o     (trap_explicit),
    .report_valid_o (report_trap),
    .report_o       (trap_report)
  );

  // The descriptors, and whether they are lost: all of a beat or none.
  logic [NDesc-1:0]          beat_valid;
  logic [NDesc*DescBits-1:0] beat_desc;
  logic                      lose;
  localparam int DescReportAt = etrace_layout_pkg::desc_report(StampWidth);

  for (genvar k = 0; k < NBlocks; k++) begin : gen_slots
    assign beat_valid[2*k +: 2]                   = gen_lane[k].valid;
    assign beat_desc[2*DescBits*k +: 2*DescBits] = gen_lane[k].desc;
  end
  assign beat_valid[NDesc-1] = report_trap;
  assign beat_desc[DescBits*(NDesc-1) +: DescBits] = {trap_report, {DescReportAt{1'b0}}};

  assign lose = accept_i && drop_i && (|beat_valid);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      enable_q     <= 1'b0;
      options_q    <= '0;
      lost_q       <= 1'b0;
      waits_q      <= 1'b0;
      prev_valid_q <= 1'b0;
    end else if (accept_i) begin
      enable_q     <= enable_i;
      options_q    <= options_i;
      lost_q       <= lose || (lost_q && !resume);
      waits_q      <= gen_lane[NBlocks-1].waits_out && !lose;
      prev_valid_q <= state[etrace_layout_pkg::StateValid] && !lose;
    end
  end

  // Nothing of this is read before the first item of a trace has written it.
  always_ff @(posedge clk_i) begin
    if (accept_i) begin
      wait_q    <= trap ? wait_trap : gen_lane[NBlocks-1].wait_out;
      state_q   <= state[etrace_layout_pkg::StateTrap +: RestBits];
      returns_q <= returns;
      table_q   <= predictor;
      cache_q   <= cache;
    end
  end

  // Since the last sync, after the last instruction before a trap. Clock cycles count whether the beat is taken or not.
  logic [CountBits-1:0] since_sync_d, since_wait_d, since_beat;
  logic [3:0]           packets_beat;

  assign since_beat   = gen_lane[NBlocks-1].synced_out ? gen_lane[NBlocks-1].since_sync_out : gen_lane[NBlocks-1].total_out;
  assign packets_beat = (sync_trap ? 4'd0 : gen_lane[NBlocks-1].packets_out) + etrace_item_pkg::number(packets_trap);

  trace_sync_count #(
    .StepBits (CountBits)
  ) u_since_sync (
    .mode_i      (sync_mode_i),
    .clear_i     (accept_i && sync_trap),
    .messages_i  (accept_i ? packets_beat : 4'd0),
    .cycles_i    ({{(CountBits-1){1'b0}}, 1'b1}),
    .halfwords_i ((accept_i && sync_trap) ? gen_lane[NBlocks-1].since_wait_out : {CountBits{1'b0}}),
    .count_i     (accept_i ? since_beat : since_sync_q),
    .count_o     (since_sync_d)
  );

  trace_sync_count u_since_wait (
    .mode_i      (sync_mode_i),
    .clear_i     (1'b0),
    .messages_i  (4'd0),
    .cycles_i    ({{(CountBits-1){1'b0}}, 1'b1}),
    .halfwords_i (8'd0),
    .count_i     (accept_i ? gen_lane[NBlocks-1].since_wait_out : since_wait_q),
    .count_o     (since_wait_d)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      since_sync_q <= '0;
      since_wait_q <= '0;
    end else begin
      since_sync_q <= since_sync_d;
      since_wait_q <= since_wait_d;
    end
  end

  // The descriptors leave through a register: it parts the algorithm's path from the queue's.
  logic overflow_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      desc_valid_o <= '0;
      overflow_q   <= 1'b0;
    end else begin
      desc_valid_o <= (accept_i && !drop_i) ? beat_valid : {NDesc{1'b0}};
      overflow_q   <= lose;
    end
  end

  always_ff @(posedge clk_i) begin
    if (accept_i) desc_o <= beat_desc;
  end

  assign lost_o     = lost_q;
  assign overflow_o = overflow_q;

  logic unused;  // a trap follows; no lane does
  assign unused = ^{trap_explicit, gen_lane[NBlocks-1].dues_out};

endmodule
