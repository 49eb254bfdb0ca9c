// SPDX-License-Identifier: Apache-2.0
// A core in place of the hart of tb/subsystem: its RVFI goes through rtl/adapters/rvfi_hart_port.sv to the hart port of the subsystem.
//
// cocotb drives registers and CSRs as in subsystem_tb, whose ports these are, and lets the core run: from core_run_i = 1, at which it leaves
// its reset, to done_o. Where the trace encoders wait, the adapter stops the core by its memory. Files: those of subsystem_tb and core_run.
module cores_tb
#(
  parameter int Incremental = 1
) (
  output logic                    clk_o,
  input  logic                    rst_ni,

  input  logic                    record_i,
  input  logic                    drive_bulk_i,  // of subsystem_tb; 0 here
  input  logic                    go_i,
  output logic                    played_o,
  input  logic [31:0]             noise_seed_i,
  input  logic [31:0]             wait_seed_i,
  input  logic [6:0]              ntrace_low_i,
  input  logic [6:0]              etrace_low_i,
  input  logic [6:0]              tandem_low_i,

  input  logic [tci_row_pkg::RequestBits-1:0] apb_request_i,
  output logic                    apb_done_o,
  output logic [31:0]             apb_rdata_o,
  output logic                    apb_error_o,

  input  logic                    csr_valid_i,
  input  logic [2:0]              csr_op_i,
  input  logic [11:0]             csr_addr_i,
  input  logic [31:0]             csr_wdata_i,
  input  logic [2:0]              csr_priv_i,
  input  logic                    csr_xlen32_i,
  output logic [31:0]             csr_rdata_o,
  output logic [1:0]              csr_outcome_o,

  input  logic                    core_run_i,
  input  logic [31:0]             start_pc_i,
  input  logic [31:0]             halt_pc_i,
  input  logic [31:0]             tohost_i,
  input  logic [31:0]             limit_i,
  output logic                    done_o,        // the program is over and everything was given to the subsystem; or it has no end
  output logic                    halted_o,
  output logic [31:0]             retired_o,
  output logic                    error_o,       // of the adapter
  output logic [3:0]              error_code_o,
  output logic [31:0]             error_pc_o
);

  localparam int Mlen     = 34;
  localparam int CsrSlots = tandem_table_pkg::CsrSlots;

  logic        stall, idle, over, rst_core, hart_halted, ret_ready;
  logic        rvfi_valid, rvfi_trap, rvfi_intr, trap_valid, trap_interrupt;
  logic [63:0] rvfi_order;
  logic [31:0] rvfi_insn, rvfi_rd_wdata, rvfi_pc_rdata, rvfi_pc_wdata, rvfi_mem_addr, rvfi_mem_rdata, rvfi_mem_wdata;
  logic [1:0]  rvfi_mode, trap_from, trap_mode;
  logic [4:0]  rvfi_rd_addr;
  logic [3:0]  rvfi_mem_rmask, rvfi_mem_wmask;
  logic [CsrSlots-1:0]    csr_valid;
  logic [CsrSlots*12-1:0] csr_addr;
  logic [CsrSlots*32-1:0] csr_wdata;
  logic [31:0] trap_cause, trap_tval, trap_epc, trap_status;

  logic                ret_valid, ret_reported, ret_misp, ret_insn16, ret_rsp_result;
  logic [3:0]          ret_itype, ret_req_op;
  logic [31:0]         ret_pc, ret_tval, ret_context, ret_next_pc, ret_insn, ret_gpr, ret_fcsr;
  logic [7:0]          ret_cause;
  logic [2:0]          ret_mode, ret_mode_next;
  logic [tandem_table_pkg::Parts-1:0] ret_has;
  logic [Mlen-1:0]     ret_ppc, ret_paddr, ret_eaddr, ret_req_addr;
  logic [4:0]          ret_gpr_addr, ret_fpr_addr;
  logic                ret_fpr;
  logic [CsrSlots*12-1:0] ret_csr_addr;
  logic [CsrSlots*32-1:0] ret_csr;
  logic [1:0]          ret_priv, ret_memdata_size, ret_req_size;
  logic [63:0]         ret_memdata, ret_mtime, ret_req_data, ret_rsp_data;

  assign rst_core = rst_ni && core_run_i;
  assign done_o   = (halted_o && idle) || over || error_o;

  core_run #(.CsrSlots(CsrSlots)) u_run (
    .clk_i(clk_o), .rst_ni(rst_core), .load_i(record_i), .record_i, .stall_i(stall), .start_pc_i, .halt_pc_i, .tohost_i, .limit_i,
    .rvfi_valid_o(rvfi_valid), .rvfi_order_o(rvfi_order), .rvfi_insn_o(rvfi_insn), .rvfi_trap_o(rvfi_trap), .rvfi_intr_o(rvfi_intr),
    .rvfi_mode_o(rvfi_mode), .rvfi_rd_addr_o(rvfi_rd_addr), .rvfi_rd_wdata_o(rvfi_rd_wdata), .rvfi_pc_rdata_o(rvfi_pc_rdata),
    .rvfi_pc_wdata_o(rvfi_pc_wdata), .rvfi_mem_addr_o(rvfi_mem_addr), .rvfi_mem_rmask_o(rvfi_mem_rmask),
    .rvfi_mem_wmask_o(rvfi_mem_wmask), .rvfi_mem_rdata_o(rvfi_mem_rdata), .rvfi_mem_wdata_o(rvfi_mem_wdata),
    .rvfi_csr_valid_o(csr_valid), .rvfi_csr_addr_o(csr_addr), .rvfi_csr_wdata_o(csr_wdata),
    .trap_valid_o(trap_valid), .trap_interrupt_o(trap_interrupt), .trap_cause_o(trap_cause), .trap_tval_o(trap_tval),
    .trap_epc_o(trap_epc), .trap_status_o(trap_status), .trap_from_o(trap_from), .trap_mode_o(trap_mode),
    .halted_o, .over_o(over), .retired_o
  );

  // What a memory stops is less than what is fetched already: 16 retirements after stall_o.
  rvfi_hart_port #(.Xlen(32), .NRet(1), .Mlen(Mlen), .Depth(32), .StallRows(16), .EventDepth(8)) u_adapter (
    .clk_i(clk_o), .rst_ni,
    .rvfi_valid_i(rvfi_valid), .rvfi_order_i(rvfi_order), .rvfi_insn_i(rvfi_insn), .rvfi_trap_i(rvfi_trap), .rvfi_halt_i(1'b0),
    .rvfi_intr_i(rvfi_intr), .rvfi_mode_i(rvfi_mode), .rvfi_ixl_i(2'd1), .rvfi_rd_addr_i(rvfi_rd_addr), .rvfi_rd_wdata_i(rvfi_rd_wdata),
    .rvfi_pc_rdata_i(rvfi_pc_rdata), .rvfi_pc_wdata_i(rvfi_pc_wdata), .rvfi_mem_addr_i(rvfi_mem_addr),
    .rvfi_mem_rmask_i(rvfi_mem_rmask), .rvfi_mem_wmask_i(rvfi_mem_wmask), .rvfi_mem_rdata_i(rvfi_mem_rdata),
    .rvfi_mem_wdata_i(rvfi_mem_wdata), .rvfi_virt_i(1'b0), .rvfi_debug_i(1'b0), .rvfi_context_i(32'd0),
    .rvfi_csr_valid_i(csr_valid), .rvfi_csr_addr_i(csr_addr), .rvfi_csr_wdata_i(csr_wdata), .rvfi_frd_valid_i(1'b0),
    .rvfi_frd_addr_i(5'd0), .rvfi_frd_wdata_i(1'b0), .rvfi_fcsr_valid_i(1'b0), .rvfi_fcsr_i(32'd0),
    .trap_valid_i(trap_valid), .trap_interrupt_i(trap_interrupt), .trap_cause_i(trap_cause), .trap_tval_i(trap_tval),
    .trap_epc_i(trap_epc), .trap_status_i(trap_status), .trap_from_i({1'b0, trap_from}), .trap_mode_i({1'b0, trap_mode}),
    .stall_o(stall), .flush_i(halted_o), .idle_o(idle), .error_o, .error_code_o, .error_pc_o,
    .ret_ready_i(ret_ready), .ret_valid_o(ret_valid), .ret_reported_o(ret_reported), .ret_itype_o(ret_itype), .ret_pc_o(ret_pc),
    .ret_cause_o(ret_cause), .ret_tval_o(ret_tval), .ret_mode_o(ret_mode), .ret_mode_next_o(ret_mode_next),
    .ret_context_o(ret_context), .ret_misp_o(ret_misp), .ret_has_o(ret_has), .ret_next_pc_o(ret_next_pc), .ret_ppc_o(ret_ppc),
    .ret_insn_o(ret_insn), .ret_insn16_o(ret_insn16), .ret_gpr_addr_o(ret_gpr_addr), .ret_gpr_o(ret_gpr), .ret_fpr_addr_o(ret_fpr_addr),
    .ret_fpr_o(ret_fpr), .ret_fcsr_o(ret_fcsr), .ret_csr_addr_o(ret_csr_addr), .ret_csr_o(ret_csr), .ret_priv_o(ret_priv),
    .ret_paddr_o(ret_paddr), .ret_eaddr_o(ret_eaddr), .ret_memdata_size_o(ret_memdata_size), .ret_memdata_o(ret_memdata),
    .ret_mtime_o(ret_mtime), .ret_req_op_o(ret_req_op), .ret_req_size_o(ret_req_size), .ret_req_addr_o(ret_req_addr),
    .ret_req_data_o(ret_req_data), .ret_rsp_result_o(ret_rsp_result), .ret_rsp_data_o(ret_rsp_data), .hart_halted_o(hart_halted)
  );

  subsystem_tb #(.Xlen(32), .NRet(1), .Incremental(Incremental)) u_subsystem (
    .clk_o, .rst_ni, .record_i, .drive_bulk_i, .go_i, .played_o, .noise_seed_i, .wait_seed_i, .ntrace_low_i, .etrace_low_i, .tandem_low_i,
    .apb_request_i, .apb_done_o, .apb_rdata_o, .apb_error_o,
    .csr_valid_i, .csr_op_i, .csr_addr_i, .csr_wdata_i, .csr_priv_i, .csr_xlen32_i, .csr_rdata_o, .csr_outcome_o,
    .levels_i({29'd0, hart_halted, 2'd0}),
    .ret_valid_i(ret_valid), .ret_reported_i(ret_reported), .ret_itype_i(ret_itype), .ret_pc_i(ret_pc), .ret_cause_i(ret_cause),
    .ret_tval_i(ret_tval), .ret_mode_i(ret_mode), .ret_mode_next_i(ret_mode_next), .ret_context_i(ret_context), .ret_misp_i(ret_misp),
    .ret_has_i(ret_has), .ret_next_pc_i(ret_next_pc), .ret_ppc_i(ret_ppc), .ret_insn_i(ret_insn), .ret_insn16_i(ret_insn16),
    .ret_gpr_addr_i(ret_gpr_addr), .ret_gpr_i(ret_gpr), .ret_fpr_addr_i(ret_fpr_addr), .ret_fpr_i({63'd0, ret_fpr}),
    .ret_fcsr_i(ret_fcsr), .ret_csr_addr_i(ret_csr_addr), .ret_csr_i(ret_csr), .ret_priv_i(ret_priv), .ret_paddr_i(ret_paddr),
    .ret_eaddr_i(ret_eaddr), .ret_memdata_size_i(ret_memdata_size), .ret_memdata_i(ret_memdata), .ret_mtime_i(ret_mtime),
    .ret_req_op_i(ret_req_op), .ret_req_size_i(ret_req_size), .ret_req_addr_i(ret_req_addr), .ret_req_data_i(ret_req_data),
    .ret_rsp_result_i(ret_rsp_result), .ret_rsp_data_i(ret_rsp_data), .ret_ready_o(ret_ready)
  );

endmodule
