// SPDX-License-Identifier: Apache-2.0
// Assertions on the tandem-trace encoder, for Verilator (run with --assert); bound to every instance of tandem.
//
// The first groups hold the parameters and the driver to the rules of docs/reference/tandem-profile.md, the others hold the encoder to its own: above
// all that no row and no byte is lost.
module tandem_assert #(
  parameter int                                 Xlen                  = 64,
  parameter int                                 Flen                  = 64,
  parameter int                                 Mlen                  = 64,
  parameter int                                 NLanes                = 1,
  parameter int                                 Incremental           = 1,
  parameter bit                                 ImpliedEnd            = 0,
  parameter logic [tandem_table_pkg::Parts-1:0] Absent                = '0,
  parameter int                                 OutBytes              = 32,
  parameter int                                 FifoRows              = 8,
  parameter int                                 StateBits             = 2,
  parameter int                                 RowBytes              = 197,
  parameter int                                 NBits                 = 8,
  parameter int                                 HeldBits              = 4
) (
  input logic                                      clk_i,
  input logic                                      rst_ni,

  input logic [NLanes-1:0]                         in_valid_i,
  input logic                                      in_ready_o,
  input logic [NLanes*tandem_table_pkg::Parts-1:0] in_has_i,
  input logic [NLanes-1:0]                         error_o,
  input logic                                      out_valid_o,
  input logic                                      out_ready_i,
  input logic [$clog2(OutBytes+1)-1:0]             out_count_o,
  input logic [8*OutBytes-1:0]                     out_data_o,
  input logic                                      empty_o,

  // Inside tandem.
  input logic [NLanes-1:0]                         taken,
  input logic [NLanes-1:0]                         illegal,
  input logic [NLanes-1:0]                         made,
  input logic [StateBits-1:0]                      state_q,
  input logic [HeldBits-1:0]                       held,
  input logic                                      row_valid,
  input logic                                      row_ready,
  input logic                                      bytes_valid_q,
  input logic                                      bytes_ready,
  input logic [NBits-1:0]                          nbytes_q,
  input logic [8*RowBytes-1:0]                     bytes_q
);

  localparam int Parts   = tandem_table_pkg::Parts;
  localparam int Longest = 197;  // bytes of a row

  // Parameters.
  localparam logic [3:0] AbsentCsrs = Absent[tandem_table_pkg::Csr3:tandem_table_pkg::Csr0];
  localparam bit MlenFits = (Xlen == 64) ? (Mlen == 64) : (Mlen == 32 || Mlen == 34);
  initial begin
    assert (Xlen == 32 || Xlen == 64) else $error("Xlen is %0d: set 32 or 64", Xlen);
    assert (Flen == 0 || Flen == 32 || Flen == 64) else $error("Flen is %0d: set 0, 32 or 64", Flen);
    assert (MlenFits) else $error("Mlen is %0d with Xlen %0d: set 64 with 64, 32 or 34 with 32", Mlen, Xlen);
    assert (NLanes == 1 || NLanes == 2) else $error("NLanes is %0d: set 1 or 2", NLanes);
    assert (Incremental >= 0 && Incremental <= 2) else $error("Incremental is %0d: set 0 to 2", Incremental);
    assert (OutBytes >= 4 && OutBytes <= 64 && $onehot(OutBytes)) else $error("OutBytes is %0d: set 4, 8, 16, 32 or 64", OutBytes);
    assert (FifoRows >= 2*NLanes && $onehot(FifoRows)) else $error("FifoRows is %0d: set a power of two, at least %0d", FifoRows, 2*NLanes);
    assert (Absent[tandem_table_pkg::Init:tandem_table_pkg::Group] == 4'd0) else $error("Absent has group, flush, reset or init: clear bits 3:0");
    assert (AbsentCsrs == 4'd0 || AbsentCsrs == 4'hF) else $error("Absent has some CSR slots: set all of bits 13:10, or none");
  end

  // The driver.
  if (NLanes > 1) begin : gen_lanes
    OlderFirst: assert property (@(posedge clk_i) disable iff (!rst_ni) in_valid_i[NLanes-1] |-> in_valid_i[0])
      else $error("lane 1 has a row and lane 0 has none");
  end
  logic [NLanes-1:0] offered_q;  // and not taken
  logic [NLanes*Parts-1:0] has_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) offered_q <= '0;
    else         offered_q <= in_valid_i & ~taken;
  end
  always_ff @(posedge clk_i) has_q <= in_has_i;
  RowStays: assert property (@(posedge clk_i) disable iff (!rst_ni)
                             offered_q != '0 |-> (in_valid_i == offered_q) && (in_has_i == has_q))
    else $error("a row changed before it was taken");

  // Rows: all lanes or none, with room; what is not legal makes nothing and is reported; nothing is known of what was not taken.
  AllOrNone: assert property (@(posedge clk_i) disable iff (!rst_ni) taken == (in_ready_o ? in_valid_i : '0));
  MadeOfTaken: assert property (@(posedge clk_i) disable iff (!rst_ni) (made & ~(taken & ~illegal)) == '0);
  ErrorReported: assert property (@(posedge clk_i) disable iff (!rst_ni) 1'b1 |=> error_o == $past(illegal));
  RoomForAll: assert property (@(posedge clk_i) disable iff (!rst_ni) in_ready_o |-> held <= FifoRows[HeldBits-1:0] - NLanes[HeldBits-1:0]);
  NeverTooMany: assert property (@(posedge clk_i) disable iff (!rst_ni) held <= FifoRows[HeldBits-1:0]);
  StateStays: assert property (@(posedge clk_i) disable iff (!rst_ni) (taken & ~illegal) == '0 |=> $stable(state_q));
  NoEndKeptBack: assert property (@(posedge clk_i) disable iff (!rst_ni) !ImpliedEnd |-> !state_q[tandem_layout_pkg::StateOpen]);

  // Words: not empty, zero after their bytes, and there until they are taken.
  localparam int CountBits = $clog2(OutBytes + 1);
  logic [8*OutBytes-1:0] after;
  assign after = out_data_o >> {out_count_o, 3'b000};
  CountFits: assert property (@(posedge clk_i) disable iff (!rst_ni)
                              out_valid_o |-> (out_count_o != '0) && (out_count_o <= OutBytes[CountBits-1:0]));
  ZeroAfter: assert property (@(posedge clk_i) disable iff (!rst_ni) out_valid_o |-> after == '0);
  WordStays: assert property (@(posedge clk_i) disable iff (!rst_ni)
                              out_valid_o && !out_ready_i |=> out_valid_o && $stable(out_count_o) && $stable(out_data_o));
  EmptyIsEmpty: assert property (@(posedge clk_i) disable iff (!rst_ni) empty_o |-> !out_valid_o && (held == '0));

  // Rows as bytes: never none, never too many, an opcode that can be first.
  NBytesFits: assert property (@(posedge clk_i) disable iff (!rst_ni)
                               bytes_valid_q |-> (nbytes_q != '0) && ({{(32-NBits){1'b0}}, nbytes_q} <= Longest));
  BytesEnd: assert property (@(posedge clk_i) disable iff (!rst_ni) bytes_valid_q |-> (bytes_q >> {nbytes_q, 3'b000}) == '0);
  FirstByte: assert property (@(posedge clk_i) disable iff (!rst_ni) bytes_valid_q |->
                              bytes_q[7:0] == tandem_table_pkg::OpBegin || bytes_q[7:0] == tandem_table_pkg::OpEnd ||
                              (bytes_q[7:0] >= tandem_table_pkg::OpRegister && bytes_q[7:0] <= tandem_table_pkg::OpRequest));

  // Nothing is lost: rows and bytes inside, counted at the borders.
  logic [31:0] rows_q, bytes_inside_q, rows_in, bytes_in, bytes_out;
  logic        moves, joins;
  assign moves     = row_valid && row_ready;
  assign joins     = bytes_valid_q && bytes_ready;
  assign rows_in   = $countones(made);
  assign bytes_in  = joins ? {{(32-NBits){1'b0}}, nbytes_q} : 32'd0;
  assign bytes_out = (out_valid_o && out_ready_i) ? {{(32-CountBits){1'b0}}, out_count_o} : 32'd0;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      rows_q         <= 32'd0;
      bytes_inside_q <= 32'd0;
    end else begin
      rows_q         <= rows_q + rows_in - {31'd0, moves};
      bytes_inside_q <= bytes_inside_q + bytes_in - bytes_out;
    end
  end
  NoRowLost: assert property (@(posedge clk_i) disable iff (!rst_ni) rows_q == {{(32-HeldBits){1'b0}}, held});
  NoByteLost: assert property (@(posedge clk_i) disable iff (!rst_ni) empty_o == (rows_q == 32'd0 && !bytes_valid_q && bytes_inside_q == 32'd0));
  OnlyWhatIsThere: assert property (@(posedge clk_i) disable iff (!rst_ni) bytes_out <= bytes_inside_q);

  // What has to be reached for the assertions above to mean something.
  CoverBackPressure: cover property (@(posedge clk_i) disable iff (!rst_ni) in_valid_i != '0 && !in_ready_o);
  CoverShortWord: cover property (@(posedge clk_i) disable iff (!rst_ni)
                                  out_valid_o && !out_ready_i && out_count_o < OutBytes[CountBits-1:0]);
  CoverIllegal: cover property (@(posedge clk_i) disable iff (!rst_ni) illegal != '0);

endmodule

bind tandem tandem_assert #(
  .Xlen        (Xlen),
  .Flen        (Flen),
  .Mlen        (Mlen),
  .NLanes      (NLanes),
  .Incremental (Incremental),
  .ImpliedEnd  (ImpliedEnd),
  .Absent      (Absent),
  .OutBytes    (OutBytes),
  .FifoRows    (FifoRows),
  .StateBits   (StateBits),
  .RowBytes    (RowBytes),
  .NBits       (NBits),
  .HeldBits    (HeldBits)
) u_assert (.*);
