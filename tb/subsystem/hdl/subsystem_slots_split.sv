// subsystem_tb: splits a row of kind slots into ports.
// SPDX-License-Identifier: Apache-2.0
// Generated from tb/subsystem/agents/layout.py; do not edit, type `python -m rvtrace.flow.generate`.
module subsystem_slots_split
#(
  parameter int Xlen = 64,
  parameter int Mlen = 64,
  parameter int NRet = 1
) (
  /* verilator lint_off UNUSEDSIGNAL */  // some bits are 0, or are read by others
  input  logic [subsystem_row_pkg::slots_bits(NRet)-1:0] row_i,
  /* verilator lint_on UNUSEDSIGNAL */
  output logic [NRet*Xlen-1:0]   pc_o,
  output logic [NRet*Xlen-1:0]   tval_o,
  output logic [NRet*32-1:0]     context_o,
  output logic [NRet*8-1:0]      cause_o,
  output logic [NRet*4-1:0]      itype_o,
  output logic [NRet*3-1:0]      mode_o,
  output logic [NRet*3-1:0]      mode_next_o,
  output logic [NRet-1:0]        reported_o,
  output logic [NRet-1:0]        misp_o,
  output logic [NRet*Xlen-1:0]   next_pc_o,
  output logic [NRet*Mlen-1:0]   ppc_o,
  output logic [NRet*Xlen-1:0]   gpr_o,
  output logic [NRet*64-1:0]     fpr_o,
  output logic [NRet*4*Xlen-1:0] csr_o,
  output logic [NRet*Mlen-1:0]   paddr_o,
  output logic [NRet*Mlen-1:0]   eaddr_o,
  output logic [NRet*64-1:0]     memdata_o,
  output logic [NRet*64-1:0]     mtime_o,
  output logic [NRet*Mlen-1:0]   req_addr_o,
  output logic [NRet*64-1:0]     req_data_o,
  output logic [NRet*64-1:0]     rsp_data_o,
  output logic [NRet*23-1:0]     has_o,
  output logic [NRet*32-1:0]     insn_o,
  output logic [NRet*32-1:0]     fcsr_o,
  output logic [NRet*4*12-1:0]   csr_addr_o,
  output logic [NRet-1:0]        insn16_o,
  output logic [NRet*5-1:0]      gpr_addr_o,
  output logic [NRet*5-1:0]      fpr_addr_o,
  output logic [NRet*2-1:0]      priv_o,
  output logic [NRet*2-1:0]      memdata_size_o,
  output logic [NRet*4-1:0]      req_op_o,
  output logic [NRet*2-1:0]      req_size_o,
  output logic [NRet-1:0]        rsp_result_o
);

  import subsystem_row_pkg::*;

  for (genvar k = 0; k < NRet; k++) begin : gen_slot
    localparam int At = SlotsSlotsAt + SlotBits*k;
    assign pc_o[Xlen*k +: Xlen] = row_i[At + SlotPcAt +: Xlen];
    assign tval_o[Xlen*k +: Xlen] = row_i[At + SlotTvalAt +: Xlen];
    assign context_o[32*k +: 32] = row_i[At + SlotContextAt +: 32];
    assign cause_o[8*k +: 8] = row_i[At + SlotCauseAt +: 8];
    assign itype_o[4*k +: 4] = row_i[At + SlotItypeAt +: 4];
    assign mode_o[3*k +: 3] = row_i[At + SlotModeAt +: 3];
    assign mode_next_o[3*k +: 3] = row_i[At + SlotModeNextAt +: 3];
    assign reported_o[k] = row_i[At + SlotReportedAt];
    assign misp_o[k] = row_i[At + SlotMispAt];
    assign next_pc_o[Xlen*k +: Xlen] = row_i[At + SlotNextPcAt +: Xlen];
    assign ppc_o[Mlen*k +: Mlen] = row_i[At + SlotPpcAt +: Mlen];
    assign gpr_o[Xlen*k +: Xlen] = row_i[At + SlotGprAt +: Xlen];
    assign fpr_o[64*k +: 64] = row_i[At + SlotFprAt +: 64];
    assign csr_o[Xlen*(4*k+0) +: Xlen] = row_i[At + SlotCsrAt +: Xlen];
    assign csr_o[Xlen*(4*k+1) +: Xlen] = row_i[At + SlotCsrAt + 64 +: Xlen];
    assign csr_o[Xlen*(4*k+2) +: Xlen] = row_i[At + SlotCsrAt + 128 +: Xlen];
    assign csr_o[Xlen*(4*k+3) +: Xlen] = row_i[At + SlotCsrAt + 192 +: Xlen];
    assign paddr_o[Mlen*k +: Mlen] = row_i[At + SlotPaddrAt +: Mlen];
    assign eaddr_o[Mlen*k +: Mlen] = row_i[At + SlotEaddrAt +: Mlen];
    assign memdata_o[64*k +: 64] = row_i[At + SlotMemdataAt +: 64];
    assign mtime_o[64*k +: 64] = row_i[At + SlotMtimeAt +: 64];
    assign req_addr_o[Mlen*k +: Mlen] = row_i[At + SlotReqAddrAt +: Mlen];
    assign req_data_o[64*k +: 64] = row_i[At + SlotReqDataAt +: 64];
    assign rsp_data_o[64*k +: 64] = row_i[At + SlotRspDataAt +: 64];
    assign has_o[23*k +: 23] = row_i[At + SlotHasAt +: 23];
    assign insn_o[32*k +: 32] = row_i[At + SlotInsnAt +: 32];
    assign fcsr_o[32*k +: 32] = row_i[At + SlotFcsrAt +: 32];
    assign csr_addr_o[12*(4*k+0) +: 12] = row_i[At + SlotCsrAddrAt +: 12];
    assign csr_addr_o[12*(4*k+1) +: 12] = row_i[At + SlotCsrAddrAt + 16 +: 12];
    assign csr_addr_o[12*(4*k+2) +: 12] = row_i[At + SlotCsrAddrAt + 32 +: 12];
    assign csr_addr_o[12*(4*k+3) +: 12] = row_i[At + SlotCsrAddrAt + 48 +: 12];
    assign insn16_o[k] = row_i[At + SlotInsn16At];
    assign gpr_addr_o[5*k +: 5] = row_i[At + SlotGprAddrAt +: 5];
    assign fpr_addr_o[5*k +: 5] = row_i[At + SlotFprAddrAt +: 5];
    assign priv_o[2*k +: 2] = row_i[At + SlotPrivAt +: 2];
    assign memdata_size_o[2*k +: 2] = row_i[At + SlotMemdataSizeAt +: 2];
    assign req_op_o[4*k +: 4] = row_i[At + SlotReqOpAt +: 4];
    assign req_size_o[2*k +: 2] = row_i[At + SlotReqSizeAt +: 2];
    assign rsp_result_o[k] = row_i[At + SlotRspResultAt];
  end

endmodule
