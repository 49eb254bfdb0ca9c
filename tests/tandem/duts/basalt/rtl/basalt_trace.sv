// SPDX-License-Identifier: Apache-2.0
// Basalt: a tandem-verification trace encoder for a dual-issue RV32 hart with Sv32.
//
// Two retirement records enter per cycle. Stage 1 holds them; stage 2 turns both into bytes at once, the second with
// the state that the first leaves; a ring of bytes feeds a port of eight bytes. Fields are left out where nothing
// changed, and the end of a group where another follows.

package basalt_pkg;
  typedef struct packed {
    logic [22:0] parts;
    logic [31:0] npc;
    logic [33:0] npc_phys;
    logic [31:0] insn;
    logic        rvc;
    logic [4:0]  rd;
    logic [31:0] rd_data;
    logic [4:0]  fd;
    logic [63:0] fd_data;
    logic [31:0] fcsr;
    logic [3:0][11:0] csr_addr;
    logic [3:0][31:0] csr_data;
    logic [1:0]  mode;
    logic [33:0] phys;
    logic [33:0] virt;
    logic [1:0]  st_size;
    logic [63:0] st_data;
    logic [63:0] mtime;
    logic [63:0] mcycle;
    logic [63:0] minstret;
    logic [3:0]  bus_op;
    logic [1:0]  bus_size;
    logic [33:0] bus_addr;
    logic [63:0] bus_data;
  } record_t;

  typedef enum int unsigned {
    P_GROUP = 0, P_FLUSH = 1, P_RESET = 2, P_INIT = 3, P_PC = 4, P_PPC = 5, P_INSN = 6, P_X = 7, P_F = 8, P_FCSR = 9,
    P_CSR = 10, P_MODE = 14, P_PHYS = 15, P_VIRT = 16, P_STORE = 17, P_TIME = 18, P_CYCLE = 19, P_RETIRED = 20,
    P_BUS = 21, P_ANSWER = 22
  } part_e;

  localparam int ROOM = 176;  // bytes of a record at most

  typedef struct packed {
    logic [8*ROOM-1:0] bytes;
    logic [7:0]        count;
  } chunk_t;

  // What the reader of the trace knows of the hart.
  typedef struct packed {
    logic        open;         // a group without its end
    logic        pc_ok;
    logic [31:0] pc;
    logic        mode_ok;
    logic [1:0]  mode;
    logic        fcsr_ok;
    logic [7:0]  fcsr;
    logic [31:0] x_ok;
    logic [31:0][31:0] x;
    logic        cycle_ok;
    logic [31:0] cycle_high;
    logic        retired_ok;
    logic [31:0] retired_high;
  } known_t;

  typedef struct packed {
    chunk_t out;
    known_t known;
  } coded_t;
endpackage

module basalt_trace
  import basalt_pkg::*;
