// SPDX-License-Identifier: Apache-2.0
// Assertions on the E-Trace encoder, for Verilator (run with --assert); bound to every instance.
//
// The first group holds the driver to the ingress port's rules (E-Trace 2.0 chapter 4 and
// docs/reference/etrace-profile.md, "Inputs"), the others hold the encoder to its own.
module etrace_assert
#(
  parameter int NBlocks         = 1,
  parameter int IAddressWidth   = 64,
  parameter int IAddressLsb     = 1,
  parameter int ContextWidth    = 32,
  parameter int TimeWidth       = 32,
  parameter int StampWidth      = 16,
  parameter int PrivilegeWidth  = 3,
  parameter int EcauseWidth     = 6,
  parameter int IRetireWidth    = 7,
  parameter int BpredSize       = 6,
  parameter int CacheSize       = 5,
  parameter int CallCounterSize = 0,
  parameter int ReturnStackSize = 4,
  parameter bit SijumpEn        = 1'b1,
  parameter int F0sWidth        = 1,
  parameter int EncoderModeN    = 1,
  parameter int IOptionsN       = 6,
  parameter int BcountBits      = 32,
  parameter int FifoDepth       = 32,
  parameter int NFilters        = 2,
  parameter int NComps          = 2,
  parameter bit RatifiedEn      = 1'b1,
  parameter bit DraftEn         = 1'b1,
  // Derived, do not set.
  parameter int NDesc           = 2*NBlocks + 1
) (
  input logic                             clk_i,
  input logic                             rst_ni,

  input logic                             enable_i,
  input logic                             halted_i,
  input logic                             in_reset_i,
  input logic [5:0]                       options_i,
  input logic                             draft_i,
  input logic [1:0]                       sync_mode_i,
  input logic [3:0]                       sync_max_i,
  input logic                             stall_ena_i,
  input logic [15:0]                      filters_i,

  input logic [NBlocks*4-1:0]             ing_itype_i,
  input logic [NBlocks*IAddressWidth-1:0] ing_iaddr_i,
  input logic [NBlocks*IRetireWidth-1:0]  ing_iretire_i,
  input logic [NBlocks-1:0]               ing_ilastsize_i,
  input logic [2:0]                       ing_priv_i,
  input logic                             ing_ready_o,

  input logic                             drop_o,
  input logic                             empty_o,
  input logic                             overflow_o,

  input logic                             pkt_valid_o,
  input logic [1:0]                       pkt_type_o,
  input logic [4:0]                       pkt_length_o,
  input logic [247:0]                     pkt_payload_o,
  input logic                             pkt_start_o,
  input logic [StampWidth-1:0]            pkt_time_o,
  input logic                             pkt_ready_i,

  // Inside etrace_encoder: descriptors on their way to the queue, those in it, packets on their way to the packer.
  input logic [NDesc-1:0]                 beat_valid,
  input logic [$clog2(FifoDepth+1)-1:0]   count,
  input logic                             lost,
  input logic                             part_valid,
  input logic                             part_ready,
  input logic [2:0]                       kind,
  input logic [1:0]                       qual
);

  // Parameters.
  initial begin
    assert (NBlocks == 1 || NBlocks == 2 || NBlocks == 4) else $error("NBlocks is %0d: set 1, 2 or 4", NBlocks);
    assert (IAddressWidth == 32 || IAddressWidth == 64) else $error("IAddressWidth is %0d: set 32 or 64", IAddressWidth);
    assert (IAddressLsb == 1 || IAddressLsb == 2) else $error("IAddressLsb is %0d: set 1 or 2", IAddressLsb);
    assert (ContextWidth >= 1 && ContextWidth <= 32) else $error("ContextWidth is %0d: set 1 to 32", ContextWidth);
    assert (StampWidth >= 16 && StampWidth <= 64) else $error("StampWidth is %0d: set 16 to 64", StampWidth);
    assert (TimeWidth >= 1 && TimeWidth <= 64) else $error("TimeWidth is %0d: set 1 to 64", TimeWidth);
    assert (PrivilegeWidth == 2 || PrivilegeWidth == 3) else $error("PrivilegeWidth is %0d: set 2 or 3", PrivilegeWidth);
    assert (EcauseWidth >= 4 && EcauseWidth <= 8) else $error("EcauseWidth is %0d: set 4 to 8", EcauseWidth);
    assert (IRetireWidth >= 2 && IRetireWidth <= 10) else $error("IRetireWidth is %0d: set 2 to 10", IRetireWidth);
    assert (BpredSize >= 0 && BpredSize <= 10) else $error("BpredSize is %0d: set 0 to 10", BpredSize);
    assert (CacheSize >= 0 && CacheSize <= 10) else $error("CacheSize is %0d: set 0 to 10", CacheSize);
    assert (CallCounterSize >= 0 && CallCounterSize <= 8) else $error("CallCounterSize is %0d: set 0 to 8", CallCounterSize);
    assert (ReturnStackSize >= 0 && ReturnStackSize <= 5) else $error("ReturnStackSize is %0d: set 0 to 5", ReturnStackSize);
    assert (CallCounterSize == 0 || ReturnStackSize == 0)
      else $error("CallCounterSize and ReturnStackSize are both set: make one of them 0");
    assert (F0sWidth >= 0 && F0sWidth <= 2 && (F0sWidth > 0 || BpredSize == 0 || CacheSize == 0))
      else $error("F0sWidth is %0d: set 1 or 2 if there are a predictor and a cache, else 0 to 2", F0sWidth);
    assert (EncoderModeN >= 1 && EncoderModeN <= 4) else $error("EncoderModeN is %0d: set 1 to 4", EncoderModeN);
    assert (IOptionsN >= 6 && IOptionsN <= 16) else $error("IOptionsN is %0d: set 6 to 16", IOptionsN);
    assert (BcountBits >= 1 && BcountBits <= 32) else $error("BcountBits is %0d: set 1 to 32", BcountBits);
    assert (FifoDepth >= NDesc && (FifoDepth & (FifoDepth - 1)) == 0)
      else $error("FifoDepth is %0d: set a power of two from %0d", FifoDepth, NDesc);
    assert (RatifiedEn || DraftEn) else $error("RatifiedEn and DraftEn are both 0: one variant has to be built");
    assert (NFilters >= 1 && NFilters <= 16) else $error("NFilters is %0d: set 1 to 16", NFilters);
    assert (NComps >= 1 && NComps <= 8) else $error("NComps is %0d: set 1 to 8", NComps);
  end

  // The driver: ingress port.
  logic [NBlocks-1:0] block, trap;
  for (genvar k = 0; k < NBlocks; k++) begin : gen_lane
    logic [IRetireWidth-1:0] iretire;
    assign iretire  = ing_iretire_i[IRetireWidth*k +: IRetireWidth];
    assign trap[k]  = trace_pkg::is_trap(ing_itype_i[4*k +: 4]);
    assign block[k] = (iretire != '0) || trap[k];

    LastSizeFits: assert property (@(posedge clk_i) disable iff (!rst_ni)
                                   (iretire != '0) && ing_ilastsize_i[k] |-> iretire >= 2)
      else $error("lane %0d: iretire is 1 but ilastsize says the last instruction has two half-words", k);
    IaddrAligned: assert property (@(posedge clk_i) disable iff (!rst_ni)
                                   (iretire != '0) |-> ing_iaddr_i[IAddressWidth*k +: IAddressLsb] == '0)
      else $error("lane %0d: iaddr has bits below IAddressLsb", k);
    LastSizeBig: assert property (@(posedge clk_i) disable iff (!rst_ni)
                                  (IAddressLsb == 2) && (iretire != '0) |-> ing_ilastsize_i[k] && !iretire[0])
      else $error("lane %0d: 16-bit instructions, but IAddressLsb is 2", k);
    if (k > 0) begin : gen_younger
      LanesFilled: assert property (@(posedge clk_i) disable iff (!rst_ni) block[k] |-> block[k-1])
        else $error("lane %0d has a block, but lane %0d has none: fill lower lanes first", k, k - 1);
      TrapNewest: assert property (@(posedge clk_i) disable iff (!rst_ni) block[k] |-> !trap[k-1])
        else $error("lane %0d has a block after the trap of lane %0d: a trap is the newest of its cycle", k, k - 1);
    end
  end

  HaltedNoBlock: assert property (@(posedge clk_i) disable iff (!rst_ni) halted_i || in_reset_i |-> block == '0)
    else $error("a block while the hart is halted or in reset: it retires nothing then");
  PrivKnown: assert property (@(posedge clk_i) disable iff (!rst_ni)
                              (block != '0) |-> (ing_priv_i != 3'd2) && (ing_priv_i != 3'd7) &&
                                                ((PrivilegeWidth == 3) || !ing_priv_i[2]))
    else $error("priv is %0d: give 0 U, 1 S, 3 M, or with PrivilegeWidth 3 also 4 D, 5 VU, 6 VS", ing_priv_i);

  logic [22:0] controls;
  assign controls = {draft_i, sync_mode_i, sync_max_i, filters_i};
  ControlsStable: assert property (@(posedge clk_i) disable iff (!rst_ni)
                                   enable_i && $past(enable_i) |-> $stable(controls))
    else $error("the variant, a sync interval or trTeInstFilters changed while enable_i is 1: clear enable_i first");
  VariantStable: assert property (@(posedge clk_i) disable iff (!rst_ni) !empty_o && !$past(empty_o) |-> $stable(draft_i))
    else $error("draft_i changed while empty_o is 0: wait for trTeEmpty first");
  OptionsBuilt: assert property (@(posedge clk_i) disable iff (!rst_ni) enable_i |->
      !(options_i[etrace_pkg::OptImplicitReturn] && (CallCounterSize == 0) && (ReturnStackSize == 0 || draft_i)) &&
      !(options_i[etrace_pkg::OptJumpTargetCache] && (CacheSize == 0 || draft_i)) &&
      !(options_i[etrace_pkg::OptBranchPrediction] && (BpredSize == 0)) &&
      !(options_i[etrace_pkg::OptSijump] && !SijumpEn))
    else $error("options_i is %b: an option of it is not built, or not in this variant", options_i);
  DraftCount: assert property (@(posedge clk_i) disable iff (!rst_ni) enable_i && draft_i |-> BcountBits <= 16)
    else $error("BcountBits is %0d: the draft counts predicted branches in 16 bits", BcountBits);

  // The encoder: accepting beats.
  ReadyOrStall: assert property (@(posedge clk_i) disable iff (!rst_ni) !ing_ready_o |-> stall_ena_i);
  DropIsTaken: assert property (@(posedge clk_i) disable iff (!rst_ni) drop_o |-> ing_ready_o && !stall_ena_i);
  StallLosesNothing: assert property (@(posedge clk_i) disable iff (!rst_ni) overflow_o |-> $past(drop_o));
  LossIsOwed: assert property (@(posedge clk_i) disable iff (!rst_ni) overflow_o |-> lost);
  LostIsQuiet: assert property (@(posedge clk_i) disable iff (!rst_ni) lost && drop_o |=> beat_valid == '0);

  // The encoder: the queue never overflows, and Empty tells the truth.
  FifoRoom: assert property (@(posedge clk_i) disable iff (!rst_ni) $countones(beat_valid) + 32'(count) <= FifoDepth);
  EmptyIsQuiet: assert property (@(posedge clk_i) disable iff (!rst_ni)
                                 empty_o |-> !pkt_valid_o && count == '0 && beat_valid == '0);

  // The encoder: packets to the packer. After every end of trace, and first of all, there is nothing but support
  // packets and syncs.
  logic synced_q, part, sync, support;
  assign part    = part_valid && part_ready;
  assign sync    = (kind == etrace_pkg::KindStart) || (kind == etrace_pkg::KindTrap);
  assign support = (kind == etrace_pkg::KindSupport);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni)   synced_q <= 1'b0;
    else if (part) synced_q <= sync || (synced_q && !support);
  end
  KindKnown: assert property (@(posedge clk_i) disable iff (!rst_ni) part_valid |-> (kind != 3'd0) && (kind != 3'd7));
  SyncFirst: assert property (@(posedge clk_i) disable iff (!rst_ni) part && !synced_q |-> sync || support)
    else $error("a packet of kind %0d after a support packet: a sync has to come first", kind);
  EndOfTrace: assert property (@(posedge clk_i) disable iff (!rst_ni)
                               part && support && ((qual == etrace_pkg::QualEndedNtr)) |-> synced_q)
    else $error("a trace ends that did not begin");
  TraceLost: assert property (@(posedge clk_i) disable iff (!rst_ni)
                              part && support && synced_q |-> (qual != etrace_pkg::QualNoChange))
    else $error("a support packet in the midst of a trace does not end it");

  // The encoder: packets out.
  PacketStable: assert property (@(posedge clk_i) disable iff (!rst_ni)
                                 pkt_valid_o && !pkt_ready_i |=>
                                 pkt_valid_o && $stable({pkt_type_o, pkt_length_o, pkt_payload_o, pkt_start_o, pkt_time_o}));
  PacketLength: assert property (@(posedge clk_i) disable iff (!rst_ni) pkt_valid_o |-> pkt_length_o != '0);
  PacketType: assert property (@(posedge clk_i) disable iff (!rst_ni) pkt_valid_o |-> pkt_type_o == etrace_pkg::TypeInst);
  PacketStart: assert property (@(posedge clk_i) disable iff (!rst_ni)
                                pkt_valid_o |-> pkt_start_o == (pkt_payload_o[3:0] == 4'b0011));
  for (genvar k = 0; k < etrace_pkg::MaxBytes; k++) begin : gen_byte
    UnusedZero: assert property (@(posedge clk_i) disable iff (!rst_ni)
                                 pkt_valid_o && (k >= 32'(pkt_length_o)) |-> pkt_payload_o[8*k +: 8] == 8'h00);
  end

  // What has to be reached for the assertions above to mean something.
  CoverDrop: cover property (@(posedge clk_i) disable iff (!rst_ni) drop_o);
  CoverStall: cover property (@(posedge clk_i) disable iff (!rst_ni) !ing_ready_o);
  CoverOverflow: cover property (@(posedge clk_i) disable iff (!rst_ni) overflow_o);
  CoverBurst: cover property (@(posedge clk_i) disable iff (!rst_ni) $countones(beat_valid) > NBlocks);
  CoverThree: cover property (@(posedge clk_i) disable iff (!rst_ni) beat_valid[NDesc-1] && (beat_valid[1:0] == 2'b11));

endmodule

bind etrace_encoder etrace_assert #(
  .NBlocks         (NBlocks),
  .IAddressWidth   (IAddressWidth),
  .IAddressLsb     (IAddressLsb),
  .ContextWidth    (ContextWidth),
  .TimeWidth       (TimeWidth),
  .StampWidth      (StampWidth),
  .PrivilegeWidth  (PrivilegeWidth),
  .EcauseWidth     (EcauseWidth),
  .IRetireWidth    (IRetireWidth),
  .BpredSize       (BpredSize),
  .CacheSize       (CacheSize),
  .CallCounterSize (CallCounterSize),
  .ReturnStackSize (ReturnStackSize),
  .SijumpEn        (SijumpEn),
  .F0sWidth        (F0sWidth),
  .EncoderModeN    (EncoderModeN),
  .IOptionsN       (IOptionsN),
  .BcountBits      (BcountBits),
  .FifoDepth       (FifoDepth),
  .NFilters        (NFilters),
  .NComps          (NComps),
  .RatifiedEn      (RatifiedEn),
  .DraftEn         (DraftEn)
) u_assert (.*);
