// SPDX-License-Identifier: Apache-2.0
// One stream of whole messages to several sinks: each message goes to the sinks that want messages
// when it begins, to all of them at once, and to each of them whole.
//
// Without a sink that wants it a message waits. A sink that is reset in the middle of a message loses
// the rest of it; if it was the only one, that rest is thrown away.
module trace_stream_fork #(
  parameter int NSinks = 2
) (
  input  logic              clk_i,
  input  logic              rst_ni,

  input  logic [NSinks-1:0] want_i,    // takes new messages
  input  logic [NSinks-1:0] alive_i,   // can go on with the message it has begun

  input  logic              in_valid_i,
  input  logic              in_last_i,
  output logic              in_ready_o,
  output logic              in_first_o, // the word shown begins a message

  output logic [NSinks-1:0] out_valid_o,
  input  logic [NSinks-1:0] out_ready_i // does not look at out_valid_o
);

  logic              inside_q;
  logic [NSinks-1:0] to_q, to;

  assign to          = inside_q ? (to_q & alive_i) : want_i;
  assign in_ready_o  = ((to & ~out_ready_i) == '0) && (inside_q || (to != '0));
  assign in_first_o  = !inside_q;
  assign out_valid_o = to & {NSinks{in_valid_i && in_ready_o}};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      inside_q <= 1'b0;
      to_q     <= '0;
    end else begin
      if (in_valid_i && in_ready_o) inside_q <= !in_last_i;
      to_q <= (inside_q || (in_valid_i && in_ready_o)) ? to : '0;
    end
  end

endmodule
