// SPDX-License-Identifier: Apache-2.0
// The bytes of etrace_transport (messaging) as the trace system needs them: the source in the index, and where a packet ends.
//
// Words of zeros before a packet belong to it. The first byte of a packet, its header, is never 0.
module trace_packet_source (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic        index_i,    // packets have an index of one byte
  input  logic [7:0]  source_i,

  input  logic        taken_i,    // this word is taken
  input  logic [3:0]  nbytes_i,
  input  logic [63:0] data_i,     // first byte in bits 7:0; a packet starts a word
  output logic [63:0] data_o,
  output logic        last_o      // the packet ends with this word
);

  logic [5:0] left_q, left;  // bytes of the packet from this word on; 0: none has begun
  logic       first;

  assign first = (left_q == 6'd0) && (data_i[7:0] != 8'd0);
  // The header, the index, a timestamp of two bytes, and the payload.
  assign left  = first ? 6'd1 + {5'd0, index_i} + {4'd0, data_i[7], 1'b0} + {1'b0, data_i[4:0]} : left_q;

  assign last_o = (left != 6'd0) && (left <= {2'd0, nbytes_i});
  assign data_o = data_i | ((first && index_i) ? {48'd0, source_i, 8'd0} : 64'd0);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni)      left_q <= 6'd0;
    else if (taken_i) left_q <= (left == 6'd0 || last_o) ? 6'd0 : left - {2'd0, nbytes_i};
  end

endmodule
