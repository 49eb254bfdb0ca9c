// SPDX-License-Identifier: Apache-2.0
// E-Trace encoder: ingress port to packets, of the ratified 2.0 and of the draft of 2019.
//
// What it sends, bit for bit, is docs/reference/etrace-profile.md; how it is built, docs/reference/rtl-etrace.md.
module etrace_encoder
#(
  parameter int NBlocks         = 1,   // blocks a cycle: 1, 2 or 4
  parameter int IAddressWidth   = 64,  // 32 or 64
  parameter int IAddressLsb     = 1,   // 2: the hart has no 16-bit instructions
  parameter int ContextWidth    = 32,  // 1 to 32
  parameter bit NoContext       = 1'b0,
  parameter int TimeWidth       = 32,  // 1 to 64
  parameter bit NoTime          = 1'b1,
  parameter int PrivilegeWidth  = 3,   // 2 or 3
  parameter int EcauseWidth     = 6,   // 4 to 8
  parameter bit NoTval          = 1'b0,   // draft only
  parameter int IRetireWidth    = 7,   // 2 to 10
  parameter int BpredSize       = 6,   // entries of the branch predictor: 2^1 to 2^10; 0: none
  parameter int CacheSize       = 5,   // entries of the jump target cache: 2^1 to 2^10; 0: none
  parameter int CallCounterSize = 0,   // bits of the call counter, up to 8; 0: none
  parameter int ReturnStackSize = 4,   // entries of the return stack: 2^1 to 2^5; 0: none
  parameter int F0sWidth        = 1,   // 0 to 2
  parameter bit SijumpEn        = 1'b1,   // the hart tells sijump
  parameter int EncoderModeN    = 1,   // 1 to 4
  parameter int IOptionsN       = 6,   // 6 to 16
  parameter int DOptionsN       = 0,   // 0 to 8
  parameter int BcountBits      = 32,  // predicted branches are counted up to 30 + 2^BcountBits; draft: at most 16
  parameter int FifoDepth       = 32,  // a power of two, at least 2*NBlocks+1
  parameter int NFilters        = 2,   // 1 to 16
  parameter int NComps          = 2,   // 1 to 8
  // What is built. The rest costs nothing: an input that asks for it counts as 0 (draft_i: as the variant that is built).
  parameter bit RatifiedEn          = 1'b1,     // 2.0
  parameter bit DraftEn             = 1'b1,     // draft of 2019
  parameter bit ImplicitExceptionEn = 1'b1,     // options of that name
  parameter bit FullAddressEn       = 1'b1,
  parameter bit [3:0] SyncModes     = 4'b1111,  // bit m: trTeInstSyncMode m; bit 0 is always built
  parameter bit FilterEn            = 1'b1,     // filters and comparators
  parameter bit StampEn             = 1'b1,     // pkt_time_o
  parameter int StampWidth          = 16        // of it: 16 to 64
) (
  input  logic                             clk_i,
  input  logic                             rst_ni,

  // Levels, sampled with every accepted beat.
  input  logic                             enable_i,        // trTeEnable and trTeActive
  input  logic                             inst_tracing_i,  // trTeInstTracing
  input  logic                             halted_i,        // the hart is in Debug Mode
  input  logic                             in_reset_i,      // the hart is in reset
  input  logic [5:0]                       options_i,       // implicit_return, implicit_exception, full_address,
                                                            // jump_target_cache, branch_prediction, sijump
  // Controls: change them only while enable_i is 0 and empty_o is 1.
  input  logic                             draft_i,         // 1: draft of 2019, 0: 2.0
  input  logic [1:0]                       sync_mode_i,     // trTeInstSyncMode
  input  logic [3:0]                       sync_max_i,      // trTeInstSyncMax
  input  logic                             stall_ena_i,     // trTeInstStallEna

  // Filters: layouts in trace_filter.
  input  logic [15:0]                      filters_i,       // trTeInstFilters
  input  logic [NFilters*128-1:0]          filter_cfg_i,
  input  logic [NComps*160-1:0]            comp_cfg_i,

  // Ingress port: lane k in bits k*W +: W, lane 0 is the oldest block.
  input  logic [NBlocks*4-1:0]             ing_itype_i,
  input  logic [NBlocks*IAddressWidth-1:0] ing_iaddr_i,
  input  logic [NBlocks*IRetireWidth-1:0]  ing_iretire_i,
  input  logic [NBlocks-1:0]               ing_ilastsize_i,
  input  logic [NBlocks-1:0]               ing_sijump_i,
  input  logic [NBlocks-1:0]               ing_notify_i,    // report the last instruction of this block
  input  logic [7:0]                       ing_cause_i,
  input  logic [IAddressWidth-1:0]         ing_tval_i,
  input  logic [2:0]                       ing_priv_i,      // 0 U, 1 S, 3 M, 4 D, 5 VU, 6 VS
  input  logic [31:0]                      ing_context_i,
  input  logic [1:0]                       ing_ctype_i,
  input  logic [63:0]                      ing_time_i,
  output logic                             ing_ready_o,

  // Status.
  output logic                             drop_o,          // this beat is taken without room
  output logic                             empty_o,         // no packet queued or owed
  output logic                             overflow_o,      // pulse: packets were lost

  // Packets. Byte 0 of the payload is in bits 7:0; bytes from pkt_length_o on are 0.
  output logic                             pkt_valid_o,
  output logic [1:0]                       pkt_type_o,
  output logic [4:0]                       pkt_length_o,
  output logic [247:0]                     pkt_payload_o,
  output logic                             pkt_start_o,     // it is a 3.0
  output logic [StampWidth-1:0]            pkt_time_o,
  input  logic                             pkt_ready_i
);

  // What is not built is off.
  localparam bit HasReturns = (ReturnStackSize > 0) || (CallCounterSize > 0);
  logic [5:0]  options_asked;
  logic        variant;
  logic [1:0]  sync_mode;
  logic [15:0] filters;
  logic [63:0] beat_time;
  logic [NComps*160-1:0] comp_cfg;
  assign options_asked = {options_i[etrace_pkg::OptSijump] && SijumpEn,
                          options_i[etrace_pkg::OptBranchPrediction] && (BpredSize > 0),
                          options_i[etrace_pkg::OptJumpTargetCache] && (CacheSize > 0),
                          options_i[etrace_pkg::OptFullAddress] && FullAddressEn,
                          options_i[etrace_pkg::OptImplicitException] && ImplicitExceptionEn,
                          options_i[etrace_pkg::OptImplicitReturn] && HasReturns};
  assign variant       = DraftEn && (draft_i || !RatifiedEn);
  assign sync_mode     = {sync_mode_i[1] && (sync_mode_i[0] ? SyncModes[3] : SyncModes[2]),
                          sync_mode_i[0] && (sync_mode_i[1] ? SyncModes[3] : SyncModes[1])};
  assign filters       = FilterEn ? filters_i : 16'd0;
  assign comp_cfg      = FilterEn ? comp_cfg_i : {NComps*160{1'b0}};
  assign beat_time     = !NoTime ? ing_time_i : StampEn ? ing_time_i & ~(~64'd0 << StampWidth) : 64'd0;

  // What a packet may tell of context and time; a timestamp has StampWidth bits of the latter.
  localparam int ContextBits = NoContext ? 1 : ContextWidth;
  localparam int TimeBits    = (NoTime || (TimeWidth < StampWidth)) ? StampWidth : TimeWidth;
  localparam int DescBits    = etrace_layout_pkg::desc_bits(
      StampWidth,
      etrace_layout_pkg::report_bits((CacheSize > 0) ? CacheSize : 1, ContextBits, TimeBits, IAddressWidth,
                                     IAddressWidth - IAddressLsb));
  localparam int NDesc       = 2*NBlocks + 1;  // the most descriptors a beat can make
  localparam int CountBits   = $clog2(FifoDepth + 1);
  localparam logic [CountBits-1:0] RoomLimit = FifoDepth[CountBits-1:0] - NDesc[CountBits-1:0];

  logic [NDesc-1:0]          beat_valid;
  logic [NDesc*DescBits-1:0] beat_desc;
  logic                      lost;
  logic [CountBits-1:0]      count;
  logic [NDesc:0]            fits;
  logic                      room;
  logic                      desc_valid, desc_ready;
  logic [DescBits-1:0]       desc;

  // Room for everything a beat can make, on top of what is queued or on its way to the queue: fits[n] if n on their way
  // leave it. Each one on its way moves the places up by one.
  for (genvar n = 0; n <= NDesc; n++) begin : gen_fits
    localparam int Used = n;
    if (FifoDepth - NDesc < n) begin : gen_never
      assign fits[n] = 1'b0;
    end else begin : gen_limit
      assign fits[n] = (count <= RoomLimit - Used[CountBits-1:0]);
    end
  end
  for (genvar k = 0; k < NDesc; k++) begin : gen_in_flight
    logic [NDesc:0] left;
    if (k == 0) begin : gen_first
      assign left = beat_valid[0] ? {1'b0, fits[NDesc:1]} : fits;
    end else begin : gen_next
      assign left = beat_valid[k] ? {1'b0, gen_in_flight[k-1].left[NDesc:1]} : gen_in_flight[k-1].left;
    end
  end
  assign room        = gen_in_flight[NDesc-1].left[0];
  assign ing_ready_o = room || !stall_ena_i;
  assign drop_o      = !room && !stall_ena_i;

  logic [NBlocks-1:0]               qualified, watch;
  trace_filter #(
    .Xlen         (IAddressWidth),
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
    .ing_cause_i   ({NBlocks{ing_cause_i}}),
    .ing_tval_i    ({NBlocks{ing_tval_i}}),
    .ing_priv_i    ({NBlocks{ing_priv_i}}),
    .ing_context_i ({NBlocks{ing_context_i}}),
    .qualified_o   (qualified),
    .notify_o      (watch)
  );

  etrace_items #(
    .IAddressWidth   (IAddressWidth),
    .IAddressLsb     (IAddressLsb),
    .NBlocks         (NBlocks),
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
  ) u_items (
    .clk_i,
    .rst_ni,
    .enable_i,
    .inst_tracing_i,
    .halted_i,
    .in_reset_i,
    .options_i     (options_asked),
    .draft_i       (variant),
    .sync_mode_i   (sync_mode),
    .sync_max_i,
    .accept_i      (ing_ready_o),
    .drop_i        (drop_o),
    .ing_itype_i,
    .ing_iaddr_i,
    .ing_iretire_i,
    .ing_ilastsize_i,
    .ing_sijump_i,
    .ing_notify_i  (ing_notify_i | watch),
    .qualified_i   (qualified),
    .ing_cause_i,
    .ing_tval_i,
    .ing_priv_i,
    .ing_ctype_i,
    .ing_context_i (NoContext ? {ContextBits{1'b0}} : ing_context_i[ContextBits-1:0]),
    .ing_time_i    (beat_time[TimeBits-1:0]),
    .desc_valid_o  (beat_valid),
    .desc_o        (beat_desc),
    .lost_o        (lost),
    .overflow_o
  );

  trace_fifo_multi #(
    .Width (DescBits),
    .Depth (FifoDepth),
    .NPush (NDesc)
  ) u_fifo (
    .clk_i,
    .rst_ni,
    .push_valid_i (beat_valid),
    .push_data_i  (beat_desc),
    .valid_o      (desc_valid),
    .data_o       (desc),
    .ready_i      (desc_ready),
    .count_o      (count)
  );

  // Descriptors to packets.
  logic                     part_valid, part_ready, packer_empty;
  logic [2:0]               kind;
  logic [5:0]               options;
  logic                     branch, interrupt, thaddr, ienable, notify, updiscon, irreport, counting, fail, cache_hit;
  logic [1:0]               qual;
  logic [7:0]               irdepth, ecause;
  logic [31:0]              branch_count, context_id;
  logic [4:0]               branches;
  logic [30:0]              map;
  logic [2:0]               privilege;
  logic [9:0]               cache_index;
  logic [IAddressWidth-1:0] addr, tval;
  logic [63:0]              now;

  etrace_sequence #(
    .IAddressWidth (IAddressWidth),
    .IAddressLsb   (IAddressLsb),
    .ContextBits   (ContextBits),
    .TimeBits      (TimeBits),
    .StampWidth    (StampWidth),
    .CacheSize     (CacheSize)
  ) u_sequence (
    .clk_i,
    .rst_ni,
    .draft_i       (variant),
    .desc_valid_i  (desc_valid),
    .desc_i        (desc),
    .desc_ready_o  (desc_ready),
    .valid_o       (part_valid),
    .ready_i       (part_ready),
    .kind_o        (kind),
    .options_o     (options),
    .branch_o      (branch),
    .interrupt_o   (interrupt),
    .thaddr_o      (thaddr),
    .ienable_o     (ienable),
    .qual_o        (qual),
    .notify_o      (notify),
    .updiscon_o    (updiscon),
    .irreport_o    (irreport),
    .irdepth_o     (irdepth),
    .counting_o    (counting),
    .fail_o        (fail),
    .count_o       (branch_count),
    .branches_o    (branches),
    .map_o         (map),
    .privilege_o   (privilege),
    .ecause_o      (ecause),
    .cache_hit_o   (cache_hit),
    .cache_index_o (cache_index),
    .addr_o        (addr),
    .tval_o        (tval),
    .context_o     (context_id),
    .time_o        (now)
  );

  etrace_packer #(
    .IAddressWidth   (IAddressWidth),
    .IAddressLsb     (IAddressLsb),
    .ContextWidth    (ContextWidth),
    .NoContext       (NoContext),
    .TimeWidth       (TimeWidth),
    .NoTime          (NoTime),
    .StampWidth      (StampWidth),
    .PrivilegeWidth  (PrivilegeWidth),
    .EcauseWidth     (EcauseWidth),
    .NoTval          (NoTval),
    .CacheSize       (CacheSize),
    .CallCounterSize (CallCounterSize),
    .ReturnStackSize (ReturnStackSize),
    .F0sWidth        (F0sWidth),
    .EncoderModeN    (EncoderModeN),
    .IOptionsN       (IOptionsN),
    .DOptionsN       (DOptionsN)
  ) u_packer (
    .clk_i,
    .rst_ni,
    .desc_valid_i  (part_valid),
    .desc_ready_o  (part_ready),
    .kind_i        (kind),
    .draft_i       (variant),
    .options_i     (options),
    .branch_i      (branch),
    .interrupt_i   (interrupt),
    .thaddr_i      (thaddr),
    .ienable_i     (ienable),
    .qual_i        (qual),
    .notify_i      (notify),
    .updiscon_i    (updiscon),
    .irreport_i    (irreport),
    .irdepth_i     (irdepth),
    .counting_i    (counting),
    .fail_i        (fail),
    .count_i       (branch_count),
    .branches_i    (branches),
    .map_i         (map),
    .privilege_i   (privilege),
    .ecause_i      (ecause),
    .cache_hit_i   (cache_hit),
    .cache_index_i (cache_index),
    .addr_i        (addr),
    .tval_i        (tval),
    .context_i     (context_id),
    .time_i        (now),
    .pkt_valid_o,
    .pkt_type_o,
    .pkt_length_o,
    .pkt_payload_o,
    .pkt_start_o,
    .pkt_time_o,
    .pkt_ready_i,
    .empty_o       (packer_empty)
  );

  assign empty_o = (beat_valid == '0) && !desc_valid && packer_empty && !lost;

  logic unused_high;  // bits of context and time that are not built; room for more than one beat
  assign unused_high = ^{ing_context_i, beat_time, gen_in_flight[NDesc-1].left};

endmodule
