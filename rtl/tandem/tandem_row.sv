// SPDX-License-Identifier: Apache-2.0
// The bytes of a row (docs/reference/tandem-profile.md, "Bytes of a row"): head and tail, one after the other.
module tandem_row #(
  parameter int Xlen                  = 64,
  parameter int Flen                  = 64,
  parameter int Mlen                  = 64,
  parameter bit ResponseDataOnFailure = 0,
  // Derived, do not set.
  parameter int FBits     = (Flen > 0) ? Flen : 1,
  parameter int HeadBits  = tandem_layout_pkg::head_bits(Xlen, tandem_table_pkg::CsrSlots * Xlen, FBits, Mlen),
  parameter int TailBits  = tandem_layout_pkg::tail_bits(Mlen),
  parameter int XBytes    = Xlen / 8,
  parameter int FBytes    = (Flen > 0) ? Flen / 8 : 1,
  parameter int MBytes    = (Mlen + 7) / 8,
  parameter int HeadBytes = 2 + (2 + XBytes) + (2 + MBytes) + 5 + (3 + FBytes) + (2 + tandem_table_pkg::CsrSlots) * (3 + XBytes),
  parameter int TailBytes = 3 + 2 * (2 + MBytes) + 2 * 10 + 2 * (64 / Xlen) * (3 + XBytes) + (MBytes + 10) + 10 + 1,
  parameter int Bytes     = HeadBytes + TailBytes,
  parameter int NBits     = $clog2(Bytes + 1)
) (
  input  logic [HeadBits+TailBits-1:0] row_i,     // tandem_lane
  output logic [NBits-1:0]             nbytes_o,
  output logic [8*Bytes-1:0]           bytes_o    // first byte in the low bits, 0 after the last
);

  localparam int HeadNBits = $clog2(HeadBytes + 1);
  localparam int TailNBits = $clog2(TailBytes + 1);

  logic [HeadNBits-1:0]   head_n;
  logic [TailNBits-1:0]   tail_n;
  logic [8*HeadBytes-1:0] head;
  logic [8*TailBytes-1:0] tail;

  tandem_head #(
    .Xlen (Xlen),
    .Flen (Flen),
    .Mlen (Mlen)
  ) u_head (
    .row_i    (row_i[TailBits +: HeadBits]),
    .nbytes_o (head_n),
    .bytes_o  (head)
  );

  tandem_tail #(
    .Xlen                  (Xlen),
    .Mlen                  (Mlen),
    .ResponseDataOnFailure (ResponseDataOnFailure)
  ) u_tail (
    .row_i    (row_i[TailBits-1:0]),
    .nbytes_o (tail_n),
    .bytes_o  (tail)
  );

  assign nbytes_o = {{(NBits-HeadNBits){1'b0}}, head_n} + {{(NBits-TailNBits){1'b0}}, tail_n};
  assign bytes_o  = {{(8*TailBytes){1'b0}}, head} | ({{(8*HeadBytes){1'b0}}, tail} << {head_n, 3'b000});

endmodule
