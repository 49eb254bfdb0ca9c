// One block through the N-Trace algorithm: step 4 of docs/ntrace-profile.md. Combinational.
//
// Takes the encoder state before the block, gives the state after it and at most two messages.
// Lanes chain state_o to state_i, lane 0 (the oldest block) first. Without a block the state passes
// unchanged.
module ntrace_lane
#(
  parameter int Xlen         = 64,
  parameter int IRetireWidth = 7,
  parameter int IcntBits     = 22,
  parameter int HistBits     = 32,
  // Derived, do not set: the layouts are in ntrace_pkg (descriptor) and below (state).
  parameter int DescWidth    = ntrace_pkg::FixedBits + IcntBits + Xlen - 1 + HistBits,
  parameter int StateWidth   = ntrace_pkg::StateFixedBits + IcntBits + HistBits + Xlen - 1
) (
  // Blocks of this beat are traced.
  input  logic                    active_i,
  input  logic                    htm_i,
  input  logic                    rc7_i,
  input  logic                    btype_ext_i,
  input  logic [1:0]              sync_mode_i,
  input  logic [3:0]              sync_max_i,

  // The last message sent was an Error.
  input  logic                    error_last_i,

  input  logic [3:0]              itype_i,
  input  logic [Xlen-2:0]         iaddr_i,     // address >> 1
  input  logic [IRetireWidth-1:0] iretire_i,

  // {lost, start, pend, pend B-TYPE, sync count, I-CNT, HIST, address reference >> 1}
  input  logic [StateWidth-1:0]   state_i,
  output logic [StateWidth-1:0]   state_o,

  // Slot 0 goes before slot 1; either may be empty.
  output logic [1:0]              msg_valid_o,
  output logic [2*DescWidth-1:0]  msg_o
);

  localparam int SyncCntBits = ntrace_pkg::SyncCntBits;
  localparam logic [HistBits-1:0] HistEmpty = {{(HistBits-1){1'b0}}, 1'b1};
  localparam logic [IcntBits-1:0] EcodeLost = {{(IcntBits-3){1'b0}}, ntrace_pkg::EcodeProgramLost};

  // State before the block.
  logic                   lost;
  logic [3:0]             start;
  logic [1:0]             pend, pend_btype;
  logic [SyncCntBits-1:0] sync_cnt;
  logic [IcntBits-1:0]    icnt;
  logic [HistBits-1:0]    hist;
  logic [Xlen-2:0]        addr_ref;

  assign {lost, start, pend, pend_btype, sync_cnt, icnt, hist, addr_ref} = state_i;

  logic block, trap, uninferable, branch;
  assign trap        = trace_pkg::is_trap(itype_i);
  assign uninferable = trace_pkg::is_uninferable(itype_i);
  assign branch      = trace_pkg::is_branch(itype_i);
  assign block       = active_i && ((iretire_i != '0) || trap);

  // Periodic sync: the count has reached 2^(sync_max+4).
  logic due;
  assign due = (sync_mode_i != ntrace_pkg::SyncModeOff) &&
               ((sync_cnt >> ({1'b0, sync_max_i} + 5'd4)) != '0);

  logic use_hist;
  assign use_hist = htm_i && (hist != HistEmpty);

  // 4.1 Resolve: what this block's address completes. Lost and start exclude anything pending.
  logic       restart, resolve, res_has_sync, res_moves_ref;
  logic [5:0] indirect_tcode, res_tcode;
  logic [3:0] res_sync;

  assign restart = lost || (start != ntrace_pkg::SyncNone);
  assign resolve = restart || (pend != ntrace_pkg::PendNone) || due;

  assign indirect_tcode =
      use_hist ? (due ? ntrace_pkg::TcodeIndirectBranchHistSync : ntrace_pkg::TcodeIndirectBranchHist)
               : (due ? ntrace_pkg::TcodeIndirectBranchSync     : ntrace_pkg::TcodeIndirectBranch);

  assign res_tcode =
      restart                            ? ntrace_pkg::TcodeProgTraceSync :
      (pend == ntrace_pkg::PendIndirect) ? indirect_tcode :
      (pend == ntrace_pkg::PendDirect)   ? (due ? ntrace_pkg::TcodeDirectBranchSync
                                                : ntrace_pkg::TcodeDirectBranch) :
      (pend == ntrace_pkg::PendIcntSync) ? ntrace_pkg::TcodeIndirectBranchHistSync :
      use_hist                           ? ntrace_pkg::TcodeIndirectBranchHistSync
                                         : ntrace_pkg::TcodeProgTraceSync;

  assign res_sync =
      lost                               ? ntrace_pkg::SyncOverrun :
      (start != ntrace_pkg::SyncNone)    ? start :
      (pend == ntrace_pkg::PendIcntSync) ? ntrace_pkg::SyncIcnt
                                         : ntrace_pkg::SyncPeriodic;

  assign res_has_sync  = ntrace_pkg::has_sync(res_tcode);
  assign res_moves_ref = ntrace_pkg::has_addr(res_tcode);

  // 4.2 Count the block.
  logic [IcntBits-1:0] iretire_ext, icnt_sum, icnt_new;
  logic [HistBits-1:0] hist_base, hist_new;

  assign iretire_ext = {{(IcntBits-IRetireWidth){1'b0}}, iretire_i};
  assign icnt_sum    = icnt + iretire_ext;
  assign icnt_new    = resolve ? iretire_ext : icnt_sum;
  assign hist_base   = resolve ? HistEmpty : hist;
  assign hist_new    = (htm_i && branch) ?
                       {hist_base[HistBits-2:0], itype_i == trace_pkg::ItypeTaken} : hist_base;

  // 4.3 What the block leaves pending. B-TYPE is 0 unless a trap is pending.
  logic [1:0] flow_pend, trap_btype, flow_btype;

  assign flow_pend =
      (trap || uninferable)                             ? ntrace_pkg::PendIndirect :
      (!htm_i && (itype_i == trace_pkg::ItypeTaken))    ? ntrace_pkg::PendDirect
                                                        : ntrace_pkg::PendNone;
  assign trap_btype =
      !btype_ext_i                           ? ntrace_pkg::BtypeTrap :
      (itype_i == trace_pkg::ItypeException) ? ntrace_pkg::BtypeException
                                             : ntrace_pkg::BtypeInterrupt;
  assign flow_btype = trap ? trap_btype : ntrace_pkg::BtypeIndirect;

  // 4.4 Full counters, reported only if the block leaves nothing pending. One block fills neither
  // counter, so none is full after a resolve.
  logic full_icnt, full_hist, icnt_by_sync, send_icnt, send_hist;

  assign full_icnt    = icnt_sum[IcntBits-1] && !resolve && (flow_pend == ntrace_pkg::PendNone);
  assign icnt_by_sync = full_icnt && rc7_i && htm_i && (hist_new != HistEmpty);
  assign send_icnt    = full_icnt && !icnt_by_sync;
  assign full_hist    = hist_new[HistBits-1] && !resolve && (flow_pend == ntrace_pkg::PendNone);
  assign send_hist    = full_hist && !icnt_by_sync;

  // The messages. Slot 0: Error, or what was resolved, or ResourceFull with I-CNT. Slot 1: the sync
  // behind an Error, or ResourceFull with HIST.
  logic [5:0]          tcode0, tcode1;
  logic [3:0]          f4_0, f4_1;
  logic [IcntBits-1:0] icnt0;
  logic [Xlen-2:0]     addr0;

  assign tcode0 = lost    ? ntrace_pkg::TcodeError :
                  resolve ? res_tcode : ntrace_pkg::TcodeResourceFull;
  assign f4_0   = lost    ? ntrace_pkg::EtypeOverrun :
                  resolve ? res_sync : ntrace_pkg::RcodeIcnt;
  assign icnt0  = lost    ? EcodeLost :
                  resolve ? icnt : icnt_sum;
  assign addr0  = res_has_sync ? iaddr_i : iaddr_i ^ addr_ref;

  assign tcode1 = lost ? ntrace_pkg::TcodeProgTraceSync : ntrace_pkg::TcodeResourceFull;
  assign f4_1   = lost ? ntrace_pkg::SyncOverrun : ntrace_pkg::RcodeHist;

  logic owed;  // an Error, unless it is the last message already (NT-14)
  assign owed = lost && !error_last_i;
  assign msg_valid_o = {block && (lost || send_hist),
                        block && (lost ? owed : (resolve || send_icnt))};
  assign msg_o       = {tcode1, f4_1, ntrace_pkg::BtypeIndirect, {IcntBits{1'b0}}, iaddr_i, hist_new,
                        tcode0, f4_0, pend_btype, icnt0, addr0, hist};

  // Periodic sync count after the block, in the unit of sync_mode. Clock cycles are ntrace_event's.
  // It stops at 2^19, which every interval has reached.
  logic [1:0]             messages;
  logic [SyncCntBits-1:0] sync_step, sync_sum, sync_cnt_new;

  assign messages     = {1'b0, resolve || send_icnt} + {1'b0, send_hist};
  assign sync_step    =
      (sync_mode_i == ntrace_pkg::SyncModeMessages)  ? {{(SyncCntBits-2){1'b0}}, messages} :
      (sync_mode_i == ntrace_pkg::SyncModeHalfwords) ? {{(SyncCntBits-IRetireWidth){1'b0}}, iretire_i}
                                                     : {SyncCntBits{1'b0}};
  assign sync_sum     = sync_cnt[SyncCntBits-1] ? sync_cnt : sync_cnt + sync_step;
  // A sync message is not counted itself, but the block at which it was sent is.
  assign sync_cnt_new = !(resolve && res_has_sync) ? sync_sum :
                        (sync_mode_i == ntrace_pkg::SyncModeMessages) ? {SyncCntBits{1'b0}} : sync_step;

  // State after the block.
  logic [StateWidth-1:0] state_new;
  assign state_new = {1'b0, ntrace_pkg::SyncNone,
                      icnt_by_sync ? ntrace_pkg::PendIcntSync : flow_pend, flow_btype, sync_cnt_new,
                      send_icnt ? {IcntBits{1'b0}} : icnt_new,
                      send_hist ? HistEmpty : hist_new,
                      (resolve && res_moves_ref) ? iaddr_i : addr_ref};
  assign state_o   = block ? state_new : state_i;

endmodule
