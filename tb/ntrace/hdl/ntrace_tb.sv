// SPDX-License-Identifier: Apache-2.0
// N-Trace testbench: clock, timestamp unit, encoder, and the two ways to drive it.
//
// drive_bulk_i = 1: trace_player plays `stimulus.bin` and trace_recorder writes what it saw, from go_i
// rising to done_o. drive_bulk_i = 0: the ports below are the encoder's, and cocotb drives and
// samples them every cycle (tb/agents). The ports are the whole E-Trace 2.0 ingress port; N-Trace
// needs neither cause nor tval, but what crossed the port is the record of the run.
module ntrace_tb
#(
  parameter int Xlen         = 64,
  parameter int NBlocks      = 1,
  parameter int IRetireWidth = 7,
  parameter int IcntBits     = 22,
  parameter int HistBits     = 32,
  parameter int StackDepth   = 8,
  parameter int RepeatBits   = 18,
  parameter int TsWidth      = 64,
  parameter int FifoDepth    = 16,
  parameter int OutBytes     = 8,
  parameter int NFilters     = 2,
  parameter int NComps       = 2,
  // What is built (ntrace_encoder).
  parameter int RatifiedEn        = 1,
  parameter int Rc7En             = 1,
  parameter int HtmEn             = 1,
  parameter int RepeatedHistoryEn = 1,
  parameter int RepeatBranchEn    = 1,
  parameter int SequentialJumpEn  = 1,
  parameter int AllJumpsEn        = 1,
  parameter int BtypeExtEn        = 1,
  parameter int ContextEn         = 1,
  parameter int HcontextEn        = 1,
  parameter int TimestampEn       = 1,
  parameter int SrcEn             = 1,
  parameter int ExtendAddrEn      = 1,
  parameter int VendorEn          = 1,
  parameter int FilterEn          = 1,
  parameter int SyncModes         = 15
) (
  output logic                             clk_o,
  input  logic                             rst_ni,

  // Bulk drive.
  input  logic                             drive_bulk_i,
  input  logic                             go_i,
  output logic                             done_o,
  input  logic [31:0]                      ready_seed_i,
  input  logic [6:0]                       ready_low_i,   // % of cycles

  // Static controls, as registers would hold them.
  input  logic [2:0]                       inst_mode_i,
  input  logic [1:0]                       sync_mode_i,
  input  logic [3:0]                       sync_max_i,
  input  logic                             stall_ena_i,
  input  logic                             rc7_i,
  input  logic                             btype_ext_i,
  input  logic [3:0]                       src_bits_i,
  input  logic [11:0]                      src_id_i,
  input  logic                             inhibit_src_i,
  input  logic                             ts_enable_i,
  input  logic [2:0]                       ts_mode_i,
  input  logic [1:0]                       ts_prescale_i,
  input  logic                             ts_run_in_debug_i,
  input  logic                             context_ena_i,
  input  logic                             hcontext_ena_i,
  input  logic                             extend_addr_msb_i,
  input  logic [1:0]                       implicit_return_i,
  input  logic                             repeated_history_i,
  input  logic                             repeat_branch_i,
  input  logic                             sequential_jump_i,
  input  logic                             all_jumps_i,
  input  logic [15:0]                      filters_i,
  input  logic [NFilters*128-1:0]          filter_cfg_i,
  input  logic [NComps*160-1:0]            comp_cfg_i,

  // Pins drive.
  input  logic                             ctl_enable_i,
  input  logic                             ctl_inst_tracing_i,
  input  logic                             ctl_halted_i,
  input  logic                             ctl_in_reset_i,
  input  logic                             ctl_low_power_i,
  input  logic                             ctl_notify_i,
  input  logic                             ctl_ext_notify_i,
  input  logic [5:0]                       ctl_vendor_i,
  input  logic [31:0]                      ctl_vendor_data_i,
  input  logic [NBlocks*4-1:0]             ing_itype_i,
  input  logic [NBlocks*Xlen-1:0]          ing_iaddr_i,
  input  logic [NBlocks*IRetireWidth-1:0]  ing_iretire_i,
  input  logic [NBlocks-1:0]               ing_ilastsize_i,
  input  logic [NBlocks-1:0]               ing_sijump_i,
  input  logic [NBlocks*8-1:0]             ing_cause_i,
  input  logic [NBlocks*Xlen-1:0]          ing_tval_i,
  input  logic [NBlocks*3-1:0]             ing_priv_i,
  input  logic [NBlocks*32-1:0]            ing_context_i,
  input  logic [NBlocks*16-1:0]            ing_hcontext_i,
  output logic                             ing_ready_o,
  output logic                             ing_drop_o,
  output logic [31:0]                      sts_levels_o,  // levels, pulses and drop, as the recorder has them
  output logic                             sts_block_o,   // some lane holds a block
  output logic [TsWidth-1:0]               sts_tstamp_o,
  output logic                             sts_empty_o,
  output logic                             sts_overflow_o,
  output logic                             out_valid_o,
  output logic [$clog2(OutBytes+1)-1:0]    out_nbytes_o,
  output logic [8*OutBytes-1:0]            out_data_o,
  input  logic                             out_ready_i
);

  // Rows of both files: tb/common/agents/layout.py, from which ntrace_stimulus_drive, ntrace_levels_join and ntrace_lanes_join are generated.
  localparam int LaneBits = ntrace_row_pkg::LaneBits;
  localparam int RowBits  = ntrace_row_pkg::stimulus_bits(NBlocks);

  initial clk_o = 1'b0;
  always #5 clk_o = !clk_o;

  // What the player shows.
  logic [RowBits-1:0]              row;
  logic                            play, played, draining, accept;
  logic [NBlocks*4-1:0]            itype;
  logic [NBlocks*Xlen-1:0]         iaddr, tval;
  logic [NBlocks*IRetireWidth-1:0] iretire;
  logic [NBlocks-1:0]              ilastsize, sijump, block;
  logic [NBlocks*8-1:0]            cause;
  logic [NBlocks*3-1:0]            priv;
  logic [NBlocks*32-1:0]           context_id;
  logic [NBlocks*16-1:0]           hcontext_id;
  logic                            enable, inst_tracing, halted, in_reset, low_power, notify, ext_notify;
  logic [5:0]                      vendor;
  logic [31:0]                     vendor_data;
  logic [NBlocks*LaneBits-1:0]     seen_lanes;
  logic                            random_ready, ready, timed;
  logic [NBlocks*Xlen-1:0]         dut_iaddr, dut_tval;
  logic [NBlocks-1:0]              dut_ilastsize, dut_sijump;
  logic [NBlocks*8-1:0]            dut_cause;
  logic [63:0]                     noise, noise_match;

  ntrace_stimulus_drive #(.Xlen(Xlen), .NBlocks(NBlocks), .IRetireWidth(IRetireWidth)) u_drive (
    .bulk_i(drive_bulk_i), .row_i(row), .enable_i(ctl_enable_i), .enable_o(enable),
    .inst_tracing_i(ctl_inst_tracing_i), .inst_tracing_o(inst_tracing), .halted_i(ctl_halted_i), .halted_o(halted),
    .in_reset_i(ctl_in_reset_i), .in_reset_o(in_reset), .low_power_i(ctl_low_power_i), .low_power_o(low_power),
    .notify_i(ctl_notify_i), .notify_o(notify), .ext_notify_i(ctl_ext_notify_i), .ext_notify_o(ext_notify),
    .vendor_i(ctl_vendor_i), .vendor_o(vendor), .vendor_data_i(ctl_vendor_data_i), .vendor_data_o(vendor_data),
    .itype_i(ing_itype_i), .itype_o(itype), .ilastsize_i(ing_ilastsize_i), .ilastsize_o(ilastsize),
    .sijump_i(ing_sijump_i), .sijump_o(sijump), .priv_i(ing_priv_i), .priv_o(priv),
    .cause_i(ing_cause_i), .cause_o(cause), .iretire_i(ing_iretire_i), .iretire_o(iretire),
    .hcontext_i(ing_hcontext_i), .hcontext_o(hcontext_id), .context_i(ing_context_i), .context_o(context_id),
    .iaddr_i(ing_iaddr_i), .iaddr_o(iaddr), .tval_i(ing_tval_i), .tval_o(tval)
  );
  ntrace_levels_join u_levels (
    .enable_i(enable), .inst_tracing_i(inst_tracing), .halted_i(halted), .in_reset_i(in_reset),
    .low_power_i(low_power), .notify_i(notify), .ext_notify_i(ext_notify), .vendor_i(vendor), .drop_i(ing_drop_o),
    .row_o(sts_levels_o)
  );
  ntrace_lanes_join #(.Xlen(Xlen), .NBlocks(NBlocks), .IRetireWidth(IRetireWidth)) u_lanes (
    .itype_i(itype), .ilastsize_i(ilastsize), .sijump_i(sijump), .priv_i(priv), .cause_i(cause), .iretire_i(iretire),
    .hcontext_i(hcontext_id), .context_i(context_id), .iaddr_i(iaddr), .tval_i(tval), .row_o(seen_lanes)
  );

  for (genvar k = 0; k < NBlocks; k++) begin : gen_lane
    assign block[k] = (iretire[IRetireWidth*k +: IRetireWidth] != '0) ||
                      (itype[4*k +: 4] == 4'd1) || (itype[4*k +: 4] == 4'd2);

    // What a lane without a block carries means nothing: often what the comparators wait for.
    assign dut_iaddr[Xlen*k +: Xlen] = block[k] ? iaddr[Xlen*k +: Xlen] : noise_match[Xlen-1:0];
    assign dut_tval[Xlen*k +: Xlen]  = block[k] ? tval[Xlen*k +: Xlen] : noise_match[Xlen-1:0];
    assign dut_cause[8*k +: 8]       = block[k] ? cause[8*k +: 8] : noise[23:16];
    assign dut_ilastsize[k]          = block[k] ? ilastsize[k] : noise[k];
    assign dut_sijump[k]             = block[k] ? sijump[k] : noise[8+k];
  end
  trace_noise #(.NComps(NComps)) u_noise (
    .clk_i(clk_o), .run_i(timed), .comp_cfg_i(comp_cfg_i), .noise_o(noise), .match_o(noise_match)
  );
  logic unused_noise;
  assign unused_noise = ^{noise, noise_match};

  assign sts_block_o  = (block != '0);
  assign ready       = drive_bulk_i ? (random_ready || played) : out_ready_i;
  assign accept      = ing_ready_o;

  trace_player #(.RowBits(RowBits)) u_player (
    .clk_i(clk_o), .go_i(play), .accept_i(accept), .row_o(row), .done_o(played)
  );

  ready_source u_ready (
    .clk_i(clk_o), .run_i(play), .seed_i(ready_seed_i), .percent_low_i(ready_low_i), .ready_o(random_ready)
  );

  // Time: a system clock of half the frequency, and an external time of its own pace. It begins with the
  // player, so that the cycles Python needs before do not count.
  localparam logic [63:0] One = 64'd1, Offset = 64'd1000;
  logic [TsWidth-1:0] age, external_time;

  assign timed         = rst_ni && (!drive_bulk_i || go_i);
  // External time begins at another number in each run, so that absolute timestamps have every length: up to nine
  // groups of MDO, 6 bits each, are shifted out of 63 random bits. The longest six lengths are twice as likely.
  logic [63:0]        from;
  logic [3:0]         groups;
  logic [TsWidth-1:0] far;
  assign groups        = ready_seed_i[3:0] % 4'd10;
  assign from          = {1'b0, ready_seed_i, 31'd0} >> ({groups, 2'b00} + {1'b0, groups, 1'b0});
  assign far           = from[TsWidth-1:0];
  assign external_time = age + (age << 1) + Offset[TsWidth-1:0] + far;

  always_ff @(posedge clk_o) begin
    if (!timed) age <= '0;
    else        age <= age + One[TsWidth-1:0];
  end

  trace_timestamp #(.Width(TsWidth)) u_timestamp (
    .clk_i(clk_o), .rst_ni(rst_ni), .active_i(timed), .count_i(1'b1), .clear_i(1'b0),
    .run_in_debug_i(ts_run_in_debug_i), .mode_i(ts_mode_i), .prescale_i(ts_prescale_i), .halted_i(halted),
    .sys_tick_i(age[0]), .external_i(external_time), .shared_i({TsWidth{1'b0}}),
    .tstamp_o(sts_tstamp_o)
  );

  ntrace_encoder #(
    .Xlen(Xlen), .NBlocks(NBlocks), .IRetireWidth(IRetireWidth), .IcntBits(IcntBits),
    .HistBits(HistBits), .FifoDepth(FifoDepth), .OutBytes(OutBytes), .StackDepth(StackDepth),
    .RepeatBits(RepeatBits), .TsWidth(TsWidth), .NFilters(NFilters), .NComps(NComps),
    .RatifiedEn(RatifiedEn != 0), .Rc7En(Rc7En != 0), .HtmEn(HtmEn != 0),
    .RepeatedHistoryEn(RepeatedHistoryEn != 0), .RepeatBranchEn(RepeatBranchEn != 0), .SequentialJumpEn(SequentialJumpEn != 0),
    .AllJumpsEn(AllJumpsEn != 0), .BtypeExtEn(BtypeExtEn != 0), .ContextEn(ContextEn != 0),
    .HcontextEn(HcontextEn != 0), .TimestampEn(TimestampEn != 0), .SrcEn(SrcEn != 0),
    .ExtendAddrEn(ExtendAddrEn != 0), .VendorEn(VendorEn != 0), .FilterEn(FilterEn != 0),
    .SyncModes(SyncModes[3:0])
  ) u_dut (
    .clk_i(clk_o), .rst_ni(rst_ni),
    .enable_i(enable), .inst_tracing_i(inst_tracing), .halted_i(halted), .in_reset_i(in_reset),
    .low_power_i(low_power), .notify_i(notify), .ext_notify_i(ext_notify), .vendor_tcode_i(vendor),
    .vendor_data_i(vendor_data),
    .inst_mode_i(inst_mode_i), .sync_mode_i(sync_mode_i), .sync_max_i(sync_max_i),
    .stall_ena_i(stall_ena_i), .rc7_i(rc7_i), .btype_ext_i(btype_ext_i), .src_bits_i(src_bits_i),
    .src_id_i(src_id_i), .inhibit_src_i(inhibit_src_i), .ts_enable_i(ts_enable_i), .tstamp_i(sts_tstamp_o),
    .context_ena_i(context_ena_i), .hcontext_ena_i(hcontext_ena_i), .extend_addr_msb_i(extend_addr_msb_i),
    .implicit_return_i(implicit_return_i), .repeated_history_i(repeated_history_i),
    .repeat_branch_i(repeat_branch_i), .sequential_jump_i(sequential_jump_i), .all_jumps_i(all_jumps_i),
    .filters_i(filters_i), .filter_cfg_i(filter_cfg_i), .comp_cfg_i(comp_cfg_i),
    .ing_itype_i(itype), .ing_iaddr_i(dut_iaddr), .ing_iretire_i(iretire), .ing_ilastsize_i(dut_ilastsize),
    .ing_sijump_i(dut_sijump), .ing_cause_i(dut_cause), .ing_tval_i(dut_tval), .ing_priv_i(priv),
    .ing_context_i(context_id), .ing_hcontext_i(hcontext_id), .ing_ready_o(ing_ready_o),
    .drop_o(ing_drop_o), .empty_o(sts_empty_o), .overflow_o(sts_overflow_o),
    .out_valid_o(out_valid_o), .out_nbytes_o(out_nbytes_o), .out_data_o(out_data_o), .out_ready_i(ready)
  );

  logic [63:0] cycle, tstamp;
  logic        stuck_ingress, stuck_empty, was_empty;

  run_control u_run (
    .clk_i(clk_o), .go_i(go_i), .played_i(played), .accept_i(accept), .empty_i(sts_empty_o),
    .play_o(play), .draining_o(draining), .done_o(done_o), .cycle_o(cycle),
    .stuck_ingress_o(stuck_ingress), .stuck_empty_o(stuck_empty)
  );

  always_ff @(posedge clk_o) begin
    was_empty <= draining && sts_empty_o;
  end

  if (TsWidth == 64) begin : gen_tstamp
    assign tstamp = sts_tstamp_o;
  end else begin : gen_tstamp
    assign tstamp = {{(64-TsWidth){1'b0}}, sts_tstamp_o};
  end

  trace_recorder #(.LaneBits(NBlocks*LaneBits), .OutBytes(OutBytes)) u_recorder (
    .clk_i(clk_o), .go_i(play && drive_bulk_i), .cycle_i(cycle),
    .accept_i(accept), .any_block_i(sts_block_o), .levels_i(sts_levels_o),
    .vendor_data_i(vendor_data), .tstamp_i(tstamp),
    .lanes_i(seen_lanes),
    .drop_i(ing_drop_o), .empty_i(sts_empty_o), .valid_i(out_valid_o), .ready_i(ready),
    .nbytes_i(out_nbytes_o), .data_i(out_data_o),
    .stuck_ingress_i(stuck_ingress), .stuck_empty_i(stuck_empty),
    .early_empty_i(was_empty && !sts_empty_o), .other_valid_i(1'b0)
  );

endmodule
