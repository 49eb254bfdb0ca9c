// SPDX-License-Identifier: Apache-2.0
// Counters of an RV32 core with M and U: all of them add in every cycle, one stage after what happened was registered.
module plover_pmc (
  input  wire        ck,
  input  wire        arst,
  input  wire        user,        // mode of the hart
  input  wire [1:0]  ret,
  input  wire [7:0]  happened,    // four events, two bits each
  input  wire [47:0] cmd,         // {valid, user, kind[1:0], address[11:0], data[31:0]}
  output wire [31:0] q,
  output wire        trap,
  output wire        pend,
  output wire        pend_en,
  output wire [255:0] all,        // six counters of 40 bits, mcycle and minstret of 64 apart
  output wire [127:0] fixed,
  output wire [3:0]  ovf
);

  // Command.
  wire        valid = cmd[47];
  wire        low_mode = cmd[46];
  wire [1:0]  kind = cmd[45:44];
  wire [11:0] at = cmd[43:32];
  wire [31:0] data = cmd[31:0];
  wire [4:0]  num = at[4:0];
  wire        upper = at[7];
  wire        is_write = (kind == 2'd1) || (kind[1] && (data != 32'd0));

  // State.
  reg [63:0] cyc, ins;
  reg [39:0] cnt [3:6];
  reg [7:0]  sel [3:6];
  reg [2:0]  flt [3:6];           // {OF, MINH, UINH}
  reg [1:0]  cyc_f, ins_f;        // {MINH, UINH}
  reg [31:0] en;
  reg        lcof, lcof_e;
  reg [2:0]  mie_rest;
  reg [1:0]  ret_s;
  reg [7:0]  hap_s;
  reg        user_s;

  // What an address is.
  wire mine_m   = (at[11:8] == 4'hB) && (at[6:5] == 2'b00) && (num != 5'd1);   // machine counters
  wire mine_u   = (at[11:8] == 4'hC) && (at[6:5] == 2'b00) && (num != 5'd1);   // their views
  wire event_lo = (at[11:5] == 7'b0011_001) && (num >= 5'd3);                  // 0x323 to 0x33f
  wire event_hi = (at[11:5] == 7'b0111_001) && (num >= 5'd3);                  // 0x723 to 0x73f
  wire there    = (num >= 5'd3) && (num <= 5'd6);
  wire absent   = (at == 12'h320) || (at == 12'hC01) || (at == 12'hC81);       // mcountinhibit, time, timeh

  wire no_right = low_mode && (at[9:8] != 2'b00);
  wire closed   = low_mode && mine_u && !en[num];
  wire fixed_at = (at[11:10] == 2'b11) && is_write;
  assign trap   = valid && (absent || no_right || closed || fixed_at);
  wire go       = valid && is_write && !trap;

  // Read.
  wire [63:0] wide = (num == 5'd0) ? cyc : (num == 5'd2) ? ins : there ? {24'd0, cnt[there ? num : 5'd3]} : 64'd0;
  wire [2:0]  my_f = there ? flt[there ? num : 5'd3] : 3'd0;
  reg  [31:0] r;
  always @* begin
    r = 32'd0;
    if (mine_m || mine_u)    r = upper ? wide[63:32] : wide[31:0];
    else if (event_lo)       r = there ? {24'd0, sel[there ? num : 5'd3]} : 32'd0;
    else if (event_hi)       r = {my_f[2], my_f[1], 1'b0, my_f[0], 28'd0};
    else if (at == 12'h721)  r = {1'b0, cyc_f[1], 1'b0, cyc_f[0], 28'd0};
    else if (at == 12'h722)  r = {1'b0, ins_f[1], 1'b0, ins_f[0], 28'd0};
    else if (at == 12'h306)  r = en;
    else if (at == 12'h344)  r = {18'd0, lcof, 13'h0080};                      // MTIP is there as well
    else if (at == 12'h304)  r = {18'd0, lcof_e, 1'b0, mie_rest[2], 3'd0, mie_rest[1], 3'd0, mie_rest[0], 3'd0};
  end
  assign q = trap ? 32'd0 : r;
  wire [31:0] w = (kind == 2'd1) ? data : (kind == 2'd2) ? (r | data) : (r & ~data);

  // mcycle and minstret count at once; the clock of mcycle does not stop.
  wire [63:0] cyc_n = cyc + {63'd0, !(user ? cyc_f[0] : cyc_f[1])};
  wire [63:0] ins_n = ins + ((user ? ins_f[0] : ins_f[1]) ? 64'd0 : {62'd0, ret});
  wire        wr_cyc = go && mine_m && (num == 5'd0);
  wire        wr_ins = go && mine_m && (num == 5'd2);

  // The others: bit 0 of SELECT is cycles, bit 1 instructions, bits 2 to 5 events; what is selected is added up.
  reg [39:0] sum [3:6];
  reg        wrap [3:6];
  reg [4:0]  inc;
  integer    k;
  always @* begin
    inc = 5'd0;
    for (k = 3; k <= 6; k = k + 1) begin
      inc = {4'd0, sel[k][0]} + (sel[k][1] ? {3'd0, ret_s} : 5'd0) + (sel[k][2] ? {3'd0, hap_s[1:0]} : 5'd0)
          + (sel[k][3] ? {3'd0, hap_s[3:2]} : 5'd0) + (sel[k][4] ? {3'd0, hap_s[5:4]} : 5'd0)
          + (sel[k][5] ? {3'd0, hap_s[7:6]} : 5'd0);
      if (user_s ? flt[k][0] : flt[k][1]) inc = 5'd0;
      {wrap[k], sum[k]} = {1'b0, cnt[k]} + {36'd0, inc};
    end
  end

  wire wr_mip = go && (at == 12'h344);
  integer n;
  reg request;
  always @(posedge ck or posedge arst) begin
    if (arst) begin
      cyc <= 64'h0000_0001_8000_1234;
      ins <= 64'h0000_0000_0000_0077;
      for (n = 3; n <= 6; n = n + 1) begin
        cnt[n] <= 40'h55_5555_0000 + n;
        sel[n] <= 8'h01;
        flt[n] <= 3'b000;
      end
      cyc_f <= 2'b01;
      ins_f <= 2'b00;
      en <= 32'hffff_ffff;
      lcof <= 1'b0;
      lcof_e <= 1'b0;
      mie_rest <= 3'd0;
      ret_s <= 2'd0;
      hap_s <= 8'd0;
      user_s <= 1'b0;
    end else begin
      ret_s <= ret;
      hap_s <= happened;
      user_s <= user;
      // A half that is not written counts on.
      cyc <= {(wr_cyc && upper) ? w : cyc_n[63:32], (wr_cyc && !upper) ? w : cyc_n[31:0]};
      ins <= {(wr_ins && upper) ? w : ins_n[63:32], (wr_ins && !upper) ? w : ins_n[31:0]};
      request = 1'b0;
      for (n = 3; n <= 6; n = n + 1) begin
        if (go && mine_m && (num == n)) begin
          cnt[n] <= upper ? {w[7:0], sum[n][31:0]} : {sum[n][39:32], w};
        end else begin
          cnt[n] <= sum[n];
          if (wrap[n]) flt[n][2] <= 1'b1;
          request = request || (wrap[n] && !flt[n][2]);
        end
        if (go && event_lo && (num == n)) sel[n] <= w[7:0];
        if (go && event_hi && (num == n)) begin
          flt[n] <= {w[31] || wrap[n], w[30], w[28]};
          request = request || (wrap[n] && !w[31]);
        end
      end
      if (go && (at == 12'h721)) cyc_f <= {w[30], w[28]};
      if (go && (at == 12'h722)) ins_f <= {w[30], w[28]};
      if (go && (at == 12'h306)) en <= w;
      if (go && (at == 12'h304)) begin
        lcof_e <= w[13];
        mie_rest <= {w[11], w[7], w[3]};
      end
      lcof <= (wr_mip ? w[13] : lcof) || request;
    end
  end

  assign pend = lcof;
  assign pend_en = lcof_e;
  assign all = {96'd0, cnt[6], cnt[5], cnt[4], cnt[3]};
  assign fixed = {ins, cyc};
  assign ovf = {flt[6][2], flt[5][2], flt[4][2], flt[3][2]};

endmodule
