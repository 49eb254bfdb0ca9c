// SPDX-License-Identifier: Apache-2.0
// Tern, as it is delivered: the encoder with its registers.
module tern #(
  parameter XLEN = 64,
  parameter LENW = 7
) (
  input  wire            clk,
  input  wire            rst,
  input  wire            psel,
  input  wire            penable,
  input  wire            pwrite,
  input  wire [11:0]     paddr,
  input  wire [31:0]     pwdata,
  output wire [31:0]     prdata,
  output wire            pready,
  input  wire            hart_dbg,
  input  wire            hart_vld,
  input  wire [3:0]      hart_kind,
  input  wire [XLEN-1:0] hart_pc,
  input  wire [LENW-1:0] hart_len,
  output wire            hart_hold,
  output wire [7:0]      td,
  output wire            td_vld,
  input  wire            td_rdy,
  output wire            quiet
);

  wire       enable, tracing, src, sync, repeats;
  wire [2:0] src_id;
  wire [3:0] sync_max;

  tern_regs regs (
    .clk(clk), .rst(rst), .psel(psel), .penable(penable), .pwrite(pwrite), .paddr(paddr), .pwdata(pwdata),
    .prdata(prdata), .pready(pready), .quiet(quiet), .enable(enable), .tracing(tracing), .src(src), .src_id(src_id),
    .sync(sync), .sync_max(sync_max), .repeats(repeats)
  );

  tern_te #(.XLEN(XLEN), .LENW(LENW)) te (
    .clk(clk), .rst(rst), .cfg_enable(enable), .cfg_tracing(tracing), .cfg_src(src), .cfg_src_id(src_id),
    .cfg_sync(sync), .cfg_sync_max(sync_max), .cfg_repeat(repeats), .hart_dbg(hart_dbg), .hart_vld(hart_vld),
    .hart_kind(hart_kind), .hart_pc(hart_pc), .hart_len(hart_len), .hart_hold(hart_hold), .td(td), .td_vld(td_vld),
    .td_rdy(td_rdy), .quiet(quiet)
  );

endmodule
