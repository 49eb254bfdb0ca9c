// SPDX-License-Identifier: Apache-2.0
// Packets to a stream of bytes (payload chapter of the draft; docs/reference/etrace-profile.md, Transport): the header of one of two
// encapsulations, and the zeros of one of three ways to find packets in the stream.
//
// messaging leaves on out_*, up to 8 bytes a cycle; atb leaves on at_*, a word of 4 bytes a cycle. No word holds bytes
// of two packets, or zeros and bytes of a packet; with atb every packet starts a word, and the stream is that of whole words.
// All settings may change only while empty_o is 1; a stream begins with the reset, so block_bits_i is that of all of it.
module etrace_transport (
  input  logic         clk_i,
  input  logic         rst_ni,

  input  logic         atb_i,          // encapsulation: 0 messaging, 1 atb
  input  logic [1:0]   framing_i,      // etrace_pkg::Framing*
  input  logic [1:0]   index_bytes_i,  // messaging: 0 to 2
  input  logic [1:0]   flow_i,         // messaging
  input  logic         timestamp_i,    // every packet has 16 bits of time
  input  logic [3:0]   block_bits_i,   // blocks: 6 to 10
  input  logic [6:0]   id_i,           // atb: ATID

  input  logic         pkt_valid_i,
  input  logic [1:0]   pkt_type_i,     // only te_inst comes
  input  logic [4:0]   pkt_length_i,
  input  logic [247:0] pkt_payload_i,  // bytes from pkt_length_i on are 0
  input  logic         pkt_start_i,    // a 3.0
  input  logic [15:0]  pkt_time_i,
  output logic         pkt_ready_o,

  output logic         out_valid_o,
  output logic [3:0]   out_nbytes_o,
  output logic [63:0]  out_data_o,     // first byte in the low bits, 0 after the last
  input  logic         out_ready_i,

  output logic         at_valid_o,
  output logic [31:0]  at_data_o,
  output logic [1:0]   at_bytes_o,     // valid bytes - 1
  output logic [6:0]   at_id_o,
  input  logic         at_ready_i,

  output logic         empty_o         // no byte inside
);

  localparam int MsgBytes = 1 + 2 + 2 + etrace_pkg::MaxBytes;  // header, index, timestamp, payload
  localparam int MsgBits  = 8 * MsgBytes;
  localparam logic [5:0] ZeroRun = etrace_pkg::ZeroRun[5:0];

  // The encapsulated packet. The index is 0, and atb has none: payload and timestamp just start later.
  logic [7:0]         header;
  logic [1:0]         index_bytes;
  logic [2:0]         head_bytes;  // bytes before the payload
  logic [MsgBits-9:0] rest;        // all but the header
  logic [5:0]         nbytes;

  assign index_bytes = atb_i ? 2'd0 : index_bytes_i;
  assign header      = atb_i ? {2'b00, timestamp_i, pkt_length_i} : {timestamp_i, flow_i, pkt_length_i};
  assign rest        = {{(MsgBits-264-8){1'b0}}, timestamp_i ? {pkt_payload_i, pkt_time_i} : {16'd0, pkt_payload_i}};
  assign head_bytes  = 3'd1 + {1'b0, index_bytes} + {1'b0, timestamp_i, 1'b0};
  assign nbytes      = {3'd0, head_bytes} + {1'b0, pkt_length_i};

  // Room it takes in the stream, and the zeros before it. The position in a block counts what was accepted, sent
  // or not. A block is longer than two packets, so a packet at the start of one always fits.
  logic [5:0]  room, zeros;
  logic [9:0]  at_q, at, block_mask;
  logic [10:0] block_left;

  assign room       = atb_i ? {nbytes[5:2] + {3'd0, |nbytes[1:0]}, 2'b00} : nbytes;
  assign block_mask = ~(10'h3FF << block_bits_i);
  assign at         = at_q & block_mask;
  assign block_left = {1'b0, block_mask} + 11'd1 - {1'b0, at};

  function automatic logic [5:0] zeros_before(input logic [1:0] framing, input logic start, input logic [5:0] needs,
                                              input logic [10:0] left);
    case (framing)
      etrace_pkg::FramingZeros:  zeros_before = start ? ZeroRun : 6'd0;
      etrace_pkg::FramingBlocks: zeros_before = ({5'd0, needs} > left) ? left[5:0] : 6'd0;
      default:                   zeros_before = 6'd0;
    endcase
  endfunction
  assign zeros = zeros_before(framing_i, pkt_start_i, room, block_left);

  // What is being sent: first the zeros, then the message, whose next bytes are the low ones.
  logic [MsgBits-1:0] msg_q;
  logic [5:0]         zeros_q, left_q, pending;
  logic [3:0]         step, now;
  logic               in_zeros, last, valid, ready, take;

  assign step     = atb_i ? 4'd4 : 4'd8;
  assign in_zeros = (zeros_q != 6'd0);
  assign pending  = in_zeros ? zeros_q : left_q;
  assign now      = (pending > {2'b00, step}) ? step : pending[3:0];
  assign valid    = (left_q != 6'd0);
  assign last     = !in_zeros && (left_q <= {2'b00, step});
  assign ready    = atb_i ? at_ready_i : out_ready_i;

  assign empty_o     = !valid;
  assign pkt_ready_o = empty_o || (last && ready);
  assign take        = pkt_valid_i && pkt_ready_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      msg_q   <= '0;
      zeros_q <= '0;
      left_q  <= '0;
      at_q    <= '0;
    end else if (take) begin
      msg_q   <= {rest << {index_bytes, 3'b000}, header};
      zeros_q <= zeros;
      left_q  <= nbytes;
      at_q    <= at_q + {4'd0, zeros} + {4'd0, room};
    end else if (valid && ready) begin
      if (in_zeros) begin
        zeros_q <= zeros_q - {2'b00, now};
      end else begin
        msg_q  <= atb_i ? msg_q >> 32 : msg_q >> 64;
        left_q <= left_q - {2'b00, now};
      end
    end
  end

  assign out_valid_o  = valid && !atb_i;
  assign out_nbytes_o = now;
  assign out_data_o   = in_zeros ? 64'd0 : msg_q[63:0];
  assign at_valid_o   = valid && atb_i;
  assign at_data_o    = in_zeros ? 32'd0 : msg_q[31:0];
  assign at_bytes_o   = now[1:0] - 2'd1;
  assign at_id_o      = id_i;

  logic unused;
  assign unused = ^{pkt_type_i, block_left};

endmodule
