// etrace_tb: splits a row of kind stimulus into ports.
// SPDX-License-Identifier: Apache-2.0
// Generated from tb/common/agents/layout.py; do not edit, type `python -m rvtrace.flow.generate`.
module etrace_stimulus_split
#(
  parameter int Xlen = 64,
  parameter int NBlocks = 1,
  parameter int IRetireWidth = 7
) (
  /* verilator lint_off UNUSEDSIGNAL */  // some bits are 0, or are read by others
  input  logic [etrace_row_pkg::stimulus_bits(NBlocks)-1:0] row_i,
  /* verilator lint_on UNUSEDSIGNAL */
  output logic                            enable_o,
  output logic                            inst_tracing_o,
  output logic                            halted_o,
  output logic                            in_reset_o,
  output logic                            notify_o,
  output logic [1:0]                      ctype_o,
  output logic [5:0]                      toggle_o,
  output logic [NBlocks*4-1:0]            itype_o,
  output logic [NBlocks-1:0]              ilastsize_o,
  output logic [NBlocks-1:0]              sijump_o,
  output logic [NBlocks*IRetireWidth-1:0] iretire_o,
  output logic [NBlocks*Xlen-1:0]         iaddr_o
);

  import etrace_row_pkg::*;

  assign enable_o = row_i[StimulusLevelsAt + StimulusLevelsEnableLsb];
  assign inst_tracing_o = row_i[StimulusLevelsAt + StimulusLevelsInstTracingLsb];
  assign halted_o = row_i[StimulusLevelsAt + StimulusLevelsHaltedLsb];
  assign in_reset_o = row_i[StimulusLevelsAt + StimulusLevelsInResetLsb];
  assign notify_o = row_i[StimulusLevelsAt + StimulusLevelsNotifyLsb];
  assign ctype_o = row_i[StimulusLevelsAt + StimulusLevelsCtypeLsb +: 2];
  assign toggle_o = row_i[StimulusLevelsAt + StimulusLevelsToggleLsb +: 6];
  for (genvar k = 0; k < NBlocks; k++) begin : gen_lane
    localparam int At = StimulusLanesAt + LaneBits*k;
    assign itype_o[4*k +: 4] = row_i[At + LaneItypeAt +: 4];
    assign ilastsize_o[k] = row_i[At + LaneIlastsizeAt];
    assign sijump_o[k] = row_i[At + LaneSijumpAt];
    assign iretire_o[IRetireWidth*k +: IRetireWidth] = row_i[At + LaneIretireAt +: IRetireWidth];
    assign iaddr_o[Xlen*k +: Xlen] = row_i[At + LaneIaddrAt +: Xlen];
  end

endmodule
