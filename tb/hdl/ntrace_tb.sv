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
  parameter int NComps       = 2
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

  // One lane of a row, as tb/agents/rows.py has it (bytes of the fields in this order): itype, ilastsize,
  // sijump, priv, cause, 0, iretire (2), hcontext (2), 0 (2), context (4), iaddr (8), tval (8).
  localparam int LaneBits = 8*32;
  localparam int HeadBits = 64 + 32 + 32;  // gap, levels and pulses, vendor data
  localparam int RowBits  = HeadBits + NBlocks*LaneBits;
  localparam logic [63:0] GiveUp = 64'd200_000;  // cycles without progress
  localparam logic [63:0] Quiet  = 64'd8;        // cycles that must stay empty at the end

  initial clk_o = 1'b0;
  always #5 clk_o = !clk_o;

  // What the player shows.
  logic [RowBits-1:0]              row;
  logic                            play, played, draining, accept;
  logic [NBlocks*4-1:0]            row_itype, itype;
  logic [NBlocks*Xlen-1:0]         row_iaddr, iaddr, row_tval, tval;
  logic [NBlocks*IRetireWidth-1:0] row_iretire, iretire;
  logic [NBlocks-1:0]              row_ilastsize, ilastsize, row_sijump, sijump, block;
  logic [NBlocks*8-1:0]            row_cause, cause;
  logic [NBlocks*3-1:0]            row_priv, priv;
  logic [NBlocks*32-1:0]           row_context, context_id;
  logic [NBlocks*16-1:0]           row_hcontext, hcontext_id;
  logic                            enable, inst_tracing, halted, in_reset, low_power;
  logic                            notify, ext_notify;
  logic [5:0]                      vendor;
  logic [2:0]                      levels_low;   // bits 2:0 of tb/agents/rows.py; bit 3 is the recorder's, drop
  logic [27:0]                     levels_high;  // bits 31:4
  logic [31:0]                     vendor_data;
  logic [NBlocks*LaneBits-1:0]     seen_lanes;
  logic                            random_ready, ready;

  for (genvar k = 0; k < NBlocks; k++) begin : gen_lane
    localparam int Base = HeadBits + k*LaneBits;
    assign row_itype[4*k +: 4]                          = row[Base +: 4];
    assign row_ilastsize[k]                             = row[Base+8];
    assign row_sijump[k]                                = row[Base+16];
    assign row_priv[3*k +: 3]                           = row[Base+24 +: 3];
    assign row_cause[8*k +: 8]                          = row[Base+32 +: 8];
    assign row_iretire[IRetireWidth*k +: IRetireWidth]  = row[Base+48 +: IRetireWidth];
    assign row_hcontext[16*k +: 16]                     = row[Base+64 +: 16];
    assign row_context[32*k +: 32]                      = row[Base+96 +: 32];
    assign row_iaddr[Xlen*k +: Xlen]                    = row[Base+128 +: Xlen];
    assign row_tval[Xlen*k +: Xlen]                     = row[Base+192 +: Xlen];

    assign seen_lanes[LaneBits*k +: LaneBits] = {
      {(64-Xlen){1'b0}}, tval[Xlen*k +: Xlen], {(64-Xlen){1'b0}}, iaddr[Xlen*k +: Xlen],
      context_id[32*k +: 32], 16'd0, hcontext_id[16*k +: 16],
      {(16-IRetireWidth){1'b0}}, iretire[IRetireWidth*k +: IRetireWidth], 8'd0, cause[8*k +: 8],
      5'd0, priv[3*k +: 3], 7'd0, sijump[k], 7'd0, ilastsize[k], 4'd0, itype[4*k +: 4]};
    assign block[k] = (iretire[IRetireWidth*k +: IRetireWidth] != '0) ||
                      (itype[4*k +: 4] == 4'd1) || (itype[4*k +: 4] == 4'd2);
  end

  assign levels_low  = drive_bulk_i ? row[66:64] : {ctl_halted_i, ctl_inst_tracing_i, ctl_enable_i};
  assign levels_high = drive_bulk_i ? row[95:68] :
    {10'd0, ctl_vendor_i, 6'd0, ctl_ext_notify_i, ctl_notify_i, 2'd0, ctl_low_power_i, ctl_in_reset_i};
  assign {halted, inst_tracing, enable} = levels_low;
  assign {low_power, in_reset}          = levels_high[1:0];
  assign {ext_notify, notify}           = levels_high[5:4];
  assign vendor                         = levels_high[17:12];
  assign sts_levels_o = {levels_high, ing_drop_o, levels_low};
  assign sts_block_o  = (block != '0);
  assign vendor_data = drive_bulk_i ? row[127:96]  : ctl_vendor_data_i;
  assign itype       = drive_bulk_i ? row_itype     : ing_itype_i;
  assign iaddr       = drive_bulk_i ? row_iaddr     : ing_iaddr_i;
  assign iretire     = drive_bulk_i ? row_iretire   : ing_iretire_i;
  assign ilastsize   = drive_bulk_i ? row_ilastsize : ing_ilastsize_i;
  assign sijump      = drive_bulk_i ? row_sijump    : ing_sijump_i;
  assign cause       = drive_bulk_i ? row_cause     : ing_cause_i;
  assign tval        = drive_bulk_i ? row_tval      : ing_tval_i;
  assign priv        = drive_bulk_i ? row_priv      : ing_priv_i;
  assign context_id  = drive_bulk_i ? row_context   : ing_context_i;
  assign hcontext_id = drive_bulk_i ? row_hcontext  : ing_hcontext_i;
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
  logic               timed;

  assign timed         = rst_ni && (!drive_bulk_i || go_i);
  // Somewhere else in every run, so that absolute timestamps have every length.
  logic [TsWidth-1:0] seed_time, far;
  if (TsWidth > 32) begin : gen_wide_time
    assign seed_time = {{(TsWidth-32){1'b0}}, ready_seed_i};
  end else begin : gen_narrow_time
    assign seed_time = ready_seed_i[TsWidth-1:0];
  end
  assign far           = ready_seed_i[5] ? seed_time << ready_seed_i[4:0] : seed_time >> ready_seed_i[4:0];
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
    .RepeatBits(RepeatBits), .TsWidth(TsWidth), .NFilters(NFilters), .NComps(NComps)
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
    .ing_itype_i(itype), .ing_iaddr_i(iaddr), .ing_iretire_i(iretire), .ing_ilastsize_i(ilastsize),
    .ing_sijump_i(sijump), .ing_cause_i(cause), .ing_tval_i(tval), .ing_priv_i(priv),
    .ing_context_i(context_id), .ing_hcontext_i(hcontext_id), .ing_ready_o(ing_ready_o),
    .drop_o(ing_drop_o), .empty_o(sts_empty_o), .overflow_o(sts_overflow_o),
    .out_valid_o(out_valid_o), .out_nbytes_o(out_nbytes_o), .out_data_o(out_data_o), .out_ready_i(ready)
  );

  // A run: play, drain until the encoder is empty and stays so, done. Anything else is given up.
  logic [63:0] cycle, quiet, idle, tstamp;
  logic        finish;

  assign play     = go_i && !finish;
  assign draining = played && play;
  assign done_o   = finish;

  initial finish = 1'b0;

  always_ff @(posedge clk_o) begin
    if (!go_i) begin
      finish <= 1'b0;
      cycle  <= '0;
      quiet  <= '0;
      idle   <= '0;
    end else begin
      cycle <= cycle + 64'd1;
      quiet <= (draining && sts_empty_o) ? quiet + 64'd1 : 64'd0;
      idle  <= (draining || !accept) ? idle + 64'd1 : 64'd0;
      if ((quiet == Quiet) || (idle == GiveUp)) finish <= 1'b1;
    end
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
    .stuck_ingress_i((idle == GiveUp) && !draining), .stuck_empty_i((idle == GiveUp) && draining),
    .early_empty_i((quiet != 64'd0) && !sts_empty_o)
  );

endmodule
