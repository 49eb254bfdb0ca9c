// N-Trace constants and the field table of its messages (1.0.0_rc7 chapters 6 to 8; the
// ratified 1.0 agrees on everything here).
//
// Inside the encoder a message travels as a descriptor, one flat vector:
//   {TCODE[5:0], F4[3:0], F2[1:0], I-CNT[IcntBits-1:0], ADDR[Xlen-2:0], HIST[HistBits-1:0]}
// F4 is SYNC, ETYPE, RCODE or EVCODE; F2 is B-TYPE or CDF; I-CNT also holds ECODE; ADDR is
// F-ADDR or U-ADDR (bit 0 of the address is dropped); HIST also holds the RDATA of RCODE=1.
// The has_* functions say which of them a message really has; the others are don't care.
package ntrace_pkg;

  // TCODE (table 8).
  localparam logic [5:0] TcodeDirectBranch           = 6'd3;
  localparam logic [5:0] TcodeIndirectBranch         = 6'd4;
  localparam logic [5:0] TcodeError                  = 6'd8;
  localparam logic [5:0] TcodeProgTraceSync          = 6'd9;
  localparam logic [5:0] TcodeDirectBranchSync       = 6'd11;
  localparam logic [5:0] TcodeIndirectBranchSync     = 6'd12;
  localparam logic [5:0] TcodeResourceFull           = 6'd27;
  localparam logic [5:0] TcodeIndirectBranchHist     = 6'd28;
  localparam logic [5:0] TcodeIndirectBranchHistSync = 6'd29;
  localparam logic [5:0] TcodeProgTraceCorrelation   = 6'd33;

  // SYNC (table 25). SyncNone is ours: "no start is owed"; code 0 is never sent by this encoder.
  localparam logic [3:0] SyncNone      = 4'd0;
  localparam logic [3:0] SyncPeriodic  = 4'd2;
  localparam logic [3:0] SyncExitDebug = 4'd3;
  localparam logic [3:0] SyncIcnt      = 4'd4;
  localparam logic [3:0] SyncEnable    = 4'd5;
  localparam logic [3:0] SyncOverrun   = 4'd7;

  // B-TYPE (table 9).
  localparam logic [1:0] BtypeIndirect  = 2'd0;
  localparam logic [1:0] BtypeTrap      = 2'd1;
  localparam logic [1:0] BtypeException = 2'd2;
  localparam logic [1:0] BtypeInterrupt = 2'd3;

  // EVCODE and CDF (table 23), RCODE (table 19), ETYPE and the ECODE bit (table 15).
  localparam logic [3:0] EvcodeDebug   = 4'd0;
  localparam logic [3:0] EvcodeDisable = 4'd4;
  localparam logic [1:0] CdfNone       = 2'd0;
  localparam logic [1:0] CdfHist       = 2'd1;
  localparam logic [3:0] RcodeIcnt     = 4'd0;
  localparam logic [3:0] RcodeHist     = 4'd1;
  localparam logic [3:0] EtypeOverrun  = 4'd0;
  localparam logic [2:0] EcodeProgramLost = 3'b100;

  // trTeInstMode: 6 is HTM; BTM (3) is everything else.
  localparam logic [2:0] InstModeHtm = 3'd6;

  // trTeInstSyncMode.
  localparam logic [1:0] SyncModeOff       = 2'd0;
  localparam logic [1:0] SyncModeMessages  = 2'd1;
  localparam logic [1:0] SyncModeCycles    = 2'd2;
  localparam logic [1:0] SyncModeHalfwords = 2'd3;

  // Wide enough for the longest interval, 2^(15+4).
  localparam int SyncCntBits = 20;

  // The encoder's `pend`: what the next block's address will complete.
  localparam logic [1:0] PendNone     = 2'd0;
  localparam logic [1:0] PendIndirect = 2'd1;
  localparam logic [1:0] PendDirect   = 2'd2;
  localparam logic [1:0] PendIcntSync = 2'd3;

  // Descriptor bits besides I-CNT, ADDR and HIST: TCODE, F4, F2.
  localparam int FixedBits = 12;

  // Bits of the state that travels from lane to lane besides I-CNT, HIST and the address reference:
  // lost, start, pend, its B-TYPE, sync count.
  localparam int StateFixedBits = 9 + SyncCntBits;

  // The message has SYNC, and with it F-ADDR.
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

  // The message ends with a HIST field of its own (RDATA is not one).
  function automatic logic has_hist(input logic [5:0] tcode, input logic [1:0] f2);
    has_hist = (tcode == TcodeIndirectBranchHist) || (tcode == TcodeIndirectBranchHistSync) ||
               ((tcode == TcodeProgTraceCorrelation) && (f2 == CdfHist));
  endfunction

endpackage
