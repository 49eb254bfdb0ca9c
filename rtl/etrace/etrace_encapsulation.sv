// SPDX-License-Identifier: Apache-2.0
// Packets to a stream of bytes in the packet encapsulation 1.0 (docs/reference/etrace-profile.md, Transport): header, srcID,
// timestamp, type and payload, bit by bit, and synchronization sequences of null packets.
//
// Up to 8 bytes a cycle leave on out_*; no transfer holds bytes of two packets, or null packets and bytes of a packet. Padding is 0.
// All settings may change only while empty_o is 1; length, srcID and type of a packet must fit in 31 bytes.
module etrace_encapsulation #(
  parameter int StampWidth = 16  // bits of pkt_time_i, 1 to 64; the bytes of a timestamp above them are 0
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,

  input  logic [1:0]            framing_i,      // etrace_pkg::Sync*
  input  logic [2:0]            async_freq_i,   // a sequence each 2**(async_freq_i + 5) bytes of packets; 0: none
  input  logic [1:0]            flow_i,
  input  logic                  timestamp_i,    // every packet has a timestamp
  input  logic [3:0]            stamp_bytes_i,  // T: 0 to 8
  input  logic [4:0]            src_bits_i,     // 0 to 16
  input  logic [15:0]           src_id_i,
  input  logic [2:0]            type_bits_i,    // 0 to 4

  input  logic                  pkt_valid_i,
  input  logic [1:0]            pkt_type_i,
  input  logic [4:0]            pkt_length_i,
  input  logic [247:0]          pkt_payload_i,  // bytes from pkt_length_i on are 0
  input  logic [StampWidth-1:0] pkt_time_i,
  output logic                  pkt_ready_o,

  output logic                  out_valid_o,
  output logic [3:0]            out_nbytes_o,
  output logic [63:0]           out_data_o,     // first byte in the low bits, 0 after the last
  input  logic                  out_ready_i,

  output logic                  empty_o         // no byte inside
);

  localparam int PayloadBits = 8 * etrace_pkg::MaxBytes + 4;  // with the type
  localparam int MsgBits     = 8 * (1 + 2 + 8 + etrace_pkg::MaxBytes);  // header, srcID, timestamp, payload
  localparam int BodyBits    = MsgBits - 8;
  localparam logic [7:0] Alignment = 8'h80;  // null.alignment

  // Fields, cut to their widths.
  logic [15:0] source;
  logic [3:0]  kind;
  logic [63:0] stamp;
  logic [3:0]  stamp_bytes;
  assign source      = src_id_i & ~(16'hFFFF << src_bits_i);
  assign kind        = {2'b00, pkt_type_i} & ~(4'hF << type_bits_i);
  assign stamp_bytes = timestamp_i ? stamp_bytes_i : 4'd0;

  function automatic logic [63:0] whole_time(input logic [StampWidth-1:0] value);
    whole_time = 64'd0;
    whole_time[StampWidth-1:0] = value;
  endfunction
  assign stamp = whole_time(pkt_time_i) & ~(64'hFFFF_FFFF_FFFF_FFFF << {stamp_bytes, 3'b000});

  // The packet: what is sent first is in the low bits.
  logic [PayloadBits-1:0]    payload;
  logic [PayloadBits+64-1:0] stamped;
  logic [BodyBits-1:0]       body;
  logic [4:0]                spare;      // bits that the length counts besides the payload: odd bits of srcID, and the type
  logic [1:0]                more;       // bytes of them
  logic [4:0]                length;
  logic [5:0]                nbytes, null_run;
  assign payload  = ({4'd0, pkt_payload_i} << type_bits_i) | {{(PayloadBits-4){1'b0}}, kind};
  assign stamped  = ({64'd0, payload} << {stamp_bytes, 3'b000}) | {{PayloadBits{1'b0}}, stamp};
  assign body     = ({{(BodyBits-PayloadBits-64){1'b0}}, stamped} << src_bits_i) | {{(BodyBits-16){1'b0}}, source};
  assign spare    = {2'b00, src_bits_i[2:0]} + {2'b00, type_bits_i};
  assign more     = spare[4:3] + {1'b0, |spare[2:0]};
  assign length   = pkt_length_i + {3'd0, more};
  assign nbytes   = 6'd1 + {4'd0, src_bits_i[4:3]} + {2'd0, stamp_bytes} + {1'b0, length};
  assign null_run = 6'd31 + {4'd0, src_bits_i[4:3]} + {2'd0, stamp_bytes_i};

  // Synchronization: before the first packet, and before the next one after each interval. since_q counts the bytes of the
  // packets from the last sequence on.
  logic [12:0] since_q, interval;
  logic        first_q, due;
  assign interval = 13'd1 << ({1'b0, async_freq_i} + 4'd5);
  assign due      = (framing_i != etrace_pkg::SyncNone) && (async_freq_i != 3'd0) && (first_q || (since_q >= interval));

  // What is being sent: first the null packets, then the packet, whose next bytes are the low ones.
  logic [MsgBits-1:0] msg_q;
  logic [5:0]         nulls_q, left_q, pending;
  logic [3:0]         now;
  logic [63:0]        nulls;
  logic               in_nulls, last, valid, take;
  assign in_nulls = (nulls_q != 6'd0);
  assign pending  = in_nulls ? nulls_q : left_q;
  assign now      = (pending > 6'd8) ? 4'd8 : pending[3:0];
  assign valid    = (left_q != 6'd0);
  assign last     = !in_nulls && (left_q <= 6'd8);
  assign nulls    = ((framing_i == etrace_pkg::SyncUnframed) && (nulls_q <= 6'd8)) ? {56'd0, Alignment} << {nulls_q[2:0] - 3'd1, 3'b000}
                                                                                    : 64'd0;

  assign empty_o     = !valid;
  assign pkt_ready_o = empty_o || (last && out_ready_i);
  assign take        = pkt_valid_i && pkt_ready_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      msg_q   <= '0;
      nulls_q <= '0;
      left_q  <= '0;
      since_q <= '0;
      first_q <= 1'b1;
    end else if (take) begin
      msg_q   <= {body, timestamp_i, flow_i, length};
      nulls_q <= due ? null_run + 6'd1 : 6'd0;
      left_q  <= nbytes;
      since_q <= (due ? 13'd0 : since_q) + ((async_freq_i != 3'd0) ? {7'd0, nbytes} : 13'd0);
      first_q <= 1'b0;
    end else if (valid && out_ready_i) begin
      if (in_nulls) begin
        nulls_q <= nulls_q - {2'b00, now};
      end else begin
        msg_q  <= msg_q >> 64;
        left_q <= left_q - {2'b00, now};
      end
    end
  end

  assign out_valid_o  = valid;
  assign out_nbytes_o = now;
  assign out_data_o   = in_nulls ? nulls : msg_q[63:0];

endmodule
