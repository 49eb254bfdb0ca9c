// SPDX-License-Identifier: Apache-2.0
// Tern TE: an E-Trace encoder (2.0) that takes two blocks a cycle and walks through them one instruction at a time. It
// has no queue and no optional mode: while it works the hart waits. A packet is built field after field.
module tern_te #(
  parameter AW = 32,   // bits of an address
  parameter RW = 7,    // bits of the half-words of a block
  parameter CW = 5,    // bits of the context
  parameter EW = 4     // bits of a cause
) (
  input  wire             ck,
  input  wire             arst,       // active high

  // From the hart.
  input  wire             te_on,
  input  wire             te_run,
  input  wire             te_hold,    // in Debug Mode, or in reset
  input  wire [4:0]       te_period,  // a synchronization after 12 << n packets; bit 4: never
  input  wire [7:0]       b_type,     // two blocks, the older one in the low half, and so below
  input  wire [2*AW-1:0]  b_addr,
  input  wire [2*RW-1:0]  b_half,
  input  wire [1:0]       b_last32,
  input  wire [EW-1:0]    b_cause,
  input  wire [AW-1:0]    b_tval,
  input  wire [1:0]       b_priv,
  input  wire [CW-1:0]    b_ctx,
  input  wire [1:0]       b_ctype,
  output wire             b_take,
  output wire             quiet,      // nothing is being made or sent

  // Packets.
  output wire             p_valid,
  output wire [4:0]       p_bytes,
  output wire [247:0]     p_data,
  input  wire             p_ready
);

  localparam NONE = 2'd0, INSN = 2'd1, TRAP = 2'd2;
  localparam IDLE = 4'd0, LEVEL = 4'd1, PICK = 4'd2, WORK = 4'd3, MOVE = 4'd4, CTX = 4'd5, ENDED = 4'd6,
             FIELD = 4'd7, TRIM = 4'd8, SEND = 4'd9;
  localparam SYNC = 3'd0, TRAPPED = 3'd1, CONTEXT = 3'd2, SUPPORT = 3'd3, ADDRESS = 3'd4, MAP = 3'd5;

  reg  [3:0]      state, after;        // after: where it goes on when a packet is sent

  // The cycle that is being worked at.
  reg             c_on, c_run, c_trace;
  reg  [7:0]      c_type;
  reg  [2*AW-1:0] c_addr;
  reg  [2*RW-1:0] c_half;
  reg  [1:0]      c_last32, c_ctype, c_priv;
  reg  [EW-1:0]   c_cause;
  reg  [AW-1:0]   c_tval;
  reg  [CW-1:0]   c_ctx;
  reg  [1:0]      c_lane;              // the block; 2: there is none left
  reg             c_fresh;             // none of the cycle was picked yet
  reg  [1:0]      c_part;              // 0: its first instruction, 1: its last, 2: its trap

  reg             on, announced;       // what a support packet has said
  reg             repeated;            // it was said again before a resynchronization, for who joins there

  // The event that waits for the next one, and what is known of the one before it.
  reg  [1:0]      w_kind;
  reg  [AW-2:0]   w_addr;
  reg  [3:0]      w_type;
  reg  [1:0]      w_priv;
  reg  [CW-1:0]   w_ctx;
  reg             w_first, w_handler, w_target, w_newpriv, w_resync, w_newctx;
  reg  [EW-1:0]   w_cause;
  reg  [AW-1:0]   w_tval;
  reg             w_irq;
  // The trap before w.
  reg  [EW-1:0]   t_cause;
  reg  [AW-1:0]   t_tval;
  reg             t_irq, t_done;
  // The next event.
  reg  [1:0]      n_kind;
  reg  [AW-2:0]   n_addr;
  reg  [3:0]      n_type;
  reg             n_ctxbreak, n_newctx, n_irq, n_apart, n_due;

  // Of the trace.
  reg  [AW-2:0]   last;
  reg  [4:0]      count;
  reg  [30:0]     map;
  reg  [11:0]     packets;
  reg             owe_ctx;

  // The packet.
  reg  [2:0]      k_kind;
  reg             k_branch, k_handler, k_flag;
  reg  [AW-2:0]   k_addr;
  reg  [1:0]      k_status;
  reg             k_enabled;
  reg  [3:0]      k_step;
  reg  [7:0]      k_at;
  reg  [247:0]    k_data;
  reg  [4:0]      k_bytes;
  reg  [63:0]     f_value;
  reg  [6:0]      f_width;
  reg             f_end;

  // One block of the cycle.
  wire [3:0]      l_type = c_lane[0] ? c_type[7:4] : c_type[3:0];
  wire [AW-1:0]   l_addr = c_lane[0] ? c_addr[2*AW-1:AW] : c_addr[AW-1:0];
  wire [RW-1:0]   l_half = c_lane[0] ? c_half[2*RW-1:RW] : c_half[RW-1:0];
  wire            l_big = c_lane[0] ? c_last32[1] : c_last32[0];
  wire            l_trap = l_type == 4'd1 || l_type == 4'd2;
  wire [RW-1:0]   l_lastat = l_half - (l_big ? 2 : 1);
  wire            l_several = l_half != 0 && l_lastat != 0;

  // Levels: only a cycle that changes something is worked at.
  wire            tracing = te_on && te_run && !te_hold;
  wire            full0 = b_half[RW-1:0] != 0 || b_type[3:0] == 4'd1 || b_type[3:0] == 4'd2;
  wire            full1 = b_half[2*RW-1:RW] != 0 || b_type[7:4] == 4'd1 || b_type[7:4] == 4'd2;
  wire            wanted = tracing && (full0 || full1) || !tracing && w_kind != NONE || te_on != on ||
                           te_on && te_run && !announced;

  assign b_take = state == IDLE;
  assign quiet = state == IDLE;

  // The waiting event.
  wire            w_branch = w_kind == INSN && (w_type == 4'd4 || w_type == 4'd5);
  wire            w_jump = w_kind == INSN && (w_type == 4'd3 || w_type == 4'd6 || w_type == 4'd8 || w_type == 4'd10 ||
                           w_type == 4'd12 || w_type == 4'd13 || w_type == 4'd14);
  wire            n_newpriv = n_kind == INSN && (c_priv != w_priv || n_ctxbreak);
  // Earlier than the interval by a quarter: when it ends is not specified. Never at a jump's target, so that no address
  // is ambiguous; and not inside a block, so that it is at the very next instruction.
  wire            overdue = !te_period[4] && packets >= (12'd12 << te_period[3:0]);
  wire            n_resync = n_kind == INSN && n_apart && overdue && !w_jump;
  wire            w_sync = w_first || w_handler || w_newpriv || w_resync;
  wire            stop = n_kind != INSN || n_newpriv || n_resync;
  wire            again = n_kind == TRAP;
  wire [4:0]      counted = count + {4'd0, w_branch};

  // The fields of the packet, first to last; the last one gives the sign for the rest.
  wire            msb = k_addr[AW-2];
  wire [4:0]      maplen = count == 5'd0 || count > 5'd15 ? 5'd31 : count > 5'd7 ? 5'd15 : count > 5'd3 ? 5'd7 :
                           count > 5'd1 ? 5'd3 : 5'd1;
  always @* begin
    f_value = 64'd0;
    f_width = 7'd0;
    f_end = 1'b0;
    case ({k_kind, k_step})
      {SYNC, 4'd0}, {TRAPPED, 4'd0}, {CONTEXT, 4'd0}, {SUPPORT, 4'd0}: begin f_value = 64'd3; f_width = 7'd2; end
      {SYNC, 4'd1}:     begin f_value = 64'd0; f_width = 7'd2; end
      {SYNC, 4'd2}, {TRAPPED, 4'd2}: begin f_value = k_branch; f_width = 7'd1; end
      {SYNC, 4'd3}:     begin f_value = w_priv; f_width = 7'd2; end
      {SYNC, 4'd4}:     begin f_value = w_ctx; f_width = CW; end
      {SYNC, 4'd5}:     begin f_value = w_addr; f_width = AW - 1; f_end = 1'b1; end

      {TRAPPED, 4'd1}:  begin f_value = 64'd1; f_width = 7'd2; end
      {TRAPPED, 4'd3}:  begin f_value = {62'd0, w_priv}; f_width = 7'd2; end
      {TRAPPED, 4'd4}:  begin f_value = {32'd0, w_ctx}; f_width = CW; end
      {TRAPPED, 4'd5}:  begin f_value = k_handler ? t_cause : w_cause; f_width = EW; end
      {TRAPPED, 4'd6}:  begin f_value = k_handler ? t_irq : w_irq; f_width = 7'd1; end
      {TRAPPED, 4'd7}:  begin f_value = k_handler; f_width = 7'd1; end
      {TRAPPED, 4'd8}:  begin f_value = k_addr; f_width = AW - 1; f_end = k_handler ? t_irq : w_irq; end
      {TRAPPED, 4'd9}:  begin f_value = k_handler ? t_tval : w_tval; f_width = AW; f_end = 1'b1; end

      {CONTEXT, 4'd1}:  begin f_value = 64'd2; f_width = 7'd2; end
      {CONTEXT, 4'd2}:  begin f_value = {60'd0, w_priv}; f_width = 7'd2; end
      {CONTEXT, 4'd3}:  begin f_value = {40'd0, w_ctx}; f_width = CW; f_end = 1'b1; end

      {SUPPORT, 4'd1}:  begin f_value = 64'd3; f_width = 7'd2; end
      {SUPPORT, 4'd2}:  begin f_value = k_enabled; f_width = 7'd1; end
      {SUPPORT, 4'd3}:  begin f_value = 64'd0; f_width = 7'd2; end          // encoder_mode: branch trace
      {SUPPORT, 4'd4}:  begin f_value = k_status; f_width = 7'd2; end
      {SUPPORT, 4'd5}:  begin f_value = 64'd5; f_width = 7'd3; end          // ioptions: 3 bits, the revision
      {SUPPORT, 4'd6}:  begin f_value = 64'd0; f_width = 7'd1; end          // denable
      {SUPPORT, 4'd7}:  begin f_value = {63'd0, 1'b0}; f_width = 7'd1; f_end = 1'b1; end  // dloss

      {MAP, 4'd0}:      begin f_value = 64'd1; f_width = 7'd2; end
      {MAP, 4'd1}:      begin f_value = {59'd0, 5'd0}; f_width = 7'd5; end
      {MAP, 4'd2}:      begin f_value = map; f_width = 7'd31; f_end = 1'b1; end

      {ADDRESS, 4'd0}:  begin f_value = count != 5'd0 ? 64'd1 : 64'd2; f_width = 7'd2; end
      {ADDRESS, 4'd1}:  begin f_value = {59'd0, count}; f_width = count != 5'd0 ? 7'd5 : 7'd0; end
      {ADDRESS, 4'd2}:  begin f_value = {33'd0, map} | ~64'd0 << count; f_width = count != 5'd0 ? maplen : 7'd0; end
      {ADDRESS, 4'd3}:  begin f_value = k_addr; f_width = AW - 2 + 1; end
      {ADDRESS, 4'd4}:  begin f_value = msb; f_width = 7'd1; end            // notify
      {ADDRESS, 4'd5}:  begin f_value = msb ^ k_flag; f_width = 7'd1; end   // updiscon
      {ADDRESS, 4'd6}:  begin f_value = {63'd0, msb ^ k_flag}; f_width = 7'd1; f_end = 1'b1; end  // irreport
      default:          f_end = 1'b1;
    endcase
  end
  wire [63:0]     f_mask = ~(~64'd0 << f_width);
  wire [7:0]      k_next = k_at + f_width;
  wire [7:0]      top = k_at - 8'd1;
  wire [7:0]      below = {k_bytes, 3'd0} - 8'd9;   // the bit under the top byte
  wire [7:0]      topbyte = k_data >> ({k_bytes, 3'd0} - 8'd8);

  assign p_valid = state == SEND;
  assign p_bytes = k_bytes;
  assign p_data = k_data & ~(~248'd0 << {k_bytes, 3'd0});

  // A packet of a kind, and where to go on.
  task make(input [2:0] kind, input [3:0] then);
    begin
      k_kind <= kind;
      k_step <= 4'd0;
      k_at <= 8'd0;
      k_data <= 248'd0;
      after <= then;
      state <= FIELD;
      packets <= packets + (kind != SUPPORT);
    end
  endtask
  task synced;
    begin
      last <= w_addr;
      count <= 5'd0;
      map <= 31'd0;
      packets <= 12'd0;
      owe_ctx <= 1'b0;
    end
  endtask

  always @(posedge ck or posedge arst) begin
    if (arst) begin
      state <= IDLE;
      on <= 1'b0;
      announced <= 1'b0;
      repeated <= 1'b0;
      w_kind <= NONE;
      owe_ctx <= 1'b0;
      count <= 5'd0;
      map <= 31'd0;
      packets <= 12'd0;
      last <= 0;
      t_done <= 1'b0;
      n_kind <= NONE;
    end else case (state)
      IDLE: if (wanted) begin
        c_on <= te_on;
        c_trace <= tracing;
        c_type <= b_type;
        c_addr <= b_addr;
        c_half <= b_half;
        c_last32 <= b_last32;
        c_cause <= b_cause;
        c_tval <= b_tval;
        c_priv <= b_priv;
        c_ctx <= b_ctx;
        c_ctype <= b_ctype;
        c_lane <= 2'd0;
        c_part <= 2'd0;
        c_fresh <= 1'b1;
        c_run <= te_run;
        state <= LEVEL;
      end

      // First what a trace ends with, then what is said before one.
      LEVEL: begin
        if (!c_trace && w_kind != NONE) begin
          n_kind <= NONE;
          state <= WORK;
        end else if (on && !c_on) begin
          on <= 1'b0;
          announced <= 1'b0;
          k_enabled <= 1'b0;
          k_status <= 2'd0;
          make(SUPPORT, IDLE);
        end else begin
          on <= c_on;
          if (c_on && c_run && !announced) begin
            announced <= 1'b1;
            k_enabled <= 1'b1;
            k_status <= 2'd0;
            make(SUPPORT, c_trace ? PICK : IDLE);
          end else state <= c_trace ? PICK : IDLE;
        end
      end

      // The next event of the cycle.
      PICK: begin
        n_kind <= INSN;
        n_addr <= l_addr[AW-1:1];
        n_type <= 4'd0;
        n_ctxbreak <= c_fresh && c_ctype[1];
        n_newctx <= c_fresh && c_ctype == 2'd1;
        n_apart <= c_part == 2'd0 || !l_several;
        state <= WORK;
        if (c_lane[1]) begin
          state <= IDLE;
        end else if (c_part == 2'd0) begin
          c_part <= 2'd1;
          if (!l_several) state <= PICK;
          else c_fresh <= 1'b0;
        end else if (c_part == 2'd1) begin
          c_part <= 2'd2;
          n_addr <= l_addr[AW-1:1] + l_lastat;
          n_type <= l_trap ? 4'd0 : l_type;
          if (l_half == 0) state <= PICK;
          else c_fresh <= 1'b0;
        end else begin
          c_part <= 2'd0;
          c_lane <= c_lane + 2'd1;
          n_kind <= TRAP;
          n_irq <= l_type == 4'd2;
          if (!l_trap) state <= PICK;
          else c_fresh <= 1'b0;
        end
      end

      // The packet of the waiting event, now that the next one is known.
      WORK: begin
        state <= MOVE;
        n_due <= n_resync && !w_sync;
        k_branch <= w_type != 4'd5;
        k_handler <= 1'b1;
        k_addr <= w_addr;
        k_flag <= 1'b0;
        if (w_kind == INSN) begin
          if (w_handler && !t_done) begin
            make(TRAPPED, MOVE);
            synced;
          end else if (w_resync && !repeated) begin
            repeated <= 1'b1;
            k_enabled <= 1'b1;
            k_status <= 2'd0;
            make(SUPPORT, WORK);
          end else if (w_sync) begin
            make(SYNC, MOVE);
            synced;
          end else begin
            if (w_branch) begin
              map[count] <= w_type == 4'd4;
              count <= counted;
            end
            if (w_target || stop) begin
              k_addr <= w_addr - last;
              k_flag <= w_target && stop;
              last <= w_addr;
              make(ADDRESS, CTX);
            end else if (counted == 5'd31) begin
              make(MAP, CTX);
            end else state <= CTX;
          end
        end else if (w_kind == TRAP && (w_target || again || n_kind == NONE)) begin
          t_done <= 1'b1;
          k_branch <= 1'b1;
          k_handler <= 1'b0;
          k_addr <= w_target && !w_irq ? w_addr : last;   // undefined unless it is the address of an exception
          make(TRAPPED, MOVE);
        end else if (w_kind == TRAP) t_done <= 1'b0;
      end

      // A context that may be reported late.
      CTX: begin
        if (k_kind == ADDRESS || k_kind == MAP) begin
          count <= 5'd0;
          map <= 31'd0;
          k_kind <= SYNC;
        end
        owe_ctx <= 1'b0;
        if (owe_ctx) make(CONTEXT, MOVE);
        else state <= MOVE;
      end

      // The next event becomes the waiting one.
      MOVE: begin
        w_kind <= n_kind;
        repeated <= 1'b0;
        w_addr <= n_addr;
        w_type <= n_type;
        w_priv <= c_priv;
        w_ctx <= c_ctx;
        w_first <= w_kind == NONE;
        w_handler <= w_kind == TRAP;
        w_target <= w_jump;
        w_newpriv <= w_kind == INSN && n_newpriv;
        w_resync <= w_kind == INSN && n_due;
        w_cause <= c_cause;
        w_tval <= c_tval;
        w_irq <= n_irq;
        if (w_kind == TRAP) begin
          t_cause <= w_cause;
          t_tval <= w_tval;
          t_irq <= w_irq;
        end
        if (n_kind != NONE && n_newctx) owe_ctx <= 1'b1;
        state <= n_kind == NONE ? ENDED : PICK;
      end

      // The end of a trace: its last address has the updiscon flag where it could mean two places, so the code is always
      // the same.
      ENDED: begin
        k_enabled <= 1'b1;
        k_status <= 2'd1;
        owe_ctx <= 1'b0;
        make(SUPPORT, LEVEL);
      end

      FIELD: begin
        k_data <= k_data | ({184'd0, f_value & f_mask} << k_at);
        k_at <= k_next;
        k_step <= k_step + 4'd1;
        if (f_end) state <= TRIM;
      end
      // Whole bytes, then the bytes that follow from the sign: of packets with a difference only.
      TRIM: begin
        if (k_at != 8'd0) begin
          k_bytes <= (k_at + 8'd7) >> 3;
          if (k_data[top]) k_data <= k_data | ~248'd0 << k_at;
          k_at <= 8'd0;
        end else if (k_kind == ADDRESS && k_bytes > 5'd1 && topbyte == {8{k_data[below]}}) begin
          k_bytes <= k_bytes - 5'd1;
        end else state <= SEND;
      end
      SEND: if (p_ready) state <= after;

      default: state <= IDLE;
    endcase
  end

endmodule
