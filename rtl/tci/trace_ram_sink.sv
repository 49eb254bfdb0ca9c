// SPDX-License-Identifier: Apache-2.0
// RAM sink: the registers and pointers of the circular buffer. Bytes become words in trace_word_buffer.
//
// trRamMode 0: the SRAM inside, read through trRamData. 1: words leave on the memory write port. In SRAM mode
// addresses have only the bits of the SRAM, the buffer starts at 0, and the high registers read 0;
// in system memory mode there is no read pointer. What was written to an address register stays; the bits that
// are legal in the present mode are seen and used.
module trace_ram_sink
#(
  parameter int SramBytes = 4096,  // a power of two, at least 8; 0: no SRAM
  parameter int SmemBits  = 40,    // address bits of the memory port, 32 to 64; 0: no memory port
  parameter int OutBytes  = 8,
  parameter logic [7:0] IdleByte = 8'hFF,  // fills the last word
  // Derived, do not set.
  parameter int AddrBits  = (SmemBits > 32) ? SmemBits : 32,
  parameter int CountBits = $clog2(OutBytes + 1)
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,

  // Register bus.
  input  logic                  write_i,
  input  logic                  read_i,
  input  logic [11:0]           addr_i,
  input  logic [31:0]           wdata_i,
  output logic [31:0]           rdata_o,

  // Stream of whole messages.
  output logic                  want_o,    // takes new messages
  output logic                  alive_o,   // goes on with the message it has begun
  input  logic                  in_valid_i,
  input  logic                  in_last_i,
  input  logic [CountBits-1:0]  in_nbytes_i,
  input  logic [8*OutBytes-1:0] in_data_i,
  output logic                  in_ready_o,

  // Memory writes: valid, address and data hold until ready.
  output logic                  mem_valid_o,
  output logic [AddrBits-1:0]   mem_addr_o,
  output logic [31:0]           mem_wdata_o,
  input  logic                  mem_ready_i,

  // For a monitor: mem_wdata_o goes to the SRAM at mem_addr_o.
  output logic                  sram_write_o
);

  localparam bit HasSram  = (SramBytes != 0);
  localparam bit HasSmem  = (SmemBits != 0);
  localparam int WordBits = HasSram ? $clog2(SramBytes/4) : 1;
  localparam logic [63:0] SramLast = HasSram ? ({32'd0, SramBytes} - 64'd4) : 64'd0;
  localparam logic [63:0] SmemMask = HasSmem ? ((64'hFFFFFFFF_FFFFFFFF >> (64 - AddrBits)) & ~64'd3) : 64'd0;
  // trRamHasSRAM and trRamHasSMEM say what there is.
  localparam logic [31:0] HasBoth = (32'd1 << trace_reg_pkg::TrRamHasSRAMLsb) | (32'd1 << trace_reg_pkg::TrRamHasSMEMLsb);
  localparam logic [31:0] Has     = ({31'd0, HasSram} << trace_reg_pkg::TrRamHasSRAMLsb) |
                                    ({31'd0, HasSmem} << trace_reg_pkg::TrRamHasSMEMLsb);
  localparam logic [31:0] Impl    = (trace_reg_pkg::TrRamImplReset & ~HasBoth) | Has;

  logic        wr_control, active, enable, clear, stop, may_reset, unused_enabled;
  logic        smem_q, stop_on_wrap_q, wrap_q;
  logic [63:0] start_q, limit_q, wp_q, rp_q;          // as written
  logic [63:0] start, limit, wp, rp, mask;            // as seen
  logic        word_valid, word_ready, stored, at_limit, empty, rd_data;
  logic [31:0] word, sram_rdata, control;

  assign wr_control = write_i && (addr_i == trace_reg_pkg::TrRamControlOffset);

  trace_component_ctrl u_ctrl (
    .clk_i,
    .rst_ni,
    .write_i     (wr_control),
    .wr_active_i (wdata_i[trace_reg_pkg::TrRamActiveLsb]),
    .wr_enable_i (wdata_i[trace_reg_pkg::TrRamEnableLsb]),
    .may_reset_i (may_reset),
    .stop_i      (stop),
    .active_o    (active),
    .enable_o    (enable),
    .clear_o     (clear),
    .enabled_o   (unused_enabled)
  );

  // A write that the memory has not taken yet is finished first.
  assign may_reset = !mem_valid_o || mem_ready_i;

  trace_word_buffer #(
    .OutBytes (OutBytes),
    .IdleByte (IdleByte)
  ) u_words (
    .clk_i,
    .rst_ni,
    .clear_i      (clear || stop),
    .flush_i      (!enable),
    .empty_o      (empty),
    .in_valid_i,
    .in_last_i,
    .in_nbytes_i,
    .in_data_i,
    .in_ready_o,
    .word_valid_o (word_valid),
    .word_o       (word),
    .word_ready_i (word_ready)
  );

  assign mask       = smem_q ? SmemMask : SramLast;
  assign start      = smem_q ? (start_q & mask) : 64'd0;
  assign limit      = limit_q & mask;
  assign wp         = wp_q & mask;
  assign rp         = smem_q ? 64'd0 : (rp_q & mask);
  assign word_ready = !smem_q || mem_ready_i;
  assign stored     = word_valid && word_ready;
  assign at_limit   = (wp == limit);
  assign stop       = stored && at_limit && stop_on_wrap_q;
  assign rd_data    = read_i && (addr_i == trace_reg_pkg::TrRamDataOffset) && !smem_q;

  // In the cycle in which the buffer gets full nothing more is taken, and the open message is given up.
  assign want_o      = enable && !stop;
  assign alive_o     = active && !stop;
  assign mem_valid_o = word_valid && smem_q;
  assign mem_addr_o  = wp[AddrBits-1:0];
  assign mem_wdata_o = word;
  assign sram_write_o = stored && !smem_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      smem_q         <= !HasSram;
      stop_on_wrap_q <= 1'b0;
      wrap_q         <= 1'b0;
      start_q        <= 64'd0;
      limit_q        <= SramLast;
      wp_q           <= 64'd0;
      rp_q           <= 64'd0;
    end else if (clear) begin
      smem_q         <= !HasSram;
      stop_on_wrap_q <= 1'b0;
      wrap_q         <= 1'b0;
      start_q        <= 64'd0;
      limit_q        <= SramLast;
      wp_q           <= 64'd0;
      rp_q           <= 64'd0;
    end else begin
      if (wr_control && wdata_i[trace_reg_pkg::TrRamActiveLsb]) begin
        smem_q         <= (HasSram && HasSmem) ? wdata_i[trace_reg_pkg::TrRamModeLsb] : !HasSram;
        stop_on_wrap_q <= wdata_i[trace_reg_pkg::TrRamStopOnWrapLsb];
      end
      if (stored) begin
        wp_q   <= at_limit ? start : (wp + 64'd4);
        wrap_q <= wrap_q || at_limit;
      end
      if (rd_data) rp_q <= (rp == limit) ? start : (rp + 64'd4);
      if (write_i) begin
        case (addr_i)
          trace_reg_pkg::TrRamStartLowOffset:  start_q[31:0]  <= wdata_i;
          trace_reg_pkg::TrRamStartHighOffset: start_q[63:32] <= wdata_i;
          trace_reg_pkg::TrRamLimitLowOffset:  limit_q[31:0]  <= wdata_i;
          trace_reg_pkg::TrRamLimitHighOffset: limit_q[63:32] <= wdata_i;
          trace_reg_pkg::TrRamWPLowOffset: begin
            wp_q[31:0] <= wdata_i;
            wrap_q     <= wdata_i[trace_reg_pkg::TrRamWrapLsb];
          end
          trace_reg_pkg::TrRamWPHighOffset:    wp_q[63:32]    <= wdata_i;
          trace_reg_pkg::TrRamRPLowOffset:     rp_q[31:0]     <= wdata_i;
          trace_reg_pkg::TrRamRPHighOffset:    rp_q[63:32]    <= wdata_i;
          default: ;
        endcase
      end
    end
  end

  if (HasSram) begin : gen_sram
    trace_sram #(
      .Words (SramBytes/4)
    ) u_sram (
      .clk_i,
      .write_i (sram_write_o),
      .waddr_i (wp[2 +: WordBits]),
      .wdata_i (word),
      .raddr_i (rp[2 +: WordBits]),
      .rdata_o (sram_rdata)
    );
  end else begin : gen_no_sram
    assign sram_rdata = 32'd0;
  end

  assign control = ({31'd0, active}         << trace_reg_pkg::TrRamActiveLsb) |
                   ({31'd0, enable}         << trace_reg_pkg::TrRamEnableLsb) |
                   ({31'd0, empty}          << trace_reg_pkg::TrRamEmptyLsb) |
                   ({31'd0, smem_q}         << trace_reg_pkg::TrRamModeLsb) |
                   ({31'd0, stop_on_wrap_q} << trace_reg_pkg::TrRamStopOnWrapLsb);
  assign rdata_o = ((addr_i == trace_reg_pkg::TrRamControlOffset)   ? control      : 32'd0) |
                   ((addr_i == trace_reg_pkg::TrRamImplOffset)      ? Impl         : 32'd0) |
                   ((addr_i == trace_reg_pkg::TrRamStartLowOffset)  ? start[31:0]  : 32'd0) |
                   ((addr_i == trace_reg_pkg::TrRamStartHighOffset) ? start[63:32] : 32'd0) |
                   ((addr_i == trace_reg_pkg::TrRamLimitLowOffset)  ? limit[31:0]  : 32'd0) |
                   ((addr_i == trace_reg_pkg::TrRamLimitHighOffset) ? limit[63:32] : 32'd0) |
                   ((addr_i == trace_reg_pkg::TrRamWPLowOffset)     ? {wp[31:1], wrap_q} : 32'd0) |
                   ((addr_i == trace_reg_pkg::TrRamWPHighOffset)    ? wp[63:32]    : 32'd0) |
                   ((addr_i == trace_reg_pkg::TrRamRPLowOffset)     ? rp[31:0]     : 32'd0) |
                   ((addr_i == trace_reg_pkg::TrRamRPHighOffset)    ? rp[63:32]    : 32'd0) |
                   ((addr_i == trace_reg_pkg::TrRamDataOffset && !smem_q && active) ? sram_rdata : 32'd0);

endmodule
