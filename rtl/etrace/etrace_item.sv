// SPDX-License-Identifier: Apache-2.0
// One item through the E-Trace algorithm ("Items" to "Packets" in docs/reference/etrace-profile.md). Combinational.
//
// Takes the state before the item, gives the state after it and at most one report: a packet, with a context packet
// before it or alone (etrace_sequence makes packets of reports). Items chain by their states, the oldest first. Without
// treat_i the state passes unchanged.
module etrace_item
#(
  parameter int IAddressWidth   = 64,
  parameter int IAddressLsb     = 1,
  parameter int ContextBits     = 32,
  parameter int TimeBits        = 32,
  parameter int BpredSize       = 6,
  parameter int CacheSize       = 5,
  parameter int CallCounterSize = 0,
  parameter int ReturnStackSize = 4,
  parameter bit SijumpEn        = 1'b1,
  parameter int BcountBits      = 32,
  // Derived, do not set.
  parameter int AddrBits   = IAddressWidth - IAddressLsb,
  parameter int DepthBits  = (ReturnStackSize > 0) ? ReturnStackSize + 1 : (CallCounterSize > 0) ? CallCounterSize : 1,
  parameter int IndexBits  = (CacheSize > 0) ? CacheSize : 1,
  parameter int ItemBits   = etrace_layout_pkg::item_bits(ContextBits, TimeBits, IAddressWidth, AddrBits),
  parameter int StateBits  = etrace_layout_pkg::state_bits(DepthBits, IAddressWidth, AddrBits,
                                                           etrace_layout_pkg::branch_bits(BcountBits)),
  parameter int ReturnBits = DepthBits + ((ReturnStackSize > 0) ? (1 << ReturnStackSize)*AddrBits : 0),
  parameter int TableBits  = 2 << BpredSize,
  parameter int CacheBits  = (CacheSize > 0) ? (1 + AddrBits - CacheSize) << CacheSize : 1,
  parameter int ReportBits = etrace_layout_pkg::report_bits(IndexBits, ContextBits, TimeBits, IAddressWidth, AddrBits)
) (
  input  logic                  draft_i,
  input  logic [5:0]            options_i,     // in force for the item

  // The item, the state and the report: etrace_layout_pkg; the other states are those of their modules.
  input  logic                  treat_i,
  input  logic [ItemBits-1:0]   item_i,

  // What is next to it: a trap, nothing, or else an instruction.
  input  logic                  next_trap_i,
  input  logic                  next_none_i,
  input  logic [2:0]            next_priv_i,
  input  logic [1:0]            next_ctype_i,  // 0 if it is not first in its cycle

  input  logic [StateBits-1:0]  state_i,
  output logic [StateBits-1:0]  state_o,
  input  logic [ReturnBits-1:0] returns_i,
  output logic [ReturnBits-1:0] returns_o,
  input  logic [TableBits-1:0]  table_i,
  output logic [TableBits-1:0]  table_o,
  input  logic [CacheBits-1:0]  cache_i,
  output logic [CacheBits-1:0]  cache_o,

  output logic                  sync_o,        // a 3.0 or 3.1
  output logic [2:0]            packets_o,     // packets that are no sync: context, count ahead, packet
  output logic                  explicit_o,    // the item's packet would have been sent if trace had not ended

  output logic                  report_valid_o,
  output logic [ReportBits-1:0] report_o
);

  localparam int BranchBits = etrace_layout_pkg::branch_bits(BcountBits);
  localparam bit HasStack   = (ReturnStackSize > 0);
  localparam bit HasReturns = HasStack || (CallCounterSize > 0);

  // Fields whose place depends on parameters.
  localparam int TimeAt          = etrace_layout_pkg::item_time(ContextBits);
  localparam int TvalAt          = etrace_layout_pkg::item_tval(ContextBits, TimeBits);
  localparam int AddrAt          = etrace_layout_pkg::item_addr(ContextBits, TimeBits, IAddressWidth);
  localparam int PrevTvalAt      = etrace_layout_pkg::state_tval(DepthBits);
  localparam int PrevTopAt       = etrace_layout_pkg::state_top(DepthBits, IAddressWidth);
  localparam int BranchesAt      = etrace_layout_pkg::state_branches(DepthBits, IAddressWidth, AddrBits);
  localparam int ReportContextAt = etrace_layout_pkg::report_context(IndexBits);
  localparam int ReportTimeAt    = etrace_layout_pkg::report_time(IndexBits, ContextBits);
  localparam int ReportValueAt   = etrace_layout_pkg::report_value(IndexBits, ContextBits, TimeBits);
  localparam int ReportAddrAt    = etrace_layout_pkg::report_addr(IndexBits, ContextBits, TimeBits, IAddressWidth);

  // The item.
  wire                     trap         = item_i[etrace_layout_pkg::ItemTrap];
  wire [3:0]               itype        = item_i[etrace_layout_pkg::ItemItype +: 4];
  wire                     follows      = item_i[etrace_layout_pkg::ItemFollows];
  wire                     sijump       = item_i[etrace_layout_pkg::ItemSijump];
  wire                     notify_asked = item_i[etrace_layout_pkg::ItemNotify];
  wire                     due          = item_i[etrace_layout_pkg::ItemDue];
  wire [1:0]               ctype        = item_i[etrace_layout_pkg::ItemCtype +: 2];
  wire                     long_last    = item_i[etrace_layout_pkg::ItemLongLast];
  wire [2:0]               privilege    = item_i[etrace_layout_pkg::ItemPriv +: 3];
  wire [7:0]               cause        = item_i[etrace_layout_pkg::ItemCause +: 8];
  wire [ContextBits-1:0]   context_id   = item_i[etrace_layout_pkg::ItemContext +: ContextBits];
  wire [TimeBits-1:0]      now          = item_i[TimeAt +: TimeBits];
  wire [IAddressWidth-1:0] tval         = item_i[TvalAt +: IAddressWidth];
  wire [AddrBits-1:0]      addr         = item_i[AddrAt +: AddrBits];

  // The state before it.
  wire                     prev_valid     = state_i[etrace_layout_pkg::StateValid];
  wire                     prev_trap      = state_i[etrace_layout_pkg::StateTrap];
  wire                     prev_reported  = state_i[etrace_layout_pkg::StateReported];
  wire                     prev_interrupt = state_i[etrace_layout_pkg::StateInterrupt];
  wire                     prev_jump      = state_i[etrace_layout_pkg::StateJump];
  wire                     prev_popped    = state_i[etrace_layout_pkg::StatePopped];
  wire                     prev_resync    = state_i[etrace_layout_pkg::StateResync];
  wire [2:0]               prev_privilege = state_i[etrace_layout_pkg::StatePrivilege +: 3];
  wire [7:0]               prev_cause     = state_i[etrace_layout_pkg::StateCause +: 8];
  wire                     ret_open       = state_i[etrace_layout_pkg::StateRetOpen];
  wire [DepthBits-1:0]     prev_depth     = state_i[etrace_layout_pkg::StateDepth +: DepthBits];
  wire [IAddressWidth-1:0] prev_tval      = state_i[PrevTvalAt +: IAddressWidth];
  wire [AddrBits-1:0]      prev_top       = state_i[PrevTopAt +: AddrBits];

  // Options that are built.
  logic implicit_return, predict, jump_cache, sijumps;
  assign implicit_return = options_i[etrace_pkg::OptImplicitReturn] && HasReturns;
  assign predict         = options_i[etrace_pkg::OptBranchPrediction] && (BpredSize > 0);
  assign jump_cache      = options_i[etrace_pkg::OptJumpTargetCache] && (CacheSize > 0) && !draft_i;
  assign sijumps         = options_i[etrace_pkg::OptSijump] && SijumpEn;

  // Its instruction. A jump is one whose target the decoder cannot find, unless it is an implicit return.
  logic instruction, interrupt, branch, call, is_return, special, sequential, jump;
  assign instruction = treat_i && !trap;
  assign interrupt   = trap && (itype == trace_pkg::ItypeInterrupt);
  assign branch      = instruction && trace_pkg::is_branch(itype);
  assign call        = instruction && etrace_item_pkg::is_call(itype);
  assign is_return   = instruction && etrace_item_pkg::is_return(draft_i, itype);
  assign special     = instruction && (itype >= trace_pkg::ItypeTrapReturn);
  assign sequential  = sijumps && sijump && (itype != trace_pkg::ItypeTrapReturn) && (follows || (prev_valid && !prev_trap));
  assign jump        = instruction && etrace_item_pkg::is_uninferable(draft_i, itype) && !sequential;

  // Discontinuity after the previous item. With a counter, and before an interrupt, no address is compared.
  logic implicit, updiscon;
  assign implicit = prev_valid && prev_popped && (!HasStack || interrupt || (prev_top == addr));
  assign updiscon = prev_valid && prev_jump && !implicit;

  // Rules 1 and 2: a sync; and what a sync next to this item needs.
  logic handler, ppccd, sync, ppccd_next, resync_next, stop_next, sync_next;
  assign handler     = prev_valid && prev_trap;
  assign ppccd       = (privilege != prev_privilege) || ctype[1];
  assign sync        = instruction && (handler || !prev_valid || ppccd || prev_resync);
  assign stop_next   = next_trap_i || next_none_i;
  assign ppccd_next  = !stop_next && ((next_priv_i != privilege) || next_ctype_i[1]);
  assign resync_next = special && !sync && due;
  assign sync_next   = next_trap_i || ppccd_next || (resync_next && !next_none_i);

  // A trap is reported at itself if its EPC is unknown otherwise, or by the next trap. The draft reports none of these.
  logic trap_before, trap_itself, trap_sync;
  assign trap_before = treat_i && trap && !draft_i && handler && !prev_reported;
  assign trap_itself = treat_i && trap && !draft_i && (!prev_valid || updiscon);
  assign trap_sync   = trap_before || trap_itself;

  // The branches, this item's included.
  logic                  any_branch, counted, counting, fail, greatest, map_full;
  logic [BcountBits-1:0] count_before, count;
  logic [4:0]            branches;
  logic [30:0]           map;
  logic                  packet;
  logic [StateBits-1:0]  state_new;

  etrace_branches #(
    .AddrBits   (AddrBits),
    .BpredSize  (BpredSize),
    .BcountBits (BcountBits)
  ) u_branches (
    .predict_i  (predict),
    .branch_i   (branch),
    .taken_i    (itype == trace_pkg::ItypeTaken),
    .addr_i     (addr),
    .sync_i     (sync || trap_sync),
    .packet_i   (packet),
    .counted_o  (counted),
    .before_o   (count_before),
    .any_o      (any_branch),
    .counting_o (counting),
    .fail_o     (fail),
    .greatest_o (greatest),
    .full_o     (map_full),
    .count_o    (count),
    .branches_o (branches),
    .map_o      (map),
    .state_i    (state_i[BranchesAt +: BranchBits]),
    .state_o    (state_new[BranchesAt +: BranchBits]),
    .table_i,
    .table_o
  );

  // Rules 3 to 5. An address before a sync is needed if the decoder could meet the sync's address too early, and at a
  // call after returns that were not reported.
  logic ret_open_now, early, anchor, target, address, rest, address_packet;
  assign ret_open_now   = (ret_open || implicit) && !branch;
  assign early          = any_branch || ret_open_now || (jump && (next_priv_i == privilege));
  assign anchor         = !draft_i && call && !jump && ret_open_now;
  assign target         = instruction && !sync && updiscon;
  assign address        = instruction && !sync && !updiscon &&
                          (notify_asked || stop_next || anchor || ((ppccd_next || resync_next) && early) ||
                           (ppccd_next && (next_ctype_i == etrace_pkg::CtypeDiscontinuity)));
  assign rest           = branch && !sync && (fail || greatest || map_full);
  assign packet         = target || address || rest;
  assign address_packet = target || address || (rest && greatest && !draft_i);

  // The open calls. The item's own push or pop is after its packet.
  logic [DepthBits-1:0] depth;
  logic                 call_open;
  logic [AddrBits-1:0]  top, size;

  assign size = ((IAddressLsb == 1) && long_last) ? {{(AddrBits-2){1'b0}}, 2'd2} : {{(AddrBits-2){1'b0}}, 2'd1};

  etrace_returns #(
    .AddrBits        (AddrBits),
    .CallCounterSize (CallCounterSize),
    .ReturnStackSize (ReturnStackSize)
  ) u_returns (
    .clear_i     (sync || trap_sync),
    .pop_i       (is_return && implicit_return),
    .push_i      (call && implicit_return),
    .push_addr_i (addr + size),
    .depth_o     (depth),
    .top_valid_o (call_open),
    .top_o       (top),
    .state_i     (returns_i),
    .state_o     (returns_o)
  );

  logic                 hit;
  logic [IndexBits-1:0] index;

  etrace_cache #(
    .AddrBits  (AddrBits),
    .CacheSize (CacheSize)
  ) u_cache (
    .clear_i  (sync || trap_sync),
    .access_i (target && jump_cache),
    .addr_i   (addr),
    .hit_o    (hit),
    .index_o  (index),
    .state_i  (cache_i),
    .state_o  (cache_o)
  );

  // The report. The draft's count goes ahead of an address, and without this item's branch.
  logic                     count_first, by_count, context_first, thaddr, notify, irreport;
  logic [2:0]               kind;
  logic [DepthBits-1:0]     irdepth;
  logic [7:0]               code;
  logic [IAddressWidth-1:0] value;

  assign count_first   = draft_i && address_packet && counted;
  assign by_count      = (draft_i && address_packet) ? counted : counting;
  assign context_first = instruction && !sync && (ctype == etrace_pkg::CtypeImprecise);
  assign thaddr        = !trap;
  assign kind          = (trap_sync || (sync && handler && (draft_i || !prev_reported))) ? etrace_pkg::KindTrap :
                         sync           ? etrace_pkg::KindStart :
                         address_packet ? etrace_pkg::KindAddress :
                         rest           ? etrace_pkg::KindBranches : etrace_item_pkg::KindNone;

  // A return that was predicted wrongly tells where; else what is reported is the depth at an address met several times.
  assign notify   = address && (notify_asked || anchor) && !draft_i;
  assign irreport = (target && prev_popped) || (address && ret_open_now);
  assign irdepth  = target ? prev_depth : depth;

  assign code      = (kind != etrace_pkg::KindTrap) ? {{(8-DepthBits){1'b0}}, irdepth} : trap_itself ? cause : prev_cause;
  assign value     = (kind == etrace_pkg::KindTrap) ? (trap_itself ? tval : prev_tval) :
                     count_first                    ? {{(IAddressWidth-BcountBits){1'b0}}, count_before} :
                     by_count                       ? {{(IAddressWidth-BcountBits){1'b0}}, count}
                                                    : {{(IAddressWidth-31){1'b0}}, map};

  assign report_valid_o = context_first || (kind != etrace_item_pkg::KindNone);

  assign report_o[etrace_layout_pkg::ReportContextFirst]   = context_first;
  assign report_o[etrace_layout_pkg::ReportKind +: 3]      = kind;
  assign report_o[etrace_layout_pkg::ReportBranch]         = draft_i ? (itype == trace_pkg::ItypeNotTaken)
                                                                     : (itype != trace_pkg::ItypeTaken);
  assign report_o[etrace_layout_pkg::ReportInterrupt]      = trap_itself ? interrupt : prev_interrupt;
  assign report_o[etrace_layout_pkg::ReportThaddr]         = thaddr;
  assign report_o[etrace_layout_pkg::ReportNotify]         = notify;
  assign report_o[etrace_layout_pkg::ReportUpdiscon]       = target && sync_next;
  assign report_o[etrace_layout_pkg::ReportIrreport]       = irreport;
  assign report_o[etrace_layout_pkg::ReportCounting]       = by_count;
  assign report_o[etrace_layout_pkg::ReportFail]           = fail && !count_first;
  assign report_o[etrace_layout_pkg::ReportHit]            = hit;
  assign report_o[etrace_layout_pkg::ReportOptions +: 6]   = options_i;
  // Of a trap that another one follows at once: "the privilege level prior to any change", that of the item before.
  assign report_o[etrace_layout_pkg::ReportPrivilege +: 3] = (trap && !trap_itself) ? prev_privilege : privilege;
  assign report_o[etrace_layout_pkg::ReportBranches +: 5]  = count_first ? {4'd0, branch} : branches;
  assign report_o[etrace_layout_pkg::ReportCode +: 8]      = code;
  assign report_o[etrace_layout_pkg::ReportIndex +: IndexBits] = index;
  assign report_o[ReportContextAt +: ContextBits]          = context_id;
  assign report_o[ReportTimeAt +: TimeBits]                = now;
  assign report_o[ReportValueAt +: IAddressWidth]          = value;
  assign report_o[ReportAddrAt +: AddrBits]                = addr;

  assign sync_o     = sync || trap_sync;
  assign packets_o  = {context_first, count_first, packet};
  assign explicit_o = sync || target || notify;

  // State after the item. What is reported of a trap stays until the next one.
  assign state_new[etrace_layout_pkg::StateValid]              = !next_none_i;
  assign state_new[etrace_layout_pkg::StateTrap]               = trap;
  assign state_new[etrace_layout_pkg::StateReported]           = trap_itself;
  assign state_new[etrace_layout_pkg::StateInterrupt]          = interrupt;
  assign state_new[etrace_layout_pkg::StateJump]               = jump;
  assign state_new[etrace_layout_pkg::StatePopped]             = is_return && implicit_return && call_open;
  assign state_new[etrace_layout_pkg::StateResync]             = resync_next;
  assign state_new[etrace_layout_pkg::StatePrivilege +: 3]     = privilege;
  assign state_new[etrace_layout_pkg::StateCause +: 8]         = trap ? cause : prev_cause;
  assign state_new[etrace_layout_pkg::StateRetOpen]            = ret_open_now && !sync_o && !call;
  assign state_new[etrace_layout_pkg::StateDepth +: DepthBits] = depth;
  assign state_new[PrevTvalAt +: IAddressWidth]                = trap ? tval : prev_tval;
  assign state_new[PrevTopAt +: AddrBits]                      = top;
  assign state_o = treat_i ? state_new : state_i;

endmodule
