// SPDX-License-Identifier: Apache-2.0
// An AXI4-Lite manager for dut_bus_steps: one access at a time, address and data of a write together.
module dut_bus_axi4_lite
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

  output logic                  awvalid_o,
  output logic [AddrBits-1:0]   awaddr_o,
  output logic [2:0]            awprot_o,
  input  logic                  awready_i,
  output logic                  wvalid_o,
  output logic [DataBits-1:0]   wdata_o,
  output logic [DataBits/8-1:0] wstrb_o,
  input  logic                  wready_i,
  output logic                  bready_o,
  input  logic                  bvalid_i,
  input  logic [1:0]            bresp_i,
  output logic                  arvalid_o,
  output logic [AddrBits-1:0]   araddr_o,
  output logic [2:0]            arprot_o,
  input  logic                  arready_i,
  output logic                  rready_o,
  input  logic                  rvalid_i,
  input  logic [DataBits-1:0]   rdata_i,
  input  logic [1:0]            rresp_i
);

  logic asked, gave;  // the address, and the data of a write, were taken

  assign awvalid_o = req_i && write_i && !asked;
  assign awaddr_o  = addr_i;
  assign awprot_o  = 3'b000;
  assign wvalid_o  = req_i && write_i && !gave;
  assign wdata_o   = wdata_i;
  assign wstrb_o   = '1;
  assign bready_o  = req_i && write_i;
  assign arvalid_o = req_i && !write_i && !asked;
  assign araddr_o  = addr_i;
  assign arprot_o  = 3'b000;
  assign rready_o  = req_i && !write_i;
  assign done_o    = (bready_o && (bvalid_i === 1'b1)) || (rready_o && (rvalid_i === 1'b1));
  assign error_o   = write_i ? (bresp_i[1] === 1'b1) : (rresp_i[1] === 1'b1);
  assign rdata_o   = rdata_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      asked <= 1'b0;
      gave  <= 1'b0;
    end else if (!req_i || done_o) begin
      asked <= 1'b0;
      gave  <= 1'b0;
    end else begin
      if ((awvalid_o && (awready_i === 1'b1)) || (arvalid_o && (arready_i === 1'b1))) asked <= 1'b1;
      if (wvalid_o && (wready_i === 1'b1)) gave <= 1'b1;
    end
  end

endmodule
