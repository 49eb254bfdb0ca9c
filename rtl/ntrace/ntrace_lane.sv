// SPDX-License-Identifier: Apache-2.0
// One block through the N-Trace algorithm: step 4 of docs/reference/ntrace-profile.md. Combinational.
//
// Takes the encoder state before the block, gives the state after it and at most five messages. Lanes chain
// state_o to state_i, lane 0 (the oldest block) first. Without a block the state passes unchanged. Lane 0 also
// does what stops a trace (step 1) and the reset of a traced hart (step 3), in beats without blocks.
module ntrace_lane
#(
  parameter int Xlen         = 64,
  parameter int IRetireWidth = 7,
  parameter int IcntBits     = 22,
  parameter int HistBits     = 32,
  parameter int StackDepth   = 8,
  parameter int RepeatBits   = 18,
  // Derived, do not set. Vectors: ntrace_layout_pkg. A message of a lane is a descriptor without TIME.
  parameter int MsgWidth     = ntrace_layout_pkg::message_lane_bits(Xlen - 1, HistBits),
  parameter int HeldWidth    = ntrace_layout_pkg::held_bits(IcntBits, HistBits, Xlen - 1, RepeatBits),
  parameter int StackWidth   = ntrace_state_pkg::stack_width(Xlen, StackDepth),
  parameter int StateWidth   = ntrace_layout_pkg::state_bits(IcntBits, HistBits, Xlen - 1)
) (
  // Blocks of this beat are traced.
  input  logic                    active_i,
  input  logic                    htm_i,
  input  logic                    rc7_i,
  input  logic                    btype_ext_i,
  input  logic [1:0]              sync_mode_i,
  input  logic [3:0]              sync_max_i,
  input  logic [1:0]              implicit_return_i,
  input  logic                    repeated_history_i,
  input  logic                    repeat_branch_i,
  input  logic                    sequential_jump_i,
  input  logic                    all_jumps_i,
  input  logic                    context_ena_i,
  input  logic                    hcontext_ena_i,

  // The last message sent was an Error; what was lost.
  input  logic                    error_last_i,
  input  logic [7:0]              ecode_i,

  // Only without blocks: the trace stops; a correlation is sent; a traced hart's reset is pending.
  input  logic                    stop_i,
  input  logic                    correlation_i,
  input  logic                    reset_i,
  input  logic [3:0]              evcode_i,

  input  logic [3:0]              itype_i,
  input  logic [Xlen-2:0]         iaddr_i,      // address >> 1
  input  logic [IRetireWidth-1:0] iretire_i,
  input  logic                    ilastsize_i,
  input  logic                    sijump_i,
  input  logic [2:0]              priv_i,
  input  logic [31:0]             context_i,
  input  logic [15:0]             hcontext_i,
  input  logic                    qualified_i,  // by the filters
  input  logic                    watch_i,      // a watchpoint matched

  // A periodic sync is due at this block; at the next one.
  input  logic                    due_i,
  output logic                    due_o,

  // The states; `held`, `stack` and `own` are those of their modules.
  input  logic [StateWidth-1:0]   state_i,
  output logic [StateWidth-1:0]   state_o,
  input  logic [HeldWidth-1:0]    held_i,
  output logic [HeldWidth-1:0]    held_o,
  input  logic [StackWidth-1:0]   stack_i,
  output logic [StackWidth-1:0]   stack_o,
  input  logic [ntrace_layout_pkg::OwnBits-1:0] own_i,
  output logic [ntrace_layout_pkg::OwnBits-1:0] own_o,

  // Slot 0 goes first; any may be empty. A late message has the time at which `pend` was set, in an earlier beat.
  output logic [ntrace_state_pkg::LaneSlots-1:0]          msg_valid_o,
  output logic [1:0]                                      msg_late_o,   // slots 1 and 0
  output logic [ntrace_state_pkg::LaneSlots*MsgWidth-1:0] msg_o,
  output logic                                            ownership_o   // one is among them
);

  localparam int SyncCntBits = trace_pkg::SyncCountBits;
  localparam int Var0Bits    = ntrace_pkg::Var0Bits;
  localparam logic [HistBits-1:0] HistEmpty = {{(HistBits-1){1'b0}}, 1'b1};
  localparam logic [Xlen-2:0]     NoAddr    = '0;
  localparam logic [HistBits-1:0] NoHist    = '0;

  // Fields whose place depends on parameters: of the state, and of a message.
  localparam int HistAt       = ntrace_layout_pkg::state_hist(IcntBits);
  localparam int PoppedAddrAt = ntrace_layout_pkg::state_popped_addr(IcntBits, HistBits);
  localparam int AddrRefAt    = ntrace_layout_pkg::state_addr_ref(IcntBits, HistBits, Xlen - 1);
  localparam int MsgHistAt    = ntrace_layout_pkg::message_hist(Xlen - 1);

  // State before the block.
  wire                   lost          = state_i[ntrace_layout_pkg::StateLost];
  wire                   pend_fresh    = state_i[ntrace_layout_pkg::StateFresh];
  wire [SyncCntBits-1:0] sync_cnt      = state_i[ntrace_layout_pkg::StateSyncCnt +: SyncCntBits];
  wire [3:0]             start_before  = state_i[ntrace_layout_pkg::StateStart +: 4];
  wire                   filtered      = state_i[ntrace_layout_pkg::StateFiltered];
  wire                   mark_event    = state_i[ntrace_layout_pkg::StateMarkEvent];
  wire                   mark_ext      = state_i[ntrace_layout_pkg::StateMarkExt];
  wire [2:0]             pend_before   = state_i[ntrace_layout_pkg::StatePend +: 3];
  wire [1:0]             pend_btype    = state_i[ntrace_layout_pkg::StatePendBtype +: 2];
  wire                   pend_reported = state_i[ntrace_layout_pkg::StatePendReported];
  wire                   popped        = state_i[ntrace_layout_pkg::StatePopped];
  wire [IcntBits-1:0]    icnt          = state_i[ntrace_layout_pkg::StateIcnt +: IcntBits];
  wire [HistBits-1:0]    hist          = state_i[HistAt +: HistBits];
  wire [Xlen-2:0]        popped_addr   = state_i[PoppedAddrAt +: Xlen-1];
  wire [Xlen-2:0]        addr_ref      = state_i[AddrRefAt +: Xlen-1];

  // The block. Some itypes count as another.
  logic       trap, uninferable, branch, present, block;
  logic [3:0] itype;
  assign itype       = (itype_i != trace_pkg::ItypeReserved) ? itype_i :
                       (rc7_i && all_jumps_i) ? trace_pkg::ItypeTaken : trace_pkg::ItypeNone;
  assign trap        = trace_pkg::is_trap(itype);
  assign uninferable = trace_pkg::is_uninferable(itype);
  assign branch      = trace_pkg::is_branch(itype);
  assign present     = active_i && ((iretire_i != '0) || trap);

  // 4.0 Filter. A block that is not qualified stops the trace, or takes a start back; one that is starts it again.
  logic [3:0] start;
  logic [2:0] pend;
  logic       outside, leave;
  assign block   = present && qualified_i;
  assign outside = present && !qualified_i && !lost;
  assign leave   = outside && !filtered && (start_before == ntrace_pkg::SyncNone);
  assign start   = filtered ? ntrace_pkg::SyncEnable : start_before;

  // 4.1 Return: the block is where the return stack said, so nothing need be reported.
  logic predicted;
  assign predicted = popped &&
      ((implicit_return_i == ntrace_pkg::ReturnCounter) ||
       ((implicit_return_i == ntrace_pkg::ReturnPartial) && (popped_addr[9:0] == iaddr_i[9:0])) ||
       ((implicit_return_i == ntrace_pkg::ReturnFull) && (popped_addr == iaddr_i)));
  assign pend      = predicted ? ntrace_state_pkg::PendNone : pend_before;

  // Periodic sync: the count has reached 2^(sync_max+4). Markers go before it.
  logic       why;
  logic [3:0] why_sync;
  assign why = mark_event || mark_ext || due_i;
  assign why_sync = mark_event ? ntrace_pkg::SyncEvent :
                    mark_ext   ? ntrace_pkg::SyncExtTrigger : ntrace_pkg::SyncPeriodic;

  logic use_hist;
  assign use_hist = htm_i && (hist != HistEmpty);

  // 4.2 Resolve: what this block's address completes. Lost and start exclude anything pending. The I-CNT in
  // front of a predicted return may be full: nothing could be sent before the return was known to be predicted.
  logic       restart, return_full, return_icnt, resolve, res_has_sync, res_moves_ref, res_branch, why_served;
  logic [5:0] indirect_tcode, res_tcode;
  logic [3:0] res_sync;

  assign restart     = lost || (start != ntrace_pkg::SyncNone);
  assign return_full = predicted && icnt[IcntBits-1] && !why;
  assign return_icnt = return_full && !(rc7_i && use_hist);
  assign resolve     = restart || (pend != ntrace_state_pkg::PendNone) || why || (return_full && !return_icnt);

  assign indirect_tcode =
      use_hist ? (why ? ntrace_pkg::TcodeIndirectBranchHistSync : ntrace_pkg::TcodeIndirectBranchHist)
               : (why ? ntrace_pkg::TcodeIndirectBranchSync     : ntrace_pkg::TcodeIndirectBranch);

  assign res_tcode =
      restart                                  ? ntrace_pkg::TcodeProgTraceSync :
      (pend == ntrace_state_pkg::PendIndirect) ? indirect_tcode :
      (pend == ntrace_state_pkg::PendDirect)   ? (why ? ntrace_pkg::TcodeDirectBranchSync
                                                      : ntrace_pkg::TcodeDirectBranch) :
      (pend == ntrace_state_pkg::PendIcntSync) ? ntrace_pkg::TcodeIndirectBranchHistSync :
      use_hist                                 ? ntrace_pkg::TcodeIndirectBranchHistSync
                                               : ntrace_pkg::TcodeProgTraceSync;

  assign res_sync =
      lost                                     ? ntrace_pkg::SyncOverrun :
      restart                                  ? start :
      (pend == ntrace_state_pkg::PendReset)    ? ntrace_pkg::SyncReset :
      (pend == ntrace_state_pkg::PendIcntSync) ? ntrace_pkg::SyncIcnt :
      why                                      ? why_sync
                                               : ntrace_pkg::SyncIcnt;

  assign res_has_sync  = ntrace_pkg::has_sync(res_tcode);
  assign res_moves_ref = ntrace_pkg::has_addr(res_tcode);
  assign res_branch    = block && resolve && !res_has_sync;
  assign why_served    = !restart && (pend != ntrace_state_pkg::PendReset) && (pend != ntrace_state_pkg::PendIcntSync);

  // 4.4 Ownership.
  logic                own_hcontext, own_other;
  logic [Var0Bits-1:0] hcontext_process, other_process;

  ntrace_ownership u_ownership (
    .block_i            (block),
    .context_ena_i,
    .hcontext_ena_i,
    .after_sync_i       (resolve && res_has_sync),
    .reported_i         (resolve && !res_has_sync && pend_reported),
    .priv_i,
    .context_i,
    .hcontext_i,
    .own_i,
    .own_o,
    .hcontext_valid_o   (own_hcontext),
    .hcontext_process_o (hcontext_process),
    .other_valid_o      (own_other),
    .other_process_o    (other_process)
  );

  // 4.5 Count the block.
  logic [IcntBits-1:0] iretire_ext, icnt_sum, icnt_new;
  logic [HistBits-1:0] hist_base, hist_new;

  assign iretire_ext = {{(IcntBits-IRetireWidth){1'b0}}, iretire_i};
  assign icnt_sum    = icnt + iretire_ext;
  assign icnt_new    = (resolve || return_icnt) ? iretire_ext : icnt_sum;
  assign hist_base   = resolve ? HistEmpty : hist;
  assign hist_new    = (htm_i && branch) ?
                       {hist_base[HistBits-2:0], itype == trace_pkg::ItypeTaken} : hist_base;

  // What the block leaves pending. B-TYPE is 0 unless a trap is pending. The decoder finds the target of a sequential
  // jump by itself if it saw the instruction before it in the same I-CNT.
  logic [2:0] flow_pend;
  logic [1:0] trap_btype, flow_btype;
  logic       follows, sequential;

  assign follows    = (!(resolve || return_icnt) && (icnt != '0)) ||
                      (iretire_ext > {{(IcntBits-2){1'b0}}, ilastsize_i, !ilastsize_i});
  assign sequential = sequential_jump_i && sijump_i && uninferable && (itype != trace_pkg::ItypeTrapReturn) && follows;
  assign flow_pend  =
      sequential                                        ? ntrace_state_pkg::PendNone :
      (trap || uninferable)                             ? ntrace_state_pkg::PendIndirect :
      (!htm_i && (itype == trace_pkg::ItypeTaken))      ? ntrace_state_pkg::PendDirect
                                                        : ntrace_state_pkg::PendNone;
  assign trap_btype =
      !btype_ext_i                           ? ntrace_pkg::BtypeTrap :
      (itype == trace_pkg::ItypeException)   ? ntrace_pkg::BtypeException
                                             : ntrace_pkg::BtypeInterrupt;
  assign flow_btype = trap ? trap_btype : ntrace_pkg::BtypeIndirect;

  // The return stack, which every message with SYNC and every stop empties.
  logic            stacked, top_valid, flow_popped;
  logic [Xlen-2:0] top;

  assign stacked     = block && (implicit_return_i != ntrace_pkg::ReturnOff);
  assign flow_popped = stacked && trace_pkg::is_return(itype) && top_valid && !sequential;

  trace_return_stack #(
    .AddrBits (Xlen - 1),
    .Depth    (StackDepth)
  ) u_stack (
    .clear_i     (leave || (block && resolve && res_has_sync)),
    .pop_i       (stacked && trace_pkg::is_return(itype)),
    .push_i      (stacked && trace_pkg::is_call(itype)),
    .push_addr_i (iaddr_i + {{(Xlen-1-IRetireWidth){1'b0}}, iretire_i}),
    .top_valid_o (top_valid),
    .top_o       (top),
    .state_i     (stack_i),
    .state_o     (stack_o)
  );

  // 4.6 Full counters, reported only if the block leaves nothing pending. One block fills neither
  // counter, so none is full after a resolve.
  logic full_icnt, full_hist, icnt_by_sync, send_icnt, send_hist, hold_hist, hist_counted;
  logic [HistBits-1:0] pattern, rest;

  assign full_icnt    = icnt_new[IcntBits-1] && !resolve && (flow_pend == ntrace_state_pkg::PendNone);
  assign icnt_by_sync = full_icnt && rc7_i && htm_i && !hist_counted && (hist_new != HistEmpty);
  assign send_icnt    = full_icnt && !icnt_by_sync;
  assign full_hist    = hist_new[HistBits-1] && !resolve && (flow_pend == ntrace_state_pkg::PendNone);
  assign send_hist    = full_hist && !icnt_by_sync && !repeated_history_i;
  assign hold_hist    = full_hist && !icnt_by_sync && repeated_history_i && !hist_counted;

  ntrace_pattern #(
    .HistBits (HistBits)
  ) u_pattern (
    .hist_i    (hist_new),
    .pattern_o (pattern),
    .rest_o    (rest)
  );

  // 4.3 Repeat, and what is held back.
  logic                  branch_counted, flush, flush_direct;
  logic [5:0]            flush_tcode;
  logic [3:0]            flush_rcode;
  logic [Var0Bits-1:0]   flush_var0;
  logic [RepeatBits-1:0] flush_hrepeat;

  assign flush_direct = (stop_i || leave || reset_i) && (pend_before == ntrace_state_pkg::PendDirect);

  ntrace_repeat #(
    .Xlen       (Xlen),
    .IcntBits   (IcntBits),
    .HistBits   (HistBits),
    .RepeatBits (RepeatBits)
  ) u_repeat (
    .repeat_branch_i,
    .repeated_history_i,
    .branch_i         (res_branch),
    .branch_tcode_i   (res_tcode),
    .branch_btype_i   (pend_btype),
    .branch_icnt_i    (icnt),
    .branch_hist_i    (hist),
    .branch_target_i  (iaddr_i),
    .branch_becomes_i (!res_moves_ref || (iaddr_i == addr_ref)),
    .own_i            (own_hcontext || own_other),
    .before_i         ((block && ((resolve && res_has_sync) || return_icnt)) || stop_i || leave || flush_direct),
    .behind_i         (block && (send_icnt || send_hist)),
    .hist_shifted_i   (block && htm_i && branch),
    .hist_i           (hist_new),
    .hold_i           (block && hold_hist),
    .pattern_i        (pattern),
    .branch_counted_o (branch_counted),
    .hist_counted_o   (hist_counted),
    .flush_o          (flush),
    .flush_tcode_o    (flush_tcode),
    .flush_rcode_o    (flush_rcode),
    .flush_var0_o     (flush_var0),
    .flush_hrepeat_o  (flush_hrepeat),
    .state_i          (held_i),
    .state_o          (held_o)
  );

  // The messages. Slot 0: Error or the flush. Then what was resolved, and Ownership after it; nothing is
  // resolved by a block that fills I-CNT. Slot 4: ResourceFull with HIST.
  logic                resolved, owed, correlate;
  logic [5:0]          tcode0, tcode1, tcode2, tcode3;
  logic [3:0]          f4_0, f4_1;
  logic [Var0Bits-1:0] var0_0, var0_1, var0_2, var0_3, icnt_ext;
  logic [Xlen-2:0]     addr0, addr1;

  assign resolved  = resolve || return_icnt;
  assign owed      = lost && !error_last_i;  // an Error, unless it is the last message already (NT-14)
  assign correlate = correlation_i || leave;
  assign icnt_ext  = {{(Var0Bits-IcntBits){1'b0}}, icnt};

  assign tcode0 = lost ? ntrace_pkg::TcodeError   : flush_tcode;
  assign f4_0   = lost ? ntrace_pkg::EtypeOverrun : flush_rcode;
  assign var0_0 = lost ? {{(Var0Bits-8){1'b0}}, ecode_i} : flush_var0;
  assign addr0  = {{(Xlen-1-RepeatBits){1'b0}}, flush_hrepeat};

  assign tcode1 = flush_direct ? ntrace_pkg::TcodeDirectBranch :
                  resolve      ? res_tcode :
                  return_icnt  ? ntrace_pkg::TcodeResourceFull : ntrace_pkg::TcodeOwnership;
  assign f4_1   = resolve ? res_sync : ntrace_pkg::RcodeIcnt;
  assign var0_1 = resolved ? icnt_ext : hcontext_process;
  assign addr1  = res_has_sync ? iaddr_i : iaddr_i ^ addr_ref;

  assign tcode2 = correlate    ? ntrace_pkg::TcodeProgTraceCorrelation : ntrace_pkg::TcodeOwnership;
  assign var0_2 = flush_direct ? {Var0Bits{1'b0}} :
                  correlate    ? icnt_ext :
                  resolved     ? hcontext_process : other_process;

  assign tcode3 = resolved ? ntrace_pkg::TcodeOwnership : ntrace_pkg::TcodeResourceFull;
  assign var0_3 = resolved ? other_process : {{(Var0Bits-IcntBits){1'b0}}, icnt_sum};

  function automatic logic [MsgWidth-1:0] message(input logic [5:0] tcode, input logic [3:0] f4, input logic [1:0] f2,
                                                  input logic [Var0Bits-1:0] var0, input logic [Xlen-2:0] address,
                                                  input logic [HistBits-1:0] history);
    message[ntrace_layout_pkg::MessageTcode +: 6] = tcode;
    message[ntrace_layout_pkg::MessageF4 +: 4] = f4;
    message[ntrace_layout_pkg::MessageF2 +: 2] = f2;
    message[ntrace_layout_pkg::MessageVar0 +: Var0Bits] = var0;
    message[ntrace_layout_pkg::MessageAddr +: Xlen-1] = address;
    message[MsgHistAt +: HistBits] = history;
  endfunction

  assign msg_o = {message(ntrace_pkg::TcodeResourceFull, ntrace_pkg::RcodeHist, ntrace_pkg::BtypeIndirect,
                          {{(Var0Bits-HistBits){1'b0}}, hist_new}, NoAddr, NoHist),
                  message(tcode3, ntrace_pkg::RcodeIcnt, ntrace_pkg::BtypeIndirect, var0_3, NoAddr, NoHist),
                  message(tcode2, evcode_i, htm_i ? ntrace_pkg::CdfHist : ntrace_pkg::CdfNone, var0_2, NoAddr, hist),
                  message(tcode1, f4_1, pend_btype, var0_1, addr1, hist),
                  message(tcode0, f4_0, ntrace_pkg::BtypeIndirect, var0_0, addr0, NoHist)};

  assign msg_valid_o = {block && send_hist,
                        block && (resolved ? own_other : send_icnt),
                        correlate || (resolved ? own_hcontext : own_other),
                        flush_direct || (block && (resolved ? !branch_counted : own_hcontext)),
                        flush || (block && owed)};

  logic late;
  assign late        = !pend_fresh && (flush_direct || (block && (pend != ntrace_state_pkg::PendNone)));
  assign msg_late_o  = {late, late && !branch_counted};
  assign ownership_o = own_hcontext || own_other;

  // Periodic sync count after the block. Clock cycles are counted by ntrace_event. A sync message is not counted
  // itself, nor what went before it, but the block at which it was sent is.
  logic                   sync_sent;
  logic [2:0]             messages;
  logic [SyncCntBits-1:0] sync_cnt_new;

  assign sync_sent = block && resolve && res_has_sync;
  assign messages  = {2'b00, msg_valid_o[4]} + {2'b00, msg_valid_o[3]} + {2'b00, msg_valid_o[2]} +
                     (sync_sent ? 3'd0 : {2'b00, msg_valid_o[1]} + {2'b00, msg_valid_o[0]});

  trace_sync_count #(
    .StepBits (IRetireWidth)
  ) u_sync_count (
    .mode_i      (sync_mode_i),
    .clear_i     (sync_sent),
    .messages_i  ({1'b0, messages}),
    .cycles_i    ({SyncCntBits{1'b0}}),
    .halfwords_i (block ? iretire_i : {IRetireWidth{1'b0}}),
    .count_i     (sync_cnt),
    .count_o     (sync_cnt_new)
  );

  // Whether a sync is due at the next block of the beat, without waiting for the new count. After a sync of this block it is
  // not, but for a block longer than the interval. Slot 0 is known last.
  logic [15:0]            dues, dues_4, dues_3, dues_2, dues_1, dues_0;
  logic                   by_messages, by_halfwords, due_total, due_block;
  logic [SyncCntBits-1:0] block_halfwords, total;

  assign by_messages     = (sync_mode_i == trace_pkg::SyncModeMessages);
  assign by_halfwords    = (sync_mode_i == trace_pkg::SyncModeHalfwords);
  assign block_halfwords = (block && by_halfwords) ? {{(SyncCntBits-IRetireWidth){1'b0}}, iretire_i} : {SyncCntBits{1'b0}};
  assign total           = sync_cnt[SyncCntBits-1] ? sync_cnt : sync_cnt + block_halfwords;
  assign due_total       = trace_pkg::sync_due(sync_mode_i, sync_max_i, total);
  assign due_block       = trace_pkg::sync_due(sync_mode_i, sync_max_i, block_halfwords);

  assign dues   = trace_pkg::sync_dues(sync_mode_i, sync_max_i, sync_cnt);
  assign dues_4 = msg_valid_o[4] ? dues   >> 1 : dues;
  assign dues_3 = msg_valid_o[3] ? dues_4 >> 1 : dues_4;
  assign dues_2 = msg_valid_o[2] ? dues_3 >> 1 : dues_3;
  assign dues_1 = msg_valid_o[1] ? dues_2 >> 1 : dues_2;
  assign dues_0 = msg_valid_o[0] ? dues_1 >> 1 : dues_1;
  assign due_o  = !(block || outside || reset_i) ? due_i :
                  sync_sent                      ? due_block :
                  by_messages                    ? dues_0[0] : due_total;

  logic unused_dues;  // a block has five messages
  assign unused_dues = ^dues_0;

  // State after the block; outside of what is traced nothing is pending or counted. A mark that was served is gone; a
  // watchpoint marks what is after its block.
  logic                mark_event_new, mark_ext_new, moves;
  logic [2:0]          pend_new;
  logic [IcntBits-1:0] icnt_left;
  logic [HistBits-1:0] hist_left;

  assign mark_event_new = (mark_event && !(block && why_served)) || (block && watch_i);
  assign mark_ext_new   = mark_ext && !(block && why_served && !mark_event);
  assign moves          = block || outside || reset_i;
  assign pend_new       = icnt_by_sync ? ntrace_state_pkg::PendIcntSync : flow_pend;
  assign icnt_left      = send_icnt ? {IcntBits{1'b0}} : icnt_new;
  assign hist_left      = (send_hist || hist_counted) ? HistEmpty : hold_hist ? rest : hist_new;

  assign state_o[ntrace_layout_pkg::StateLost]       = lost && !moves;
  assign state_o[ntrace_layout_pkg::StateFresh]      = moves ? !outside : pend_fresh;
  assign state_o[ntrace_layout_pkg::StateSyncCnt +: SyncCntBits] = moves ? sync_cnt_new : sync_cnt;
  assign state_o[ntrace_layout_pkg::StateStart +: 4] = moves ? ntrace_pkg::SyncNone : start_before;
  assign state_o[ntrace_layout_pkg::StateFiltered]   = moves ? outside : filtered;
  assign state_o[ntrace_layout_pkg::StateMarkEvent]  = mark_event_new && !leave;
  assign state_o[ntrace_layout_pkg::StateMarkExt]    = mark_ext_new && !leave;
  assign state_o[ntrace_layout_pkg::StatePend +: 3]  = block   ? pend_new :
                                                       outside ? ntrace_state_pkg::PendNone :
                                                       reset_i ? ntrace_state_pkg::PendReset : pend_before;
  assign state_o[ntrace_layout_pkg::StatePendBtype +: 2] = block ? flow_btype :
                                                           moves ? ntrace_pkg::BtypeIndirect : pend_btype;
  assign state_o[ntrace_layout_pkg::StatePendReported] = block ? trap || (itype == trace_pkg::ItypeTrapReturn)
                                                               : pend_reported && !moves;
  assign state_o[ntrace_layout_pkg::StatePopped]     = block ? flow_popped : popped && !moves;
  assign state_o[ntrace_layout_pkg::StateIcnt +: IcntBits] = block ? icnt_left :
      (outside || (reset_i && flush_direct)) ? {IcntBits{1'b0}} : icnt;
  assign state_o[HistAt +: HistBits]                 = block ? hist_left : outside ? HistEmpty : hist;
  assign state_o[PoppedAddrAt +: Xlen-1]             = block ? top : popped_addr;
  assign state_o[AddrRefAt +: Xlen-1]                = (block && resolve && res_moves_ref) ? iaddr_i : addr_ref;

endmodule
