// SPDX-License-Identifier: Apache-2.0
// Tern: an N-Trace encoder in BTM, one state machine that takes a block, sends what it calls for byte by byte, and takes the next.
module tern_te #(
  parameter XLEN = 64,
  parameter LENW = 7
) (
  input  wire            clk,
  input  wire            rst,          // synchronous, 1 resets
  // Controls.
  input  wire            cfg_enable,
  input  wire            cfg_tracing,
  input  wire            cfg_src,      // send SRC
  input  wire [2:0]      cfg_src_id,
  input  wire            cfg_sync,     // periodic synchronization, by messages
  input  wire [3:0]      cfg_sync_max,
  input  wire            cfg_repeat,   // RepeatBranch messages
  // Hart.
  input  wire            hart_dbg,     // in Debug Mode
  input  wire            hart_vld,
  input  wire [3:0]      hart_kind,    // itype
  input  wire [XLEN-1:0] hart_pc,
  input  wire [LENW-1:0] hart_len,     // half-words
  output wire            hart_hold,
  // Bytes of the trace.
  output wire [7:0]      td,
  output wire            td_vld,
  input  wire            td_rdy,
  output wire            quiet         // nothing is left to be sent
);

  localparam CNTW = 10;                // I-CNT, with the bit that says that it is full
  localparam REPW = 10;

  // States of the machine.
  localparam TAKE = 3'd0, RESOLVE = 3'd1, COUNT = 3'd2, CLOSE = 3'd3, GAP = 3'd4, HEAD = 3'd5, ADDR = 3'd6;
  // What the last block ended with and nobody has sent yet.
  localparam NONE = 2'd0, BRANCH = 2'd1, JUMP = 2'd2, TRAP = 2'd3;
  // Messages.
  localparam DIRECT_BRANCH = 6'd3, INDIRECT_BRANCH = 6'd4, PROG_TRACE_SYNC = 6'd9, DIRECT_BRANCH_SYNC = 6'd11,
             INDIRECT_BRANCH_SYNC = 6'd12, REPEAT_BRANCH = 6'd30, CORRELATION = 6'd33;

  reg  [2:0]      state, after;        // after: where to go when the message is sent
  reg             tracing;             // a ProgTraceSync was sent and no correlation since
  reg  [3:0]      why;                 // SYNC of the next start
  reg             halted;              // the trace ends because of Debug Mode
  reg             was_dbg, was_enabled;
  reg  [3:0]      kind;                // the block that was taken
  reg  [XLEN-1:0] pc;
  reg  [LENW-1:0] len;
  reg  [1:0]      open;                // NONE, BRANCH, JUMP, TRAP
  reg  [CNTW-1:0] icnt;
  reg  [XLEN-1:0] ref_pc;              // reference of the next U-ADDR
  reg  [19:0]     since;               // messages since the last synchronization
  // RepeatBranch: the last message, if it was a DirectBranch, and how often it came again.
  reg             last_ok;
  reg  [CNTW-1:0] last_icnt;
  reg  [XLEN-1:0] last_pc;
  reg  [REPW-1:0] again;
  // The message that is being sent: head with I-CNT, then the address.
  reg  [29:0]     head;
  reg  [2:0]      groups;              // of the head
  reg             has_addr;
  reg  [XLEN-2:0] addr;

  // ---------------------------------------------------------------- the hart's side

  wire on     = cfg_enable && cfg_tracing && !hart_dbg;
  wire start  = (state == TAKE) && on && hart_vld;
  // The hart's way into Debug Mode is reported even if nothing was traced before it.
  wire halts  = hart_dbg && !was_dbg && (cfg_enable || was_enabled);
  wire finish = (state == TAKE) && ((tracing && !on) || halts);
  assign hart_hold = (state != TAKE);

  function [1:0] ends_with(input [3:0] itype);
    case (itype)
      4'd1, 4'd2:                                ends_with = TRAP;
      4'd5:                                      ends_with = BRANCH;
      4'd3, 4'd6, 4'd8, 4'd10, 4'd12, 4'd13, 4'd14: ends_with = JUMP;
      default:                                   ends_with = NONE;
    endcase
  endfunction

  // ---------------------------------------------------------------- what to send

  // I-CNT is half full: SYNC=4 at the next block, unless a branch message takes the count with it.
  wire full      = icnt[CNTW-1];
  // Three quarters of the interval of trTeInstSyncMax, which is a maximum.
  wire [19:0] most = 20'd12 << cfg_sync_max;
  wire due       = cfg_sync && (since >= most);
  wire same      = cfg_repeat && last_ok && (open == BRANCH) && !due && (icnt == last_icnt) && (pc == last_pc)
                   && (again != {REPW{1'b1}});
  wire starting  = !tracing;
  wire synced    = starting || due || (open == NONE);

  // Fixed-length fields after SRC, and how many bits they have.
  reg  [5:0]      tcode, fixed;
  reg  [2:0]      fixed_bits;
  reg  [CNTW-1:0] count;
  wire [3:0]      sync   = starting ? why : due ? 4'd2 : 4'd4;
  wire [1:0]      b_type = (open == TRAP) ? 2'd1 : 2'd0;

  always @* begin
    count = icnt;
    if (again != 0 && !starting) begin
      tcode = REPEAT_BRANCH;        fixed = 6'd0;                     fixed_bits = 3'd0;
      count = again;
    end else if (state == CLOSE && open != BRANCH) begin
      tcode = CORRELATION;          fixed = {2'd0, halted ? 4'd0 : 4'd4}; fixed_bits = 3'd6;
    end else if (state == CLOSE) begin
      tcode = DIRECT_BRANCH;        fixed = 6'd0;                     fixed_bits = 3'd0;
    end else if (starting || open == NONE) begin
      tcode = PROG_TRACE_SYNC;      fixed = {2'd0, sync};             fixed_bits = 3'd4;
    end else if (open == BRANCH) begin
      tcode = due ? DIRECT_BRANCH_SYNC : DIRECT_BRANCH;
      fixed = {2'd0, sync};         fixed_bits = due ? 3'd4 : 3'd0;
    end else begin
      tcode = due ? INDIRECT_BRANCH_SYNC : INDIRECT_BRANCH;
      fixed = due ? {b_type, sync} : {4'd0, b_type};
      fixed_bits = due ? 3'd6 : 3'd2;
    end
  end

  wire        with_addr = (tcode == PROG_TRACE_SYNC) || (tcode == DIRECT_BRANCH_SYNC) || (tcode == INDIRECT_BRANCH)
                          || (tcode == INDIRECT_BRANCH_SYNC);
  wire [XLEN-1:0] target = (tcode == INDIRECT_BRANCH) ? (pc ^ ref_pc) : pc;

  // TCODE, SRC, the fixed fields, and I-CNT with all its bits: no leading zero of it is suppressed.
  wire [15:0] body      = (fixed_bits == 3'd0) ? {6'd0, count}
                        : (fixed_bits == 3'd2) ? {4'd0, count, fixed[1:0]}
                        : (fixed_bits == 3'd4) ? {2'd0, count, fixed[3:0]} : {count, fixed[5:0]};
  wire [4:0]  src_bits  = cfg_src ? 5'd3 : 5'd0;
  wire [2:0]  src_id    = cfg_src ? cfg_src_id : 3'd0;
  wire [29:0] head_new  = ({14'd0, body} << (5'd6 + src_bits)) | {21'd0, src_id, tcode};
  wire [4:0]  bits      = 5'd6 + src_bits + {2'd0, fixed_bits} + CNTW;
  wire [2:0]  groups_new = (bits > 5'd24) ? 3'd5 : (bits > 5'd18) ? 3'd4 : 3'd3;

  // ---------------------------------------------------------------- the machine

  wire       last_of_addr = (addr[XLEN-2:6] == 0);
  wire       sending = (state == GAP) || (state == HEAD) || (state == ADDR);
  wire       room;
  reg  [7:0] byte_out;

  always @* begin
    case (state)
      HEAD:    byte_out = {head[5:0], (groups != 3'd1) ? 2'b00 : has_addr ? 2'b01 : 2'b11};
      ADDR:    byte_out = {addr[5:0], last_of_addr ? 2'b11 : 2'b00};
      default: byte_out = 8'hff;
    endcase
  end

  always @(posedge clk) begin
    if (rst) begin
      state <= TAKE;
      tracing <= 1'b0;
      why <= 4'd5;
      open <= NONE;
      icnt <= 0;
      since <= 0;
      last_ok <= 1'b0;
      again <= 0;
      halted <= 1'b0;
      was_dbg <= 1'b0;
      was_enabled <= 1'b0;
    end else begin
      case (state)
        TAKE: begin
          if (hart_dbg) why <= 4'd3;
          else if (!cfg_enable || !cfg_tracing) why <= 4'd5;
          kind <= hart_kind;
          pc <= hart_pc;
          len <= hart_len;
          halted <= hart_dbg;
          was_dbg <= hart_dbg;
          was_enabled <= cfg_enable;
          if (start) state <= RESOLVE;
          else if (finish) state <= CLOSE;
        end
        RESOLVE: begin
          if (tracing && open == NONE && !full) state <= COUNT;
          else if (tracing && same) begin
            again <= again + 1'b1;
            icnt <= 0;
            state <= COUNT;
          end else begin
            state <= synced ? GAP : HEAD;
            if (again != 0) begin
              after <= RESOLVE;
              again <= 0;
              last_ok <= 1'b0;
            end else begin
              after <= COUNT;
              tracing <= 1'b1;
              last_ok <= (tcode == DIRECT_BRANCH);
              last_icnt <= icnt;
              last_pc <= pc;
              icnt <= 0;
              if (with_addr) ref_pc <= pc;
            end
            since <= (synced && again == 0) ? 20'd0 : since + 1'b1;
          end
        end
        COUNT: begin
          icnt <= icnt + len;
          open <= ends_with(kind);
          state <= TAKE;
        end
        CLOSE: begin
          state <= HEAD;
          last_ok <= 1'b0;
          if (again != 0) begin
            again <= 0;
            after <= CLOSE;
          end else if (open == BRANCH) begin
            open <= NONE;
            icnt <= 0;
            after <= CLOSE;
          end else begin
            open <= NONE;
            icnt <= 0;
            tracing <= 1'b0;
            after <= TAKE;
          end
        end
        GAP: if (room) state <= HEAD;
        HEAD: if (room) begin
          head <= {6'd0, head[29:6]};
          groups <= groups - 1'b1;
          if (groups == 3'd1) state <= has_addr ? ADDR : after;
        end
        ADDR: if (room) begin
          addr <= {6'd0, addr[XLEN-2:6]};
          if (last_of_addr) state <= after;
        end
        default: state <= TAKE;
      endcase
      if (state == RESOLVE || state == CLOSE) begin
        head <= head_new;
        groups <= groups_new;
        has_addr <= with_addr;
        addr <= target[XLEN-1:1];
      end
    end
  end

  // ---------------------------------------------------------------- bytes wait here

  reg [7:0] store [0:63];
  reg [6:0] wr, rd;
  assign room   = (wr - rd) != 7'd64;
  assign td_vld = (wr != rd);
  assign td     = td_vld ? store[rd[5:0]] : 8'd0;
  assign quiet  = (state == TAKE) && !td_vld;

  always @(posedge clk) begin
    if (rst) begin
      wr <= 7'd0;
      rd <= 7'd0;
    end else begin
      if (sending && room) begin
        store[wr[5:0]] <= byte_out;
        wr <= wr + 1'b1;
      end
      if (td_vld && td_rdy) rd <= rd + 1'b1;
    end
  end

endmodule
