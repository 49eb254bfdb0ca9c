// SPDX-License-Identifier: Apache-2.0
// Plays descriptors (+in, one hex line each) into etrace_packer and writes every packet that was taken to +out:
// cycle, length, payload, start, time. +ready is the chance in percent that a packet is taken.
module bench_etrace_packer #(
  parameter int IAddressWidth   = 64,
  parameter int IAddressLsb     = 1,
  parameter int ContextWidth    = 32,
  parameter bit NoContext       = 0,
  parameter int TimeWidth       = 32,
  parameter bit NoTime          = 1,
  parameter int PrivilegeWidth  = 3,
  parameter int EcauseWidth     = 6,
  parameter bit NoTval          = 0,
  parameter int CacheSize       = 5,
  parameter int CallCounterSize = 0,
  parameter int ReturnStackSize = 4,
  parameter int F0sWidth        = 1,
  parameter int EncoderModeN    = 1,
  parameter int IOptionsN       = 6,
  parameter int DOptionsN       = 0
);
  localparam int DescWidth = 221 + 2 * IAddressWidth;

  logic                     clk = 0, rst_n = 1, desc_valid = 0, desc_ready, pkt_valid, pkt_start, pkt_ready = 0, empty;
  logic [DescWidth-1:0]     desc = 0;
  logic [2:0]               kind, privilege;
  logic                     draft, branch, interrupt, thaddr, ienable, notify, updiscon, irreport, counting, fail, hit;
  logic [5:0]               options;
  logic [1:0]               qual, pkt_type;
  logic [7:0]               irdepth, ecause;
  logic [31:0]              count, context_id;
  logic [4:0]               branches, pkt_length;
  logic [30:0]              map;
  logic [9:0]               index;
  logic [IAddressWidth-1:0] addr, tval;
  logic [63:0]              now;
  logic [247:0]             pkt_payload;
  logic [15:0]              pkt_time;
  logic [271:0]             held = 0;
  logic                     waiting = 0, taken;
  int                       ready = 100, fin, fout, cycle = 0, idle = 0, given;
  string                    name;

  assign {kind, draft, options, branch, interrupt, thaddr, ienable, qual, notify, updiscon, irreport, irdepth, counting, fail,
          count, branches, map, privilege, ecause, hit, index, addr, tval, context_id, now} = desc;

  etrace_packer #(
    .IAddressWidth(IAddressWidth), .IAddressLsb(IAddressLsb), .ContextWidth(ContextWidth), .NoContext(NoContext),
    .TimeWidth(TimeWidth), .NoTime(NoTime), .PrivilegeWidth(PrivilegeWidth), .EcauseWidth(EcauseWidth), .NoTval(NoTval),
    .CacheSize(CacheSize), .CallCounterSize(CallCounterSize), .ReturnStackSize(ReturnStackSize), .F0sWidth(F0sWidth),
    .EncoderModeN(EncoderModeN), .IOptionsN(IOptionsN), .DOptionsN(DOptionsN)
  ) u_dut (
    .clk_i(clk), .rst_ni(rst_n), .desc_valid_i(desc_valid), .desc_ready_o(desc_ready), .kind_i(kind), .draft_i(draft),
    .options_i(options), .branch_i(branch), .interrupt_i(interrupt), .thaddr_i(thaddr), .ienable_i(ienable), .qual_i(qual),
    .notify_i(notify), .updiscon_i(updiscon), .irreport_i(irreport), .irdepth_i(irdepth), .counting_i(counting),
    .fail_i(fail), .count_i(count), .branches_i(branches), .map_i(map), .privilege_i(privilege), .ecause_i(ecause),
    .cache_hit_i(hit), .cache_index_i(index), .addr_i(addr), .tval_i(tval), .context_i(context_id), .time_i(now),
    .pkt_valid_o(pkt_valid), .pkt_type_o(pkt_type), .pkt_length_o(pkt_length), .pkt_payload_o(pkt_payload),
    .pkt_start_o(pkt_start), .pkt_time_o(pkt_time), .pkt_ready_i(pkt_ready), .empty_o(empty)
  );

  task automatic next;
    desc_valid = ($fscanf(fin, "%h", desc) == 1);
    if (!desc_valid) desc = {DescWidth{1'b1}};
  endtask

  initial begin
    given = $value$plusargs("ready=%d", ready);
    given = $value$plusargs("in=%s", name);
    fin = $fopen(name, "r");
    given = $value$plusargs("out=%s", name);
    fout = $fopen(name, "w");
    #1 rst_n = 0;
    #1 rst_n = 1;
    next();
    while (idle < 20) begin
      pkt_ready = ($urandom_range(99) < ready);
      #1;
      if (waiting && !(pkt_valid && held == {pkt_type, pkt_length, pkt_start, pkt_time, pkt_payload}))
        $fdisplay(fout, "%0d changed", cycle);
      waiting = pkt_valid && !pkt_ready;
      held    = {pkt_type, pkt_length, pkt_start, pkt_time, pkt_payload};
      if (pkt_valid && empty) $fdisplay(fout, "%0d not empty", cycle);
      if (pkt_valid && pkt_ready)
        $fdisplay(fout, "%0d %0d %h %0d %h %0d", cycle, pkt_length, pkt_payload, pkt_start, pkt_time, pkt_type);
      idle = (!empty || desc_valid) ? 0 : idle + 1;
      // The clock edge, with the descriptor still there; then the next one if it was taken.
      taken = desc_valid && desc_ready;
      clk = 1;
      #1;
      if (taken) next();
      clk = 0;
      cycle = cycle + 1;
    end
    $finish;
  end
endmodule
