// adapter_tb: joins ports to a row of kind ingress; what has no port is 0.
// SPDX-License-Identifier: Apache-2.0
// Generated from tb/adapter/agents/layout.py; do not edit, type `python -m rvtrace.flow.generate`.
module adapter_ingress_join
#(
  parameter int Xlen = 64,
  parameter int NBlocks = 1,
  parameter int IRetireWidth = 7
) (
  input  logic [63:0]                                       cycle_i,
  input  logic                                              halted_i,
  input  logic [1:0]                                        ctype_i,
  input  logic [NBlocks*Xlen-1:0]                           iaddr_i,
  input  logic [NBlocks*Xlen-1:0]                           tval_i,
  input  logic [NBlocks*Xlen-1:0]                           once_tval_i,
  input  logic [NBlocks*32-1:0]                             context_i,
  input  logic [NBlocks*IRetireWidth-1:0]                   iretire_i,
  input  logic [NBlocks*8-1:0]                              cause_i,
  input  logic [NBlocks*8-1:0]                              once_cause_i,
  input  logic [NBlocks*4-1:0]                              itype_i,
  input  logic [NBlocks*3-1:0]                              priv_i,
  input  logic [NBlocks-1:0]                                ilastsize_i,
  output logic [adapter_row_pkg::ingress_bits(NBlocks)-1:0] row_o
);

  import adapter_row_pkg::*;

  logic [NBlocks*BlockBits-1:0] lanes;
  for (genvar k = 0; k < NBlocks; k++) begin : gen_block
    assign lanes[BlockBits*k +: BlockBits] = {
      40'd0,
      8'(ilastsize_i[k]),
      8'(priv_i[3*k +: 3]),
      8'(itype_i[4*k +: 4]),
      once_cause_i[8*k +: 8],
      cause_i[8*k +: 8],
      16'(iretire_i[IRetireWidth*k +: IRetireWidth]),
      context_i[32*k +: 32],
      64'(once_tval_i[Xlen*k +: Xlen]),
      64'(tval_i[Xlen*k +: Xlen]),
      64'(iaddr_i[Xlen*k +: Xlen])
    };
  end

  assign row_o = {
    lanes,
    32'd0,
    {29'd0, ctype_i, halted_i},
    cycle_i
  };

endmodule
