// SPDX-License-Identifier: Apache-2.0
// A core and its memory without any trace source: its RVFI and its traps are recorded, for tandem verification.
module core_alone_tb (
  output logic        clk_o,
  input  logic        rst_ni,
  input  logic        load_i,
  input  logic        record_i,
  input  logic [31:0] start_pc_i,
  input  logic [31:0] halt_pc_i,
  input  logic [31:0] tohost_i,
  input  logic [31:0] limit_i,
  output logic        done_o,
  output logic        halted_o,
  output logic [31:0] retired_o
);

  logic over;

  initial clk_o = 1'b0;
  always #5 clk_o = !clk_o;

  assign done_o = halted_o || over;

  core_run u_run (
    .clk_i(clk_o), .rst_ni, .load_i, .record_i, .stall_i(1'b0), .start_pc_i, .halt_pc_i, .tohost_i, .limit_i,
    .rvfi_valid_o(), .rvfi_order_o(), .rvfi_insn_o(), .rvfi_trap_o(), .rvfi_intr_o(), .rvfi_mode_o(), .rvfi_rd_addr_o(),
    .rvfi_rd_wdata_o(), .rvfi_pc_rdata_o(), .rvfi_pc_wdata_o(), .rvfi_mem_addr_o(), .rvfi_mem_rmask_o(), .rvfi_mem_wmask_o(),
    .rvfi_mem_rdata_o(), .rvfi_mem_wdata_o(), .rvfi_csr_valid_o(), .rvfi_csr_addr_o(), .rvfi_csr_wdata_o(),
    .trap_valid_o(), .trap_interrupt_o(), .trap_cause_o(), .trap_tval_o(), .trap_epc_o(), .trap_status_o(), .trap_from_o(),
    .trap_mode_o(), .halted_o, .over_o(over), .retired_o
  );

endmodule
