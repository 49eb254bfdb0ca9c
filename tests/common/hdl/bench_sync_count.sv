// SPDX-License-Identifier: Apache-2.0
// Plays rows (+in, one hex line each) into trace_sync_count and writes the count of each to +out.
// A row: mode, clear, messages, cycles, halfwords, count.
module bench_sync_count;
  logic        clear;
  logic [1:0]  mode;
  logic [3:0]  messages;
  logic [7:0]  halfwords;
  logic [19:0] cycles, count_before, count_after;
  logic [54:0] row = 0;
  int          fin, fout;
  string       name;
  int          given;

  assign {mode, clear, messages, cycles, halfwords, count_before} = row;

  trace_sync_count u_dut (
    .mode_i(mode), .clear_i(clear), .messages_i(messages), .cycles_i(cycles), .halfwords_i(halfwords),
    .count_i(count_before), .count_o(count_after)
  );

  initial begin
    given = $value$plusargs("in=%s", name);
    fin = $fopen(name, "r");
    given = $value$plusargs("out=%s", name);
    fout = $fopen(name, "w");
    while ($fscanf(fin, "%h", row) == 1) begin
      #1 $fdisplay(fout, "%0d", count_after);
    end
    $finish;
  end
endmodule
