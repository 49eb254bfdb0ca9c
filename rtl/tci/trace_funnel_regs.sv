// SPDX-License-Identifier: Apache-2.0
// Registers of a trace funnel: trFunnelControl, trFunnelImpl, trFunnelDisInput, and its timestamp unit's.
module trace_funnel_regs
#(
  parameter int         NInputs = 2,           // 1 to 16
  parameter int         TsWidth = 48,
  parameter logic [7:0] TsModes = 8'b0000_0111 // none, external, internal system
) (
  input  logic               clk_i,
  input  logic               rst_ni,

  input  logic               write_i,
  input  logic [11:0]        addr_i,
  input  logic [31:0]        wdata_i,
  output logic [31:0]        rdata_o,

  // The funnel.
  input  logic               may_reset_i,
  input  logic               empty_i,
  output logic               clear_o,
  output logic               enable_o,
  output logic [NInputs-1:0] dis_o,

  // The timestamp unit.
  input  logic [TsWidth-1:0] tstamp_i,
  output logic               ts_active_o,
  output logic               ts_count_o,
  output logic               ts_reset_o,
  output logic [2:0]         ts_mode_o,
  output logic [1:0]         ts_prescale_o
);

  logic               wr_control, active;
  logic [NInputs-1:0] dis_q;
  logic [31:0]        control, ts_rdata;
  logic               unused_enable, unused_debug, unused_enabled;

  assign wr_control = write_i && (addr_i == trace_reg_pkg::TrFunnelControlOffset);

  trace_component_ctrl u_ctrl (
    .clk_i,
    .rst_ni,
    .write_i     (wr_control),
    .wr_active_i (wdata_i[trace_reg_pkg::TrFunnelActiveLsb]),
    .wr_enable_i (wdata_i[trace_reg_pkg::TrFunnelEnableLsb]),
    .may_reset_i,
    .stop_i      (1'b0),
    .active_o    (active),
    .enable_o,
    .clear_o,
    .enabled_o   (unused_enabled)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      dis_q <= '0;
    end else if (clear_o) begin
      dis_q <= '0;
    end else if (write_i && (addr_i == trace_reg_pkg::TrFunnelDisInputOffset)) begin
      dis_q <= wdata_i[NInputs-1:0];
    end
  end

  trace_ts_regs #(
    .TsWidth   (TsWidth),
    .Modes     (TsModes),
    .HasEnable (1'b0)
  ) u_ts_regs (
    .clk_i,
    .rst_ni,
    .clear_i        (clear_o),
    .write_i,
    .addr_i,
    .wdata_i,
    .rdata_o        (ts_rdata),
    .tstamp_i,
    .active_o       (ts_active_o),
    .count_o        (ts_count_o),
    .reset_o        (ts_reset_o),
    .run_in_debug_o (unused_debug),
    .mode_o         (ts_mode_o),
    .prescale_o     (ts_prescale_o),
    .enable_o       (unused_enable)
  );

  assign control = ({31'd0, active} << trace_reg_pkg::TrFunnelActiveLsb) |
                   ({31'd0, enable_o} << trace_reg_pkg::TrFunnelEnableLsb) |
                   ({31'd0, empty_i || !active} << trace_reg_pkg::TrFunnelEmptyLsb);
  assign rdata_o = ((addr_i == trace_reg_pkg::TrFunnelControlOffset)  ? control : 32'd0) |
                   ((addr_i == trace_reg_pkg::TrFunnelImplOffset)     ? trace_reg_pkg::TrFunnelImplReset : 32'd0) |
                   ((addr_i == trace_reg_pkg::TrFunnelDisInputOffset) ? {{(32-NInputs){1'b0}}, dis_q} : 32'd0) |
                   ts_rdata;
  assign dis_o   = dis_q;

endmodule
