// SPDX-License-Identifier: Apache-2.0
// Our managers of AXI4-Lite and APB, and a stream with TKEEP, with the names by which cocotbext packages find ports.
module bus_agents_tb #(
  parameter int A = 12,
  parameter int D = 32
) (
  input  logic           clk,
  input  logic           rst,

  input  logic [1:0]     req,  // of AXI4-Lite and of APB
  input  logic           write,
  input  logic [A-1:0]   addr,
  input  logic [D-1:0]   wdata,
  output logic [1:0]     done,
  output logic [1:0]     error,
  output logic [2*D-1:0] rdata,

  output logic m_axil_awvalid, m_axil_wvalid, m_axil_bready, m_axil_arvalid, m_axil_rready,
  input  logic m_axil_awready, m_axil_wready, m_axil_bvalid, m_axil_arready, m_axil_rvalid,
  output logic [A-1:0]   m_axil_awaddr, m_axil_araddr,
  output logic [2:0]     m_axil_awprot, m_axil_arprot,
  output logic [D-1:0]   m_axil_wdata,
  output logic [D/8-1:0] m_axil_wstrb,
  input  logic [1:0]     m_axil_bresp, m_axil_rresp,
  input  logic [D-1:0]   m_axil_rdata,

  output logic m_apb_psel, m_apb_penable, m_apb_pwrite,
  output logic [A-1:0]   m_apb_paddr,
  output logic [D-1:0]   m_apb_pwdata,
  output logic [D/8-1:0] m_apb_pstrb,
  output logic [2:0]     m_apb_pprot,
  input  logic           m_apb_pready, m_apb_pslverr,
  input  logic [D-1:0]   m_apb_prdata,

  // From a source of AXI-Stream to a sink.
  input  logic           s_axis_tvalid, s_axis_tlast, m_axis_tready,
  input  logic [D-1:0]   s_axis_tdata,
  input  logic [D/8-1:0] s_axis_tkeep,
  output logic           m_axis_tvalid, m_axis_tlast, s_axis_tready,
  output logic [D-1:0]   m_axis_tdata,
  output logic [D/8-1:0] m_axis_tkeep
);

  assign {m_axis_tvalid, m_axis_tlast, m_axis_tdata, m_axis_tkeep} = {s_axis_tvalid, s_axis_tlast, s_axis_tdata, s_axis_tkeep};
  assign s_axis_tready = m_axis_tready;

  dut_bus_axi4_lite #(.AddrBits(A), .DataBits(D)) u_axil (
    .clk_i(clk), .rst_ni(!rst), .req_i(req[0]), .write_i(write), .addr_i(addr), .wdata_i(wdata),
    .done_o(done[0]), .error_o(error[0]), .rdata_o(rdata[D-1:0]),
    .awvalid_o(m_axil_awvalid), .awaddr_o(m_axil_awaddr), .awprot_o(m_axil_awprot), .awready_i(m_axil_awready),
    .wvalid_o(m_axil_wvalid), .wdata_o(m_axil_wdata), .wstrb_o(m_axil_wstrb), .wready_i(m_axil_wready),
    .bready_o(m_axil_bready), .bvalid_i(m_axil_bvalid), .bresp_i(m_axil_bresp),
    .arvalid_o(m_axil_arvalid), .araddr_o(m_axil_araddr), .arprot_o(m_axil_arprot), .arready_i(m_axil_arready),
    .rready_o(m_axil_rready), .rvalid_i(m_axil_rvalid), .rdata_i(m_axil_rdata), .rresp_i(m_axil_rresp)
  );

  dut_bus_apb #(.AddrBits(A), .DataBits(D)) u_apb (
    .clk_i(clk), .rst_ni(!rst), .req_i(req[1]), .write_i(write), .addr_i(addr), .wdata_i(wdata),
    .done_o(done[1]), .error_o(error[1]), .rdata_o(rdata[2*D-1:D]),
    .psel_o(m_apb_psel), .penable_o(m_apb_penable), .pwrite_o(m_apb_pwrite), .paddr_o(m_apb_paddr),
    .pwdata_o(m_apb_pwdata), .pstrb_o(m_apb_pstrb), .pprot_o(m_apb_pprot),
    .pready_i(m_apb_pready), .pslverr_i(m_apb_pslverr), .prdata_i(m_apb_prdata)
  );

endmodule
