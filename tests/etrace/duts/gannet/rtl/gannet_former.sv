// SPDX-License-Identifier: Apache-2.0
// The payload of a packet: its fields put together, in the shortest form that is legal.
module gannet_former
  import gannet_pkg::*;
(
  input  packet_t      p,
  output logic [4:0]   n_bytes,
  output logic [247:0] bytes
);

  typedef struct packed {
    logic [7:0]   n;      // bits
    logic [255:0] bits;
  } field_t;

  // A field after those that are there.
  function automatic field_t plus(input field_t f, input int width, input logic [63:0] value);
    field_t g = f;
    g.bits |= (256'(value) & ~(~256'd0 << width)) << f.n;
    g.n = f.n + 8'(width);
    return g;
  endfunction

  // The bytes that do not follow from the sign.
  function automatic field_t shortest(input field_t f);
    field_t g = f;
    if (f.bits[f.n-8'd1]) g.bits |= ~256'd0 << f.n;
    g.n = 8'd1;
    for (int k = 31; k > 0; k--)
      if (g.n == 8'd1 && g.bits[8*k +: 8] != {8{g.bits[8*k-1]}}) g.n = 8'(k + 1);
    return g;
  endfunction

  function automatic int map_width(input logic [4:0] count);
    return count == 0 ? 0 : count == 1 ? 1 : count < 4 ? 3 : count < 8 ? 7 : count < 16 ? 15 : 31;
  endfunction

  // Address, notify, updiscon, irreport, irdepth.
  function automatic field_t tail(input field_t f, input packet_t q);
    at_t    a = q.opts.full_address ? q.at[62:0] : q.at[62:0] - q.from;
    logic   notify = a[62] ^ q.watch;
    logic   updiscon = notify ^ q.apart;
    field_t g = plus(f, 63, {1'b0, a});
    g = plus(g, 1, 64'(notify));
    g = plus(g, 1, 64'(updiscon));
    g = plus(g, 1, 64'(updiscon ^ q.deep));
    return plus(g, Stack + 1, q.deep ? 64'(q.depth) : {64{updiscon}});
  endfunction

  always_comb begin
    field_t f, other;
    logic   counted;
    f = '0;
    other = '0;
    counted = p.b.count == 5'd31 && p.b.all_correct;
    unique case (p.kind)
      Sync, Trapped: begin
        f = plus(f, 4, p.kind == Sync ? 64'h3 : 64'h7);
        f = plus(f, 1, 64'(!p.taken));
        f = plus(f, 3, 64'(p.e.priv));
        f = plus(f, 24, 64'(p.e.now));
        f = plus(f, 16, {48'd0, p.e.ctx});
        if (p.kind == Trapped) begin
          f = plus(f, 6, 64'(p.e.cause));
          f = plus(f, 1, 64'(p.e.irq));
          f = plus(f, 1, 64'(p.handler));
        end
        if (p.kind == Sync || !(p.opts.implicit_exception && p.handler)) f = plus(f, 63, p.at);
        if (p.kind == Trapped && !p.e.irq) f = plus(f, 64, p.e.tval);
      end
      Context: begin
        f = plus(f, 4, 64'hB);
        f = plus(f, 3, {61'd0, p.e.priv});
        f = plus(f, 24, {40'd0, p.e.now});
        f = plus(f, 16, 64'(p.e.ctx));
      end
      Support: begin
        f = plus(f, 4, 64'hF);
        f = plus(f, 1, 64'(p.enabled));
        f = plus(f, 1, 64'd0);                       // encoder_mode
        f = plus(f, 2, 64'(p.status));
        f = plus(f, 7, {57'd0, p.opts, 1'b1});       // ioptions: its own bit, then opts
        f = plus(f, 2, 64'd0);                       // denable, dloss
      end
      Map: begin
        f = plus(f, 7, 64'h1);
        f = plus(f, 31, 64'(p.b.map));
      end
      Count: begin
        f = plus(f, 3, 64'd0);
        f = plus(f, 32, 64'(p.b.correct - 32'd31));
        f = plus(f, 2, 64'd0);
      end
      default: begin                                 // Address
        if (counted) begin
          f = plus(f, 3, {61'd0, 3'd0});
          f = plus(f, 32, {32'd0, p.b.correct - 32'd31});
          f = tail(plus(f, 2, p.missed ? 64'd3 : 64'd2), p);
        end else begin
          f = plus(f, 2, p.b.count != 0 ? 64'd1 : 64'd2);
          if (p.b.count != 0) begin
            f = plus(f, 5, 64'(p.b.count));
            f = plus(f, map_width(p.b.count), {33'd0, p.b.map});
          end
          f = tail(f, p);
          other = plus(other, 3, 64'd4);             // format 0, subformat 1
          other = plus(other, Cache, 64'(p.at[Cache-1:0]));
          other = plus(other, 5, {59'd0, p.b.count});
          other = plus(other, map_width(p.b.count), {33'd0, p.b.map} + 64'd0);
          other = plus(other, 1, 64'(other.bits[other.n-8'd1] ^ p.deep));   // irreport
          other = plus(other, Stack + 1, p.deep ? 64'(p.depth) : {64{other.bits[other.n-8'd1]}});
        end
      end
    endcase
    f = shortest(f);
    if (p.hit && !p.apart && !counted) begin
      other = shortest(other);
      if (other.n <= f.n) f = other;
    end
    n_bytes = f.n[4:0];
    bytes = f.bits[247:0] & ~(~248'd0 << (8 * f.n));
  end

endmodule
