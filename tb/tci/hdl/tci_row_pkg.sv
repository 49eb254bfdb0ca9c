// Rows of the files of tci_tb: where the fields are.
// SPDX-License-Identifier: Apache-2.0
// Generated from tb/tci/agents/layout.py; do not edit, type `python -m rvtrace.flow.generate`.
package tci_row_pkg;

  /* verilator lint_off UNUSEDPARAM */  // every place has its name

  // Lowest bit and bits of each field of a row of kind stimulus.
  localparam int StimulusCycleAt = 0, StimulusCycleBits = 64;
  localparam int StimulusLevelsAt = 64, StimulusLevelsBits = 32;
  localparam int StimulusLevelsHaltedLsb = 2, StimulusLevelsHaltedWidth = 1;
  localparam int StimulusLevelsInResetLsb = 4, StimulusLevelsInResetWidth = 1;
  localparam int StimulusLevelsLowPowerLsb = 5, StimulusLevelsLowPowerWidth = 1;
  localparam int StimulusLevelsNotifyLsb = 8, StimulusLevelsNotifyWidth = 1;
  localparam int StimulusLevelsExtNotifyLsb = 9, StimulusLevelsExtNotifyWidth = 1;
  localparam int StimulusLevelsVendorLsb = 16, StimulusLevelsVendorWidth = 6;
  localparam int StimulusLevelsActionLsb = 10, StimulusLevelsActionWidth = 4;
  localparam int StimulusLevelsCtypeLsb = 14, StimulusLevelsCtypeWidth = 2;
  localparam int StimulusLevelsExternalLsb = 24, StimulusLevelsExternalWidth = 8;
  localparam int StimulusVendorDataAt = 96, StimulusVendorDataBits = 32;
  localparam int StimulusLanesAt = 128;
  function automatic int stimulus_bits(input int n_blocks);
    return 128 + 256*n_blocks;
  endfunction

  // In a lane.
  localparam int LaneItypeAt = 0, LaneItypeBits = 8;
  localparam int LaneIlastsizeAt = 8, LaneIlastsizeBits = 8;
  localparam int LaneSijumpAt = 16, LaneSijumpBits = 8;
  localparam int LanePrivAt = 24, LanePrivBits = 8;
  localparam int LaneCauseAt = 32, LaneCauseBits = 8;
  localparam int LaneIretireAt = 48, LaneIretireBits = 16;
  localparam int LaneHcontextAt = 64, LaneHcontextBits = 16;
  localparam int LaneContextAt = 96, LaneContextBits = 32;
  localparam int LaneIaddrAt = 128, LaneIaddrBits = 64;
  localparam int LaneTvalAt = 192, LaneTvalBits = 64;
  localparam int LaneBits = 256;

  // Lowest bit and bits of each field of a row of kind ingress.
  localparam int IngressCycleAt = 0, IngressCycleBits = 64;
  localparam int IngressLevelsAt = 64, IngressLevelsBits = 32;
  localparam int IngressLevelsEnableLsb = 0, IngressLevelsEnableWidth = 1;
  localparam int IngressLevelsInstTracingLsb = 1, IngressLevelsInstTracingWidth = 1;
  localparam int IngressLevelsHaltedLsb = 2, IngressLevelsHaltedWidth = 1;
  localparam int IngressLevelsDropLsb = 3, IngressLevelsDropWidth = 1;
  localparam int IngressLevelsInResetLsb = 4, IngressLevelsInResetWidth = 1;
  localparam int IngressLevelsLowPowerLsb = 5, IngressLevelsLowPowerWidth = 1;
  localparam int IngressLevelsNotifyLsb = 8, IngressLevelsNotifyWidth = 1;
  localparam int IngressLevelsExtNotifyLsb = 9, IngressLevelsExtNotifyWidth = 1;
  localparam int IngressLevelsVendorLsb = 16, IngressLevelsVendorWidth = 6;
  localparam int IngressLevelsActionLsb = 10, IngressLevelsActionWidth = 4;
  localparam int IngressLevelsCtypeLsb = 14, IngressLevelsCtypeWidth = 2;
  localparam int IngressLevelsExternalLsb = 24, IngressLevelsExternalWidth = 8;
  localparam int IngressVendorDataAt = 96, IngressVendorDataBits = 32;
  localparam int IngressTstampAt = 128, IngressTstampBits = 64;
  localparam int IngressLanesAt = 192;
  function automatic int ingress_bits(input int n_blocks);
    return 192 + 256*n_blocks;
  endfunction

  // Lowest bit and bits of each field of a row of kind memory.
  localparam int MemoryCycleAt = 0, MemoryCycleBits = 64;
  localparam int MemoryAddrAt = 64, MemoryAddrBits = 64;
  localparam int MemoryWordAt = 128, MemoryWordBits = 32;
  localparam int MemoryBits = 160;

  // Lowest bit and bits of each field of a row of kind pins.
  localparam int PinsCycleAt = 0, PinsCycleBits = 64;
  localparam int PinsPinsAt = 64, PinsPinsBits = 32;
  localparam int PinsPinsDataLsb = 0, PinsPinsDataWidth = 16;
  localparam int PinsPinsClkLsb = 16, PinsPinsClkWidth = 1;
  localparam int PinsBits = 96;

  // Lowest bit and bits of each field of a row of kind triggers.
  localparam int TriggersCycleAt = 0, TriggersCycleBits = 64;
  localparam int TriggersFiredAt = 64, TriggersFiredBits = 8;
  function automatic int triggers_bits(input int n_harts);
    return 64 + 8*((n_harts + 3)/4*4);
  endfunction

  // Lowest bit and bits of each field of a row of kind request.
  localparam int RequestControlAt = 0, RequestControlBits = 32;
  localparam int RequestControlGoLsb = 0, RequestControlGoWidth = 1;
  localparam int RequestControlWriteLsb = 1, RequestControlWriteWidth = 1;
  localparam int RequestControlPrecededLsb = 2, RequestControlPrecededWidth = 1;
  localparam int RequestControlOtherEnableLsb = 3, RequestControlOtherEnableWidth = 1;
  localparam int RequestControlOtherWriteLsb = 4, RequestControlOtherWriteWidth = 1;
  localparam int RequestAddrAt = 32, RequestAddrBits = 32;
  localparam int RequestWdataAt = 64, RequestWdataBits = 32;
  localparam int RequestOtherAddrAt = 96, RequestOtherAddrBits = 32;
  localparam int RequestOtherWdataAt = 128, RequestOtherWdataBits = 32;
  localparam int RequestBits = 160;

  // Lowest bit and bits of each field of a row of kind access.
  localparam int AccessCycleAt = 0, AccessCycleBits = 64;
  localparam int AccessPaddrAt = 64, AccessPaddrBits = 32;
  localparam int AccessPwdataAt = 96, AccessPwdataBits = 32;
  localparam int AccessPrdataAt = 128, AccessPrdataBits = 32;
  localparam int AccessFlagsAt = 160, AccessFlagsBits = 32;
  localparam int AccessFlagsPenableLsb = 0, AccessFlagsPenableWidth = 1;
  localparam int AccessFlagsPwriteLsb = 1, AccessFlagsPwriteWidth = 1;
  localparam int AccessFlagsPreadyLsb = 2, AccessFlagsPreadyWidth = 1;
  localparam int AccessFlagsPslverrLsb = 3, AccessFlagsPslverrWidth = 1;
  localparam int AccessFlagsPreadyUnknownLsb = 4, AccessFlagsPreadyUnknownWidth = 1;
  localparam int AccessFlagsPslverrUnknownLsb = 5, AccessFlagsPslverrUnknownWidth = 1;
  localparam int AccessFlagsPrdataUnknownLsb = 6, AccessFlagsPrdataUnknownWidth = 1;
  localparam int AccessBits = 192;

  /* verilator lint_on UNUSEDPARAM */

endpackage
