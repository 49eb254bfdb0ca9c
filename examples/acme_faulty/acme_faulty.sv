// SPDX-License-Identifier: Apache-2.0
// The encoder of ../acme_btm as somebody built it into a hart, with five faults. `make check DUT=acme_faulty` finds them; what its report
// says of each is in docs/how-to/attach-your-ip.md.
module acme_faulty
#(
  parameter int AddrW  = 64,
  parameter int CountW = 7
) (
  input  logic              clock,
  input  logic              reset,
  input  logic              trace_enable,
  input  logic              trace_on,
  input  logic              debug_mode,
  input  logic              hart_reset,
  input  logic              hart_sleeps,
  input  logic              block_req,
  input  logic [3:0]        block_type,
  input  logic [AddrW-1:0]  block_pc,
  input  logic [CountW-1:0] block_halves,
  output logic              block_stall,
  output logic              tr_req,
  output logic [31:0]       tr_beat,
  input  logic              tr_ack,
  output logic              tr_idle
);

  logic [3:0]        kind;
  logic [AddrW-1:0]  pc;
  logic [CountW-1:0] halves;
  logic              unused;

  always_comb begin
    kind = block_type;
    if (block_type == 4'd1) kind = 4'd2;  // 1: exceptions are told as interrupts
    if (block_type == 4'd8) kind = 4'd9;  // 2: a call through a register is taken for one whose target is known
    pc = block_pc;
    if (AddrW == 64) pc[AddrW-1:48] = '0; // 3: addresses are not sign-extended
    halves = block_halves;
    halves[CountW-1] = 1'b0;              // 4: the count of a long block loses its top bit
  end

  assign unused = hart_sleeps;  // 5: that the hart sleeps is not connected

  acme_btm #(.AddrW(AddrW), .CountW(CountW)) u_encoder (
    .clock, .reset, .trace_enable, .trace_on, .debug_mode, .hart_reset, .hart_sleeps(1'b0),
    .block_req, .block_type(kind), .block_pc(pc), .block_halves(halves), .block_stall,
    .tr_req, .tr_beat, .tr_ack, .tr_idle
  );

endmodule
