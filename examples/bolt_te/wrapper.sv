// SPDX-License-Identifier: Apache-2.0
// What a map cannot do for Bolt TE: its words become packets again, which takes a register.
module bolt_te_packets
#(
  parameter int AddrW  = 64,
  parameter int CauseW = 6
) (
  input  logic              clk,
  input  logic              rst_n,
  input  logic              te_enable,
  input  logic              te_qualify,
  input  logic              r_valid,
  input  logic [3:0]        r_itype,
  input  logic              r_trap,
  input  logic [AddrW-1:1]  r_pc,
  input  logic [2:0]        r_priv,
  input  logic              r_interrupt,
  input  logic [CauseW-1:0] r_cause,
  input  logic [AddrW-1:0]  r_tval,
  output logic              r_stall,
  output logic              empty,

  output logic              pkt_valid_o,
  output logic [1:0]        pkt_type_o,
  output logic [4:0]        pkt_length_o,
  output logic [247:0]      pkt_payload_o,
  input  logic              pkt_ready_i
);

  logic         w_valid, w_ready, idle, full_q;
  logic [31:0]  w_data;
  logic [2:0]   word_q, last;
  logic [255:0] packet_q;   // header byte and payload

  bolt_te #(.AddrW(AddrW), .CauseW(CauseW)) u_bolt (
    .clk, .rst_n, .te_enable, .te_qualify, .r_valid, .r_itype, .r_trap, .r_pc, .r_priv, .r_interrupt, .r_cause, .r_tval, .r_stall,
    .w_valid, .w_data, .w_ready, .idle
  );

  assign w_ready = !full_q;
  assign last    = (word_q == 3'd0) ? w_data[4:2] : packet_q[4:2];

  always_ff @(posedge clk or negedge rst_n) begin
    if (!rst_n) begin
      full_q   <= 1'b0;
      word_q   <= 3'd0;
      packet_q <= '0;
    end else if (full_q) begin
      full_q <= !pkt_ready_i;
    end else if (w_valid) begin
      if (word_q == 3'd0) packet_q <= {224'd0, w_data};
      else                packet_q[32*word_q +: 32] <= w_data;
      full_q <= (word_q == last);
      word_q <= (word_q == last) ? 3'd0 : word_q + 3'd1;
    end
  end

  assign pkt_valid_o   = full_q;
  assign pkt_type_o    = packet_q[6:5];
  assign pkt_length_o  = packet_q[4:0];
  assign pkt_payload_o = packet_q[255:8];
  assign empty         = idle && !full_q;

  logic unused;
  assign unused = packet_q[7];  // of the header, always 0

endmodule
