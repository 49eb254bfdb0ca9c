// SPDX-License-Identifier: Apache-2.0
// The CSR module of CV32E40P after the decoder of the core, which decides what is illegal: each access is the CSR
// instruction that the decoder sees. Outputs that have nothing to do with counters are not connected.
module cv32e40p_counters
  import cv32e40p_pkg::*;
#(
  parameter int Xlen      = 32,
  parameter int NEvents   = 9,
  parameter int EventBits = 1
) (
  input  logic                         clk_i,
  input  logic                         rst_ni,
  input  logic [3:0]                   retired_i,
  input  logic [NEvents*EventBits-1:0] events_i,
  input  logic                         csr_valid_i,
  input  logic [2:0]                   csr_op_i,
  input  logic [11:0]                  csr_addr_i,
  input  logic [Xlen-1:0]              csr_wdata_i,
  output logic [Xlen-1:0]              csr_rdata_o,
  output logic [1:0]                   csr_outcome_o
);

  logic [31:0]  instr, rdata, mcounteren;
  logic [1:0]   funct;
  logic [4:0]   rs1;
  logic         illegal, access;
  csr_opcode_e  op;
  PrivLvl_t     mode;

  // csrrs x1, csr, x0 for a read; rs1 = x0 also where set and clear have nothing to write.
  assign funct = (csr_op_i == 3'd0) ? 2'b10 : csr_op_i[1:0];
  assign rs1   = (csr_op_i == 3'd1 || (csr_op_i != 3'd0 && csr_wdata_i != '0)) ? 5'd2 : 5'd0;
  assign instr = {csr_addr_i, rs1, 1'b0, funct, 5'd1, OPCODE_SYSTEM};

  assign csr_rdata_o   = illegal ? '0 : rdata;
  assign csr_outcome_o = {1'b0, illegal};

  cv32e40p_decoder #(
    .COREV_PULP(0)
  ) u_decoder (
    .deassert_we_i       (!csr_valid_i),
    .illegal_insn_o      (illegal),
    .instr_rdata_i       (instr),
    .illegal_c_insn_i    (1'b0),
    .fs_off_i            (1'b1),
    .frm_i               ('0),
    .csr_access_o        (access),
    .csr_op_o            (op),
    .current_priv_lvl_i  (mode),
    .debug_mode_i        (1'b0),
    .debug_wfi_no_sleep_i(1'b0),
    .mcounteren_i        (mcounteren)
  );

  cv32e40p_cs_registers #(
    .NUM_MHPMCOUNTERS(4)
  ) u_cs_registers (
    .clk                     (clk_i),
    .rst_n                   (rst_ni),
    .hart_id_i               ('0),
    .mtvec_addr_i            ('0),
    .csr_mtvec_init_i        (1'b0),
    .csr_addr_i              (csr_num_e'((access && csr_valid_i) ? csr_addr_i : '0)),
    .csr_wdata_i             (csr_wdata_i),
    .csr_op_i                (illegal ? CSR_OP_READ : op),
    .csr_rdata_o             (rdata),
    .fflags_i                ('0),
    .fflags_we_i             (1'b0),
    .fregs_we_i              (1'b0),
    .mip_i                   ('0),
    .csr_irq_sec_i           (1'b0),
    .mcounteren_o            (mcounteren),
    .debug_mode_i            (1'b0),
    .debug_cause_i           ('0),
    .debug_csr_save_i        (1'b0),
    .priv_lvl_o              (mode),
    .pc_if_i                 ('0),
    .pc_id_i                 ('0),
    .pc_ex_i                 ('0),
    .csr_save_if_i           (1'b0),
    .csr_save_id_i           (1'b0),
    .csr_save_ex_i           (1'b0),
    .csr_restore_mret_i      (1'b0),
    .csr_restore_uret_i      (1'b0),
    .csr_restore_dret_i      (1'b0),
    .csr_cause_i             ('0),
    .csr_save_cause_i        (1'b0),
    .hwlp_start_i            ('0),
    .hwlp_end_i              ('0),
    .hwlp_cnt_i              ('0),
    .mhpmevent_minstret_i    (retired_i[0]),
    .mhpmevent_ld_stall_i    (events_i[0]),
    .mhpmevent_jr_stall_i    (events_i[1]),
    .mhpmevent_imiss_i       (events_i[2]),
    .mhpmevent_load_i        (events_i[3]),
    .mhpmevent_store_i       (events_i[4]),
    .mhpmevent_jump_i        (events_i[5]),
    .mhpmevent_branch_i      (events_i[6]),
    .mhpmevent_branch_taken_i(events_i[7]),
    .mhpmevent_compressed_i  (events_i[8]),
    .mhpmevent_pipe_stall_i  (1'b0),
    .apu_typeconflict_i      (1'b0),
    .apu_contention_i        (1'b0),
    .apu_dep_i               (1'b0),
    .apu_wb_i                (1'b0)
  );

endmodule
