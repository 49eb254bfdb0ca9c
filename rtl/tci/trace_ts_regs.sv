// SPDX-License-Identifier: Apache-2.0
// Registers of a timestamp unit, of an encoder or of a funnel (trTsControl, trTsCounterLow and High).
module trace_ts_regs
#(
  parameter int         TsWidth   = 48,
  parameter logic [7:0] Modes     = trace_reg_pkg::TrTsModeLegal,  // bit n: trTsMode = n is there
  parameter bit         HasEnable = 1'b1            // trTsEnable: encoders only
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               clear_i,      // the component is being reset

  input  logic               write_i,
  input  logic [11:0]        addr_i,
  input  logic [31:0]        wdata_i,
  output logic [31:0]        rdata_o,

  input  logic [TsWidth-1:0] tstamp_i,
  output logic               active_o,
  output logic               count_o,
  output logic               reset_o,      // pulse: trTsReset was written
  output logic               run_in_debug_o,
  output logic [2:0]         mode_o,
  output logic [1:0]         prescale_o,
  output logic               enable_o
);

  localparam bit HasInternal = Modes[2] || Modes[3];

  logic       write, active_q, count_q, debug_q, enable_q;
  logic [2:0] mode_q;
  logic [1:0] prescale_q;
  logic [2:0] wr_mode;

  assign write   = write_i && (addr_i == trace_reg_pkg::TrTsControlOffset);
  assign wr_mode = wdata_i[trace_reg_pkg::TrTsModeLsb +: trace_reg_pkg::TrTsModeWidth];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      active_q   <= 1'b0;
      count_q    <= 1'b0;
      debug_q    <= 1'b0;
      enable_q   <= 1'b0;
      mode_q     <= 3'd0;
      prescale_q <= 2'd0;
    end else if (clear_i || (write && !wdata_i[trace_reg_pkg::TrTsActiveLsb])) begin
      active_q   <= 1'b0;
      count_q    <= 1'b0;
      debug_q    <= 1'b0;
      enable_q   <= 1'b0;
      mode_q     <= 3'd0;
      prescale_q <= 2'd0;
    end else if (write) begin
      active_q <= 1'b1;
      if (active_q) begin
        count_q    <= HasInternal && wdata_i[trace_reg_pkg::TrTsCountLsb];
        debug_q    <= Modes[3] && wdata_i[trace_reg_pkg::TrTsRunInDebugLsb];
        enable_q   <= HasEnable && wdata_i[trace_reg_pkg::TrTsEnableLsb];
        mode_q     <= Modes[wr_mode] ? wr_mode : trace_reg_pkg::TrTsModeOtherwise;
        prescale_q <= HasInternal ? wdata_i[trace_reg_pkg::TrTsPrescaleLsb +: trace_reg_pkg::TrTsPrescaleWidth] : 2'd0;
      end
    end
  end

  assign active_o       = active_q;
  assign count_o        = count_q;
  assign reset_o        = write && active_q && wdata_i[trace_reg_pkg::TrTsResetLsb];
  assign run_in_debug_o = debug_q;
  assign mode_o         = mode_q;
  assign prescale_o     = prescale_q;
  assign enable_o       = enable_q;

  logic [63:0] counter;
  logic [31:0] control;
  assign counter = active_q ? {{(64-TsWidth){1'b0}}, tstamp_i} : 64'd0;
  assign control = (TsWidth << trace_reg_pkg::TrTsWidthLsb) |
                   {16'd0, enable_q, 5'd0, prescale_q, 1'b0, mode_q, debug_q, 1'b0, count_q, active_q};
  assign rdata_o = ((addr_i == trace_reg_pkg::TrTsControlOffset)     ? control        : 32'd0) |
                   ((addr_i == trace_reg_pkg::TrTsCounterLowOffset)  ? counter[31:0]  : 32'd0) |
                   ((addr_i == trace_reg_pkg::TrTsCounterHighOffset) ? counter[63:32] : 32'd0);

  logic unused_wdata;
  assign unused_wdata = ^{wdata_i[31:16], wdata_i[14:10], wdata_i[7]};

endmodule
