// SPDX-License-Identifier: Apache-2.0
// Tern: the encoder with its registers.
module tern #(
  parameter AW = 32,
  parameter RW = 7,
  parameter CW = 5,
  parameter EW = 4
) (
  input  wire             ck,
  input  wire             arst,

  // AXI4-Lite.
  input  wire             s_awvalid,
  output wire             s_awready,
  input  wire [3:0]       s_awaddr,
  input  wire             s_wvalid,
  output wire             s_wready,
  input  wire [31:0]      s_wdata,
  output wire             s_bvalid,
  input  wire             s_bready,
  input  wire             s_arvalid,
  output wire             s_arready,
  input  wire [3:0]       s_araddr,
  output wire             s_rvalid,
  output wire [31:0]      s_rdata,
  input  wire             s_rready,

  input  wire             te_hold,
  input  wire [7:0]       b_type,
  input  wire [2*AW-1:0]  b_addr,
  input  wire [2*RW-1:0]  b_half,
  input  wire [1:0]       b_last32,
  input  wire [EW-1:0]    b_cause,
  input  wire [AW-1:0]    b_tval,
  input  wire [1:0]       b_priv,
  input  wire [CW-1:0]    b_ctx,
  input  wire [1:0]       b_ctype,
  output wire             b_take,
  output wire             quiet,

  output wire             p_valid,
  output wire [4:0]       p_bytes,
  output wire [247:0]     p_data,
  input  wire             p_ready
);

  wire       on, run;
  wire [4:0] period;

  tern_regs u_regs (
    .ck(ck), .arst(arst), .awvalid(s_awvalid), .awready(s_awready), .awaddr(s_awaddr), .wvalid(s_wvalid), .wready(s_wready),
    .wdata(s_wdata), .bvalid(s_bvalid), .bready(s_bready), .arvalid(s_arvalid), .arready(s_arready), .araddr(s_araddr),
    .rvalid(s_rvalid), .rdata(s_rdata), .rready(s_rready), .te_on(on), .te_run(run), .te_period(period), .quiet(quiet)
  );
  tern_te #(.AW(AW), .RW(RW), .CW(CW), .EW(EW)) u_te (
    .ck(ck), .arst(arst), .te_on(on), .te_run(run), .te_hold(te_hold), .te_period(period), .b_type(b_type),
    .b_addr(b_addr), .b_half(b_half), .b_last32(b_last32), .b_cause(b_cause), .b_tval(b_tval), .b_priv(b_priv), .b_ctx(b_ctx),
    .b_ctype(b_ctype), .b_take(b_take), .quiet(quiet), .p_valid(p_valid), .p_bytes(p_bytes), .p_data(p_data), .p_ready(p_ready)
  );

endmodule
