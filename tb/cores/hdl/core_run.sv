// SPDX-License-Identifier: Apache-2.0
// A core with its memory, run from the program's first instruction to `halt`, and the recorders of its RVFI and trap port.
//
// Outputs are those of the core while the program runs: what it does before the first instruction and from `halt` on is not there.
module core_run #(
  parameter int CsrSlots = 4
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   load_i,      // memory is loaded from memory.hex when it rises
  input  logic                   record_i,    // rvfi.bin and trap.bin are complete after it fell
  input  logic                   stall_i,     // no memory access is granted
  input  logic [31:0]            start_pc_i,  // first instruction of the program
  input  logic [31:0]            halt_pc_i,   // where it is over
  input  logic [31:0]            tohost_i,    // or after an odd number was stored here; 0: nowhere
  input  logic [31:0]            limit_i,     // cycles after which it is stopped

  output logic                   rvfi_valid_o,
  output logic [63:0]            rvfi_order_o,
  output logic [31:0]            rvfi_insn_o,
  output logic                   rvfi_trap_o,
  output logic                   rvfi_intr_o,
  output logic [1:0]             rvfi_mode_o,
  output logic [4:0]             rvfi_rd_addr_o,
  output logic [31:0]            rvfi_rd_wdata_o,
  output logic [31:0]            rvfi_pc_rdata_o,
  output logic [31:0]            rvfi_pc_wdata_o,
  output logic [31:0]            rvfi_mem_addr_o,
  output logic [3:0]             rvfi_mem_rmask_o,
  output logic [3:0]             rvfi_mem_wmask_o,
  output logic [31:0]            rvfi_mem_rdata_o,
  output logic [31:0]            rvfi_mem_wdata_o,
  output logic [CsrSlots-1:0]    rvfi_csr_valid_o,
  output logic [CsrSlots*12-1:0] rvfi_csr_addr_o,
  output logic [CsrSlots*32-1:0] rvfi_csr_wdata_o,

  output logic                   trap_valid_o,
  output logic                   trap_interrupt_o,
  output logic [31:0]            trap_cause_o,
  output logic [31:0]            trap_tval_o,
  output logic [31:0]            trap_epc_o,
  output logic [31:0]            trap_status_o,
  output logic [1:0]             trap_from_o,
  output logic [1:0]             trap_mode_o,

  output logic                   halted_o,    // the program came to its end
  output logic                   over_o,      // the limit was reached before
  output logic [31:0]            retired_o    // rows of rvfi.bin
);

  logic        instr_req, instr_gnt, instr_rvalid, instr_err, data_req, data_gnt, data_rvalid, data_we, data_err;
  logic [31:0] reset_pc, instr_addr, instr_rdata, data_addr, data_wdata, data_rdata;
  logic [3:0]  data_be;
  logic        irq_software, irq_timer, valid, trap, started, halts, tells, runs;
  logic [31:0] cycles;
  logic [63:0] cycle;
  logic [cores_row_pkg::RvfiBits-1:0] row;
  logic [cores_row_pkg::TrapBits-1:0] event_row;

  traced_core #(.CsrSlots(CsrSlots)) u_core (
    .clk_i, .rst_ni, .reset_pc_o(reset_pc),
    .instr_req_o(instr_req), .instr_gnt_i(instr_gnt), .instr_rvalid_i(instr_rvalid), .instr_addr_o(instr_addr),
    .instr_rdata_i(instr_rdata), .instr_err_i(instr_err),
    .data_req_o(data_req), .data_gnt_i(data_gnt), .data_rvalid_i(data_rvalid), .data_we_o(data_we), .data_be_o(data_be),
    .data_addr_o(data_addr), .data_wdata_o(data_wdata), .data_rdata_i(data_rdata), .data_err_i(data_err),
    .irq_software_i(irq_software), .irq_timer_i(irq_timer),
    .rvfi_valid_o(valid), .rvfi_order_o, .rvfi_insn_o, .rvfi_trap_o, .rvfi_intr_o, .rvfi_mode_o, .rvfi_rd_addr_o, .rvfi_rd_wdata_o,
    .rvfi_pc_rdata_o, .rvfi_pc_wdata_o, .rvfi_mem_addr_o, .rvfi_mem_rmask_o, .rvfi_mem_wmask_o, .rvfi_mem_rdata_o,
    .rvfi_mem_wdata_o, .rvfi_csr_valid_o, .rvfi_csr_addr_o, .rvfi_csr_wdata_o,
    .trap_valid_o(trap), .trap_interrupt_o, .trap_cause_o, .trap_tval_o, .trap_epc_o, .trap_status_o, .trap_from_o, .trap_mode_o
  );

  core_memory u_memory (
    .clk_i, .rst_ni, .reset_pc_i(reset_pc), .start_pc_i, .load_i, .grant_i(!stall_i),
    .instr_req_i(instr_req), .instr_gnt_o(instr_gnt), .instr_rvalid_o(instr_rvalid), .instr_addr_i(instr_addr),
    .instr_rdata_o(instr_rdata), .instr_err_o(instr_err),
    .data_req_i(data_req), .data_gnt_o(data_gnt), .data_rvalid_o(data_rvalid), .data_we_i(data_we), .data_be_i(data_be),
    .data_addr_i(data_addr), .data_wdata_i(data_wdata), .data_rdata_o(data_rdata), .data_err_o(data_err),
    .irq_software_o(irq_software), .irq_timer_o(irq_timer)
  );

  assign halts        = valid && started && rvfi_pc_rdata_o == halt_pc_i;
  assign tells        = valid && rvfi_mem_wmask_o[0] && rvfi_mem_wdata_o[0] && rvfi_mem_addr_o == tohost_i && tohost_i != '0;
  assign runs         = (started || (valid && rvfi_pc_rdata_o == start_pc_i)) && !halts && !halted_o && !over_o;
  assign rvfi_valid_o = valid && runs;
  assign trap_valid_o = trap && runs;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      started   <= 1'b0;
      halted_o  <= 1'b0;
      over_o    <= 1'b0;
      retired_o <= '0;
      cycles    <= '0;
      cycle     <= '0;
    end else begin
      started   <= runs || started;
      halted_o  <= halts || tells || halted_o;
      over_o    <= (cycles == limit_i && !halted_o) || over_o;
      retired_o <= retired_o + {31'd0, rvfi_valid_o};
      cycles    <= cycles + {31'd0, !stall_i};
      cycle     <= cycle + 64'd1;
    end
  end

  cores_rvfi_join #(.Xlen(32)) u_row (
    .cycle_i(cycle), .order_i(rvfi_order_o), .pc_i(rvfi_pc_rdata_o), .next_pc_i(rvfi_pc_wdata_o), .rd_value_i(rvfi_rd_wdata_o),
    .mem_addr_i(rvfi_mem_addr_o), .mem_rdata_i(rvfi_mem_rdata_o), .mem_wdata_i(rvfi_mem_wdata_o), .insn_i(rvfi_insn_o),
    .trap_i(rvfi_trap_o), .intr_i(rvfi_intr_o),
    .unknown_i((^{rvfi_order_o, rvfi_pc_rdata_o, rvfi_pc_wdata_o, rvfi_insn_o, rvfi_trap_o, rvfi_intr_o, rvfi_rd_addr_o}) === 1'bx),
    .rd_i(rvfi_rd_addr_o), .rmask_i({4'd0, rvfi_mem_rmask_o}), .wmask_i({4'd0, rvfi_mem_wmask_o}), .mode_i(rvfi_mode_o),
    .csr_valid_i(rvfi_csr_valid_o),
    .csr_addr0_i(rvfi_csr_addr_o[11:0]), .csr_addr1_i(rvfi_csr_addr_o[23:12]), .csr_addr2_i(rvfi_csr_addr_o[35:24]),
    .csr_addr3_i(rvfi_csr_addr_o[47:36]), .csr0_i(rvfi_csr_wdata_o[31:0]), .csr1_i(rvfi_csr_wdata_o[63:32]),
    .csr2_i(rvfi_csr_wdata_o[95:64]), .csr3_i(rvfi_csr_wdata_o[127:96]), .row_o(row)
  );

  row_recorder #(.Bits(cores_row_pkg::RvfiBits), .File("rvfi.bin")) u_rvfi (
    .clk_i, .go_i(record_i), .write_i(rst_ni && rvfi_valid_o), .row_i(row)
  );

  cores_trap_join #(.Xlen(32)) u_event (
    .cycle_i(cycle), .retired_i({32'd0, retired_o}), .cause_i(trap_cause_o), .tval_i(trap_tval_o), .epc_i(trap_epc_o),
    .status_i(trap_status_o), .interrupt_i(trap_interrupt_o), .mode_from_i(trap_from_o), .mode_i(trap_mode_o), .row_o(event_row)
  );

  row_recorder #(.Bits(cores_row_pkg::TrapBits), .File("trap.bin")) u_trap (
    .clk_i, .go_i(record_i), .write_i(rst_ni && trap_valid_o), .row_i(event_row)
  );

endmodule
