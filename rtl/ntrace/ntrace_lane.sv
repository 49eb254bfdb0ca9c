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
  parameter int StateWidth   = 9 + ntrace_pkg::SyncCntBits + IcntBits + HistBits + Xlen - 1
) (
  // Blocks of this beat are traced.
  input  logic                    active_i,
  input  logic                    htm_i,
  input  logic                    rc7_i,
  input  logic                    btype_ext_i,
  input  logic [1:0]              sync_mode_i,
  input  logic [3:0]              sync_max_i,

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

  logic block, trap;
  assign trap  = trace_pkg::is_trap(itype_i);
  assign block = active_i && ((iretire_i != '0) || trap);

  // Periodic sync: the count has reached 2^(sync_max+4).
  logic due;
  assign due = (sync_mode_i != ntrace_pkg::SyncModeOff) &&
               ((sync_cnt >> ({1'b0, sync_max_i} + 5'd4)) != '0);

  logic use_hist;
  assign use_hist = htm_i && (hist != HistEmpty);

  // 4.1 Resolve: what this block's address completes. At most one of these.
  logic       resolve;
  logic [5:0] res_tcode;
  logic [3:0] res_sync;
  logic [1:0] res_btype;

  always_comb begin
    resolve   = 1'b1;
    res_tcode = ntrace_pkg::TcodeProgTraceSync;
    res_sync  = ntrace_pkg::SyncPeriodic;
    res_btype = ntrace_pkg::BtypeIndirect;
    if (lost) begin
      res_sync = ntrace_pkg::SyncOverrun;
    end else if (start != ntrace_pkg::SyncNone) begin
      res_sync = start;
    end else begin
      case (pend)
        ntrace_pkg::PendIndirect: begin
          res_btype = pend_btype;
          case ({use_hist, due})
            2'b00:   res_tcode = ntrace_pkg::TcodeIndirectBranch;
            2'b01:   res_tcode = ntrace_pkg::TcodeIndirectBranchSync;
            2'b10:   res_tcode = ntrace_pkg::TcodeIndirectBranchHist;
            default: res_tcode = ntrace_pkg::TcodeIndirectBranchHistSync;
          endcase
        end
        ntrace_pkg::PendDirect: begin
          res_tcode = due ? ntrace_pkg::TcodeDirectBranchSync : ntrace_pkg::TcodeDirectBranch;
        end
        ntrace_pkg::PendIcntSync: begin
          res_tcode = ntrace_pkg::TcodeIndirectBranchHistSync;
          res_sync  = ntrace_pkg::SyncIcnt;
        end
        default: begin
          resolve = due;
          if (use_hist) res_tcode = ntrace_pkg::TcodeIndirectBranchHistSync;
        end
      endcase
    end
  end

  logic res_has_sync, res_moves_ref;
  assign res_has_sync  = ntrace_pkg::has_sync(res_tcode);
  assign res_moves_ref = ntrace_pkg::has_addr(res_tcode);

  // 4.2 Count the block. A full counter can only follow when nothing was resolved, because a
  // single block fills neither: so `icnt_sum` needs no look at `resolve`.
  logic [IcntBits-1:0] iretire_ext, icnt_sum, icnt_new;
  logic [HistBits-1:0] hist_base, hist_new;

  assign iretire_ext = {{(IcntBits-IRetireWidth){1'b0}}, iretire_i};
  assign icnt_sum    = icnt + iretire_ext;
  assign icnt_new    = resolve ? iretire_ext : icnt_sum;
  assign hist_base   = resolve ? HistEmpty : hist;
  assign hist_new    = (htm_i && trace_pkg::is_branch(itype_i)) ?
                       {hist_base[HistBits-2:0], itype_i == trace_pkg::ItypeTaken} : hist_base;

  // 4.3 What the block leaves pending; 4.4 full counters, reported only if it leaves nothing.
  logic [1:0] flow_pend, flow_btype;
  logic       full_icnt, full_hist, icnt_by_sync, send_icnt, send_hist;

  always_comb begin
    flow_pend  = ntrace_pkg::PendNone;
    flow_btype = ntrace_pkg::BtypeIndirect;
    if (trap) begin
      flow_pend = ntrace_pkg::PendIndirect;
      if (!btype_ext_i) begin
        flow_btype = ntrace_pkg::BtypeTrap;
      end else if (itype_i == trace_pkg::ItypeException) begin
        flow_btype = ntrace_pkg::BtypeException;
      end else begin
        flow_btype = ntrace_pkg::BtypeInterrupt;
      end
    end else if (trace_pkg::is_uninferable(itype_i)) begin
      flow_pend = ntrace_pkg::PendIndirect;
    end else if (!htm_i && (itype_i == trace_pkg::ItypeTaken)) begin
      flow_pend = ntrace_pkg::PendDirect;
    end
  end

  assign full_icnt    = icnt_sum[IcntBits-1] && !resolve && (flow_pend == ntrace_pkg::PendNone);
  assign icnt_by_sync = full_icnt && rc7_i && htm_i && (hist_new != HistEmpty);
  assign send_icnt    = full_icnt && !icnt_by_sync;
  assign full_hist    = hist_new[HistBits-1] && (flow_pend == ntrace_pkg::PendNone);
  assign send_hist    = full_hist && !icnt_by_sync;

  // The messages. After a loss slot 0 has the Error and slot 1 the sync that follows it.
  logic [5:0]          a_tcode, b_tcode;
  logic [3:0]          a_f4, b_f4;
  logic [IcntBits-1:0] a_icnt;
  logic [Xlen-2:0]     a_addr;

  always_comb begin
    a_tcode = res_tcode;
    a_f4    = res_sync;
    a_icnt  = icnt;
    if (lost) begin
      a_tcode = ntrace_pkg::TcodeError;
      a_f4    = ntrace_pkg::EtypeOverrun;
      a_icnt  = EcodeLost;
    end else if (!resolve) begin
      a_tcode = ntrace_pkg::TcodeResourceFull;
      a_f4    = ntrace_pkg::RcodeIcnt;
      a_icnt  = icnt_sum;
    end
  end

  assign a_addr  = res_has_sync ? iaddr_i : iaddr_i ^ addr_ref;
  assign b_tcode = lost ? ntrace_pkg::TcodeProgTraceSync : ntrace_pkg::TcodeResourceFull;
  assign b_f4    = lost ? ntrace_pkg::SyncOverrun : ntrace_pkg::RcodeHist;

  assign msg_valid_o = {block && (lost || send_hist), block && (resolve || send_icnt)};
  assign msg_o       = {b_tcode, b_f4, ntrace_pkg::BtypeIndirect, {IcntBits{1'b0}}, iaddr_i, hist_new,
                        a_tcode, a_f4, res_btype, a_icnt, a_addr, hist};

  // Periodic sync count after the block. It stops at 2^19, which every interval has reached.
  logic [SyncCntBits-1:0] sync_step, sync_cnt_new;
  logic                   sync_cnt_full;
  assign sync_cnt_full = sync_cnt[SyncCntBits-1];

  always_comb begin
    case (sync_mode_i)
      ntrace_pkg::SyncModeMessages: begin
        sync_step = {{(SyncCntBits-2){1'b0}}, {1'b0, (resolve && !res_has_sync) || send_icnt} +
                                              {1'b0, send_hist}};
      end
      ntrace_pkg::SyncModeHalfwords: sync_step = {{(SyncCntBits-IRetireWidth){1'b0}}, iretire_i};
      default:                       sync_step = '0;
    endcase
    if (resolve && res_has_sync) begin
      sync_cnt_new = sync_step;
    end else if (sync_cnt_full) begin
      sync_cnt_new = sync_cnt;
    end else begin
      sync_cnt_new = sync_cnt + sync_step;
    end
  end

  // State after the block.
  always_comb begin
    state_o = state_i;
    if (block) begin
      state_o = {1'b0, ntrace_pkg::SyncNone,
                 icnt_by_sync ? ntrace_pkg::PendIcntSync : flow_pend, flow_btype, sync_cnt_new,
                 send_icnt ? {IcntBits{1'b0}} : icnt_new,
                 send_hist ? HistEmpty : hist_new,
                 (resolve && res_moves_ref) ? iaddr_i : addr_ref};
    end
  end

endmodule
