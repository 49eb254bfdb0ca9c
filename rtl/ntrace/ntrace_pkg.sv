// SPDX-License-Identifier: Apache-2.0
// N-Trace constants and the field table of its messages (1.0.0_rc7 chapters 6 to 8; the
// ratified 1.0 agrees on everything here).
//
// Inside the encoder a message travels as a descriptor (ntrace_layout_pkg, "message"). The has_* functions say which of its
// fields a message really has. SRC, TSTAMP and the extension of addresses (8.2) are made by the packer.
package ntrace_pkg;

  // TCODE (table 8). The range from TcodeVendorFirst to TcodeVendorLast is vendor-defined (6.1).
  localparam logic [5:0] TcodeOwnership              = 6'd2;
  localparam logic [5:0] TcodeDirectBranch           = 6'd3;
  localparam logic [5:0] TcodeIndirectBranch         = 6'd4;
  localparam logic [5:0] TcodeError                  = 6'd8;
  localparam logic [5:0] TcodeProgTraceSync          = 6'd9;
  localparam logic [5:0] TcodeDirectBranchSync       = 6'd11;
  localparam logic [5:0] TcodeIndirectBranchSync     = 6'd12;
  localparam logic [5:0] TcodeResourceFull           = 6'd27;
  localparam logic [5:0] TcodeIndirectBranchHist     = 6'd28;
  localparam logic [5:0] TcodeIndirectBranchHistSync = 6'd29;
  localparam logic [5:0] TcodeRepeatBranch           = 6'd30;
  localparam logic [5:0] TcodeProgTraceCorrelation   = 6'd33;
  localparam logic [5:0] TcodeVendorFirst            = 6'd56;
  localparam logic [5:0] TcodeVendorLast             = 6'd62;

  // SYNC (table 25). SyncNone is ours, "no start is owed"; no start has code 0, External Trace Trigger.
  localparam logic [3:0] SyncNone       = 4'd0;
  localparam logic [3:0] SyncExtTrigger = 4'd0;
  localparam logic [3:0] SyncReset      = 4'd1;
  localparam logic [3:0] SyncPeriodic   = 4'd2;
  localparam logic [3:0] SyncExitDebug  = 4'd3;
  localparam logic [3:0] SyncIcnt       = 4'd4;
  localparam logic [3:0] SyncEnable     = 4'd5;
  localparam logic [3:0] SyncEvent      = 4'd6;
  localparam logic [3:0] SyncOverrun    = 4'd7;
  localparam logic [3:0] SyncPowerUp    = 4'd9;

  // B-TYPE (table 9).
  localparam logic [1:0] BtypeIndirect  = 2'd0;
  localparam logic [1:0] BtypeTrap      = 2'd1;
  localparam logic [1:0] BtypeException = 2'd2;
  localparam logic [1:0] BtypeInterrupt = 2'd3;

  // EVCODE and CDF (table 23), RCODE (table 19).
  localparam logic [3:0] EvcodeDebug     = 4'd0;
  localparam logic [3:0] EvcodeLowPower  = 4'd1;
  localparam logic [3:0] EvcodeDisable   = 4'd4;
  localparam logic [1:0] CdfNone         = 2'd0;
  localparam logic [1:0] CdfHist         = 2'd1;
  localparam logic [3:0] RcodeIcnt       = 4'd0;
  localparam logic [3:0] RcodeHist       = 4'd1;
  localparam logic [3:0] RcodeHistRepeat = 4'd2;  // HREPEAT follows RDATA

  // ETYPE and the bits of ECODE (table 15).
  localparam logic [3:0] EtypeOverrun       = 4'd0;
  localparam logic [7:0] EcodeProgramLost   = 8'h04;
  localparam logic [7:0] EcodeOwnershipLost = 8'h08;
  localparam logic [7:0] EcodeVendorLost    = 8'h80;

  // PROCESS = {CONTEXT, V, PRV[1:0], FORMAT[1:0]} (table 12).
  localparam logic [1:0] FormatPriv     = 2'd0;  // no CONTEXT
  localparam logic [1:0] FormatScontext = 2'd2;
  localparam logic [1:0] FormatHcontext = 2'd3;

  // trTeInstMode: 6 is HTM; BTM (3) is everything else.
  localparam logic [2:0] InstModeHtm = 3'd6;

  // trTeInstImplicitReturnMode, 0 if trTeInstEnImplicitReturn is not set.
  localparam logic [1:0] ReturnOff     = 2'd0;
  localparam logic [1:0] ReturnCounter = 2'd1;
  localparam logic [1:0] ReturnPartial = 2'd2;
  localparam logic [1:0] ReturnFull    = 2'd3;

  // TCODE with F4 and F2; and VAR0, whose longest is PROCESS.
  localparam int FixedBits = 12;
  localparam int Var0Bits  = 37;

  // Longest SRC (trTeSrcBits) and I-CNT (table 10), in bits.
  localparam int SrcMax  = 12;
  localparam int IcntMax = 22;

  // The message has SYNC, and with it F-ADDR and an absolute TSTAMP.
  function automatic logic has_sync(input logic [5:0] tcode);
    has_sync = (tcode == TcodeProgTraceSync) || (tcode == TcodeDirectBranchSync) ||
               (tcode == TcodeIndirectBranchSync) || (tcode == TcodeIndirectBranchHistSync);
  endfunction

  // The message has SYNC, ETYPE, RCODE or EVCODE.
  function automatic logic has_f4(input logic [5:0] tcode);
    has_f4 = has_sync(tcode) || (tcode == TcodeError) || (tcode == TcodeResourceFull) ||
             (tcode == TcodeProgTraceCorrelation);
  endfunction

  // The message has B-TYPE, and with it an address.
  function automatic logic has_btype(input logic [5:0] tcode);
    has_btype = (tcode == TcodeIndirectBranch) || (tcode == TcodeIndirectBranchSync) ||
                (tcode == TcodeIndirectBranchHist) || (tcode == TcodeIndirectBranchHistSync);
  endfunction

  // The message has B-TYPE or CDF.
  function automatic logic has_f2(input logic [5:0] tcode);
    has_f2 = has_btype(tcode) || (tcode == TcodeProgTraceCorrelation);
  endfunction

  // The message has F-ADDR or U-ADDR.
  function automatic logic has_addr(input logic [5:0] tcode);
    has_addr = has_sync(tcode) || has_btype(tcode);
  endfunction

  // The message has HREPEAT, in the descriptor's place of the address.
  function automatic logic has_hrepeat(input logic [5:0] tcode, input logic [3:0] f4);
    has_hrepeat = (tcode == TcodeResourceFull) && (f4 == RcodeHistRepeat);
  endfunction

  // The message has a HIST field of its own (RDATA is not one).
  function automatic logic has_hist(input logic [5:0] tcode, input logic [1:0] f2);
    has_hist = (tcode == TcodeIndirectBranchHist) || (tcode == TcodeIndirectBranchHistSync) ||
               ((tcode == TcodeProgTraceCorrelation) && (f2 == CdfHist));
  endfunction

  // The message is vendor-defined: TCODE and DATA.
  function automatic logic is_vendor(input logic [5:0] tcode);
    is_vendor = (tcode >= TcodeVendorFirst) && (tcode <= TcodeVendorLast);
  endfunction

endpackage
