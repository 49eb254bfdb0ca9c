// SPDX-License-Identifier: Apache-2.0
// Writes one row of bits to a file in every cycle that asks for it, least significant byte first.
module row_recorder
#(
  parameter int Bits = 64,         // a multiple of 32
  parameter     File = "rows.bin"
) (
  input  logic            clk_i,
  input  logic            go_i,     // rises: a new file; the file is complete after it fell
  input  logic            write_i,
  input  logic [Bits-1:0] row_i
);

  integer          file;
  logic            open;
  logic [Bits-1:0] row;

  initial open = 1'b0;

  // Writing a file is sequential by nature: blocking assignments to what only this block uses.
  always @(posedge clk_i) begin
    if (go_i && !open) begin
      file = $fopen(File, "wb");
      open = 1'b1;
    end else if (!go_i && open) begin
      $fclose(file);
      open = 1'b0;
    end
    if (go_i && open && write_i) begin
      row = row_i;
`ifdef VERILATOR
      // The same bytes at once: its %u appends them one by one, a fourth of the time of a cycle with a wide row.
      $c("fwrite(&", row, ", 1, ", Bits/8, ", VL_CVT_I_FP(", file, "));");
`else
      $fwrite(file, "%u", row);
`endif
    end
  end

endmodule
