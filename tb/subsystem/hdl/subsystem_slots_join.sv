// subsystem_tb: joins ports to a row of kind slots; what has no port is 0.
// SPDX-License-Identifier: Apache-2.0
// Generated from tb/subsystem/agents/layout.py; do not edit, type `python -m rvtrace.flow.generate`.
module subsystem_slots_join
#(
  parameter int Xlen = 64,
  parameter int Mlen = 64,
  parameter int NRet = 1
) (
  input  logic [NRet*Xlen-1:0]                           pc_i,
  input  logic [NRet*Xlen-1:0]                           tval_i,
  input  logic [NRet*32-1:0]                             context_i,
  input  logic [NRet*8-1:0]                              cause_i,
  input  logic [NRet*4-1:0]                              itype_i,
  input  logic [NRet*3-1:0]                              mode_i,
  input  logic [NRet*3-1:0]                              mode_next_i,
  input  logic [NRet-1:0]                                reported_i,
  input  logic [NRet-1:0]                                misp_i,
  input  logic [NRet*Xlen-1:0]                           next_pc_i,
  input  logic [NRet*Mlen-1:0]                           ppc_i,
  input  logic [NRet*Xlen-1:0]                           gpr_i,
  input  logic [NRet*64-1:0]                             fpr_i,
  input  logic [NRet*4*Xlen-1:0]                         csr_i,
  input  logic [NRet*Mlen-1:0]                           paddr_i,
  input  logic [NRet*Mlen-1:0]                           eaddr_i,
  input  logic [NRet*64-1:0]                             memdata_i,
  input  logic [NRet*64-1:0]                             mtime_i,
  input  logic [NRet*Mlen-1:0]                           req_addr_i,
  input  logic [NRet*64-1:0]                             req_data_i,
  input  logic [NRet*64-1:0]                             rsp_data_i,
  input  logic [NRet*23-1:0]                             has_i,
  input  logic [NRet*32-1:0]                             insn_i,
  input  logic [NRet*32-1:0]                             fcsr_i,
  input  logic [NRet*4*12-1:0]                           csr_addr_i,
  input  logic [NRet-1:0]                                insn16_i,
  input  logic [NRet*5-1:0]                              gpr_addr_i,
  input  logic [NRet*5-1:0]                              fpr_addr_i,
  input  logic [NRet*2-1:0]                              priv_i,
  input  logic [NRet*2-1:0]                              memdata_size_i,
  input  logic [NRet*4-1:0]                              req_op_i,
  input  logic [NRet*2-1:0]                              req_size_i,
  input  logic [NRet-1:0]                                rsp_result_i,
  input  logic [NRet-1:0]                                valid_i,
  output logic [subsystem_row_pkg::slots_bits(NRet)-1:0] row_o
);

  import subsystem_row_pkg::*;

  logic [NRet*SlotBits-1:0] slots;
  for (genvar k = 0; k < NRet; k++) begin : gen_slot
    assign slots[SlotBits*k +: SlotBits] = {
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
      64'd0,
      64'd0,
      mtime_i[64*k +: 64],
      memdata_i[64*k +: 64],
      64'(eaddr_i[Mlen*k +: Mlen]),
      64'(paddr_i[Mlen*k +: Mlen]),
      64'(csr_i[Xlen*(4*k+3) +: Xlen]),
      64'(csr_i[Xlen*(4*k+2) +: Xlen]),
      64'(csr_i[Xlen*(4*k+1) +: Xlen]),
      64'(csr_i[Xlen*(4*k+0) +: Xlen]),
      fpr_i[64*k +: 64],
      64'(gpr_i[Xlen*k +: Xlen]),
      64'(ppc_i[Mlen*k +: Mlen]),
      64'(next_pc_i[Xlen*k +: Xlen]),
      48'd0,
      8'(misp_i[k]),
      8'(reported_i[k]),
      8'(mode_next_i[3*k +: 3]),
      8'(mode_i[3*k +: 3]),
      8'(itype_i[4*k +: 4]),
      cause_i[8*k +: 8],
      context_i[32*k +: 32],
      64'(tval_i[Xlen*k +: Xlen]),
      64'(pc_i[Xlen*k +: Xlen])
    };
  end

  assign row_o = slots;

endmodule
