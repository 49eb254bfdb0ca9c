// SPDX-License-Identifier: Apache-2.0
// Adapter testbench: a core's RVFI and trap port from a file, both adapters one after the other, and recorders of the hart port
// and of the ingress port between and after them.
//
// The core stops two cycles after stall_o, as one with instructions in its pipeline does. From the end of the file on flush_i is 1.
module adapter_tb
#(
  parameter int Xlen         = 64,
  parameter int NRet         = 1,
  parameter int Flen         = 0,
  parameter int TrapPort     = 1,
  parameter int CheckPc      = 2,
  parameter int MaskByInsn   = 0,
  parameter int Zcm          = 0,
  parameter int NBlocks      = 1,
  parameter int IRetireWidth = 7
) (
  output logic        clk_o,
  input  logic        rst_ni,
  input  logic        go_i,
  output logic        done_o,
  input  logic [31:0] ready_seed_i,
  input  logic [6:0]  ready_low_i,    // % of cycles in which the hart port waits, and the ingress port
  input  logic        ignore_stall_i
);

  localparam int Mlen     = (Xlen == 64) ? 64 : 34;
  localparam int FBits    = (Flen > 0) ? Flen : 1;
  localparam int XBytes   = Xlen / 8;
  localparam int CsrSlots = tandem_table_pkg::CsrSlots;
  localparam int RowBits    = adapter_row_pkg::stimulus_bits(NRet);
  localparam int HartBits   = adapter_row_pkg::hart_bits(NRet);
  localparam int IngBits    = adapter_row_pkg::ingress_bits(NBlocks);
  localparam int StatusBits = adapter_row_pkg::StatusBits;

  initial clk_o = 1'b0;
  always #5 clk_o = !clk_o;

  // --- The core ------------------------------------------------------------------------------------------

  logic [RowBits-1:0]            row;
  logic                          play, played, accept, stall, draining, empty, flush, stuck_ingress, stuck_empty;
  logic                          stall_q, stall_qq;
  logic [63:0]                   cycle;
  logic [NRet-1:0]               row_valid, valid, trap, halt, intr, virt, debug, frd_valid, fcsr_valid;
  logic [NRet*64-1:0]            order;
  logic [NRet*32-1:0]            insn, context_id, fcsr;
  logic [NRet*2-1:0]             mode, ixl;
  logic [NRet*5-1:0]             rd_addr, frd_addr;
  logic [NRet*Xlen-1:0]          rd_wdata, pc_rdata, pc_wdata, mem_addr, mem_rdata, mem_wdata;
  logic [NRet*XBytes-1:0]        mem_rmask, mem_wmask;
  logic [NRet*FBits-1:0]         frd_wdata;
  logic [NRet*CsrSlots-1:0]      csr_valid;
  logic [NRet*CsrSlots*12-1:0]   csr_addr;
  logic [NRet*CsrSlots*Xlen-1:0] csr_wdata;
  logic                          row_trap_valid, trap_interrupt;
  logic [Xlen-1:0]               trap_cause, trap_tval, trap_epc, trap_status;
  logic [2:0]                    trap_from, trap_mode;

  trace_player #(.RowBits(RowBits), .Levels(adapter_row_pkg::StimulusLevels)) u_player (
    .clk_i(clk_o), .go_i(play), .accept_i(accept), .row_o(row), .done_o(played)
  );

  adapter_stimulus_split #(.Xlen(Xlen), .FBits(FBits), .XBytes(XBytes), .NRet(NRet)) u_split (
    .row_i(row), .trap_cause_o(trap_cause), .trap_tval_o(trap_tval), .trap_epc_o(trap_epc), .trap_status_o(trap_status),
    .trap_from_o(trap_from), .trap_mode_o(trap_mode), .trap_interrupt_o(trap_interrupt), .trap_valid_o(row_trap_valid),
    .order_o(order), .rd_wdata_o(rd_wdata), .pc_rdata_o(pc_rdata), .pc_wdata_o(pc_wdata), .mem_addr_o(mem_addr),
    .mem_rdata_o(mem_rdata), .mem_wdata_o(mem_wdata), .frd_wdata_o(frd_wdata), .csr_wdata_o(csr_wdata), .insn_o(insn),
    .context_o(context_id), .fcsr_o(fcsr), .csr_addr_o(csr_addr), .csr_valid_o(csr_valid), .rd_addr_o(rd_addr),
    .frd_addr_o(frd_addr), .mem_rmask_o(mem_rmask), .mem_wmask_o(mem_wmask), .mode_o(mode), .ixl_o(ixl), .trap_o(trap),
    .halt_o(halt), .intr_o(intr), .virt_o(virt), .debug_o(debug), .frd_valid_o(frd_valid), .fcsr_valid_o(fcsr_valid),
    .valid_o(row_valid)
  );

  assign accept = !stall_qq || ignore_stall_i;
  assign valid  = row_valid & {NRet{accept}};

  always_ff @(posedge clk_o) begin
    stall_q  <= stall && play;
    stall_qq <= stall_q && play;
  end

  run_control u_run (
    .clk_i(clk_o), .go_i(go_i), .played_i(played), .accept_i(accept), .empty_i(empty), .play_o(play), .draining_o(draining),
    .done_o(done_o), .cycle_o(cycle), .stuck_ingress_o(stuck_ingress), .stuck_empty_o(stuck_empty)
  );
  logic unused_stuck;
  assign unused_stuck = stuck_ingress || stuck_empty;

  // --- RVFI to the hart port -----------------------------------------------------------------------------

  logic                          ret_ready, ret_go, halted, hart_idle, error;
  logic [3:0]                    error_code;
  logic [Xlen-1:0]               error_pc;
  logic [NRet-1:0]               ret_valid, ret_reported, ret_misp, ret_insn16, ret_rsp_result;
  logic [NRet*4-1:0]             ret_itype, ret_req_op;
  logic [NRet*Xlen-1:0]          ret_pc, ret_tval, ret_next_pc, ret_gpr;
  logic [NRet*8-1:0]             ret_cause;
  logic [NRet*3-1:0]             ret_mode, ret_mode_next;
  logic [NRet*32-1:0]            ret_context, ret_insn, ret_fcsr;
  logic [NRet*tandem_table_pkg::Parts-1:0] ret_has;
  logic [NRet*Mlen-1:0]          ret_ppc, ret_paddr, ret_eaddr, ret_req_addr;
  logic [NRet*5-1:0]             ret_gpr_addr, ret_fpr_addr;
  logic [NRet*FBits-1:0]         ret_fpr;
  logic [NRet*CsrSlots*12-1:0]   ret_csr_addr;
  logic [NRet*CsrSlots*Xlen-1:0] ret_csr;
  logic [NRet*2-1:0]             ret_priv, ret_memdata_size, ret_req_size;
  logic [NRet*64-1:0]            ret_memdata, ret_mtime, ret_req_data, ret_rsp_data;

  assign flush = draining;

  rvfi_hart_port #(
    .Xlen(Xlen), .NRet(NRet), .Flen(Flen), .Mlen(Mlen), .TrapPort(TrapPort != 0), .CheckPc(CheckPc), .MaskByInsn(MaskByInsn != 0),
    .Zcmp(Zcm != 0), .Zcmt(Zcm != 0)
  ) u_hart_port (
    .clk_i(clk_o), .rst_ni(rst_ni), .rvfi_valid_i(valid), .rvfi_order_i(order), .rvfi_insn_i(insn), .rvfi_trap_i(trap),
    .rvfi_halt_i(halt), .rvfi_intr_i(intr), .rvfi_mode_i(mode), .rvfi_ixl_i(ixl), .rvfi_rd_addr_i(rd_addr),
    .rvfi_rd_wdata_i(rd_wdata), .rvfi_pc_rdata_i(pc_rdata), .rvfi_pc_wdata_i(pc_wdata), .rvfi_mem_addr_i(mem_addr),
    .rvfi_mem_rmask_i(mem_rmask), .rvfi_mem_wmask_i(mem_wmask), .rvfi_mem_rdata_i(mem_rdata), .rvfi_mem_wdata_i(mem_wdata),
    .rvfi_virt_i(virt), .rvfi_debug_i(debug), .rvfi_context_i(context_id), .rvfi_csr_valid_i(csr_valid),
    .rvfi_csr_addr_i(csr_addr), .rvfi_csr_wdata_i(csr_wdata), .rvfi_frd_valid_i(frd_valid), .rvfi_frd_addr_i(frd_addr),
    .rvfi_frd_wdata_i(frd_wdata), .rvfi_fcsr_valid_i(fcsr_valid), .rvfi_fcsr_i(fcsr),
    .trap_valid_i(row_trap_valid && accept), .trap_interrupt_i(trap_interrupt), .trap_cause_i(trap_cause), .trap_tval_i(trap_tval),
    .trap_epc_i(trap_epc), .trap_status_i(trap_status), .trap_from_i(trap_from), .trap_mode_i(trap_mode),
    .stall_o(stall), .flush_i(flush), .idle_o(hart_idle), .error_o(error), .error_code_o(error_code), .error_pc_o(error_pc),
    .ret_ready_i(ret_go), .ret_valid_o(ret_valid), .ret_reported_o(ret_reported), .ret_itype_o(ret_itype), .ret_pc_o(ret_pc),
    .ret_cause_o(ret_cause), .ret_tval_o(ret_tval), .ret_mode_o(ret_mode), .ret_mode_next_o(ret_mode_next),
    .ret_context_o(ret_context), .ret_misp_o(ret_misp), .ret_has_o(ret_has), .ret_next_pc_o(ret_next_pc), .ret_ppc_o(ret_ppc),
    .ret_insn_o(ret_insn), .ret_insn16_o(ret_insn16), .ret_gpr_addr_o(ret_gpr_addr), .ret_gpr_o(ret_gpr),
    .ret_fpr_addr_o(ret_fpr_addr), .ret_fpr_o(ret_fpr), .ret_fcsr_o(ret_fcsr), .ret_csr_addr_o(ret_csr_addr), .ret_csr_o(ret_csr),
    .ret_priv_o(ret_priv), .ret_paddr_o(ret_paddr), .ret_eaddr_o(ret_eaddr), .ret_memdata_size_o(ret_memdata_size),
    .ret_memdata_o(ret_memdata), .ret_mtime_o(ret_mtime), .ret_req_op_o(ret_req_op), .ret_req_size_o(ret_req_size),
    .ret_req_addr_o(ret_req_addr), .ret_req_data_o(ret_req_data), .ret_rsp_result_o(ret_rsp_result), .ret_rsp_data_o(ret_rsp_data),
    .hart_halted_o(halted)
  );
  logic unused_error;
  assign unused_error = error;  // the code says it too

  // --- Hart port to the ingress port ---------------------------------------------------------------------

  logic                            hart_ready, ing_ready, ing_halted, ing_idle;
  logic [NBlocks*4-1:0]            ing_itype;
  logic [NBlocks*Xlen-1:0]         ing_iaddr, ing_tval, once_tval;
  logic [NBlocks*IRetireWidth-1:0] ing_iretire;
  logic [NBlocks-1:0]              ing_ilastsize, ing_there;
  logic [NBlocks*8-1:0]            ing_cause, once_cause;
  logic [NBlocks*3-1:0]            ing_priv;
  logic [NBlocks*32-1:0]           ing_context;
  logic [1:0]                      ctype;

  ready_source u_hart_ready (
    .clk_i(clk_o), .run_i(play), .seed_i(ready_seed_i), .percent_low_i(ready_low_i), .ready_o(hart_ready)
  );
  ready_source u_ing_ready (
    .clk_i(clk_o), .run_i(play), .seed_i({ready_seed_i[30:0], 1'b1}), .percent_low_i(ready_low_i), .ready_o(ing_ready)
  );

  assign ret_go = ret_ready && hart_ready;

  hart_ingress_port #(
    .Xlen(Xlen), .NRet(NRet), .Blocks(NBlocks), .IRetireWidth(IRetireWidth)
  ) u_ingress_port (
    .clk_i(clk_o), .rst_ni(rst_ni), .ret_ready_o(ret_ready), .ret_reported_i(ret_valid & ret_reported & {NRet{hart_ready}}),
    .ret_itype_i(ret_itype), .ret_pc_i(ret_pc), .ret_cause_i(ret_cause), .ret_tval_i(ret_tval), .ret_mode_i(ret_mode),
    .ret_context_i(ret_context), .ret_insn16_i(ret_insn16), .hart_halted_i(halted), .flush_i(flush && hart_idle),
    .ing_ready_i(ing_ready), .ing_itype_o(ing_itype), .ing_iaddr_o(ing_iaddr), .ing_iretire_o(ing_iretire),
    .ing_ilastsize_o(ing_ilastsize), .ing_cause_o(ing_cause), .ing_tval_o(ing_tval), .ing_priv_o(ing_priv),
    .ing_context_o(ing_context), .once_cause_o(once_cause), .once_tval_o(once_tval), .once_ctype_o(ctype),
    .ing_halted_o(ing_halted), .idle_o(ing_idle)
  );

  for (genvar b = 0; b < NBlocks; b++) begin : gen_there
    assign ing_there[b] = (ing_iretire[IRetireWidth*b +: IRetireWidth] != '0) || trace_pkg::is_trap(ing_itype[4*b +: 4]);
  end

  assign empty = hart_idle && ing_idle && flush;

  // --- Recorders -----------------------------------------------------------------------------------------

  logic [HartBits-1:0]   hart_seen;
  logic [IngBits-1:0]    ing_seen;
  logic [StatusBits-1:0] status_seen;
  logic [NRet*64-1:0]    fpr64;

  for (genvar k = 0; k < NRet; k++) begin : gen_fpr
    assign fpr64[64*k +: 64] = {{(64-FBits){1'b0}}, ret_fpr[FBits*k +: FBits]};
  end

  adapter_hart_join #(.Xlen(Xlen), .Mlen(Mlen), .NRet(NRet)) u_hart_join (
    .cycle_i(cycle), .halted_i(halted), .pc_i(ret_pc), .tval_i(ret_tval), .context_i(ret_context), .cause_i(ret_cause),
    .itype_i(ret_itype), .mode_i(ret_mode), .mode_next_i(ret_mode_next), .reported_i(ret_reported), .misp_i(ret_misp),
    .next_pc_i(ret_next_pc), .ppc_i(ret_ppc), .gpr_i(ret_gpr), .fpr_i(fpr64), .csr_i(ret_csr), .paddr_i(ret_paddr),
    .eaddr_i(ret_eaddr), .memdata_i(ret_memdata), .mtime_i(ret_mtime), .req_addr_i(ret_req_addr), .req_data_i(ret_req_data),
    .rsp_data_i(ret_rsp_data), .has_i(ret_has), .insn_i(ret_insn), .fcsr_i(ret_fcsr), .csr_addr_i(ret_csr_addr),
    .insn16_i(ret_insn16), .gpr_addr_i(ret_gpr_addr), .fpr_addr_i(ret_fpr_addr), .priv_i(ret_priv),
    .memdata_size_i(ret_memdata_size), .req_op_i(ret_req_op), .req_size_i(ret_req_size), .rsp_result_i(ret_rsp_result),
    .valid_i(ret_valid), .row_o(hart_seen)
  );

  adapter_ingress_join #(.Xlen(Xlen), .NBlocks(NBlocks), .IRetireWidth(IRetireWidth)) u_ingress_join (
    .cycle_i(cycle), .halted_i(ing_halted), .ctype_i(ctype), .iaddr_i(ing_iaddr), .tval_i(ing_tval), .once_tval_i(once_tval),
    .context_i(ing_context), .iretire_i(ing_iretire), .cause_i(ing_cause), .once_cause_i(once_cause), .itype_i(ing_itype),
    .priv_i(ing_priv), .ilastsize_i(ing_ilastsize), .row_o(ing_seen)
  );

  // What a port that waits shows does not change; of the ingress port lane 0, as lanes that are empty may fill. Then also what is
  // once a cycle may: it is left out.
  logic [HartBits-65:0]  hart_shown, hart_before;
  logic [4+Xlen+IRetireWidth+1+8+Xlen+3+32-1:0] lane_shown, lane_before;
  logic                  hart_waited, ing_waited, hart_moved, ing_moved, hart_halted_before, ing_halted_before;

  assign hart_shown = hart_seen[HartBits-1:64];
  assign lane_shown = {ing_itype[3:0], ing_iaddr[Xlen-1:0], ing_iretire[IRetireWidth-1:0], ing_ilastsize[0], ing_cause[7:0],
                       ing_tval[Xlen-1:0], ing_priv[2:0], ing_context[31:0]};

  always_ff @(posedge clk_o) begin
    hart_before <= hart_shown;
    lane_before <= lane_shown;
    hart_waited <= play && (ret_valid != '0) && !ret_go;
    ing_waited  <= play && (ing_there != '0) && !ing_ready;
    if (!play) begin
      hart_moved         <= 1'b0;
      ing_moved          <= 1'b0;
      hart_halted_before <= 1'b0;
      ing_halted_before  <= 1'b0;
    end else begin
      if (hart_waited && (hart_before != hart_shown)) hart_moved <= 1'b1;
      if (ing_waited && (lane_before != lane_shown)) ing_moved <= 1'b1;
      if (ret_go) hart_halted_before <= halted;
      if (ing_ready) ing_halted_before <= ing_halted;
    end
  end

  // Whether an output that says what the others mean has no value, or one that then has a meaning; from reset on.
  logic unknown, ing_part_unknown, ret_part_unknown;
  assign ret_part_unknown = (ret_valid != '0) && ((^{ret_pc, ret_next_pc, ret_has, ret_paddr}) === 1'bx);
  assign ing_part_unknown = (ing_there != '0) && ((^lane_shown) === 1'bx);
  always_ff @(posedge clk_o or negedge rst_ni) begin
    if (!rst_ni) unknown <= 1'b0;
    else if (((^{stall, hart_idle, ing_idle, error, ret_valid, ing_there, halted, ing_halted, ret_part_unknown, ing_part_unknown}) === 1'bx) ||
             (ret_part_unknown === 1'b1) || (ing_part_unknown === 1'b1)) unknown <= 1'b1;
  end

  logic [6:0] flags, flags_before;
  logic [3:0] error_before;
  assign flags = {unknown, empty && draining, ing_idle, hart_idle, ing_moved, hart_moved, stall};
  always_ff @(posedge clk_o) begin
    flags_before <= flags;
    error_before <= error_code;
  end

  adapter_status_join #(.Xlen(Xlen)) u_status_join (
    .cycle_i(cycle), .error_pc_i(error_pc), .error_code_i(error_code), .stall_i(flags[0]), .hart_moved_i(flags[1]),
    .ingress_moved_i(flags[2]), .hart_idle_i(flags[3]), .ingress_idle_i(flags[4]), .ended_i(flags[5]), .unknown_i(flags[6]),
    .row_o(status_seen)
  );

  row_recorder #(.Bits(HartBits), .File("hart.bin")) u_hart (
    .clk_i(clk_o), .go_i(play), .write_i(ret_go && ((ret_valid != '0) || (halted != hart_halted_before))), .row_i(hart_seen)
  );
  row_recorder #(.Bits(IngBits), .File("ingress.bin")) u_ingress (
    .clk_i(clk_o), .go_i(play), .write_i(ing_ready && ((ing_there != '0) || (ing_halted != ing_halted_before))), .row_i(ing_seen)
  );
  row_recorder #(.Bits(StatusBits), .File("status.bin")) u_status (
    .clk_i(clk_o), .go_i(play), .write_i((cycle == 64'd1) || (flags != flags_before) || (error_code != error_before)),
    .row_i(status_seen)
  );

endmodule
