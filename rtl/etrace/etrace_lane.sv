// SPDX-License-Identifier: Apache-2.0
// One block through the E-Trace algorithm: its items, oldest first. Combinational.
//
// Treats the item that waits for the next one, then the block's first instruction if it has several. The block's
// last instruction waits in turn, or its trap if it has no instruction. Lanes chain, lane 0 (the oldest block) first;
// that one also ends a trace without a block, and has room for a support packet between what ends and what begins.
module etrace_lane
#(
  parameter int IAddressWidth   = 64,
  parameter int IAddressLsb     = 1,
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
  // Derived, do not set: those of etrace_item, and what is sent: a report between two support packets.
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
  parameter int DescBits   = etrace_layout_pkg::desc_bits(StampWidth, ReportBits),
  parameter int OnceBits   = etrace_layout_pkg::item_once_bits(ContextBits, TimeBits, IAddressWidth)
) (
  input  logic                     draft_i,
  input  logic [5:0]               options_wait_i,  // in force for the item that waits
  input  logic [5:0]               options_i,
  input  logic [1:0]               sync_mode_i,
  input  logic [3:0]               sync_max_i,

  input  logic                     active_i,        // blocks of this beat are traced
  input  logic                     enable_i,
  input  logic                     end_i,           // the trace ends before the block
  input  logic                     support_i,       // then comes a support packet
  input  logic                     support_lost_i,  // that tells of a loss

  // The block, and what its cycle has once.
  input  logic [3:0]               itype_i,
  input  logic [IAddressWidth-1:0] iaddr_i,
  input  logic [IRetireWidth-1:0]  iretire_i,
  input  logic                     ilastsize_i,
  input  logic                     sijump_i,
  input  logic                     notify_i,
  input  logic                     qualified_i,     // by the filters
  input  logic [OnceBits-1:0]      once_i,          // etrace_layout_pkg, "item": priv to tval
  input  logic [1:0]               ctype_i,         // 0 in lanes that are not the first; in codes of 2.0
  input  logic                     notification_i,  // draft: report the first instruction of this block

  // The item that waits, and what the sync count is if that is a sync. The sync count of the beat: with the half-words
  // of its blocks; whether there was a sync in it; since that, and packets since that or the start.
  input  logic                                waits_i,
  output logic                                waits_o,
  input  logic [ItemBits-1:0]                 wait_i,
  output logic [ItemBits-1:0]                 wait_o,
  input  logic [trace_pkg::SyncCountBits-1:0] since_wait_i,
  output logic [trace_pkg::SyncCountBits-1:0] since_wait_o,
  input  logic [trace_pkg::SyncCountBits-1:0] total_i,
  output logic [trace_pkg::SyncCountBits-1:0] total_o,
  input  logic                                synced_i,
  output logic                                synced_o,
  input  logic [trace_pkg::SyncCountBits-1:0] since_sync_i,
  output logic [trace_pkg::SyncCountBits-1:0] since_sync_o,
  input  logic [3:0]                          packets_i,
  output logic [3:0]                          packets_o,
  input  logic [15:0]                         dues_i,         // trace_pkg::sync_dues
  output logic [15:0]                         dues_o,

  input  logic [StateBits-1:0]     state_i,
  output logic [StateBits-1:0]     state_o,
  input  logic [ReturnBits-1:0]    returns_i,
  output logic [ReturnBits-1:0]    returns_o,
  input  logic [TableBits-1:0]     table_i,
  output logic [TableBits-1:0]     table_o,
  input  logic [CacheBits-1:0]     cache_i,
  output logic [CacheBits-1:0]     cache_o,

  output logic                     trapped_o,       // a trap is next to the last instruction

  // Slot 0: the item that waited, and the end of a trace. Slot 1: a support packet, and the block's first instruction.
  output logic [1:0]               valid_o,
  output logic [2*DescBits-1:0]    desc_o
);

  localparam int CountBits = trace_pkg::SyncCountBits;
  localparam int StepBits  = IRetireWidth + 1;
  localparam int AddrAt    = etrace_layout_pkg::item_addr(ContextBits, TimeBits, IAddressWidth);
  localparam int TimeAt    = etrace_layout_pkg::item_time(ContextBits) - etrace_layout_pkg::ItemPriv;  // in once_i

  wire [2:0]  privilege = once_i[0 +: 3];
  wire [StampWidth-1:0] now = once_i[TimeAt +: StampWidth];

  // The block and its items. A trap without an instruction has the EPC of an exception.
  logic       trap, present, block, outside, instructions, several, exception_only;
  logic [3:0] itype;
  assign trap           = trace_pkg::is_trap(itype_i);
  assign itype          = etrace_item_pkg::known_itype(draft_i, itype_i);
  assign present        = active_i && ((iretire_i != '0) || trap);
  assign block          = present && qualified_i;
  assign outside        = present && !qualified_i;
  assign instructions   = block && (iretire_i != '0);
  assign several        = instructions && (iretire_i > {{(IRetireWidth-2){1'b0}}, ilastsize_i, !ilastsize_i});
  assign exception_only = (iretire_i == '0) && (itype_i == trace_pkg::ItypeException);
  assign trapped_o      = instructions && trap;

  logic [IAddressWidth-1:0] last_offset, last_iaddr;
  assign last_offset = {{(IAddressWidth-IRetireWidth-1){1'b0}}, iretire_i, 1'b0} -
                       {{(IAddressWidth-3){1'b0}}, ilastsize_i, !ilastsize_i, 1'b0};
  assign last_iaddr  = iaddr_i + last_offset;

  // What waited, with the block or nothing next to it.
  logic                  treat_wait, none, sync_wait, wait_explicit, report_wait;
  logic [2:0]            packets_wait;
  logic [ReportBits-1:0] wait_report;
  logic [StateBits-1:0]  state;
  logic [ReturnBits-1:0] returns;
  logic [TableBits-1:0]  predictor;
  logic [CacheBits-1:0]  cache;

  assign none       = end_i || outside;
  assign treat_wait = waits_i && (none || block);

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
  ) u_wait (
    .draft_i,
    .options_i      (options_wait_i),
    .treat_i        (treat_wait),
    .item_i         (wait_i),
    .next_trap_i    (!none && !instructions),
    .next_none_i    (none),
    .next_priv_i    (privilege),
    .next_ctype_i   (ctype_i),
    .state_i,
    .state_o        (state),
    .returns_i,
    .returns_o      (returns),
    .table_i,
    .table_o        (predictor),
    .cache_i,
    .cache_o        (cache),
    .sync_o         (sync_wait),
    .packets_o      (packets_wait),
    .explicit_o     (wait_explicit),
    .report_valid_o (report_wait),
    .report_o       (wait_report)
  );

  // The first of several instructions; another one is next to it.
  logic                  sync_first, report_first, first_explicit;
  logic [2:0]            packets_first;
  logic [ReportBits-1:0] first_report;
  logic [ItemBits-1:0]   first_item;
  wire  [AddrBits-1:0]   first_addr = iaddr_i[IAddressWidth-1:IAddressLsb];

  // A block with a local vector: Icarus joins nets that are assigned by parts more slowly.
  always_comb begin : join_first
    logic [ItemBits-1:0] first;
    first[etrace_layout_pkg::ItemTrap]              = 1'b0;
    first[etrace_layout_pkg::ItemItype +: 4]        = trace_pkg::ItypeNone;
    first[etrace_layout_pkg::ItemFollows]           = 1'b0;
    first[etrace_layout_pkg::ItemSijump]            = 1'b0;
    first[etrace_layout_pkg::ItemNotify]            = notification_i;
    first[etrace_layout_pkg::ItemDue]               = 1'b0;
    first[etrace_layout_pkg::ItemCtype +: 2]        = ctype_i;
    first[etrace_layout_pkg::ItemLongLast]          = 1'b0;
    first[etrace_layout_pkg::ItemPriv +: OnceBits]  = once_i;
    first[AddrAt +: AddrBits]                       = first_addr;
    first_item = first;
  end

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
  ) u_first (
    .draft_i,
    .options_i,
    .treat_i        (several),
    .item_i         (first_item),
    .next_trap_i    (1'b0),
    .next_none_i    (1'b0),
    .next_priv_i    (privilege),
    .next_ctype_i   (2'd0),
    .state_i        (state),
    .state_o,
    .returns_i      (returns),
    .returns_o,
    .table_i        (predictor),
    .table_o,
    .cache_i        (cache),
    .cache_o,
    .sync_o         (sync_first),
    .packets_o      (packets_first),
    .explicit_o     (first_explicit),
    .report_valid_o (report_first),
    .report_o       (first_report)
  );

  // Since the last sync. In half-words it begins with the block of the sync, in cycles with that of its item. Which item was
  // the sync is known late: whether one is due is worked out for each case. A beat has at most 12 packets: one of each
  // item, two contexts and a count (the next would need 31 branches).
  logic                 by_halfwords;
  logic [CountBits-1:0] halfwords, iretire, wait_halfwords, since_wait, since_first, since_before;
  logic [3:0]           packets_before;
  logic [15:0]          dues_before;

  assign by_halfwords   = (sync_mode_i == trace_pkg::SyncModeHalfwords);
  assign iretire        = {{(CountBits-IRetireWidth){1'b0}}, iretire_i};
  assign halfwords      = (block && by_halfwords) ? iretire : {CountBits{1'b0}};
  assign wait_halfwords = {{(CountBits-StepBits){1'b0}}, since_wait_i[StepBits-1:0]};
  assign total_o        = total_i[CountBits-1] ? total_i : total_i + halfwords;
  assign since_before   = since_sync_i + halfwords;
  assign since_wait     = by_halfwords ? wait_halfwords + halfwords : since_wait_i;
  assign since_first    = halfwords;

  assign synced_o       = synced_i || sync_wait || sync_first;
  assign since_sync_o   = sync_first ? since_first : sync_wait ? since_wait : since_before;
  assign packets_before = (sync_wait ? 4'd0 : packets_i) + etrace_item_pkg::number(packets_wait);
  assign packets_o      = (sync_first ? 4'd0 : packets_before) + etrace_item_pkg::number(packets_first);
  assign dues_before    = etrace_item_pkg::dues_after(dues_i, sync_wait, packets_wait);
  assign dues_o         = etrace_item_pkg::dues_after(dues_before, sync_first, packets_first);

  assign since_wait_o = !block                                        ? since_wait_i :
                        (sync_mode_i == trace_pkg::SyncModeHalfwords) ? iretire
                                                                      : {CountBits{1'b0}};

  // What waits from now on: the last instruction, or the trap if there is no instruction.
  logic                     due;
  logic [IAddressWidth-1:0] epc;
  logic [ItemBits-1:0]      item;

  assign due       = sync_first ? trace_pkg::sync_due(sync_mode_i, sync_max_i, since_first) :
                     sync_wait  ? trace_pkg::sync_due(sync_mode_i, sync_max_i, since_wait) :
                     synced_i   ? trace_pkg::sync_due(sync_mode_i, sync_max_i, since_before) :
                     (sync_mode_i == trace_pkg::SyncModeMessages) ? dues_o[0]
                                                                  : trace_pkg::sync_due(sync_mode_i, sync_max_i, total_o);
  assign epc       = exception_only ? iaddr_i : {IAddressWidth{1'b0}};

  wire [AddrBits-1:0] last_addr = instructions ? last_iaddr[IAddressWidth-1:IAddressLsb] : epc[IAddressWidth-1:IAddressLsb];
  always_comb begin : join_last
    logic [ItemBits-1:0] last;
    last[etrace_layout_pkg::ItemTrap]             = !instructions;
    last[etrace_layout_pkg::ItemItype +: 4]       = (instructions && trap) ? trace_pkg::ItypeNone : itype;
    last[etrace_layout_pkg::ItemFollows]          = several;
    last[etrace_layout_pkg::ItemSijump]           = sijump_i;
    last[etrace_layout_pkg::ItemNotify]           = notify_i || (notification_i && !several);
    last[etrace_layout_pkg::ItemDue]              = due;
    last[etrace_layout_pkg::ItemCtype +: 2]       = several ? 2'd0 : ctype_i;
    last[etrace_layout_pkg::ItemLongLast]         = ilastsize_i;
    last[etrace_layout_pkg::ItemPriv +: OnceBits] = once_i;
    last[AddrAt +: AddrBits]                      = last_addr;
    item = last;
  end

  assign waits_o = block || (waits_i && !none);
  assign wait_o  = block ? item : wait_i;

  // A trace that ends takes its support packet along.
  logic       ended;
  logic [1:0] qual_ended, qual_support;
  assign ended        = waits_i && none;
  assign qual_ended   = wait_explicit ? etrace_pkg::QualEndedNtr : etrace_pkg::QualEndedRep;
  assign qual_support = support_lost_i ? etrace_pkg::QualTraceLost : etrace_pkg::QualNoChange;

  assign valid_o = {support_i || report_first, report_wait || ended};

  localparam int DescReportAt = etrace_layout_pkg::desc_report(StampWidth);
  function automatic logic [DescBits-1:0] desc(input logic first, input logic last, input logic ienable,
                                               input logic [1:0] qual, input logic [StampWidth-1:0] at,
                                               input logic [ReportBits-1:0] report);
    desc[etrace_layout_pkg::DescBefore]                     = first;
    desc[etrace_layout_pkg::DescAfter]                      = last;
    desc[etrace_layout_pkg::DescIenable]                    = ienable;
    desc[etrace_layout_pkg::DescQual +: 2]                  = qual;
    desc[etrace_layout_pkg::DescSupportTime +: StampWidth]  = at;
    desc[DescReportAt +: ReportBits]                        = report;
  endfunction

  assign desc_o = {desc(support_i, 1'b0, enable_i, qual_support, now, first_report),
                   desc(1'b0, ended, enable_i, qual_ended, now, wait_report)};

  logic unused;  // the first of several is never the last item; addresses end at bit IAddressLsb
  assign unused = ^{first_explicit, last_iaddr, epc};

endmodule
