// SPDX-License-Identifier: Apache-2.0
// ACME BTM: a small N-Trace encoder, as a vendor would bring it. Branch Trace Messages, one block a cycle.
//
// Nothing of it is like the reference encoder: reset is high, a block comes with a request, tracing is one switch, and the trace
// leaves in beats of four bytes, each message filled up with idle bytes (0xFF). It never loses a message: it stalls the hart.
module acme_btm
#(
  parameter int AddrW  = 64,
  parameter int CountW = 7,   // half-words of one block
  parameter int Depth  = 8    // messages in the queue
) (
  input  logic              clock,
  input  logic              reset,

  input  logic              trace_enable,
  input  logic              trace_on,
  input  logic              debug_mode,
  input  logic              hart_reset,
  input  logic              hart_sleeps,

  // A block, taken if block_stall is 0.
  input  logic              block_req,
  input  logic [3:0]        block_type,   // itype of the ingress port
  input  logic [AddrW-1:0]  block_pc,
  input  logic [CountW-1:0] block_halves, // half-words that retired
  output logic              block_stall,

  // Trace: beats of four bytes, the first in the low bits.
  output logic              tr_req,
  output logic [31:0]       tr_beat,
  input  logic              tr_ack,
  output logic              tr_idle       // nothing is left to send
);

  localparam int IcntW  = 16;
  localparam int AW     = AddrW - 1;           // bit 0 of an address is not sent
  localparam int DescW  = 6 + 6 + 3 + IcntW + AW + 1;
  localparam int PtrW   = $clog2(Depth);
  localparam int Bytes1 = (12 + IcntW + 5) / 6;  // TCODE, fixed fields, I-CNT
  localparam int Bytes2 = (AW + 5) / 6;          // an address
  localparam int Beats  = (Bytes1 + Bytes2 + 3) / 4;

  localparam logic [5:0] DirectBranch = 6'd3, IndirectBranch = 6'd4, ProgTraceSync = 6'd9, ResourceFull = 6'd27,
                         ProgTraceCorrelation = 6'd33;

  // A message as the queue holds it: {has an address, address, I-CNT, bits of fixed fields, fixed fields, TCODE}.
  function automatic logic [DescW-1:0] message(
    input logic [5:0] tcode, input logic [5:0] fixed, input logic [2:0] nfixed, input logic [IcntW-1:0] icnt,
    input logic has_addr, input logic [AW-1:0] addr);
    message = {has_addr, addr, icnt, nfixed, fixed, tcode};
  endfunction

  // --- What is traced --------------------------------------------------------------------------------------

  typedef enum logic [1:0] {None, Direct, Indirect, Reset} pend_e;

  pend_e            pend_q, pend_d;
  logic [1:0]       btype_q, btype_d;
  logic             on_q, debug_q, reset_q, sleeps_q, enable_q, start_q, start_d;
  logic [3:0]       sync_q, sync_d;
  logic [IcntW-1:0] icnt_q, icnt_d, halves;
  logic [AW-1:0]    ref_q, ref_d, pc;
  logic             tracing, rose, fell, room, take, hidden;
  logic [1:0]       push;          // two messages at most
  logic [DescW-1:0] first, second;
  logic [IcntW-1:0] told;

  assign tracing     = trace_enable && trace_on && !debug_mode && !hart_sleeps;
  assign hidden      = trace_enable && enable_q && !trace_on && !on_q && debug_mode && !debug_q;  // the hart halts while tracing is off
  assign rose        = tracing && !on_q;
  assign fell        = !tracing && on_q;
  assign block_stall = !room;
  assign take        = block_req && room && tracing;
  assign pc          = block_pc[AddrW-1:1];
  assign halves      = {{(IcntW-CountW){1'b0}}, block_halves};

  always_comb begin
    pend_d  = pend_q;
    btype_d = btype_q;
    start_d = start_q || rose;
    sync_d  = rose ? (debug_q ? 4'd3 : sleeps_q ? 4'd9 : reset_q ? 4'd1 : 4'd5) : sync_q;
    icnt_d  = icnt_q;
    ref_d   = ref_q;
    push    = 2'b00;
    first   = '0;
    second  = '0;
    told    = icnt_q;
    if (hidden && room) begin
      push[0] = 1'b1;
      first   = message(ProgTraceCorrelation, 6'd0, 3'd6, '0, 1'b0, '0);
    end else if (fell && room) begin
      if (pend_q == Direct) begin
        push[0] = 1'b1;
        first   = message(DirectBranch, 6'd0, 3'd0, icnt_q, 1'b0, '0);
        told    = '0;
      end
      push[1] = 1'b1;
      second  = message(ProgTraceCorrelation, {2'd0, debug_mode && !debug_q ? 4'd0 : hart_sleeps && !sleeps_q ? 4'd1 : 4'd4}, 3'd6, told, 1'b0, '0);
      pend_d  = None;
      icnt_d  = '0;
      start_d = 1'b0;
    end else if (tracing && hart_reset && !reset_q && on_q && room) begin
      // A traced hart is reset: what it does next is told by a sync. No block comes in this cycle.
      if (start_q) begin
        sync_d  = 4'd1;
      end else begin
        push[0] = (pend_q == Direct);
        first   = message(DirectBranch, 6'd0, 3'd0, icnt_q, 1'b0, '0);
        icnt_d  = push[0] ? '0 : icnt_q;
        pend_d  = Reset;
      end
    end else if (take) begin
      // What the block before left open, now that the address behind it is known.
      if (start_d) begin
        push[0] = 1'b1;
        first   = message(ProgTraceSync, {2'd0, sync_d}, 3'd4, '0, 1'b1, pc);
        ref_d   = pc;
        icnt_d  = '0;
        start_d = 1'b0;
      end else if (pend_q == Reset) begin
        push[0] = 1'b1;
        first   = message(ProgTraceSync, 6'd1, 3'd4, icnt_q, 1'b1, pc);
        ref_d   = pc;
        icnt_d  = '0;
      end else if (pend_q == Indirect) begin
        push[0] = 1'b1;
        first   = message(IndirectBranch, {4'd0, btype_q}, 3'd2, icnt_q, 1'b1, pc ^ ref_q);
        ref_d   = pc;
        icnt_d  = '0;
      end else if (pend_q == Direct) begin
        push[0] = 1'b1;
        first   = message(DirectBranch, 6'd0, 3'd0, icnt_q, 1'b0, '0);
        icnt_d  = '0;
      end
      icnt_d  = icnt_d + halves;
      btype_d = (block_type == 4'd1) ? 2'd2 : (block_type == 4'd2) ? 2'd3 : 2'd0;
      case (block_type)
        4'd1, 4'd2, 4'd3, 4'd6, 4'd8, 4'd10, 4'd12, 4'd13, 4'd14: pend_d = Indirect;
        4'd5:                                                     pend_d = Direct;
        default:                                                  pend_d = None;
      endcase
      if ((pend_d == None) && icnt_d[IcntW-1]) begin
        push[1] = 1'b1;
        second  = message(ResourceFull, 6'd0, 3'd4, icnt_d, 1'b0, '0);
        icnt_d  = '0;
      end
    end
  end

  always_ff @(posedge clock or posedge reset) begin
    if (reset) begin
      pend_q  <= None;
      btype_q <= '0;
      start_q <= 1'b0;
      sync_q  <= '0;
      icnt_q  <= '0;
      ref_q   <= '0;
      on_q     <= 1'b0;
      debug_q  <= 1'b0;
      reset_q  <= 1'b0;
      sleeps_q <= 1'b0;
      enable_q <= 1'b0;
    end else if (room) begin
      pend_q  <= pend_d;
      btype_q <= btype_d;
      start_q <= start_d;
      sync_q  <= sync_d;
      icnt_q  <= icnt_d;
      ref_q   <= ref_d;
      on_q     <= tracing;
      debug_q  <= debug_mode;
      reset_q  <= hart_reset;
      sleeps_q <= hart_sleeps;
      enable_q <= trace_enable;
    end
  end

  // --- Queue -----------------------------------------------------------------------------------------------

  logic [DescW-1:0] queue [Depth];
  logic [PtrW-1:0]  head_q, tail_q, tail_1;
  logic [PtrW:0]    held_q;
  logic             pop;

  localparam logic [PtrW:0] Limit = Depth[PtrW:0] - 2;

  assign room   = (held_q <= Limit);
  assign tail_1 = tail_q + {{(PtrW-1){1'b0}}, push[0]};

  always_ff @(posedge clock) begin
    if (push[0]) queue[tail_q] <= first;
    if (push[1]) queue[tail_1] <= second;
  end

  always_ff @(posedge clock or posedge reset) begin
    if (reset) begin
      head_q <= '0;
      tail_q <= '0;
      held_q <= '0;
    end else begin
      if (pop) head_q <= head_q + 1'b1;
      tail_q <= tail_1 + {{(PtrW-1){1'b0}}, push[1]};
      held_q <= held_q + {{PtrW{1'b0}}, push[0]} + {{PtrW{1'b0}}, push[1]} - {{PtrW{1'b0}}, pop};
    end
  end

  // --- From the message to bytes and beats --------------------------------------------------------------------

  logic [DescW-1:0]           desc;
  logic [6*Bytes1-1:0]        part1;
  logic [6*Bytes2-1:0]        part2;
  logic [4:0]                 n1, n2;     // bytes of each part
  logic                       has_addr;
  logic [8*(4*Beats)-1:0]     bytes;
  logic [2:0]                 beat_q, last_beat;
  logic [IcntW+11:0]          header;

  assign desc     = queue[head_q];
  assign has_addr = desc[DescW-1];
  // I-CNT follows the fixed fields at once.
  assign header   = {{12{1'b0}}, desc[15 +: IcntW]} << desc[14:12];
  assign part1    = (6*Bytes1)'({header | {{(IcntW+6){1'b0}}, desc[11:6]}, desc[5:0]});
  assign part2    = (6*Bytes2)'(desc[15+IcntW +: AW]);

  always_comb begin
    n1 = 5'd1;
    for (int k = 1; k < Bytes1; k++) begin
      if (part1[6*k +: 6] != 6'd0) n1 = 5'(k) + 5'd1;
    end
    // A variable field has one bit at least: fixed fields that fill their bytes leave it one of its own.
    if (desc[14:12] == 3'd0 && n1 < 5'd2) n1 = 5'd2;
    if (desc[14:12] != 3'd0 && n1 < ((desc[14:12] == 3'd6) ? 5'd3 : 5'd2)) n1 = (desc[14:12] == 3'd6) ? 5'd3 : 5'd2;
    n2 = 5'd1;
    for (int k = 1; k < Bytes2; k++) begin
      if (part2[6*k +: 6] != 6'd0) n2 = 5'(k) + 5'd1;
    end
    if (!has_addr) n2 = 5'd0;
    // MSEO in bits 1:0: 0 within, 1 at the end of a field, 3 at the end of the message; idle is 0xFF.
    bytes = {(4*Beats){8'hFF}};
    for (int k = 0; k < Bytes1; k++) begin
      if (5'(k) < n1) bytes[8*k +: 8] = {part1[6*k +: 6], (5'(k) != n1 - 5'd1) ? 2'd0 : has_addr ? 2'd1 : 2'd3};
    end
    for (int k = 0; k < Bytes2; k++) begin
      if (5'(k) < n2) bytes[8*(k+n1) +: 8] = {part2[6*k +: 6], (5'(k) != n2 - 5'd1) ? 2'd0 : 2'd3};
    end
  end

  logic [4:0] last_byte;
  assign last_byte = n1 + n2 - 5'd1;
  assign last_beat = last_byte[4:2];
  assign tr_req    = (held_q != '0);
  assign tr_beat   = bytes[32*beat_q +: 32];
  assign pop       = tr_req && tr_ack && (beat_q == last_beat);
  assign tr_idle   = (held_q == '0) && !on_q && !tracing;

  always_ff @(posedge clock or posedge reset) begin
    if (reset)                  beat_q <= '0;
    else if (tr_req && tr_ack)  beat_q <= pop ? '0 : beat_q + 3'd1;
  end

endmodule
