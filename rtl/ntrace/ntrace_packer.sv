// SPDX-License-Identifier: Apache-2.0
// Message descriptors to N-Trace bytes (1.0.0_rc7 chapter 3): a whole message is packed in one cycle
// and leaves OutBytes a cycle. Messages never share an output word.
//
// Layout of a message: TCODE, SRC, F4, F2 and the first variable field share the head; ADDR or HREPEAT, HIST
// and TSTAMP, where the message has them, follow on byte boundaries. The straps may change only while
// no message is on its way.
module ntrace_packer
#(
  parameter int Xlen         = 64,
  parameter int HistBits     = 32,
  parameter int TsWidth      = 64,  // 1 to 64
  parameter int OutBytes     = 8,
  // Derived, do not set.
  parameter int DescWidth    = ntrace_layout_pkg::message_bits(Xlen - 1, HistBits, TsWidth),
  parameter int OutCountBits = $clog2(OutBytes + 1)
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,

  input  logic [3:0]              src_bits_i,   // width of SRC, 0 if none is sent
  input  logic [11:0]             src_id_i,
  input  logic                    ts_enable_i,  // every message has TSTAMP
  input  logic                    extend_i,     // trTeInstExtendAddrMSB

  input  logic                    desc_valid_i,
  input  logic [DescWidth-1:0]    desc_i,
  output logic                    desc_ready_o,

  output logic                    out_valid_o,
  output logic [OutCountBits-1:0] out_nbytes_o,
  output logic [8*OutBytes-1:0]   out_data_o,
  input  logic                    out_ready_i
);

  localparam int AddrBits = Xlen - 1;
  localparam int Var0Bits = ntrace_pkg::Var0Bits;

  // Bytes of each field at its longest. The longest head is Ownership's, TCODE, SRC and PROCESS.
  localparam int HeadBytes = (6 + ntrace_pkg::SrcMax + Var0Bits + 5) / 6;
  localparam int AddrBytes = (AddrBits + 5) / 6;
  localparam int HistBytes = (HistBits + 5) / 6;
  localparam int TimeBytes = (TsWidth + 5) / 6;
  localparam int TailBytes = AddrBytes + HistBytes + TimeBytes;
  localparam int VarBits   = 6*HeadBytes - 6;  // room for all of the head after TCODE

  // The longest message is IndirectBranchHistSync, whose head has at most SRC, SYNC, B-TYPE and a longest
  // I-CNT: 36 bytes. The message register is never shorter than the output.
  localparam int IcntHead   = (ntrace_pkg::FixedBits + ntrace_pkg::SrcMax + ntrace_pkg::IcntMax + 5) / 6;
  localparam int LongBytes  = IcntHead + TailBytes;
  localparam int MsgBytes   = (LongBytes > OutBytes) ? LongBytes : OutBytes;
  localparam int MsgCntBits  = $clog2(MsgBytes + 1);
  localparam int HeadCntBits = $clog2(HeadBytes + 1);
  localparam int AddrCntBits = $clog2(AddrBytes + 1);
  localparam int HistCntBits = $clog2(HistBytes + 1);
  localparam int TimeCntBits = $clog2(TimeBytes + 1);
  localparam int TailCntBits = $clog2(TailBytes + 1);
  localparam logic [MsgCntBits-1:0] OutBytesCount = OutBytes[MsgCntBits-1:0];

  // The descriptor, and its fields whose place depends on parameters.
  localparam int HistAt = ntrace_layout_pkg::message_hist(AddrBits);
  localparam int TimeAt = ntrace_layout_pkg::message_time(AddrBits, HistBits);
  wire [5:0]          tcode = desc_i[ntrace_layout_pkg::MessageTcode +: 6];
  wire [3:0]          f4    = desc_i[ntrace_layout_pkg::MessageF4 +: 4];
  wire [1:0]          f2    = desc_i[ntrace_layout_pkg::MessageF2 +: 2];
  wire [Var0Bits-1:0] var0  = desc_i[ntrace_layout_pkg::MessageVar0 +: Var0Bits];
  wire [AddrBits-1:0] addr  = desc_i[ntrace_layout_pkg::MessageAddr +: AddrBits];
  wire [HistBits-1:0] hist  = desc_i[HistAt +: HistBits];
  wire [TsWidth-1:0]  now   = desc_i[TimeAt +: TsWidth];

  logic has_f4, has_f2, has_sync, has_addr, has_var1, has_hist;
  assign has_f4   = ntrace_pkg::has_f4(tcode);
  assign has_f2   = ntrace_pkg::has_f2(tcode);
  assign has_sync = ntrace_pkg::has_sync(tcode);
  assign has_addr = ntrace_pkg::has_addr(tcode);
  assign has_var1 = has_addr || ntrace_pkg::has_hrepeat(tcode, f4);
  assign has_hist = ntrace_pkg::has_hist(tcode, f2);

  // Head: the first variable field starts right after the fixed ones and is at least one bit wide. So
  // the head has the byte of its first bit, number `fixed` counted from the end of TCODE.
  logic [VarBits-1:0]     with_f2, with_f4, with_src;
  logic [11:0]            src;
  logic [4:0]             fixed;
  logic [6*HeadBytes-1:0] head_mdo;
  logic [HeadCntBits-1:0] head_min;

  assign with_f2  = has_f2 ? {{(VarBits-Var0Bits-2){1'b0}}, var0, f2} : {{(VarBits-Var0Bits){1'b0}}, var0};
  assign with_f4  = has_f4 ? {with_f2[VarBits-5:0], f4} : with_f2;
  assign src      = src_id_i & ~(12'hFFF << src_bits_i);
  assign with_src = (with_f4 << src_bits_i) | {{(VarBits-12){1'b0}}, src};
  assign head_mdo = {with_src, tcode};
  assign fixed    = {1'b0, src_bits_i} + {2'b00, has_f4, has_f2, 1'b0};
  assign head_min = {{(HeadCntBits-3){1'b0}}, (fixed >= 5'd18) ? 3'd5 : (fixed >= 5'd12) ? 3'd4 :
                                              (fixed >= 5'd6)  ? 3'd3 : 3'd2};

  // With extension an address ends with the first byte whose top bit, and so its extension, is equal to
  // everything above: one bit above the highest that differs from the address's top bit.
  logic [AddrBits-1:0] addr_changes, addr_length;
  assign addr_changes = addr ^ {AddrBits{addr[AddrBits-1]}};
  assign addr_length  = (extend_i && has_addr) ? (addr_changes << 1) : addr;

  // TSTAMP (8.7): the time itself with SYNC, else how much later than the time last reported.
  logic [TsWidth-1:0] reported_q, tstamp;
  logic               earlier;
  assign earlier = !has_sync && (now < reported_q);
  assign tstamp  = has_sync ? now : earlier ? {TsWidth{1'b0}} : now - reported_q;

  logic [HeadCntBits-1:0] head_n;
  logic [AddrCntBits-1:0] addr_n;
  logic [HistCntBits-1:0] hist_n;
  logic [TimeCntBits-1:0] time_n;
  logic [8*HeadBytes-1:0] head_bytes;
  logic [8*AddrBytes-1:0] addr_bytes;
  logic [8*HistBytes-1:0] hist_bytes;
  logic [8*TimeBytes-1:0] time_bytes;
  logic [6*HistBytes-1:0] hist_mdo;
  logic [6*TimeBytes-1:0] time_mdo;

  assign hist_mdo = {{(6*HistBytes-HistBits){1'b0}}, hist};
  assign time_mdo = {{(6*TimeBytes-TsWidth){1'b0}}, tstamp};

  ntrace_field #(
    .Bytes (HeadBytes)
  ) u_head (
    .present_i   (1'b1),
    .last_i      (!has_var1 && !has_hist && !ts_enable_i),
    .mdo_i       (head_mdo),
    .length_i    (head_mdo),
    .min_bytes_i (head_min),
    .nbytes_o    (head_n),
    .bytes_o     (head_bytes)
  );

  ntrace_field #(
    .Bytes (AddrBytes)
  ) u_addr (
    .present_i   (has_var1),
    .last_i      (!has_hist && !ts_enable_i),
    .mdo_i       ({{(6*AddrBytes-AddrBits){1'b0}}, addr}),
    .length_i    ({{(6*AddrBytes-AddrBits){1'b0}}, addr_length}),
    .min_bytes_i ({{(AddrCntBits-1){1'b0}}, 1'b1}),
    .nbytes_o    (addr_n),
    .bytes_o     (addr_bytes)
  );

  ntrace_field #(
    .Bytes (HistBytes)
  ) u_hist (
    .present_i   (has_hist),
    .last_i      (!ts_enable_i),
    .mdo_i       (hist_mdo),
    .length_i    (hist_mdo),
    .min_bytes_i ({{(HistCntBits-1){1'b0}}, 1'b1}),
    .nbytes_o    (hist_n),
    .bytes_o     (hist_bytes)
  );

  ntrace_field #(
    .Bytes (TimeBytes)
  ) u_time (
    .present_i   (ts_enable_i),
    .last_i      (1'b1),
    .mdo_i       (time_mdo),
    .length_i    (time_mdo),
    .min_bytes_i ({{(TimeCntBits-1){1'b0}}, 1'b1}),
    .nbytes_o    (time_n),
    .bytes_o     (time_bytes)
  );

  // Put the fields one after the other, the last two first. The longest head has none of ADDR and HIST,
  // so nothing but zeros is shifted out of MsgBytes.
  logic [8*TailBytes-1:0]   hist_time, tail_bytes;
  logic [8*MsgBytes-1:0]    msg_bytes;
  logic [TailCntBits-1:0]   hist_time_n, tail_n;
  logic [MsgCntBits-1:0]    msg_n;

  assign hist_time   = {{(8*(TailBytes-HistBytes)){1'b0}}, hist_bytes} |
                       ({{(8*(TailBytes-TimeBytes)){1'b0}}, time_bytes} << {hist_n, 3'b000});
  assign tail_bytes  = {{(8*(TailBytes-AddrBytes)){1'b0}}, addr_bytes} | (hist_time << {addr_n, 3'b000});
  assign msg_bytes   = {{(8*(MsgBytes-HeadBytes)){1'b0}}, head_bytes} |
                       ({{(8*(MsgBytes-TailBytes)){1'b0}}, tail_bytes} << {head_n, 3'b000});
  assign hist_time_n = {{(TailCntBits-HistCntBits){1'b0}}, hist_n} + {{(TailCntBits-TimeCntBits){1'b0}}, time_n};
  assign tail_n      = {{(TailCntBits-AddrCntBits){1'b0}}, addr_n} + hist_time_n;
  assign msg_n       = {{(MsgCntBits-HeadCntBits){1'b0}}, head_n} + {{(MsgCntBits-TailCntBits){1'b0}}, tail_n};

  // The message being sent: its next bytes are the low ones, everything after its end is 0.
  logic [8*MsgBytes-1:0] msg_q;
  logic [MsgCntBits-1:0] left_q;
  logic                  last_word, take;

  assign last_word    = (left_q <= OutBytesCount);
  assign desc_ready_o = (left_q == '0) || (last_word && out_ready_i);
  assign take         = desc_valid_i && desc_ready_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      msg_q  <= '0;
      left_q <= '0;
      reported_q <= '0;
    end else begin
      if (take) begin
        msg_q  <= msg_bytes;
        left_q <= msg_n;
      end else if (out_valid_o && out_ready_i) begin
        msg_q  <= msg_q >> (8*OutBytes);
        left_q <= last_word ? '0 : left_q - OutBytesCount;
      end
      if (take && ts_enable_i && !earlier) reported_q <= now;
    end
  end

  assign out_valid_o  = (left_q != '0);
  assign out_nbytes_o = last_word ? left_q[OutCountBits-1:0] : OutBytesCount[OutCountBits-1:0];
  assign out_data_o   = msg_q[8*OutBytes-1:0];

endmodule
