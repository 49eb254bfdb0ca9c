// Registers of the Trace Control Interface: offsets, reset values, settable bits, fields.
// SPDX-License-Identifier: Apache-2.0
// Generated from models/tci/registers.py; do not edit, type `python -m rvtrace.flow.generate`.
//
// Masks and legal values are those of an implementation with every option, and as many units as there can be.
package trace_reg_pkg;

  // Trace encoder.
  localparam logic [3:0] TrTeType = 4'h1;

  localparam logic [11:0] TrTeControlOffset = 12'h000;
  localparam logic [31:0] TrTeControlReset = 32'h01000068;
  localparam logic [31:0] TrTeControlMask = 32'h00F3AA77;
  localparam int TrTeActiveLsb = 0, TrTeActiveWidth = 1;
  localparam int TrTeEnableLsb = 1, TrTeEnableWidth = 1;
  localparam int TrTeInstTracingLsb = 2, TrTeInstTracingWidth = 1;
  localparam int TrTeEmptyLsb = 3, TrTeEmptyWidth = 1;
  localparam int TrTeInstModeLsb = 4, TrTeInstModeWidth = 3;
  localparam logic [7:0] TrTeInstModeLegal = 8'h48;
  localparam logic [2:0] TrTeInstModeOtherwise = 3'd6;
  localparam int TrTeContextLsb = 9, TrTeContextWidth = 1;
  localparam int TrTeInstTrigEnableLsb = 11, TrTeInstTrigEnableWidth = 1;
  localparam int TrTeInstStallOrOverflowLsb = 12, TrTeInstStallOrOverflowWidth = 1;
  localparam int TrTeInstStallEnaLsb = 13, TrTeInstStallEnaWidth = 1;
  localparam int TrTeInhibitSrcLsb = 15, TrTeInhibitSrcWidth = 1;
  localparam int TrTeInstSyncModeLsb = 16, TrTeInstSyncModeWidth = 2;
  localparam logic [3:0] TrTeInstSyncModeLegal = 4'hF;
  localparam logic [1:0] TrTeInstSyncModeOtherwise = 2'd0;
  localparam int TrTeInstSyncMaxLsb = 20, TrTeInstSyncMaxWidth = 4;
  localparam int TrTeFormatLsb = 24, TrTeFormatWidth = 3;

  localparam logic [11:0] TrTeImplOffset = 12'h004;
  localparam logic [31:0] TrTeImplReset = 32'h00010101;
  localparam int TrTeVerMajorLsb = 0, TrTeVerMajorWidth = 4;
  localparam int TrTeVerMinorLsb = 4, TrTeVerMinorWidth = 4;
  localparam int TrTeCompTypeLsb = 8, TrTeCompTypeWidth = 4;
  localparam int TrTeProtocolMajorLsb = 16, TrTeProtocolMajorWidth = 4;
  localparam int TrTeProtocolMinorLsb = 20, TrTeProtocolMinorWidth = 4;
  localparam int TrTeVendorLsb = 24, TrTeVendorWidth = 8;

  localparam logic [11:0] TrTeInstFeaturesOffset = 12'h008;
  localparam logic [31:0] TrTeInstFeaturesReset = 32'h000000C0;
  localparam logic [31:0] TrTeInstFeaturesMask = 32'hFFFF07CC;
  localparam int TrTeInstNoAddrDiffLsb = 0, TrTeInstNoAddrDiffWidth = 1;
  localparam int TrTeInstNoTrapAddrLsb = 1, TrTeInstNoTrapAddrWidth = 1;
  localparam int TrTeInstEnSequentialJumpLsb = 2, TrTeInstEnSequentialJumpWidth = 1;
  localparam int TrTeInstEnImplicitReturnLsb = 3, TrTeInstEnImplicitReturnWidth = 1;
  localparam int TrTeInstEnBranchPredictionLsb = 4, TrTeInstEnBranchPredictionWidth = 1;
  localparam int TrTeInstEnJumpTargetCacheLsb = 5, TrTeInstEnJumpTargetCacheWidth = 1;
  localparam int TrTeInstImplicitReturnModeLsb = 6, TrTeInstImplicitReturnModeWidth = 2;
  localparam logic [3:0] TrTeInstImplicitReturnModeLegal = 4'hE;
  localparam logic [1:0] TrTeInstImplicitReturnModeOtherwise = 2'd3;
  localparam int TrTeInstEnRepeatedHistoryLsb = 8, TrTeInstEnRepeatedHistoryWidth = 1;
  localparam int TrTeInstEnAllJumpsLsb = 9, TrTeInstEnAllJumpsWidth = 1;
  localparam int TrTeInstExtendAddrMSBLsb = 10, TrTeInstExtendAddrMSBWidth = 1;
  localparam int TrTeSrcIDLsb = 16, TrTeSrcIDWidth = 12;
  localparam int TrTeSrcBitsLsb = 28, TrTeSrcBitsWidth = 4;
  localparam logic [15:0] TrTeSrcBitsLegal = 16'h1FFF;
  localparam logic [3:0] TrTeSrcBitsOtherwise = 4'd12;

  localparam logic [11:0] TrTeInstFiltersOffset = 12'h00C;
  localparam logic [31:0] TrTeInstFiltersReset = 32'h00000000;
  localparam logic [31:0] TrTeInstFiltersMask = 32'h0000FFFF;
  localparam int TrTeInstFiltersFieldLsb = 0, TrTeInstFiltersFieldWidth = 16;

  localparam logic [11:0] TrTsControlOffset = 12'h040;
  localparam logic [31:0] TrTsControlReset = 32'h30000000;
  localparam logic [31:0] TrTsControlMask = 32'h0000837B;
  localparam int TrTsActiveLsb = 0, TrTsActiveWidth = 1;
  localparam int TrTsCountLsb = 1, TrTsCountWidth = 1;
  localparam int TrTsResetLsb = 2, TrTsResetWidth = 1;
  localparam int TrTsRunInDebugLsb = 3, TrTsRunInDebugWidth = 1;
  localparam int TrTsModeLsb = 4, TrTsModeWidth = 3;
  localparam logic [7:0] TrTsModeLegal = 8'h1F;
  localparam logic [2:0] TrTsModeOtherwise = 3'd0;
  localparam int TrTsPrescaleLsb = 8, TrTsPrescaleWidth = 2;
  localparam int TrTsEnableLsb = 15, TrTsEnableWidth = 1;
  localparam int TrTsWidthLsb = 24, TrTsWidthWidth = 6;

  localparam logic [11:0] TrTsCounterLowOffset = 12'h048;
  localparam int TrTsCounterLowFieldLsb = 0, TrTsCounterLowFieldWidth = 32;

  localparam logic [11:0] TrTsCounterHighOffset = 12'h04C;
  localparam int TrTsCounterHighFieldLsb = 0, TrTsCounterHighFieldWidth = 32;

  localparam logic [11:0] TrTeTrigExtInControlOffset = 12'h054;
  localparam logic [31:0] TrTeTrigExtInControlReset = 32'h00000000;
  localparam logic [31:0] TrTeTrigExtInControlMask = 32'h77777777;
  localparam int TrTeTrigExtInAction0Lsb = 0, TrTeTrigExtInAction0Width = 4;
  localparam logic [15:0] TrTeTrigExtInAction0Legal = 16'h001D;
  localparam logic [3:0] TrTeTrigExtInAction0Otherwise = 4'd0;
  localparam int TrTeTrigExtInAction1Lsb = 4, TrTeTrigExtInAction1Width = 4;
  localparam logic [15:0] TrTeTrigExtInAction1Legal = 16'h001D;
  localparam logic [3:0] TrTeTrigExtInAction1Otherwise = 4'd0;
  localparam int TrTeTrigExtInAction2Lsb = 8, TrTeTrigExtInAction2Width = 4;
  localparam logic [15:0] TrTeTrigExtInAction2Legal = 16'h001D;
  localparam logic [3:0] TrTeTrigExtInAction2Otherwise = 4'd0;
  localparam int TrTeTrigExtInAction3Lsb = 12, TrTeTrigExtInAction3Width = 4;
  localparam logic [15:0] TrTeTrigExtInAction3Legal = 16'h001D;
  localparam logic [3:0] TrTeTrigExtInAction3Otherwise = 4'd0;
  localparam int TrTeTrigExtInAction4Lsb = 16, TrTeTrigExtInAction4Width = 4;
  localparam logic [15:0] TrTeTrigExtInAction4Legal = 16'h001D;
  localparam logic [3:0] TrTeTrigExtInAction4Otherwise = 4'd0;
  localparam int TrTeTrigExtInAction5Lsb = 20, TrTeTrigExtInAction5Width = 4;
  localparam logic [15:0] TrTeTrigExtInAction5Legal = 16'h001D;
  localparam logic [3:0] TrTeTrigExtInAction5Otherwise = 4'd0;
  localparam int TrTeTrigExtInAction6Lsb = 24, TrTeTrigExtInAction6Width = 4;
  localparam logic [15:0] TrTeTrigExtInAction6Legal = 16'h001D;
  localparam logic [3:0] TrTeTrigExtInAction6Otherwise = 4'd0;
  localparam int TrTeTrigExtInAction7Lsb = 28, TrTeTrigExtInAction7Width = 4;
  localparam logic [15:0] TrTeTrigExtInAction7Legal = 16'h001D;
  localparam logic [3:0] TrTeTrigExtInAction7Otherwise = 4'd0;

  localparam logic [11:0] TrTeTrigExtOutControlOffset = 12'h058;
  localparam logic [31:0] TrTeTrigExtOutControlReset = 32'h00000000;
  localparam logic [31:0] TrTeTrigExtOutControlMask = 32'h33333333;
  localparam int TrTeTrigExtOutEvent0Lsb = 0, TrTeTrigExtOutEvent0Width = 4;
  localparam int TrTeTrigExtOutEvent1Lsb = 4, TrTeTrigExtOutEvent1Width = 4;
  localparam int TrTeTrigExtOutEvent2Lsb = 8, TrTeTrigExtOutEvent2Width = 4;
  localparam int TrTeTrigExtOutEvent3Lsb = 12, TrTeTrigExtOutEvent3Width = 4;
  localparam int TrTeTrigExtOutEvent4Lsb = 16, TrTeTrigExtOutEvent4Width = 4;
  localparam int TrTeTrigExtOutEvent5Lsb = 20, TrTeTrigExtOutEvent5Width = 4;
  localparam int TrTeTrigExtOutEvent6Lsb = 24, TrTeTrigExtOutEvent6Width = 4;
  localparam int TrTeTrigExtOutEvent7Lsb = 28, TrTeTrigExtOutEvent7Width = 4;

  localparam logic [11:0] TrTeFilterControlOffset = 12'h400;
  localparam logic [31:0] TrTeFilterControlReset = 32'h00000000;
  localparam logic [31:0] TrTeFilterControlMask = 32'h0000FFFF;
  localparam int TrTeFilterEnableLsb = 0, TrTeFilterEnableWidth = 1;
  localparam int TrTeFilterMatchPrivilegeLsb = 1, TrTeFilterMatchPrivilegeWidth = 1;
  localparam int TrTeFilterMatchEcauseLsb = 2, TrTeFilterMatchEcauseWidth = 1;
  localparam int TrTeFilterMatchInterruptLsb = 3, TrTeFilterMatchInterruptWidth = 1;
  localparam int TrTeFilterMatchComp1Lsb = 4, TrTeFilterMatchComp1Width = 1;
  localparam int TrTeFilterComp1Lsb = 5, TrTeFilterComp1Width = 3;
  localparam logic [7:0] TrTeFilterComp1Legal = 8'hFF;
  localparam logic [2:0] TrTeFilterComp1Otherwise = 3'd0;
  localparam int TrTeFilterMatchComp2Lsb = 8, TrTeFilterMatchComp2Width = 1;
  localparam int TrTeFilterComp2Lsb = 9, TrTeFilterComp2Width = 3;
  localparam logic [7:0] TrTeFilterComp2Legal = 8'hFF;
  localparam logic [2:0] TrTeFilterComp2Otherwise = 3'd0;
  localparam int TrTeFilterMatchComp3Lsb = 12, TrTeFilterMatchComp3Width = 1;
  localparam int TrTeFilterComp3Lsb = 13, TrTeFilterComp3Width = 3;
  localparam logic [7:0] TrTeFilterComp3Legal = 8'hFF;
  localparam logic [2:0] TrTeFilterComp3Otherwise = 3'd0;
  localparam int TrTeFilterMatchImpdefLsb = 16, TrTeFilterMatchImpdefWidth = 1;
  localparam int TrTeFilterMatchDtypeLsb = 24, TrTeFilterMatchDtypeWidth = 1;
  localparam int TrTeFilterMatchDsizeLsb = 25, TrTeFilterMatchDsizeWidth = 1;

  localparam logic [11:0] TrTeFilterMatchInstOffset = 12'h404;
  localparam logic [31:0] TrTeFilterMatchInstReset = 32'h00000000;
  localparam logic [31:0] TrTeFilterMatchInstMask = 32'h000001FF;
  localparam int TrTeFilterMatchChoicePrivilegeLsb = 0, TrTeFilterMatchChoicePrivilegeWidth = 8;
  localparam int TrTeFilterMatchValueInterruptLsb = 8, TrTeFilterMatchValueInterruptWidth = 1;

  localparam logic [11:0] TrTeFilterMatchEcauseLowOffset = 12'h408;
  localparam logic [31:0] TrTeFilterMatchEcauseLowReset = 32'h00000000;
  localparam logic [31:0] TrTeFilterMatchEcauseLowMask = 32'hFFFFFFFF;
  localparam int TrTeFilterMatchChoiceEcauseLowLsb = 0, TrTeFilterMatchChoiceEcauseLowWidth = 32;

  localparam logic [11:0] TrTeFilterMatchEcauseHighOffset = 12'h40C;
  localparam logic [31:0] TrTeFilterMatchEcauseHighReset = 32'h00000000;
  localparam logic [31:0] TrTeFilterMatchEcauseHighMask = 32'hFFFFFFFF;
  localparam int TrTeFilterMatchChoiceEcauseHighLsb = 0, TrTeFilterMatchChoiceEcauseHighWidth = 32;

  localparam logic [11:0] TrTeCompControlOffset = 12'h600;
  localparam logic [31:0] TrTeCompControlReset = 32'h00000000;
  localparam logic [31:0] TrTeCompControlMask = 32'h0000F77F;
  localparam int TrTeCompPInputLsb = 0, TrTeCompPInputWidth = 2;
  localparam logic [3:0] TrTeCompPInputLegal = 4'h7;
  localparam logic [1:0] TrTeCompPInputOtherwise = 2'd0;
  localparam int TrTeCompSInputLsb = 2, TrTeCompSInputWidth = 2;
  localparam logic [3:0] TrTeCompSInputLegal = 4'h7;
  localparam logic [1:0] TrTeCompSInputOtherwise = 2'd0;
  localparam int TrTeCompPFunctionLsb = 4, TrTeCompPFunctionWidth = 3;
  localparam int TrTeCompSFunctionLsb = 8, TrTeCompSFunctionWidth = 3;
  localparam int TrTeCompMatchModeLsb = 12, TrTeCompMatchModeWidth = 2;
  localparam int TrTeCompPNotifyLsb = 14, TrTeCompPNotifyWidth = 1;
  localparam int TrTeCompSNotifyLsb = 15, TrTeCompSNotifyWidth = 1;

  localparam logic [11:0] TrTeCompPMatchLowOffset = 12'h610;
  localparam logic [31:0] TrTeCompPMatchLowReset = 32'h00000000;
  localparam logic [31:0] TrTeCompPMatchLowMask = 32'hFFFFFFFF;
  localparam int TrTeCompPMatchLowFieldLsb = 0, TrTeCompPMatchLowFieldWidth = 32;

  localparam logic [11:0] TrTeCompPMatchHighOffset = 12'h614;
  localparam logic [31:0] TrTeCompPMatchHighReset = 32'h00000000;
  localparam logic [31:0] TrTeCompPMatchHighMask = 32'hFFFFFFFF;
  localparam int TrTeCompPMatchHighFieldLsb = 0, TrTeCompPMatchHighFieldWidth = 32;

  localparam logic [11:0] TrTeCompSMatchLowOffset = 12'h618;
  localparam logic [31:0] TrTeCompSMatchLowReset = 32'h00000000;
  localparam logic [31:0] TrTeCompSMatchLowMask = 32'hFFFFFFFF;
  localparam int TrTeCompSMatchLowFieldLsb = 0, TrTeCompSMatchLowFieldWidth = 32;

  localparam logic [11:0] TrTeCompSMatchHighOffset = 12'h61C;
  localparam logic [31:0] TrTeCompSMatchHighReset = 32'h00000000;
  localparam logic [31:0] TrTeCompSMatchHighMask = 32'hFFFFFFFF;
  localparam int TrTeCompSMatchHighFieldLsb = 0, TrTeCompSMatchHighFieldWidth = 32;

  localparam logic [11:0] TrTeVendorControlOffset = 12'hE00;
  localparam logic [31:0] TrTeVendorControlReset = 32'h00000000;
  localparam logic [31:0] TrTeVendorControlMask = 32'h0000000F;
  localparam int TrTeVendorRepeatBranchLsb = 0, TrTeVendorRepeatBranchWidth = 1;
  localparam int TrTeVendorBTypeOneLsb = 1, TrTeVendorBTypeOneWidth = 1;
  localparam int TrTeVendorRc7Lsb = 2, TrTeVendorRc7Width = 1;
  localparam int TrTeVendorHcontextLsb = 3, TrTeVendorHcontextWidth = 1;

  // Trace funnel.
  localparam logic [3:0] TrFunnelType = 4'h8;

  localparam logic [11:0] TrFunnelControlOffset = 12'h000;
  localparam logic [31:0] TrFunnelControlReset = 32'h00000008;
  localparam logic [31:0] TrFunnelControlMask = 32'h00000003;
  localparam int TrFunnelActiveLsb = 0, TrFunnelActiveWidth = 1;
  localparam int TrFunnelEnableLsb = 1, TrFunnelEnableWidth = 1;
  localparam int TrFunnelEmptyLsb = 3, TrFunnelEmptyWidth = 1;

  localparam logic [11:0] TrFunnelImplOffset = 12'h004;
  localparam logic [31:0] TrFunnelImplReset = 32'h00000801;
  localparam int TrFunnelVerMajorLsb = 0, TrFunnelVerMajorWidth = 4;
  localparam int TrFunnelVerMinorLsb = 4, TrFunnelVerMinorWidth = 4;
  localparam int TrFunnelCompTypeLsb = 8, TrFunnelCompTypeWidth = 4;
  localparam int TrFunnelVendorLsb = 24, TrFunnelVendorWidth = 8;

  localparam logic [11:0] TrFunnelDisInputOffset = 12'h008;
  localparam logic [31:0] TrFunnelDisInputReset = 32'h00000000;
  localparam logic [31:0] TrFunnelDisInputMask = 32'h000000FF;
  localparam int TrFunnelDisInputFieldLsb = 0, TrFunnelDisInputFieldWidth = 16;

  // RAM sink.
  localparam logic [3:0] TrRamType = 4'h9;

  localparam logic [11:0] TrRamControlOffset = 12'h000;
  localparam logic [31:0] TrRamControlReset = 32'h00000008;
  localparam logic [31:0] TrRamControlMask = 32'h00000113;
  localparam int TrRamActiveLsb = 0, TrRamActiveWidth = 1;
  localparam int TrRamEnableLsb = 1, TrRamEnableWidth = 1;
  localparam int TrRamEmptyLsb = 3, TrRamEmptyWidth = 1;
  localparam int TrRamModeLsb = 4, TrRamModeWidth = 1;
  localparam int TrRamStopOnWrapLsb = 8, TrRamStopOnWrapWidth = 1;
  localparam int TrRamMemFormatLsb = 9, TrRamMemFormatWidth = 2;
  localparam int TrRamAsyncFreqLsb = 12, TrRamAsyncFreqWidth = 3;

  localparam logic [11:0] TrRamImplOffset = 12'h004;
  localparam logic [31:0] TrRamImplReset = 32'h00003901;
  localparam int TrRamVerMajorLsb = 0, TrRamVerMajorWidth = 4;
  localparam int TrRamVerMinorLsb = 4, TrRamVerMinorWidth = 4;
  localparam int TrRamCompTypeLsb = 8, TrRamCompTypeWidth = 4;
  localparam int TrRamHasSRAMLsb = 12, TrRamHasSRAMWidth = 1;
  localparam int TrRamHasSMEMLsb = 13, TrRamHasSMEMWidth = 1;
  localparam int TrRamVendorLsb = 24, TrRamVendorWidth = 8;

  localparam logic [11:0] TrRamStartLowOffset = 12'h010;
  localparam logic [31:0] TrRamStartLowReset = 32'h00000000;
  localparam logic [31:0] TrRamStartLowMask = 32'hFFFFFFFC;
  localparam int TrRamStartLowFieldLsb = 2, TrRamStartLowFieldWidth = 30;

  localparam logic [11:0] TrRamStartHighOffset = 12'h014;
  localparam logic [31:0] TrRamStartHighReset = 32'h00000000;
  localparam logic [31:0] TrRamStartHighMask = 32'hFFFFFFFF;
  localparam int TrRamStartHighFieldLsb = 0, TrRamStartHighFieldWidth = 32;

  localparam logic [11:0] TrRamLimitLowOffset = 12'h018;
  localparam logic [31:0] TrRamLimitLowReset = 32'h00000FFC;
  localparam logic [31:0] TrRamLimitLowMask = 32'hFFFFFFFC;
  localparam int TrRamLimitLowFieldLsb = 2, TrRamLimitLowFieldWidth = 30;

  localparam logic [11:0] TrRamLimitHighOffset = 12'h01C;
  localparam logic [31:0] TrRamLimitHighReset = 32'h00000000;
  localparam logic [31:0] TrRamLimitHighMask = 32'hFFFFFFFF;
  localparam int TrRamLimitHighFieldLsb = 0, TrRamLimitHighFieldWidth = 32;

  localparam logic [11:0] TrRamWPLowOffset = 12'h020;
  localparam logic [31:0] TrRamWPLowReset = 32'h00000000;
  localparam logic [31:0] TrRamWPLowMask = 32'hFFFFFFFD;
  localparam int TrRamWrapLsb = 0, TrRamWrapWidth = 1;
  localparam int TrRamWPLowFieldLsb = 2, TrRamWPLowFieldWidth = 30;

  localparam logic [11:0] TrRamWPHighOffset = 12'h024;
  localparam logic [31:0] TrRamWPHighReset = 32'h00000000;
  localparam logic [31:0] TrRamWPHighMask = 32'hFFFFFFFF;
  localparam int TrRamWPHighFieldLsb = 0, TrRamWPHighFieldWidth = 32;

  localparam logic [11:0] TrRamRPLowOffset = 12'h028;
  localparam logic [31:0] TrRamRPLowReset = 32'h00000000;
  localparam logic [31:0] TrRamRPLowMask = 32'hFFFFFFFC;
  localparam int TrRamRPLowFieldLsb = 2, TrRamRPLowFieldWidth = 30;

  localparam logic [11:0] TrRamRPHighOffset = 12'h02C;
  localparam logic [31:0] TrRamRPHighReset = 32'h00000000;
  localparam logic [31:0] TrRamRPHighMask = 32'hFFFFFFFF;
  localparam int TrRamRPHighFieldLsb = 0, TrRamRPHighFieldWidth = 32;

  localparam logic [11:0] TrRamDataOffset = 12'h040;
  localparam int TrRamDataFieldLsb = 0, TrRamDataFieldWidth = 32;

  // Pin sink.
  localparam logic [3:0] TrPibType = 4'hA;

  localparam logic [11:0] TrPibControlOffset = 12'h000;
  localparam logic [31:0] TrPibControlReset = 32'h000F0008;
  localparam logic [31:0] TrPibControlMask = 32'hFFFF03F3;
  localparam int TrPibActiveLsb = 0, TrPibActiveWidth = 1;
  localparam int TrPibEnableLsb = 1, TrPibEnableWidth = 1;
  localparam int TrPibEmptyLsb = 3, TrPibEmptyWidth = 1;
  localparam int TrPibModeLsb = 4, TrPibModeWidth = 4;
  localparam logic [15:0] TrPibModeLegal = 16'h1F01;
  localparam logic [3:0] TrPibModeOtherwise = 4'd0;
  localparam int TrPibClkCenterLsb = 8, TrPibClkCenterWidth = 1;
  localparam int TrPibCalibrateLsb = 9, TrPibCalibrateWidth = 1;
  localparam int TrPibAsyncFreqLsb = 12, TrPibAsyncFreqWidth = 3;
  localparam int TrPibDividerLsb = 16, TrPibDividerWidth = 16;

  localparam logic [11:0] TrPibImplOffset = 12'h004;
  localparam logic [31:0] TrPibImplReset = 32'h00000A01;
  localparam int TrPibVerMajorLsb = 0, TrPibVerMajorWidth = 4;
  localparam int TrPibVerMinorLsb = 4, TrPibVerMinorWidth = 4;
  localparam int TrPibCompTypeLsb = 8, TrPibCompTypeWidth = 4;
  localparam int TrPibVendorLsb = 24, TrPibVendorWidth = 8;

  // The same where trTeFormat = 0 (E-Trace) makes a difference.

  localparam logic [31:0] EtraceTrTeControlReset = 32'h00000268;
  localparam logic [31:0] EtraceTrTeControlMask = 32'h00F3A807;
  localparam logic [7:0] EtraceTrTeInstModeLegal = 8'h40;
  localparam logic [2:0] EtraceTrTeInstModeOtherwise = 3'd6;
  localparam logic [7:0] EtraceTrTeFormatLegal = 8'h01;
  localparam logic [2:0] EtraceTrTeFormatOtherwise = 3'd0;

  localparam logic [31:0] EtraceTrTeImplReset = 32'h00000101;

  localparam logic [31:0] EtraceTrTeInstFeaturesMask = 32'h80FF003F;
  localparam logic [3:0] EtraceTrTeInstImplicitReturnModeLegal = 4'h8;
  localparam logic [1:0] EtraceTrTeInstImplicitReturnModeOtherwise = 2'd3;
  localparam logic [15:0] EtraceTrTeSrcBitsLegal = 16'h0101;
  localparam logic [3:0] EtraceTrTeSrcBitsOtherwise = 4'd8;

  localparam logic [31:0] EtraceTrTeVendorControlMask = 32'h00000003;
  localparam int TrTeVendorDraftLsb = 0, TrTeVendorDraftWidth = 1;
  localparam int TrTeVendorZerosLsb = 1, TrTeVendorZerosWidth = 1;

  localparam logic [15:0] EtraceTrPibModeLegal = 16'h1801;
  localparam logic [3:0] EtraceTrPibModeOtherwise = 4'd0;

endpackage
