// SPDX-License-Identifier: Apache-2.0
// E-Trace testbench: clock, time, encoder, transport, and the two ways to drive them.
//
// drive_bulk_i = 1: trace_player plays `stimulus.bin` and the recorders write what they saw, from go_i
// rising to done_o. drive_bulk_i = 0: the ports below are the encoder's and the transport's, and cocotb drives and
// samples them every cycle (tb/agents). Privilege is {V, PRV} here, as everywhere in Python; the encoder gets the codes of
// the specification, and noise where a signal means nothing. Out comes messaging as it is, and atb as transfers of 8 bytes
// {0, ATID, ATBYTES, ATDATA}.
module etrace_tb
#(
  parameter int NBlocks         = 1,
  parameter int IAddressWidth   = 64,
  parameter int IAddressLsb     = 1,
  parameter int ContextWidth    = 32,
  parameter int NoContext       = 0,
  parameter int TimeWidth       = 32,
  parameter int NoTime          = 1,
  parameter int PrivilegeWidth  = 3,
  parameter int EcauseWidth     = 6,
  parameter int NoTval          = 0,
  parameter int IRetireWidth    = 7,
  parameter int BpredSize       = 6,
  parameter int CacheSize       = 5,
  parameter int CallCounterSize = 0,
  parameter int ReturnStackSize = 4,
  parameter int F0sWidth        = 1,
  parameter int SijumpEn        = 1,
  parameter int EncoderModeN    = 1,
  parameter int IOptionsN       = 6,
  parameter int DOptionsN       = 0,
  parameter int BcountBits      = 32,
  parameter int FifoDepth       = 32,
  parameter int NFilters        = 2,
  parameter int NComps          = 2,
  // What is built (etrace_encoder).
  parameter int RatifiedEn          = 1,
  parameter int DraftEn             = 1,
  parameter int ImplicitExceptionEn = 1,
  parameter int FullAddressEn       = 1,
  parameter int FilterEn            = 1,
  parameter int StampEn             = 1,
  parameter int SyncModes           = 15,
  parameter int StampWidth          = 16
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
  input  logic [5:0]                       options_i,
  input  logic                             draft_i,
  input  logic [1:0]                       sync_mode_i,
  input  logic [3:0]                       sync_max_i,
  input  logic                             stall_ena_i,
  input  logic [15:0]                      filters_i,
  input  logic [NFilters*128-1:0]          filter_cfg_i,
  input  logic [NComps*160-1:0]            comp_cfg_i,
  input  logic                             atb_i,
  input  logic [1:0]                       framing_i,
  input  logic [1:0]                       index_bytes_i,
  input  logic [1:0]                       flow_i,
  input  logic                             timestamp_i,
  input  logic [3:0]                       block_bits_i,
  input  logic [6:0]                       id_i,
  input  logic                             encap_i,       // the packet encapsulation 1.0 in place of the example ones
  input  logic [2:0]                       async_freq_i,
  input  logic [3:0]                       stamp_bytes_i,
  input  logic [4:0]                       src_bits_i,
  input  logic [15:0]                      src_id_i,
  input  logic [2:0]                       type_bits_i,

  // Pins drive.
  input  logic                             ctl_enable_i,
  input  logic                             ctl_inst_tracing_i,
  input  logic                             ctl_halted_i,
  input  logic                             ctl_in_reset_i,
  input  logic [5:0]                       ctl_toggle_i,
  input  logic                             ctl_notify_i,   // of the last block with instructions
  input  logic [1:0]                       ctl_ctype_i,
  input  logic [NBlocks*4-1:0]             ing_itype_i,
  input  logic [NBlocks*IAddressWidth-1:0] ing_iaddr_i,
  input  logic [NBlocks*IRetireWidth-1:0]  ing_iretire_i,
  input  logic [NBlocks-1:0]               ing_ilastsize_i,
  input  logic [NBlocks-1:0]               ing_sijump_i,
  input  logic [7:0]                       ing_cause_i,
  input  logic [IAddressWidth-1:0]         ing_tval_i,
  input  logic [2:0]                       ing_priv_i,
  input  logic [31:0]                      ing_context_i,
  output logic                             ing_ready_o,
  output logic                             ing_drop_o,
  output logic [31:0]                      sts_levels_o,  // levels, pulses and drop, as the recorder has them
  output logic                             sts_block_o,   // some lane holds a block
  output logic [63:0]                      sts_tstamp_o,
  output logic                             sts_empty_o,
  output logic                             sts_overflow_o,
  output logic                             pkt_valid_o,
  output logic                             pkt_ready_o,
  output logic [5:0]                       pkt_nbytes_o,
  output logic [287:0]                     pkt_data_o,    // {time[15:0], 13'd0, start, type[1:0], 8'd0, payload[247:0]}
  output logic                             out_valid_o,
  output logic [3:0]                       out_nbytes_o,
  output logic [63:0]                      out_data_o,
  input  logic                             out_ready_i
);

  // Rows of both files: tb/common/agents/layout.py, from which etrace_stimulus_drive, etrace_levels_join and etrace_lanes_join are generated.
  localparam int Xlen     = IAddressWidth;
  localparam int LaneBits = etrace_row_pkg::LaneBits;
  localparam int FirstAt  = etrace_row_pkg::StimulusLanesAt;
  localparam int RowBits  = etrace_row_pkg::stimulus_bits(NBlocks);
  localparam logic [31:0] Levels  = 32'h3f00_00ff;
  localparam logic [15:0] Jumps   = 16'h75c0;     // itypes 6, 7, 8, 10, 12, 13, 14

  initial clk_o = 1'b0;
  always #5 clk_o = !clk_o;

  // What the player shows: of the fields that are reported once a cycle it holds a copy in every lane with a block.
  logic [RowBits-1:0]              row;
  logic                            play, played, draining, accept;
  logic [NBlocks*4-1:0]            itype;
  logic [NBlocks*Xlen-1:0]         iaddr;
  logic [NBlocks*IRetireWidth-1:0] iretire;
  logic [NBlocks-1:0]              ilastsize, sijump, block, retires, notify_lane, trap;
  logic [7:0]                      cause;
  logic [Xlen-1:0]                 tval;
  logic [2:0]                      priv, priv_code;
  logic [NBlocks*Xlen-1:0]         dut_iaddr;
  logic [NBlocks-1:0]              dut_ilastsize, dut_sijump;
  logic [31:0]                     context_id;
  logic                            enable, inst_tracing, halted, in_reset, notify;
  logic [1:0]                      ctype;
  logic [5:0]                      toggle;
  logic [NBlocks*8-1:0]            seen_cause;
  logic [NBlocks*Xlen-1:0]         seen_tval;
  logic [NBlocks*3-1:0]            seen_priv;
  logic [NBlocks*32-1:0]           seen_context;
  logic [NBlocks*LaneBits-1:0]     seen_lanes;
  logic                            random_ready, ready;

  etrace_stimulus_drive #(.Xlen(Xlen), .NBlocks(NBlocks), .IRetireWidth(IRetireWidth)) u_drive (
    .bulk_i(drive_bulk_i), .row_i(row), .enable_i(ctl_enable_i), .enable_o(enable),
    .inst_tracing_i(ctl_inst_tracing_i), .inst_tracing_o(inst_tracing), .halted_i(ctl_halted_i), .halted_o(halted),
    .in_reset_i(ctl_in_reset_i), .in_reset_o(in_reset), .notify_i(ctl_notify_i), .notify_o(notify),
    .ctype_i(ctl_ctype_i), .ctype_o(ctype), .toggle_i(ctl_toggle_i), .toggle_o(toggle),
    .itype_i(ing_itype_i), .itype_o(itype), .ilastsize_i(ing_ilastsize_i), .ilastsize_o(ilastsize),
    .sijump_i(ing_sijump_i), .sijump_o(sijump), .iretire_i(ing_iretire_i), .iretire_o(iretire),
    .iaddr_i(ing_iaddr_i), .iaddr_o(iaddr)
  );
  etrace_levels_join u_levels (
    .enable_i(enable), .inst_tracing_i(inst_tracing), .halted_i(halted), .in_reset_i(in_reset), .notify_i(notify),
    .ctype_i(ctype), .toggle_i(toggle), .drop_i(ing_drop_o), .row_o(sts_levels_o)
  );
  etrace_lanes_join #(.Xlen(Xlen), .NBlocks(NBlocks), .IRetireWidth(IRetireWidth)) u_lanes (
    .itype_i(itype), .ilastsize_i(ilastsize), .sijump_i(sijump), .iretire_i(iretire), .iaddr_i(iaddr),
    .priv_i(seen_priv), .cause_i(seen_cause), .context_i(seen_context), .tval_i(seen_tval), .row_o(seen_lanes)
  );

  for (genvar k = 0; k < NBlocks; k++) begin : gen_lane
    assign retires[k] = iretire[IRetireWidth*k +: IRetireWidth] != '0;
    assign trap[k]    = (itype[4*k +: 4] == 4'd1) || (itype[4*k +: 4] == 4'd2);
    assign block[k]   = retires[k] || trap[k];

    // sijump is about uninferable jumps, iaddr about instructions and exceptions.
    assign dut_iaddr[Xlen*k +: Xlen] = (retires[k] || (itype[4*k +: 4] == 4'd1)) ? iaddr[Xlen*k +: Xlen] : noise_match[Xlen-1:0];
    assign dut_ilastsize[k]          = retires[k] ? ilastsize[k] : noise[k];
    assign dut_sijump[k]             = Jumps[itype[4*k +: 4]] ? sijump[k] : noise[8+k];
    if (k == NBlocks-1) begin : gen_last
      assign notify_lane[k] = notify && retires[k];
    end else begin : gen_older
      assign notify_lane[k] = notify && retires[k] && (retires[NBlocks-1:k+1] == '0);
    end

    assign seen_tval[Xlen*k +: Xlen]  = block[k] ? tval : {Xlen{1'b0}};
    assign seen_context[32*k +: 32]   = block[k] ? context_id : 32'd0;
    assign seen_cause[8*k +: 8]       = block[k] ? cause : 8'd0;
    assign seen_priv[3*k +: 3]        = block[k] ? priv : 3'd0;
  end

  assign sts_block_o  = (block != '0);
  assign priv         = drive_bulk_i ? row[FirstAt+etrace_row_pkg::LanePrivAt +: 3]     : ing_priv_i;
  assign cause        = drive_bulk_i ? row[FirstAt+etrace_row_pkg::LaneCauseAt +: 8]     : ing_cause_i;
  assign context_id   = drive_bulk_i ? row[FirstAt+etrace_row_pkg::LaneContextAt +: 32]    : ing_context_i;
  assign tval         = drive_bulk_i ? row[FirstAt+etrace_row_pkg::LaneTvalAt +: Xlen] : ing_tval_i;
  assign ready        = drive_bulk_i ? (random_ready || played) : out_ready_i;
  assign accept       = ing_ready_o;
  assign priv_code    = priv[2] ? {1'b1, priv[0], !priv[0]} : priv;

  trace_player #(.RowBits(RowBits), .Levels(Levels)) u_player (
    .clk_i(clk_o), .go_i(play), .accept_i(accept), .row_o(row), .done_o(played)
  );

  ready_source u_ready (
    .clk_i(clk_o), .run_i(play), .seed_i(ready_seed_i), .percent_low_i(ready_low_i), .ready_o(random_ready)
  );

  // Time begins with the player, so that the cycles Python needs before do not count, and somewhere else in every run.
  logic [63:0] age, far, noise, noise_match;
  logic        timed;

  trace_noise #(.NComps(NComps)) u_noise (
    .clk_i(clk_o), .run_i(timed), .comp_cfg_i(comp_cfg_i), .noise_o(noise), .match_o(noise_match)
  );
  logic unused_noise;
  assign unused_noise = ^{noise, noise_match};
  assign timed        = rst_ni && (!drive_bulk_i || go_i);
  assign far          = ready_seed_i[5] ? {32'd0, ready_seed_i} << ready_seed_i[4:0] : {32'd0, ready_seed_i >> ready_seed_i[4:0]};
  assign sts_tstamp_o = age + (age << 1) + far;

  always_ff @(posedge clk_o) begin
    if (!timed) age <= '0;
    else        age <= age + 64'd1;
  end

  logic         encoder_empty, transport_empty, pkt_start, message_valid, at_valid;
  logic [1:0]   pkt_type, at_bytes;
  logic [4:0]   pkt_length;
  logic [247:0] pkt_payload;
  logic [StampWidth-1:0] pkt_time;
  logic         transport_ready, encap_valid, encap_empty, encap_ready;
  logic [3:0]   message_nbytes, encap_nbytes;
  logic [63:0]  message_data, encap_data;
  logic [31:0]  at_data;
  logic [6:0]   at_id;

  etrace_encoder #(
    .NBlocks(NBlocks), .IAddressWidth(IAddressWidth), .IAddressLsb(IAddressLsb), .ContextWidth(ContextWidth),
    .NoContext(NoContext != 0), .TimeWidth(TimeWidth), .NoTime(NoTime != 0), .PrivilegeWidth(PrivilegeWidth),
    .EcauseWidth(EcauseWidth), .NoTval(NoTval != 0), .IRetireWidth(IRetireWidth), .BpredSize(BpredSize),
    .CacheSize(CacheSize), .CallCounterSize(CallCounterSize), .ReturnStackSize(ReturnStackSize), .F0sWidth(F0sWidth),
    .SijumpEn(SijumpEn != 0), .EncoderModeN(EncoderModeN), .IOptionsN(IOptionsN), .DOptionsN(DOptionsN),
    .BcountBits(BcountBits), .FifoDepth(FifoDepth), .NFilters(NFilters), .NComps(NComps),
    .RatifiedEn(RatifiedEn != 0), .DraftEn(DraftEn != 0), .ImplicitExceptionEn(ImplicitExceptionEn != 0),
    .FullAddressEn(FullAddressEn != 0), .FilterEn(FilterEn != 0), .StampEn(StampEn != 0), .SyncModes(SyncModes[3:0]),
    .StampWidth(StampWidth)
  ) u_dut (
    .clk_i(clk_o), .rst_ni(rst_ni),
    .enable_i(enable), .inst_tracing_i(inst_tracing), .halted_i(halted), .in_reset_i(in_reset),
    .options_i(options_i ^ toggle), .draft_i(draft_i), .sync_mode_i(sync_mode_i), .sync_max_i(sync_max_i),
    .stall_ena_i(stall_ena_i), .filters_i(filters_i), .filter_cfg_i(filter_cfg_i), .comp_cfg_i(comp_cfg_i),
    .ing_itype_i(itype), .ing_iaddr_i(dut_iaddr), .ing_iretire_i(iretire), .ing_ilastsize_i(dut_ilastsize),
    .ing_sijump_i(dut_sijump), .ing_notify_i(notify_lane), .ing_cause_i((trap != '0) ? cause : noise[23:16]),
    .ing_tval_i(sts_block_o ? tval : noise_match[Xlen-1:0]), .ing_priv_i(sts_block_o ? priv_code : noise[26:24]),
    .ing_context_i(sts_block_o ? context_id : noise[63:32]), .ing_ctype_i(sts_block_o ? ctype : noise[31:30]),
    .ing_time_i(sts_tstamp_o), .ing_ready_o(ing_ready_o), .drop_o(ing_drop_o), .empty_o(encoder_empty),
    .overflow_o(sts_overflow_o),
    .pkt_valid_o(pkt_valid_o), .pkt_type_o(pkt_type), .pkt_length_o(pkt_length), .pkt_payload_o(pkt_payload),
    .pkt_start_o(pkt_start), .pkt_time_o(pkt_time), .pkt_ready_i(pkt_ready_o)
  );

  etrace_transport u_transport (
    .clk_i(clk_o), .rst_ni(rst_ni),
    .atb_i(atb_i), .framing_i(framing_i), .index_bytes_i(index_bytes_i), .flow_i(flow_i), .timestamp_i(timestamp_i),
    .block_bits_i(block_bits_i), .id_i(id_i),
    .pkt_valid_i(pkt_valid_o && !encap_i), .pkt_type_i(pkt_type), .pkt_length_i(pkt_length), .pkt_payload_i(pkt_payload),
    .pkt_start_i(pkt_start), .pkt_time_i(pkt_time[15:0]), .pkt_ready_o(transport_ready),
    .out_valid_o(message_valid), .out_nbytes_o(message_nbytes), .out_data_o(message_data), .out_ready_i(ready && !atb_i),
    .at_valid_o(at_valid), .at_data_o(at_data), .at_bytes_o(at_bytes), .at_id_o(at_id), .at_ready_i(ready && atb_i),
    .empty_o(transport_empty)
  );

  etrace_encapsulation #(.StampWidth(StampWidth)) u_encapsulation (
    .clk_i(clk_o), .rst_ni(rst_ni),
    .framing_i(framing_i), .async_freq_i(async_freq_i), .flow_i(flow_i), .timestamp_i(timestamp_i), .stamp_bytes_i(stamp_bytes_i),
    .src_bits_i(src_bits_i), .src_id_i(src_id_i), .type_bits_i(type_bits_i),
    .pkt_valid_i(pkt_valid_o && encap_i), .pkt_type_i(pkt_type), .pkt_length_i(pkt_length), .pkt_payload_i(pkt_payload),
    .pkt_time_i(pkt_time), .pkt_ready_o(encap_ready),
    .out_valid_o(encap_valid), .out_nbytes_o(encap_nbytes), .out_data_o(encap_data), .out_ready_i(ready),
    .empty_o(encap_empty)
  );
  assign pkt_ready_o = encap_i ? encap_ready : transport_ready;

  assign pkt_nbytes_o = {1'b0, pkt_length};
  assign pkt_data_o   = {pkt_time[15:0], 13'd0, pkt_start, pkt_type, 8'd0, pkt_payload};
  assign sts_empty_o  = encoder_empty && transport_empty && encap_empty;
  assign out_valid_o  = encap_i ? encap_valid : atb_i ? at_valid : message_valid;
  assign out_nbytes_o = encap_i ? encap_nbytes : atb_i ? 4'd8 : message_nbytes;
  assign out_data_o   = encap_i ? encap_data : atb_i ? {17'd0, at_id, 6'd0, at_bytes, at_data} : message_data;

  logic [63:0] cycle;
  logic        stuck_ingress, stuck_empty, was_empty;  // was_empty: with nothing left to come

  run_control u_run (
    .clk_i(clk_o), .go_i(go_i), .played_i(played), .accept_i(accept), .empty_i(sts_empty_o),
    .play_o(play), .draining_o(draining), .done_o(done_o), .cycle_o(cycle),
    .stuck_ingress_o(stuck_ingress), .stuck_empty_o(stuck_empty)
  );

  always_ff @(posedge clk_o) begin
    was_empty <= draining && (encoder_empty || was_empty);
  end

  trace_recorder #(.LaneBits(NBlocks*LaneBits), .OutBytes(8), .Levels(Levels)) u_recorder (
    .clk_i(clk_o), .go_i(play && drive_bulk_i), .cycle_i(cycle),
    .accept_i(accept), .any_block_i(sts_block_o), .levels_i(sts_levels_o),
    .vendor_data_i(32'd0), .tstamp_i(sts_tstamp_o), .lanes_i(seen_lanes),
    .drop_i(ing_drop_o), .empty_i(sts_empty_o), .valid_i(out_valid_o), .ready_i(ready),
    .nbytes_i(out_nbytes_o), .data_i(out_data_o),
    .stuck_ingress_i(stuck_ingress), .stuck_empty_i(stuck_empty),
    .early_empty_i(pkt_valid_o && (encoder_empty || was_empty)), .other_valid_i(encap_i ? message_valid || at_valid : encap_valid || (atb_i ? message_valid : at_valid))
  );

  stream_recorder #(.OutBytes(36), .File("packets.bin")) u_packets (
    .clk_i(clk_o), .go_i(play && drive_bulk_i), .cycle_i(cycle),
    .valid_i(pkt_valid_o), .ready_i(pkt_ready_o), .nbytes_i(pkt_nbytes_o), .data_i(pkt_data_o)
  );

endmodule
