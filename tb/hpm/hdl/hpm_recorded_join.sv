// hpm_tb: joins ports to a row of kind recorded; what has no port is 0.
// SPDX-License-Identifier: Apache-2.0
// Generated from tb/hpm/agents/layout.py; do not edit, type `python -m rvtrace.flow.generate`.
module hpm_recorded_join
#(
  parameter int Xlen = 64,
  parameter int NEvents = 1,
  parameter int EventBits = 1,
  parameter int NCounters = 1
) (
  input  logic [63:0]                                               cycle_i,
  input  logic [2:0]                                                priv_i,
  input  logic                                                      stopcount_i,
  input  logic                                                      running_i,
  input  logic                                                      lcofi_i,
  input  logic                                                      lcofie_i,
  input  logic                                                      unknown_i,
  input  logic                                                      state_unknown_i,
  input  logic                                                      stray_i,
  input  logic [3:0]                                                retired_i,
  input  logic [2:0]                                                op_i,
  input  logic                                                      access_i,
  input  logic [2:0]                                                mode_i,
  input  logic                                                      xlen32_i,
  input  logic [11:0]                                               addr_i,
  input  logic [1:0]                                                outcome_i,
  input  logic [Xlen-1:0]                                           wdata_i,
  input  logic [63:0]                                               time_i,
  input  logic [Xlen-1:0]                                           rdata_i,
  input  logic [NEvents*EventBits-1:0]                              events_i,
  input  logic [31:0]                                               of_i,
  input  logic [NCounters*64-1:0]                                   counters_i,
  output logic [hpm_row_pkg::recorded_bits(NEvents, NCounters)-1:0] row_o
);

  import hpm_row_pkg::*;

  logic [((NEvents + 3)/4*4)*RecordedEventsBits-1:0] events;
  for (genvar k = 0; k < ((NEvents + 3)/4*4); k++) begin : gen_events
    if (k < NEvents) begin : gen_given
      assign events[RecordedEventsBits*k +: RecordedEventsBits] = 8'(events_i[EventBits*k +: EventBits]);
    end else begin : gen_added
      assign events[RecordedEventsBits*k +: RecordedEventsBits] = 8'd0;
    end
  end

  assign row_o = {
    counters_i,
    of_i,
    events,
    64'(rdata_i),
    time_i,
    64'(wdata_i),
    40'd0,
    8'(outcome_i),
    16'(addr_i),
    8'(xlen32_i),
    8'(mode_i),
    {4'd0, access_i, op_i},
    8'(retired_i),
    {21'd0, stray_i, state_unknown_i, unknown_i, 1'd0, lcofie_i, lcofi_i, running_i, stopcount_i, priv_i},
    cycle_i
  };

endmodule
