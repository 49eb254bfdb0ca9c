// SPDX-License-Identifier: Apache-2.0
// Plays rows (+in, one hex line a cycle) into trace_timestamp and writes the time of every cycle to +out.
// A row: active, count, clear, run_in_debug, mode, prescale, halted, sys_tick, external, shared.
module bench_timestamp #(
  parameter int Width = 40
);
  logic             clk = 0, rst_n = 1, active, count, clear, run_in_debug, halted, sys_tick;
  logic [2:0]       mode;
  logic [1:0]       prescale;
  logic [Width-1:0] external, shared, tstamp;
  logic [10+2*Width:0] row = 0;
  int               fin, fout;
  string            name;
  int               given;

  assign {active, count, clear, run_in_debug, mode, prescale, halted, sys_tick, external, shared} = row;

  trace_timestamp #(.Width(Width)) u_dut (
    .clk_i(clk), .rst_ni(rst_n), .active_i(active), .count_i(count), .clear_i(clear),
    .run_in_debug_i(run_in_debug), .mode_i(mode), .prescale_i(prescale), .halted_i(halted),
    .sys_tick_i(sys_tick), .external_i(external), .shared_i(shared), .tstamp_o(tstamp)
  );

  initial begin
    given = $value$plusargs("in=%s", name);
    fin = $fopen(name, "r");
    given = $value$plusargs("out=%s", name);
    fout = $fopen(name, "w");
    #1 rst_n = 0;
    #1 rst_n = 1;
    while ($fscanf(fin, "%h", row) == 1) begin
      #1 $fdisplay(fout, "%0d", tstamp);
      clk = 1;
      #1 clk = 0;
    end
    $finish;
  end
endmodule
