// SPDX-License-Identifier: Apache-2.0
// A CSR port for dut_bus_steps: an access is done in the cycle with valid and ready, and reads in that cycle.
module dut_bus_csr
#(
  parameter int AddrBits = 12,
  parameter int DataBits = 32
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                req_i,
  input  logic                write_i,
  input  logic [AddrBits-1:0] addr_i,
  input  logic [DataBits-1:0] wdata_i,
  output logic                done_o,
  output logic                error_o,
  output logic [DataBits-1:0] rdata_o,

  output logic                valid_o,
  output logic                write_o,
  output logic [AddrBits-1:0] addr_o,
  output logic [DataBits-1:0] wdata_o,
  input  logic                ready_i,
  input  logic                error_i,
  input  logic [DataBits-1:0] rdata_i
);

  logic unused;

  assign valid_o = req_i;
  assign write_o = req_i && write_i;
  assign addr_o  = addr_i;
  assign wdata_o = wdata_i;
  assign done_o  = req_i && (ready_i === 1'b1);
  assign error_o = (error_i === 1'b1);
  assign rdata_o = rdata_i;
  assign unused  = clk_i ^ rst_ni;

endmodule
