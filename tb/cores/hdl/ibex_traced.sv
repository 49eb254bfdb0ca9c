// SPDX-License-Identifier: Apache-2.0
// Ibex (ibex_core with its flip-flop register file, 16 PMP entries, no writeback stage) with the interface of cores_tb.
//
// What its RVFI does not have is read inside the core: CSR writes and traps in cs_registers_i, and where mret goes. Ibex drives the masks
// of memory accesses in every row: they are 0 here unless the instruction was a load or a store.
module traced_core #(
  parameter int          CsrSlots = 4,
  parameter logic [31:0] BootAddr = 32'h7FFF_FF00
) (
`include "traced_core_ports.svh"
);

  import ibex_pkg::*;

  localparam logic [31:0] Mret = 32'h3020_0073;

  logic [4:0]  raddr_a, raddr_b, waddr;
  logic [31:0] rdata_a, rdata_b, wdata, pc_wdata;
  logic        we, access, csr_write, is_mret, csr_shown;
  logic [11:0] csr_addr;
  logic [31:0] csr_value, status_now, status_next, mie;
  logic [3:0]  rmask, wmask;
  logic [1:0]  from;
  logic [IC_TAG_SIZE-1:0]  no_tag  [IC_NUM_WAYS];
  logic [IC_LINE_SIZE-1:0] no_line [IC_NUM_WAYS];

  assign reset_pc_o = {BootAddr[31:8], 8'h80};

  for (genvar way = 0; way < IC_NUM_WAYS; way++) begin : gen_way
    assign no_tag[way]  = '0;
    assign no_line[way] = '0;
  end

  ibex_register_file_ff #(.DataWidth(32), .WordZeroVal(32'h0)) u_registers (
    .clk_i, .rst_ni, .test_en_i(1'b0), .dummy_instr_id_i(1'b0), .dummy_instr_wb_i(1'b0), .raddr_a_i(raddr_a), .rdata_a_o(rdata_a),
    .raddr_b_i(raddr_b), .rdata_b_o(rdata_b), .waddr_a_i(waddr), .wdata_a_i(wdata), .we_a_i(we), .err_o()
  );

  // Entry 0 of the PMP allows everything after reset, so that programs for harts without PMP run in user mode.
  localparam pmp_cfg_t Everything = '{lock: 1'b0, mode: PMP_MODE_NAPOT, exec: 1'b1, write: 1'b1, read: 1'b1};
  localparam pmp_cfg_t Nothing    = '{lock: 1'b0, mode: PMP_MODE_OFF, exec: 1'b0, write: 1'b0, read: 1'b0};
  localparam pmp_cfg_t PmpCfg [16] = '{
    Everything, Nothing, Nothing, Nothing, Nothing, Nothing, Nothing, Nothing,
    Nothing, Nothing, Nothing, Nothing, Nothing, Nothing, Nothing, Nothing
  };
  localparam logic [33:0] PmpAddr [16] = '{
    {34{1'b1}}, '0, '0, '0, '0, '0, '0, '0, '0, '0, '0, '0, '0, '0, '0, '0
  };

  ibex_core #(
    .DbgTriggerEn(1'b0), .MHPMCounterNum(10), .PMPEnable(1'b1), .PMPNumRegions(16), .PMPRstCfg(PmpCfg), .PMPRstAddr(PmpAddr)
  ) u_core (
    .clk_i, .rst_ni, .hart_id_i('0), .boot_addr_i(BootAddr),
    .instr_req_o, .instr_gnt_i, .instr_rvalid_i, .instr_addr_o, .instr_rdata_i, .instr_err_i,
    .data_req_o, .data_gnt_i, .data_rvalid_i, .data_we_o, .data_be_o, .data_addr_o, .data_wdata_o, .data_rdata_i, .data_err_i,
    .dummy_instr_id_o(), .dummy_instr_wb_o(), .rf_raddr_a_o(raddr_a), .rf_raddr_b_o(raddr_b), .rf_waddr_wb_o(waddr), .rf_we_wb_o(we),
    .rf_wdata_wb_ecc_o(wdata), .rf_rdata_a_ecc_i(rdata_a), .rf_rdata_b_ecc_i(rdata_b),
    .ic_tag_req_o(), .ic_tag_write_o(), .ic_tag_addr_o(), .ic_tag_wdata_o(), .ic_tag_rdata_i(no_tag), .ic_data_req_o(),
    .ic_data_write_o(), .ic_data_addr_o(), .ic_data_wdata_o(), .ic_data_rdata_i(no_line), .ic_scr_key_valid_i(1'b1), .ic_scr_key_req_o(),
    .irq_software_i, .irq_timer_i, .irq_external_i(1'b0), .irq_fast_i('0), .irq_nm_i(1'b0), .irq_pending_o(),
    .debug_req_i(1'b0), .crash_dump_o(), .double_fault_seen_o(),
    .rvfi_valid(rvfi_valid_o), .rvfi_order(rvfi_order_o), .rvfi_insn(rvfi_insn_o), .rvfi_trap(rvfi_trap_o), .rvfi_halt(),
    .rvfi_intr(rvfi_intr_o), .rvfi_mode(rvfi_mode_o), .rvfi_ixl(), .rvfi_rs1_addr(), .rvfi_rs2_addr(), .rvfi_rs3_addr(), .rvfi_rs1_rdata(),
    .rvfi_rs2_rdata(), .rvfi_rs3_rdata(), .rvfi_rd_addr(rvfi_rd_addr_o), .rvfi_rd_wdata(rvfi_rd_wdata_o), .rvfi_pc_rdata(rvfi_pc_rdata_o),
    .rvfi_pc_wdata(pc_wdata), .rvfi_mem_addr(rvfi_mem_addr_o), .rvfi_mem_rmask(rmask), .rvfi_mem_wmask(wmask),
    .rvfi_mem_rdata(rvfi_mem_rdata_o), .rvfi_mem_wdata(rvfi_mem_wdata_o),
    .rvfi_ext_pre_mip(), .rvfi_ext_post_mip(), .rvfi_ext_nmi(), .rvfi_ext_nmi_int(), .rvfi_ext_debug_req(), .rvfi_ext_debug_mode(),
    .rvfi_ext_rf_wr_suppress(), .rvfi_ext_mcycle(), .rvfi_ext_mhpmcounters(), .rvfi_ext_mhpmcountersh(), .rvfi_ext_ic_scr_key_valid(),
    .rvfi_ext_irq_valid(),
    .fetch_enable_i(IbexMuBiOn), .alert_minor_o(), .alert_major_internal_o(), .alert_major_bus_o(), .core_busy_o()
  );

  // A row is at the outputs in the cycle after its instruction left ID: what it was there, one cycle later.
  always_ff @(posedge clk_i) begin
    access    <= u_core.id_stage_i.lsu_req_dec;
    csr_write <= u_core.cs_registers_i.csr_we_int;
    csr_addr  <= u_core.cs_registers_i.csr_addr_i;
  end

  assign is_mret          = rvfi_insn_o == Mret && !rvfi_trap_o;
  assign rvfi_mem_rmask_o = (access && wmask == '0) ? rmask : '0;
  assign rvfi_mem_wmask_o = access ? wmask : '0;
  // mret changes the pc one cycle after it left ID; its row says the pc in sequence.
  assign rvfi_pc_wdata_o  = is_mret ? u_core.cs_registers_i.mepc_q : pc_wdata;

  // mstatus: as it is, and as it will be after this cycle, in which mret restores it.
  function automatic logic [31:0] status(input logic mie_bit, input logic mpie, input logic [1:0] mpp, input logic mprv, input logic tw);
    return {10'd0, tw, 3'd0, mprv, 4'd0, mpp, 3'd0, mpie, 3'd0, mie_bit, 3'd0};
  endfunction

  assign status_now  = status(u_core.cs_registers_i.mstatus_q.mie, u_core.cs_registers_i.mstatus_q.mpie,
                              u_core.cs_registers_i.mstatus_q.mpp, u_core.cs_registers_i.mstatus_q.mprv,
                              u_core.cs_registers_i.mstatus_q.tw);
  assign status_next = status(u_core.cs_registers_i.mstatus_d.mie, u_core.cs_registers_i.mstatus_d.mpie,
                              u_core.cs_registers_i.mstatus_d.mpp, u_core.cs_registers_i.mstatus_d.mprv,
                              u_core.cs_registers_i.mstatus_d.tw);
  assign mie = {1'b0, u_core.cs_registers_i.mie_q.irq_fast, 4'd0, u_core.cs_registers_i.mie_q.irq_external, 3'd0,
                u_core.cs_registers_i.mie_q.irq_timer, 3'd0, u_core.cs_registers_i.mie_q.irq_software, 3'd0};

  // Cause as mcause has it, without the interrupt bit; internal interrupts (NMI) have all ones above.
  function automatic logic [31:0] cause(input logic [4:0] lower, input logic irq_int);
    return {1'b0, irq_int ? {26{1'b1}} : 26'd0, lower};
  endfunction

  always_comb begin
    csr_shown = csr_write;
    csr_value = '0;
    case (csr_addr)
      12'h300: csr_value = status_now;
      12'h304: csr_value = mie;
      12'h305: csr_value = u_core.cs_registers_i.mtvec_q;
      12'h320: csr_value = u_core.cs_registers_i.mcountinhibit;
      12'h340: csr_value = u_core.cs_registers_i.mscratch_q;
      12'h341: csr_value = u_core.cs_registers_i.mepc_q;
      12'h342: csr_value = {trap_interrupt_o, trap_cause_o[30:0]};
      12'h343: csr_value = u_core.cs_registers_i.mtval_q;
      12'h3A0, 12'h3A1, 12'h3A2, 12'h3A3: begin
        for (int k = 0; k < 4; k++) csr_value[8*k +: 8] = u_core.cs_registers_i.pmp_cfg_rdata[{csr_addr[1:0], k[1:0]}];
      end
      12'h3B0, 12'h3B1, 12'h3B2, 12'h3B3, 12'h3B4, 12'h3B5, 12'h3B6, 12'h3B7, 12'h3B8, 12'h3B9, 12'h3BA, 12'h3BB, 12'h3BC, 12'h3BD, 12'h3BE,
      12'h3BF: csr_value = u_core.cs_registers_i.pmp_addr_rdata[csr_addr[3:0]];
      default: begin  // the others are constant, or move by themselves
        csr_value = '0;
        csr_shown = 1'b0;
      end
    endcase
  end

  assign rvfi_csr_valid_o = {{(CsrSlots-1){1'b0}}, (csr_shown && !rvfi_trap_o) || is_mret};
  assign rvfi_csr_addr_o  = {{(CsrSlots-1)*12{1'b0}}, is_mret ? 12'h300 : csr_addr};
  assign rvfi_csr_wdata_o = {{(CsrSlots-1)*32{1'b0}}, is_mret ? status_next : csr_value};

  // The cycle after the CSRs of a trap were written.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      trap_valid_o <= 1'b0;
      from         <= 2'd3;
    end else begin
      trap_valid_o <= u_core.cs_registers_i.csr_save_cause_i && !u_core.cs_registers_i.debug_csr_save_i;
      from         <= u_core.cs_registers_i.priv_lvl_q;
    end
  end

  assign trap_interrupt_o = u_core.cs_registers_i.mcause_q.irq_ext || u_core.cs_registers_i.mcause_q.irq_int;
  assign trap_cause_o     = cause(u_core.cs_registers_i.mcause_q.lower_cause, u_core.cs_registers_i.mcause_q.irq_int);
  assign trap_tval_o      = u_core.cs_registers_i.mtval_q;
  assign trap_epc_o       = u_core.cs_registers_i.mepc_q;
  assign trap_status_o    = status_now;
  assign trap_from_o      = from;
  assign trap_mode_o      = u_core.cs_registers_i.priv_lvl_q;

endmodule
