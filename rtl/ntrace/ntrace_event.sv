// SPDX-License-Identifier: Apache-2.0
// One beat through the N-Trace algorithm: docs/reference/ntrace-profile.md from "Stop" to "Overflow and stall".
//
// Holds the encoder state and gives up to 5*NBlocks+1 message descriptors (ntrace_pkg), registered, in
// slot order. Lane k has slots 5k to 5k+4, the last slot is the vendor-defined message's. Messages that no block makes
// use those of lane 0: it has no block then, because lanes are traced only while tracing is on and the hart runs.
module ntrace_event
#(
  parameter int Xlen         = 64,
  parameter int NBlocks      = 1,
  parameter int IRetireWidth = 7,
  parameter int IcntBits     = 22,
  parameter int HistBits     = 32,
  parameter int StackDepth   = 8,   // 0: none
  parameter int RepeatBits   = 18,
  parameter int TsWidth      = 64,
  // What is built (ntrace_encoder); the inputs of the rest are 0.
  parameter bit HtmEn             = 1'b1,
  parameter bit RepeatedHistoryEn = 1'b1,
  parameter bit RepeatBranchEn    = 1'b1,
  parameter bit ContextEn         = 1'b1,
  parameter bit HcontextEn        = 1'b1,
  // Derived, do not set.
  parameter int NMsg         = ntrace_state_pkg::LaneSlots*NBlocks + 1,
  parameter int DescWidth    = ntrace_layout_pkg::message_bits(Xlen - 1, HistBits, TsWidth)
) (
  input  logic                             clk_i,
  input  logic                             rst_ni,

  // Levels, pulses and time of the beat.
  input  logic                             enable_i,
  input  logic                             inst_tracing_i,
  input  logic                             halted_i,
  input  logic                             in_reset_i,
  input  logic                             low_power_i,
  input  logic                             notify_i,
  input  logic                             ext_notify_i,
  input  logic [5:0]                       vendor_tcode_i,
  input  logic [31:0]                      vendor_data_i,
  input  logic [TsWidth-1:0]               tstamp_i,

  input  logic [2:0]                       inst_mode_i,
  input  logic [1:0]                       sync_mode_i,
  input  logic [3:0]                       sync_max_i,
  input  logic                             rc7_i,
  input  logic                             btype_ext_i,
  input  logic                             context_ena_i,
  input  logic                             hcontext_ena_i,
  input  logic [1:0]                       implicit_return_i,
  input  logic                             repeated_history_i,
  input  logic                             repeat_branch_i,
  input  logic                             sequential_jump_i,
  input  logic                             all_jumps_i,

  // The beat is taken in this cycle; with drop_i, there is no room for its messages.
  input  logic                             accept_i,
  input  logic                             drop_i,

  input  logic [NBlocks*4-1:0]             ing_itype_i,
  input  logic [NBlocks*(Xlen-1)-1:0]      ing_iaddr_i,  // address >> 1
  input  logic [NBlocks*IRetireWidth-1:0]  ing_iretire_i,
  input  logic [NBlocks-1:0]               ing_ilastsize_i,
  input  logic [NBlocks-1:0]               ing_sijump_i,
  input  logic [NBlocks*3-1:0]             ing_priv_i,
  input  logic [NBlocks*32-1:0]            ing_context_i,
  input  logic [NBlocks*16-1:0]            ing_hcontext_i,
  input  logic [NBlocks-1:0]               qualified_i,  // by the filters
  input  logic [NBlocks-1:0]               watch_i,      // watchpoints

  output logic [NMsg-1:0]                  msg_valid_o,
  output logic [NMsg*DescWidth-1:0]        msg_o,

  output logic                             lost_o,       // an Error message is owed
  output logic                             overflow_o    // messages were lost
);

  localparam int Slots       = ntrace_state_pkg::LaneSlots;
  localparam int SyncCntBits = trace_pkg::SyncCountBits;
  localparam int OwnBits     = ntrace_layout_pkg::OwnBits;
  localparam int MsgWidth    = ntrace_layout_pkg::message_lane_bits(Xlen - 1, HistBits);
  localparam int StateWidth  = ntrace_layout_pkg::state_bits(IcntBits, HistBits, Xlen - 1);
  localparam int HeldWidth   = ntrace_layout_pkg::held_bits(IcntBits, HistBits, Xlen - 1, RepeatBits);
  localparam int Depth       = (StackDepth > 0) ? StackDepth : 1;  // nothing is pushed onto what is not there
  localparam int StackWidth  = ntrace_state_pkg::stack_width(Xlen, Depth);
  localparam int StackCntBits = $clog2(Depth + 1);
  localparam int EntriesWidth = Depth*(Xlen - 1);

  // State that is not built has its value of rest.
  localparam int RbWidth = ntrace_layout_pkg::held_rb_bits(IcntBits, HistBits, Xlen - 1, RepeatBits);
  localparam logic [HeldWidth-1:0]  HeldBuilt  = {{(HeldWidth-RbWidth){RepeatedHistoryEn != 1'b0}},
                                                  {RbWidth{RepeatBranchEn != 1'b0}}};
  localparam logic [OwnBits-1:0]    OwnBuilt   = {{(OwnBits-ntrace_layout_pkg::OwnContext){ContextEn != 1'b0}},
                                                  {ntrace_layout_pkg::OwnContext{ContextEn && HcontextEn}}};
  localparam logic [StackWidth-1:0] StackBuilt = {StackWidth{StackDepth > 0}};
  localparam logic [HistBits-1:0]   HistEmpty  = {{(HistBits-1){1'b0}}, 1'b1};

  // Levels of the previous accepted beat.
  logic enable_q, tracing_q, halted_q, in_reset_q, low_power_q, htm_q;

  // The encoder state between beats (ntrace_layout_pkg). What is carried is nothing, all 0, but for the stop bit of HIST.
  localparam int HistAt       = ntrace_layout_pkg::state_hist(IcntBits);
  localparam int PoppedAddrAt = ntrace_layout_pkg::state_popped_addr(IcntBits, HistBits);
  localparam int AddrRefAt    = ntrace_layout_pkg::state_addr_ref(IcntBits, HistBits, Xlen - 1);
  localparam int CarriedAt    = ntrace_layout_pkg::StateStart;
  localparam int CarriedWidth = ntrace_layout_pkg::state_carried_bits(IcntBits, HistBits);
  localparam logic [CarriedWidth-1:0] CarriedNone = {{(CarriedWidth-1){1'b0}}, 1'b1} << (HistAt - CarriedAt);

  logic                    lost_q;
  logic [CarriedWidth-1:0] carried_q;
  logic [SyncCntBits-1:0]  sync_cnt_q;
  logic [Xlen-2:0]         popped_addr_q, addr_ref_q;
  logic [TsWidth-1:0]      pend_time_q;
  logic [HeldWidth-1:0]    held_q;
  logic [StackCntBits-1:0] stack_count_q;
  logic [EntriesWidth-1:0] stack_q;
  logic [OwnBits-1:0]      own_q;

  wire [3:0] start_q    = carried_q[ntrace_layout_pkg::StateStart - CarriedAt +: 4];
  wire       filtered_q = carried_q[ntrace_layout_pkg::StateFiltered - CarriedAt];

  // After an Error only a sync may follow (NT-14); what the Error will say of what was lost.
  logic error_last_q, lost_own_q, lost_vendor_q;

  // inst_mode may change only while enable is 0, so the mode in force is the last enabled beat's
  // even in the beat that clears enable: its ProgTraceCorrelation closes a trace of that mode.
  logic tracing, htm;
  assign tracing = enable_i && inst_tracing_i && !halted_i && !low_power_i;
  assign htm     = enable_q ? htm_q : (inst_mode_i == ntrace_pkg::InstModeHtm);

  // Steps 1 to 3: edges of the levels. All are skipped while messages are lost.
  logic stop, stop_reported, halt_rose, halt_fell, sleep_rose, marker, hart_reset;
  assign halt_rose  = halted_i && !halted_q;
  assign halt_fell  = !halted_i && halted_q;
  assign sleep_rose = low_power_i && !low_power_q;
  assign stop       = tracing_q && !tracing;
  assign stop_reported = stop && (!filtered_q || halt_rose || sleep_rose);
  assign marker     = !tracing_q && !tracing && enable_i && enable_q && !inst_tracing_i &&
                      (halt_rose || (halt_fell && rc7_i));
  assign hart_reset = in_reset_i && !in_reset_q && tracing && tracing_q && !filtered_q && !lost_q;

  logic [3:0] start;
  assign start = (hart_reset && (start_q != ntrace_pkg::SyncNone)) ? ntrace_pkg::SyncReset :
                 !(tracing && !tracing_q && !lost_q) ? start_q :
                 halted_q    ? ntrace_pkg::SyncExitDebug :
                 low_power_q ? ntrace_pkg::SyncPowerUp :
                 in_reset_q  ? ntrace_pkg::SyncReset : ntrace_pkg::SyncEnable;

  // Messages of a beat without blocks: an Error alone, or a correlation. Lane 0 makes them.
  logic       error_valid, correlation_valid, close, pend_reset;
  logic [3:0] evcode;
  logic [7:0] ecode;

  assign error_valid       = lost_q && !tracing && !drop_i && !error_last_q;
  assign correlation_valid = !lost_q && !error_last_q && (stop_reported || marker);
  assign close             = stop && !lost_q && !filtered_q;
  assign pend_reset        = hart_reset && (start_q == ntrace_pkg::SyncNone);
  assign evcode            = halt_rose            ? ntrace_pkg::EvcodeDebug :
                             (sleep_rose && stop) ? ntrace_pkg::EvcodeLowPower : ntrace_pkg::EvcodeDisable;
  assign ecode             = ntrace_pkg::EcodeProgramLost |
                             (lost_own_q    ? ntrace_pkg::EcodeOwnershipLost : 8'h00) |
                             (lost_vendor_q ? ntrace_pkg::EcodeVendorLost : 8'h00);

  // Step 4: the lanes, oldest first.
  logic                    lanes_active;
  logic [NBlocks-1:0]      lane_own;

  // What was carried, with the start of this beat.
  function automatic logic [CarriedWidth-1:0] started(input logic [CarriedWidth-1:0] carried, input logic [3:0] sync);
    started = carried;
    started[ntrace_layout_pkg::StateStart - CarriedAt +: 4] = sync;
    if (StackDepth == 0) started[ntrace_layout_pkg::StatePopped - CarriedAt] = 1'b0;
    if (!HtmEn) started[HistAt - CarriedAt +: HistBits] = HistEmpty;
  endfunction

  assign lanes_active = tracing && !in_reset_i && !(lost_q && drop_i);

  for (genvar k = 0; k < NBlocks; k++) begin : gen_lane
    logic [StateWidth-1:0]     state_in, state_out;
    logic [HeldWidth-1:0]      held_in, held_out;
    logic [StackWidth-1:0]     stack_in, stack_out;
    logic [OwnBits-1:0]        own_in, own_out;
    logic [Slots-1:0]          valid;
    logic [1:0]                late;
    logic                      ownership, lane_stop, lane_correlation, lane_reset, due_in, due_out;
    logic [Slots*MsgWidth-1:0] msg;

    if (k == 0) begin : gen_first
      assign state_in[ntrace_layout_pkg::StateLost]                   = lost_q;
      assign state_in[ntrace_layout_pkg::StateFresh]                  = 1'b0;
      assign state_in[ntrace_layout_pkg::StateSyncCnt +: SyncCntBits] = sync_cnt_q;
      assign state_in[CarriedAt +: CarriedWidth]                      = started(carried_q, start);
      assign state_in[PoppedAddrAt +: Xlen-1]                         = popped_addr_q;
      assign state_in[AddrRefAt +: Xlen-1]                            = addr_ref_q;
      assign held_in  = held_q & HeldBuilt;
      assign stack_in = {stack_count_q, stack_q} & StackBuilt;
      assign own_in   = own_q & OwnBuilt;
      assign due_in   = trace_pkg::sync_due(sync_mode_i, sync_max_i, sync_cnt_q);
      assign {lane_stop, lane_correlation, lane_reset} = {close, correlation_valid, pend_reset};
    end else begin : gen_next
      assign state_in = gen_lane[k-1].state_out;
      assign held_in  = gen_lane[k-1].held_out;
      assign stack_in = gen_lane[k-1].stack_out;
      assign own_in   = gen_lane[k-1].own_out;
      assign due_in   = gen_lane[k-1].due_out;
      assign {lane_stop, lane_correlation, lane_reset} = 3'b000;
    end

    ntrace_lane #(
      .Xlen         (Xlen),
      .IRetireWidth (IRetireWidth),
      .IcntBits     (IcntBits),
      .HistBits     (HistBits),
      .StackDepth   (Depth),
      .RepeatBits   (RepeatBits)
    ) u_lane (
      .active_i      (lanes_active),
      .htm_i         (htm),
      .rc7_i         (rc7_i),
      .btype_ext_i   (btype_ext_i),
      .sync_mode_i   (sync_mode_i),
      .sync_max_i    (sync_max_i),
      .implicit_return_i,
      .repeated_history_i,
      .repeat_branch_i,
      .sequential_jump_i,
      .all_jumps_i,
      .context_ena_i,
      .hcontext_ena_i,
      .error_last_i  (error_last_q),
      .ecode_i       (ecode),
      .stop_i        (lane_stop),
      .correlation_i (lane_correlation),
      .reset_i       (lane_reset),
      .evcode_i      (evcode),
      .itype_i       (ing_itype_i[4*k +: 4]),
      .iaddr_i       (ing_iaddr_i[(Xlen-1)*k +: Xlen-1]),
      .iretire_i     (ing_iretire_i[IRetireWidth*k +: IRetireWidth]),
      .ilastsize_i   (ing_ilastsize_i[k]),
      .sijump_i      (ing_sijump_i[k]),
      .priv_i        (ing_priv_i[3*k +: 3]),
      .context_i     (ing_context_i[32*k +: 32]),
      .hcontext_i    (ing_hcontext_i[16*k +: 16]),
      .qualified_i   (qualified_i[k]),
      .watch_i       (watch_i[k]),
      .due_i         (due_in),
      .due_o         (due_out),
      .state_i       (state_in),
      .state_o       (state_out),
      .held_i        (held_in),
      .held_o        (held_out),
      .stack_i       (stack_in),
      .stack_o       (stack_out),
      .own_i         (own_in),
      .own_o         (own_out),
      .msg_valid_o   (valid),
      .msg_late_o    (late),
      .msg_o         (msg),
      .ownership_o   (ownership)
    );
  end

  // State after the lanes. Step 5: what notifies marks the next block.
  logic [StateWidth-1:0]   after;
  logic [StackCntBits-1:0] after_stack_count;
  logic [EntriesWidth-1:0] after_stack;
  logic [CarriedWidth-1:0] after_carried;

  assign after = gen_lane[NBlocks-1].state_out;
  assign {after_stack_count, after_stack} = gen_lane[NBlocks-1].stack_out;

  wire                   after_lost       = after[ntrace_layout_pkg::StateLost];
  wire                   after_fresh      = after[ntrace_layout_pkg::StateFresh];
  wire [SyncCntBits-1:0] after_sync_cnt   = after[ntrace_layout_pkg::StateSyncCnt +: SyncCntBits];
  wire                   after_mark_event = after[ntrace_layout_pkg::StateMarkEvent];
  wire                   after_mark_ext   = after[ntrace_layout_pkg::StateMarkExt];

  // What is carried, with the marks.
  function automatic logic [CarriedWidth-1:0] marked(input logic [CarriedWidth-1:0] carried, input logic by_event,
                                                     input logic by_ext);
    marked = carried;
    marked[ntrace_layout_pkg::StateMarkEvent - CarriedAt] = by_event;
    marked[ntrace_layout_pkg::StateMarkExt - CarriedAt]   = by_ext;
  endfunction

  assign after_carried = marked(after[CarriedAt +: CarriedWidth], !after_lost && (after_mark_event || notify_i),
                                !after_lost && (after_mark_ext || ext_notify_i));

  // Step 6: the vendor-defined message, last in the beat.
  logic [NMsg-1:0] beat_valid;
  logic            lost_now, error_last_now, vendor, vendor_valid, any_made, any_msg, lose;

  assign lost_now       = tracing ? after_lost : (lost_q && drop_i);
  assign any_made       = |beat_valid[NMsg-2:0];
  assign error_last_now = any_made ? error_valid : error_last_q;
  assign vendor         = enable_i && (vendor_tcode_i != '0);
  assign vendor_valid   = vendor && !lost_now && !error_last_now;

  assign any_msg = any_made || vendor_valid;
  assign lose    = any_msg && drop_i;

  // Nothing is carried over a beat that is not traced or whose messages are lost.
  logic clear;
  assign clear = accept_i && (!tracing || lose);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      lost_q        <= 1'b0;
      carried_q     <= CarriedNone;
      held_q        <= '0;
      stack_count_q <= '0;
    end else if (clear) begin
      lost_q        <= lose || (lost_q && drop_i);
      carried_q     <= CarriedNone;
      held_q        <= '0;
      stack_count_q <= '0;
    end else if (accept_i) begin
      lost_q        <= after_lost;
      carried_q     <= after_carried;
      held_q        <= gen_lane[NBlocks-1].held_out;
      stack_count_q <= after_stack_count;
    end
  end

  // What is not cleared: the next message with SYNC gives it anew, or nothing points at it.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      addr_ref_q    <= '0;
      own_q         <= '0;
      pend_time_q   <= '0;
    end else if (accept_i) begin
      addr_ref_q    <= after[AddrRefAt +: Xlen-1];
      own_q         <= gen_lane[NBlocks-1].own_out;
      if (after_fresh) pend_time_q <= tstamp_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (accept_i) begin
      popped_addr_q <= after[PoppedAddrAt +: Xlen-1];
      stack_q       <= after_stack;
    end
  end

  // In a traced beat a sync follows the Error, so that only an Error alone is ever the last message.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      error_last_q  <= 1'b0;
      lost_own_q    <= 1'b0;
      lost_vendor_q <= 1'b0;
    end else if (accept_i) begin
      if (any_msg && !drop_i) error_last_q <= error_last_now;
      if (lose) begin
        lost_own_q    <= |lane_own;
        lost_vendor_q <= vendor_valid;
      end else if (lost_now && vendor) begin
        lost_vendor_q <= 1'b1;
      end
    end
  end

  // Clock cycles count whether the beat is taken or not; the cycle that sent a sync is cycle 0.
  logic [SyncCntBits-1:0] sync_cnt_beat, sync_cnt_d;
  assign sync_cnt_beat = clear ? {SyncCntBits{1'b0}} : accept_i ? after_sync_cnt : sync_cnt_q;

  trace_sync_count u_sync_count (
    .mode_i      (sync_mode_i),
    .clear_i     (1'b0),
    .messages_i  (4'd0),
    .cycles_i    ({{(SyncCntBits-1){1'b0}}, 1'b1}),
    .halfwords_i (8'd0),
    .count_i     (sync_cnt_beat),
    .count_o     (sync_cnt_d)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) sync_cnt_q <= '0;
    else         sync_cnt_q <= sync_cnt_d;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      enable_q    <= 1'b0;
      tracing_q   <= 1'b0;
      halted_q    <= 1'b0;
      in_reset_q  <= 1'b0;
      low_power_q <= 1'b0;
      htm_q       <= 1'b0;
    end else if (accept_i) begin
      enable_q    <= enable_i;
      tracing_q   <= tracing;
      halted_q    <= halted_i;
      in_reset_q  <= in_reset_i;
      low_power_q <= low_power_i;
      htm_q       <= htm;
    end
  end

  // The messages leave through a register: it parts the algorithm's path from the queue's.
  logic [NMsg-1:0]          beat_late;
  logic [NMsg*MsgWidth-1:0] beat_msg;
  logic                     overflow_q;

  for (genvar k = 0; k < NBlocks; k++) begin : gen_slots
    assign lane_own[k]                  = gen_lane[k].ownership;
    assign beat_valid[Slots*k +: Slots] = gen_lane[k].valid | {{(Slots-1){1'b0}}, (k == 0) && error_valid};
    assign beat_late[Slots*k +: Slots]  = {{(Slots-2){1'b0}}, gen_lane[k].late};
    assign beat_msg[Slots*MsgWidth*k +: Slots*MsgWidth] = gen_lane[k].msg;
  end
  assign beat_valid[NMsg-1] = vendor_valid;
  assign beat_late[NMsg-1]  = 1'b0;

  function automatic logic [MsgWidth-1:0] vendor_message(input logic [5:0] tcode, input logic [31:0] data);
    vendor_message = '0;
    vendor_message[ntrace_layout_pkg::MessageTcode +: 6] = tcode;
    vendor_message[ntrace_layout_pkg::MessageVar0 +: 32] = data;
  endfunction

  assign beat_msg[(NMsg-1)*MsgWidth +: MsgWidth] = vendor_message(vendor_tcode_i, vendor_data_i);

  ntrace_slots #(
    .NMsg     (NMsg),
    .MsgWidth (MsgWidth),
    .TsWidth  (TsWidth)
  ) u_slots (
    .clk_i,
    .rst_ni,
    .valid_i     ((accept_i && !drop_i) ? beat_valid : {NMsg{1'b0}}),
    .late_i      (beat_late),
    .msg_i       (beat_msg),
    .now_i       (tstamp_i),
    .pend_time_i (pend_time_q),
    .msg_valid_o,
    .msg_o
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) overflow_q <= 1'b0;
    else         overflow_q <= accept_i && lose;
  end

  logic unused_due;  // no lane follows
  assign unused_due = gen_lane[NBlocks-1].due_out;

  assign lost_o     = lost_q;
  assign overflow_o = overflow_q;

endmodule
