// tandem_tb: joins ports to a row of kind lanes; what has no port is 0.
// SPDX-License-Identifier: Apache-2.0
// Generated from tb/tandem/agents/layout.py; do not edit, type `python -m rvtrace.flow.generate`.
module tandem_lanes_join
#(
  parameter int Xlen = 64,
  parameter int Mlen = 64,
  parameter int FBits = 64,
  parameter int NLanes = 1
) (
  input  logic [NLanes*Xlen-1:0]                        pc_i,
  input  logic [NLanes*Mlen-1:0]                        ppc_i,
  input  logic [NLanes*Xlen-1:0]                        gpr_i,
  input  logic [NLanes*FBits-1:0]                       fpr_i,
  input  logic [NLanes*4*Xlen-1:0]                      csr_i,
  input  logic [NLanes*Mlen-1:0]                        paddr_i,
  input  logic [NLanes*Mlen-1:0]                        eaddr_i,
  input  logic [NLanes*64-1:0]                          memdata_i,
  input  logic [NLanes*64-1:0]                          mtime_i,
  input  logic [NLanes*64-1:0]                          mcycle_i,
  input  logic [NLanes*64-1:0]                          minstret_i,
  input  logic [NLanes*Mlen-1:0]                        req_addr_i,
  input  logic [NLanes*64-1:0]                          req_data_i,
  input  logic [NLanes*64-1:0]                          rsp_data_i,
  input  logic [NLanes*23-1:0]                          has_i,
  input  logic [NLanes*32-1:0]                          insn_i,
  input  logic [NLanes*32-1:0]                          fcsr_i,
  input  logic [NLanes*4*12-1:0]                        csr_addr_i,
  input  logic [NLanes-1:0]                             insn16_i,
  input  logic [NLanes*5-1:0]                           gpr_addr_i,
  input  logic [NLanes*5-1:0]                           fpr_addr_i,
  input  logic [NLanes*2-1:0]                           priv_i,
  input  logic [NLanes*2-1:0]                           memdata_size_i,
  input  logic [NLanes*4-1:0]                           req_op_i,
  input  logic [NLanes*2-1:0]                           req_size_i,
  input  logic [NLanes-1:0]                             rsp_result_i,
  input  logic [NLanes-1:0]                             valid_i,
  output logic [tandem_row_pkg::lanes_bits(NLanes)-1:0] row_o
);

  import tandem_row_pkg::*;

  logic [NLanes*LaneBits-1:0] lanes;
  for (genvar k = 0; k < NLanes; k++) begin : gen_lane
    assign lanes[LaneBits*k +: LaneBits] = {
      24'd0,
      8'(valid_i[k]),
      8'(rsp_result_i[k]),
      8'(req_size_i[2*k +: 2]),
      8'(req_op_i[4*k +: 4]),
      8'(memdata_size_i[2*k +: 2]),
      8'(priv_i[2*k +: 2]),
      8'(fpr_addr_i[5*k +: 5]),
      8'(gpr_addr_i[5*k +: 5]),
      8'(insn16_i[k]),
      16'(csr_addr_i[12*(4*k+3) +: 12]),
      16'(csr_addr_i[12*(4*k+2) +: 12]),
      16'(csr_addr_i[12*(4*k+1) +: 12]),
      16'(csr_addr_i[12*(4*k+0) +: 12]),
      fcsr_i[32*k +: 32],
      insn_i[32*k +: 32],
      32'(has_i[23*k +: 23]),
      rsp_data_i[64*k +: 64],
      req_data_i[64*k +: 64],
      64'(req_addr_i[Mlen*k +: Mlen]),
      minstret_i[64*k +: 64],
      mcycle_i[64*k +: 64],
      mtime_i[64*k +: 64],
      memdata_i[64*k +: 64],
      64'(eaddr_i[Mlen*k +: Mlen]),
      64'(paddr_i[Mlen*k +: Mlen]),
      64'(csr_i[Xlen*(4*k+3) +: Xlen]),
      64'(csr_i[Xlen*(4*k+2) +: Xlen]),
      64'(csr_i[Xlen*(4*k+1) +: Xlen]),
      64'(csr_i[Xlen*(4*k+0) +: Xlen]),
      64'(fpr_i[FBits*k +: FBits]),
      64'(gpr_i[Xlen*k +: Xlen]),
      64'(ppc_i[Mlen*k +: Mlen]),
      64'(pc_i[Xlen*k +: Xlen])
    };
  end

  assign row_o = lanes;

endmodule
