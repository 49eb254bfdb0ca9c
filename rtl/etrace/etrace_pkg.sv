// SPDX-License-Identifier: Apache-2.0
// Constants of E-Trace packets and their transport (payload chapter, ratified 2.0; the draft of 2019 has the
// same codes unless said otherwise), and of the descriptors in which packets travel inside the encoder.
package etrace_pkg;

  // format, and subformat of formats 0 and 3. The draft has no format 0.
  localparam logic [1:0] FormatOptional = 2'd0;
  localparam logic [1:0] FormatBranches = 2'd1;
  localparam logic [1:0] FormatAddress  = 2'd2;
  localparam logic [1:0] FormatSync     = 2'd3;
  localparam logic [1:0] SubBranchCount = 2'd0;
  localparam logic [1:0] SubJumpTarget  = 2'd1;
  localparam logic [1:0] SubStart       = 2'd0;
  localparam logic [1:0] SubTrap        = 2'd1;
  localparam logic [1:0] SubContext     = 2'd2;
  localparam logic [1:0] SubSupport     = 2'd3;

  // qual_status of a support packet.
  localparam logic [1:0] QualNoChange  = 2'd0;
  localparam logic [1:0] QualEndedRep  = 2'd1;
  localparam logic [1:0] QualTraceLost = 2'd2;
  localparam logic [1:0] QualEndedNtr  = 2'd3;

  // Run-time options: bits of ioptions.
  localparam int OptImplicitReturn    = 0;
  localparam int OptImplicitException = 1;
  localparam int OptFullAddress       = 2;
  localparam int OptJumpTargetCache   = 3;
  localparam int OptBranchPrediction  = 4;
  localparam int OptSijump            = 5;
  localparam int NOptions             = 6;

  // ctype: how a change of context is to be reported. The draft calls it context_type, and has other codes.
  localparam logic [1:0] CtypeUnreported    = 2'd0;
  localparam logic [1:0] CtypeImprecise     = 2'd1;
  localparam logic [1:0] CtypePrecise       = 2'd2;
  localparam logic [1:0] CtypeDiscontinuity = 2'd3;

  localparam logic [1:0] DraftCtypeDiscontinuity = 2'd0;
  localparam logic [1:0] DraftCtypePrecise       = 2'd1;
  localparam logic [1:0] DraftCtypeImprecise     = 2'd2;
  localparam logic [1:0] DraftCtypeNotification  = 2'd3;

  // What a descriptor asks etrace_packer for.
  localparam logic [2:0] KindStart    = 3'd1;  // 3.0
  localparam logic [2:0] KindTrap     = 3'd2;  // 3.1
  localparam logic [2:0] KindContext  = 3'd3;  // 3.2
  localparam logic [2:0] KindSupport  = 3'd4;  // 3.3
  localparam logic [2:0] KindAddress  = 3'd5;  // an address in format 0.0, 0.1, 1 or 2
  localparam logic [2:0] KindBranches = 3'd6;  // a full branch map or a branch count without address

  // Packet type, the first thing an encapsulation has to know: te_inst. A number of our own, for pkt_type_o alone: the payload
  // chapter has none, and the transports here do not send it. One with a type field of its own has to translate.
  localparam logic [1:0] TypeInst = 2'd0;

  // A payload has 1 to MaxBytes bytes, a branch map 1 to MaxBranches branches.
  localparam int MaxBytes    = 31;
  localparam int MaxBits     = 8 * MaxBytes;
  localparam int MaxBranches = 31;

  // Packet boundaries in a stream of bytes: not marked, by a run of zeros before each 3.0, by blocks.
  localparam logic [1:0] FramingNone   = 2'd0;
  localparam logic [1:0] FramingZeros  = 2'd1;
  localparam logic [1:0] FramingBlocks = 2'd2;

  // The same in the packet encapsulation 1.0: sequences that end with null.alignment (unframed streams) or null.idle (framed).
  localparam logic [1:0] SyncNone     = 2'd0;
  localparam logic [1:0] SyncUnframed = 2'd1;
  localparam logic [1:0] SyncFramed   = 2'd2;

  // Zero bytes that cannot be in a packet: one more than a payload has.
  localparam int ZeroRun = 32;

  // How 2.0 reports what the draft's code asks for. A notification does not report the context.
  function automatic logic [1:0] draft_ctype(input logic [1:0] code);
    case (code)
      DraftCtypeDiscontinuity: draft_ctype = CtypeDiscontinuity;
      DraftCtypePrecise:       draft_ctype = CtypePrecise;
      DraftCtypeImprecise:     draft_ctype = CtypeImprecise;
      default:                 draft_ctype = CtypeUnreported;
    endcase
  endfunction

  // Bits of branch_map for that many branches; 0 for none.
  function automatic logic [4:0] map_length(input logic draft, input logic [4:0] branches);
    if (branches <= 5'd1) map_length = branches;
    else if (draft) begin
      map_length = (branches <= 5'd9) ? 5'd9 : (branches <= 5'd17) ? 5'd17 : (branches <= 5'd25) ? 5'd25 : 5'd31;
    end else begin
      map_length = (branches <= 5'd3) ? 5'd3 : (branches <= 5'd7) ? 5'd7 : (branches <= 5'd15) ? 5'd15 : 5'd31;
    end
  endfunction

endpackage
