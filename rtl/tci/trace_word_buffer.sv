// SPDX-License-Identifier: Apache-2.0
// Bytes of messages to 32-bit words, the first byte lowest. A flush fills the last word with idle bytes.
module trace_word_buffer #(
  parameter int         OutBytes  = 8,
  parameter logic [7:0] IdleByte  = 8'hFF,
  parameter int         CountBits = $clog2(OutBytes + 1)  // derived, do not set
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  clear_i,   // forget what is inside
  input  logic                  flush_i,   // after the message that is coming in, complete the last word
  output logic                  empty_o,   // and no message is half inside

  input  logic                  in_valid_i,
  input  logic                  in_last_i,
  input  logic [CountBits-1:0]  in_nbytes_i,
  input  logic [8*OutBytes-1:0] in_data_i,
  output logic                  in_ready_o,

  output logic                  word_valid_o,
  output logic [31:0]           word_o,
  input  logic                  word_ready_i
);

  localparam int Bytes    = OutBytes + 8;  // a word leaves while OutBytes come in
  localparam int FillBits = $clog2(Bytes + 1);
  localparam logic [FillBits-1:0] Word = 4;

  logic [8*Bytes-1:0]    bytes_q, left, added;  // bytes from fill_q on are 0
  logic [FillBits-1:0]   fill_q, fill_left, incoming;
  logic                  inside_q, pad_q, whole, pad, push, pop;
  logic [8*OutBytes-1:0] in_data;
  logic [31:0]           idle;

  assign whole        = (fill_q >= Word);
  // A filled word that is shown stays until it is taken.
  assign pad          = (flush_i || pad_q) && !inside_q && !whole && (fill_q != '0);
  assign word_valid_o = whole || pad;
  assign pop          = word_valid_o && word_ready_i;
  assign in_ready_o   = (fill_q <= 8) && !pad;
  assign push         = in_valid_i && in_ready_o;
  assign empty_o      = (fill_q == '0) && !inside_q;

  for (genvar k = 0; k < 4; k++) begin : gen_idle
    assign idle[8*k +: 8] = (k < fill_q) ? 8'h00 : IdleByte;
  end
  assign word_o = bytes_q[31:0] | (pad ? idle : 32'd0);

  for (genvar k = 0; k < OutBytes; k++) begin : gen_in
    assign in_data[8*k +: 8] = (push && (k < in_nbytes_i)) ? in_data_i[8*k +: 8] : 8'h00;
  end
  assign incoming  = push ? {{(FillBits-CountBits){1'b0}}, in_nbytes_i} : '0;
  assign left      = pop ? (bytes_q >> 32) : bytes_q;
  assign fill_left = !pop ? fill_q : (whole ? (fill_q - Word) : '0);
  assign added     = {{(8*Bytes-8*OutBytes){1'b0}}, in_data} << {fill_left, 3'b000};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      bytes_q  <= '0;
      fill_q   <= '0;
      inside_q <= 1'b0;
      pad_q    <= 1'b0;
    end else if (clear_i) begin
      bytes_q  <= '0;
      fill_q   <= '0;
      inside_q <= 1'b0;
      pad_q    <= 1'b0;
    end else begin
      bytes_q  <= left | added;
      fill_q   <= fill_left + incoming;
      pad_q    <= pad && !pop;
      if (push) inside_q <= !in_last_i;
    end
  end

endmodule
