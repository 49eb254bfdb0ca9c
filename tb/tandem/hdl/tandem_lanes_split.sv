// tandem_tb: splits a row of kind lanes into ports.
// SPDX-License-Identifier: Apache-2.0
// Generated from tb/tandem/agents/layout.py; do not edit, type `python -m rvtrace.flow.generate`.
module tandem_lanes_split
#(
  parameter int Xlen = 64,
  parameter int Mlen = 64,
  parameter int FBits = 64,
  parameter int NLanes = 1
) (
  /* verilator lint_off UNUSEDSIGNAL */  // some bits are 0, or are read by others
  input  logic [tandem_row_pkg::lanes_bits(NLanes)-1:0] row_i,
  /* verilator lint_on UNUSEDSIGNAL */
  output logic [NLanes*Xlen-1:0]   pc_o,
  output logic [NLanes*Mlen-1:0]   ppc_o,
  output logic [NLanes*Xlen-1:0]   gpr_o,
  output logic [NLanes*FBits-1:0]  fpr_o,
  output logic [NLanes*4*Xlen-1:0] csr_o,
  output logic [NLanes*Mlen-1:0]   paddr_o,
  output logic [NLanes*Mlen-1:0]   eaddr_o,
  output logic [NLanes*64-1:0]     memdata_o,
  output logic [NLanes*64-1:0]     mtime_o,
  output logic [NLanes*64-1:0]     mcycle_o,
  output logic [NLanes*64-1:0]     minstret_o,
  output logic [NLanes*Mlen-1:0]   req_addr_o,
  output logic [NLanes*64-1:0]     req_data_o,
  output logic [NLanes*64-1:0]     rsp_data_o,
  output logic [NLanes*23-1:0]     has_o,
  output logic [NLanes*32-1:0]     insn_o,
  output logic [NLanes*32-1:0]     fcsr_o,
  output logic [NLanes*4*12-1:0]   csr_addr_o,
  output logic [NLanes-1:0]        insn16_o,
  output logic [NLanes*5-1:0]      gpr_addr_o,
  output logic [NLanes*5-1:0]      fpr_addr_o,
  output logic [NLanes*2-1:0]      priv_o,
  output logic [NLanes*2-1:0]      memdata_size_o,
  output logic [NLanes*4-1:0]      req_op_o,
  output logic [NLanes*2-1:0]      req_size_o,
  output logic [NLanes-1:0]        rsp_result_o
);

  import tandem_row_pkg::*;

  for (genvar k = 0; k < NLanes; k++) begin : gen_lane
    localparam int At = LanesLanesAt + LaneBits*k;
    assign pc_o[Xlen*k +: Xlen] = row_i[At + LanePcAt +: Xlen];
    assign ppc_o[Mlen*k +: Mlen] = row_i[At + LanePpcAt +: Mlen];
    assign gpr_o[Xlen*k +: Xlen] = row_i[At + LaneGprAt +: Xlen];
    assign fpr_o[FBits*k +: FBits] = row_i[At + LaneFprAt +: FBits];
    assign csr_o[Xlen*(4*k+0) +: Xlen] = row_i[At + LaneCsrAt +: Xlen];
    assign csr_o[Xlen*(4*k+1) +: Xlen] = row_i[At + LaneCsrAt + 64 +: Xlen];
    assign csr_o[Xlen*(4*k+2) +: Xlen] = row_i[At + LaneCsrAt + 128 +: Xlen];
    assign csr_o[Xlen*(4*k+3) +: Xlen] = row_i[At + LaneCsrAt + 192 +: Xlen];
    assign paddr_o[Mlen*k +: Mlen] = row_i[At + LanePaddrAt +: Mlen];
    assign eaddr_o[Mlen*k +: Mlen] = row_i[At + LaneEaddrAt +: Mlen];
    assign memdata_o[64*k +: 64] = row_i[At + LaneMemdataAt +: 64];
    assign mtime_o[64*k +: 64] = row_i[At + LaneMtimeAt +: 64];
    assign mcycle_o[64*k +: 64] = row_i[At + LaneMcycleAt +: 64];
    assign minstret_o[64*k +: 64] = row_i[At + LaneMinstretAt +: 64];
    assign req_addr_o[Mlen*k +: Mlen] = row_i[At + LaneReqAddrAt +: Mlen];
    assign req_data_o[64*k +: 64] = row_i[At + LaneReqDataAt +: 64];
    assign rsp_data_o[64*k +: 64] = row_i[At + LaneRspDataAt +: 64];
    assign has_o[23*k +: 23] = row_i[At + LaneHasAt +: 23];
    assign insn_o[32*k +: 32] = row_i[At + LaneInsnAt +: 32];
    assign fcsr_o[32*k +: 32] = row_i[At + LaneFcsrAt +: 32];
    assign csr_addr_o[12*(4*k+0) +: 12] = row_i[At + LaneCsrAddrAt +: 12];
    assign csr_addr_o[12*(4*k+1) +: 12] = row_i[At + LaneCsrAddrAt + 16 +: 12];
    assign csr_addr_o[12*(4*k+2) +: 12] = row_i[At + LaneCsrAddrAt + 32 +: 12];
    assign csr_addr_o[12*(4*k+3) +: 12] = row_i[At + LaneCsrAddrAt + 48 +: 12];
    assign insn16_o[k] = row_i[At + LaneInsn16At];
    assign gpr_addr_o[5*k +: 5] = row_i[At + LaneGprAddrAt +: 5];
    assign fpr_addr_o[5*k +: 5] = row_i[At + LaneFprAddrAt +: 5];
    assign priv_o[2*k +: 2] = row_i[At + LanePrivAt +: 2];
    assign memdata_size_o[2*k +: 2] = row_i[At + LaneMemdataSizeAt +: 2];
    assign req_op_o[4*k +: 4] = row_i[At + LaneReqOpAt +: 4];
    assign req_size_o[2*k +: 2] = row_i[At + LaneReqSizeAt +: 2];
    assign rsp_result_o[k] = row_i[At + LaneRspResultAt];
  end

endmodule
