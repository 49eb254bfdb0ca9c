// SPDX-License-Identifier: Apache-2.0
// Bytes to the trace pins: TRC_CLK and 1, 2, 4, 8 or 16 bits of TRC_DATA, a new value at every edge of TRC_CLK.
//
// Idle is all ones (N-Trace 3.4), or another byte, also on the upper eight of 16 pins after an odd last byte. On 1, 2 and 4
// pins a probe cannot see where a message begins unless idle comes before it: it comes before messages that
// ask for it, and at least every IdleInterval bytes. Two idle bytes, because fourteen ones in a row also occur
// inside a message and at its end.
module trace_pin_tx #(
  parameter int         IdleInterval = 256,
  parameter int         IdleBits     = 16,
  parameter logic [7:0] IdleByte     = 8'hFF
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        clear_i,      // pins off

  input  logic [3:0]  mode_i,       // trPibMode: 8 to 12
  input  logic        center_i,     // clock edges between the changes of data, at half the rate
  input  logic [15:0] divider_i,
  input  logic        calibrate_i,  // send the calibration pattern between messages

  input  logic        ready_i,      // a whole message is there
  input  logic [9:0]  byte0_i,      // {wants idle before it, last of its message, byte}
  input  logic [8:0]  byte1_i,      // the one after it
  output logic [1:0]  take_o,       // bytes taken
  output logic        sending_o,    // a message or a pattern is on its way

  output logic        trc_clk_o,
  output logic [15:0] trc_data_o
);

  localparam int SinceBits = $clog2(IdleInterval + 1);

  // Time: a step every divider + 1 clocks. Data change at every step, or at every other with center_i.
  logic [15:0] wait_q;
  logic        step, phase_q, change;
  assign step   = (wait_q == 16'd0);
  assign change = step && (!center_i || phase_q);

  // The byte (two of them on 16 pins) that is being sent, lowest bits first.
  logic [15:0]          slot_q;
  logic [2:0]           beats_q;      // left of it, after the one on the pins
  logic                 inside_q;     // it is not the last of its message
  logic                 busy_q;
  logic [1:0]           pattern_q;    // byte of the calibration pattern that is next
  logic [4:0]           idle_q;       // idle bits sent since the last message, up to IdleBits
  logic [SinceBits-1:0] since_q;      // bytes since IdleBits of idle
  logic                 aligned_q;    // idle was sent after a calibration
  logic                 wide, free, start, need_idle, pair, calibrate;
  logic [7:0]           pattern;
  logic [2:0]           beats;
  logic [15:0]          slot_d, pins_mask, shifted;
  logic [5:0]           idle_sum;
  logic [4:0]           idle_d;
  logic                 clk_q;

  assign wide      = (mode_i == 4'd12);
  assign beats     = (mode_i == 4'd8) ? 3'd7 : (mode_i == 4'd9) ? 3'd3 : (mode_i == 4'd10) ? 3'd1 : 3'd0;
  assign pins_mask = (mode_i == 4'd8)  ? 16'h0001 : (mode_i == 4'd9)  ? 16'h0003 : (mode_i == 4'd10) ? 16'h000F :
                     (mode_i == 4'd11) ? 16'h00FF : (mode_i == 4'd12) ? 16'hFFFF : 16'h0000;
  assign pattern   = (mode_i == 4'd9)  ? ((pattern_q == 2'd3) ? 8'h33 : (pattern_q == 2'd2) ? 8'hCC : 8'h66) :
                     (mode_i == 4'd10) ? ((pattern_q == 2'd3) ? 8'h0F : (pattern_q == 2'd2) ? 8'hF0 : 8'h5A) :
                     ((pattern_q == 2'd3) ? 8'hFF : (pattern_q == 2'd2) ? 8'h00 : (pattern_q == 2'd1) ? 8'h55 : 8'hAA);

  // What comes after the byte that ends with this change.
  assign free      = change && (beats_q == 3'd0);
  assign calibrate = free && !inside_q && (calibrate_i || (pattern_q != 2'd0));
  assign need_idle = (idle_q < IdleBits[4:0]) &&
                     (!aligned_q || ((beats != 3'd0) && (byte0_i[9] || (since_q >= IdleInterval[SinceBits-1:0]))));
  assign start     = free && !calibrate && (inside_q || (ready_i && !need_idle));
  assign pair      = wide && !byte0_i[8];
  assign take_o    = !start ? 2'd0 : pair ? 2'd2 : 2'd1;
  assign sending_o = busy_q;

  // Idle bits with this change, which sends as many of them as there are pins.
  assign idle_sum = {1'b0, idle_q} + (6'd1 << mode_i[2:0]);
  assign idle_d   = (idle_sum > {1'b0, IdleBits[4:0]}) ? IdleBits[4:0] : idle_sum[4:0];

  // byte0_i is the lower one.
  assign slot_d  = calibrate ? {pattern, pattern} :
                   start     ? {pair ? byte1_i[7:0] : IdleByte, byte0_i[7:0]} : {IdleByte, IdleByte};
  assign shifted = (mode_i == 4'd8) ? (slot_q >> 1) : (mode_i == 4'd9) ? (slot_q >> 2) : (slot_q >> 4);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      wait_q    <= 16'd0;
      phase_q   <= 1'b0;
      slot_q    <= {IdleByte, IdleByte};
      beats_q   <= 3'd0;
      inside_q  <= 1'b0;
      busy_q    <= 1'b0;
      pattern_q <= 2'd0;
      idle_q    <= 5'd0;
      since_q   <= '0;
      aligned_q <= 1'b0;
      clk_q     <= 1'b0;
    end else if (clear_i) begin
      wait_q    <= 16'd0;
      phase_q   <= 1'b0;
      slot_q    <= {IdleByte, IdleByte};
      beats_q   <= 3'd0;
      inside_q  <= 1'b0;
      busy_q    <= 1'b0;
      pattern_q <= 2'd0;
      idle_q    <= 5'd0;
      since_q   <= '0;
      aligned_q <= 1'b0;
      clk_q     <= 1'b0;
    end else begin
      wait_q <= step ? divider_i : (wait_q - 16'd1);
      if (step) begin
        phase_q <= center_i && !phase_q;
        if (!center_i || !phase_q) clk_q <= !clk_q;
      end
      if (free) begin
        slot_q  <= slot_d;
        beats_q <= (start || calibrate) ? beats : 3'd0;
        busy_q  <= start || calibrate;
        if (calibrate) begin
          pattern_q <= pattern_q + 2'd1;
          aligned_q <= 1'b0;
          idle_q    <= 5'd0;
        end else if (start) begin
          inside_q <= pair ? !byte1_i[8] : !byte0_i[8];
          idle_q   <= 5'd0;
          if (since_q < IdleInterval[SinceBits-1:0]) since_q <= since_q + 1'b1;
        end else begin
          idle_q <= idle_d;
          if (idle_d == IdleBits[4:0]) begin
            since_q   <= '0;
            aligned_q <= 1'b1;
          end
        end
      end else if (change) begin
        slot_q  <= shifted;
        beats_q <= beats_q - 3'd1;
      end
    end
  end

  assign trc_clk_o  = clk_q;
  assign trc_data_o = slot_q & pins_mask;

endmodule
