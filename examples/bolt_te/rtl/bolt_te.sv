// SPDX-License-Identifier: Apache-2.0
// Bolt TE: a small E-Trace 2.0 encoder, as a vendor would bring it. One instruction a cycle, delta addresses, no optional mode.
//
// It follows the branch trace algorithm of the specification: what is told of an instruction depends on the one before it and the one
// behind it, so each waits here until its successor is known. At most one packet comes of each. The packets leave as words of four bytes:
// a header byte {0, type, length}, the payload, and zeros up to the end of the last word. There is no queue: the hart waits for the words.
module bolt_te
#(
  parameter int AddrW  = 64,
  parameter int CauseW = 6
) (
  input  logic              clk,
  input  logic              rst_n,

  input  logic              te_enable,
  input  logic              te_qualify,    // what retires in this cycle is to be traced

  // The hart: an instruction, a trap, or an instruction and the trap behind it; taken if r_stall is 0.
  input  logic              r_valid,
  input  logic [3:0]        r_itype,
  input  logic              r_trap,
  input  logic [AddrW-1:1]  r_pc,          // of the instruction; EPC of a trap that comes alone
  input  logic [2:0]        r_priv,        // in which it happened
  input  logic              r_interrupt,
  input  logic [CauseW-1:0] r_cause,
  input  logic [AddrW-1:0]  r_tval,
  output logic              r_stall,

  // Packets. The first byte is in the low bits.
  output logic              w_valid,
  output logic [31:0]       w_data,
  input  logic              w_ready,

  output logic              idle           // nothing is left to send of what was taken, but what waits for a successor
);

  localparam int PcW   = AddrW - 1;        // bit 0 of an address is not sent
  localparam int TailW = PcW + 3;          // address, notify, updiscon, irreport
  localparam int Bits3 = 4 + 1 + 3 + CauseW + 2 + PcW + AddrW;
  localparam int Bits1 = 2 + 5 + 31 + TailW;
  localparam int Bytes = ((Bits3 > Bits1 ? Bits3 : Bits1) + 7) / 8;
  localparam int PayW  = 8 * Bytes;
  localparam int Words = (Bytes + 4) / 4;  // with the header

  localparam logic [1:0] NoChange = 2'd0, EndedRep = 2'd1, EndedNtr = 2'd3;

  // --- State -------------------------------------------------------------------------------------------------

  // The cycle of the hart that is looked at.
  logic             rec_q, enable_q, qual_q, insn_q, trap_q, intr_q;
  logic [3:0]       itype_q;
  logic [PcW-1:0]   pc_q;
  logic [2:0]       priv_q;
  logic [CauseW-1:0] cause_q;
  logic [AddrW-1:0] tval_q;

  // What waits for its successor, and what was before that.
  logic             cur_q;
  logic             cur_trap_q, cur_intr_q;
  logic [3:0]       cur_itype_q;
  logic [PcW-1:0]   cur_pc_q;
  logic [2:0]       cur_priv_q;
  logic [CauseW-1:0] cur_cause_q;
  logic [AddrW-1:0] cur_tval_q;

  logic             prev_q, prev_trap_q, prev_jump_q, prev_told_q, prev_intr_q;
  logic [2:0]       prev_priv_q;
  logic [CauseW-1:0] prev_cause_q;
  logic [AddrW-1:0] prev_tval_q;

  // Support packets.
  logic             on_q;                  // the enable that the decoder knows of
  logic             owed_q;                // trace has ended, and a support packet is to say so
  logic [1:0]       code_q;                // with this code

  // --- One cycle of the hart, and its steps ------------------------------------------------------------------

  typedef enum logic [2:0] {Idle, End, Support, Insn, Trap} step_e;

  step_e            step;
  logic             last, go, send;

  always_comb begin
    last = 1'b1;
    if (!rec_q) begin
      step = Idle;
    end else if (cur_q && !qual_q) begin
      step = End;
      last = 1'b0;
    end else if (owed_q || (enable_q != on_q)) begin
      step = Support;
      last = !(insn_q || trap_q);
    end else if (insn_q) begin
      step = Insn;
      last = !trap_q;
    end else if (trap_q) begin
      step = Trap;
    end else begin
      step = Idle;
    end
  end

  assign r_stall = rec_q && !(go && last);

  always_ff @(posedge clk or negedge rst_n) begin
    if (!rst_n) begin
      rec_q  <= 1'b0;
      insn_q <= 1'b0;
      trap_q <= 1'b0;
    end else if (!r_stall) begin
      rec_q  <= 1'b1;
      insn_q <= r_valid && te_enable && te_qualify;
      trap_q <= r_trap && te_enable && te_qualify;
    end else if (go && (step == Insn)) begin
      insn_q <= 1'b0;
    end
  end

  always_ff @(posedge clk or negedge rst_n) begin
    if (!rst_n) begin
      enable_q <= 1'b0;
      qual_q   <= 1'b0;
    end else if (!r_stall) begin
      enable_q <= te_enable;
      qual_q   <= te_enable && te_qualify;
    end
  end

  always_ff @(posedge clk) begin
    if (!r_stall) begin
      itype_q <= r_itype;
      pc_q    <= r_pc;
      priv_q  <= r_priv;
      intr_q  <= r_interrupt;
      cause_q <= r_cause;
      tval_q  <= r_tval;
    end
  end

  // --- What waits, and what was before it --------------------------------------------------------------------

  logic             treat;                 // its successor is known
  logic             trap_told;             // it is a trap, and told before its handler runs

  assign treat = cur_q && ((step == End) || (step == Insn) || (step == Trap));

  // Jumps whose target is not in the program.
  function automatic logic uninferable(input logic [3:0] itype);
    case (itype)
      4'd3, 4'd6, 4'd8, 4'd10, 4'd12, 4'd13, 4'd14: uninferable = 1'b1;
      default:                                      uninferable = 1'b0;
    endcase
  endfunction

  always_ff @(posedge clk or negedge rst_n) begin
    if (!rst_n) begin
      cur_q  <= 1'b0;
      prev_q <= 1'b0;
    end else if (go && (step == End)) begin
      cur_q  <= 1'b0;
      prev_q <= 1'b0;
    end else if (go && ((step == Insn) || (step == Trap))) begin
      cur_q  <= 1'b1;
      prev_q <= cur_q;
    end
  end

  always_ff @(posedge clk) begin
    if (go && ((step == Insn) || (step == Trap))) begin
      cur_trap_q  <= (step == Trap);
      cur_itype_q <= itype_q;
      cur_pc_q    <= pc_q;
      cur_priv_q  <= priv_q;
      cur_intr_q  <= intr_q;
      cur_cause_q <= cause_q;
      cur_tval_q  <= tval_q;
      prev_trap_q <= cur_trap_q;
      prev_jump_q <= !cur_trap_q && uninferable(cur_itype_q);
      prev_told_q <= cur_trap_q && trap_told;
      prev_priv_q  <= cur_priv_q;
      prev_intr_q  <= cur_intr_q;
      prev_cause_q <= cur_cause_q;
      prev_tval_q  <= cur_tval_q;
    end
  end

  // --- What is told of it ------------------------------------------------------------------------------------

  logic             after_trap, after_jump, mode_next, is_branch, not_taken;
  logic             sync;                  // format 3 subformat 0, or 1 at the first instruction of a handler
  logic             trap_at;               // format 3 subformat 1 with thaddr = 0: for the trap before, or for this one
  logic             address, flag;         // formats 1 and 2; it is the target of a jump, and a format 3 follows
  logic             full;                  // format 1 without an address

  logic [4:0]       count_q, count;        // branches since the last packet
  logic [30:0]      map_q, map;
  logic [PcW-1:0]   told_pc_q;             // address told last

  assign after_trap = prev_q && prev_trap_q;
  assign after_jump = prev_q && prev_jump_q;
  assign mode_next  = (step == Insn) && (priv_q != cur_priv_q);
  assign is_branch  = (cur_itype_q == 4'd4) || (cur_itype_q == 4'd5);
  assign not_taken  = (cur_itype_q == 4'd4);

  assign sync      = !cur_trap_q && (!prev_q || prev_trap_q || (cur_priv_q != prev_priv_q));
  assign trap_at   = cur_trap_q && (!prev_q || after_jump || (prev_trap_q && !prev_told_q));
  assign trap_told = !prev_q || after_jump;

  always_comb begin
    count = count_q;
    map   = map_q;
    if (is_branch && !cur_trap_q && !sync) begin
      map[count_q] = not_taken;
      count        = count_q + 5'd1;
    end
  end

  assign address = !cur_trap_q && !sync &&
                   (after_jump || (step == Trap) || (step == End) || (mode_next && (count != 5'd0)));
  assign flag    = after_jump && ((step == Trap) || mode_next);
  assign full    = !cur_trap_q && !sync && !address && (count == 5'd31);

  always_ff @(posedge clk or negedge rst_n) begin
    if (!rst_n) begin
      count_q   <= 5'd0;
      map_q     <= '0;
      told_pc_q <= '0;
    end else if (go && treat) begin
      if (send) begin
        count_q <= 5'd0;
        map_q   <= '0;
      end else begin
        count_q <= count;
        map_q   <= map;
      end
      if (sync || address) told_pc_q <= cur_pc_q;
    end
  end

  always_ff @(posedge clk or negedge rst_n) begin
    if (!rst_n) begin
      on_q   <= 1'b0;
      owed_q <= 1'b0;
      code_q <= NoChange;
    end else if (go && (step == End)) begin
      owed_q <= 1'b1;
      code_q <= (!cur_trap_q && (sync || after_jump)) ? EndedNtr : EndedRep;
    end else if (go && (step == Support)) begin
      on_q   <= enable_q;
      owed_q <= 1'b0;
    end
  end

  // --- Its payload -------------------------------------------------------------------------------------------

  logic [PcW-1:0]   delta;
  logic [TailW-1:0] tail;
  logic [PayW-1:0]  wide_tail, format0, format1, format2, format31, support, payload;
  logic [5:0]       map_bits;              // length of the map
  logic             whose_intr, handler, branch_bit;
  logic [CauseW-1:0] whose_cause;
  logic [AddrW-1:0] whose_tval;
  logic [PcW-1:0]   trap_pc;

  // Status bits are told as the difference from the bit before. Nothing asks for an address (notify), no return is implicit (irreport).
  assign delta     = cur_pc_q - told_pc_q;
  assign tail      = {{2{delta[PcW-1] ^ flag}}, delta[PcW-1], delta};
  assign wide_tail = {{(PayW-TailW){tail[TailW-1]}}, tail};

  always_comb begin
    if (count == 5'd1)      map_bits = 6'd1;
    else if (count <= 5'd3)  map_bits = 6'd3;
    else if (count <= 5'd7)  map_bits = 6'd7;
    else if (count <= 5'd15) map_bits = 6'd15;
    else                     map_bits = 6'd31;
  end

  assign format1 = full ? {{(PayW-38){map[30]}}, map, 5'd0, 2'd1}
                        : (wide_tail << (6'd7 + map_bits)) | {{(PayW-38){1'b0}}, map, count, 2'd1};
  assign format2 = {wide_tail[PayW-3:0], 2'd2};

  // The trap that is told is the one before, unless that is none.
  assign whose_intr  = after_trap ? prev_intr_q : cur_intr_q;
  assign whose_cause = after_trap ? prev_cause_q : cur_cause_q;
  assign whose_tval  = after_trap ? prev_tval_q : cur_tval_q;
  assign handler     = !cur_trap_q;
  assign trap_pc     = (cur_trap_q && cur_intr_q) ? '0 : cur_pc_q;
  assign branch_bit  = cur_trap_q || (cur_itype_q != 4'd5);

  assign format0  = {{(PayW-PcW-8){cur_pc_q[PcW-1]}}, cur_pc_q, cur_priv_q, branch_bit, 4'b0011};
  assign format31 = {whose_intr ? {(PayW-PcW-CauseW-10){trap_pc[PcW-1]}}
                                : {{(PayW-Bits3){whose_tval[AddrW-1]}}, whose_tval},
                     trap_pc, handler, whose_intr, whose_cause, cur_priv_q, branch_bit, 4'b0111};
  // ienable, encoder_mode, qual_status, six ioptions, denable, dloss.
  assign support  = {{(PayW-8){1'b0}}, owed_q ? code_q : NoChange, 1'b0, enable_q, 4'b1111};

  always_comb begin
    send    = 1'b1;
    payload = support;
    if (step == Support)                                     payload = support;
    else if (!treat)                                         send = 1'b0;
    else if (trap_at || (sync && after_trap && !prev_told_q)) payload = format31;
    else if (sync)                                           payload = format0;
    else if (full || (address && (count != 5'd0)))           payload = format1;
    else if (address)                                        payload = format2;
    else                                                     send = 1'b0;
  end

  // --- Words -------------------------------------------------------------------------------------------------

  logic               pay_valid_q, done;
  logic [PayW-1:0]    pay_q;
  logic [4:0]         length;
  logic [2:0]         word_q;
  logic [32*Words-1:0] stream;

  assign go = !send || !pay_valid_q;

  // Bytes that repeat the sign are not sent.
  always_comb begin
    length = 5'd1;
    for (int k = 1; k < Bytes; k++) begin
      if (pay_q[8*k +: 8] != {8{pay_q[8*k-1]}}) length = 5'(k) + 5'd1;
    end
    stream      = '0;
    stream[7:0] = {1'b0, 2'd0, length};
    for (int k = 0; k < Bytes; k++) begin
      if (5'(k) < length) stream[8*k+8 +: 8] = pay_q[8*k +: 8];
    end
  end

  assign w_valid = pay_valid_q;
  assign w_data  = stream[32*word_q +: 32];
  assign done    = w_valid && w_ready && (word_q == length[4:2]);
  assign idle    = (step == Idle) && !pay_valid_q;

  always_ff @(posedge clk or negedge rst_n) begin
    if (!rst_n) begin
      pay_valid_q <= 1'b0;
      word_q      <= 3'd0;
    end else begin
      if (go && send) pay_valid_q <= 1'b1;
      else if (done)  pay_valid_q <= 1'b0;
      if (w_valid && w_ready) word_q <= done ? 3'd0 : word_q + 3'd1;
    end
  end

  always_ff @(posedge clk) begin
    if (go && send) pay_q <= payload;
  end

endmodule
