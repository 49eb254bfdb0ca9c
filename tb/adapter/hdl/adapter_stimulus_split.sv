// adapter_tb: splits a row of kind stimulus into ports.
// SPDX-License-Identifier: Apache-2.0
// Generated from tb/adapter/agents/layout.py; do not edit, type `python -m rvtrace.flow.generate`.
module adapter_stimulus_split
#(
  parameter int Xlen = 64,
  parameter int FBits = 64,
  parameter int XBytes = 8,
  parameter int NRet = 1
) (
  /* verilator lint_off UNUSEDSIGNAL */  // some bits are 0, or are read by others
  input  logic [adapter_row_pkg::stimulus_bits(NRet)-1:0] row_i,
  /* verilator lint_on UNUSEDSIGNAL */
  output logic [Xlen-1:0]        trap_cause_o,
  output logic [Xlen-1:0]        trap_tval_o,
  output logic [Xlen-1:0]        trap_epc_o,
  output logic [Xlen-1:0]        trap_status_o,
  output logic [2:0]             trap_from_o,
  output logic [2:0]             trap_mode_o,
  output logic                   trap_interrupt_o,
  output logic                   trap_valid_o,
  output logic [NRet*64-1:0]     order_o,
  output logic [NRet*Xlen-1:0]   rd_wdata_o,
  output logic [NRet*Xlen-1:0]   pc_rdata_o,
  output logic [NRet*Xlen-1:0]   pc_wdata_o,
  output logic [NRet*Xlen-1:0]   mem_addr_o,
  output logic [NRet*Xlen-1:0]   mem_rdata_o,
  output logic [NRet*Xlen-1:0]   mem_wdata_o,
  output logic [NRet*FBits-1:0]  frd_wdata_o,
  output logic [NRet*4*Xlen-1:0] csr_wdata_o,
  output logic [NRet*32-1:0]     insn_o,
  output logic [NRet*32-1:0]     context_o,
  output logic [NRet*32-1:0]     fcsr_o,
  output logic [NRet*4*12-1:0]   csr_addr_o,
  output logic [NRet*4-1:0]      csr_valid_o,
  output logic [NRet*5-1:0]      rd_addr_o,
  output logic [NRet*5-1:0]      frd_addr_o,
  output logic [NRet*XBytes-1:0] mem_rmask_o,
  output logic [NRet*XBytes-1:0] mem_wmask_o,
  output logic [NRet*2-1:0]      mode_o,
  output logic [NRet*2-1:0]      ixl_o,
  output logic [NRet-1:0]        trap_o,
  output logic [NRet-1:0]        halt_o,
  output logic [NRet-1:0]        intr_o,
  output logic [NRet-1:0]        virt_o,
  output logic [NRet-1:0]        debug_o,
  output logic [NRet-1:0]        frd_valid_o,
  output logic [NRet-1:0]        fcsr_valid_o,
  output logic [NRet-1:0]        valid_o
);

  import adapter_row_pkg::*;

  assign trap_cause_o = row_i[StimulusTrapCauseAt +: Xlen];
  assign trap_tval_o = row_i[StimulusTrapTvalAt +: Xlen];
  assign trap_epc_o = row_i[StimulusTrapEpcAt +: Xlen];
  assign trap_status_o = row_i[StimulusTrapStatusAt +: Xlen];
  assign trap_from_o = row_i[StimulusTrapFromAt +: 3];
  assign trap_mode_o = row_i[StimulusTrapModeAt +: 3];
  assign trap_interrupt_o = row_i[StimulusTrapInterruptAt];
  assign trap_valid_o = row_i[StimulusTrapValidAt];
  for (genvar k = 0; k < NRet; k++) begin : gen_channel
    localparam int At = StimulusChannelsAt + ChannelBits*k;
    assign order_o[64*k +: 64] = row_i[At + ChannelOrderAt +: 64];
    assign rd_wdata_o[Xlen*k +: Xlen] = row_i[At + ChannelRdWdataAt +: Xlen];
    assign pc_rdata_o[Xlen*k +: Xlen] = row_i[At + ChannelPcRdataAt +: Xlen];
    assign pc_wdata_o[Xlen*k +: Xlen] = row_i[At + ChannelPcWdataAt +: Xlen];
    assign mem_addr_o[Xlen*k +: Xlen] = row_i[At + ChannelMemAddrAt +: Xlen];
    assign mem_rdata_o[Xlen*k +: Xlen] = row_i[At + ChannelMemRdataAt +: Xlen];
    assign mem_wdata_o[Xlen*k +: Xlen] = row_i[At + ChannelMemWdataAt +: Xlen];
    assign frd_wdata_o[FBits*k +: FBits] = row_i[At + ChannelFrdWdataAt +: FBits];
    assign csr_wdata_o[Xlen*(4*k+0) +: Xlen] = row_i[At + ChannelCsrWdataAt +: Xlen];
    assign csr_wdata_o[Xlen*(4*k+1) +: Xlen] = row_i[At + ChannelCsrWdataAt + 64 +: Xlen];
    assign csr_wdata_o[Xlen*(4*k+2) +: Xlen] = row_i[At + ChannelCsrWdataAt + 128 +: Xlen];
    assign csr_wdata_o[Xlen*(4*k+3) +: Xlen] = row_i[At + ChannelCsrWdataAt + 192 +: Xlen];
    assign insn_o[32*k +: 32] = row_i[At + ChannelInsnAt +: 32];
    assign context_o[32*k +: 32] = row_i[At + ChannelContextAt +: 32];
    assign fcsr_o[32*k +: 32] = row_i[At + ChannelFcsrAt +: 32];
    assign csr_addr_o[12*(4*k+0) +: 12] = row_i[At + ChannelCsrAddrAt +: 12];
    assign csr_addr_o[12*(4*k+1) +: 12] = row_i[At + ChannelCsrAddrAt + 16 +: 12];
    assign csr_addr_o[12*(4*k+2) +: 12] = row_i[At + ChannelCsrAddrAt + 32 +: 12];
    assign csr_addr_o[12*(4*k+3) +: 12] = row_i[At + ChannelCsrAddrAt + 48 +: 12];
    assign csr_valid_o[4*k +: 4] = row_i[At + ChannelCsrValidAt +: 4];
    assign rd_addr_o[5*k +: 5] = row_i[At + ChannelRdAddrAt +: 5];
    assign frd_addr_o[5*k +: 5] = row_i[At + ChannelFrdAddrAt +: 5];
    assign mem_rmask_o[XBytes*k +: XBytes] = row_i[At + ChannelMemRmaskAt +: XBytes];
    assign mem_wmask_o[XBytes*k +: XBytes] = row_i[At + ChannelMemWmaskAt +: XBytes];
    assign mode_o[2*k +: 2] = row_i[At + ChannelModeAt +: 2];
    assign ixl_o[2*k +: 2] = row_i[At + ChannelIxlAt +: 2];
    assign trap_o[k] = row_i[At + ChannelTrapAt];
    assign halt_o[k] = row_i[At + ChannelHaltAt];
    assign intr_o[k] = row_i[At + ChannelIntrAt];
    assign virt_o[k] = row_i[At + ChannelVirtAt];
    assign debug_o[k] = row_i[At + ChannelDebugAt];
    assign frd_valid_o[k] = row_i[At + ChannelFrdValidAt];
    assign fcsr_valid_o[k] = row_i[At + ChannelFcsrValidAt];
    assign valid_o[k] = row_i[At + ChannelValidAt];
  end

endmodule
