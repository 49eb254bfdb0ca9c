// ctr_tb: splits a row of kind stimulus into ports.
// SPDX-License-Identifier: Apache-2.0
// Generated from tb/ctr/agents/layout.py; do not edit, type `python -m rvtrace.flow.generate`.
module ctr_stimulus_split
#(
  parameter int Xlen = 64,
  parameter int NTransfers = 1
) (
  /* verilator lint_off UNUSEDSIGNAL */  // some bits are 0, or are read by others
  input  logic [ctr_row_pkg::stimulus_bits(NTransfers)-1:0] row_i,
  /* verilator lint_on UNUSEDSIGNAL */
  output logic [2:0]                 priv_o,
  output logic [2:0]                 op_o,
  output logic                       access_o,
  output logic [2:0]                 mode_o,
  output logic                       xlen32_o,
  output logic [11:0]                addr_o,
  output logic [Xlen-1:0]            wdata_o,
  output logic [NTransfers*4-1:0]    type_o,
  output logic [NTransfers-1:0]      misp_o,
  output logic [NTransfers*3-1:0]    from_o,
  output logic [NTransfers*3-1:0]    to_o,
  output logic [NTransfers*8-1:0]    cause_o,
  output logic [NTransfers*Xlen-1:0] source_o,
  output logic [NTransfers*Xlen-1:0] target_o
);

  import ctr_row_pkg::*;

  assign priv_o = row_i[StimulusPrivAt +: 3];
  assign op_o = row_i[StimulusAccessAt + StimulusAccessOpLsb +: 3];
  assign access_o = row_i[StimulusAccessAt + StimulusAccessAccessLsb];
  assign mode_o = row_i[StimulusModeAt +: 3];
  assign xlen32_o = row_i[StimulusXlen32At];
  assign addr_o = row_i[StimulusAddrAt +: 12];
  assign wdata_o = row_i[StimulusWdataAt +: Xlen];
  for (genvar k = 0; k < NTransfers; k++) begin : gen_slot
    localparam int At = StimulusSlotsAt + SlotBits*k;
    assign type_o[4*k +: 4] = row_i[At + SlotTypeAt +: 4];
    assign misp_o[k] = row_i[At + SlotMispAt];
    assign from_o[3*k +: 3] = row_i[At + SlotFromAt +: 3];
    assign to_o[3*k +: 3] = row_i[At + SlotToAt +: 3];
    assign cause_o[8*k +: 8] = row_i[At + SlotCauseAt +: 8];
    assign source_o[Xlen*k +: Xlen] = row_i[At + SlotSourceAt +: Xlen];
    assign target_o[Xlen*k +: Xlen] = row_i[At + SlotTargetAt +: Xlen];
  end

endmodule
