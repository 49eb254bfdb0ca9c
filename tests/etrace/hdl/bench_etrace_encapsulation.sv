// SPDX-License-Identifier: Apache-2.0
// Plays packets (+in, one hex line each: time, type, length, payload) into etrace_encapsulation and writes every transfer to +out:
// cycle, valid bytes, data. +ready is the chance in percent that a transfer is taken, +given the chance that a packet is there.
module bench_etrace_encapsulation;
  parameter int StampWidth = 64;
  logic         clk = 0, rst_n = 1, pkt_valid = 0, pkt_ready, out_valid, out_ready = 0, empty;
  logic         more = 0, take, hold = 0, waiting = 0;
  logic [63:0]  now;
  logic [1:0]   kind;
  logic [4:0]   length;
  logic [247:0] payload;
  logic [318:0] row = 0;
  logic [3:0]   out_nbytes;
  logic [63:0]  out_data;
  logic [68:0]  word, held = 0;
  int           framing = 0, async_freq = 0, flow = 0, timestamp = 0, stamp_bytes = 0, src_bits = 0, src_id = 0, type_bits = 0;
  int           ready = 100, offered = 100, fin, fout, cycle = 0, idle = 0, found;
  string        name;

  assign {now, kind, length, payload} = row;
  assign word = {out_valid, out_nbytes, out_data};

  etrace_encapsulation #(.StampWidth(StampWidth)) u_dut (
    .clk_i(clk), .rst_ni(rst_n), .framing_i(framing[1:0]), .async_freq_i(async_freq[2:0]), .flow_i(flow[1:0]),
    .timestamp_i(timestamp[0]), .stamp_bytes_i(stamp_bytes[3:0]), .src_bits_i(src_bits[4:0]), .src_id_i(src_id[15:0]),
    .type_bits_i(type_bits[2:0]), .pkt_valid_i(pkt_valid), .pkt_type_i(kind), .pkt_length_i(length), .pkt_payload_i(payload),
    .pkt_time_i(now[StampWidth-1:0]), .pkt_ready_o(pkt_ready),
    .out_valid_o(out_valid), .out_nbytes_o(out_nbytes), .out_data_o(out_data), .out_ready_i(out_ready), .empty_o(empty)
  );

  initial begin
    found = $value$plusargs("framing=%d", framing);
    found = $value$plusargs("async_freq=%d", async_freq);
    found = $value$plusargs("flow=%d", flow);
    found = $value$plusargs("timestamp=%d", timestamp);
    found = $value$plusargs("stamp_bytes=%d", stamp_bytes);
    found = $value$plusargs("src_bits=%d", src_bits);
    found = $value$plusargs("src_id=%d", src_id);
    found = $value$plusargs("type_bits=%d", type_bits);
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
      #1;
      if (waiting && word != held) $fdisplay(fout, "%0d changed", cycle);
      held    = word;
      waiting = out_valid && !out_ready;
      if (out_valid == empty) $fdisplay(fout, "%0d empty", cycle);
      if (out_valid && out_ready) $fdisplay(fout, "%0d %0d %h", cycle, out_nbytes, out_data);
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
