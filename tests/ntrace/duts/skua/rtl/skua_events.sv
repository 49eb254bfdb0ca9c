// SPDX-License-Identifier: Apache-2.0
// One beat to messages, combinational: what the last block ended with is resolved first, then the new block is counted.
module skua_events
  import skua_pkg::*;
(
  input  logic        inst_hist_repeat,
  input  logic        inst_returns,      // implicit return with full addresses
  input  logic        contexts,
  input  logic        stamps,
  input  logic [1:0]  resync_unit,       // 0 none, 1 messages, 2 cycles, 3 half-words
  input  logic [3:0]  resync_exp,
  input  beat_t       beat,
  input  state_t      now,
  output state_t      nxt,
  output logic        valid [Slots],
  output message_t    msg   [Slots]
);

  // Places in the order in which messages leave.
  localparam int HELD = 0, LOSS = 1, MAIN = 2, OWNER = 3, BITS = 4, REST = 5, COUNT = 6;

  localparam logic [IcntBits-1:0] FullCount = 10'd384;   // a smaller count than the field can hold is legal

  logic        run, block, halts, known, predicted, due, want_sync, moved, entered;
  logic        sync, bits_full, count_full, bits_same;
  logic [3:0]  reason;
  logic [1:0]  b_type;
  logic [23:0] interval;
  logic [62:0] pc;
  logic [2:0]  events_made;

  assign run   = beat.level.on && !beat.level.debug && !beat.level.asleep;
  // The way into Debug Mode is reported while trace is off as well.
  assign halts = beat.level.debug && !now.was_debug && (beat.level.enabled || now.was_enabled);
  assign block = beat.block.halves != '0 || beat.block.itype inside {4'd1, 4'd2};
  assign pc    = beat.block.pc[63:1];

  // Three quarters of the longest interval.
  assign interval = 24'd12 << resync_exp;
  assign due      = resync_unit != 2'd0 && now.age >= interval;

  assign known     = now.flow inside {FLOW_JUMP, FLOW_EXCEPTION, FLOW_INTERRUPT} || (now.flow == FLOW_RETURN && !predicted);
  assign predicted = inst_returns && now.flow == FLOW_RETURN && now.expected && now.popped == pc;

  assign want_sync = due || now.hit || now.hit_ext;
  assign reason    = !now.tracing ? now.why : now.hit_ext ? 4'd0 : now.hit ? 4'd6 : 4'd2;
  assign sync      = !now.tracing || want_sync;
  assign b_type    = now.flow == FLOW_EXCEPTION ? 2'd2 : now.flow == FLOW_INTERRUPT ? 2'd3 : 2'd0;

  // Work on one copy of the state from top to bottom.
  state_t s;

  function automatic message_t plain(input tcode_e tcode);
    plain = '0;
    plain.tcode = tcode;
  endfunction

  function automatic message_t history(input logic [HistBits-1:0] bits, input logic [17:0] times);
    history = plain(RESOURCE_FULL);
    history.fixed_len = 3'd4;
    history.fixed = times > 18'd1 ? 6'd2 : 6'd1;
    history.first = 37'(bits);
    history.has_hist = times > 18'd1;
    history.hist = times;
  endfunction

  always_comb begin
    s = now;
    for (int i = 0; i < Slots; i++) begin
      valid[i] = 1'b0;
      msg[i] = '0;
    end
    moved = 1'b0;
    entered = 1'b0;
    bits_full = 1'b0;
    bits_same = 1'b0;
    count_full = 1'b0;

    if (beat.lost) begin
      // Nothing that this beat means can be sent: trace starts again when there is room.
      if (now.tracing || (!now.alone && ((run && block) || halts))) begin
        if (!now.owed) s.lost_at = beat.now;
        s.owed = 1'b1;
      end
      s.tracing = 1'b0;
      s.held = '0;
      s.hit = 1'b0;
      s.hit_ext = 1'b0;
      if (run && (block || now.tracing)) s.why = 4'd7;
    end else begin
      if (now.owed) begin
        valid[LOSS] = 1'b1;
        msg[LOSS] = plain(ERROR);
        msg[LOSS].fixed_len = 3'd4;
        msg[LOSS].first = 37'd4;
        msg[LOSS].has_time = stamps;
        msg[LOSS].stamp = now.lost_at - now.told;
        s.told = now.lost_at;
        s.owed = 1'b0;
        s.alone = 1'b1;
      end

      if (run && block) begin
        // Where the hart is now ends what was open.
        entered = sync || known;
        if (entered) begin
          valid[HELD] = now.held != '0;
          msg[HELD] = history(now.held_hist, now.held);
          s.held = '0;
          valid[MAIN] = 1'b1;
          msg[MAIN].first = now.tracing ? 37'(now.icnt) : '0;
          msg[MAIN].has_addr = 1'b1;
          msg[MAIN].addr = sync ? pc : pc ^ now.anchor;
          msg[MAIN].hist = 18'(now.hist);
          if (!now.tracing || (sync && !known && !predicted && now.hist == 16'd1 && now.held == '0)) begin
            msg[MAIN].tcode = PROG_TRACE_SYNC;
            msg[MAIN].fixed_len = 3'd4;
            msg[MAIN].fixed = {2'd0, reason};
          end else if (sync) begin
            msg[MAIN].tcode = INDIRECT_HISTSYNC;
            msg[MAIN].fixed_len = 3'd6;
            msg[MAIN].fixed = {b_type, reason};
            msg[MAIN].has_hist = 1'b1;
          end else begin
            msg[MAIN].tcode = INDIRECT_HIST;
            msg[MAIN].fixed_len = 3'd2;
            msg[MAIN].fixed = {4'd0, b_type};
            msg[MAIN].has_hist = 1'b1;
          end
          msg[MAIN].has_time = stamps;
          msg[MAIN].stamp = sync ? beat.now : beat.now - now.told;
          s.told = beat.now;
          s.icnt = '0;
          s.hist = 16'd1;
          s.anchor = pc;
          s.fresh = '0;
          if (sync) begin
            s.age = '0;
            s.level = '0;
            if (now.hit_ext) s.hit_ext = 1'b0;
            else s.hit = 1'b0;
          end
        end else if (now.tracing && now.icnt >= FullCount) begin
          // A predicted return whose count is full.
          valid[HELD] = now.held != '0;
          msg[HELD] = history(now.held_hist, now.held);
          s.held = '0;
          valid[MAIN] = 1'b1;
          msg[MAIN] = plain(RESOURCE_FULL);
          msg[MAIN].fixed_len = 3'd4;
          msg[MAIN].first = 37'(now.icnt);
          s.icnt = '0;
          s.fresh = '0;
        end
        s.tracing = 1'b1;
        s.alone = 1'b0;
        s.flow = FLOW_NONE;

        moved = beat.block.prv != now.prv || beat.block.ctx != now.ctx;
        if (contexts && (moved || (entered && sync))) begin
          valid[OWNER] = 1'b1;
          msg[OWNER] = plain(OWNERSHIP);
          msg[OWNER].first = (entered && sync) || beat.block.ctx != now.ctx
                             ? {beat.block.ctx, beat.block.prv, 2'd2} : {32'd0, beat.block.prv, 2'd0};
          s.prv = beat.block.prv;
          s.ctx = beat.block.ctx;
        end

        // Count the block.
        s.icnt = s.icnt + 10'(beat.block.halves);
        if (beat.block.itype inside {4'd4, 4'd5}) s.hist = {s.hist[HistBits-2:0], beat.block.itype == 4'd5};
        s.flow = flow_of(beat.block.itype);
        s.expected = 1'b0;
        if (s.flow == FLOW_RETURN && s.level != '0) begin
          s.expected = s.fresh == '0;
          s.popped = s.stack[0];
          s.stack = {63'd0, s.stack[Depth-1:1]};
          s.level = s.level - 4'd1;
          if (s.fresh != '0) s.fresh = s.fresh - 4'd1;
        end
        if (is_call(beat.block.itype)) begin
          s.stack = {s.stack[Depth-2:0], pc + 63'(beat.block.halves)};
          if (s.level != 4'(Depth)) s.level = s.level + 4'd1;
          if (s.fresh != 4'(Depth)) s.fresh = s.fresh + 4'd1;
        end

        bits_full = s.hist[HistBits-1];
        bits_same = inst_hist_repeat && s.held != '0 && s.held_hist == s.hist && s.held != '1;
        if (bits_full && bits_same) begin
          s.held = s.held + 18'd1;
          s.hist = 16'd1;
        end else if (bits_full) begin
          valid[BITS] = s.held != '0 || !inst_hist_repeat;
          msg[BITS] = inst_hist_repeat ? history(s.held_hist, s.held) : history(s.hist, 18'd1);
          s.held = inst_hist_repeat ? 18'd1 : 18'd0;
          s.held_hist = s.hist;
          s.hist = 16'd1;
        end

        count_full = s.icnt >= FullCount && s.flow == FLOW_NONE;
        if (count_full) begin
          valid[REST] = s.held != '0;
          msg[REST] = history(s.held_hist, s.held);
          s.held = '0;
          valid[COUNT] = 1'b1;
          msg[COUNT] = plain(RESOURCE_FULL);
          msg[COUNT].fixed_len = 3'd4;
          msg[COUNT].first = 37'(s.icnt);
          s.icnt = '0;
          s.fresh = '0;
        end
      end else if ((now.tracing && !run) || (halts && !s.alone)) begin
        valid[HELD] = now.held != '0;
        msg[HELD] = history(now.held_hist, now.held);
        valid[MAIN] = 1'b1;
        msg[MAIN] = plain(CORRELATION);
        msg[MAIN].fixed_len = 3'd6;
        msg[MAIN].fixed = {2'd1, beat.level.debug ? 4'd0 : !beat.level.on ? 4'd4 : 4'd1};
        msg[MAIN].first = 37'(now.icnt);
        msg[MAIN].has_hist = 1'b1;
        msg[MAIN].hist = 18'(now.hist);
        msg[MAIN].has_time = stamps;
        msg[MAIN].stamp = beat.now - now.told;
        s.told = beat.now;
        s.tracing = 1'b0;
        s.held = '0;
      end

      if (run && s.tracing && beat.level.hit) s.hit = 1'b1;
      if (run && s.tracing && beat.level.hit_ext) s.hit_ext = 1'b1;
    end

    if (!s.tracing) begin
      s.flow = FLOW_NONE;
      s.icnt = '0;
      s.hist = 16'd1;
      s.hit = 1'b0;
      s.hit_ext = 1'b0;
    end
    s.was_debug = beat.level.debug;
    s.was_enabled = beat.level.enabled;
    if (beat.level.debug) s.why = 4'd3;
    else if (!beat.level.on) s.why = 4'd5;
    else if (beat.level.asleep) s.why = 4'd9;

    events_made = '0;
    for (int i = 0; i < Slots; i++) events_made = events_made + 3'(valid[i]);
    unique case (resync_unit)
      2'd1:    s.age = s.age + 24'(events_made);
      2'd2:    s.age = s.age + 24'd1;
      2'd3:    s.age = s.age + (run && block ? 24'(beat.block.halves) : 24'd0);
      default: s.age = '0;
    endcase
    nxt = s;
  end

endmodule
