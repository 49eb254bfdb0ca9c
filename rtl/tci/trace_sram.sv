// SPDX-License-Identifier: Apache-2.0
// Memory of a RAM sink: one write port, one read port whose data come a clock later. Replace it with a macro.
module trace_sram #(
  parameter int Words    = 1024,           // a power of two, at least 2
  parameter int AddrBits = $clog2(Words)   // derived, do not set
) (
  input  logic                clk_i,
  input  logic                write_i,
  input  logic [AddrBits-1:0] waddr_i,
  input  logic [31:0]         wdata_i,
  input  logic [AddrBits-1:0] raddr_i,
  output logic [31:0]         rdata_o
);

  logic [31:0] mem_q [Words];
  logic [31:0] rdata_q;

  always_ff @(posedge clk_i) begin
    if (write_i) mem_q[waddr_i] <= wdata_i;
    rdata_q <= mem_q[raddr_i];
  end

  assign rdata_o = rdata_q;

endmodule
