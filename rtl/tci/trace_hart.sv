// SPDX-License-Identifier: Apache-2.0
// What the trace system has for one hart: registers, triggers, a timestamp unit, and its encoder: N-Trace, or E-Trace
// with its transport in the encapsulation messaging, whose index is the source.
//
// trTeActive = 0 resets the encoder (between two messages); the hart is only stalled while trTeEnable is set.
// The encoder takes its settings when it is enabled: what is written later counts from the next time on,
// so that no message in the queue is ever sent with other settings than it was made with.
module trace_hart
#(
  parameter int Format       = 1,   // trTeFormat: 0 E-Trace, 1 N-Trace
  parameter int Xlen         = 64,
  parameter int NBlocks      = 1,
  parameter int IRetireWidth = 7,
  parameter int IcntBits     = 22,
  parameter int HistBits     = 32,
  parameter int FifoDepth    = 16,
  parameter int OutBytes     = 8,
  parameter int StackDepth   = 8,
  parameter int RepeatBits   = 18,
  // E-Trace (etrace_encoder); OutBytes is 8 there.
  parameter int IAddressLsb     = 1,
  parameter int ContextWidth    = 32,
  parameter bit NoContext       = 1'b0,
  parameter int TimeWidth       = 32,
  parameter bit NoTime          = 1'b1,
  parameter int PrivilegeWidth  = 3,
  parameter int EcauseWidth     = 6,
  parameter bit NoTval          = 1'b0,
  parameter int BpredSize       = 6,
  parameter int CacheSize       = 5,
  parameter int CallCounterSize = 0,
  parameter int ReturnStackSize = 4,
  parameter int F0sWidth        = 1,
  parameter bit SijumpEn        = 1'b1,
  parameter int EncoderModeN    = 1,
  parameter int IOptionsN       = 6,
  parameter int DOptionsN       = 0,
  parameter int BcountBits      = 32,
  // Both.
  parameter int TsWidth      = 48,
  parameter int NFilters     = 2,
  parameter int NComps       = 2,
  parameter int NTrigIn      = 8,
  parameter int NTrigOut     = 8,
  parameter int CountBits    = $clog2(OutBytes + 1)  // derived, do not set
) (
  input  logic                            clk_i,
  input  logic                            rst_ni,

  // Register bus.
  input  logic                            write_i,
  input  logic [11:0]                     addr_i,
  input  logic [31:0]                     wdata_i,
  output logic [31:0]                     rdata_o,

  // The hart: see trace_system.
  input  logic                            halted_i,
  input  logic                            in_reset_i,
  input  logic                            low_power_i,
  input  logic                            dbg_on_i,
  input  logic                            dbg_off_i,
  input  logic                            dbg_notify_i,
  input  logic [5:0]                      vendor_tcode_i,
  input  logic [31:0]                     vendor_data_i,
  input  logic [NBlocks*4-1:0]            ing_itype_i,
  input  logic [NBlocks*Xlen-1:0]         ing_iaddr_i,
  input  logic [NBlocks*IRetireWidth-1:0] ing_iretire_i,
  input  logic [NBlocks-1:0]              ing_ilastsize_i,
  input  logic [NBlocks-1:0]              ing_sijump_i,
  input  logic [NBlocks*8-1:0]            ing_cause_i,
  input  logic [NBlocks*Xlen-1:0]         ing_tval_i,
  input  logic [NBlocks*3-1:0]            ing_priv_i,
  input  logic [NBlocks*32-1:0]           ing_context_i,
  input  logic [NBlocks*16-1:0]           ing_hcontext_i,
  input  logic [1:0]                      ing_ctype_i,
  output logic                            ing_ready_o,

  input  logic [NTrigIn-1:0]              ext_trig_i,
  output logic [NTrigOut-1:0]             ext_trig_o,
  input  logic                            ts_tick_i,
  input  logic [TsWidth-1:0]              ts_external_i,
  input  logic [TsWidth-1:0]              ts_shared_i,

  // Whole messages; a word never mixes two.
  output logic                            out_valid_o,
  output logic                            out_last_o,
  output logic [CountBits-1:0]            out_nbytes_o,
  output logic [8*OutBytes-1:0]           out_data_o,
  input  logic                            out_ready_i,

  // For monitors.
  output logic                            accept_o,
  output logic                            drop_o,
  output logic                            enable_o,
  output logic                            tracing_o,
  output logic                            notify_o,
  output logic                            ext_notify_o,
  output logic [TsWidth-1:0]              tstamp_o,
  output logic                            empty_o
);

  logic                    active, may_reset, enc_rst_n, enc_ready, enc_drop, enc_empty, overflow;
  logic [31:0]             reg_control, reg_features;
  logic [3:0]              reg_vendor;
  logic [15:0]             reg_filters;
  logic [NFilters*128-1:0] filter_cfg;
  logic [NComps*160-1:0]   comp_cfg;
  logic                    ts_active, ts_count, ts_reset, ts_run_in_debug, reg_ts_enable;
  logic [2:0]              ts_mode;
  logic [1:0]              ts_prescale;
  logic                    inside_q, inside_d;

  // What the registers say of the encoder that is built.
  localparam bit          ETrace        = (Format == 0);
  localparam bit          HasReturns    = (ReturnStackSize > 0) || (CallCounterSize > 0);
  localparam logic [1:0]  EtraceReturns = (ReturnStackSize > 0) ? 2'd3 : HasReturns ? 2'd1 : 2'd0;
  localparam logic [31:0] EtraceFeatures = trace_reg_pkg::EtraceTrTeInstFeaturesMask &
    ~((SijumpEn       ? 32'd0 : 32'd1 << trace_reg_pkg::TrTeInstEnSequentialJumpLsb) |
      (HasReturns     ? 32'd0 : 32'd1 << trace_reg_pkg::TrTeInstEnImplicitReturnLsb) |
      (BpredSize != 0 ? 32'd0 : 32'd1 << trace_reg_pkg::TrTeInstEnBranchPredictionLsb) |
      (CacheSize != 0 ? 32'd0 : 32'd1 << trace_reg_pkg::TrTeInstEnJumpTargetCacheLsb));
  localparam logic [31:0] EtraceControl = trace_reg_pkg::EtraceTrTeControlReset &
    ~(NoContext ? 32'd1 << trace_reg_pkg::TrTeContextLsb : 32'd0);

  trace_te_regs #(
    .Xlen            (Xlen),
    .NFilters        (NFilters),
    .NComps          (NComps),
    .NTrigIn         (NTrigIn),
    .NTrigOut        (NTrigOut),
    .TsWidth         (TsWidth),
    .Impl            (ETrace ? trace_reg_pkg::EtraceTrTeImplReset          : trace_reg_pkg::TrTeImplReset),
    .ControlReset    (ETrace ? EtraceControl                               : trace_reg_pkg::TrTeControlReset),
    .ControlMask     (ETrace ? trace_reg_pkg::EtraceTrTeControlMask        : trace_reg_pkg::TrTeControlMask),
    .FeatureMask     (ETrace ? EtraceFeatures                              : trace_reg_pkg::TrTeInstFeaturesMask),
    .ModeLegal       (ETrace ? trace_reg_pkg::EtraceTrTeInstModeLegal      : trace_reg_pkg::TrTeInstModeLegal),
    .ModeOtherwise   (ETrace ? trace_reg_pkg::EtraceTrTeInstModeOtherwise  : trace_reg_pkg::TrTeInstModeOtherwise),
    .ReturnLegal     (ETrace ? 4'd1 << EtraceReturns                       : trace_reg_pkg::TrTeInstImplicitReturnModeLegal),
    .ReturnOtherwise (ETrace ? EtraceReturns                               : trace_reg_pkg::TrTeInstImplicitReturnModeOtherwise),
    .SrcLegal        (ETrace ? trace_reg_pkg::EtraceTrTeSrcBitsLegal       : trace_reg_pkg::TrTeSrcBitsLegal),
    .SrcOtherwise    (ETrace ? trace_reg_pkg::EtraceTrTeSrcBitsOtherwise   : trace_reg_pkg::TrTeSrcBitsOtherwise),
    .VendorMask      (ETrace ? trace_reg_pkg::EtraceTrTeVendorControlMask[3:0] : trace_reg_pkg::TrTeVendorControlMask[3:0]),
    .ExtTriggers     (!ETrace)
  ) u_regs (
    .clk_i,
    .rst_ni,
    .write_i,
    .addr_i,
    .wdata_i,
    .rdata_o,
    .active_o          (active),
    .may_reset_i       (may_reset),
    .accept_i          (enc_ready || !active),
    .empty_i           (empty_o),
    .overflow_i        (overflow && active),
    .enable_o          (enable_o),
    .inst_tracing_o    (tracing_o),
    .notify_o,
    .ext_notify_o,
    .control_o         (reg_control),
    .features_o        (reg_features),
    .vendor_o          (reg_vendor),
    .filters_o         (reg_filters),
    .filter_cfg_o      (filter_cfg),
    .comp_cfg_o        (comp_cfg),
    .dbg_on_i,
    .dbg_off_i,
    .dbg_notify_i,
    .ext_trig_i,
    .ext_trig_o,
    .tstamp_i          (tstamp_o),
    .ts_active_o       (ts_active),
    .ts_count_o        (ts_count),
    .ts_reset_o        (ts_reset),
    .ts_run_in_debug_o (ts_run_in_debug),
    .ts_mode_o         (ts_mode),
    .ts_prescale_o     (ts_prescale),
    .ts_enable_o       (reg_ts_enable)
  );

  trace_timestamp #(
    .Width (TsWidth)
  ) u_timestamp (
    .clk_i,
    .rst_ni,
    .active_i       (ts_active),
    .count_i        (ts_count),
    .clear_i        (ts_reset),
    .run_in_debug_i (ts_run_in_debug),
    .mode_i         (ts_mode),
    .prescale_i     (ts_prescale),
    .halted_i,
    .sys_tick_i     (ts_tick_i),
    .external_i     (ts_external_i),
    .shared_i       (ts_shared_i),
    .tstamp_o
  );

  // Settings as the encoder sees them, until it is disabled, has taken that beat, and is empty.
  localparam int SettingBits = 32 + 32 + 16 + 4 + 1;
  logic [SettingBits-1:0] settings_q, settings;
  logic                   locked_q, closed_q;
  logic [31:0]            control, features;
  logic [3:0]             vendor;
  logic [15:0]            filters;
  logic                   ts_enable;

  assign settings = locked_q ? settings_q : {reg_control, reg_features, reg_filters, reg_vendor, reg_ts_enable};
  assign {control, features, filters, vendor, ts_enable} = settings;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      settings_q <= '0;
      locked_q   <= 1'b0;
      closed_q   <= 1'b0;
    end else begin
      settings_q <= settings;
      closed_q   <= !enable_o && (closed_q || enc_ready);
      locked_q   <= active && (enable_o || (locked_q && !(closed_q && enc_empty)));
    end
  end

  // A flop drives it, so it has no glitches.
  assign enc_rst_n = rst_ni && active;

  if (ETrace) begin : gen_etrace
    logic         encoder_empty, transport_empty, pkt_valid, pkt_start, pkt_ready;
    logic [1:0]   pkt_type;
    logic [4:0]   pkt_length;
    logic [247:0] pkt_payload;
    logic [15:0]  pkt_time;
    logic         unused_at_valid;
    logic [31:0]  unused_at_data;
    logic [1:0]   unused_at_bytes;
    logic [6:0]   unused_at_id;
    logic         zeros, index;
    logic [63:0]  stream;

    // A trace-notify trigger is about the last instruction of its beat.
    logic [NBlocks-1:0] retires, notify_lane;
    for (genvar k = 0; k < NBlocks; k++) begin : gen_notify
      assign retires[k] = (ing_iretire_i[IRetireWidth*k +: IRetireWidth] != '0);
      if (k == NBlocks - 1) begin : gen_last
        assign notify_lane[k] = notify_o && retires[k];
      end else begin : gen_older
        assign notify_lane[k] = notify_o && retires[k] && (retires[NBlocks-1:k+1] == '0);
      end
    end

    etrace_encoder #(
      .NBlocks         (NBlocks),
      .IAddressWidth   (Xlen),
      .IAddressLsb     (IAddressLsb),
      .ContextWidth    (ContextWidth),
      .NoContext       (NoContext),
      .TimeWidth       (TimeWidth),
      .NoTime          (NoTime),
      .PrivilegeWidth  (PrivilegeWidth),
      .EcauseWidth     (EcauseWidth),
      .NoTval          (NoTval),
      .IRetireWidth    (IRetireWidth),
      .BpredSize       (BpredSize),
      .CacheSize       (CacheSize),
      .CallCounterSize (CallCounterSize),
      .ReturnStackSize (ReturnStackSize),
      .F0sWidth        (F0sWidth),
      .SijumpEn        (SijumpEn),
      .EncoderModeN    (EncoderModeN),
      .IOptionsN       (IOptionsN),
      .DOptionsN       (DOptionsN),
      .BcountBits      (BcountBits),
      .FifoDepth       (FifoDepth),
      .NFilters        (NFilters),
      .NComps          (NComps)
    ) u_encoder (
      .clk_i,
      .rst_ni         (enc_rst_n),
      .enable_i       (enable_o),
      .inst_tracing_i (tracing_o),
      .halted_i,
      .in_reset_i,
      .options_i      ({features[trace_reg_pkg::TrTeInstEnSequentialJumpLsb],
                        features[trace_reg_pkg::TrTeInstEnBranchPredictionLsb],
                        features[trace_reg_pkg::TrTeInstEnJumpTargetCacheLsb],
                        features[trace_reg_pkg::TrTeInstNoAddrDiffLsb],
                        features[trace_reg_pkg::TrTeInstNoTrapAddrLsb],
                        features[trace_reg_pkg::TrTeInstEnImplicitReturnLsb]}),
      .draft_i        (vendor[trace_reg_pkg::TrTeVendorDraftLsb]),
      .sync_mode_i    (control[trace_reg_pkg::TrTeInstSyncModeLsb +: 2]),
      .sync_max_i     (control[trace_reg_pkg::TrTeInstSyncMaxLsb +: 4]),
      .stall_ena_i    (control[trace_reg_pkg::TrTeInstStallEnaLsb]),
      .filters_i      (filters),
      .filter_cfg_i   (filter_cfg),
      .comp_cfg_i     (comp_cfg),
      .ing_itype_i,
      .ing_iaddr_i,
      .ing_iretire_i,
      .ing_ilastsize_i,
      .ing_sijump_i,
      .ing_notify_i   (notify_lane),
      // These are reported once a cycle: by the oldest block. Its port has the privilege's code.
      .ing_cause_i    (ing_cause_i[7:0]),
      .ing_tval_i     (ing_tval_i[Xlen-1:0]),
      .ing_priv_i     (trace_pkg::priv_code(ing_priv_i[2:0])),
      .ing_context_i  (ing_context_i[31:0]),
      .ing_ctype_i,
      .ing_time_i     ({{(64-TsWidth){1'b0}}, tstamp_o}),
      .ing_ready_o    (enc_ready),
      .drop_o         (enc_drop),
      .empty_o        (encoder_empty),
      .overflow_o     (overflow),
      .pkt_valid_o    (pkt_valid),
      .pkt_type_o     (pkt_type),
      .pkt_length_o   (pkt_length),
      .pkt_payload_o  (pkt_payload),
      .pkt_start_o    (pkt_start),
      .pkt_time_o     (pkt_time),
      .pkt_ready_i    (pkt_ready)
    );

    assign zeros = vendor[trace_reg_pkg::TrTeVendorZerosLsb];
    assign index = (features[trace_reg_pkg::TrTeSrcBitsLsb +: 4] != 4'd0) && !control[trace_reg_pkg::TrTeInhibitSrcLsb];

    etrace_transport u_transport (
      .clk_i,
      .rst_ni        (enc_rst_n),
      .atb_i         (1'b0),
      .framing_i     ({1'b0, zeros}),  // etrace_pkg: 0 none, 1 zeros
      .index_bytes_i ({1'b0, index}),
      .flow_i        (2'd0),
      .timestamp_i   (ts_enable),
      .block_bits_i  (4'd10),
      .id_i          (7'd0),
      .pkt_valid_i   (pkt_valid),
      .pkt_type_i    (pkt_type),
      .pkt_length_i  (pkt_length),
      .pkt_payload_i (pkt_payload),
      .pkt_start_i   (pkt_start),
      .pkt_time_i    (pkt_time),
      .pkt_ready_o   (pkt_ready),
      .out_valid_o,
      .out_nbytes_o,
      .out_data_o    (stream),
      .out_ready_i,
      .at_valid_o    (unused_at_valid),
      .at_data_o     (unused_at_data),
      .at_bytes_o    (unused_at_bytes),
      .at_id_o       (unused_at_id),
      .at_ready_i    (1'b0),
      .empty_o       (transport_empty)
    );

    trace_packet_source u_source (
      .clk_i,
      .rst_ni   (enc_rst_n),
      .index_i  (index),
      .source_i (features[trace_reg_pkg::TrTeSrcIDLsb +: 8]),
      .taken_i  (out_valid_o && out_ready_i),
      .nbytes_i (out_nbytes_o),
      .data_i   (stream),
      .data_o   (out_data_o),
      .last_o   (out_last_o)
    );

    assign enc_empty = encoder_empty && transport_empty;

    logic unused;
    assign unused = ^{low_power_i, vendor_tcode_i, vendor_data_i, ing_hcontext_i, ing_cause_i, ing_tval_i, ing_priv_i, ing_context_i,
                      control, features, vendor, ext_notify_o, unused_at_valid, unused_at_data, unused_at_bytes, unused_at_id};
  end else begin : gen_ntrace
    localparam logic [1:0] MseoEnd = 2'b11;

    logic [1:0] return_mode;
    assign return_mode = features[trace_reg_pkg::TrTeInstImplicitReturnModeLsb +: 2] &
                         {2{features[trace_reg_pkg::TrTeInstEnImplicitReturnLsb]}};

    ntrace_encoder #(
      .Xlen         (Xlen),
      .NBlocks      (NBlocks),
      .IRetireWidth (IRetireWidth),
      .IcntBits     (IcntBits),
      .HistBits     (HistBits),
      .FifoDepth    (FifoDepth),
      .OutBytes     (OutBytes),
      .StackDepth   (StackDepth),
      .RepeatBits   (RepeatBits),
      .TsWidth      (TsWidth),
      .NFilters     (NFilters),
      .NComps       (NComps)
    ) u_encoder (
      .clk_i,
      .rst_ni             (enc_rst_n),
      .enable_i           (enable_o),
      .inst_tracing_i     (tracing_o),
      .halted_i,
      .in_reset_i,
      .low_power_i,
      .notify_i           (notify_o),
      .ext_notify_i       (ext_notify_o),
      .vendor_tcode_i,
      .vendor_data_i,
      .inst_mode_i        (control[trace_reg_pkg::TrTeInstModeLsb +: 3]),
      .sync_mode_i        (control[trace_reg_pkg::TrTeInstSyncModeLsb +: 2]),
      .sync_max_i         (control[trace_reg_pkg::TrTeInstSyncMaxLsb +: 4]),
      .stall_ena_i        (control[trace_reg_pkg::TrTeInstStallEnaLsb]),
      .rc7_i              (vendor[trace_reg_pkg::TrTeVendorRc7Lsb]),
      .btype_ext_i        (!vendor[trace_reg_pkg::TrTeVendorBTypeOneLsb]),
      .src_bits_i         (features[trace_reg_pkg::TrTeSrcBitsLsb +: 4]),
      .src_id_i           (features[trace_reg_pkg::TrTeSrcIDLsb +: 12]),
      .inhibit_src_i      (control[trace_reg_pkg::TrTeInhibitSrcLsb]),
      .ts_enable_i        (ts_enable),
      .tstamp_i           (tstamp_o),
      .context_ena_i      (control[trace_reg_pkg::TrTeContextLsb]),
      .hcontext_ena_i     (vendor[trace_reg_pkg::TrTeVendorHcontextLsb]),
      .extend_addr_msb_i  (features[trace_reg_pkg::TrTeInstExtendAddrMSBLsb]),
      .implicit_return_i  (return_mode),
      .repeated_history_i (features[trace_reg_pkg::TrTeInstEnRepeatedHistoryLsb]),
      .repeat_branch_i    (vendor[trace_reg_pkg::TrTeVendorRepeatBranchLsb]),
      .sequential_jump_i  (features[trace_reg_pkg::TrTeInstEnSequentialJumpLsb]),
      .all_jumps_i        (features[trace_reg_pkg::TrTeInstEnAllJumpsLsb]),
      .filters_i          (filters),
      .filter_cfg_i       (filter_cfg),
      .comp_cfg_i         (comp_cfg),
      .ing_itype_i,
      .ing_iaddr_i,
      .ing_iretire_i,
      .ing_ilastsize_i,
      .ing_sijump_i,
      .ing_cause_i,
      .ing_tval_i,
      .ing_priv_i,
      .ing_context_i,
      .ing_hcontext_i,
      .ing_ready_o        (enc_ready),
      .drop_o             (enc_drop),
      .empty_o            (enc_empty),
      .overflow_o         (overflow),
      .out_valid_o,
      .out_nbytes_o,
      .out_data_o,
      .out_ready_i
    );

    // The end of a message is in its last byte.
    logic [OutBytes-1:0] ends;
    for (genvar k = 0; k < OutBytes; k++) begin : gen_end
      assign ends[k] = (k + 1 == out_nbytes_o) && (out_data_o[8*k +: 2] == MseoEnd);
    end
    assign out_last_o = (ends != '0);

    logic unused;
    assign unused = ^{control, features, ing_ctype_i};
  end

  assign inside_d   = (out_valid_o && out_ready_i) ? !out_last_o : inside_q;
  assign may_reset  = !inside_d;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) inside_q <= 1'b0;
    else         inside_q <= inside_d;
  end

  assign ing_ready_o = enc_ready || !enable_o;
  assign accept_o    = active && enc_ready;
  assign drop_o      = active && enc_drop;
  assign empty_o     = enc_empty || !active;

endmodule
