// SPDX-License-Identifier: Apache-2.0
// A message to bytes in one step: six bits of MDO and two of MSEO each.
module skua_bytes
  import skua_pkg::*;
(
  input  message_t    msg,
  input  logic [3:0]  src_len,
  input  logic [11:0] src,
  input  logic        skip_msbs,           // trTeInstExtendAddrMSB
  output logic [8*MaxBytes-1:0] bytes,     // filled with idle bytes
  output logic [5:0]  words                // of eight bytes
);

  logic [71:0] head;
  logic [65:0] addr, stamp;
  logic [23:0] hist;
  logic [4:0]  head_len;
  logic [3:0]  n_head, n_addr, n_hist, n_stamp;
  logic [5:0]  n;

  // TCODE, SRC, the fixed fields and the first variable one are one string of bits.
  always_comb begin
    head_len = 5'd6 + 5'(src_len) + 5'(msg.fixed_len);
    head = 72'(msg.tcode) | 72'(src & ~(12'hfff << src_len)) << 6
           | 72'(msg.fixed & ~(6'h3f << msg.fixed_len)) << (5'd6 + 5'(src_len)) | 72'(msg.first) << head_len;
    n_head = 4'(head_len / 6) + 4'd1;      // at least one bit of the first variable field
    for (int g = 1; g < 12; g++) if (head[6*g +: 6] != 6'd0 && 4'(g) >= n_head) n_head = 4'(g + 1);
  end

  // An address loses its zeros, or whatever its top bit repeats.
  always_comb begin
    addr = 66'(msg.addr);
    n_addr = 4'd11;
    for (int g = 10; g >= 1; g--) begin
      if ((addr >> 6*g) == '0 && (!skip_msbs || !addr[6*g-1])) n_addr = 4'(g);
      if (skip_msbs && (addr[62:0] | ~(63'h7fff_ffff_ffff_ffff << (6*g-1))) == '1) n_addr = 4'(g);
    end
  end

  always_comb begin
    hist = 24'(msg.hist);
    stamp = 66'(msg.stamp);
    n_hist = 4'd1;
    n_stamp = 4'd1;
    for (int g = 1; g < 4; g++) if (hist[6*g +: 6] != 6'd0) n_hist = 4'(g + 1);
    for (int g = 1; g < 11; g++) if (stamp[6*g +: 6] != 6'd0) n_stamp = 4'(g + 1);
  end

  always_comb begin
    bytes = '1;
    n = 6'd0;
    for (int g = 0; g < 12; g++) if (4'(g) < n_head) begin
      bytes[8*n +: 8] = {head[6*g +: 6], 4'(g + 1) == n_head ? 2'b01 : 2'b00};
      n = n + 6'd1;
    end
    for (int g = 0; g < 11; g++) if (msg.has_addr && 4'(g) < n_addr) begin
      bytes[8*n +: 8] = {addr[6*g +: 6], 4'(g + 1) == n_addr ? 2'b01 : 2'b00};
      n = n + 6'd1;
    end
    for (int g = 0; g < 4; g++) if (msg.has_hist && 4'(g) < n_hist) begin
      bytes[8*n +: 8] = {hist[6*g +: 6], 4'(g + 1) == n_hist ? 2'b01 : 2'b00};
      n = n + 6'd1;
    end
    for (int g = 0; g < 11; g++) if (msg.has_time && 4'(g) < n_stamp) begin
      bytes[8*n +: 8] = {stamp[6*g +: 6], 4'(g + 1) == n_stamp ? 2'b01 : 2'b00};
      n = n + 6'd1;
    end
    bytes[8*(n-6'd1) +: 2] = 2'b11;
    words = (n + 6'd7) >> 3;
  end

endmodule
