// One beat through the N-Trace algorithm: docs/ntrace-profile.md from "Stop" to "Overflow and stall".
//
// Holds the encoder state and gives up to 2*NBlocks message descriptors (ntrace_pkg), registered, in
// slot order. Lane k has slots 2k and 2k+1; messages that no block makes use slots 0 and 1, which are
// free then because lanes are traced only while tracing is on.
module ntrace_event
#(
  parameter int Xlen         = 64,
  parameter int NBlocks      = 1,
  parameter int IRetireWidth = 7,
  parameter int IcntBits     = 22,
  parameter int HistBits     = 32,
  // Derived, do not set.
  parameter int DescWidth    = ntrace_pkg::FixedBits + IcntBits + Xlen - 1 + HistBits
) (
  input  logic                             clk_i,
  input  logic                             rst_ni,

  input  logic                             enable_i,
  input  logic                             inst_tracing_i,
  input  logic                             halted_i,
  input  logic [2:0]                       inst_mode_i,
  input  logic [1:0]                       sync_mode_i,
  input  logic [3:0]                       sync_max_i,
  input  logic                             rc7_i,
  input  logic                             btype_ext_i,

  // The beat is taken in this cycle; with drop_i, there is no room for its messages.
  input  logic                             accept_i,
  input  logic                             drop_i,

  input  logic [NBlocks*4-1:0]             ing_itype_i,
  input  logic [NBlocks*(Xlen-1)-1:0]      ing_iaddr_i,  // address >> 1
  input  logic [NBlocks*IRetireWidth-1:0]  ing_iretire_i,

  output logic [2*NBlocks-1:0]             msg_valid_o,
  output logic [2*NBlocks*DescWidth-1:0]   msg_o,

  output logic                             lost_o,       // an Error message is owed
  output logic                             overflow_o    // messages were lost
);

  localparam int SyncCntBits = ntrace_pkg::SyncCntBits;
  localparam int StateWidth  = ntrace_pkg::StateFixedBits + IcntBits + HistBits + Xlen - 1;
  localparam logic [HistBits-1:0] HistEmpty = {{(HistBits-1){1'b0}}, 1'b1};
  localparam logic [IcntBits-1:0] EcodeLost = {{(IcntBits-3){1'b0}}, ntrace_pkg::EcodeProgramLost};
  localparam logic [IcntBits-1:0] IcntZero  = '0;

  // Levels of the previous accepted beat.
  logic enable_q, tracing_q, halted_q, htm_q;

  // The encoder state between beats.
  logic                   lost_q;
  logic [3:0]             start_q;
  logic [1:0]             pend_q, pend_btype_q;
  logic [SyncCntBits-1:0] sync_cnt_q;
  logic [IcntBits-1:0]    icnt_q;
  logic [HistBits-1:0]    hist_q;
  logic [Xlen-2:0]        addr_ref_q;

  // inst_mode may change only while enable is 0, so the mode in force is the last enabled beat's
  // even in the beat that clears enable: its ProgTraceCorrelation closes a trace of that mode.
  logic tracing, htm;
  assign tracing = enable_i && inst_tracing_i && !halted_i;
  assign htm     = enable_q ? htm_q : (inst_mode_i == ntrace_pkg::InstModeHtm);

  // Steps 1 to 3: edges of the levels. All are skipped while messages are lost.
  logic stop, halt_rose, halt_fell, marker, flush_direct;
  assign halt_rose = halted_i && !halted_q;
  assign halt_fell = !halted_i && halted_q;
  assign stop      = tracing_q && !tracing;
  assign marker    = !tracing_q && !tracing && enable_i && enable_q && !inst_tracing_i &&
                     (halt_rose || (halt_fell && rc7_i));
  assign flush_direct = stop && (pend_q == ntrace_pkg::PendDirect);

  logic [3:0] start;
  assign start = !(tracing && !tracing_q && !lost_q) ? start_q :
                 halted_q ? ntrace_pkg::SyncExitDebug : ntrace_pkg::SyncEnable;

  // Messages of a beat that is not traced: slot 0 is DirectBranch or Error, slot 1 the correlation.
  logic                edge_a_valid, edge_b_valid;
  logic [5:0]          edge_a_tcode;
  logic [IcntBits-1:0] edge_a_icnt, edge_b_icnt;
  logic [3:0]          evcode;

  // After an Error only a sync may follow (NT-14).
  logic error_last_q;
  assign edge_a_valid = lost_q ? (!tracing && !drop_i && !error_last_q) : flush_direct;
  assign edge_a_tcode = lost_q ? ntrace_pkg::TcodeError : ntrace_pkg::TcodeDirectBranch;
  assign edge_a_icnt  = lost_q ? EcodeLost : icnt_q;
  assign edge_b_valid = !lost_q && !error_last_q && (stop || marker);
  assign edge_b_icnt  = flush_direct ? IcntZero : icnt_q;
  assign evcode       = halt_rose ? ntrace_pkg::EvcodeDebug : ntrace_pkg::EvcodeDisable;

  logic [2*DescWidth-1:0] edge_msg;
  assign edge_msg = {ntrace_pkg::TcodeProgTraceCorrelation, evcode,
                     htm ? ntrace_pkg::CdfHist : ntrace_pkg::CdfNone,
                     edge_b_icnt, addr_ref_q, hist_q,
                     edge_a_tcode, ntrace_pkg::EtypeOverrun, ntrace_pkg::BtypeIndirect,
                     edge_a_icnt, addr_ref_q, hist_q};

  // Step 4: the lanes, oldest first.
  logic                   lanes_active;
  logic [2*NBlocks-1:0]   lane_valid;
  logic [StateWidth-1:0]  state_after;

  assign lanes_active = tracing && !(lost_q && drop_i);

  for (genvar k = 0; k < NBlocks; k++) begin : gen_lane
    logic [StateWidth-1:0]  state_in, state_out;
    logic [2*DescWidth-1:0] msg;

    if (k == 0) begin : gen_first
      assign state_in = {lost_q, start, pend_q, pend_btype_q, sync_cnt_q, icnt_q, hist_q, addr_ref_q};
    end else begin : gen_next
      assign state_in = gen_lane[k-1].state_out;
    end

    ntrace_lane #(
      .Xlen         (Xlen),
      .IRetireWidth (IRetireWidth),
      .IcntBits     (IcntBits),
      .HistBits     (HistBits)
    ) u_lane (
      .active_i     (lanes_active),
      .htm_i        (htm),
      .rc7_i        (rc7_i),
      .btype_ext_i  (btype_ext_i),
      .sync_mode_i  (sync_mode_i),
      .sync_max_i   (sync_max_i),
      .error_last_i (error_last_q),
      .itype_i      (ing_itype_i[4*k +: 4]),
      .iaddr_i      (ing_iaddr_i[(Xlen-1)*k +: Xlen-1]),
      .iretire_i    (ing_iretire_i[IRetireWidth*k +: IRetireWidth]),
      .state_i      (state_in),
      .state_o      (state_out),
      .msg_valid_o  (lane_valid[2*k +: 2]),
      .msg_o        (msg)
    );
  end

  assign state_after = gen_lane[NBlocks-1].state_out;

  // Slots of this beat.
  logic [2*NBlocks-1:0] beat_valid;
  logic                 any_msg, lose;

  assign any_msg = |beat_valid;
  assign lose    = any_msg && drop_i;

  // State after the beat.
  logic                   after_lost;
  logic [3:0]             after_start;
  logic [1:0]             after_pend, after_pend_btype;
  logic [SyncCntBits-1:0] after_sync_cnt;
  logic [IcntBits-1:0]    after_icnt;
  logic [HistBits-1:0]    after_hist;
  logic [Xlen-2:0]        after_addr_ref;

  assign {after_lost, after_start, after_pend, after_pend_btype, after_sync_cnt, after_icnt, after_hist,
          after_addr_ref} = state_after;

  // Nothing is carried over a beat that is not traced or whose messages are lost.
  logic clear;
  assign clear = accept_i && (!tracing || lose);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      lost_q       <= 1'b0;
      start_q      <= ntrace_pkg::SyncNone;
      pend_q       <= ntrace_pkg::PendNone;
      pend_btype_q <= ntrace_pkg::BtypeIndirect;
      icnt_q       <= '0;
      hist_q       <= HistEmpty;
      addr_ref_q   <= '0;
    end else if (clear) begin
      lost_q       <= lose || (lost_q && drop_i);
      start_q      <= ntrace_pkg::SyncNone;
      pend_q       <= ntrace_pkg::PendNone;
      pend_btype_q <= ntrace_pkg::BtypeIndirect;
      icnt_q       <= '0;
      hist_q       <= HistEmpty;
    end else if (accept_i) begin
      lost_q       <= after_lost;
      start_q      <= after_start;
      pend_q       <= after_pend;
      pend_btype_q <= after_pend_btype;
      icnt_q       <= after_icnt;
      hist_q       <= after_hist;
      addr_ref_q   <= after_addr_ref;
    end
  end

  // In a traced beat a sync follows the Error, so that only an Error alone is ever the last message.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni)                               error_last_q <= 1'b0;
    else if (accept_i && any_msg && !drop_i)   error_last_q <= !tracing && lost_q;
  end

  // Clock cycles count whether the beat is taken or not; the cycle that sent a sync is cycle 0.
  logic [SyncCntBits-1:0] sync_cnt_beat;
  logic                   sync_tick;
  assign sync_cnt_beat = clear ? {SyncCntBits{1'b0}} : accept_i ? after_sync_cnt : sync_cnt_q;
  assign sync_tick     = (sync_mode_i == ntrace_pkg::SyncModeCycles) && !sync_cnt_beat[SyncCntBits-1];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) sync_cnt_q <= '0;
    else         sync_cnt_q <= sync_cnt_beat + {{(SyncCntBits-1){1'b0}}, sync_tick};
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      enable_q  <= 1'b0;
      tracing_q <= 1'b0;
      halted_q  <= 1'b0;
      htm_q     <= 1'b0;
    end else if (accept_i) begin
      enable_q  <= enable_i;
      tracing_q <= tracing;
      halted_q  <= halted_i;
      htm_q     <= htm;
    end
  end

  // The messages leave through a register: it parts the algorithm's path from the queue's.
  logic [2*NBlocks-1:0] msg_valid_q;
  logic                 overflow_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      msg_valid_q <= '0;
      overflow_q  <= 1'b0;
    end else begin
      msg_valid_q <= (accept_i && !drop_i) ? beat_valid : '0;
      overflow_q  <= accept_i && lose;
    end
  end

  for (genvar k = 0; k < NBlocks; k++) begin : gen_msg
    logic [2*DescWidth-1:0] msg_d, msg_q;
    if (k == 0) begin : gen_first
      assign beat_valid[1:0] = tracing ? lane_valid[1:0] : {edge_b_valid, edge_a_valid};
      assign msg_d           = tracing ? gen_lane[0].msg : edge_msg;
    end else begin : gen_next
      assign beat_valid[2*k +: 2] = lane_valid[2*k +: 2];
      assign msg_d                = gen_lane[k].msg;
    end
    always_ff @(posedge clk_i) begin
      if (beat_valid[2*k])   msg_q[0 +: DescWidth]         <= msg_d[0 +: DescWidth];
      if (beat_valid[2*k+1]) msg_q[DescWidth +: DescWidth] <= msg_d[DescWidth +: DescWidth];
    end
    assign msg_o[2*DescWidth*k +: 2*DescWidth] = msg_q;
  end

  assign msg_valid_o = msg_valid_q;
  assign lost_o      = lost_q;
  assign overflow_o  = overflow_q;

endmodule
