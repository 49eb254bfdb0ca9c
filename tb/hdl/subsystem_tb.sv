// Subsystem testbench: a hart that plays its rows, registers, CSRs, memories behind the sinks, and recorders.
//
// cocotb drives registers (tb/agents/apb.py) and CSRs; the hart's port is driven by trace_player from `stimulus.bin` (drive_bulk_i = 1,
// from go_i rising to played_o; again with another file after go_i fell) or by cocotb (ret_*_i, levels_i). What crossed any port while
// record_i is 1 goes to files that tb/agents/subsystem_files.py reads: hart.bin, csr.bin, ntrace.bin, etrace.bin, tandem.bin.
// A slot without a row is noise at the subsystem.
module subsystem_tb
#(
  parameter int Xlen        = 64,
  parameter int NRet        = 1,
  parameter int Incremental = 1,
  // Derived, do not set.
  parameter int Mlen        = (Xlen == 64) ? 64 : 34
) (
  output logic                    clk_o,
  input  logic                    rst_ni,

  input  logic                    record_i,      // what happens is written to files
  input  logic                    drive_bulk_i,
  input  logic                    go_i,
  output logic                    played_o,
  input  logic [31:0]             noise_seed_i,
  input  logic [31:0]             wait_seed_i,   // of memories and of who takes tandem trace
  input  logic [6:0]              ntrace_low_i,  // % of cycles in which it is not ready
  input  logic [6:0]              etrace_low_i,
  input  logic [6:0]              tandem_low_i,

  input  logic                    apb_psel_i,
  input  logic                    apb_penable_i,
  input  logic                    apb_pwrite_i,
  input  logic [19:0]             apb_paddr_i,
  input  logic [31:0]             apb_pwdata_i,
  output logic [31:0]             apb_prdata_o,
  output logic                    apb_pready_o,
  output logic                    apb_pslverr_o,

  input  logic                    csr_valid_i,
  input  logic [2:0]              csr_op_i,
  input  logic [11:0]             csr_addr_i,
  input  logic [Xlen-1:0]         csr_wdata_i,
  input  logic [2:0]              csr_priv_i,
  input  logic                    csr_xlen32_i,
  output logic [Xlen-1:0]         csr_rdata_o,
  output logic [1:0]              csr_outcome_o,

  // Pins drive.
  input  logic [31:0]             levels_i,
  input  logic [NRet-1:0]         ret_valid_i,
  input  logic [NRet-1:0]         ret_told_i,
  input  logic [NRet*4-1:0]       ret_itype_i,
  input  logic [NRet*Xlen-1:0]    ret_pc_i,
  input  logic [NRet*8-1:0]       ret_cause_i,
  input  logic [NRet*Xlen-1:0]    ret_tval_i,
  input  logic [NRet*3-1:0]       ret_mode_i,
  input  logic [NRet*3-1:0]       ret_mode_next_i,
  input  logic [NRet*32-1:0]      ret_context_i,
  input  logic [NRet-1:0]         ret_misp_i,
  input  logic [NRet*23-1:0]      ret_has_i,
  input  logic [NRet*Xlen-1:0]    ret_next_pc_i,
  input  logic [NRet*Mlen-1:0]    ret_ppc_i,
  input  logic [NRet*32-1:0]      ret_insn_i,
  input  logic [NRet-1:0]         ret_insn16_i,
  input  logic [NRet*5-1:0]       ret_gpr_addr_i,
  input  logic [NRet*Xlen-1:0]    ret_gpr_i,
  input  logic [NRet*5-1:0]       ret_fpr_addr_i,
  input  logic [NRet*64-1:0]      ret_fpr_i,
  input  logic [NRet*32-1:0]      ret_fcsr_i,
  input  logic [NRet*4*12-1:0]    ret_csr_addr_i,
  input  logic [NRet*4*Xlen-1:0]  ret_csr_i,
  input  logic [NRet*2-1:0]       ret_priv_i,
  input  logic [NRet*Mlen-1:0]    ret_paddr_i,
  input  logic [NRet*Mlen-1:0]    ret_eaddr_i,
  input  logic [NRet*2-1:0]       ret_memdata_size_i,
  input  logic [NRet*64-1:0]      ret_memdata_i,
  input  logic [NRet*64-1:0]      ret_mtime_i,
  input  logic [NRet*4-1:0]       ret_req_op_i,
  input  logic [NRet*2-1:0]       ret_req_size_i,
  input  logic [NRet*Mlen-1:0]    ret_req_addr_i,
  input  logic [NRet*64-1:0]      ret_req_data_i,
  input  logic [NRet-1:0]         ret_rsp_result_i,
  input  logic [NRet*64-1:0]      ret_rsp_data_i,
  output logic                    ret_ready_o
);

  // A slot in both files, as tb/agents/subsystem_files.py has it: first what the hart tells besides the row of the tandem trace: pc, tval
  // (8 bytes each), context (4), cause, itype, mode, mode_next, told, misp (1), 6 of 0; then that row as in tandem_tb.
  localparam int ToldBits = 256;
  localparam int SlotBits = ToldBits + 17*64 + 3*32 + 4*16 + 12*8;
  localparam int AtHas    = ToldBits + 17*64;
  localparam int AtAddr   = AtHas + 3*32;  // of CSRs
  localparam int AtSmall  = AtAddr + 4*16;
  localparam int AtValid  = AtSmall + 8*8;
  localparam int HeadBits = 64 + 32 + 32;  // gap, levels, 0
  localparam int RowBits  = HeadBits + NRet*SlotBits;
  localparam int TsWidth  = 48;

  // Levels and pulses of a row: 0 stopped (the cycle does not count), 2 halted, 4 in_reset, 5 low_power, 11:8 external events.
  localparam logic [31:0] LevelBits = 32'h0000_00ff;

  initial clk_o = 1'b0;
  always #5 clk_o = !clk_o;

  // Clock cycles since the simulation began: at any falling edge the time divided by the period.
  logic [63:0] cycle;
  initial cycle = '0;
  always_ff @(posedge clk_o) cycle <= cycle + 64'd1;

  logic [RowBits-1:0]         row;
  logic [NRet*SlotBits-1:0]   seen;
  logic [31:0]                levels;
  logic [63:0]                noise;
  logic                       unused_row;

  // What stands on the subsystem's port.
  logic [NRet-1:0]        valid, told, misp, insn16, rsp_result;
  logic [NRet*4-1:0]      itype, req_op;
  logic [NRet*8-1:0]      cause;
  logic [NRet*3-1:0]      mode, mode_next;
  logic [NRet*23-1:0]     has;
  logic [NRet*Xlen-1:0]   pc, tval, next_pc, gpr;
  logic [NRet*Mlen-1:0]   ppc, paddr, eaddr, req_addr;
  logic [NRet*32-1:0]     context_id, insn, fcsr;
  logic [NRet*5-1:0]      gpr_addr, fpr_addr;
  logic [NRet*64-1:0]     fpr, memdata, mtime, req_data, rsp_data;
  logic [NRet*4*12-1:0]   csr_addr;
  logic [NRet*4*Xlen-1:0] csr;
  logic [NRet*2-1:0]      priv, memdata_size, req_size;

  for (genvar k = 0; k < NRet; k++) begin : gen_slot
    logic [SlotBits-1:0] pins, taken, slot;  // taken: with a row; slot: else noise
    logic [255:0]        pins_csr;
    logic [63:0]         pins_addr;
    logic                unused_slot;

    for (genvar s = 0; s < 4; s++) begin : gen_csr
      assign pins_csr[64*s +: 64]       = 64'(ret_csr_i[Xlen*(4*k+s) +: Xlen]);
      assign pins_addr[16*s +: 16]      = {4'd0, ret_csr_addr_i[12*(4*k+s) +: 12]};
      assign csr_addr[12*(4*k+s) +: 12] = slot[AtAddr+16*s +: 12];
      assign csr[Xlen*(4*k+s) +: Xlen]  = slot[ToldBits+64*(4+s) +: Xlen];
    end

    assign pins = {
      24'd0, 7'd0, ret_valid_i[k], 7'd0, ret_rsp_result_i[k], 6'd0, ret_req_size_i[2*k +: 2], 4'd0, ret_req_op_i[4*k +: 4],
      6'd0, ret_memdata_size_i[2*k +: 2], 6'd0, ret_priv_i[2*k +: 2], 3'd0, ret_fpr_addr_i[5*k +: 5], 3'd0, ret_gpr_addr_i[5*k +: 5],
      7'd0, ret_insn16_i[k], pins_addr, ret_fcsr_i[32*k +: 32], ret_insn_i[32*k +: 32], 9'd0, ret_has_i[23*k +: 23],
      ret_rsp_data_i[64*k +: 64], ret_req_data_i[64*k +: 64], 64'(ret_req_addr_i[Mlen*k +: Mlen]), 128'd0,
      ret_mtime_i[64*k +: 64], ret_memdata_i[64*k +: 64], 64'(ret_eaddr_i[Mlen*k +: Mlen]),
      64'(ret_paddr_i[Mlen*k +: Mlen]), pins_csr, ret_fpr_i[64*k +: 64], 64'(ret_gpr_i[Xlen*k +: Xlen]),
      64'(ret_ppc_i[Mlen*k +: Mlen]), 64'(ret_next_pc_i[Xlen*k +: Xlen]),
      48'd0, 7'd0, ret_misp_i[k], 7'd0, ret_told_i[k], 5'd0, ret_mode_next_i[3*k +: 3], 5'd0, ret_mode_i[3*k +: 3],
      4'd0, ret_itype_i[4*k +: 4], ret_cause_i[8*k +: 8], ret_context_i[32*k +: 32], 64'(ret_tval_i[Xlen*k +: Xlen]),
      64'(ret_pc_i[Xlen*k +: Xlen])};
    assign taken       = drive_bulk_i ? row[HeadBits+SlotBits*k +: SlotBits] : pins;
    assign slot        = valid[k] ? taken : {(SlotBits/64){noise ^ {64{k[0]}}}};
    assign unused_slot = ^slot;
    assign valid[k]    = taken[AtValid];
    assign seen[SlotBits*k +: SlotBits] = (valid[k] && ret_ready_o) ? taken : {SlotBits{1'b0}};

    assign pc[Xlen*k +: Xlen]        = slot[0 +: Xlen];
    assign tval[Xlen*k +: Xlen]      = slot[64 +: Xlen];
    assign context_id[32*k +: 32]    = slot[128 +: 32];
    assign cause[8*k +: 8]           = slot[160 +: 8];
    assign itype[4*k +: 4]           = slot[168 +: 4];
    assign mode[3*k +: 3]            = slot[176 +: 3];
    assign mode_next[3*k +: 3]       = slot[184 +: 3];
    assign told[k]                   = slot[192];
    assign misp[k]                   = slot[200];
    assign next_pc[Xlen*k +: Xlen]   = slot[ToldBits+64*0 +: Xlen];
    assign ppc[Mlen*k +: Mlen]       = slot[ToldBits+64*1 +: Mlen];
    assign gpr[Xlen*k +: Xlen]       = slot[ToldBits+64*2 +: Xlen];
    assign fpr[64*k +: 64]           = slot[ToldBits+64*3 +: 64];
    assign paddr[Mlen*k +: Mlen]     = slot[ToldBits+64*8 +: Mlen];
    assign eaddr[Mlen*k +: Mlen]     = slot[ToldBits+64*9 +: Mlen];
    assign memdata[64*k +: 64]       = slot[ToldBits+64*10 +: 64];
    assign mtime[64*k +: 64]         = slot[ToldBits+64*11 +: 64];
    assign req_addr[Mlen*k +: Mlen]  = slot[ToldBits+64*14 +: Mlen];
    assign req_data[64*k +: 64]      = slot[ToldBits+64*15 +: 64];
    assign rsp_data[64*k +: 64]      = slot[ToldBits+64*16 +: 64];
    assign has[23*k +: 23]           = slot[AtHas +: 23];
    assign insn[32*k +: 32]          = slot[AtHas+32 +: 32];
    assign fcsr[32*k +: 32]          = slot[AtHas+64 +: 32];
    assign insn16[k]                 = slot[AtSmall];
    assign gpr_addr[5*k +: 5]        = slot[AtSmall+8*1 +: 5];
    assign fpr_addr[5*k +: 5]        = slot[AtSmall+8*2 +: 5];
    assign priv[2*k +: 2]            = slot[AtSmall+8*3 +: 2];
    assign memdata_size[2*k +: 2]    = slot[AtSmall+8*4 +: 2];
    assign req_op[4*k +: 4]          = slot[AtSmall+8*5 +: 4];
    assign req_size[2*k +: 2]        = slot[AtSmall+8*6 +: 2];
    assign rsp_result[k]             = slot[AtSmall+8*7];
  end

  assign levels     = drive_bulk_i ? row[64 +: 32] : levels_i;
  assign unused_row = ^{row[HeadBits-1:0], levels};

  trace_player #(.RowBits(RowBits), .Levels(LevelBits)) u_player (
    .clk_i(clk_o), .go_i(go_i && drive_bulk_i), .accept_i(ret_ready_o), .row_o(row), .done_o(played_o)
  );

  noise_source u_noise (.clk_i(clk_o), .rst_ni(rst_ni), .seed_i(noise_seed_i), .busy_i(valid != '0), .noise_o(noise));

  // --- The subsystem, and who takes its bytes --------------------------------------------------------------

  logic               ntrace_valid, ntrace_taken, etrace_valid, etrace_taken, tandem_valid, ntrace_ready, etrace_ready, tandem_ready;
  logic [3:0]         ntrace_nbytes, etrace_nbytes;
  logic [63:0]        ntrace_data, etrace_data;
  logic [5:0]         tandem_nbytes;
  logic [255:0]       tandem_data;
  logic [NRet-1:0]    tandem_error;
  logic [2:0]         enabled;
  logic [63:0]        mcycle, minstret;
  logic [TsWidth-1:0] external_time;

  assign external_time = 3*cycle[TsWidth-1:0] + 1000;

  ready_source u_ntrace_ready (
    .clk_i(clk_o), .run_i(record_i), .seed_i(wait_seed_i), .percent_low_i(ntrace_low_i), .ready_o(ntrace_ready)
  );
  ready_source u_etrace_ready (
    .clk_i(clk_o), .run_i(record_i), .seed_i({wait_seed_i[23:0], wait_seed_i[31:24]}), .percent_low_i(etrace_low_i), .ready_o(etrace_ready)
  );
  ready_source u_tandem_ready (
    .clk_i(clk_o), .run_i(record_i), .seed_i({wait_seed_i[15:0], wait_seed_i[31:16]}), .percent_low_i(tandem_low_i), .ready_o(tandem_ready)
  );

  trace_subsystem #(.Xlen(Xlen), .NRet(NRet), .Incremental(Incremental)) u_dut (
    .clk_i(clk_o), .rst_ni(rst_ni),
    .ret_ready_o(ret_ready_o), .ret_valid_i(valid), .ret_told_i(told), .ret_itype_i(itype), .ret_pc_i(pc), .ret_cause_i(cause),
    .ret_tval_i(tval), .ret_mode_i(mode), .ret_mode_next_i(mode_next), .ret_context_i(context_id), .ret_misp_i(misp),
    .ret_has_i(has), .ret_next_pc_i(next_pc), .ret_ppc_i(ppc), .ret_insn_i(insn), .ret_insn16_i(insn16),
    .ret_gpr_addr_i(gpr_addr), .ret_gpr_i(gpr), .ret_fpr_addr_i(fpr_addr), .ret_fpr_i(fpr), .ret_fcsr_i(fcsr),
    .ret_csr_addr_i(csr_addr), .ret_csr_i(csr), .ret_priv_i(priv), .ret_paddr_i(paddr), .ret_eaddr_i(eaddr),
    .ret_memdata_size_i(memdata_size), .ret_memdata_i(memdata), .ret_mtime_i(mtime), .ret_req_op_i(req_op),
    .ret_req_size_i(req_size), .ret_req_addr_i(req_addr), .ret_req_data_i(req_data), .ret_rsp_result_i(rsp_result),
    .ret_rsp_data_i(rsp_data),
    .hart_halted_i(levels[2]), .hart_in_reset_i(levels[4]), .hart_low_power_i(levels[5]), .ret_running_i(!levels[0]),
    .ext_event_i(levels[11:8]),
    .ts_tick_i(cycle[0]), .ts_external_i(external_time), .csr_time_i(cycle),
    .psel_i(apb_psel_i), .penable_i(apb_penable_i), .pwrite_i(apb_pwrite_i), .paddr_i(apb_paddr_i), .pwdata_i(apb_pwdata_i),
    .prdata_o(apb_prdata_o), .pready_o(apb_pready_o), .pslverr_o(apb_pslverr_o),
    .csr_valid_i(csr_valid_i), .csr_op_i(csr_op_i), .csr_addr_i(csr_addr_i), .csr_wdata_i(csr_wdata_i), .csr_priv_i(csr_priv_i),
    .csr_xlen32_i(csr_xlen32_i), .csr_rdata_o(csr_rdata_o), .csr_outcome_o(csr_outcome_o), .lcofi_o(), .lcofie_o(),
    .ntrace_valid_o(ntrace_valid), .ntrace_nbytes_o(ntrace_nbytes), .ntrace_data_o(ntrace_data), .ntrace_taken_o(ntrace_taken),
    .ntrace_mem_valid_o(), .ntrace_mem_addr_o(), .ntrace_mem_wdata_o(), .ntrace_mem_ready_i(ntrace_ready),
    .ntrace_trc_clk_o(), .ntrace_trc_data_o(),
    .etrace_valid_o(etrace_valid), .etrace_nbytes_o(etrace_nbytes), .etrace_data_o(etrace_data), .etrace_taken_o(etrace_taken),
    .etrace_mem_valid_o(), .etrace_mem_addr_o(), .etrace_mem_wdata_o(), .etrace_mem_ready_i(etrace_ready),
    .etrace_trc_clk_o(), .etrace_trc_data_o(),
    .tandem_valid_o(tandem_valid), .tandem_nbytes_o(tandem_nbytes), .tandem_data_o(tandem_data), .tandem_ready_i(tandem_ready),
    .tandem_error_o(tandem_error),
    .mon_enable_o(enabled), .mon_mcycle_o(mcycle), .mon_minstret_o(minstret)
  );

  // --- Recorders -------------------------------------------------------------------------------------------

  logic [7:0]  levels_before;
  logic [31:0] word;
  logic        write_row;

  // What was taken, and every change of levels, taken or not. 18:16 who is on; 20 taken; 21 tandem_error_o is not 0 or X.
  assign word      = {10'd0, tandem_error !== '0, ret_ready_o, 1'b0, enabled, 4'd0, levels[11:8] & {4{ret_ready_o}}, levels[7:0]};
  assign write_row = rst_ni && ((ret_ready_o && ((valid != '0) || (levels[11:8] != '0))) || (levels[7:0] != levels_before) || word[21]);

  always_ff @(posedge clk_o) levels_before <= record_i ? levels[7:0] : 8'd0;

  row_recorder #(.Bits(64+32+32+64+64+NRet*SlotBits), .File("hart.bin")) u_hart (
    .clk_i(clk_o), .go_i(record_i), .write_i(write_row), .row_i({seen, minstret, mcycle, 32'd0, word, cycle})
  );

  row_recorder #(.Bits(256), .File("csr.bin")) u_csr (
    .clk_i(clk_o), .go_i(record_i), .write_i(rst_ni && csr_valid_i),
    .row_i({20'd0, csr_addr_i, 7'd0, (^{csr_rdata_o, csr_outcome_o}) === 1'bx, 6'd0, csr_outcome_o, 5'd0, csr_op_i, 5'd0, csr_priv_i,
            64'(csr_rdata_o), 64'(csr_wdata_i), cycle})
  );

  stream_recorder #(.OutBytes(8), .File("ntrace.bin")) u_ntrace (
    .clk_i(clk_o), .go_i(record_i), .cycle_i(cycle), .valid_i(ntrace_valid && rst_ni), .ready_i(ntrace_taken),
    .nbytes_i(ntrace_nbytes), .data_i(ntrace_data)
  );
  stream_recorder #(.OutBytes(8), .File("etrace.bin")) u_etrace (
    .clk_i(clk_o), .go_i(record_i), .cycle_i(cycle), .valid_i(etrace_valid && rst_ni), .ready_i(etrace_taken),
    .nbytes_i(etrace_nbytes), .data_i(etrace_data)
  );
  stream_recorder #(.OutBytes(32), .File("tandem.bin")) u_tandem (
    .clk_i(clk_o), .go_i(record_i), .cycle_i(cycle), .valid_i(tandem_valid && rst_ni), .ready_i(tandem_ready),
    .nbytes_i(tandem_nbytes), .data_i(tandem_data)
  );

endmodule
