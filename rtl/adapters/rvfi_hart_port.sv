// SPDX-License-Identifier: Apache-2.0
// From a core's RVFI (riscv-formal) to the hart port of rtl/subsystem: what a user binds to his core.
//
// One retirement is held back, because the next one says where the hart went and in which mode. Ports, protocol and how to bind
// them: docs/reference/rtl-adapters.md.
module rvfi_hart_port
#(
  parameter int Xlen       = 32,  // 32 or 64
  parameter int NRet       = 1,   // RVFI channels, and slots of the hart port: 1 or 2
  parameter int Flen       = 0,   // 0, 32 or 64: without f registers the rvfi_frd and rvfi_fcsr ports are ignored
  parameter int Mlen       = (Xlen == 64) ? 64 : 34,
  parameter int Depth      = 16,  // retirements that can be queued; a power of two, at least 8
  parameter int StallRows  = 4,   // stall_o rises while this many more retirements still fit; at most Depth - 4
  parameter int EventDepth = 4,   // events of the trap port that can be queued; a power of two, at least 4
  parameter bit TrapPort   = 1,   // the trap port is connected; 0: causes from the instruction, no tval, no CSRs of traps
  parameter int CheckPc    = 2,   // pc_wdata against the next pc: 2 always, 1 not after an xRET, 0 never
  parameter bit MaskByInsn = 0,   // 1: the masks mean something in loads, stores and atomics only (Ibex drives them always)
  parameter bit ConstantJump = 1, // jalr from x0 is inferable: 1 as E-Trace has it, 0 as N-Trace has it
  parameter bit Zcmp       = 0,   // the hart has Zcmp, Zcmt; 0: their encodings are those of c.fsdsp
  parameter bit Zcmt       = 0,
  // Derived, do not set.
  parameter int FBits      = (Flen > 0) ? Flen : 1,
  parameter int XBytes     = Xlen / 8,
  parameter int CsrSlots   = tandem_table_pkg::CsrSlots
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,

  // RVFI as riscv-formal has it: channel k in bits k*W +: W, channel 0 is the oldest; a channel may be empty below one that is not.
  input  logic [NRet-1:0]            rvfi_valid_i,
  input  logic [NRet*64-1:0]         rvfi_order_i,
  input  logic [NRet*32-1:0]         rvfi_insn_i,        // 16-bit instructions as they are in memory, in the low half
  input  logic [NRet-1:0]            rvfi_trap_i,        // it did not retire: an exception at rvfi_pc_rdata
  input  logic [NRet-1:0]            rvfi_halt_i,        // the last one: nothing is held back after it
  input  logic [NRet-1:0]            rvfi_intr_i,        // first instruction of a trap handler
  input  logic [NRet*2-1:0]          rvfi_mode_i,        // mode in which it executed
  input  logic [NRet*2-1:0]          rvfi_ixl_i,         // 1: RV32, 2: RV64, of that mode
  input  logic [NRet*5-1:0]          rvfi_rd_addr_i,     // 0: none is written
  input  logic [NRet*Xlen-1:0]       rvfi_rd_wdata_i,
  input  logic [NRet*Xlen-1:0]       rvfi_pc_rdata_i,
  input  logic [NRet*Xlen-1:0]       rvfi_pc_wdata_i,    // next pc, if no trap comes between
  input  logic [NRet*Xlen-1:0]       rvfi_mem_addr_i,    // of byte 0 of the masks
  input  logic [NRet*XBytes-1:0]     rvfi_mem_rmask_i,
  input  logic [NRet*XBytes-1:0]     rvfi_mem_wmask_i,
  input  logic [NRet*Xlen-1:0]       rvfi_mem_rdata_i,
  input  logic [NRet*Xlen-1:0]       rvfi_mem_wdata_i,

  // Extensions, of the same retirement; 0 where the core does not have them.
  input  logic [NRet-1:0]            rvfi_virt_i,        // V: it executed in VS- or VU-mode
  input  logic [NRet-1:0]            rvfi_debug_i,       // it executed in Debug Mode: it is not traced
  input  logic [NRet*32-1:0]         rvfi_context_i,     // scontext in which it executed
  input  logic [NRet*CsrSlots-1:0]   rvfi_csr_valid_i,   // CSRs that the instruction wrote, slots filled from 0;
  input  logic [NRet*CsrSlots*12-1:0]   rvfi_csr_addr_i, // those that a trap writes are told by the trap port
  input  logic [NRet*CsrSlots*Xlen-1:0] rvfi_csr_wdata_i, // value after the write
  input  logic [NRet-1:0]            rvfi_frd_valid_i,
  input  logic [NRet*5-1:0]          rvfi_frd_addr_i,
  input  logic [NRet*FBits-1:0]      rvfi_frd_wdata_i,
  input  logic [NRet-1:0]            rvfi_fcsr_valid_i,  // fcsr changed
  input  logic [NRet*32-1:0]         rvfi_fcsr_i,

  // Trap port: one event a cycle, in the order of the traps; from the cycle of the retirement before the trap on (of an exception:
  // before the row with rvfi_trap_i), at the latest in the cycle in which the first instruction after the trap is at rvfi.
  input  logic                       trap_valid_i,
  input  logic                       trap_interrupt_i,
  input  logic [Xlen-1:0]            trap_cause_i,       // xcause without the interrupt bit
  input  logic [Xlen-1:0]            trap_tval_i,        // xtval after it
  input  logic [Xlen-1:0]            trap_epc_i,         // xepc after it
  input  logic [Xlen-1:0]            trap_status_i,      // mstatus, sstatus or vsstatus after it, of the mode that handles it
  input  logic [2:0]                 trap_from_i,        // {V, PRV} before it
  input  logic [2:0]                 trap_mode_i,        // {V, PRV} after it

  // Flow. RVFI cannot wait: when stall_o rises the core stops to retire, and at most StallRows come after.
  output logic                       stall_o,
  input  logic                       flush_i,            // end of the run: what is held back is given, then a flush row
  output logic                       idle_o,             // nothing is held back or queued

  // The first error since reset, until reset. What came with it is given as well as it can be.
  output logic                       error_o,
  output logic [3:0]                 error_code_o,       // rvfi_pkg::Error*
  output logic [Xlen-1:0]            error_pc_o,         // pc_rdata of the retirement, or epc of the event

  // Hart port (rtl/subsystem/trace_subsystem.sv, docs/reference/rtl-subsystem.md). Everything stands until ret_ready_i.
  input  logic                       ret_ready_i,
  output logic [NRet-1:0]            ret_valid_o,
  output logic [NRet-1:0]            ret_told_o,
  output logic [NRet*4-1:0]          ret_itype_o,
  output logic [NRet*Xlen-1:0]       ret_pc_o,
  output logic [NRet*8-1:0]          ret_cause_o,
  output logic [NRet*Xlen-1:0]       ret_tval_o,
  output logic [NRet*3-1:0]          ret_mode_o,
  output logic [NRet*3-1:0]          ret_mode_next_o,
  output logic [NRet*32-1:0]         ret_context_o,
  output logic [NRet-1:0]            ret_misp_o,
  output logic [NRet*tandem_table_pkg::Parts-1:0] ret_has_o,
  output logic [NRet*Xlen-1:0]       ret_next_pc_o,
  output logic [NRet*Mlen-1:0]       ret_ppc_o,
  output logic [NRet*32-1:0]         ret_insn_o,
  output logic [NRet-1:0]            ret_insn16_o,
  output logic [NRet*5-1:0]          ret_gpr_addr_o,
  output logic [NRet*Xlen-1:0]       ret_gpr_o,
  output logic [NRet*5-1:0]          ret_fpr_addr_o,
  output logic [NRet*FBits-1:0]      ret_fpr_o,
  output logic [NRet*32-1:0]         ret_fcsr_o,
  output logic [NRet*CsrSlots*12-1:0]   ret_csr_addr_o,
  output logic [NRet*CsrSlots*Xlen-1:0] ret_csr_o,
  output logic [NRet*2-1:0]          ret_priv_o,
  output logic [NRet*Mlen-1:0]       ret_paddr_o,
  output logic [NRet*Mlen-1:0]       ret_eaddr_o,
  output logic [NRet*2-1:0]          ret_memdata_size_o,
  output logic [NRet*64-1:0]         ret_memdata_o,
  output logic [NRet*64-1:0]         ret_mtime_o,
  output logic [NRet*4-1:0]          ret_req_op_o,
  output logic [NRet*2-1:0]          ret_req_size_o,
  output logic [NRet*Mlen-1:0]       ret_req_addr_o,
  output logic [NRet*64-1:0]         ret_req_data_o,
  output logic [NRet-1:0]            ret_rsp_result_o,
  output logic [NRet*64-1:0]         ret_rsp_data_o,
  output logic                       hart_halted_o       // the hart is in Debug Mode: to hart_halted_i
);

endmodule
