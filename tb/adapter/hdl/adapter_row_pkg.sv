// Rows of the files of adapter_tb: where the fields are.
// SPDX-License-Identifier: Apache-2.0
// Generated from tb/adapter/agents/layout.py; do not edit, type `python -m rvtrace.flow.generate`.
package adapter_row_pkg;

  /* verilator lint_off UNUSEDPARAM */  // every place has its name

  // Lowest bit and bits of each field of a row of kind stimulus.
  localparam int StimulusGapAt = 0, StimulusGapBits = 64;
  localparam int StimulusTrapCauseAt = 128, StimulusTrapCauseBits = 64;
  localparam int StimulusTrapTvalAt = 192, StimulusTrapTvalBits = 64;
  localparam int StimulusTrapEpcAt = 256, StimulusTrapEpcBits = 64;
  localparam int StimulusTrapStatusAt = 320, StimulusTrapStatusBits = 64;
  localparam int StimulusTrapFromAt = 384, StimulusTrapFromBits = 8;
  localparam int StimulusTrapModeAt = 392, StimulusTrapModeBits = 8;
  localparam int StimulusTrapInterruptAt = 400, StimulusTrapInterruptBits = 8;
  localparam int StimulusTrapValidAt = 408, StimulusTrapValidBits = 8;
  localparam int StimulusChannelsAt = 448;
  localparam logic [31:0] StimulusLevels = 32'h00000000;
  function automatic int stimulus_bits(input int n_ret);
    return 448 + 1080*n_ret;
  endfunction

  // In a channel.
  localparam int ChannelOrderAt = 0, ChannelOrderBits = 64;
  localparam int ChannelRdWdataAt = 64, ChannelRdWdataBits = 64;
  localparam int ChannelPcRdataAt = 128, ChannelPcRdataBits = 64;
  localparam int ChannelPcWdataAt = 192, ChannelPcWdataBits = 64;
  localparam int ChannelMemAddrAt = 256, ChannelMemAddrBits = 64;
  localparam int ChannelMemRdataAt = 320, ChannelMemRdataBits = 64;
  localparam int ChannelMemWdataAt = 384, ChannelMemWdataBits = 64;
  localparam int ChannelFrdWdataAt = 448, ChannelFrdWdataBits = 64;
  localparam int ChannelCsrWdataAt = 512, ChannelCsrWdataBits = 64;
  localparam int ChannelInsnAt = 768, ChannelInsnBits = 32;
  localparam int ChannelContextAt = 800, ChannelContextBits = 32;
  localparam int ChannelFcsrAt = 832, ChannelFcsrBits = 32;
  localparam int ChannelCsrAddrAt = 864, ChannelCsrAddrBits = 16;
  localparam int ChannelCsrValidAt = 928, ChannelCsrValidBits = 8;
  localparam int ChannelRdAddrAt = 936, ChannelRdAddrBits = 8;
  localparam int ChannelFrdAddrAt = 944, ChannelFrdAddrBits = 8;
  localparam int ChannelMemRmaskAt = 952, ChannelMemRmaskBits = 8;
  localparam int ChannelMemWmaskAt = 960, ChannelMemWmaskBits = 8;
  localparam int ChannelModeAt = 968, ChannelModeBits = 8;
  localparam int ChannelIxlAt = 976, ChannelIxlBits = 8;
  localparam int ChannelTrapAt = 984, ChannelTrapBits = 8;
  localparam int ChannelHaltAt = 992, ChannelHaltBits = 8;
  localparam int ChannelIntrAt = 1000, ChannelIntrBits = 8;
  localparam int ChannelVirtAt = 1008, ChannelVirtBits = 8;
  localparam int ChannelDebugAt = 1016, ChannelDebugBits = 8;
  localparam int ChannelFrdValidAt = 1024, ChannelFrdValidBits = 8;
  localparam int ChannelFcsrValidAt = 1032, ChannelFcsrValidBits = 8;
  localparam int ChannelValidAt = 1040, ChannelValidBits = 8;
  localparam int ChannelBits = 1080;

  // Lowest bit and bits of each field of a row of kind hart.
  localparam int HartCycleAt = 0, HartCycleBits = 64;
  localparam int HartLevelsAt = 64, HartLevelsBits = 32;
  localparam int HartLevelsHaltedLsb = 0, HartLevelsHaltedWidth = 1;
  localparam int HartSlotsAt = 128;
  function automatic int hart_bits(input int n_ret);
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

  // Lowest bit and bits of each field of a row of kind ingress.
  localparam int IngressCycleAt = 0, IngressCycleBits = 64;
  localparam int IngressLevelsAt = 64, IngressLevelsBits = 32;
  localparam int IngressLevelsHaltedLsb = 0, IngressLevelsHaltedWidth = 1;
  localparam int IngressLevelsCtypeLsb = 1, IngressLevelsCtypeWidth = 2;
  localparam int IngressLanesAt = 128;
  function automatic int ingress_bits(input int n_blocks);
    return 128 + 320*n_blocks;
  endfunction

  // In a block.
  localparam int BlockIaddrAt = 0, BlockIaddrBits = 64;
  localparam int BlockTvalAt = 64, BlockTvalBits = 64;
  localparam int BlockOnceTvalAt = 128, BlockOnceTvalBits = 64;
  localparam int BlockContextAt = 192, BlockContextBits = 32;
  localparam int BlockIretireAt = 224, BlockIretireBits = 16;
  localparam int BlockCauseAt = 240, BlockCauseBits = 8;
  localparam int BlockOnceCauseAt = 248, BlockOnceCauseBits = 8;
  localparam int BlockItypeAt = 256, BlockItypeBits = 8;
  localparam int BlockPrivAt = 264, BlockPrivBits = 8;
  localparam int BlockIlastsizeAt = 272, BlockIlastsizeBits = 8;
  localparam int BlockBits = 320;

  // Lowest bit and bits of each field of a row of kind status.
  localparam int StatusCycleAt = 0, StatusCycleBits = 64;
  localparam int StatusErrorPcAt = 64, StatusErrorPcBits = 64;
  localparam int StatusErrorCodeAt = 128, StatusErrorCodeBits = 32;
  localparam int StatusFlagsAt = 160, StatusFlagsBits = 32;
  localparam int StatusFlagsStallLsb = 0, StatusFlagsStallWidth = 1;
  localparam int StatusFlagsHartMovedLsb = 1, StatusFlagsHartMovedWidth = 1;
  localparam int StatusFlagsIngressMovedLsb = 2, StatusFlagsIngressMovedWidth = 1;
  localparam int StatusFlagsHartIdleLsb = 3, StatusFlagsHartIdleWidth = 1;
  localparam int StatusFlagsIngressIdleLsb = 4, StatusFlagsIngressIdleWidth = 1;
  localparam int StatusFlagsEndedLsb = 5, StatusFlagsEndedWidth = 1;
  localparam int StatusFlagsUnknownLsb = 6, StatusFlagsUnknownWidth = 1;
  localparam int StatusBits = 192;

  /* verilator lint_on UNUSEDPARAM */

endpackage
