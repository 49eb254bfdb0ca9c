// SPDX-License-Identifier: Apache-2.0
// trTeInstTracing and what changes it: software, debug triggers, external triggers; and the trigger outputs.
//
// Trace-on counts from the beat it comes with, trace-off from the beat after it (Triggers Precedence:
// from the oldest instruction of the one to the newest of the other). Both in one beat: it is traced, and
// no more. Debug triggers belong to the beat on the ingress port and hold with it; an external trigger is a
// pulse of one cycle, which waits here while the port is stalled.
module trace_te_trigger #(
  parameter int NTrigIn  = 8,
  parameter int NTrigOut = 8
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                clear_i,

  input  logic                enable_i,      // trTeEnable
  input  logic                trig_enable_i, // trTeInstTrigEnable
  input  logic [31:0]         actions_i,     // trTeTrigExtInControl
  input  logic [31:0]         events_i,      // trTeTrigExtOutControl
  input  logic                write_i,       // software writes trTeInstTracing
  input  logic                wdata_i,
  input  logic                accept_i,      // the beat on the ingress port is taken

  input  logic                dbg_on_i,      // debug trigger with action 2
  input  logic                dbg_off_i,     // action 3
  input  logic                dbg_notify_i,  // action 4
  input  logic [NTrigIn-1:0]  ext_i,
  output logic [NTrigOut-1:0] ext_o,         // one cycle

  output logic                tracing_o,     // what the register reads
  output logic                inst_tracing_o,// for the beat on the port
  output logic                notify_o,
  output logic                ext_notify_o
);

  logic                tracing_q, level_q, start_q, stop_q;
  logic [NTrigIn-1:0]  hold_q, ext, ext_on, ext_off, ext_notify;
  logic                armed, turn_on, turn_off;

  assign ext = ext_i | hold_q;
  for (genvar n = 0; n < NTrigIn; n++) begin : gen_in
    assign ext_on[n]     = ext[n] && (actions_i[4*n +: 4] == 4'd2);
    assign ext_off[n]    = ext[n] && (actions_i[4*n +: 4] == 4'd3);
    assign ext_notify[n] = ext[n] && (actions_i[4*n +: 4] == 4'd4);
  end

  assign armed          = enable_i && trig_enable_i;
  assign turn_on        = armed && (dbg_on_i || (ext_on != '0));
  assign turn_off       = armed && (dbg_off_i || (ext_off != '0));
  assign tracing_o      = tracing_q;
  assign inst_tracing_o = tracing_q || turn_on;
  assign notify_o       = dbg_notify_i;
  assign ext_notify_o   = (ext_notify != '0);

  for (genvar n = 0; n < NTrigOut; n++) begin : gen_out
    assign ext_o[n] = (start_q && events_i[4*n]) || (stop_q && events_i[4*n+1]);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      tracing_q <= 1'b0;
      level_q   <= 1'b0;
      start_q   <= 1'b0;
      stop_q    <= 1'b0;
      hold_q    <= '0;
    end else if (clear_i) begin
      tracing_q <= 1'b0;
      level_q   <= 1'b0;
      start_q   <= 1'b0;
      stop_q    <= 1'b0;
      hold_q    <= '0;
    end else begin
      if (write_i) tracing_q <= wdata_i;
      else if (accept_i) tracing_q <= inst_tracing_o && !turn_off;
      hold_q  <= (accept_i || !enable_i) ? '0 : ext;
      start_q <= accept_i && inst_tracing_o && !level_q;
      stop_q  <= accept_i && !inst_tracing_o && level_q;
      if (accept_i) level_q <= inst_tracing_o;
    end
  end

  // Actions and events are masked where they are written; what is left of a narrow unit is 0.
  logic unused;
  assign unused = ^{actions_i, events_i};

endmodule
