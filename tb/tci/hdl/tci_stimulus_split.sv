// tci_tb: splits a row of kind stimulus into ports.
// SPDX-License-Identifier: Apache-2.0
// Generated from tb/tci/agents/layout.py; do not edit, type `python -m rvtrace.flow.generate`.
module tci_stimulus_split
#(
  parameter int Xlen = 64,
  parameter int NBlocks = 1,
  parameter int IRetireWidth = 7
) (
  /* verilator lint_off UNUSEDSIGNAL */  // some bits are 0, or are read by others
  input  logic [tci_row_pkg::stimulus_bits(NBlocks)-1:0] row_i,
  /* verilator lint_on UNUSEDSIGNAL */
  output logic                            halted_o,
  output logic                            in_reset_o,
  output logic                            low_power_o,
  output logic                            notify_o,
  output logic                            ext_notify_o,
  output logic [5:0]                      vendor_o,
  output logic [3:0]                      action_o,
  output logic [1:0]                      ctype_o,
  output logic [7:0]                      external_o,
  output logic [31:0]                     vendor_data_o,
  output logic [NBlocks*4-1:0]            itype_o,
  output logic [NBlocks-1:0]              ilastsize_o,
  output logic [NBlocks-1:0]              sijump_o,
  output logic [NBlocks*3-1:0]            priv_o,
  output logic [NBlocks*8-1:0]            cause_o,
  output logic [NBlocks*IRetireWidth-1:0] iretire_o,
  output logic [NBlocks*16-1:0]           hcontext_o,
  output logic [NBlocks*32-1:0]           context_o,
  output logic [NBlocks*Xlen-1:0]         iaddr_o,
  output logic [NBlocks*Xlen-1:0]         tval_o
);

  import tci_row_pkg::*;

  assign halted_o = row_i[StimulusLevelsAt + StimulusLevelsHaltedLsb];
  assign in_reset_o = row_i[StimulusLevelsAt + StimulusLevelsInResetLsb];
  assign low_power_o = row_i[StimulusLevelsAt + StimulusLevelsLowPowerLsb];
  assign notify_o = row_i[StimulusLevelsAt + StimulusLevelsNotifyLsb];
  assign ext_notify_o = row_i[StimulusLevelsAt + StimulusLevelsExtNotifyLsb];
  assign vendor_o = row_i[StimulusLevelsAt + StimulusLevelsVendorLsb +: 6];
  assign action_o = row_i[StimulusLevelsAt + StimulusLevelsActionLsb +: 4];
  assign ctype_o = row_i[StimulusLevelsAt + StimulusLevelsCtypeLsb +: 2];
  assign external_o = row_i[StimulusLevelsAt + StimulusLevelsExternalLsb +: 8];
  assign vendor_data_o = row_i[StimulusVendorDataAt +: 32];
  for (genvar k = 0; k < NBlocks; k++) begin : gen_lane
    localparam int At = StimulusLanesAt + LaneBits*k;
    assign itype_o[4*k +: 4] = row_i[At + LaneItypeAt +: 4];
    assign ilastsize_o[k] = row_i[At + LaneIlastsizeAt];
    assign sijump_o[k] = row_i[At + LaneSijumpAt];
    assign priv_o[3*k +: 3] = row_i[At + LanePrivAt +: 3];
    assign cause_o[8*k +: 8] = row_i[At + LaneCauseAt +: 8];
    assign iretire_o[IRetireWidth*k +: IRetireWidth] = row_i[At + LaneIretireAt +: IRetireWidth];
    assign hcontext_o[16*k +: 16] = row_i[At + LaneHcontextAt +: 16];
    assign context_o[32*k +: 32] = row_i[At + LaneContextAt +: 32];
    assign iaddr_o[Xlen*k +: Xlen] = row_i[At + LaneIaddrAt +: Xlen];
    assign tval_o[Xlen*k +: Xlen] = row_i[At + LaneTvalAt +: Xlen];
  end

endmodule
