// SPDX-License-Identifier: Apache-2.0
// An APB requester (APB3, with the strobes and protection of APB4) for dut_bus_steps.
module dut_bus_apb
#(
  parameter int AddrBits = 32,
  parameter int DataBits = 32
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  req_i,
  input  logic                  write_i,
  input  logic [AddrBits-1:0]   addr_i,
  input  logic [DataBits-1:0]   wdata_i,
  output logic                  done_o,
  output logic                  error_o,
  output logic [DataBits-1:0]   rdata_o,

  output logic                  psel_o,
  output logic                  penable_o,
  output logic                  pwrite_o,
  output logic [AddrBits-1:0]   paddr_o,
  output logic [DataBits-1:0]   pwdata_o,
  output logic [DataBits/8-1:0] pstrb_o,
  output logic [2:0]            pprot_o,
  input  logic                  pready_i,
  input  logic                  pslverr_i,
  input  logic [DataBits-1:0]   prdata_i
);

  assign psel_o   = req_i;
  assign pwrite_o = req_i && write_i;
  assign paddr_o  = addr_i;
  assign pwdata_o = wdata_i;
  assign pstrb_o  = write_i ? '1 : '0;
  assign pprot_o  = 3'b000;
  assign done_o   = penable_o && req_i && (pready_i === 1'b1);
  assign error_o  = (pslverr_i === 1'b1);
  assign rdata_o  = prdata_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) penable_o <= 1'b0;
    else         penable_o <= req_i && !done_o;
  end

endmodule
