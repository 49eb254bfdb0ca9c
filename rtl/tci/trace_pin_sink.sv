// SPDX-License-Identifier: Apache-2.0
// Pin sink (PIB): its registers, and a buffer of messages in front of trace_pin_tx.
//
// A message goes to the pins on consecutive edges of the trace clock, so it starts when all of it
// is here.
module trace_pin_sink
#(
  parameter int          OutBytes     = 8,
  parameter int          BufferBytes  = 64,             // a power of two, at least the longest message + OutBytes
  parameter logic [15:0] ModeLegal    = trace_reg_pkg::TrPibModeLegal, // bit n: trPibMode = n is there
  parameter int          DividerBits  = 16,
  parameter logic [15:0] DividerReset = 16'd15,         // a safe, slow clock
  parameter int          IdleInterval = 256,            // 1, 2, 4 pins: bytes until idle is sent in between
  parameter logic [7:0]  IdleByte     = 8'hFF,
  parameter int          CountBits    = $clog2(OutBytes + 1)  // derived, do not set
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,

  // Register bus.
  input  logic                  write_i,
  input  logic [11:0]           addr_i,
  input  logic [31:0]           wdata_i,
  output logic [31:0]           rdata_o,

  // Stream of whole messages.
  output logic                  want_o,
  output logic                  alive_o,
  input  logic                  in_valid_i,
  input  logic                  in_last_i,
  input  logic                  in_align_i,   // with the first word: idle has to be sent before this message
  input  logic [CountBits-1:0]  in_nbytes_i,
  input  logic [8*OutBytes-1:0] in_data_i,
  output logic                  in_ready_o,

  output logic                  trc_clk_o,
  output logic [15:0]           trc_data_o
);

  localparam int PtrBits  = $clog2(BufferBytes);
  localparam int FillBits = PtrBits + 1;
  localparam int Room     = BufferBytes - OutBytes;
  localparam logic [FillBits-1:0] RoomLimit = Room[FillBits-1:0];
  localparam logic [15:0] DividerMask = 16'hFFFF >> (16 - DividerBits);

  logic               wr_control, active, enable, clear, unused_enabled;
  logic [3:0]         mode_q, asked_mode, wr_mode;
  logic               center_q, calibrate_q, sending, empty;
  logic [15:0]        divider_q;
  logic [31:0]        control;

  assign wr_control = write_i && (addr_i == trace_reg_pkg::TrPibControlOffset);
  assign asked_mode = wdata_i[trace_reg_pkg::TrPibModeLsb +: 4];
  assign wr_mode    = ModeLegal[asked_mode] ? asked_mode : trace_reg_pkg::TrPibModeOtherwise;

  trace_component_ctrl u_ctrl (
    .clk_i,
    .rst_ni,
    .write_i     (wr_control),
    .wr_active_i (wdata_i[trace_reg_pkg::TrPibActiveLsb]),
    .wr_enable_i (wdata_i[trace_reg_pkg::TrPibEnableLsb]),
    .may_reset_i (1'b1),
    .stop_i      (1'b0),
    .active_o    (active),
    .enable_o    (enable),
    .clear_o     (clear),
    .enabled_o   (unused_enabled)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      mode_q      <= 4'd0;
      center_q    <= 1'b0;
      calibrate_q <= 1'b0;
      divider_q   <= DividerReset;
    end else if (clear) begin
      mode_q      <= 4'd0;
      center_q    <= 1'b0;
      calibrate_q <= 1'b0;
      divider_q   <= DividerReset;
    end else if (wr_control && wdata_i[trace_reg_pkg::TrPibActiveLsb]) begin
      mode_q      <= wr_mode;
      center_q    <= wr_mode[3] && wdata_i[trace_reg_pkg::TrPibClkCenterLsb];  // parallel modes only
      calibrate_q <= wdata_i[trace_reg_pkg::TrPibCalibrateLsb];
      divider_q   <= wdata_i[trace_reg_pkg::TrPibDividerLsb +: 16] & DividerMask;
    end
  end

  // The buffer: bytes with two flags, of the last byte of a message and of one that wants idle before it.
  logic [9:0]          mem_q [BufferBytes];
  logic [PtrBits-1:0]  wptr_q, rptr_q;
  logic [FillBits-1:0] fill_q, ends_q;   // bytes, and ends of messages among them
  logic                inside_q, push, off;
  logic [1:0]          take;             // bytes that leave
  logic [1:0]          ends_taken;
  logic [9:0]          byte0;
  logic [8:0]          byte1;
  logic [PtrBits-1:0]  rptr_next;

  assign off        = (mode_q == 4'd0);
  assign in_ready_o = (fill_q <= RoomLimit) && (inside_q || !calibrate_q);
  assign push       = in_valid_i && in_ready_o;
  assign byte0      = mem_q[rptr_q];
  assign rptr_next  = rptr_q + 1'b1;
  assign byte1      = mem_q[rptr_next][8:0];
  assign ends_taken = {1'b0, (take != 2'd0) && byte0[8]} + {1'b0, (take == 2'd2) && byte1[8]};
  assign want_o     = enable && !off;
  assign alive_o    = active && !off;
  assign empty      = (fill_q == '0) && !inside_q && !sending;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      wptr_q   <= '0;
      rptr_q   <= '0;
      fill_q   <= '0;
      ends_q   <= '0;
      inside_q <= 1'b0;
    end else if (clear || off) begin
      wptr_q   <= '0;
      rptr_q   <= '0;
      fill_q   <= '0;
      ends_q   <= '0;
      inside_q <= 1'b0;
    end else begin
      if (push) begin
        wptr_q   <= wptr_q + {{(PtrBits-CountBits){1'b0}}, in_nbytes_i};
        inside_q <= !in_last_i;
      end
      rptr_q <= rptr_q + {{(PtrBits-2){1'b0}}, take};
      fill_q <= fill_q + (push ? {{(FillBits-CountBits){1'b0}}, in_nbytes_i} : '0) - {{(FillBits-2){1'b0}}, take};
      ends_q <= ends_q + {{(FillBits-1){1'b0}}, push && in_last_i} - {{(FillBits-2){1'b0}}, ends_taken};
    end
  end

  // The last byte of a word is the one after which there is none.
  logic [OutBytes:0]           there;
  logic [OutBytes*PtrBits-1:0] slot_ptr;  // wraps here: Icarus 11 does not wrap inside an index
  assign there[OutBytes] = 1'b0;
  for (genvar k = 0; k < OutBytes; k++) begin : gen_slot
    assign there[k] = (in_nbytes_i > k);
    assign slot_ptr[k*PtrBits +: PtrBits] = wptr_q + k[PtrBits-1:0];
  end

  always_ff @(posedge clk_i) begin
    for (int k = 0; k < OutBytes; k++) begin
      if (push && there[k]) begin
        mem_q[slot_ptr[k*PtrBits +: PtrBits]] <= 
          {in_align_i && !inside_q && (k == 0), in_last_i && !there[k+1], in_data_i[8*k +: 8]};
      end
    end
  end

  trace_pin_tx #(
    .IdleInterval (IdleInterval),
    .IdleByte     (IdleByte)
  ) u_tx (
    .clk_i,
    .rst_ni,
    .clear_i     (clear || off),
    .mode_i      (mode_q),
    .center_i    (center_q),
    .divider_i   (divider_q),
    .calibrate_i (calibrate_q && enable),
    .ready_i     (ends_q != '0),
    .byte0_i     (byte0),
    .byte1_i     (byte1),
    .take_o      (take),
    .sending_o   (sending),
    .trc_clk_o,
    .trc_data_o
  );

  assign control = ({31'd0, active}      << trace_reg_pkg::TrPibActiveLsb) |
                   ({31'd0, enable}      << trace_reg_pkg::TrPibEnableLsb) |
                   ({31'd0, empty}       << trace_reg_pkg::TrPibEmptyLsb) |
                   ({28'd0, mode_q}      << trace_reg_pkg::TrPibModeLsb) |
                   ({31'd0, center_q}    << trace_reg_pkg::TrPibClkCenterLsb) |
                   ({31'd0, calibrate_q} << trace_reg_pkg::TrPibCalibrateLsb) |
                   ({16'd0, divider_q}   << trace_reg_pkg::TrPibDividerLsb);
  assign rdata_o = ((addr_i == trace_reg_pkg::TrPibControlOffset) ? control        : 32'd0) |
                   ((addr_i == trace_reg_pkg::TrPibImplOffset)    ? trace_reg_pkg::TrPibImplReset : 32'd0);

endmodule
