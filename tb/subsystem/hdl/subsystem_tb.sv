// SPDX-License-Identifier: Apache-2.0
// Subsystem testbench: a hart that plays its rows, registers, CSRs, memories behind the sinks, and recorders.
//
// cocotb asks for accesses to registers (tb/tci/agents/apb.py) and CSRs; the hart's port is driven by trace_player from `stimulus.bin` (drive_bulk_i = 1,
// from go_i rising to played_o; again with another file after go_i fell) or by cocotb (ret_*_i, levels_i). What crossed any port while
// record_i is 1 goes to files that tb/subsystem/agents/files.py reads: hart.bin, csr.bin, ntrace.bin, etrace.bin, tandem.bin.
// A slot without a row is noise at the subsystem, and so is the register bus where PSEL is 0.
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

  input  logic [tci_row_pkg::RequestBits-1:0] apb_request_i,
  output logic                    apb_done_o,
  output logic [31:0]             apb_rdata_o,
  output logic                    apb_error_o,

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
  input  logic [NRet-1:0]         ret_reported_i,
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

  // Rows of all files: tb/subsystem/agents/layout.py, from which the modules subsystem_*_join and subsystem_*_split are generated.
  localparam int SlotBits = subsystem_row_pkg::SlotBits;
  localparam int HeadBits = subsystem_row_pkg::StimulusSlotsAt;
  localparam int RowBits  = subsystem_row_pkg::stimulus_bits(NRet);
  localparam int TsWidth  = 48;

  initial clk_o = 1'b0;
  always #5 clk_o = !clk_o;

  // Clock cycles since the simulation began: at any falling edge the time divided by the period.
  logic [63:0] cycle;
  initial cycle = '0;
  always_ff @(posedge clk_o) cycle <= cycle + 64'd1;

  logic [RowBits-1:0]         row;
  logic [NRet*SlotBits-1:0]   pins, slots, seen;  // slots: noise where there is no row
  logic [31:0]                levels;
  logic                       stopped, halted, in_reset, low_power;
  logic [3:0]                 external;
  logic [63:0]                noise;
  logic                       unused_row;

  // What is on the subsystem's port.
  logic [NRet-1:0]        valid, reported, misp, insn16, rsp_result;
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

  subsystem_slots_join #(.Xlen(Xlen), .Mlen(Mlen), .NRet(NRet)) u_pins (
    .valid_i(ret_valid_i), .reported_i(ret_reported_i), .itype_i(ret_itype_i), .pc_i(ret_pc_i), .cause_i(ret_cause_i),
    .tval_i(ret_tval_i), .mode_i(ret_mode_i), .mode_next_i(ret_mode_next_i), .context_i(ret_context_i),
    .misp_i(ret_misp_i), .has_i(ret_has_i), .next_pc_i(ret_next_pc_i), .ppc_i(ret_ppc_i), .insn_i(ret_insn_i),
    .insn16_i(ret_insn16_i), .gpr_addr_i(ret_gpr_addr_i), .gpr_i(ret_gpr_i), .fpr_addr_i(ret_fpr_addr_i),
    .fpr_i(ret_fpr_i), .fcsr_i(ret_fcsr_i), .csr_addr_i(ret_csr_addr_i), .csr_i(ret_csr_i), .priv_i(ret_priv_i),
    .paddr_i(ret_paddr_i), .eaddr_i(ret_eaddr_i), .memdata_size_i(ret_memdata_size_i), .memdata_i(ret_memdata_i),
    .mtime_i(ret_mtime_i), .req_op_i(ret_req_op_i), .req_size_i(ret_req_size_i), .req_addr_i(ret_req_addr_i),
    .req_data_i(ret_req_data_i), .rsp_result_i(ret_rsp_result_i), .rsp_data_i(ret_rsp_data_i), .row_o(pins)
  );

  for (genvar k = 0; k < NRet; k++) begin : gen_slot
    logic [SlotBits-1:0] taken;  // with a row

    assign taken    = drive_bulk_i ? row[HeadBits+SlotBits*k +: SlotBits] : pins[SlotBits*k +: SlotBits];
    assign valid[k] = taken[subsystem_row_pkg::SlotValidAt];
    assign slots[SlotBits*k +: SlotBits] = valid[k] ? taken : {(SlotBits/64){noise ^ {64{k[0]}}}};
    assign seen[SlotBits*k +: SlotBits]  = (valid[k] && ret_ready_o) ? taken : {SlotBits{1'b0}};
  end

  subsystem_slots_split #(.Xlen(Xlen), .Mlen(Mlen), .NRet(NRet)) u_slots (
    .row_i(slots), .reported_o(reported), .itype_o(itype), .pc_o(pc), .cause_o(cause), .tval_o(tval), .mode_o(mode),
    .mode_next_o(mode_next), .context_o(context_id), .misp_o(misp), .has_o(has), .next_pc_o(next_pc), .ppc_o(ppc),
    .insn_o(insn), .insn16_o(insn16), .gpr_addr_o(gpr_addr), .gpr_o(gpr), .fpr_addr_o(fpr_addr), .fpr_o(fpr),
    .fcsr_o(fcsr), .csr_addr_o(csr_addr), .csr_o(csr), .priv_o(priv), .paddr_o(paddr), .eaddr_o(eaddr),
    .memdata_size_o(memdata_size), .memdata_o(memdata), .mtime_o(mtime), .req_op_o(req_op), .req_size_o(req_size),
    .req_addr_o(req_addr), .req_data_o(req_data), .rsp_result_o(rsp_result), .rsp_data_o(rsp_data)
  );

  assign levels     = drive_bulk_i ? row[subsystem_row_pkg::StimulusLevelsAt +: 32] : levels_i;
  assign stopped    = levels[subsystem_row_pkg::StimulusLevelsStoppedLsb];
  assign halted     = levels[subsystem_row_pkg::StimulusLevelsHaltedLsb];
  assign in_reset   = levels[subsystem_row_pkg::StimulusLevelsInResetLsb];
  assign low_power  = levels[subsystem_row_pkg::StimulusLevelsLowPowerLsb];
  assign external   = levels[subsystem_row_pkg::StimulusLevelsExternalLsb +: subsystem_row_pkg::StimulusLevelsExternalWidth];
  assign unused_row = ^{row[HeadBits-1:0], levels};

  trace_player #(.RowBits(RowBits), .Levels(subsystem_row_pkg::StimulusLevels)) u_player (
    .clk_i(clk_o), .go_i(go_i && drive_bulk_i), .accept_i(ret_ready_o), .row_o(row), .done_o(played_o)
  );

  noise_source u_noise (.clk_i(clk_o), .rst_ni(rst_ni), .seed_i(noise_seed_i), .busy_i((valid != '0) && (ret_ready_o === 1'b1)), .noise_o(noise));

  // --- The subsystem, and who takes its bytes --------------------------------------------------------------

  // While PSEL is 0 the bus has accesses of others, at the first registers of a unit; it stands still while the hart does.
  logic        psel, penable, pwrite, pready, pslverr, asked_penable, asked_pwrite;
  logic [19:0] reg_addr, asked_addr;
  logic [31:0] pwdata, prdata, asked_pwdata, foreign, step_a, step_b;  // xorshift32 (Marsaglia)

  tci_requester #(.AddrBits(20)) u_requester (
    .clk_i(clk_o), .record_i, .cycle_i(cycle), .request_i(apb_request_i), .done_o(apb_done_o), .rdata_o(apb_rdata_o), .error_o(apb_error_o),
    .psel_o(psel), .penable_o(asked_penable), .pwrite_o(asked_pwrite), .paddr_o(asked_addr), .pwdata_o(asked_pwdata),
    .prdata_i(prdata), .pready_i(pready), .pslverr_i(pslverr)
  );

  assign step_a   = foreign ^ {foreign[18:0], 13'd0};
  assign step_b   = step_a ^ {17'd0, step_a[31:17]};
  assign penable  = psel ? asked_penable : foreign[4];
  assign pwrite   = psel ? asked_pwrite : foreign[5];
  assign reg_addr = psel ? asked_addr : {2'd0, foreign[1:0], 12'd0, foreign[3:2], 2'd0};
  assign pwdata   = psel ? asked_pwdata : {foreign[7:0], foreign[31:8]};

  always_ff @(posedge clk_o) begin
    if (!rst_ni)          foreign <= {noise_seed_i[31:1], 1'b1};
    else if (valid != '0) foreign <= step_b ^ {step_b[26:0], 5'd0};
  end

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
    .ret_ready_o(ret_ready_o), .ret_valid_i(valid), .ret_reported_i(reported), .ret_itype_i(itype), .ret_pc_i(pc), .ret_cause_i(cause),
    .ret_tval_i(tval), .ret_mode_i(mode), .ret_mode_next_i(mode_next), .ret_context_i(context_id), .ret_misp_i(misp),
    .ret_has_i(has), .ret_next_pc_i(next_pc), .ret_ppc_i(ppc), .ret_insn_i(insn), .ret_insn16_i(insn16),
    .ret_gpr_addr_i(gpr_addr), .ret_gpr_i(gpr), .ret_fpr_addr_i(fpr_addr), .ret_fpr_i(fpr), .ret_fcsr_i(fcsr),
    .ret_csr_addr_i(csr_addr), .ret_csr_i(csr), .ret_priv_i(priv), .ret_paddr_i(paddr), .ret_eaddr_i(eaddr),
    .ret_memdata_size_i(memdata_size), .ret_memdata_i(memdata), .ret_mtime_i(mtime), .ret_req_op_i(req_op),
    .ret_req_size_i(req_size), .ret_req_addr_i(req_addr), .ret_req_data_i(req_data), .ret_rsp_result_i(rsp_result),
    .ret_rsp_data_i(rsp_data),
    .hart_halted_i(halted), .hart_in_reset_i(in_reset), .hart_low_power_i(low_power), .ret_running_i(!stopped),
    .ext_event_i(external),
    .ts_tick_i(cycle[0]), .ts_external_i(external_time), .csr_time_i(cycle),
    .psel_i(psel), .penable_i(penable), .pwrite_i(pwrite), .paddr_i(reg_addr), .pwdata_i(pwdata),
    .prdata_o(prdata), .pready_o(pready), .pslverr_o(pslverr),
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

  logic [7:0] levels_before;
  logic [2:0] enabled_before;
  logic       write_row, tandem_wrong;
  logic [subsystem_row_pkg::HeadBits-1:0] head;
  logic [subsystem_row_pkg::CsrBits-1:0]  access;

  // What was taken, and every change of levels and of units that are on, taken or not.
  assign tandem_wrong = tandem_error !== '0;
  assign write_row    = rst_ni && ((ret_ready_o && ((valid != '0) || (external != '0))) || (levels[7:0] != levels_before) ||
                                   (enabled !== enabled_before) || tandem_wrong);

  always_ff @(posedge clk_o) begin
    levels_before  <= record_i ? levels[7:0] : 8'd0;
    enabled_before <= record_i ? enabled : 3'd0;
  end

  subsystem_head_join u_head (
    .cycle_i(cycle), .levels_i(levels[7:0]), .external_i(external & {4{ret_ready_o}}), .enabled_i(enabled[1:0]),
    .tandem_enabled_i(enabled[2]), .taken_i(ret_ready_o), .error_i(tandem_wrong), .mcycle_i(mcycle), .minstret_i(minstret),
    .row_o(head)
  );

  row_recorder #(.Bits(subsystem_row_pkg::HeadBits+NRet*SlotBits), .File("hart.bin")) u_hart (
    .clk_i(clk_o), .go_i(record_i), .write_i(write_row), .row_i({seen, head})
  );

  subsystem_csr_join #(.Xlen(Xlen)) u_access (
    .cycle_i(cycle), .wdata_i(csr_wdata_i), .rdata_i(csr_rdata_o), .priv_i(csr_priv_i), .op_i(csr_op_i), .outcome_i(csr_outcome_o),
    .unknown_i((^{csr_rdata_o, csr_outcome_o}) === 1'bx), .addr_i(csr_addr_i), .row_o(access)
  );

  row_recorder #(.Bits(subsystem_row_pkg::CsrBits), .File("csr.bin")) u_csr (
    .clk_i(clk_o), .go_i(record_i), .write_i(rst_ni && csr_valid_i), .row_i(access)
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
