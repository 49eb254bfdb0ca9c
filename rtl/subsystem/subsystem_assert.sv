// SPDX-License-Identifier: Apache-2.0
// Assertions on the subsystem, for Verilator (run with --assert); bound to every instance of trace_subsystem.
//
// The first groups hold the parameters and the hart to the rules of docs/reference/rtl-subsystem.md, the last holds the units to one another: everybody
// takes the same cycles.
module subsystem_assert
#(
  parameter int Xlen         = 64,
  parameter int NRet         = 1,
  parameter int IRetireWidth = 7
) (
  input logic                    clk_i,
  input logic                    rst_ni,

  input logic                    ret_ready_o,
  input logic [NRet-1:0]         ret_valid_i,
  input logic [NRet-1:0]         ret_reported_i,
  input logic [NRet*4-1:0]       ret_itype_i,
  input logic [NRet*Xlen-1:0]    ret_pc_i,
  input logic [NRet*3-1:0]       ret_mode_i,
  input logic [NRet*32-1:0]      ret_context_i,
  input logic                    hart_halted_i,
  input logic                    hart_in_reset_i,
  input logic                    hart_low_power_i,

  // Inside.
  input logic                    ntrace_ready,
  input logic                    etrace_ready,
  input logic                    tandem_ready,
  input logic                    tandem_enable,
  input logic [NRet-1:0]         tandem_take,
  input logic [NRet*4-1:0]       ing_itype,
  input logic [NRet*IRetireWidth-1:0] ing_iretire,
  input logic [NRet-1:0]         xfer_valid,
  input logic [3:0]              retired
);

  initial begin
    assert (Xlen == 32 || Xlen == 64) else $error("Xlen is %0d: set 32 or 64", Xlen);
    assert (NRet == 1 || NRet == 2) else $error("NRet is %0d: set 1 or 2", NRet);
  end

  // The hart.
  logic [NRet-1:0] reported, traps, offered_q, reported_q;
  logic            stopped;
  logic [NRet*Xlen-1:0] pc_q;
  assign reported = ret_valid_i & ret_reported_i;
  assign stopped = hart_halted_i || hart_in_reset_i || hart_low_power_i;
  for (genvar k = 0; k < NRet; k++) begin : gen_slot
    logic [3:0] itype;
    assign itype    = ret_itype_i[4*k +: 4];
    assign traps[k] = reported[k] && trace_pkg::is_trap(itype);
    PcStays: assert property (@(posedge clk_i) disable iff (!rst_ni)
                              offered_q[k] |-> ret_pc_i[Xlen*k +: Xlen] == pc_q[Xlen*k +: Xlen])
      else $error("slot %0d changed before it was taken", k);
    KnownItype: assert property (@(posedge clk_i) disable iff (!rst_ni)
                                 reported[k] |-> (itype != trace_pkg::ItypeUninfJump) && (itype != trace_pkg::ItypeReserved))
      else $error("slot %0d has itype %0d, which is no itype of four bits", k, itype);
  end
  if (NRet > 1) begin : gen_two
    OlderFirst: assert property (@(posedge clk_i) disable iff (!rst_ni) ret_valid_i[NRet-1] |-> ret_valid_i[0])
      else $error("slot 1 has a row and slot 0 has none");
    OneMode: assert property (@(posedge clk_i) disable iff (!rst_ni) &reported |->
                              (ret_mode_i[2:0] == ret_mode_i[3*(NRet-1) +: 3]) && (ret_context_i[31:0] == ret_context_i[32*(NRet-1) +: 32]))
      else $error("two slots that are reported in one cycle have different modes or contexts");
    TrapLast: assert property (@(posedge clk_i) disable iff (!rst_ni) traps[0] |-> !reported[NRet-1])
      else $error("something is reported after a trap in its cycle");
  end else begin : gen_one
    logic unused_alone;
    assign unused_alone = ^{ret_mode_i, ret_context_i};
  end
  StoppedIsStopped: assert property (@(posedge clk_i) disable iff (!rst_ni) stopped |-> reported == '0)
    else $error("the hart retires or traps in Debug Mode, in reset or asleep");
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) offered_q <= '0;
    else         offered_q <= ret_ready_o ? '0 : ret_valid_i;
  end
  always_ff @(posedge clk_i) begin
    reported_q <= reported;
    pc_q   <= ret_pc_i;
  end
  RowStays: assert property (@(posedge clk_i) disable iff (!rst_ni)
                             offered_q != '0 |-> (ret_valid_i == offered_q) && (reported == reported_q))
    else $error("a row changed before it was taken");

  // Who takes what: a cycle that somebody cannot take looks empty to all.
  logic [NRet-1:0] blocks;
  for (genvar k = 0; k < NRet; k++) begin : gen_block
    assign blocks[k] = (ing_iretire[IRetireWidth*k +: IRetireWidth] != '0) || trace_pkg::is_trap(ing_itype[4*k +: 4]);
  end
  NobodyAlone: assert property (@(posedge clk_i) disable iff (!rst_ni)
                                !ret_ready_o |-> (blocks == '0) && (tandem_take == '0) && (xfer_valid == '0) && (retired == 4'd0));
  EverybodyReady: assert property (@(posedge clk_i) disable iff (!rst_ni)
                                   ret_ready_o |-> ntrace_ready && etrace_ready && (tandem_ready || !tandem_enable));
  AllBlocks: assert property (@(posedge clk_i) disable iff (!rst_ni) ret_ready_o |-> $countones(blocks) == $countones(reported));
  AllRetired: assert property (@(posedge clk_i) disable iff (!rst_ni) ret_ready_o |-> {28'd0, retired} == $countones(reported & ~traps));

  // What has to be reached for the assertions above to mean something.
  CoverNtraceWaits: cover property (@(posedge clk_i) disable iff (!rst_ni) reported != '0 && !ntrace_ready && etrace_ready && tandem_ready);
  CoverEtraceWaits: cover property (@(posedge clk_i) disable iff (!rst_ni) reported != '0 && ntrace_ready && !etrace_ready && tandem_ready);
  CoverTandemWaits: cover property (@(posedge clk_i) disable iff (!rst_ni) reported != '0 && ntrace_ready && etrace_ready && !tandem_ready);

endmodule

bind trace_subsystem subsystem_assert #(
  .Xlen         (Xlen),
  .NRet         (NRet),
  .IRetireWidth (IRetireWidth)
) u_assert (.*);
