// SPDX-License-Identifier: Apache-2.0
// N-Trace encoder: ingress port to N-Trace bytes.
//
// What it sends, byte for byte, is docs/reference/ntrace-profile.md; how it is built, docs/reference/rtl-ntrace.md.
module ntrace_encoder
#(
  parameter int Xlen         = 64,  // 32 or 64
  parameter int NBlocks      = 1,   // blocks a cycle, 1 or 2
  parameter int IRetireWidth = 7,
  parameter int IcntBits     = 22,  // at most 22; more than IRetireWidth
  parameter int HistBits     = 32,  // 4 to 32, stop bit included
  parameter int FifoDepth    = 16,  // messages; a power of two, at least 5*NBlocks+1
  parameter int OutBytes     = 8,   // at least 1
  parameter int StackDepth   = 8,   // return stack, 1 to 32; 0: none, and no implicit returns
  parameter int RepeatBits   = 18,  // HREPEAT and B-CNT, 2 to 18
  parameter int TsWidth      = 64,  // timestamp, 8 to 64
  parameter int NFilters     = 2,   // 1 to 16
  parameter int NComps       = 2,   // 1 to 8
  // What is built. The rest costs nothing: an input that asks for it counts as 0 (rc7_i: as the variant that is built).
  parameter bit RatifiedEn        = 1'b1,     // ratified 1.0
  parameter bit Rc7En             = 1'b1,     // 1.0.0_rc7
  parameter bit HtmEn             = 1'b1,     // HTM; every mode is BTM without it
  parameter bit RepeatedHistoryEn = 1'b1,     // options of that name
  parameter bit RepeatBranchEn    = 1'b1,
  parameter bit SequentialJumpEn  = 1'b1,
  parameter bit AllJumpsEn        = 1'b1,
  parameter bit BtypeExtEn        = 1'b1,
  parameter bit ContextEn         = 1'b1,     // Ownership messages
  parameter bit HcontextEn        = 1'b1,     // hcontext in them
  parameter bit TimestampEn       = 1'b1,     // TSTAMP
  parameter bit SrcEn             = 1'b1,     // SRC
  parameter bit ExtendAddrEn      = 1'b1,     // trTeInstExtendAddrMSB
  parameter bit VendorEn          = 1'b1,     // vendor-defined messages
  parameter bit [3:0] SyncModes   = 4'b1111,  // bit m: trTeInstSyncMode m; bit 0 is always built
  parameter bit FilterEn          = 1'b1      // filters and comparators
) (
  input  logic                             clk_i,
  input  logic                             rst_ni,

  // Levels, and pulses of one cycle; sampled with every accepted beat.
  input  logic                             enable_i,        // trTeEnable and trTeActive
  input  logic                             inst_tracing_i,  // trTeInstTracing
  input  logic                             halted_i,        // the hart is in Debug Mode
  input  logic                             in_reset_i,      // the hart is in reset
  input  logic                             low_power_i,     // the hart sleeps or has no power
  input  logic                             notify_i,        // a debug trigger with action 4 fired
  input  logic                             ext_notify_i,    // an external trigger with action 4 fired
  input  logic [5:0]                       vendor_tcode_i,  // 56 to 62: a vendor-defined message; 0: none
  input  logic [31:0]                      vendor_data_i,

  // Controls: change them only while enable_i is 0, and those of SRC and TSTAMP only while empty_o is 1.
  input  logic [2:0]                       inst_mode_i,     // trTeInstMode: 3 BTM, 6 HTM
  input  logic [1:0]                       sync_mode_i,     // trTeInstSyncMode
  input  logic [3:0]                       sync_max_i,      // trTeInstSyncMax
  input  logic                             stall_ena_i,     // trTeInstStallEna
  input  logic                             rc7_i,           // 1: 1.0.0_rc7, 0: ratified 1.0
  input  logic                             btype_ext_i,     // B-TYPE 2 and 3 instead of 1
  input  logic [3:0]                       src_bits_i,      // trTeSrcBits
  input  logic [11:0]                      src_id_i,        // trTeSrcID
  input  logic                             inhibit_src_i,   // trTeInhibitSrc
  input  logic                             ts_enable_i,     // trTsEnable
  input  logic [TsWidth-1:0]               tstamp_i,        // the time, of every cycle
  input  logic                             context_ena_i,   // trTeContext
  input  logic                             hcontext_ena_i,  // the hart has hcontext
  input  logic                             extend_addr_msb_i,   // trTeInstExtendAddrMSB
  input  logic [1:0]                       implicit_return_i,   // trTeInstImplicitReturnMode; 0: not enabled
  input  logic                             repeated_history_i,  // trTeInstEnRepeatedHistory
  input  logic                             repeat_branch_i,     // RepeatBranch messages
  input  logic                             sequential_jump_i,   // trTeInstEnSequentialJump
  input  logic                             all_jumps_i,         // trTeInstEnAllJumps

  // Filters: layouts in trace_filter.
  input  logic [15:0]                      filters_i,       // trTeInstFilters
  input  logic [NFilters*128-1:0]          filter_cfg_i,
  input  logic [NComps*160-1:0]            comp_cfg_i,

  // Ingress port: lane k in bits k*W +: W, lane 0 is the oldest block.
  input  logic [NBlocks*4-1:0]             ing_itype_i,
  input  logic [NBlocks*Xlen-1:0]          ing_iaddr_i,
  input  logic [NBlocks*IRetireWidth-1:0]  ing_iretire_i,
  input  logic [NBlocks-1:0]               ing_ilastsize_i,
  input  logic [NBlocks-1:0]               ing_sijump_i,
  input  logic [NBlocks*8-1:0]             ing_cause_i,
  input  logic [NBlocks*Xlen-1:0]          ing_tval_i,
  input  logic [NBlocks*3-1:0]             ing_priv_i,      // {V, PRV}
  input  logic [NBlocks*32-1:0]            ing_context_i,
  input  logic [NBlocks*16-1:0]            ing_hcontext_i,
  output logic                             ing_ready_o,

  // Status.
  output logic                             drop_o,          // this beat is taken without room
  output logic                             empty_o,         // no message queued or owed
  output logic                             overflow_o,      // pulse: messages were lost

  // Byte stream: byte 0 in bits 7:0 is first; bytes from out_nbytes_o on are 0.
  output logic                             out_valid_o,
  output logic [$clog2(OutBytes+1)-1:0]    out_nbytes_o,
  output logic [8*OutBytes-1:0]            out_data_o,
  input  logic                             out_ready_i
);

  localparam int DescWidth = ntrace_layout_pkg::message_bits(Xlen - 1, HistBits, TsWidth);
  localparam int NMsg      = ntrace_state_pkg::LaneSlots*NBlocks + 1;  // the most messages a beat can make
  localparam int CountBits = $clog2(FifoDepth + 1);
  localparam logic [CountBits-1:0] RoomLimit = FifoDepth[CountBits-1:0] - NMsg[CountBits-1:0];

  // What is not built is off.
  logic                  variant;
  logic [2:0]            inst_mode;
  logic [1:0]            sync_mode, implicit_return;
  logic [5:0]            vendor_tcode;
  logic [TsWidth-1:0]    tstamp;
  logic [3:0]            src_bits;
  logic [15:0]           filters;
  logic [NComps*160-1:0] comp_cfg;
  assign variant         = Rc7En && (rc7_i || !RatifiedEn);
  assign inst_mode       = HtmEn ? inst_mode_i : 3'd0;
  assign sync_mode       = {sync_mode_i[1] && (sync_mode_i[0] ? SyncModes[3] : SyncModes[2]),
                            sync_mode_i[0] && (sync_mode_i[1] ? SyncModes[3] : SyncModes[1])};
  assign implicit_return = (StackDepth > 0) ? implicit_return_i : ntrace_pkg::ReturnOff;
  assign vendor_tcode    = VendorEn ? vendor_tcode_i : 6'd0;
  assign tstamp          = TimestampEn ? tstamp_i : {TsWidth{1'b0}};
  assign src_bits        = SrcEn ? src_bits_i : 4'd0;
  assign filters         = FilterEn ? filters_i : 16'd0;
  assign comp_cfg        = FilterEn ? comp_cfg_i : {NComps*160{1'b0}};

  // Instruction addresses are even: bit 0 ends here.
  logic [NBlocks*(Xlen-1)-1:0] iaddr;
  for (genvar k = 0; k < NBlocks; k++) begin : gen_iaddr
    assign iaddr[(Xlen-1)*k +: Xlen-1] = ing_iaddr_i[Xlen*k+1 +: Xlen-1];
  end

  logic [NMsg-1:0]           msg_valid;
  logic [NMsg*DescWidth-1:0] msg;
  logic                      lost;
  logic [CountBits-1:0]      count;
  logic [NMsg:0]             fits;
  logic                      room;
  logic                      desc_valid, desc_ready;
  logic [DescWidth-1:0]      desc;

  // Room for everything a beat can make, on top of what is queued or on its way to the queue: fits[n] if n on their way
  // leave it. Each one on its way moves the places up by one.
  for (genvar n = 0; n <= NMsg; n++) begin : gen_fits
    localparam int Used = n;
    if (FifoDepth - NMsg < n) begin : gen_never
      assign fits[n] = 1'b0;
    end else begin : gen_limit
      assign fits[n] = (count <= RoomLimit - Used[CountBits-1:0]);
    end
  end
  for (genvar k = 0; k < NMsg; k++) begin : gen_in_flight
    logic [NMsg:0] left;
    if (k == 0) begin : gen_first
      assign left = msg_valid[0] ? {1'b0, fits[NMsg:1]} : fits;
    end else begin : gen_next
      assign left = msg_valid[k] ? {1'b0, gen_in_flight[k-1].left[NMsg:1]} : gen_in_flight[k-1].left;
    end
  end
  assign room        = gen_in_flight[NMsg-1].left[0];
  assign ing_ready_o = room || !stall_ena_i;
  assign drop_o      = !room && !stall_ena_i;

  // trTeFilterMatchChoicePrivilege has a bit for each code that E-Trace gives a privilege: 5 VU, 6 VS.
  logic [NBlocks-1:0]   qualified, watch;
  logic [NBlocks*3-1:0] filter_priv;
  for (genvar k = 0; k < NBlocks; k++) begin : gen_filter_priv
    assign filter_priv[3*k +: 3] = trace_pkg::priv_code(ing_priv_i[3*k +: 3]);
  end

  trace_filter #(
    .Xlen         (Xlen),
    .NBlocks      (NBlocks),
    .IRetireWidth (IRetireWidth),
    .NFilters     (NFilters),
    .NComps       (NComps)
  ) u_filter (
    .clk_i,
    .rst_ni,
    .enable_i,
    .accept_i      (ing_ready_o),
    .filters_i     (filters),
    .filter_cfg_i,
    .comp_cfg_i    (comp_cfg),
    .ing_itype_i,
    .ing_iaddr_i,
    .ing_iretire_i,
    .ing_cause_i,
    .ing_tval_i,
    .ing_priv_i    (filter_priv),
    .ing_context_i,
    .qualified_o   (qualified),
    .notify_o      (watch)
  );

  ntrace_event #(
    .Xlen         (Xlen),
    .NBlocks      (NBlocks),
    .IRetireWidth (IRetireWidth),
    .IcntBits     (IcntBits),
    .HistBits     (HistBits),
    .StackDepth   (StackDepth),
    .RepeatBits   (RepeatBits),
    .TsWidth      (TsWidth),
    .HtmEn             (HtmEn),
    .RepeatedHistoryEn (RepeatedHistoryEn),
    .RepeatBranchEn    (RepeatBranchEn),
    .ContextEn         (ContextEn),
    .HcontextEn        (HcontextEn)
  ) u_event (
    .clk_i,
    .rst_ni,
    .enable_i,
    .inst_tracing_i,
    .halted_i,
    .in_reset_i,
    .low_power_i,
    .notify_i,
    .ext_notify_i,
    .vendor_tcode_i     (vendor_tcode),
    .vendor_data_i,
    .tstamp_i           (tstamp),
    .inst_mode_i        (inst_mode),
    .sync_mode_i        (sync_mode),
    .sync_max_i,
    .rc7_i              (variant),
    .btype_ext_i        (btype_ext_i && BtypeExtEn),
    .context_ena_i      (context_ena_i && ContextEn),
    .hcontext_ena_i     (hcontext_ena_i && HcontextEn),
    .implicit_return_i  (implicit_return),
    .repeated_history_i (repeated_history_i && RepeatedHistoryEn),
    .repeat_branch_i    (repeat_branch_i && RepeatBranchEn),
    .sequential_jump_i  (sequential_jump_i && SequentialJumpEn),
    .all_jumps_i        (all_jumps_i && AllJumpsEn),
    .accept_i      (ing_ready_o),
    .drop_i        (drop_o),
    .ing_itype_i,
    .ing_iaddr_i   (iaddr),
    .ing_iretire_i,
    .ing_ilastsize_i,
    .ing_sijump_i,
    .ing_priv_i,
    .ing_context_i,
    .ing_hcontext_i,
    .qualified_i   (qualified),
    .watch_i       (watch),
    .msg_valid_o   (msg_valid),
    .msg_o         (msg),
    .lost_o        (lost),
    .overflow_o
  );

  trace_fifo_multi #(
    .Width (DescWidth),
    .Depth (FifoDepth),
    .NPush (NMsg)
  ) u_fifo (
    .clk_i,
    .rst_ni,
    .push_valid_i (msg_valid),
    .push_data_i  (msg),
    .valid_o      (desc_valid),
    .data_o       (desc),
    .ready_i      (desc_ready),
    .count_o      (count)
  );

  ntrace_packer #(
    .Xlen     (Xlen),
    .HistBits (HistBits),
    .TsWidth  (TsWidth),
    .OutBytes (OutBytes)
  ) u_packer (
    .clk_i,
    .rst_ni,
    .src_bits_i   (inhibit_src_i ? 4'd0 : src_bits),
    .src_id_i,
    .ts_enable_i  (ts_enable_i && TimestampEn),
    .extend_i     (extend_addr_msb_i && ExtendAddrEn),
    .desc_valid_i (desc_valid),
    .desc_i       (desc),
    .desc_ready_o (desc_ready),
    .out_valid_o,
    .out_nbytes_o,
    .out_data_o,
    .out_ready_i
  );

  logic unused_room;  // for more than one beat
  assign unused_room = ^gen_in_flight[NMsg-1].left;

  assign empty_o = (msg_valid == '0) && !desc_valid && !out_valid_o && !lost;

endmodule
