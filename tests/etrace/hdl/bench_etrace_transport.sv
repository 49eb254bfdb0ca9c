// SPDX-License-Identifier: Apache-2.0
// Plays packets (+in, one hex line each: start, time, length, payload) into etrace_transport and writes every word that
// was taken to +out: cycle, port, valid bytes, data, ATID. +ready is the chance in percent that a word is taken, +given the chance that a
// packet is there.
module bench_etrace_transport;
  logic         clk = 0, rst_n = 1, pkt_valid = 0, pkt_ready, out_valid, out_ready = 0, at_valid, at_ready = 0, empty;
  logic         start, more = 0, take, hold = 0, waiting = 0;
  logic [15:0]  now;
  logic [4:0]   length;
  logic [247:0] payload;
  logic [269:0] row = 0;
  logic [3:0]   out_nbytes;
  logic [63:0]  out_data;
  logic [31:0]  at_data;
  logic [1:0]   at_bytes;
  logic [6:0]   at_id;
  logic [109:0] word, held = 0;
  int           atb = 0, framing = 0, index_bytes = 0, flow = 0, timestamp = 0, block_bits = 10, id = 0, ready = 100, offered = 100;
  int           fin, fout, cycle = 0, idle = 0, found;
  string        name;

  assign {start, now, length, payload} = row;
  assign word = {out_valid, out_nbytes, out_data, at_valid, at_data, at_bytes};

  etrace_transport u_dut (
    .clk_i(clk), .rst_ni(rst_n), .atb_i(atb[0]), .framing_i(framing[1:0]), .index_bytes_i(index_bytes[1:0]), .flow_i(flow[1:0]),
    .timestamp_i(timestamp[0]), .block_bits_i(block_bits[3:0]), .id_i(id[6:0]), .pkt_valid_i(pkt_valid), .pkt_type_i(2'd0),
    .pkt_length_i(length), .pkt_payload_i(payload), .pkt_start_i(start), .pkt_time_i(now), .pkt_ready_o(pkt_ready),
    .out_valid_o(out_valid), .out_nbytes_o(out_nbytes), .out_data_o(out_data), .out_ready_i(out_ready),
    .at_valid_o(at_valid), .at_data_o(at_data), .at_bytes_o(at_bytes), .at_id_o(at_id), .at_ready_i(at_ready), .empty_o(empty)
  );

  initial begin
    found = $value$plusargs("atb=%d", atb);
    found = $value$plusargs("framing=%d", framing);
    found = $value$plusargs("index_bytes=%d", index_bytes);
    found = $value$plusargs("flow=%d", flow);
    found = $value$plusargs("timestamp=%d", timestamp);
    found = $value$plusargs("block_bits=%d", block_bits);
    found = $value$plusargs("id=%d", id);
    found = $value$plusargs("ready=%d", ready);
    found = $value$plusargs("given=%d", offered);
    found = $value$plusargs("in=%s", name);
    fin = $fopen(name, "r");
    found = $value$plusargs("out=%s", name);
    fout = $fopen(name, "w");
    #1 rst_n = 0;
    #1 rst_n = 1;
    more = ($fscanf(fin, "%h", row) == 1);
    while (idle < 20) begin
      // A packet once offered stays.
      pkt_valid = more && (hold || $urandom_range(99) < offered);
      out_ready = ($urandom_range(99) < ready);
      at_ready  = ($urandom_range(99) < ready);
      #1;
      if (waiting && word != held) $fdisplay(fout, "%0d changed", cycle);
      held    = word;
      waiting = (out_valid && !out_ready) || (at_valid && !at_ready);
      if ((out_valid || at_valid) == empty) $fdisplay(fout, "%0d empty", cycle);
      if (out_valid && out_ready) $fdisplay(fout, "%0d out %0d %h 0", cycle, out_nbytes, out_data);
      if (at_valid && at_ready) $fdisplay(fout, "%0d atb %0d %h %0d", cycle, at_bytes + 1, at_data, at_id);
      idle = (!empty || more) ? 0 : idle + 1;
      take = pkt_valid && pkt_ready;
      hold = pkt_valid && !pkt_ready;
      clk  = 1;
      #1;
      if (take) more = ($fscanf(fin, "%h", row) == 1);
      clk   = 0;
      cycle = cycle + 1;
    end
    $finish;
  end
endmodule
