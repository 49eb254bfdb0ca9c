// tci_tb: joins ports to a row of kind ingress; what has no port is 0.
// SPDX-License-Identifier: Apache-2.0
// Generated from tb/tci/agents/layout.py; do not edit, type `python -m rvtrace.flow.generate`.
module tci_ingress_join
#(
  parameter int Xlen = 64,
  parameter int NBlocks = 1,
  parameter int IRetireWidth = 7,
  parameter int TsWidth = 48
) (
  input  logic [63:0]                                   cycle_i,
  input  logic                                          enable_i,
  input  logic                                          inst_tracing_i,
  input  logic                                          halted_i,
  input  logic                                          drop_i,
  input  logic                                          in_reset_i,
  input  logic                                          low_power_i,
  input  logic                                          notify_i,
  input  logic                                          ext_notify_i,
  input  logic [5:0]                                    vendor_i,
  input  logic [3:0]                                    action_i,
  input  logic [1:0]                                    ctype_i,
  input  logic [7:0]                                    external_i,
  input  logic [31:0]                                   vendor_data_i,
  input  logic [TsWidth-1:0]                            tstamp_i,
  input  logic [NBlocks*4-1:0]                          itype_i,
  input  logic [NBlocks-1:0]                            ilastsize_i,
  input  logic [NBlocks-1:0]                            sijump_i,
  input  logic [NBlocks*3-1:0]                          priv_i,
  input  logic [NBlocks*8-1:0]                          cause_i,
  input  logic [NBlocks*IRetireWidth-1:0]               iretire_i,
  input  logic [NBlocks*16-1:0]                         hcontext_i,
  input  logic [NBlocks*32-1:0]                         context_i,
  input  logic [NBlocks*Xlen-1:0]                       iaddr_i,
  input  logic [NBlocks*Xlen-1:0]                       tval_i,
  output logic [tci_row_pkg::ingress_bits(NBlocks)-1:0] row_o
);

  import tci_row_pkg::*;

  logic [NBlocks*LaneBits-1:0] lanes;
  for (genvar k = 0; k < NBlocks; k++) begin : gen_lane
    assign lanes[LaneBits*k +: LaneBits] = {
      64'(tval_i[Xlen*k +: Xlen]),
      64'(iaddr_i[Xlen*k +: Xlen]),
      context_i[32*k +: 32],
      16'd0,
      hcontext_i[16*k +: 16],
      16'(iretire_i[IRetireWidth*k +: IRetireWidth]),
      8'd0,
      cause_i[8*k +: 8],
      8'(priv_i[3*k +: 3]),
      8'(sijump_i[k]),
      8'(ilastsize_i[k]),
      8'(itype_i[4*k +: 4])
    };
  end

  assign row_o = {
    lanes,
    64'(tstamp_i),
    vendor_data_i,
    {external_i, 2'd0, vendor_i, ctype_i, action_i, ext_notify_i, notify_i, 2'd0, low_power_i, in_reset_i, drop_i, halted_i, inst_tracing_i, enable_i},
    cycle_i
  };

endmodule
