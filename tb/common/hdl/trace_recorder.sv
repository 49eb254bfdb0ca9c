// SPDX-License-Identifier: Apache-2.0
// Writes what crossed an ingress port to `ingress.bin`, what left the byte stream to `stream.bin`, and
// what should not have happened to `problems.txt`.
//
// Rows are vectors, least significant byte first (tb/common/agents/files.py reads them). An ingress row is
// {lanes, tstamp[63:0], vendor data[31:0], levels[31:0], cycle[63:0]}: every accepted cycle with a block, a
// pulse, or with levels other than those of the row before. A stream row is
// {data, nbytes[31:0], cycle[63:0]}.
module trace_recorder
#(
  parameter int          LaneBits = 256,
  parameter int          OutBytes = 8,
  parameter logic [31:0] Levels   = 32'h0000_00ff  // bits of levels_i that are levels; the others are pulses
) (
  input  logic                          clk_i,
  input  logic                          go_i,        // record while 1; the files are complete after it fell
  input  logic [63:0]                   cycle_i,

  input  logic                          accept_i,
  input  logic                          any_block_i,
  input  logic [31:0]                   levels_i,    // drop and pulses included
  input  logic [31:0]                   vendor_data_i,
  input  logic [63:0]                   tstamp_i,
  input  logic [LaneBits-1:0]           lanes_i,

  input  logic                          drop_i,
  input  logic                          empty_i,
  input  logic                          valid_i,
  input  logic                          ready_i,
  input  logic [$clog2(OutBytes+1)-1:0] nbytes_i,
  input  logic [8*OutBytes-1:0]         data_i,

  input  logic                          stuck_ingress_i,  // the run was given up
  input  logic                          stuck_empty_i,
  input  logic                          early_empty_i,    // empty_o was 1 before the last packet had come out
  input  logic                          other_valid_i     // valid of an output that this configuration does not use
);

  localparam int CountBits = $clog2(OutBytes + 1);
  localparam int KindBits  = 9;

  integer                     ingress, stream, problems;
  logic                       open;
  logic [LaneBits+191:0]      ingress_row;
  logic [8*OutBytes+95:0]     stream_row;
  logic [31:0]                levels;          // of the row written last
  logic                       waiting;         // valid without ready in the cycle before
  logic [CountBits-1:0]       waiting_nbytes;
  logic [8*OutBytes-1:0]      waiting_data;
  logic [KindBits-1:0]        seen;            // each kind of problem is reported once

  initial open = 1'b0;

  // Icarus 11 has no `break` and no $isunknown in every place: a reduction finds an X.
  always @(posedge clk_i) begin
    if (go_i && !open) begin
      ingress  = $fopen("ingress.bin", "wb");
      stream   = $fopen("stream.bin", "wb");
      problems = $fopen("problems.txt", "w");
      open     = 1'b1;
      levels   = '0;
      waiting  = 1'b0;
      seen     = '0;
    end else if (!go_i && open) begin
      $fclose(ingress);
      $fclose(stream);
      $fclose(problems);
      open = 1'b0;
    end

    if (go_i && open) begin
      if (accept_i && (any_block_i || (levels_i != levels))) begin  // levels has no pulses
        ingress_row = {lanes_i, tstamp_i, vendor_data_i, levels_i, cycle_i};
`ifdef VERILATOR
        // The same bytes at once: its %u appends them one by one.
        $c("fwrite(&", ingress_row, ", 1, ", (LaneBits+192)/8, ", VL_CVT_I_FP(", ingress, "));");
`else
        $fwrite(ingress, "%u", ingress_row);
`endif
        levels = levels_i & Levels;
      end
      if (valid_i && ready_i) begin
        stream_row = {data_i, {(32-CountBits){1'b0}}, nbytes_i, cycle_i};
`ifdef VERILATOR
        $c("fwrite(&", stream_row, ", 1, ", (8*OutBytes+96)/8, ", VL_CVT_I_FP(", stream, "));");
`else
        $fwrite(stream, "%u", stream_row);
`endif
      end

      if (!seen[0] && ((^{accept_i, drop_i, empty_i, valid_i}) === 1'bx)) begin
        seen[0] = 1'b1;
        $fwrite(problems, "cycle %0d: ing_ready_o=%b drop_o=%b empty_o=%b out_valid_o=%b, an output is X\n",
                cycle_i, accept_i, drop_i, empty_i, valid_i);
      end
      if (!seen[1] && valid_i && ((^{nbytes_i, data_i}) === 1'bx)) begin
        seen[1] = 1'b1;
        $fwrite(problems, "cycle %0d: out_nbytes_o=%b out_data_o=%h, an output is X while out_valid_o is 1\n",
                cycle_i, nbytes_i, data_i);
      end
      if (!seen[2] && waiting && !(valid_i && (nbytes_i === waiting_nbytes) && (data_i === waiting_data))) begin
        seen[2] = 1'b1;
        $fwrite(problems, "cycle %0d: out_valid_o=%b out_nbytes_o=%0d out_data_o=%h changed before out_ready_i\n",
                cycle_i, valid_i, nbytes_i, data_i);
      end
      if (!seen[3] && valid_i && ((nbytes_i == '0) || (nbytes_i > OutBytes[CountBits-1:0]))) begin
        seen[3] = 1'b1;
        $fwrite(problems, "cycle %0d: out_nbytes_o=%0d while out_valid_o is 1\n", cycle_i, nbytes_i);
      end
      if (!seen[4] && valid_i && empty_i) begin
        seen[4] = 1'b1;
        $fwrite(problems, "cycle %0d: empty_o is 1 while out_valid_o is 1\n", cycle_i);
      end
      if (!seen[5] && stuck_ingress_i) begin
        seen[5] = 1'b1;
        $fwrite(problems, "cycle %0d: ing_ready_o has been 0 for too long, the run was given up\n", cycle_i);
      end
      if (!seen[6] && stuck_empty_i) begin
        seen[6] = 1'b1;
        $fwrite(problems, "cycle %0d: empty_o does not become 1 after the last block\n", cycle_i);
      end
      if (!seen[7] && early_empty_i) begin
        seen[7] = 1'b1;
        $fwrite(problems, "cycle %0d: empty_o was 1, and a packet came out although nothing more went in\n", cycle_i);
      end
      if (!seen[8] && (other_valid_i === 1'b1)) begin
        seen[8] = 1'b1;
        $fwrite(problems, "cycle %0d: valid on an output that this configuration does not use\n", cycle_i);
      end
      waiting        = valid_i && !ready_i;
      waiting_nbytes = nbytes_i;
      waiting_data   = data_i;
    end
  end

endmodule
