// hpm_tb: splits a row of kind stimulus into ports.
// SPDX-License-Identifier: Apache-2.0
// Generated from tb/hpm/agents/layout.py; do not edit, type `python -m rvtrace.flow.generate`.
module hpm_stimulus_split
#(
  parameter int Xlen = 64,
  parameter int NEvents = 1,
  parameter int EventBits = 1
) (
  /* verilator lint_off UNUSEDSIGNAL */  // some bits are 0, or are read by others
  input  logic [hpm_row_pkg::stimulus_bits(NEvents)-1:0] row_i,
  /* verilator lint_on UNUSEDSIGNAL */
  output logic [2:0]                   priv_o,
  output logic                         stopcount_o,
  output logic                         running_o,
  output logic [3:0]                   retired_o,
  output logic [2:0]                   op_o,
  output logic                         access_o,
  output logic [2:0]                   mode_o,
  output logic                         xlen32_o,
  output logic [11:0]                  addr_o,
  output logic [Xlen-1:0]              wdata_o,
  output logic [63:0]                  time_o,
  output logic [NEvents*EventBits-1:0] events_o
);

  import hpm_row_pkg::*;

  assign priv_o = row_i[StimulusLevelsAt + StimulusLevelsPrivLsb +: 3];
  assign stopcount_o = row_i[StimulusLevelsAt + StimulusLevelsStopcountLsb];
  assign running_o = row_i[StimulusLevelsAt + StimulusLevelsRunningLsb];
  assign retired_o = row_i[StimulusRetiredAt +: 4];
  assign op_o = row_i[StimulusAccessAt + StimulusAccessOpLsb +: 3];
  assign access_o = row_i[StimulusAccessAt + StimulusAccessAccessLsb];
  assign mode_o = row_i[StimulusModeAt +: 3];
  assign xlen32_o = row_i[StimulusXlen32At];
  assign addr_o = row_i[StimulusAddrAt +: 12];
  assign wdata_o = row_i[StimulusWdataAt +: Xlen];
  assign time_o = row_i[StimulusTimeAt +: 64];
  for (genvar k = 0; k < NEvents; k++) begin : gen_events
    assign events_o[EventBits*k +: EventBits] = row_i[StimulusEventsAt + StimulusEventsBits*k +: EventBits];
  end

endmodule
