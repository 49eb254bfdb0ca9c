// etrace_tb: joins ports to a row of kind lanes; what has no port is 0.
// SPDX-License-Identifier: Apache-2.0
// Generated from tb/common/agents/layout.py; do not edit, type `python -m rvtrace.flow.generate`.
module etrace_lanes_join
#(
  parameter int Xlen = 64,
  parameter int NBlocks = 1,
  parameter int IRetireWidth = 7
) (
  input  logic [NBlocks*4-1:0]                           itype_i,
  input  logic [NBlocks-1:0]                             ilastsize_i,
  input  logic [NBlocks-1:0]                             sijump_i,
  input  logic [NBlocks*3-1:0]                           priv_i,
  input  logic [NBlocks*8-1:0]                           cause_i,
  input  logic [NBlocks*IRetireWidth-1:0]                iretire_i,
  input  logic [NBlocks*32-1:0]                          context_i,
  input  logic [NBlocks*Xlen-1:0]                        iaddr_i,
  input  logic [NBlocks*Xlen-1:0]                        tval_i,
  output logic [etrace_row_pkg::lanes_bits(NBlocks)-1:0] row_o
);

  import etrace_row_pkg::*;

  logic [NBlocks*LaneBits-1:0] lanes;
  for (genvar k = 0; k < NBlocks; k++) begin : gen_lane
    assign lanes[LaneBits*k +: LaneBits] = {
      64'(tval_i[Xlen*k +: Xlen]),
      64'(iaddr_i[Xlen*k +: Xlen]),
      context_i[32*k +: 32],
      16'd0,
      16'd0,
      16'(iretire_i[IRetireWidth*k +: IRetireWidth]),
      8'd0,
      cause_i[8*k +: 8],
      8'(priv_i[3*k +: 3]),
      8'(sijump_i[k]),
      8'(ilastsize_i[k]),
      8'(itype_i[4*k +: 4])
    };
  end

  assign row_o = lanes;

endmodule