(
    input  logic                      clock,
    input  logic                      nreset,
    input  logic [1:0]                retire_valid,
    input  logic [$bits(record_t)-1:0] retire_a,
    input  logic [$bits(record_t)-1:0] retire_b,
    output logic                      retire_stall,
    output logic [1:0]                illegal_q,
    output logic                      beat_valid,
    output logic [3:0]                beat_bytes,
    output logic [63:0]               beat_data,
    input  logic                      beat_hold,
    output logic                      drained
);
  localparam int DEPTH = 1024;

  function automatic logic is_bad(record_t r);
    logic [22:0] p = r.parts;
    return ((p[P_RESET] | p[P_INIT] | p[P_INSN]) & ~p[P_GROUP])
         | (p[P_INIT] & (p[P_INSN] | p[P_RESET]))
         | (p[P_RESET] & p[P_INSN])
         | (p[P_ANSWER] & ~p[P_BUS])
         | (p[P_BUS] & (r.bus_op >= 4'd14))
         | (p[P_FLUSH] & (p != 23'd2));
  endfunction

  function automatic chunk_t join_bytes(chunk_t a, logic [127:0] item, int n);
    chunk_t c = a;
    c.bytes = a.bytes | ((8*ROOM)'(item & ((128'd1 << (8 * n)) - 128'd1)) << (8 * a.count));
    c.count = a.count + 8'(n);
    return c;
  endfunction

  function automatic chunk_t full_csr(chunk_t a, logic [11:0] address, logic [31:0] value);
    return join_bytes(a, 128'({value, 4'h0, address, 8'd4}), 7);
  endfunction

  function automatic chunk_t address_item(chunk_t a, logic [7:0] id, logic [33:0] value);
    return join_bytes(a, 128'({6'd0, value, id, 8'd7}), 7);
  endfunction

  // A counter in two halves; the upper half where it changed.
  function automatic chunk_t counter_item(chunk_t a, logic [11:0] low, logic [11:0] high, logic [63:0] value,
                                          logic both);
    chunk_t c = full_csr(a, low, value[31:0]);
    if (both) c = full_csr(c, high, value[63:32]);
    return c;
  endfunction

  // fcsr: flags that were set and a new rounding mode under their own names, all of it if it is not known.
  function automatic chunk_t fcsr_item(chunk_t a, logic [31:0] value, logic ok, logic [7:0] old);
    chunk_t c = a;
    if (!ok || value[31:8] != 0 || (old[4:0] & ~value[4:0]) != 0) c = full_csr(c, 12'h003, value);
    else begin
      if (value[4:0] != old[4:0]) c = join_bytes(c, 128'({3'd0, value[4:0], 16'h0001, 8'd6}), 4);
      if (value[7:5] != old[7:5]) c = full_csr(c, 12'h002, {29'd0, value[7:5]});
    end
    return c;
  endfunction

  function automatic chunk_t x_item(chunk_t a, logic [4:0] rd, logic [31:0] value, logic ok, logic [31:0] old,
                                    logic always_there);
    logic [31:0] step = value - old;
    logic [15:0] address = 16'h1000 | 16'(rd);
    if (ok && step == 0 && !always_there) return a;
    if (ok && step[31:7] == '0) return join_bytes(a, 128'({step[7:0], address, 8'd5}), 4);
    if (ok && step[31:7] == '1) return join_bytes(a, 128'({step[7:0], address, 8'd5}), 4);
    if (ok && (old & ~value) == 0 && value[31:8] == old[31:8]) return join_bytes(a, 128'({value[7:0], address, 8'd6}), 4);
    return join_bytes(a, 128'({value, address, 8'd4}), 7);
  endfunction

  // Everything that a record says, without begin and end.
  function automatic coded_t fields(record_t r, known_t before_it);
    known_t k = before_it;
    chunk_t c = '0;
    logic [22:0] p = r.parts;
    logic writes = r.bus_op == 4'd1 || (r.bus_op >= 4'd3 && r.bus_op != 4'd13);
    logic has_insn = p[P_GROUP] & p[P_INSN];
    logic [31:0] fall_through = k.pc + (r.rvc ? 32'd2 : 32'd4);
    coded_t result;
    if (p[P_RESET]) begin
      k.pc_ok = 1'b0;
      k.mode_ok = 1'b0;
      k.fcsr_ok = 1'b0;
      k.x_ok = '0;
      k.cycle_ok = 1'b0;
      k.retired_ok = 1'b0;
    end
    if (p[P_BUS]) begin
      c = join_bytes(c, 128'({2'd0, r.bus_size, r.bus_op, 6'd0, r.bus_addr, 8'd8}), 7);
      if (writes) c = join_bytes(c, 128'(r.bus_data), 1 << r.bus_size);
    end
    if (p[P_STORE]) begin
      c = join_bytes(c, 128'({8'd4 + 8'(r.st_size), 8'd7}), 2);
      c = join_bytes(c, 128'(r.st_data), 1 << r.st_size);
    end
    if (p[P_VIRT]) c = address_item(c, 8'd3, r.virt);
    if (p[P_PHYS]) c = address_item(c, 8'd2, r.phys);
    if (has_insn) begin
      if (r.rvc) c = join_bytes(c, 128'({r.insn[15:0], 8'd16}), 3);
      else c = join_bytes(c, 128'({r.insn, 8'd17}), 5);
    end
    if (p[P_PPC]) c = address_item(c, 8'd9, r.npc_phys);
    if (p[P_PC]) begin
      if (has_insn && k.pc_ok && r.npc == fall_through) c = join_bytes(c, 128'd3, 1);
      else c = join_bytes(c, 128'({r.npc, 8'd10, 8'd7}), 6);
      k.pc_ok = 1'b1;
      k.pc = r.npc;
    end
    if (p[P_X] && r.rd != 5'd0) begin
      c = x_item(c, r.rd, r.rd_data, k.x_ok[r.rd], k.x[r.rd], p[P_INIT]);
      k.x_ok[r.rd] = 1'b1;
      k.x[r.rd] = r.rd_data;
    end
    if (p[P_F]) c = join_bytes(c, 128'({r.fd_data, 16'h1020 | 16'(r.fd), 8'd4}), 11);
    if (p[P_FCSR]) begin
      c = fcsr_item(c, r.fcsr, k.fcsr_ok && !p[P_INIT], k.fcsr);
      k.fcsr_ok = r.fcsr[31:8] == '0;
      k.fcsr = r.fcsr[7:0];
    end
    for (int n = 0; n < 4; n++)
      if (p[P_CSR + n]) begin
        c = full_csr(c, r.csr_addr[n], r.csr_data[n]);
        if (r.csr_addr[n] inside {12'h001, 12'h002, 12'h003}) k.fcsr_ok = 1'b0;
        if (r.csr_addr[n] == 12'hb80) k.cycle_ok = 1'b0;
        if (r.csr_addr[n] == 12'hb82) k.retired_ok = 1'b0;
      end
    if (p[P_MODE]) begin
      if (!k.mode_ok || k.mode != r.mode || p[P_INIT]) c = join_bytes(c, 128'({6'd0, r.mode, 8'd1, 8'd7}), 3);
      k.mode_ok = 1'b1;
      k.mode = r.mode;
    end
    if (p[P_TIME]) c = join_bytes(c, 128'({r.mtime, 8'd8, 8'd7}), 10);
    if (p[P_CYCLE]) begin
      c = counter_item(c, 12'hb00, 12'hb80, r.mcycle, !k.cycle_ok || k.cycle_high != r.mcycle[63:32]);
      k.cycle_ok = 1'b1;
      k.cycle_high = r.mcycle[63:32];
    end
    if (p[P_RETIRED]) begin
      c = counter_item(c, 12'hb02, 12'hb82, r.minstret, !k.retired_ok || k.retired_high != r.minstret[63:32]);
      k.retired_ok = 1'b1;
      k.retired_high = r.minstret[63:32];
    end
    if (p[P_INIT]) c = join_bytes(c, 128'd11, 1);
    if (p[P_RESET]) c = join_bytes(c, 128'd10, 1);
    result.out = c;
    result.known = k;
    return result;
  endfunction

  // A record with its begin, and with the end of the group before it where a begin does not imply it.
  function automatic coded_t encode(logic valid, record_t r, known_t k);
    coded_t inner = fields(r, k);
    coded_t result;
    logic something = inner.out.count != 0;
    result.out = '0;
    result.known = k;
    if (!valid || is_bad(r)) return result;
    result.known = inner.known;
    if (r.parts[P_FLUSH] || (something && !r.parts[P_GROUP])) begin
      if (k.open) result.out = join_bytes(result.out, 128'd2, 1);
      result.known.open = 1'b0;
    end
    if (something) begin
      if (r.parts[P_GROUP]) begin
        result.out = join_bytes(result.out, 128'd1, 1);
        result.known.open = 1'b1;
      end
      result.out.bytes = result.out.bytes | (inner.out.bytes << (8 * result.out.count));
      result.out.count = result.out.count + inner.out.count;
    end
    return result;
  endfunction

  // --- stage 1: the records of a cycle
  record_t [1:0] held;
  logic [1:0]    held_valid;
  logic          advance;
  assign retire_stall = !advance;

  always_ff @(posedge clock or negedge nreset)
    if (!nreset) begin
      held_valid <= 2'b00;
      illegal_q <= 2'b00;
    end else if (advance) begin
      held_valid <= retire_valid;
      held <= {retire_b, retire_a};
      illegal_q <= retire_valid & {is_bad(retire_b), is_bad(retire_a)};
    end else begin
      illegal_q <= 2'b00;
    end

  // --- stage 2: bytes of both
  known_t known_q;
  coded_t first, second;
  always_comb begin
    first = encode(held_valid[0], held[0], known_q);
    second = encode(held_valid[1], held[1], first.known);
  end

  // --- ring
  logic [7:0]  ring[DEPTH];
  logic [9:0]  head, tail;
  logic [10:0] level;
  logic [8:0]  incoming;
  logic [3:0]  leaving;
  logic        moves;
  logic [1:0]  idle;
  assign incoming = 9'(first.out.count) + 9'(second.out.count);
  assign advance = int'(level) <= DEPTH - 2 * ROOM;
  assign moves = !beat_valid || !beat_hold;

  // A beat that is not full leaves after three cycles in which nothing came.
  always_comb begin
    leaving = 4'd0;
    if (moves) begin
      if (level >= 11'd8) leaving = 4'd8;
      else if (idle == 2'd3) leaving = level[3:0];
    end
  end

  always_ff @(posedge clock or negedge nreset)
    if (!nreset) begin
      head <= '0;
      tail <= '0;
      level <= '0;
      idle <= '0;
      known_q <= '0;
      beat_valid <= 1'b0;
      beat_bytes <= '0;
      beat_data <= '0;
    end else begin
      if (advance) begin
        known_q <= second.known;
        for (int n = 0; n < ROOM; n++) begin
          if (n < int'(first.out.count)) ring[head + 10'(n)] <= first.out.bytes[8*n +: 8];
          if (n < int'(second.out.count)) ring[head + 10'(first.out.count) + 10'(n)] <= second.out.bytes[8*n +: 8];
        end
        head <= head + 10'(incoming);
      end
      level <= level + (advance ? 11'(incoming) : 11'd0) - 11'(leaving);
      idle <= (advance && incoming != 0) || leaving != 0 ? 2'd0 : idle == 2'd3 ? 2'd3 : idle + 2'd1;
      if (moves) begin
        beat_valid <= leaving != 0;
        beat_bytes <= leaving;
        for (int n = 0; n < 8; n++) beat_data[8*n +: 8] <= n < int'(leaving) ? ring[tail + 10'(n)] : 8'd0;
        tail <= tail + 10'(leaving);
      end
    end

  assign drained = held_valid == 2'b00 && level == 0 && !beat_valid;
endmodule
