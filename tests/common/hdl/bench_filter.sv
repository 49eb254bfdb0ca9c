// SPDX-License-Identifier: Apache-2.0
// Plays rows (+in, one hex line a cycle) into trace_filter and writes its outputs in every cycle to +out.
// A row, most significant first: accept, enable, filters, filter_cfg, comp_cfg, then itype, iaddr, iretire,
// cause, tval, priv, context of all lanes.
module bench_filter #(
  parameter int Xlen     = 64,
  parameter int NBlocks  = 2,
  parameter int NFilters = 2,
  parameter int NComps   = 2
);
  localparam int Lane = 4 + Xlen + 7 + 8 + Xlen + 3 + 32;
  localparam int Row  = 18 + 128*NFilters + 160*NComps + NBlocks*Lane;

  logic                     clk = 0, rst_n = 1, accept, enable;
  logic [Row-1:0]           row = 0;
  logic [15:0]              filters;
  logic [128*NFilters-1:0]  filter_cfg;
  logic [160*NComps-1:0]    comp_cfg;
  logic [NBlocks*4-1:0]     itype;
  logic [NBlocks*Xlen-1:0]  iaddr, tval;
  logic [NBlocks*7-1:0]     iretire;
  logic [NBlocks*8-1:0]     cause;
  logic [NBlocks*3-1:0]     priv;
  logic [NBlocks*32-1:0]    context_id;
  logic [NBlocks-1:0]       qualified, notify;
  int                       fin, fout;
  string                    name;
  int                       given;

  assign {accept, enable, filters, filter_cfg, comp_cfg, itype, iaddr, iretire, cause, tval, priv, context_id} = row;

  trace_filter #(.Xlen(Xlen), .NBlocks(NBlocks), .NFilters(NFilters), .NComps(NComps)) u_dut (
    .clk_i(clk), .rst_ni(rst_n), .enable_i(enable), .accept_i(accept), .filters_i(filters),
    .filter_cfg_i(filter_cfg), .comp_cfg_i(comp_cfg), .ing_itype_i(itype), .ing_iaddr_i(iaddr),
    .ing_iretire_i(iretire), .ing_cause_i(cause), .ing_tval_i(tval), .ing_priv_i(priv),
    .ing_context_i(context_id), .qualified_o(qualified), .notify_o(notify)
  );

  initial begin
    given = $value$plusargs("in=%s", name);
    fin = $fopen(name, "r");
    given = $value$plusargs("out=%s", name);
    fout = $fopen(name, "w");
    #1 rst_n = 0;
    #1 rst_n = 1;
    while ($fscanf(fin, "%h", row) == 1) begin
      #1 $fdisplay(fout, "%b %b", qualified, notify);
      clk = 1;
      #1 clk = 0;
    end
    $finish;
  end
endmodule
