// SPDX-License-Identifier: Apache-2.0
// One 32-bit APB port for 16 trace components of 4 KiB: bits 15:12 of the address are the component.
//
// No wait states and no errors: a component that is not there reads 0 and ignores writes, as a register
// that is not there does.
module trace_apb_mux (
  // APB (AMBA 3). Every access is a whole word; the two low address bits are not looked at.
  input  logic         psel_i,
  input  logic         penable_i,
  input  logic         pwrite_i,
  input  logic [15:0]  paddr_i,
  input  logic [31:0]  pwdata_i,
  output logic [31:0]  prdata_o,
  output logic         pready_o,
  output logic         pslverr_o,

  // To the components: strobes of one cycle, bit n for component n.
  output logic [15:0]  write_o,
  output logic [15:0]  read_o,
  output logic [11:0]  addr_o,
  output logic [31:0]  wdata_o,
  input  logic [511:0] rdata_i    // component n in bits n*32 +: 32
);

  logic [15:0] select;
  logic        access;

  assign select    = 16'd1 << paddr_i[15:12];
  assign access    = psel_i && penable_i;
  assign write_o   = (access && pwrite_i) ? select : 16'd0;
  assign read_o    = (access && !pwrite_i) ? select : 16'd0;
  assign addr_o    = {paddr_i[11:2], 2'b00};
  assign wdata_o   = pwdata_i;
  assign prdata_o  = (access && !pwrite_i) ? rdata_i[{paddr_i[15:12], 5'd0} +: 32] : 32'd0;
  assign pready_o  = 1'b1;
  assign pslverr_o = 1'b0;

  // Words only.
  logic unused_paddr;
  assign unused_paddr = ^paddr_i[1:0];

endmodule
