// SPDX-License-Identifier: Apache-2.0
// Kite PMU: the counters of a small RV64 core with M, S and U, as another house would write them.
//
// mcycle and minstret have adders of their own. The three programmable counters share one: each collects what its event
// did in a few bits, and every third cycle these are added to its 48 bits. So counts arrive up to three cycles late, and
// so do OF and the interrupt.
module kite_pmu (
  input  logic        clk,
  input  logic        rst,          // synchronous, active high

  input  logic [1:0]  prv,          // 0 U, 1 S, 3 M; Debug Mode counts as M
  input  logic        awake,        // not halted in WFI
  input  logic [1:0]  retire,       // instructions
  input  logic [7:0]  ev,           // four events, two bits each

  input  logic        req,
  input  logic [11:0] adr,
  input  logic        rd_only,      // the access does not write
  input  logic [63:0] wdata,        // what the register shall be
  input  logic [1:0]  req_prv,
  output logic [63:0] rdata,
  output logic        illegal,

  output logic        irq,
  output logic        irq_en
);

  localparam int Num = 3;

  // --- Registers ---------------------------------------------------------------------------------------------

  logic [63:0] mcycle_q, minstret_q;
  logic [47:0] cnt_q [Num];
  logic [5:0]  got_q [Num];         // collected, not added yet
  logic [1:0]  turn_q;              // the counter whose turn it is
  logic [7:0]  sel_q [Num];         // low bits of SELECT, whatever they are
  logic [3:0]  flt_q [Num];         // OF, MINH, SINH, UINH
  logic [31:0] off_q;               // mcountinhibit; all ones after reset
  logic [31:0] men_q, sen_q;        // mcounteren, scounteren: every bit is writable but TM
  logic        ip_q, ie_q, deleg_q;

  assign irq    = ip_q;
  assign irq_en = ie_q;

  // --- The access --------------------------------------------------------------------------------------------

  logic [4:0]  num;
  logic [1:0]  idx;
  logic        mine;                // of a programmable counter that is there
  logic        at_mcnt, at_ucnt, at_mevt;
  logic        known, mach, user_ok, sup, wr;
  logic [63:0] cnt_val, evt_val;

  assign num     = adr[4:0];
  assign idx     = num[1:0] - 2'd3;
  assign mine    = (num == 5'd3) || (num == 5'd4) || (num == 5'd5);
  assign at_mcnt = (adr[11:5] == 7'h58) && (num != 5'd1);
  assign at_ucnt = (adr[11:5] == 7'h60) && (num != 5'd1);    // no time CSR: software emulates it
  assign at_mevt = (adr[11:5] == 7'h19) && (num >= 5'd3);

  always_comb begin
    cnt_val = 64'd0;
    if (num == 5'd0)      cnt_val = mcycle_q;
    else if (num == 5'd2) cnt_val = minstret_q;
    else if (mine)        cnt_val = {16'd0, cnt_q[idx]};
    evt_val = mine ? {flt_q[idx], 52'd0, sel_q[idx]} : 64'd0;
  end

  assign mach = (adr == 12'h320) || (adr == 12'h306) || (adr == 12'h344) || (adr == 12'h304) || (adr == 12'h303) ||
                at_mcnt || at_mevt;
  assign sup  = (adr == 12'h106) || (adr == 12'h144) || (adr == 12'h104) || (adr == 12'hda0);

  assign known   = mach || sup || at_ucnt;
  assign user_ok = (req_prv == 2'd3) || (men_q[num] && ((req_prv == 2'd1) || sen_q[num]));

  always_comb begin
    if (!known)                             illegal = 1'b1;
    else if (!rd_only && (adr[11:10] == 2'd3)) illegal = 1'b1;
    else if (mach)                          illegal = req_prv != 2'd3;
    else if (sup)                           illegal = req_prv == 2'd0;
    else                                    illegal = !user_ok;
  end

  always_comb begin
    rdata = 64'd0;
    if (at_mcnt || at_ucnt) rdata = cnt_val;
    else if (at_mevt)       rdata = evt_val;
    else begin
      case (adr)
        12'h320: rdata = {32'd0, off_q};
        12'h306: rdata = {32'd0, men_q};
        12'h106: rdata = {32'd0, sen_q};
        12'h344: rdata = {50'd0, ip_q, 13'd0};
        12'h304: rdata = {50'd0, ie_q, 13'd0};
        12'h303: rdata = {50'd0, deleg_q, 13'd0};
        12'h144: rdata = {50'd0, ip_q && deleg_q, 13'd0};
        12'h104: rdata = {50'd0, ie_q && deleg_q, 13'd0};
        12'hda0: begin
          for (int k = 0; k < Num; k++) begin
            rdata[k+3] = flt_q[k][3] && ((req_prv == 2'd3) || men_q[k+3]);
          end
        end
        default: rdata = 64'd0;
      endcase
    end
    if (!req || illegal) rdata = 64'd0;
  end

  assign wr = req && !illegal && !rd_only;

  // --- What happened in this cycle ---------------------------------------------------------------------------

  logic [5:0]  step [Num];
  logic [48:0] sum;
  logic [Num-1:0] wrap;

  always_comb begin
    for (int k = 0; k < Num; k++) begin
      case (sel_q[k])
        8'h10:   step[k] = {5'd0, awake};
        8'h11:   step[k] = {4'd0, retire};
        8'h20:   step[k] = {4'd0, ev[1:0]};
        8'h21:   step[k] = {4'd0, ev[3:2]};
        8'h22:   step[k] = {4'd0, ev[5:4]};
        8'h23:   step[k] = {4'd0, ev[7:6]};
        default: step[k] = 6'd0;
      endcase
      if (off_q[k+3]) step[k] = 6'd0;
      if ((prv == 2'd3) && flt_q[k][2]) step[k] = 6'd0;
      if ((prv == 2'd1) && flt_q[k][1]) step[k] = 6'd0;
      if ((prv == 2'd0) && flt_q[k][0]) step[k] = 6'd0;
    end
    sum  = {1'b0, cnt_q[turn_q]} + {43'd0, got_q[turn_q]} + {43'd0, step[turn_q]};
    wrap = '0;
    wrap[turn_q] = sum[48] && !(wr && at_mcnt && mine && (idx == turn_q));
  end

  // --- State -------------------------------------------------------------------------------------------------

  always_ff @(posedge clk) begin
    if (rst) begin
      mcycle_q   <= 64'd0;
      minstret_q <= 64'd0;
    end else begin
      if (awake && !off_q[0]) mcycle_q <= mcycle_q + 64'd1;
      if (!off_q[2])          minstret_q <= minstret_q + {62'd0, retire};
      if (wr && (adr == 12'hb00)) mcycle_q   <= wdata;
      if (wr && (adr == 12'hb02)) minstret_q <= wdata;
    end
  end

  always_ff @(posedge clk) begin
    if (rst) turn_q <= 2'd0;
    else     turn_q <= (turn_q == 2'd2) ? 2'd0 : turn_q + 2'd1;
  end

  for (genvar k = 0; k < Num; k++) begin : g_cnt
    always_ff @(posedge clk) begin
      if (rst) begin
        cnt_q[k] <= 48'd0;
        got_q[k] <= 6'd0;
      end else if (wr && at_mcnt && (num == k + 3)) begin
        cnt_q[k] <= wdata[47:0];
        got_q[k] <= 6'd0;
      end else if (turn_q == k) begin
        cnt_q[k] <= sum[47:0];
        got_q[k] <= 6'd0;
      end else begin
        got_q[k] <= got_q[k] + step[k];
      end
    end

    always_ff @(posedge clk) begin
      if (rst) begin
        sel_q[k] <= 8'd0;
        flt_q[k] <= 4'd0;
      end else begin
        if (wr && at_mevt && (num == k + 3)) begin
          sel_q[k] <= wdata[7:0];
          flt_q[k] <= wdata[63:60];
        end
        if (wrap[k]) flt_q[k][3] <= 1'b1;
      end
    end
  end

  always_ff @(posedge clk) begin
    if (rst) begin
      off_q   <= 32'hffff_fffd;
      men_q   <= 32'd0;
      sen_q   <= 32'd0;
      ip_q    <= 1'b0;
      ie_q    <= 1'b0;
      deleg_q <= 1'b0;
    end else begin
      if (wr) begin
        case (adr)
          12'h320: off_q   <= wdata[31:0] & 32'hffff_fffd;
          12'h306: men_q   <= wdata[31:0] & 32'hffff_fffd;
          12'h106: sen_q   <= wdata[31:0] & 32'hffff_fffd;
          12'h344: ip_q    <= wdata[13];
          12'h304: ie_q    <= wdata[13];
          12'h303: deleg_q <= wdata[13];
          12'h144: if (deleg_q) ip_q <= wdata[13];
          12'h104: if (deleg_q) ie_q <= wdata[13];
          default: ;
        endcase
      end
      for (int k = 0; k < Num; k++) begin
        if (wrap[k] && !(wr && at_mevt && (num == k + 3) ? wdata[63] : flt_q[k][3])) ip_q <= 1'b1;
      end
    end
  end

endmodule
