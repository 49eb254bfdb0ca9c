// SPDX-License-Identifier: Apache-2.0
// Bytes of rows to words of OutBytes bytes. Rows share words; a word that is not full leaves when no row waits after it.
module tandem_words #(
  parameter int RowBytes = 197,
  parameter int OutBytes = 32,
  // Derived, do not set.
  parameter int NBits     = $clog2(RowBytes + 1),
  parameter int CountBits = $clog2(OutBytes + 1)
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,

  input  logic                  row_valid_i,
  input  logic [NBits-1:0]      row_nbytes_i,
  input  logic [8*RowBytes-1:0] row_bytes_i,  // bytes from row_nbytes_i on are 0
  output logic                  row_ready_o,

  output logic                  out_valid_o,
  output logic [CountBits-1:0]  out_count_o,
  output logic [8*OutBytes-1:0] out_data_o,
  input  logic                  out_ready_i,

  output logic                  empty_o
);

  localparam int Bytes    = RowBytes + OutBytes - 1;  // a row comes in after less than a word
  localparam int FillBits = $clog2(Bytes + 1);
  localparam logic [FillBits-1:0] Word = OutBytes[FillBits-1:0];

  logic [8*Bytes-1:0]  bytes_q, left, added;  // bytes from fill_q on are 0
  logic [FillBits-1:0] fill_q, fill_left;
  logic                shown_q;               // a word that is not full was shown, and not taken: it stays as it is
  logic                whole, short_word, pop, push;

  assign whole       = (fill_q >= Word);
  assign short_word  = !whole && (fill_q != '0) && (!row_valid_i || shown_q);
  assign out_valid_o = whole || short_word;
  assign out_count_o = whole ? Word[CountBits-1:0] : short_word ? fill_q[CountBits-1:0] : '0;
  assign out_data_o  = out_valid_o ? bytes_q[8*OutBytes-1:0] : '0;
  assign pop         = out_valid_o && out_ready_i;
  assign empty_o     = (fill_q == '0);

  assign left        = pop ? bytes_q >> (8*OutBytes) : bytes_q;
  assign fill_left   = !pop ? fill_q : whole ? fill_q - Word : '0;
  assign row_ready_o = (fill_left < Word) && (!short_word || out_ready_i);
  assign push        = row_valid_i && row_ready_o;
  assign added       = push ? {{(8*Bytes-8*RowBytes){1'b0}}, row_bytes_i} << {fill_left, 3'b000} : '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      bytes_q <= '0;
      fill_q  <= '0;
      shown_q <= 1'b0;
    end else begin
      bytes_q <= left | added;
      fill_q  <= push ? fill_left + {{(FillBits-NBits){1'b0}}, row_nbytes_i} : fill_left;
      shown_q <= short_word && !out_ready_i;
    end
  end

endmodule
