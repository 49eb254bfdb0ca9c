// SPDX-License-Identifier: Apache-2.0
// Registers of a trace encoder (Trace Control Interface 1.0), with its triggers, filters and timestamp unit.
//
// Nothing here knows a protocol: what the encoder is and can do are parameters, N-Trace's by default (trace_hart sets them).
module trace_te_regs
#(
  parameter int          Xlen            = 64,
  parameter int          NFilters        = 2,
  parameter int          NComps          = 2,
  parameter int          NTrigIn         = 8,   // 1 to 8
  parameter int          NTrigOut        = 8,   // 1 to 8
  parameter int          TsWidth         = 48,  // at most 63
  // What the encoder is and can do.
  parameter logic [31:0] Impl            = trace_reg_pkg::TrTeImplReset,
  parameter logic [31:0] ControlReset    = trace_reg_pkg::TrTeControlReset,      // of bits that cannot be set: their value
  parameter logic [31:0] ControlMask     = trace_reg_pkg::TrTeControlMask,       // bits that can be set
  parameter logic [31:0] FeatureMask     = trace_reg_pkg::TrTeInstFeaturesMask,
  parameter logic [7:0]  ModeLegal       = trace_reg_pkg::TrTeInstModeLegal,     // bit n: trTeInstMode = n is legal
  parameter logic [2:0]  ModeOtherwise   = trace_reg_pkg::TrTeInstModeOtherwise,
  parameter logic [3:0]  ReturnLegal     = trace_reg_pkg::TrTeInstImplicitReturnModeLegal,
  parameter logic [1:0]  ReturnOtherwise = trace_reg_pkg::TrTeInstImplicitReturnModeOtherwise,
  parameter logic [15:0] SrcLegal        = trace_reg_pkg::TrTeSrcBitsLegal,
  parameter logic [3:0]  SrcOtherwise    = trace_reg_pkg::TrTeSrcBitsOtherwise,
  parameter logic [3:0]  VendorMask      = 4'hF,
  parameter bit          ExtTriggers     = 1'b1     // the registers of external triggers are there
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,

  // Register bus.
  input  logic                    write_i,
  input  logic [11:0]             addr_i,
  input  logic [31:0]             wdata_i,
  output logic [31:0]             rdata_o,

  // The encoder.
  output logic                    active_o,           // 0 holds it in reset
  input  logic                    may_reset_i,        // after this cycle it is at a message boundary
  input  logic                    accept_i,           // it takes the beat on the ingress port
  input  logic                    empty_i,
  input  logic                    overflow_i,
  output logic                    enable_o,
  output logic                    inst_tracing_o,     // for the beat on the port
  output logic                    notify_o,
  output logic                    ext_notify_o,
  output logic [31:0]             control_o,          // trTeControl
  output logic [31:0]             features_o,         // trTeInstFeatures
  output logic [3:0]              vendor_o,           // trTeVendorControl
  output logic [15:0]             filters_o,
  output logic [NFilters*128-1:0] filter_cfg_o,
  output logic [NComps*160-1:0]   comp_cfg_o,

  // Triggers.
  input  logic                    dbg_on_i,
  input  logic                    dbg_off_i,
  input  logic                    dbg_notify_i,
  input  logic [NTrigIn-1:0]      ext_trig_i,
  output logic [NTrigOut-1:0]     ext_trig_o,

  // The timestamp unit.
  input  logic [TsWidth-1:0]      tstamp_i,
  output logic                    ts_active_o,
  output logic                    ts_count_o,
  output logic                    ts_reset_o,
  output logic                    ts_run_in_debug_o,
  output logic [2:0]              ts_mode_o,
  output logic [1:0]              ts_prescale_o,
  output logic                    ts_enable_o
);

  localparam logic [31:0] FiltersMask = (32'd1 << NFilters) - 32'd1;

  logic        active, enable, clear, enabled, taken, tracing;
  logic        wr_control, wr_features, wr_filters, wr_in, wr_out, wr_vendor;
  logic [31:0] settings_q, features_q, in_q, out_q, legal_control, legal_features, legal_in;
  logic [15:0] filters_q;
  logic [3:0]  vendor_q;
  logic        lost_q;
  logic [31:0] filter_rdata, ts_rdata;

  assign taken       = write_i && active;
  assign wr_control  = write_i && (addr_i == trace_reg_pkg::TrTeControlOffset);
  assign wr_features = taken && (addr_i == trace_reg_pkg::TrTeInstFeaturesOffset);
  assign wr_filters  = taken && (addr_i == trace_reg_pkg::TrTeInstFiltersOffset);
  assign wr_in       = taken && (addr_i == trace_reg_pkg::TrTeTrigExtInControlOffset);
  assign wr_out      = taken && (addr_i == trace_reg_pkg::TrTeTrigExtOutControlOffset);
  assign wr_vendor   = taken && (addr_i == trace_reg_pkg::TrTeVendorControlOffset);

  trace_component_ctrl u_ctrl (
    .clk_i,
    .rst_ni,
    .write_i     (wr_control),
    .wr_active_i (wdata_i[trace_reg_pkg::TrTeActiveLsb]),
    .wr_enable_i (wdata_i[trace_reg_pkg::TrTeEnableLsb]),
    .may_reset_i,
    .stop_i      (1'b0),
    .active_o    (active),
    .enable_o    (enable),
    .clear_o     (clear),
    .enabled_o   (enabled)
  );

  // trTeControl but for the bits that have a life of their own: those stay 0 in settings_q.
  localparam logic [31:0] OwnLife = (32'd1 << trace_reg_pkg::TrTeActiveLsb) | (32'd1 << trace_reg_pkg::TrTeEnableLsb) |
                                    (32'd1 << trace_reg_pkg::TrTeInstTracingLsb) | (32'd1 << trace_reg_pkg::TrTeEmptyLsb) |
                                    (32'd1 << trace_reg_pkg::TrTeInstStallOrOverflowLsb);
  localparam int Mode       = trace_reg_pkg::TrTeInstModeLsb;
  localparam int ReturnMode = trace_reg_pkg::TrTeInstImplicitReturnModeLsb;
  localparam int SrcBits    = trace_reg_pkg::TrTeSrcBitsLsb;
  localparam logic [31:0] ModeMask      = 32'd7 << Mode;
  localparam logic [31:0] ReturnMask    = 32'd3 << ReturnMode;
  localparam logic [31:0] SrcBitsMask   = 32'd15 << SrcBits;
  localparam logic [31:0] SettingsReset = ControlReset & ~OwnLife;
  localparam logic [31:0] ControlFixed  = SettingsReset & ~(ControlMask | ModeMask);
  localparam logic [31:0] FeaturesReset = {30'd0, ReturnOtherwise} << ReturnMode;

  // An illegal mode turns into a legal one.
  logic [2:0] wr_mode;
  logic [1:0] wr_return;
  logic [3:0] wr_src_bits;
  assign wr_mode     = ModeLegal[wdata_i[Mode +: 3]] ? wdata_i[Mode +: 3] : ModeOtherwise;
  assign wr_return   = ReturnLegal[wdata_i[ReturnMode +: 2]] ? wdata_i[ReturnMode +: 2] : ReturnOtherwise;
  assign wr_src_bits = SrcLegal[wdata_i[SrcBits +: 4]] ? wdata_i[SrcBits +: 4] : SrcOtherwise;
  assign legal_control  = (wdata_i & ControlMask & ~(OwnLife | ModeMask)) | ({29'd0, wr_mode} << Mode) | ControlFixed;
  assign legal_features = (wdata_i & FeatureMask & ~(ReturnMask | SrcBitsMask)) | ({30'd0, wr_return} << ReturnMode) |
                          ({28'd0, wr_src_bits} << SrcBits);
  for (genvar n = 0; n < 8; n++) begin : gen_action
    logic [3:0] action;
    assign action = wdata_i[4*n +: 4];
    assign legal_in[4*n +: 4] = (ExtTriggers && (n < NTrigIn) && trace_reg_pkg::TrTeTrigExtInAction0Legal[action]) ? action : 4'd0;
  end
  localparam logic [31:0] OutMask = ExtTriggers ? trace_reg_pkg::TrTeTrigExtOutControlMask & (32'hFFFFFFFF >> (4*(8-NTrigOut)))
                                                : 32'd0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      settings_q <= SettingsReset;
      features_q <= FeaturesReset;
      filters_q  <= 16'd0;
      in_q       <= 32'd0;
      out_q      <= 32'd0;
      vendor_q   <= 4'd0;
      lost_q     <= 1'b0;
    end else if (clear) begin
      settings_q <= SettingsReset;
      features_q <= FeaturesReset;
      filters_q  <= 16'd0;
      in_q       <= 32'd0;
      out_q      <= 32'd0;
      vendor_q   <= 4'd0;
      lost_q     <= 1'b0;
    end else begin
      if (wr_control && wdata_i[trace_reg_pkg::TrTeActiveLsb]) settings_q <= legal_control;
      if (wr_features) features_q <= legal_features;
      if (wr_filters)  filters_q  <= wdata_i[15:0] & FiltersMask[15:0];
      if (wr_in)       in_q       <= legal_in;
      if (wr_out)      out_q      <= wdata_i & OutMask;
      if (wr_vendor)   vendor_q   <= wdata_i[3:0] & VendorMask;
      // A message lost, or a hart stalled, in the cycle of the write is not forgotten.
      if (overflow_i || (enable && settings_q[trace_reg_pkg::TrTeInstStallEnaLsb] && !accept_i)) lost_q <= 1'b1;
      else if (enabled || (wr_control && wdata_i[trace_reg_pkg::TrTeInstStallOrOverflowLsb]))    lost_q <= 1'b0;
    end
  end

  trace_te_trigger #(
    .NTrigIn  (NTrigIn),
    .NTrigOut (NTrigOut)
  ) u_trigger (
    .clk_i,
    .rst_ni,
    .clear_i        (clear),
    .enable_i       (enable),
    .trig_enable_i  (settings_q[trace_reg_pkg::TrTeInstTrigEnableLsb]),
    .actions_i      (in_q),
    .events_i       (out_q),
    .write_i        (wr_control && active && wdata_i[trace_reg_pkg::TrTeActiveLsb]),
    .wdata_i        (wdata_i[trace_reg_pkg::TrTeInstTracingLsb]),
    .accept_i,
    .dbg_on_i,
    .dbg_off_i,
    .dbg_notify_i,
    .ext_i          (ext_trig_i),
    .ext_o          (ext_trig_o),
    .tracing_o      (tracing),
    .inst_tracing_o,
    .notify_o,
    .ext_notify_o
  );

  trace_te_filter_regs #(
    .Xlen     (Xlen),
    .NFilters (NFilters),
    .NComps   (NComps)
  ) u_filter_regs (
    .clk_i,
    .rst_ni,
    .clear_i (clear),
    .write_i (taken),
    .addr_i,
    .wdata_i,
    .rdata_o (filter_rdata),
    .filter_cfg_o,
    .comp_cfg_o
  );

  trace_ts_regs #(
    .TsWidth (TsWidth)
  ) u_ts_regs (
    .clk_i,
    .rst_ni,
    .clear_i        (clear),
    .write_i        (taken),
    .addr_i,
    .wdata_i,
    .rdata_o        (ts_rdata),
    .tstamp_i,
    .active_o       (ts_active_o),
    .count_o        (ts_count_o),
    .reset_o        (ts_reset_o),
    .run_in_debug_o (ts_run_in_debug_o),
    .mode_o         (ts_mode_o),
    .prescale_o     (ts_prescale_o),
    .enable_o       (ts_enable_o)
  );

  logic [31:0] control;
  assign control = settings_q |
                   ({31'd0, active}  << trace_reg_pkg::TrTeActiveLsb) |
                   ({31'd0, enable}  << trace_reg_pkg::TrTeEnableLsb) |
                   ({31'd0, tracing} << trace_reg_pkg::TrTeInstTracingLsb) |
                   ({31'd0, empty_i} << trace_reg_pkg::TrTeEmptyLsb) |
                   ({31'd0, lost_q}  << trace_reg_pkg::TrTeInstStallOrOverflowLsb);
  assign rdata_o = ((addr_i == trace_reg_pkg::TrTeControlOffset)           ? control           : 32'd0) |
                   ((addr_i == trace_reg_pkg::TrTeImplOffset)              ? Impl              : 32'd0) |
                   ((addr_i == trace_reg_pkg::TrTeInstFeaturesOffset)      ? features_q        : 32'd0) |
                   ((addr_i == trace_reg_pkg::TrTeInstFiltersOffset)       ? {16'd0, filters_q} : 32'd0) |
                   ((addr_i == trace_reg_pkg::TrTeTrigExtInControlOffset)  ? in_q              : 32'd0) |
                   ((addr_i == trace_reg_pkg::TrTeTrigExtOutControlOffset) ? out_q             : 32'd0) |
                   ((addr_i == trace_reg_pkg::TrTeVendorControlOffset)     ? {28'd0, vendor_q} : 32'd0) |
                   filter_rdata | ts_rdata;

  assign active_o   = active;
  assign enable_o   = enable;
  assign control_o  = control;
  assign features_o = features_q;
  assign vendor_o   = vendor_q;
  assign filters_o  = filters_q;

endmodule
