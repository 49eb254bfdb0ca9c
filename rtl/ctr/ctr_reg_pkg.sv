// Registers of control transfer records: CSR addresses, settable bits, fields. Names of the draft begin with Draft.
// SPDX-License-Identifier: Apache-2.0
// Generated from models/ctr/registers.py; do not edit, type `python -m rvtrace.flow.generate`.
//
// Masks are those of an implementation with every option at XLEN 64; h registers are bits 63:32 of their partners.
// The s and vs control registers have their fields where the machine register has them.
package ctr_reg_pkg;

  // Bit of mstateen0 and hstateen0; iselect values.
  localparam int CtrBit = 54, DraftCtrBit = 55;
  localparam logic [11:0] SelectFirst = 12'h200, SelectLast = 12'h2FF;

  // An entry: ireg, ireg2, ireg3.
  localparam logic [63:0] CtrsourceMask = 64'hFFFFFFFFFFFFFFFF;
  localparam int CtrsourceVLsb = 0, CtrsourceVWidth = 1;
  localparam int CtrsourcePcLsb = 1, CtrsourcePcWidth = 63;
  localparam logic [63:0] CtrtargetMask = 64'hFFFFFFFFFFFFFFFF;
  localparam int CtrtargetMispLsb = 0, CtrtargetMispWidth = 1;
  localparam int CtrtargetPcLsb = 1, CtrtargetPcWidth = 63;
  localparam logic [63:0] CtrdataMask = 64'h00000000FFFF800F;
  localparam int CtrdataTypeLsb = 0, CtrdataTypeWidth = 4;
  localparam int CtrdataCcvLsb = 15, CtrdataCcvWidth = 1;
  localparam int CtrdataCcmLsb = 16, CtrdataCcmWidth = 12;
  localparam int CtrdataCceLsb = 28, CtrdataCceWidth = 4;

  // v1_0. DEPTH: 0 is 16, 1 is 32, 2 is 64, 3 is 128, 4 is 256.
  localparam logic [63:0] Required = 64'h0000000000000807;

  localparam logic [11:0] SctrctlAddr = 12'h14E;
  localparam logic [63:0] SctrctlMask = 64'h0000FF3E00001983;

  localparam logic [11:0] SctrstatusAddr = 12'h14F;
  localparam logic [63:0] SctrstatusMask = 64'h00000000800000FF;
  localparam int SctrstatusWrptrLsb = 0, SctrstatusWrptrWidth = 8;
  localparam int SctrstatusFrozenLsb = 31, SctrstatusFrozenWidth = 1;

  localparam logic [11:0] SctrdepthAddr = 12'h15F;
  localparam logic [63:0] SctrdepthMask = 64'h0000000000000007;
  localparam int SctrdepthDepthLsb = 0, SctrdepthDepthWidth = 3;

  localparam logic [11:0] VsctrctlAddr = 12'h24E;
  localparam logic [63:0] VsctrctlMask = 64'h0000FF3E00001983;

  localparam logic [11:0] MctrctlAddr = 12'h34E;
  localparam logic [63:0] MctrctlMask = 64'h0000FF3E00001B87;
  localparam int MctrctlULsb = 0, MctrctlUWidth = 1;
  localparam int MctrctlSLsb = 1, MctrctlSWidth = 1;
  localparam int MctrctlMLsb = 2, MctrctlMWidth = 1;
  localparam int MctrctlRasemuLsb = 7, MctrctlRasemuWidth = 1;
  localparam int MctrctlSteLsb = 8, MctrctlSteWidth = 1;
  localparam int MctrctlMteLsb = 9, MctrctlMteWidth = 1;
  localparam int MctrctlBpfrzLsb = 11, MctrctlBpfrzWidth = 1;
  localparam int MctrctlLcofifrzLsb = 12, MctrctlLcofifrzWidth = 1;
  localparam int MctrctlExcinhLsb = 33, MctrctlExcinhWidth = 1;
  localparam int MctrctlIntrinhLsb = 34, MctrctlIntrinhWidth = 1;
  localparam int MctrctlTretinhLsb = 35, MctrctlTretinhWidth = 1;
  localparam int MctrctlNtbrenLsb = 36, MctrctlNtbrenWidth = 1;
  localparam int MctrctlTkbrinhLsb = 37, MctrctlTkbrinhWidth = 1;
  localparam int MctrctlIndcallinhLsb = 40, MctrctlIndcallinhWidth = 1;
  localparam int MctrctlDircallinhLsb = 41, MctrctlDircallinhWidth = 1;
  localparam int MctrctlIndjmpinhLsb = 42, MctrctlIndjmpinhWidth = 1;
  localparam int MctrctlDirjmpinhLsb = 43, MctrctlDirjmpinhWidth = 1;
  localparam int MctrctlCorswapinhLsb = 44, MctrctlCorswapinhWidth = 1;
  localparam int MctrctlRetinhLsb = 45, MctrctlRetinhWidth = 1;
  localparam int MctrctlIndljmpinhLsb = 46, MctrctlIndljmpinhWidth = 1;
  localparam int MctrctlDirljmpinhLsb = 47, MctrctlDirljmpinhWidth = 1;
  localparam int MctrctlCustomLsb = 60, MctrctlCustomWidth = 4;

  // v0_1_4. DEPTH: 0 is 16, 1 is 32, 3 is 64, 7 is 128, 15 is 256.
  localparam logic [63:0] DraftRequired = 64'h0000000000000007;

  localparam logic [11:0] DraftSctrcontrolAddr = 12'h181;
  localparam logic [63:0] DraftSctrcontrolMask = 64'h0000FF7E000F1E86;

  localparam logic [11:0] DraftSctrcontrolhAddr = 12'h182;

  localparam logic [11:0] DraftSctrstatusAddr = 12'h183;
  localparam logic [63:0] DraftSctrstatusMask = 64'h000000000000C0FF;

  localparam logic [11:0] DraftVsctrcontrolAddr = 12'h281;
  localparam logic [63:0] DraftVsctrcontrolMask = 64'h0000FF7E00001E86;

  localparam logic [11:0] DraftVsctrcontrolhAddr = 12'h282;

  localparam logic [11:0] DraftMctrcontrolAddr = 12'h381;
  localparam logic [63:0] DraftMctrcontrolMask = 64'h0000FF7E000F1F87;
  localparam int DraftMctrcontrolMLsb = 0, DraftMctrcontrolMWidth = 1;
  localparam int DraftMctrcontrolSLsb = 1, DraftMctrcontrolSWidth = 1;
  localparam int DraftMctrcontrolULsb = 2, DraftMctrcontrolUWidth = 1;
  localparam int DraftMctrcontrolClrLsb = 7, DraftMctrcontrolClrWidth = 1;
  localparam int DraftMctrcontrolMteLsb = 8, DraftMctrcontrolMteWidth = 1;
  localparam int DraftMctrcontrolSteLsb = 9, DraftMctrcontrolSteWidth = 1;
  localparam int DraftMctrcontrolRasemuLsb = 10, DraftMctrcontrolRasemuWidth = 1;
  localparam int DraftMctrcontrolBpfrzLsb = 11, DraftMctrcontrolBpfrzWidth = 1;
  localparam int DraftMctrcontrolLcofifrzLsb = 12, DraftMctrcontrolLcofifrzWidth = 1;
  localparam int DraftMctrcontrolDepthLsb = 16, DraftMctrcontrolDepthWidth = 4;
  localparam int DraftMctrcontrolExcinhLsb = 33, DraftMctrcontrolExcinhWidth = 1;
  localparam int DraftMctrcontrolIntrinhLsb = 34, DraftMctrcontrolIntrinhWidth = 1;
  localparam int DraftMctrcontrolTretinhLsb = 35, DraftMctrcontrolTretinhWidth = 1;
  localparam int DraftMctrcontrolNtbrenLsb = 36, DraftMctrcontrolNtbrenWidth = 1;
  localparam int DraftMctrcontrolTkbrinhLsb = 37, DraftMctrcontrolTkbrinhWidth = 1;
  localparam int DraftMctrcontrolEtenLsb = 38, DraftMctrcontrolEtenWidth = 1;
  localparam int DraftMctrcontrolIndcallinhLsb = 40, DraftMctrcontrolIndcallinhWidth = 1;
  localparam int DraftMctrcontrolDircallinhLsb = 41, DraftMctrcontrolDircallinhWidth = 1;
  localparam int DraftMctrcontrolIndjumpinhLsb = 42, DraftMctrcontrolIndjumpinhWidth = 1;
  localparam int DraftMctrcontrolDirjumpinhLsb = 43, DraftMctrcontrolDirjumpinhWidth = 1;
  localparam int DraftMctrcontrolCorswapinhLsb = 44, DraftMctrcontrolCorswapinhWidth = 1;
  localparam int DraftMctrcontrolRetinhLsb = 45, DraftMctrcontrolRetinhWidth = 1;
  localparam int DraftMctrcontrolIndojmpinhLsb = 46, DraftMctrcontrolIndojmpinhWidth = 1;
  localparam int DraftMctrcontrolDirojmpinhLsb = 47, DraftMctrcontrolDirojmpinhWidth = 1;
  localparam int DraftMctrcontrolCustomLsb = 60, DraftMctrcontrolCustomWidth = 4;

  localparam logic [11:0] DraftMctrcontrolhAddr = 12'h382;

  localparam logic [11:0] DraftMctrstatusAddr = 12'h383;
  localparam logic [63:0] DraftMctrstatusMask = 64'h000000000000C0FF;
  localparam int DraftMctrstatusWrptrLsb = 0, DraftMctrstatusWrptrWidth = 8;
  localparam int DraftMctrstatusWrapLsb = 14, DraftMctrstatusWrapWidth = 1;
  localparam int DraftMctrstatusFrozenLsb = 15, DraftMctrstatusFrozenWidth = 1;

endpackage
