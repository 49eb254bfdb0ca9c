// SPDX-License-Identifier: Apache-2.0
// Ports of every traced_core: memory, interrupts, RVFI, CSR writes and traps. Included between the parentheses of its header.

  input  logic                  clk_i,
  input  logic                  rst_ni,
  output logic [31:0]           reset_pc_o,       // first pc after reset, constant

  output logic                  instr_req_o,
  input  logic                  instr_gnt_i,
  input  logic                  instr_rvalid_i,
  output logic [31:0]           instr_addr_o,
  input  logic [31:0]           instr_rdata_i,
  input  logic                  instr_err_i,

  output logic                  data_req_o,
  input  logic                  data_gnt_i,
  input  logic                  data_rvalid_i,
  output logic                  data_we_o,
  output logic [3:0]            data_be_o,
  output logic [31:0]           data_addr_o,
  output logic [31:0]           data_wdata_o,
  input  logic [31:0]           data_rdata_i,
  input  logic                  data_err_i,

  input  logic                  irq_software_i,
  input  logic                  irq_timer_i,

  output logic                  rvfi_valid_o,
  output logic [63:0]           rvfi_order_o,
  output logic [31:0]           rvfi_insn_o,
  output logic                  rvfi_trap_o,
  output logic                  rvfi_intr_o,
  output logic [1:0]            rvfi_mode_o,
  output logic [4:0]            rvfi_rd_addr_o,
  output logic [31:0]           rvfi_rd_wdata_o,
  output logic [31:0]           rvfi_pc_rdata_o,
  output logic [31:0]           rvfi_pc_wdata_o,
  output logic [31:0]           rvfi_mem_addr_o,
  output logic [3:0]            rvfi_mem_rmask_o,
  output logic [3:0]            rvfi_mem_wmask_o,
  output logic [31:0]           rvfi_mem_rdata_o,
  output logic [31:0]           rvfi_mem_wdata_o,
  output logic [CsrSlots-1:0]   rvfi_csr_valid_o,
  output logic [CsrSlots*12-1:0] rvfi_csr_addr_o,
  output logic [CsrSlots*32-1:0] rvfi_csr_wdata_o,

  output logic                  trap_valid_o,
  output logic                  trap_interrupt_o,
  output logic [31:0]           trap_cause_o,
  output logic [31:0]           trap_tval_o,
  output logic [31:0]           trap_epc_o,
  output logic [31:0]           trap_status_o,
  output logic [1:0]            trap_from_o,
  output logic [1:0]            trap_mode_o
