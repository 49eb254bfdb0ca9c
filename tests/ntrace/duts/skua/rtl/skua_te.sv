// SPDX-License-Identifier: Apache-2.0
// Skua: an N-Trace encoder in HTM, a pipeline that takes a block every cycle: beat register, events, queue, bytes.
module skua_te
  import skua_pkg::*;
(
  input  logic         clk,
  input  logic         rst_n,
  input  level_t       level_i,
  input  block_t       block_i,
  input  logic [63:0]  time_i,
  // Settings.
  input  logic         may_stall_i,
  input  logic         hist_repeat_i,
  input  logic         returns_i,
  input  logic         contexts_i,
  input  logic         stamps_i,
  input  logic         skip_msbs_i,
  input  logic [1:0]   resync_unit_i,
  input  logic [3:0]   resync_exp_i,
  input  logic [3:0]   src_len_i,
  input  logic [11:0]  src_i,
  output logic         ready_o,
  output logic         losing_o,
  output logic         lost_o,
  output logic         idle_o,
  // Words of eight bytes.
  output logic         word_valid_o,
  output logic [63:0]  word_o,
  input  logic         word_ready_i
);

  beat_t    beat;
  state_t   state, state_next;
  logic     valid [Slots];
  message_t msg [Slots];

  message_t   queue [QueueLen];
  logic [5:0] wr, rd, used;
  logic       no_room, made, take;

  logic [8*MaxBytes-1:0] bytes, left;
  logic [5:0]            words, words_left;

  // Room for the beat that is in the register and for the one that comes.
  assign used     = wr - rd;
  assign no_room  = used > 6'(QueueLen - 2 * Slots);
  assign ready_o  = !(may_stall_i && no_room);
  assign losing_o = !may_stall_i && no_room;

  always_ff @(posedge clk or negedge rst_n) begin
    if (!rst_n) beat <= '0;
    else begin
      beat.now <= time_i;
      beat.lost <= losing_o;
      if (ready_o) begin
        beat.level <= level_i;
        beat.block <= block_i;
      end else begin
        beat.block <= '0;
        beat.level.hit <= 1'b0;
        beat.level.hit_ext <= 1'b0;
      end
    end
  end

  skua_events u_events (
    .inst_hist_repeat(hist_repeat_i), .inst_returns(returns_i), .contexts(contexts_i), .stamps(stamps_i),
    .resync_unit(resync_unit_i), .resync_exp(resync_exp_i), .beat, .now(state), .nxt(state_next), .valid, .msg
  );

  always_ff @(posedge clk or negedge rst_n) begin
    if (!rst_n) begin
      state <= '0;
      state.why <= 4'd5;
      lost_o <= 1'b0;
    end else begin
      state <= state_next;
      lost_o <= state_next.owed && !state.owed;
    end
  end

  always_ff @(posedge clk or negedge rst_n) begin : push
    logic [5:0] place;
    if (!rst_n) wr <= '0;
    else begin
      place = wr;
      for (int i = 0; i < Slots; i++) begin
        if (valid[i]) begin
          queue[place[4:0]] <= msg[i];
          place = place + 6'd1;
        end
      end
      wr <= place;
    end
  end

  skua_bytes u_bytes (.msg(queue[rd[4:0]]), .src_len(src_len_i), .src(src_i), .skip_msbs(skip_msbs_i), .bytes, .words);

  assign take         = used != '0 && (words_left == '0 || (words_left == 6'd1 && word_ready_i));
  assign word_valid_o = words_left != '0;
  assign word_o       = word_valid_o ? left[63:0] : '0;

  always_ff @(posedge clk or negedge rst_n) begin
    if (!rst_n) begin
      rd <= '0;
      left <= '0;
      words_left <= '0;
    end else if (take) begin
      rd <= rd + 6'd1;
      left <= bytes;
      words_left <= words;
    end else if (word_valid_o && word_ready_i) begin
      left <= left >> 64;
      words_left <= words_left - 6'd1;
    end
  end

  always_comb begin
    made = 1'b0;
    for (int i = 0; i < Slots; i++) made = made | valid[i];
  end
  assign idle_o = used == '0 && words_left == '0 && !made && !state.owed;

endmodule
