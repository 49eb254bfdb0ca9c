// SPDX-License-Identifier: Apache-2.0
// The events of one cycle against the state: state and packets after it. Combinational; each event is treated when the
// next one is known.
module gannet_events
  import gannet_pkg::*;
#(
  parameter int Slots = 16
) (
  input  hart_t               hart,
  input  logic [1:0]          sync_mode,
  input  logic [3:0]          sync_max,
  input  state_t              now,
  output state_t              then,
  output packet_t [Slots-1:0] made,
  output logic [4:0]          n_made
);

  function automatic logic jumps(input event_t e);   // to where only the hart knows
    return !e.known && e.itype inside {4'd3, 4'd6, 4'd8, 4'd10, 4'd12, 4'd13, 4'd14};
  endfunction

  function automatic logic [1:0] trained(input logic [1:0] entry, input logic taken);
    unique case (entry)
      2'b00: return taken ? 2'b01 : 2'b00;
      2'b01: return taken ? 2'b11 : 2'b00;
      2'b11: return taken ? 2'b11 : 2'b10;
      2'b10: return taken ? 2'b11 : 2'b00;
    endcase
  endfunction

  function automatic packet_t blank(input state_t s);
    packet_t p = '0;
    p.e = s.w;
    p.b = s.b;
    p.from = s.last;
    p.at = {1'b0, s.w.at};
    p.opts = s.opts;
    p.taken = s.w.itype == 4'd5;
    return p;
  endfunction

  function automatic packet_t support(input logic enabled, input logic [1:0] status, input opts_t opts);
    packet_t p = '0;
    p.kind = Support;
    p.enabled = enabled;
    p.status = status;
    p.opts = opts;
    return p;
  endfunction

  wire hart_traces = hart.enabled && hart.tracing && !hart.stopped;
  wire [19:0] interval = 20'd16 << sync_max;

  always_comb begin
    state_t  s;
    event_t  n;
    packet_t p;
    logic    call, implicit, loose, regroup;
    logic    fresh, branch, taken, right, missed, newpriv, resync, address, pending, put, apart;
    logic [Bpred-1:0] slot;
    logic [Cache-1:0] line;
    logic [6:0]       lastat;
    s = now;
    made = '0;
    n_made = '0;
    fresh = 1'b1;
    s.since = (s.since == '1) ? s.since : s.since + 20'd1;

    // After a loss, what is said first.
    if (s.lost) begin
      made[n_made[3:0]] = support(hart.enabled, 2'b10, hart.opts);
      n_made++;
      s.lost = 1'b0;
      s.w.what = Nothing;
      s.enabled = hart.enabled;
      s.opts = hart.opts;
    end

    // Event 0 ends a trace; 1 and 2, 3 and 4 are instructions of the blocks, 5 is a trap.
    for (int k = 0; k < 6; k++) begin
      n = '0;
      put = 1'b0;
      n.priv = hart.priv;
      n.ctx = hart.ctx;
      n.now = hart.now;
      n.cause = hart.cause;
      n.tval = hart.tval;
      n.what = Insn;
      if (k == 0) begin
        n.what = Nothing;
        put = s.w.what != Nothing && (!hart_traces || hart.opts != s.opts);
      end else if (k < 5) begin
        lastat = hart.block[(k-1)/2].iretire - (hart.block[(k-1)/2].ilastsize ? 7'd2 : 7'd1);
        n.at = hart.block[(k-1)/2].iaddr[63:1];
        if (k % 2 == 1) begin
          put = hart.block[(k-1)/2].iretire != 0 && lastat != 0;
          n.leads = 1'b1;
          n.calls = hart.block[(k-1)/2].itype inside {4'd8, 4'd9};
        end else begin
          put = hart.block[(k-1)/2].iretire != 0;
          n.leads = lastat == 0;
          n.calls = lastat == 0 && hart.block[(k-1)/2].itype inside {4'd8, 4'd9};
          n.big = hart.block[(k-1)/2].ilastsize;
          n.at = n.at + {56'd0, lastat};
          n.itype = hart.block[(k-1)/2].itype;
          if (n.itype inside {4'd1, 4'd2}) n.itype = 4'd0;
          n.watch = hart.block[(k-1)/2].watch;
          n.known = hart.block[(k-1)/2].sijump && (lastat != 0 || s.w.what == Insn) && s.opts.sijump &&
                    n.itype inside {4'd6, 4'd8, 4'd10, 4'd12, 4'd14};
        end
        put &= hart_traces;
      end else begin
        n.what = Trap;
        for (int lane = 0; lane < Blocks; lane++)
          if (hart.block[lane].itype inside {4'd1, 4'd2}) begin
            put = hart_traces;
            n.irq = hart.block[lane].itype == 4'd2;
            n.at = hart.block[lane].iaddr[63:1];
          end
      end

      if (put) begin
        n.exact_ctx = fresh && hart.ctype[1];
        n.apart_ctx = fresh && hart.ctype == 2'd3;
        n.some_ctx = fresh && hart.ctype == 2'd1;
        if (k != 0) fresh = 1'b0;

        branch = s.w.itype inside {4'd4, 4'd5};
        taken = s.w.itype == 4'd5;
        newpriv = n.what == Insn && (n.priv != s.w.priv || n.exact_ctx);
        resync = n.what == Insn && sync_mode != 2'd0 && s.since >= interval && !jumps(s.w) && n.leads;
        // A return to where the stack says is not reported; a call after one, with no branch between, could be another
        // visit of the same code, so the decoder synchronizes there.
        call = s.opts.implicit_return && s.w.itype inside {4'd8, 4'd9};
        implicit = s.opts.implicit_return && s.w.what == Insn && s.w.itype == 4'd13 && s.depth != 0 && n.what == Insn &&
                   n.at == s.stack[0];
        if (s.first || s.handler || s.changed || s.timed) implicit = 1'b0;
        regroup = n.what == Insn && n.calls && (implicit || s.unwound && !branch && !call && !jumps(s.w));
        resync = resync || regroup;
        p = blank(s);

        if (s.w.what == Insn && (s.first || s.handler || s.changed || s.timed)) begin
          p.kind = (s.handler && !s.trap_said) ? Trapped : Sync;
          p.handler = 1'b1;
          if (p.kind == Trapped) begin
            p.e.cause = s.trap.cause;
            p.e.tval = s.trap.tval;
            p.e.irq = s.trap.irq;
          end
          made[n_made[3:0]] = p;
          n_made++;
          s.b = '0;
          s.b.all_correct = 1'b1;
          s.predictor = {2**Bpred{2'b01}};
          s.cached = '0;
          s.since = '0;
          s.last = s.w.at;
          s.anyway = 1'b1;
          resync = 1'b0;
          s.depth = '0;
          s.unwound = 1'b0;
          slot = s.w.at[Bpred-1:0];
          if (branch) s.predictor[slot] = trained(s.predictor[slot], taken);
        end else if (s.w.what == Insn) begin
          if (s.w.some_ctx) begin
            p.kind = Context;
            made[n_made[3:0]] = p;
            n_made++;
          end
          // The branch, in the map or the count.
          missed = 1'b0;
          slot = s.w.at[Bpred-1:0];
          if (branch) begin
            right = s.predictor[slot][1] == taken;
            s.predictor[slot] = trained(s.predictor[slot], taken);
            if (s.b.count == 5'd31) begin
              missed = !right;
              if (right) s.b.correct++;
            end else begin
              s.b.map[s.b.count] = !taken;
              s.b.count++;
              s.b.all_correct &= right && s.opts.branch_prediction;
              s.b.correct++;
            end
          end
          if (branch) s.unwound = 1'b0;
          pending = s.b.count != 5'd0 || s.unwound;
          apart = n.what == Trap || newpriv || resync;
          address = s.target || s.w.watch || n.what != Insn ||
                    newpriv && (pending || n.apart_ctx || jumps(s.w) && n.priv == s.w.priv) || resync && pending;
          line = s.w.at[Cache-1:0];
          p = blank(s);
          p.missed = missed;
          if (address) begin
            p.kind = Address;
            p.watch = s.w.watch && !s.target;
            p.deep = s.target ? s.misled : s.unwound;
            p.depth = s.target ? s.misdepth : s.depth;
            p.apart = s.target && apart;
            p.hit = s.target && s.opts.jump_target_cache && s.cached[line] && s.cache[line] == s.w.at;
            if (s.target) begin
              s.cached[line] = 1'b1;
              s.cache[line] = s.w.at;
            end
            s.last = s.w.at;
            s.unwound = 1'b0;
            s.anyway = s.target || s.w.watch;
          end else p.kind = missed ? Count : Map;
          if (address || missed || s.b.count == 5'd31 && !s.b.all_correct) begin
            made[n_made[3:0]] = p;
            n_made++;
            s.b = '0;
            s.b.all_correct = 1'b1;
          end
        end else if (s.w.what == Trap) begin
          s.trap_said = s.target || n.what == Trap;
          s.anyway = 1'b0;
          if (s.trap_said) begin
            p.kind = Trapped;
            p.handler = 1'b0;
            if (s.w.irq || !s.target) p.at = '0;
            made[n_made[3:0]] = p;
            n_made++;
          end
        end

        // The next one waits.
        s.first = s.w.what == Nothing;
        s.handler = s.w.what == Trap;
        s.target = s.w.what == Insn && jumps(s.w) && !implicit;
        s.misled = s.opts.implicit_return && s.w.what == Insn && s.w.itype == 4'd13 && s.depth != 0 && !implicit;
        s.misdepth = s.depth;
        if (s.w.what == Insn && call) begin
          loose = s.depth == (1 << Stack);
          s.stack = {s.stack[2**Stack-2:0], s.w.at + (s.w.big ? 63'd2 : 63'd1)};
          s.depth = loose ? s.depth : s.depth + 1'b1;
          s.unwound = 1'b0;
        end else if (s.opts.implicit_return && s.w.what == Insn && s.w.itype == 4'd13 && s.depth != 0) begin
          s.stack = s.stack >> 63;
          s.depth = s.depth - 1'b1;
          if (implicit) s.unwound = 1'b1;
        end
        s.changed = s.w.what == Insn && newpriv;
        s.timed = s.w.what == Insn && resync;
        if (s.w.what == Trap) s.trap = s.w;
        s.w = n;
        if (k == 0) begin
          made[n_made[3:0]] = support(hart.enabled, s.anyway ? 2'b11 : 2'b01, s.opts);
          n_made++;
          s.enabled = hart.enabled;
        end
      end

      // What is said when it is switched on or off, or an option changes.
      if (k == 0) begin
        if (hart.enabled != s.enabled || hart.enabled && hart.opts != s.opts) begin
          made[n_made[3:0]] = support(hart.enabled, 2'b00, hart.opts);
          n_made++;
        end
        s.enabled = hart.enabled;
        s.opts = hart.opts;
      end
    end
    then = s;
  end

endmodule
