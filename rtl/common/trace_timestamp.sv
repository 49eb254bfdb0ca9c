// SPDX-License-Identifier: Apache-2.0
// Timestamp unit of a trace encoder or funnel (Trace Control Interface 1.0, Timestamp Unit): the
// time that messages carry.
//
// Modes 2 and 3 count here: ticks of the system clock, or cycles of this clock (the core's), divided by
// 4^prescale. Modes 1 and 4 pass a time on that comes from elsewhere. Without a mode the time is 0.
module trace_timestamp #(
  parameter int Width = 64
) (
  input  logic             clk_i,
  input  logic             rst_ni,

  input  logic             active_i,        // trTsActive: 0 resets the unit
  input  logic             count_i,         // trTsCount
  input  logic             clear_i,         // trTsReset was written
  input  logic             run_in_debug_i,  // trTsRunInDebug, mode 3 only
  input  logic [2:0]       mode_i,          // trTsMode
  input  logic [1:0]       prescale_i,      // trTsPrescale
  input  logic             halted_i,        // the hart is in Debug Mode

  input  logic             sys_tick_i,      // a tick of the system clock, one cycle long
  input  logic [Width-1:0] external_i,
  input  logic [Width-1:0] shared_i,

  output logic [Width-1:0] tstamp_o
);

  localparam logic [2:0] ModeExternal = 3'd1;
  localparam logic [2:0] ModeSystem   = 3'd2;
  localparam logic [2:0] ModeCore     = 3'd3;
  localparam logic [2:0] ModeShared   = 3'd4;

  logic [Width-1:0] count_q;
  logic [5:0]       ticks_q;  // since the counter last moved: 0 to 4^prescale - 1
  logic [5:0]       last_tick;
  logic             tick, internal;

  assign internal = (mode_i == ModeSystem) || (mode_i == ModeCore);
  assign tick     = count_i && ((mode_i == ModeSystem) ? sys_tick_i :
                                (mode_i == ModeCore) && (run_in_debug_i || !halted_i));

  assign last_tick = (prescale_i == 2'd0) ? 6'd0  : (prescale_i == 2'd1) ? 6'd3 :
                     (prescale_i == 2'd2) ? 6'd15 : 6'd63;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q <= '0;
      ticks_q <= '0;
    end else if (!active_i || clear_i) begin
      count_q <= '0;
      ticks_q <= '0;
    end else if (tick) begin
      // A prescale that was lowered meanwhile ends the running interval at once.
      if (ticks_q >= last_tick) begin
        count_q <= count_q + 1'b1;
        ticks_q <= '0;
      end else begin
        ticks_q <= ticks_q + 1'b1;
      end
    end
  end

  assign tstamp_o = !active_i                ? {Width{1'b0}} :
                    internal                 ? count_q :
                    (mode_i == ModeExternal) ? external_i :
                    (mode_i == ModeShared)   ? shared_i : {Width{1'b0}};

endmodule
