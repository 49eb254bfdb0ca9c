// Rows of the files of subsystem_tb: where the fields are.
// SPDX-License-Identifier: Apache-2.0
// Generated from tb/subsystem/agents/layout.py; do not edit, type `python -m rvtrace.flow.generate`.
package subsystem_row_pkg;

  /* verilator lint_off UNUSEDPARAM */  // every place has its name

  // Lowest bit and bits of each field of a row of kind stimulus.
  localparam int StimulusGapAt = 0, StimulusGapBits = 64;
  localparam int StimulusLevelsAt = 64, StimulusLevelsBits = 32;
  localparam int StimulusLevelsStoppedLsb = 0, StimulusLevelsStoppedWidth = 1;
  localparam int StimulusLevelsHaltedLsb = 2, StimulusLevelsHaltedWidth = 1;
  localparam int StimulusLevelsInResetLsb = 4, StimulusLevelsInResetWidth = 1;
  localparam int StimulusLevelsLowPowerLsb = 5, StimulusLevelsLowPowerWidth = 1;
  localparam int StimulusLevelsExternalLsb = 8, StimulusLevelsExternalWidth = 4;
  localparam int StimulusSlotsAt = 128;
  localparam logic [31:0] StimulusLevels = 32'h000000FF;
  function automatic int stimulus_bits(input int n_ret);
    return 128 + 1600*n_ret;
  endfunction

  // In a slot.
  localparam int SlotPcAt = 0, SlotPcBits = 64;
  localparam int SlotTvalAt = 64, SlotTvalBits = 64;
  localparam int SlotContextAt = 128, SlotContextBits = 32;
  localparam int SlotCauseAt = 160, SlotCauseBits = 8;
  localparam int SlotItypeAt = 168, SlotItypeBits = 8;
  localparam int SlotModeAt = 176, SlotModeBits = 8;
  localparam int SlotModeNextAt = 184, SlotModeNextBits = 8;
  localparam int SlotReportedAt = 192, SlotReportedBits = 8;
  localparam int SlotMispAt = 200, SlotMispBits = 8;
  localparam int SlotNextPcAt = 256, SlotNextPcBits = 64;
  localparam int SlotPpcAt = 320, SlotPpcBits = 64;
  localparam int SlotGprAt = 384, SlotGprBits = 64;
  localparam int SlotFprAt = 448, SlotFprBits = 64;
  localparam int SlotCsrAt = 512, SlotCsrBits = 64;
  localparam int SlotPaddrAt = 768, SlotPaddrBits = 64;
  localparam int SlotEaddrAt = 832, SlotEaddrBits = 64;
  localparam int SlotMemdataAt = 896, SlotMemdataBits = 64;
  localparam int SlotMtimeAt = 960, SlotMtimeBits = 64;
  localparam int SlotMcycleAt = 1024, SlotMcycleBits = 64;
  localparam int SlotMinstretAt = 1088, SlotMinstretBits = 64;
  localparam int SlotReqAddrAt = 1152, SlotReqAddrBits = 64;
  localparam int SlotReqDataAt = 1216, SlotReqDataBits = 64;
  localparam int SlotRspDataAt = 1280, SlotRspDataBits = 64;
  localparam int SlotHasAt = 1344, SlotHasBits = 32;
  localparam int SlotInsnAt = 1376, SlotInsnBits = 32;
  localparam int SlotFcsrAt = 1408, SlotFcsrBits = 32;
  localparam int SlotCsrAddrAt = 1440, SlotCsrAddrBits = 16;
  localparam int SlotInsn16At = 1504, SlotInsn16Bits = 8;
  localparam int SlotGprAddrAt = 1512, SlotGprAddrBits = 8;
  localparam int SlotFprAddrAt = 1520, SlotFprAddrBits = 8;
  localparam int SlotPrivAt = 1528, SlotPrivBits = 8;
  localparam int SlotMemdataSizeAt = 1536, SlotMemdataSizeBits = 8;
  localparam int SlotReqOpAt = 1544, SlotReqOpBits = 8;
  localparam int SlotReqSizeAt = 1552, SlotReqSizeBits = 8;
  localparam int SlotRspResultAt = 1560, SlotRspResultBits = 8;
  localparam int SlotValidAt = 1568, SlotValidBits = 8;
  localparam int SlotBits = 1600;

  // Lowest bit and bits of each field of a row of kind slots.
  localparam int SlotsSlotsAt = 0;
  function automatic int slots_bits(input int n_ret);
    return 0 + 1600*n_ret;
  endfunction

  // Lowest bit and bits of each field of a row of kind head.
  localparam int HeadCycleAt = 0, HeadCycleBits = 64;
  localparam int HeadLevelsAt = 64, HeadLevelsBits = 32;
  localparam int HeadLevelsLevelsLsb = 0, HeadLevelsLevelsWidth = 8;
  localparam int HeadLevelsExternalLsb = 8, HeadLevelsExternalWidth = 4;
  localparam int HeadLevelsEnabledLsb = 16, HeadLevelsEnabledWidth = 2;
  localparam int HeadLevelsTandemEnabledLsb = 18, HeadLevelsTandemEnabledWidth = 1;
  localparam int HeadLevelsTakenLsb = 20, HeadLevelsTakenWidth = 1;
  localparam int HeadLevelsErrorLsb = 21, HeadLevelsErrorWidth = 1;
  localparam int HeadMcycleAt = 128, HeadMcycleBits = 64;
  localparam int HeadMinstretAt = 192, HeadMinstretBits = 64;
  localparam int HeadBits = 256;

  // Lowest bit and bits of each field of a row of kind csr.
  localparam int CsrCycleAt = 0, CsrCycleBits = 64;
  localparam int CsrWdataAt = 64, CsrWdataBits = 64;
  localparam int CsrRdataAt = 128, CsrRdataBits = 64;
  localparam int CsrPrivAt = 192, CsrPrivBits = 8;
  localparam int CsrOpAt = 200, CsrOpBits = 8;
  localparam int CsrOutcomeAt = 208, CsrOutcomeBits = 8;
  localparam int CsrUnknownAt = 216, CsrUnknownBits = 8;
  localparam int CsrAddrAt = 224, CsrAddrBits = 32;
  localparam int CsrBits = 256;

  /* verilator lint_on UNUSEDPARAM */

endpackage
