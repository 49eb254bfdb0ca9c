// SPDX-License-Identifier: Apache-2.0
// Plays the rows of a file to an ingress port: thousands of cycles for one wake-up of Python.
//
// A row is one vector of RowBits in the file, most significant byte first (tb/common/agents/files.py writes
// them): {lanes, vendor data[31:0], levels[31:0], gap[63:0]}. A row waits `gap` cycles after the one before
// was accepted, with that one's levels, no pulses and empty lanes, and is then held until it is accepted.
module trace_player
#(
  parameter int          RowBits = 320,
  parameter              File    = "stimulus.bin",
  parameter logic [31:0] Levels  = 32'h0000_00ff  // bits of levels[31:0] that are levels; the others are pulses
) (
  input  logic               clk_i,
  input  logic               go_i,      // rises: open the file and play it
  input  logic               accept_i,  // the row shown is accepted in this cycle
  output logic [RowBits-1:0] row_o,     // gap reads 0
  output logic               done_o     // all rows were accepted; lanes stay empty, levels stay
);

  integer             file;
  integer             got;
  logic [RowBits-1:0] row;      // the next row, or the one shown
  logic [63:0]        gap;      // cycles until it is shown
  logic [31:0]        levels;   // of the row accepted last, without its pulses
  logic               running, shown;

  initial begin
    running = 1'b0;
    shown   = 1'b0;
    levels  = '0;
    row_o   = '0;
    done_o  = 1'b0;
  end

  // Reading a file is sequential by nature: blocking assignments to what only this block uses.
  always @(posedge clk_i) begin
    if (!go_i) begin
      running = 1'b0;
      shown   = 1'b0;
      levels  = '0;
      done_o  <= 1'b0;
    end else if (!running && !done_o) begin
      file    = $fopen(File, "rb");
      got     = $fread(row, file);
      gap     = row[63:0];
      running = 1'b1;
    end else if (running && (!shown || accept_i)) begin
      if (shown) begin
        levels = row[95:64] & Levels;
        got    = $fread(row, file);
        gap    = row[63:0];
      end else if (gap != 64'd0) begin
        gap    = gap - 64'd1;
      end
    end
    if (running && (got == 0)) begin
      $fclose(file);
      running = 1'b0;
      done_o  <= 1'b1;
    end
    shown = running && (gap == 64'd0);
    row_o <= shown ? {row[RowBits-1:64], 64'd0} : {{(RowBits-96){1'b0}}, levels, 64'd0};
  end

endmodule
