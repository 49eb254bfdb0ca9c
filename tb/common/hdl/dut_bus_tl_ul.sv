// SPDX-License-Identifier: Apache-2.0
// A TileLink-UL host for dut_bus_steps: Get and PutFullData of a whole word, one at a time.
module dut_bus_tl_ul
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

  output logic                  a_valid_o,
  output logic [2:0]            a_opcode_o,
  output logic [2:0]            a_param_o,
  output logic [1:0]            a_size_o,
  output logic                  a_source_o,
  output logic [AddrBits-1:0]   a_address_o,
  output logic [DataBits/8-1:0] a_mask_o,
  output logic [DataBits-1:0]   a_data_o,
  input  logic                  a_ready_i,
  output logic                  d_ready_o,
  input  logic                  d_valid_i,
  input  logic [2:0]            d_opcode_i,
  input  logic                  d_error_i,
  input  logic [DataBits-1:0]   d_data_i
);

  localparam logic [2:0] PutFullData = 3'd0, Get = 3'd4;

  logic asked;  // the request was taken
  logic unused;

  assign a_valid_o   = req_i && !asked;
  assign a_opcode_o  = write_i ? PutFullData : Get;
  assign a_param_o   = 3'd0;
  assign a_size_o    = (DataBits == 64) ? 2'd3 : 2'd2;
  assign a_source_o  = 1'b0;
  assign a_address_o = addr_i;
  assign a_mask_o    = '1;
  assign a_data_o    = wdata_i;
  assign d_ready_o   = req_i;
  assign done_o      = req_i && (d_valid_i === 1'b1);
  assign error_o     = (d_error_i === 1'b1);
  assign rdata_o     = d_data_i;
  assign unused      = ^d_opcode_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni)               asked <= 1'b0;
    else if (!req_i || done_o) asked <= 1'b0;
    else if (a_valid_o && (a_ready_i === 1'b1)) asked <= 1'b1;
  end

endmodule
