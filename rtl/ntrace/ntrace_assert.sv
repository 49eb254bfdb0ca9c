// SPDX-License-Identifier: Apache-2.0
// Assertions on the N-Trace encoder, for Verilator (run with --assert); bound to every instance.
//
// The first group holds the driver to the ingress port's rules (E-Trace 2.0 chapter 4 and
// docs/reference/ntrace-profile.md, "Inputs"), the others hold the encoder to its own.
module ntrace_assert
#(
  parameter int Xlen         = 64,
  parameter int NBlocks      = 1,
  parameter int IRetireWidth = 7,
  parameter int IcntBits     = 22,
  parameter int HistBits     = 32,
  parameter int FifoDepth    = 16,
  parameter int OutBytes     = 8,
  parameter int StackDepth   = 8,
  parameter int RepeatBits   = 18,
  parameter int TsWidth      = 64,
  parameter int NFilters     = 2,
  parameter int NComps       = 2,
  parameter bit RatifiedEn   = 1'b1,
  parameter bit Rc7En        = 1'b1,
  // Derived, do not set.
  parameter int NMsg         = ntrace_state_pkg::LaneSlots*NBlocks + 1,
  parameter int DescWidth    = ntrace_pkg::FixedBits + ntrace_pkg::Var0Bits + Xlen - 1 + HistBits + TsWidth
) (
  input logic                             clk_i,
  input logic                             rst_ni,

  input logic                             enable_i,
  input logic                             halted_i,
  input logic                             in_reset_i,
  input logic                             low_power_i,
  input logic [5:0]                       vendor_tcode_i,
  input logic [2:0]                       inst_mode_i,
  input logic                             stall_ena_i,
  input logic                             rc7_i,
  input logic                             btype_ext_i,
  input logic [3:0]                       src_bits_i,
  input logic [11:0]                      src_id_i,
  input logic                             inhibit_src_i,
  input logic                             ts_enable_i,
  input logic                             context_ena_i,
  input logic                             hcontext_ena_i,
  input logic                             extend_addr_msb_i,
  input logic [1:0]                       implicit_return_i,
  input logic                             repeated_history_i,
  input logic                             repeat_branch_i,
  input logic                             sequential_jump_i,
  input logic                             all_jumps_i,
  input logic [15:0]                      filters_i,

  input logic [NBlocks*4-1:0]             ing_itype_i,
  input logic [NBlocks*Xlen-1:0]          ing_iaddr_i,
  input logic [NBlocks*IRetireWidth-1:0]  ing_iretire_i,
  input logic [NBlocks-1:0]               ing_ilastsize_i,
  input logic                             ing_ready_o,

  input logic                             drop_o,
  input logic                             empty_o,
  input logic                             overflow_o,

  input logic                             out_valid_o,
  input logic [$clog2(OutBytes+1)-1:0]    out_nbytes_o,
  input logic [8*OutBytes-1:0]            out_data_o,
  input logic                             out_ready_i,

  // Inside ntrace_encoder.
  input logic [NMsg-1:0]                  msg_valid,
  input logic [NMsg*DescWidth-1:0]        msg,
  input logic [$clog2(FifoDepth+1)-1:0]   count,
  input logic                             lost
);

  // Parameters.
  initial begin
    assert (Xlen == 32 || Xlen == 64) else $error("Xlen is %0d: set 32 or 64", Xlen);
    assert (NBlocks == 1 || NBlocks == 2) else $error("NBlocks is %0d: set 1 or 2", NBlocks);
    assert (IcntBits <= 22 && IcntBits > IRetireWidth)
      else $error("IcntBits is %0d: set IRetireWidth+1 (%0d) to 22", IcntBits, IRetireWidth + 1);
    assert (HistBits >= 4 && HistBits <= 32) else $error("HistBits is %0d: set 4 to 32", HistBits);
    assert (FifoDepth >= NMsg && (FifoDepth & (FifoDepth - 1)) == 0)
      else $error("FifoDepth is %0d: set a power of two from %0d", FifoDepth, NMsg);
    assert (OutBytes >= 1) else $error("OutBytes is %0d: set 1 or more", OutBytes);
    assert (StackDepth >= 0 && StackDepth <= 32) else $error("StackDepth is %0d: set 0 to 32", StackDepth);
    assert (RepeatBits >= 2 && RepeatBits <= 18) else $error("RepeatBits is %0d: set 2 to 18", RepeatBits);
    assert (TsWidth >= 8 && TsWidth <= 64) else $error("TsWidth is %0d: set 8 to 64", TsWidth);
    assert (RatifiedEn || Rc7En) else $error("RatifiedEn and Rc7En are both 0: one variant has to be built");
    assert (NFilters >= 1 && NFilters <= 16) else $error("NFilters is %0d: set 1 to 16", NFilters);
    assert (NComps >= 1 && NComps <= 8) else $error("NComps is %0d: set 1 to 8", NComps);
  end

  // The driver: ingress port.
  for (genvar k = 0; k < NBlocks; k++) begin : gen_lane
    logic [IRetireWidth-1:0] iretire;
    logic                    block;
    assign iretire = ing_iretire_i[IRetireWidth*k +: IRetireWidth];
    assign block   = (iretire != '0) || trace_pkg::is_trap(ing_itype_i[4*k +: 4]);

    HaltedNoBlock: assert property (@(posedge clk_i) disable iff (!rst_ni)
                                    halted_i || in_reset_i || low_power_i |-> !block)
      else $error("lane %0d has a block while the hart is halted, in reset or asleep: it retires nothing then", k);
    LastSizeFits: assert property (@(posedge clk_i) disable iff (!rst_ni)
                                   (iretire != '0) && ing_ilastsize_i[k] |-> iretire >= 2)
      else $error("lane %0d: iretire is 1 but ilastsize says the last instruction has two half-words", k);
    IaddrEven: assert property (@(posedge clk_i) disable iff (!rst_ni) block |-> !ing_iaddr_i[Xlen*k])
      else $error("lane %0d: iaddr is odd", k);
  end

  ModeStable: assert property (@(posedge clk_i) disable iff (!rst_ni)
                               enable_i && $past(enable_i) |-> $stable(inst_mode_i))
    else $error("inst_mode_i changed while enable_i is 1: clear enable_i first");
  ModeKnown: assert property (@(posedge clk_i) disable iff (!rst_ni)
                              enable_i |-> (inst_mode_i == 3'd3) || (inst_mode_i == 3'd6))
    else $error("inst_mode_i is %0d with enable_i set: 3 is BTM, 6 is HTM", inst_mode_i);


  logic [25:0] options;
  assign options = {rc7_i, btype_ext_i, context_ena_i, hcontext_ena_i, implicit_return_i, repeated_history_i, repeat_branch_i,
                    sequential_jump_i, all_jumps_i, filters_i};
  OptionsStable: assert property (@(posedge clk_i) disable iff (!rst_ni)
                                  enable_i && $past(enable_i) |-> $stable(options))
    else $error("an option changed while enable_i is 1: clear enable_i first");
  LayoutStable: assert property (@(posedge clk_i) disable iff (!rst_ni)
                                 !empty_o && !$past(empty_o) |->
                                 $stable({src_bits_i, src_id_i, inhibit_src_i, ts_enable_i, extend_addr_msb_i}))
    else $error("SRC, TSTAMP or address extension changed while empty_o is 0: wait for trTeEmpty first");
  VendorTcode: assert property (@(posedge clk_i) disable iff (!rst_ni)
                                (vendor_tcode_i == '0) || ntrace_pkg::is_vendor(vendor_tcode_i))
    else $error("vendor_tcode_i is %0d: give 56 to 62, or 0 for none", vendor_tcode_i);

  // The encoder: accepting beats.
  ReadyOrStall: assert property (@(posedge clk_i) disable iff (!rst_ni) !ing_ready_o |-> stall_ena_i);
  DropIsTaken: assert property (@(posedge clk_i) disable iff (!rst_ni)
                                drop_o |-> ing_ready_o && !stall_ena_i);
  StallLosesNothing: assert property (@(posedge clk_i) disable iff (!rst_ni)
                                      overflow_o |-> $past(drop_o));
  LossIsOwed: assert property (@(posedge clk_i) disable iff (!rst_ni) overflow_o |-> lost);

  // The encoder: the queue never overflows, and Empty tells the truth.
  FifoRoom: assert property (@(posedge clk_i) disable iff (!rst_ni)
                             $countones(msg_valid) + 32'(count) <= FifoDepth);
  EmptyIsQuiet: assert property (@(posedge clk_i) disable iff (!rst_ni)
                                 empty_o |-> !out_valid_o && count == '0 && msg_valid == '0);

  // The encoder: after an Error comes a message with SYNC (NT-14).
  logic error_last_q;
  logic [NMsg:0] error_before;
  assign error_before[0] = error_last_q;
  for (genvar k = 0; k < NMsg; k++) begin : gen_msg
    logic [5:0] tcode;
    assign tcode             = msg[DescWidth*k + ntrace_layout_pkg::MessageTcode +: 6];
    assign error_before[k+1] = msg_valid[k] ? (tcode == ntrace_pkg::TcodeError) : error_before[k];
    ErrorThenSync: assert property (@(posedge clk_i) disable iff (!rst_ni)
                                    msg_valid[k] && error_before[k] |-> ntrace_pkg::has_sync(tcode))
      else $error("TCODE %0d follows an Error", tcode);
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) error_last_q <= 1'b0;
    else         error_last_q <= error_before[NMsg];
  end

  // The encoder: byte stream.
  OutStable: assert property (@(posedge clk_i) disable iff (!rst_ni)
                              out_valid_o && !out_ready_i |=>
                              out_valid_o && $stable(out_nbytes_o) && $stable(out_data_o));
  OutCount: assert property (@(posedge clk_i) disable iff (!rst_ni)
                             out_valid_o == (out_nbytes_o != '0) && 32'(out_nbytes_o) <= OutBytes);

  // Bytes of the word that end a message (MSEO 11) and bytes with the reserved MSEO 10.
  logic [OutBytes-1:0] ends, reserved;
  for (genvar k = 0; k < OutBytes; k++) begin : gen_byte
    assign ends[k]     = (out_data_o[8*k +: 2] == 2'b11);
    assign reserved[k] = (out_data_o[8*k +: 2] == 2'b10);
    OutUnusedZero: assert property (@(posedge clk_i) disable iff (!rst_ni)
                                    k >= 32'(out_nbytes_o) |-> out_data_o[8*k +: 8] == 8'h00);
    // A message ends with its word, so only the last byte can end one.
    OutEndLast: assert property (@(posedge clk_i) disable iff (!rst_ni)
                                 ends[k] |-> 32'(out_nbytes_o) == k + 1);
  end
  OutNoReserved: assert property (@(posedge clk_i) disable iff (!rst_ni) reserved == '0);
  OutShortEnds: assert property (@(posedge clk_i) disable iff (!rst_ni)
                                 out_valid_o && 32'(out_nbytes_o) < OutBytes |-> ends != '0);

  // What has to be reached for the assertions above to mean something.
  CoverDrop: cover property (@(posedge clk_i) disable iff (!rst_ni) drop_o);
  CoverStall: cover property (@(posedge clk_i) disable iff (!rst_ni) !ing_ready_o);
  CoverOverflow: cover property (@(posedge clk_i) disable iff (!rst_ni) overflow_o);
  CoverBurst: cover property (@(posedge clk_i) disable iff (!rst_ni) $countones(msg_valid) > NBlocks);
  CoverLane: cover property (@(posedge clk_i) disable iff (!rst_ni) &msg_valid[ntrace_state_pkg::LaneSlots-1:0]);

endmodule

bind ntrace_encoder ntrace_assert #(
  .Xlen         (Xlen),
  .NBlocks      (NBlocks),
  .IRetireWidth (IRetireWidth),
  .IcntBits     (IcntBits),
  .HistBits     (HistBits),
  .FifoDepth    (FifoDepth),
  .OutBytes     (OutBytes),
  .StackDepth   (StackDepth),
  .RepeatBits   (RepeatBits),
  .TsWidth      (TsWidth),
  .NFilters     (NFilters),
  .NComps       (NComps),
  .RatifiedEn   (RatifiedEn),
  .Rc7En        (Rc7En)
) u_assert (.*);
