// Message descriptors to N-Trace bytes (1.0.0_rc7 chapter 3): a whole message is packed in one cycle
// and leaves OutBytes a cycle. Messages never share an output word.
//
// Layout of a message: TCODE, F4, F2 and the first variable field share the head; ADDR and HIST, where
// the message has them, follow on byte boundaries.
module ntrace_packer
#(
  parameter int Xlen         = 64,
  parameter int IcntBits     = 22,
  parameter int HistBits     = 32,
  parameter int OutBytes     = 8,
  // Derived, do not set.
  parameter int DescWidth    = ntrace_pkg::FixedBits + IcntBits + Xlen - 1 + HistBits,
  parameter int OutCountBits = $clog2(OutBytes + 1)
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,

  input  logic                    desc_valid_i,
  input  logic [DescWidth-1:0]    desc_i,
  output logic                    desc_ready_o,

  output logic                    out_valid_o,
  output logic [OutCountBits-1:0] out_nbytes_o,
  output logic [8*OutBytes-1:0]   out_data_o,
  input  logic                    out_ready_i
);

  localparam int FixedBits = ntrace_pkg::FixedBits;
  localparam int AddrBits  = Xlen - 1;

  // Bytes of the head with its first variable field: at most FixedBits and I-CNT, or TCODE, RCODE
  // and a whole HIST.
  localparam int IcntHead  = FixedBits + IcntBits;
  localparam int RdataHead = FixedBits - 2 + HistBits;
  localparam int HeadBits  = (IcntHead > RdataHead) ? IcntHead : RdataHead;
  localparam int HeadBytes = (HeadBits + 5) / 6;
  localparam int AddrBytes = (AddrBits + 5) / 6;
  localparam int HistBytes = (HistBits + 5) / 6;
  localparam int VarBits   = 6*HeadBytes - 6;  // room for the first field behind TCODE

  // The longest message has all three; the message register is never shorter than the output.
  localparam int SumBytes  = HeadBytes + AddrBytes + HistBytes;
  localparam int MsgBytes  = (SumBytes > OutBytes) ? SumBytes : OutBytes;
  localparam int MsgCntBits   = $clog2(MsgBytes + 1);
  localparam int HeadCntBits  = $clog2(HeadBytes + 1);
  localparam int AddrCntBits  = $clog2(AddrBytes + 1);
  localparam int HistCntBits  = $clog2(HistBytes + 1);
  localparam logic [MsgCntBits-1:0] OutBytesCount = OutBytes[MsgCntBits-1:0];

  // The descriptor (layout: ntrace_pkg).
  logic [5:0]          tcode;
  logic [3:0]          f4;
  logic [1:0]          f2;
  logic [IcntBits-1:0] icnt;
  logic [AddrBits-1:0] addr;
  logic [HistBits-1:0] hist;
  assign {tcode, f4, f2, icnt, addr, hist} = desc_i;

  logic has_f4, has_f2, has_addr, has_hist, rdata_hist;
  assign has_f4     = ntrace_pkg::has_f4(tcode);
  assign has_f2     = ntrace_pkg::has_f2(tcode);
  assign has_addr   = ntrace_pkg::has_addr(tcode);
  assign has_hist   = ntrace_pkg::has_hist(tcode, f2);
  assign rdata_hist = (tcode == ntrace_pkg::TcodeResourceFull) && (f4 == ntrace_pkg::RcodeHist);

  // Head: the first variable field starts right behind the fixed ones, at bit 6, 8, 10 or 12. It is
  // at least one bit wide.
  logic [VarBits-1:0]     var0;
  logic [6*HeadBytes-1:0] head_mdo;
  logic [HeadCntBits-1:0] head_min;

  assign var0 = rdata_hist ? {{(VarBits-HistBits){1'b0}}, hist} : {{(VarBits-IcntBits){1'b0}}, icnt};

  logic [VarBits-1:0] with_f2, with_f4;
  assign with_f2  = has_f2 ? {var0[VarBits-3:0], f2} : var0;
  assign with_f4  = has_f4 ? {with_f2[VarBits-5:0], f4} : with_f2;
  assign head_mdo = {with_f4, tcode};
  assign head_min = {{(HeadCntBits-2){1'b0}}, (has_f4 && has_f2) ? 2'd3 : 2'd2};

  logic [HeadCntBits-1:0] head_n;
  logic [AddrCntBits-1:0] addr_n;
  logic [HistCntBits-1:0] hist_n;
  logic [8*HeadBytes-1:0] head_bytes;
  logic [8*AddrBytes-1:0] addr_bytes;
  logic [8*HistBytes-1:0] hist_bytes;

  ntrace_field #(
    .Bytes (HeadBytes)
  ) u_head (
    .present_i   (1'b1),
    .last_i      (!has_addr && !has_hist),
    .mdo_i       (head_mdo),
    .min_bytes_i (head_min),
    .nbytes_o    (head_n),
    .bytes_o     (head_bytes)
  );

  ntrace_field #(
    .Bytes (AddrBytes)
  ) u_addr (
    .present_i   (has_addr),
    .last_i      (!has_hist),
    .mdo_i       ({{(6*AddrBytes-AddrBits){1'b0}}, addr}),
    .min_bytes_i ({{(AddrCntBits-1){1'b0}}, 1'b1}),
    .nbytes_o    (addr_n),
    .bytes_o     (addr_bytes)
  );

  ntrace_field #(
    .Bytes (HistBytes)
  ) u_hist (
    .present_i   (has_hist),
    .last_i      (1'b1),
    .mdo_i       ({{(6*HistBytes-HistBits){1'b0}}, hist}),
    .min_bytes_i ({{(HistCntBits-1){1'b0}}, 1'b1}),
    .nbytes_o    (hist_n),
    .bytes_o     (hist_bytes)
  );

  // Put the fields behind each other: HIST behind ADDR, both behind the head.
  localparam int TailBytes = AddrBytes + HistBytes;
  logic [8*TailBytes-1:0] tail_bytes;
  logic [8*MsgBytes-1:0]  msg_bytes;
  logic [MsgCntBits-1:0]  msg_n;

  assign tail_bytes = {{(8*HistBytes){1'b0}}, addr_bytes} |
                      ({{(8*AddrBytes){1'b0}}, hist_bytes} << {addr_n, 3'b000});
  assign msg_bytes  = {{(8*(MsgBytes-HeadBytes)){1'b0}}, head_bytes} |
                      ({{(8*(MsgBytes-TailBytes)){1'b0}}, tail_bytes} << {head_n, 3'b000});
  assign msg_n      = {{(MsgCntBits-HeadCntBits){1'b0}}, head_n} +
                      {{(MsgCntBits-AddrCntBits){1'b0}}, addr_n} +
                      {{(MsgCntBits-HistCntBits){1'b0}}, hist_n};

  // The message being sent: its next bytes are the low ones, everything behind its end is 0.
  logic [8*MsgBytes-1:0] msg_q;
  logic [MsgCntBits-1:0] left_q;
  logic                  last_word;

  assign last_word    = (left_q <= OutBytesCount);
  assign desc_ready_o = (left_q == '0) || (last_word && out_ready_i);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      msg_q  <= '0;
      left_q <= '0;
    end else if (desc_valid_i && desc_ready_o) begin
      msg_q  <= msg_bytes;
      left_q <= msg_n;
    end else if (out_valid_o && out_ready_i) begin
      msg_q  <= msg_q >> (8*OutBytes);
      left_q <= last_word ? '0 : left_q - OutBytesCount;
    end
  end

  assign out_valid_o  = (left_q != '0);
  assign out_nbytes_o = last_word ? left_q[OutCountBits-1:0] : OutBytesCount[OutCountBits-1:0];
  assign out_data_o   = msg_q[8*OutBytes-1:0];

endmodule
