// SPDX-License-Identifier: Apache-2.0
// PicoRV32 (RV32IMC without its own interrupts) with the interface of cores_tb.
//
// Its RVFI has word addresses and lanes: here an access is what the instruction asked for, from its own address on. The masks remain
// from the access before while no other one is made: they are 0 here unless the instruction is a load or a store. It has no trap CSRs.
module traced_core #(
  parameter int CsrSlots = 4
) (
`include "traced_core_ports.svh"
);

  logic        mem_valid, mem_instr, mem_ready, waiting, is_load, is_store;
  logic [31:0] mem_addr, mem_wdata, address, word_addr, word_rdata, word_wdata, rs1;
  logic [3:0]  mem_wstrb, rmask, wmask, bytes;
  logic [1:0]  first;
  logic        unused;

  assign reset_pc_o = 32'h7FFF_FF80;
  assign unused     = ^{instr_err_i, data_err_i, irq_software_i, irq_timer_i, rmask};

  picorv32 #(
    .BARREL_SHIFTER(1), .COMPRESSED_ISA(1), .ENABLE_MUL(1), .ENABLE_DIV(1), .REGS_INIT_ZERO(1), .PROGADDR_RESET(32'h7FFF_FF80)
  ) u_core (
    .clk(clk_i), .resetn(rst_ni), .trap(),
    .mem_valid, .mem_instr, .mem_ready, .mem_addr, .mem_wdata, .mem_wstrb,
    .mem_rdata(mem_instr ? instr_rdata_i : data_rdata_i),
    .mem_la_read(), .mem_la_write(), .mem_la_addr(), .mem_la_wdata(), .mem_la_wstrb(),
    .pcpi_valid(), .pcpi_insn(), .pcpi_rs1(), .pcpi_rs2(), .pcpi_wr(1'b0), .pcpi_rd('0), .pcpi_wait(1'b0), .pcpi_ready(1'b0),
    .irq('0), .eoi(),
    .rvfi_valid(rvfi_valid_o), .rvfi_order(rvfi_order_o), .rvfi_insn(rvfi_insn_o), .rvfi_trap(rvfi_trap_o), .rvfi_halt(),
    .rvfi_intr(rvfi_intr_o), .rvfi_mode(rvfi_mode_o), .rvfi_ixl(), .rvfi_rs1_addr(), .rvfi_rs2_addr(), .rvfi_rs1_rdata(rs1),
    .rvfi_rs2_rdata(), .rvfi_rd_addr(rvfi_rd_addr_o), .rvfi_rd_wdata(rvfi_rd_wdata_o), .rvfi_pc_rdata(rvfi_pc_rdata_o),
    .rvfi_pc_wdata(rvfi_pc_wdata_o), .rvfi_mem_addr(word_addr), .rvfi_mem_rmask(rmask), .rvfi_mem_wmask(wmask),
    .rvfi_mem_rdata(word_rdata), .rvfi_mem_wdata(word_wdata),
    .rvfi_csr_mcycle_rmask(), .rvfi_csr_mcycle_wmask(), .rvfi_csr_mcycle_rdata(), .rvfi_csr_mcycle_wdata(),
    .rvfi_csr_minstret_rmask(), .rvfi_csr_minstret_wmask(), .rvfi_csr_minstret_rdata(), .rvfi_csr_minstret_wdata(),
    .trace_valid(), .trace_data()
  );

  // One request at a time, held until its answer is there.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) waiting <= 1'b0;
    else waiting <= (instr_gnt_i || data_gnt_i) || (waiting && !mem_ready);
  end

  assign mem_ready    = instr_rvalid_i || data_rvalid_i;
  assign instr_req_o  = mem_valid && mem_instr && !waiting;
  assign data_req_o   = mem_valid && !mem_instr && !waiting;
  assign instr_addr_o = mem_addr;
  assign data_addr_o  = mem_addr;
  assign data_we_o    = mem_wstrb != '0;
  assign data_be_o    = mem_wstrb;
  assign data_wdata_o = mem_wdata;

  // The access that the instruction asked for: 16-bit ones are of words.
  always_comb begin
    is_load  = 1'b0;
    is_store = 1'b0;
    bytes    = 4'b1111;
    address  = word_addr;
    if (rvfi_insn_o[1:0] == 2'b11) begin
      is_load  = rvfi_insn_o[6:0] == 7'b0000011;
      is_store = rvfi_insn_o[6:0] == 7'b0100011;
      bytes    = (rvfi_insn_o[13:12] == 2'd0) ? 4'b0001 : (rvfi_insn_o[13:12] == 2'd1) ? 4'b0011 : 4'b1111;
      address  = rs1 + (is_load ? {{20{rvfi_insn_o[31]}}, rvfi_insn_o[31:20]}
                                : {{20{rvfi_insn_o[31]}}, rvfi_insn_o[31:25], rvfi_insn_o[11:7]});
    end else begin
      is_load  = !rvfi_insn_o[0] && rvfi_insn_o[15:13] == 3'b010;
      is_store = !rvfi_insn_o[0] && rvfi_insn_o[15:13] == 3'b110;
    end
  end

  assign first            = address[1:0];
  assign rvfi_mem_addr_o  = (is_load || is_store) ? {word_addr[31:2], first} : '0;
  assign rvfi_mem_rmask_o = is_load ? bytes : '0;
  assign rvfi_mem_wmask_o = is_store ? (wmask >> first) : '0;
  assign rvfi_mem_rdata_o = word_rdata >> {first, 3'b000};
  assign rvfi_mem_wdata_o = word_wdata >> {first, 3'b000};

  assign rvfi_csr_valid_o = '0;
  assign rvfi_csr_addr_o  = '0;
  assign rvfi_csr_wdata_o = '0;
  assign trap_valid_o     = 1'b0;
  assign trap_interrupt_o = 1'b0;
  assign trap_cause_o     = '0;
  assign trap_tval_o      = '0;
  assign trap_epc_o       = '0;
  assign trap_status_o    = '0;
  assign trap_from_o      = 2'd3;
  assign trap_mode_o      = 2'd3;

endmodule
