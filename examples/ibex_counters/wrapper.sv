// SPDX-License-Identifier: Apache-2.0
// The CSR module of Ibex behind the port of the testbench: what the decoder and the pipeline of the core do around it.
module ibex_counters #(
  parameter int Xlen      = 32,
  parameter int NRetired  = 1,
  parameter int NEvents   = 10,
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

  ibex_pkg::csr_op_e op;
  logic              illegal;
  logic [31:0]       rdata;

  // ibex_decoder makes a read of a set or clear that writes nothing.
  assign op = (csr_op_i[1] && csr_wdata_i == '0) ? ibex_pkg::CSR_OP_READ : ibex_pkg::csr_op_e'(csr_op_i[1:0]);

  assign csr_rdata_o   = illegal ? '0 : rdata;
  assign csr_outcome_o = {1'b0, illegal};

  ibex_cs_registers #(
    .MHPMCounterNum  (10),
    .MHPMCounterWidth(40)
  ) u_cs_registers (
    .clk_i,
    .rst_ni,
    .hart_id_i                  ('0),
    .priv_mode_id_o             (),
    .priv_mode_lsu_o            (),
    .csr_mstatus_tw_o           (),
    .csr_mtvec_o                (),
    .csr_mtvec_init_i           (1'b0),
    .boot_addr_i                ('0),
    .csr_access_i               (csr_valid_i),
    .csr_addr_i                 (ibex_pkg::csr_num_e'(csr_addr_i)),
    .csr_wdata_i                (csr_wdata_i),
    .csr_op_i                   (op),
    .csr_op_en_i                (csr_valid_i),
    .csr_rdata_o                (rdata),
    .irq_software_i             (1'b0),
    .irq_timer_i                (1'b0),
    .irq_external_i             (1'b0),
    .irq_fast_i                 ('0),
    .nmi_mode_i                 (1'b0),
    .irq_pending_o              (),
    .irqs_o                     (),
    .csr_mstatus_mie_o          (),
    .csr_mepc_o                 (),
    .csr_mtval_o                (),
    .csr_pmp_cfg_o              (),
    .csr_pmp_addr_o             (),
    .csr_pmp_mseccfg_o          (),
    .debug_mode_i               (1'b0),
    .debug_mode_entering_i      (1'b0),
    .debug_cause_i              (ibex_pkg::DBG_CAUSE_NONE),
    .debug_csr_save_i           (1'b0),
    .csr_depc_o                 (),
    .debug_single_step_o        (),
    .debug_ebreakm_o            (),
    .debug_ebreaku_o            (),
    .trigger_match_o            (),
    .pc_if_i                    ('0),
    .pc_id_i                    ('0),
    .pc_wb_i                    ('0),
    .data_ind_timing_o          (),
    .dummy_instr_en_o           (),
    .dummy_instr_mask_o         (),
    .dummy_instr_seed_en_o      (),
    .dummy_instr_seed_o         (),
    .icache_enable_o            (),
    .csr_shadow_err_o           (),
    .ic_scr_key_valid_i         (1'b0),
    .csr_save_if_i              (1'b0),
    .csr_save_id_i              (1'b0),
    .csr_save_wb_i              (1'b0),
    .csr_restore_mret_i         (1'b0),
    .csr_restore_dret_i         (1'b0),
    .csr_save_cause_i           (1'b0),
    .csr_mcause_i               ('0),
    .csr_mtval_i                ('0),
    .illegal_csr_insn_o         (illegal),
    .double_fault_seen_o        (),
    .instr_ret_i                (retired_i[0]),
    .instr_ret_compressed_i     (events_i[7]),
    .instr_ret_spec_i           (1'b0),         // without a writeback stage nothing retires speculatively
    .instr_ret_compressed_spec_i(1'b0),
    .dside_wait_i               (events_i[0]),
    .iside_wait_i               (events_i[1]),
    .mem_load_i                 (events_i[2]),
    .mem_store_i                (events_i[3]),
    .jump_i                     (events_i[4]),
    .branch_i                   (events_i[5]),
    .branch_taken_i             (events_i[6]),
    .mul_wait_i                 (events_i[8]),
    .div_wait_i                 (events_i[9])
  );

endmodule
