// SPDX-License-Identifier: Apache-2.0
// CV32E40P (RV32IMC, machine mode, no PULP extensions, no FPU) with the interface of cores_tb.
//
// The RVFI of its package (bhv/cv32e40p_rvfi.sv) has no next pc, no data of stores and needs delays of a fraction of the clock: this is our
// own, from the pipeline. An instruction is known when it leaves ID; all of these retire, but those that trap there. It is complete when
// its result was written: by the ALU at its end in EX, by a load with its last answer. Rows leave in order, each when the next pc is known.
module traced_core #(
  parameter int CsrSlots = 4
) (
`include "traced_core_ports.svh"
);

  localparam int Depth = 8;  // instructions between ID and their row, more than there can be

  typedef struct packed {
    logic [31:0] pc, next_pc, insn, rd_wdata, mem_addr, mem_wdata, csr_wdata;
    logic [11:0] csr_addr;
    logic [4:0]  rd;
    logic [3:0]  mask;
    logic        trap, intr, alu, load, store, csr, mret;
    logic        two;                                   // its access is made in two parts
    logic        in_ex, waits_mem, waits_csr, next_known;
  } row_t;

  typedef struct packed {
    logic        interrupt;
    logic [4:0]  cause;
    logic [31:0] epc, status;
    logic [31:0] after;                                 // rows before it
  } event_t;

  row_t              rows [Depth];
  event_t            events [4];
  logic [2:0]        head, tail, last, csr_row;
  logic [2:0]        mem_rows [4];
  logic [1:0]        mem_head, mem_tail, event_head, event_tail;
  logic [31:0]       allocated, given, raw, status, csr_value;
  logic              ex_first, csr_written, saved, restored, entered, complete, unused;
  logic [2:0]        ex_row;

  // Of the core.
  logic        leaves_id, traps, ex_ready, ex_misaligned;
  logic [31:0] insn;

  assign reset_pc_o = 32'h7FFF_FF80;
  assign unused     = ^{instr_err_i, data_err_i};

  cv32e40p_core #(.FPU(0)) u_core (
    .clk_i, .rst_ni, .pulp_clock_en_i(1'b1), .scan_cg_en_i(1'b0), .boot_addr_i(32'h7FFF_FF80), .mtvec_addr_i('0), .dm_halt_addr_i('0),
    .hart_id_i('0), .dm_exception_addr_i('0),
    .instr_req_o, .instr_gnt_i, .instr_rvalid_i, .instr_addr_o, .instr_rdata_i,
    .data_req_o, .data_gnt_i, .data_rvalid_i, .data_we_o, .data_be_o, .data_addr_o, .data_wdata_o, .data_rdata_i,
    .apu_busy_o(), .apu_req_o(), .apu_gnt_i(1'b0), .apu_operands_o(), .apu_op_o(), .apu_flags_o(), .apu_rvalid_i(1'b0), .apu_result_i('0),
    .apu_flags_i('0),
    .irq_i({24'd0, irq_timer_i, 3'd0, irq_software_i, 3'd0}), .irq_ack_o(), .irq_id_o(),
    .debug_req_i(1'b0), .debug_havereset_o(), .debug_running_o(), .debug_halted_o(), .fetch_enable_i(1'b1), .core_sleep_o()
  );

  assign leaves_id     = u_core.id_stage_i.id_valid_o && u_core.id_stage_i.is_decoding_o;
  assign traps         = u_core.id_stage_i.illegal_insn_dec || u_core.id_stage_i.ebrk_insn_dec || u_core.id_stage_i.ecall_insn_dec;
  assign ex_ready      = u_core.ex_ready;
  assign ex_misaligned = u_core.data_misaligned;
  assign insn          = u_core.id_stage_i.instr;

  assign status = {14'd0, u_core.cs_registers_i.mstatus_q.mprv, 4'd0, u_core.cs_registers_i.mstatus_q.mpp, 3'd0,
                   u_core.cs_registers_i.mstatus_q.mpie, 2'd0, u_core.cs_registers_i.mstatus_q.upie, u_core.cs_registers_i.mstatus_q.mie,
                   2'd0, u_core.cs_registers_i.mstatus_q.uie};

  always_comb begin
    case (rows[csr_row].csr_addr)
      12'h300: csr_value = status;
      12'h304: csr_value = u_core.cs_registers_i.mie_q;
      12'h305: csr_value = {u_core.cs_registers_i.mtvec_q, 6'd0, u_core.cs_registers_i.mtvec_mode_q};
      12'h340: csr_value = u_core.cs_registers_i.mscratch_q;
      12'h341: csr_value = u_core.cs_registers_i.mepc_q;
      12'h342: csr_value = {u_core.cs_registers_i.mcause_q[5], 26'd0, u_core.cs_registers_i.mcause_q[4:0]};
      default: csr_value = '0;  // constant, or it moves by itself
    endcase
  end

  function automatic logic shown(input logic [11:0] address);
    return address inside {12'h300, 12'h304, 12'h305, 12'h340, 12'h341, 12'h342};
  endfunction

  assign complete = (head != tail) && !rows[head].in_ex && !rows[head].waits_mem && !rows[head].waits_csr && rows[head].next_known;

  // The 16 bits of a compressed instruction are known in IF only.
  always_ff @(posedge clk_i) begin
    if (u_core.if_stage_i.if_valid && u_core.if_stage_i.instr_valid) raw <= u_core.if_stage_i.instr_aligned;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {head, tail, last, csr_row, ex_row}            <= '0;
      {mem_head, mem_tail, event_head, event_tail}   <= '0;
      {allocated, given}                             <= '0;
      {ex_first, csr_written, saved, restored, entered} <= '0;
      rvfi_valid_o <= 1'b0;
      trap_valid_o <= 1'b0;
      for (int k = 0; k < Depth; k++) rows[k] <= '0;
    end else begin
      // Answers of memory, in the order of the accesses; the register is written with the last one.
      if (data_rvalid_i) begin
        if (rows[mem_rows[mem_head]].two) begin
          rows[mem_rows[mem_head]].two <= 1'b0;
        end else begin
          rows[mem_rows[mem_head]].waits_mem <= 1'b0;
          if (rows[mem_rows[mem_head]].load && rows[mem_rows[mem_head]].rd != '0) rows[mem_rows[mem_head]].rd_wdata <= u_core.regfile_wdata;
          mem_head <= mem_head + 2'd1;
        end
      end

      // What a CSR is after the write.
      csr_written <= 1'b0;
      if (csr_written) begin
        rows[csr_row].csr_wdata <= csr_value;
        rows[csr_row].waits_csr <= 1'b0;
      end
      restored <= u_core.cs_registers_i.csr_restore_mret_i;
      if (restored) begin
        rows[last].csr       <= 1'b1;
        rows[last].csr_addr  <= 12'h300;
        rows[last].csr_wdata <= status;
        rows[last].waits_csr <= 1'b0;
      end

      // EX.
      if (rows[ex_row].in_ex) begin
        ex_first <= 1'b0;
        if (ex_first && (rows[ex_row].load || rows[ex_row].store)) begin
          rows[ex_row].mem_addr  <= u_core.load_store_unit_i.data_addr_int;
          rows[ex_row].mem_wdata <= u_core.alu_operand_c_ex;
          rows[ex_row].two       <= ex_misaligned;
          mem_rows[mem_tail]     <= ex_row;
          mem_tail               <= mem_tail + 2'd1;
        end
        if (rows[ex_row].alu) rows[ex_row].rd_wdata <= u_core.regfile_alu_wdata_fw;
        if (ex_ready && !ex_misaligned) begin
          rows[ex_row].in_ex <= 1'b0;
          if (u_core.cs_registers_i.csr_we_int && shown(u_core.cs_registers_i.csr_addr_i)) begin
            rows[ex_row].csr       <= 1'b1;
            rows[ex_row].csr_addr  <= u_core.cs_registers_i.csr_addr_i;
            rows[ex_row].waits_csr <= 1'b1;
            csr_row                <= ex_row;
            csr_written            <= 1'b1;
          end
        end
      end

      // ID.
      if (leaves_id) begin
        rows[tail] <= '{
          pc: u_core.pc_id, insn: u_core.is_compressed_id ? {16'd0, raw[15:0]} : raw,
          rd: (u_core.id_stage_i.regfile_alu_we_id || u_core.id_stage_i.data_req_id && !u_core.id_stage_i.data_we_id) && !traps ? insn[11:7] : '0,
          trap: traps, intr: entered, alu: u_core.id_stage_i.regfile_alu_we_id && !traps && insn[11:7] != '0,
          load: u_core.id_stage_i.data_req_id && !u_core.id_stage_i.data_we_id, store: u_core.id_stage_i.data_req_id && u_core.id_stage_i.data_we_id,
          mask: (insn[13:12] == 2'd0) ? 4'b0001 : (insn[13:12] == 2'd1) ? 4'b0011 : 4'b1111,
          mret: u_core.id_stage_i.mret_insn_dec, waits_csr: u_core.id_stage_i.mret_insn_dec && !traps,
          in_ex: 1'b1, waits_mem: u_core.id_stage_i.data_req_id, default: '0
        };
        if (allocated != '0 && !rows[last].next_known) begin
          rows[last].next_known <= 1'b1;
          rows[last].next_pc    <= u_core.pc_id;
        end
        last      <= tail;
        tail      <= tail + 3'd1;
        ex_row    <= tail;
        ex_first  <= 1'b1;
        allocated <= allocated + 32'd1;
        entered   <= 1'b0;
      end

      // The cycle after the CSRs of a trap were written.
      saved <= u_core.cs_registers_i.csr_save_cause_i;
      if (saved) begin
        events[event_tail] <= '{
          interrupt: u_core.cs_registers_i.mcause_q[5], cause: u_core.cs_registers_i.mcause_q[4:0], epc: u_core.cs_registers_i.mepc_q,
          status: status, after: allocated
        };
        event_tail <= event_tail + 2'd1;
        entered    <= 1'b1;
        if (u_core.cs_registers_i.mcause_q[5] && !rows[last].trap) begin
          rows[last].next_pc    <= u_core.cs_registers_i.mepc_q;
          rows[last].next_known <= 1'b1;
        end
      end

      // Rows and events leave.
      rvfi_valid_o <= complete;
      if (complete) begin
        head  <= head + 3'd1;
        given <= given + 32'd1;
      end
      trap_valid_o <= event_head != event_tail && events[event_head].after == given;
      if (event_head != event_tail && events[event_head].after == given) event_head <= event_head + 2'd1;
    end
  end

  always_ff @(posedge clk_i) begin
    rvfi_order_o     <= {32'd0, given};
    rvfi_insn_o      <= rows[head].insn;
    rvfi_trap_o      <= rows[head].trap;
    rvfi_intr_o      <= rows[head].intr;
    rvfi_rd_addr_o   <= rows[head].rd;
    rvfi_rd_wdata_o  <= rows[head].rd_wdata;
    rvfi_pc_rdata_o  <= rows[head].pc;
    rvfi_pc_wdata_o  <= rows[head].next_pc;
    rvfi_mem_addr_o  <= rows[head].mem_addr;
    rvfi_mem_rmask_o <= rows[head].load ? rows[head].mask : '0;
    rvfi_mem_wmask_o <= rows[head].store ? rows[head].mask : '0;
    rvfi_mem_wdata_o <= rows[head].mem_wdata;
    rvfi_csr_valid_o <= {{(CsrSlots-1){1'b0}}, rows[head].csr && !rows[head].trap};
    rvfi_csr_addr_o  <= {{(CsrSlots-1)*12{1'b0}}, rows[head].csr_addr};
    rvfi_csr_wdata_o <= {{(CsrSlots-1)*32{1'b0}}, rows[head].csr_wdata};
    trap_interrupt_o <= events[event_head].interrupt;
    trap_cause_o     <= {27'd0, events[event_head].cause};
    trap_epc_o       <= events[event_head].epc;
    trap_status_o    <= events[event_head].status;
  end

  assign rvfi_mode_o      = 2'd3;
  assign rvfi_mem_rdata_o = rvfi_rd_wdata_o;
  assign trap_tval_o      = '0;  // mtval is always 0
  assign trap_from_o      = 2'd3;
  assign trap_mode_o      = 2'd3;

endmodule
