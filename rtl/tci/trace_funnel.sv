// SPDX-License-Identifier: Apache-2.0
// Trace funnel: N streams of whole messages into one, a message of each input in turn (round robin).
//
// A word never mixes messages, and the last word of each is marked. A message is let in only if
// the buffer has room for all of it, so that no input is ever stuck in the middle of a message.
module trace_funnel #(
  parameter int NInputs    = 2,
  parameter int OutBytes   = 8,
  parameter int MaxMessage = 48,  // bytes of the longest message
  // Derived, do not set.
  parameter int CountBits  = $clog2(OutBytes + 1)
) (
  input  logic                          clk_i,
  input  logic                          rst_ni,
  input  logic                          clear_i,    // forget what is inside
  input  logic                          enable_i,   // 0: lets no further message in
  input  logic [NInputs-1:0]            dis_i,      // messages of this input are thrown away
  output logic                          empty_o,
  output logic                          may_clear_o,// after this cycle no message is half in or half out

  input  logic [NInputs-1:0]            in_valid_i,
  input  logic [NInputs-1:0]            in_last_i,
  input  logic [NInputs*CountBits-1:0]  in_nbytes_i,
  input  logic [NInputs*8*OutBytes-1:0] in_data_i,
  output logic [NInputs-1:0]            in_ready_o,

  output logic                          out_valid_o,
  output logic                          out_last_o,
  output logic [CountBits-1:0]          out_nbytes_o,
  output logic [8*OutBytes-1:0]         out_data_o,
  input  logic                          out_ready_i
);

  localparam int Width     = 8*OutBytes + CountBits + 1;
  localparam int MaxWords  = (MaxMessage + OutBytes - 1) / OutBytes;
  localparam int Depth     = 1 << $clog2(2*MaxWords);
  localparam int FillBits  = $clog2(Depth + 1);
  localparam int RoomLimit = Depth - MaxWords;

  logic [NInputs-1:0]  above_q;     // inputs after the one served last
  logic [NInputs-1:0]  grant_q;     // one hot, while inside_q
  logic                inside_q;    // in the middle of a message of that input
  logic [NInputs-1:0]  drop_q;      // in the middle of a message that is thrown away
  logic [NInputs-1:0]  dropping, wants, first, pick, grant;
  logic                room, push, push_last, out_inside_q;
  logic [FillBits-1:0] fill;
  logic                fifo_valid, pop;
  logic [Width-1:0]    fifo_data;

  // While the funnel is cleared the words left inside are whole messages: they leave unseen.
  logic flush_q;

  // A message that is being let in is not thrown away, nor the other way round.
  assign dropping = drop_q | (dis_i & {NInputs{enable_i}} & ~(grant_q & {NInputs{inside_q}}));
  assign wants    = in_valid_i & ~dropping;
  assign first    = ((wants & above_q) != '0) ? (wants & above_q) : wants;
  assign pick     = first & (~first + 1'b1);  // the lowest of them
  assign room     = (fill <= RoomLimit[FillBits-1:0]);
  assign grant    = inside_q ? (grant_q & in_valid_i) : (pick & {NInputs{enable_i && room && !flush_q}});

  assign in_ready_o = grant | dropping;
  assign push       = (grant != '0);
  assign push_last  = ((grant & in_last_i) != '0);

  // The granted input's word.
  for (genvar i = 0; i < NInputs; i++) begin : gen_word
    logic [Width-1:0] word, sum;
    assign word = !grant[i] ? '0 :
      {in_last_i[i], in_nbytes_i[i*CountBits +: CountBits], in_data_i[i*8*OutBytes +: 8*OutBytes]};
    if (i == 0) begin : gen_first
      assign sum = word;
    end else begin : gen_next
      assign sum = gen_word[i-1].sum | word;
    end
  end

  trace_fifo_multi #(
    .Width (Width),
    .Depth (Depth),
    .NPush (1)
  ) u_fifo (
    .clk_i,
    .rst_ni,
    .push_valid_i (push),
    .push_data_i  (gen_word[NInputs-1].sum),
    .valid_o      (fifo_valid),
    .data_o       (fifo_data),
    .ready_i      (pop),
    .count_o      (fill)
  );

  assign pop          = flush_q || out_ready_i;
  assign out_valid_o  = fifo_valid && !flush_q;
  assign {out_last_o, out_nbytes_o, out_data_o} = fifo_data;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      above_q      <= '0;
      grant_q      <= '0;
      inside_q     <= 1'b0;
      drop_q       <= '0;
      out_inside_q <= 1'b0;
      flush_q      <= 1'b0;
    end else begin
      flush_q <= (clear_i || flush_q) && fifo_valid;
      if (push) begin
        grant_q  <= grant;
        inside_q <= !push_last;
        above_q  <= ~(grant | (grant - 1'b1));
      end
      drop_q <= (dropping & in_valid_i & ~in_last_i) | (drop_q & ~in_valid_i);
      if (out_valid_o && out_ready_i) out_inside_q <= !out_last_o;
    end
  end

  logic out_inside_d, inside_d;
  assign inside_d     = push ? !push_last : inside_q;
  assign out_inside_d = (out_valid_o && out_ready_i) ? !out_last_o : out_inside_q;
  assign may_clear_o  = !inside_d && !out_inside_d;
  assign empty_o      = !out_valid_o && !inside_q;

endmodule
