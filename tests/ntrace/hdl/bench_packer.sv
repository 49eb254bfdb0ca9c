// SPDX-License-Identifier: Apache-2.0
// Plays descriptors (+in, one hex line each) into ntrace_packer and writes every output word that was
// taken to +out: cycle, bytes, data. +ready is the chance in percent that a word is taken.
module bench_packer #(
  parameter int Xlen     = 64,
  parameter int HistBits = 32,
  parameter int TsWidth  = 64,
  parameter int OutBytes = 8
);
  localparam int DescWidth = ntrace_pkg::FixedBits + ntrace_pkg::Var0Bits + Xlen - 1 + HistBits + TsWidth;
  localparam int CountBits = $clog2(OutBytes + 1);

  logic                  clk = 0, rst_n = 1;
  logic                  desc_valid = 0, desc_ready, out_valid, out_ready = 0, waiting = 0;
  logic [DescWidth-1:0]  desc = 0;
  logic [CountBits-1:0]  out_nbytes, held_nbytes = 0;
  logic [8*OutBytes-1:0] out_data, held_data = 0;
  int                    src_bits = 0, src_id = 0, ts = 0, extend = 0, ready = 100, fin, fout, cycle = 0, idle = 0;
  string                 name;
  int                    given;
  logic                  taken;

  ntrace_packer #(.Xlen(Xlen), .HistBits(HistBits), .TsWidth(TsWidth), .OutBytes(OutBytes)) u_dut (
    .clk_i(clk), .rst_ni(rst_n), .src_bits_i(src_bits[3:0]), .src_id_i(src_id[11:0]), .ts_enable_i(ts[0]),
    .extend_i(extend[0]), .desc_valid_i(desc_valid), .desc_i(desc), .desc_ready_o(desc_ready),
    .out_valid_o(out_valid), .out_nbytes_o(out_nbytes), .out_data_o(out_data), .out_ready_i(out_ready)
  );

  task automatic next;
    desc_valid = ($fscanf(fin, "%h", desc) == 1);
    if (!desc_valid) desc = {DescWidth{1'b1}};
  endtask

  initial begin
    given = $value$plusargs("src_bits=%d", src_bits);
    given = $value$plusargs("src_id=%d", src_id);
    given = $value$plusargs("ts=%d", ts);
    given = $value$plusargs("extend=%d", extend);
    given = $value$plusargs("ready=%d", ready);
    given = $value$plusargs("in=%s", name);
    fin = $fopen(name, "r");
    given = $value$plusargs("out=%s", name);
    fout = $fopen(name, "w");
    #1 rst_n = 0;
    #1 rst_n = 1;
    next();
    while (idle < 200) begin
      out_ready = ($urandom_range(99) < ready);
      #1;
      if (waiting && !(out_valid && out_nbytes == held_nbytes && out_data == held_data))
        $fdisplay(fout, "%0d changed", cycle);
      waiting     = out_valid && !out_ready;
      held_nbytes = out_nbytes;
      held_data   = out_data;
      if (out_valid != (out_nbytes != 0)) $fdisplay(fout, "%0d invalid", cycle);
      if (out_valid && out_ready) $fdisplay(fout, "%0d %0d %h", cycle, out_nbytes, out_data);
      idle = (out_valid || desc_valid) ? 0 : idle + 1;
      // The clock edge, with the descriptor still there; then the next one if it was taken.
      taken = desc_valid && desc_ready;
      clk = 1;
      #1;
      if (taken) next();
      clk = 0;
      cycle = cycle + 1;
    end
    $finish;
  end
endmodule
