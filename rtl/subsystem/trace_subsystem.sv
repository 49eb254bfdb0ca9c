// SPDX-License-Identifier: Apache-2.0
// One hart, five trace sources: N-Trace, E-Trace, tandem trace, control transfer records and counters, all fed from one retirement port.
//
// Everybody takes the same cycles: one that a trace unit cannot take is taken by nobody. Ports, registers and events:
// docs/reference/rtl-subsystem.md.
module trace_subsystem
#(
  parameter int          Xlen         = 64,  // 32 or 64
  parameter int          NRet         = 1,   // instructions and traps a cycle: 1 or 2
  // N-Trace and E-Trace (trace_system).
  parameter int          IRetireWidth = 7,
  parameter int          TsWidth      = 48,
  parameter int          NtFifoDepth  = 16,
  parameter int          EtFifoDepth  = 32,
  parameter int          SramBytes    = 4096,
  // Tandem trace.
  parameter int          Flen         = 64,
  parameter int          Mlen         = (Xlen == 64) ? 64 : 34,
  parameter int          Incremental  = 1,
  parameter int          FifoRows     = 8,
  parameter int          TdOutBytes   = 32,
  // Records and counters.
  parameter logic [4:0]  Depths       = 5'h03,
  parameter logic [31:0] Counters     = 32'h0000_07F8,
  // Derived, do not set.
  parameter int          FBits        = (Flen > 0) ? Flen : 1,
  parameter int          TdCountBits  = $clog2(TdOutBytes + 1)
) (
  input  logic                                               clk_i,
  input  logic                                               rst_ni,

  // Hart port: slot k in bits k*W +: W, slot 0 is the oldest, slots fill from 0. Those that are reported have one mode and one
  // context, and a trap is the last of them. Everything stands until ret_ready_o.
  output logic                                               ret_ready_o,
  input  logic [NRet-1:0]                                    ret_valid_i,
  input  logic [NRet-1:0]                                    ret_reported_i,   // an instruction retired, or a trap was taken
  input  logic [NRet*4-1:0]                                  ret_itype_i,
  input  logic [NRet*Xlen-1:0]                               ret_pc_i,         // of the instruction; of a trap the EPC
  input  logic [NRet*8-1:0]                                  ret_cause_i,
  input  logic [NRet*Xlen-1:0]                               ret_tval_i,
  input  logic [NRet*3-1:0]                                  ret_mode_i,       // {V, PRV} in which it happened
  input  logic [NRet*3-1:0]                                  ret_mode_next_i,  // and after it
  input  logic [NRet*32-1:0]                                 ret_context_i,
  input  logic [NRet-1:0]                                    ret_misp_i,       // it was predicted wrong
  // Its row of the tandem trace (rtl/tandem); next_pc and insn16 mean something in whatever is reported.
  input  logic [NRet*tandem_table_pkg::Parts-1:0]            ret_has_i,
  input  logic [NRet*Xlen-1:0]                               ret_next_pc_i,
  input  logic [NRet*Mlen-1:0]                               ret_ppc_i,
  input  logic [NRet*32-1:0]                                 ret_insn_i,
  input  logic [NRet-1:0]                                    ret_insn16_i,
  input  logic [NRet*5-1:0]                                  ret_gpr_addr_i,
  input  logic [NRet*Xlen-1:0]                               ret_gpr_i,
  input  logic [NRet*5-1:0]                                  ret_fpr_addr_i,
  input  logic [NRet*FBits-1:0]                              ret_fpr_i,
  input  logic [NRet*32-1:0]                                 ret_fcsr_i,
  input  logic [NRet*tandem_table_pkg::CsrSlots*12-1:0]      ret_csr_addr_i,
  input  logic [NRet*tandem_table_pkg::CsrSlots*Xlen-1:0]    ret_csr_i,
  input  logic [NRet*2-1:0]                                  ret_priv_i,
  input  logic [NRet*Mlen-1:0]                               ret_paddr_i,
  input  logic [NRet*Mlen-1:0]                               ret_eaddr_i,
  input  logic [NRet*2-1:0]                                  ret_memdata_size_i,
  input  logic [NRet*64-1:0]                                 ret_memdata_i,
  input  logic [NRet*64-1:0]                                 ret_mtime_i,
  input  logic [NRet*4-1:0]                                  ret_req_op_i,
  input  logic [NRet*2-1:0]                                  ret_req_size_i,
  input  logic [NRet*Mlen-1:0]                               ret_req_addr_i,
  input  logic [NRet*64-1:0]                                 ret_req_data_i,
  input  logic [NRet-1:0]                                    ret_rsp_result_i,
  input  logic [NRet*64-1:0]                                 ret_rsp_data_i,
  // Once a cycle.
  input  logic                                               hart_halted_i,
  input  logic                                               hart_in_reset_i,
  input  logic                                               hart_low_power_i,
  input  logic                                               ret_running_i,    // 0: the cycle does not count, as in WFI
  input  logic [subsystem_pkg::External-1:0]                 ext_event_i,

  // Time.
  input  logic                                               ts_tick_i,
  input  logic [TsWidth-1:0]                                 ts_external_i,
  input  logic [63:0]                                        csr_time_i,

  // Registers: APB, whole words. Bits 19:16: 0 N-Trace, 1 E-Trace, 2 tandem trace.
  input  logic                                               psel_i,
  input  logic                                               penable_i,
  input  logic                                               pwrite_i,
  input  logic [19:0]                                        paddr_i,
  input  logic [31:0]                                        pwdata_i,
  output logic [31:0]                                        prdata_o,
  output logic                                               pready_o,
  output logic                                               pslverr_o,

  // CSRs of records and counters (rtl/ctr, rtl/hpm): one access a cycle, answered in it.
  input  logic                                               csr_valid_i,
  input  logic [2:0]                                         csr_op_i,
  input  logic [11:0]                                        csr_addr_i,
  input  logic [Xlen-1:0]                                    csr_wdata_i,
  input  logic [2:0]                                         csr_priv_i,
  input  logic                                               csr_xlen32_i,
  output logic [Xlen-1:0]                                    csr_rdata_o,
  output logic [1:0]                                         csr_outcome_o,
  output logic                                               lcofi_o,
  output logic                                               lcofie_o,

  // N-Trace: bytes on their way to the sinks, and the sinks.
  output logic                                               ntrace_valid_o,
  output logic [3:0]                                         ntrace_nbytes_o,
  output logic [63:0]                                        ntrace_data_o,
  output logic                                               ntrace_taken_o,
  output logic                                               ntrace_mem_valid_o,
  output logic [39:0]                                        ntrace_mem_addr_o,
  output logic [31:0]                                        ntrace_mem_wdata_o,
  input  logic                                               ntrace_mem_ready_i,
  output logic                                               ntrace_trc_clk_o,
  output logic [15:0]                                        ntrace_trc_data_o,

  // E-Trace.
  output logic                                               etrace_valid_o,
  output logic [3:0]                                         etrace_nbytes_o,
  output logic [63:0]                                        etrace_data_o,
  output logic                                               etrace_taken_o,
  output logic                                               etrace_mem_valid_o,
  output logic [39:0]                                        etrace_mem_addr_o,
  output logic [31:0]                                        etrace_mem_wdata_o,
  input  logic                                               etrace_mem_ready_i,
  output logic                                               etrace_trc_clk_o,
  output logic [15:0]                                        etrace_trc_data_o,

  // Tandem trace.
  output logic                                               tandem_valid_o,
  output logic [TdCountBits-1:0]                             tandem_nbytes_o,
  output logic [8*TdOutBytes-1:0]                            tandem_data_o,
  input  logic                                               tandem_ready_i,
  output logic [NRet-1:0]                                    tandem_error_o,

  // For monitors: which units are on, and the counters in this cycle, as tandem trace tells them.
  output logic [2:0]                                         mon_enable_o,     // N-Trace (and it traces), E-Trace, tandem trace
  output logic [63:0]                                        mon_mcycle_o,
  output logic [63:0]                                        mon_minstret_o
);

  localparam int Parts   = tandem_table_pkg::Parts;
  localparam int NEvents = subsystem_pkg::NEvents;

  // --- Who is ready --------------------------------------------------------------------------------------

  logic [1:0] unit_ready, unit_enable, unit_tracing;  // N-Trace, E-Trace
  logic       ntrace_ready, etrace_ready, tandem_ready, tandem_enable;

  assign {etrace_ready, ntrace_ready} = unit_ready;
  assign ret_ready_o = ntrace_ready && etrace_ready && (tandem_ready || !tandem_enable);

  // --- Registers -----------------------------------------------------------------------------------------

  logic [3:0]  place;
  logic [1:0]  at_unit, unit_pready, unit_pslverr;
  logic [63:0] unit_rdata;
  logic        at_tandem;
  logic [31:0] tandem_rdata;

  assign place     = paddr_i[19:16];
  assign at_unit   = {place == subsystem_pkg::EtraceAt, place == subsystem_pkg::NtraceAt};
  assign at_tandem = (place == subsystem_pkg::TandemAt) && (paddr_i[15:12] == 4'd0);
  assign prdata_o  = at_unit[0] ? unit_rdata[31:0] : at_unit[1] ? unit_rdata[63:32] :
                     (at_tandem && psel_i && penable_i && !pwrite_i) ? tandem_rdata : 32'd0;
  assign pready_o  = at_unit[0] ? unit_pready[0] : at_unit[1] ? unit_pready[1] : 1'b1;
  assign pslverr_o = (at_unit[0] && unit_pslverr[0]) || (at_unit[1] && unit_pslverr[1]);

  // --- What each takes of the hart -----------------------------------------------------------------------

  logic [2:0]                   mode;
  logic [NRet*4-1:0]            ing_itype;
  logic [NRet*Xlen-1:0]         ing_iaddr, ing_tval, once_tval;
  logic [NRet*IRetireWidth-1:0] ing_iretire;
  logic [NRet-1:0]              ing_ilastsize;
  logic [NRet*8-1:0]            ing_cause, once_cause;
  logic [NRet*3-1:0]            ing_priv;
  logic [NRet*32-1:0]           ing_context;
  logic [1:0]                   once_ctype;
  logic [NRet-1:0]              xfer_valid, xfer_misp, accesses, stores;
  logic [NRet*4-1:0]            xfer_type;
  logic [NRet*Xlen-1:0]         xfer_source, xfer_target;
  logic [NRet*3-1:0]            xfer_from, xfer_to;
  logic [NRet*8-1:0]            xfer_cause;
  logic [3:0]                   retired;
  logic [NEvents*subsystem_pkg::EventBits-1:0] events;

  for (genvar k = 0; k < NRet; k++) begin : gen_access
    assign accesses[k] = ret_has_i[Parts*k+tandem_table_pkg::Paddr];
    assign stores[k]   = ret_has_i[Parts*k+tandem_table_pkg::Memdata];
  end

  subsystem_adapter #(
    .Xlen         (Xlen),
    .NRet         (NRet),
    .IRetireWidth (IRetireWidth)
  ) u_adapter (
    .clk_i,
    .rst_ni,
    .take_i          (ret_ready_o),
    .halted_i        (hart_halted_i),
    .external_i      (ext_event_i),
    .reported_i      (ret_valid_i & ret_reported_i),
    .itype_i         (ret_itype_i),
    .pc_i            (ret_pc_i),
    .next_pc_i       (ret_next_pc_i),
    .insn16_i        (ret_insn16_i),
    .cause_i         (ret_cause_i),
    .tval_i          (ret_tval_i),
    .mode_i          (ret_mode_i),
    .mode_next_i     (ret_mode_next_i),
    .context_i       (ret_context_i),
    .misp_i          (ret_misp_i),
    .accesses_i      (accesses),
    .stores_i        (stores),
    .mode_o          (mode),
    .ing_itype_o     (ing_itype),
    .ing_iaddr_o     (ing_iaddr),
    .ing_iretire_o   (ing_iretire),
    .ing_ilastsize_o (ing_ilastsize),
    .ing_cause_o     (ing_cause),
    .ing_tval_o      (ing_tval),
    .ing_priv_o      (ing_priv),
    .ing_context_o   (ing_context),
    .once_cause_o    (once_cause),
    .once_tval_o     (once_tval),
    .once_ctype_o    (once_ctype),
    .xfer_valid_o    (xfer_valid),
    .xfer_type_o     (xfer_type),
    .xfer_source_o   (xfer_source),
    .xfer_target_o   (xfer_target),
    .xfer_misp_o     (xfer_misp),
    .xfer_from_o     (xfer_from),
    .xfer_to_o       (xfer_to),
    .xfer_cause_o    (xfer_cause),
    .retired_o       (retired),
    .events_o        (events)
  );

  // --- N-Trace and E-Trace -------------------------------------------------------------------------------

  // Each at the place of its number, in bit or word NtraceAt and EtraceAt of these.
  logic [1:0]   unit_valid, unit_taken, unit_mem_valid, unit_trc_clk;
  logic [7:0]   unit_nbytes;
  logic [127:0] unit_data;
  logic [79:0]  unit_mem_addr;
  logic [63:0]  unit_mem_wdata;
  logic [31:0]  unit_trc_data;
  logic [1:0]   unit_mem_ready;

  assign {etrace_valid_o, ntrace_valid_o}         = unit_valid;
  assign {etrace_nbytes_o, ntrace_nbytes_o}       = unit_nbytes;
  assign {etrace_data_o, ntrace_data_o}           = unit_data;
  assign {etrace_taken_o, ntrace_taken_o}         = unit_taken;
  assign {etrace_mem_valid_o, ntrace_mem_valid_o} = unit_mem_valid;
  assign {etrace_mem_addr_o, ntrace_mem_addr_o}   = unit_mem_addr;
  assign {etrace_mem_wdata_o, ntrace_mem_wdata_o} = unit_mem_wdata;
  assign {etrace_trc_clk_o, ntrace_trc_clk_o}     = unit_trc_clk;
  assign {etrace_trc_data_o, ntrace_trc_data_o}   = unit_trc_data;
  assign unit_mem_ready                           = {etrace_mem_ready_i, ntrace_mem_ready_i};

  for (genvar n = 0; n < 2; n++) begin : gen_unit
    localparam bit ETrace = (n == 1);

    // E-Trace reports cause and tval once a cycle, and how the context is to be reported.
    logic                 here, mem_ready;
    logic [NRet*8-1:0]    cause;
    logic [NRet*Xlen-1:0] tval;
    logic [1:0]           ctype;
    assign here      = psel_i && at_unit[n];
    assign mem_ready = unit_mem_ready[n];
    assign cause     = ETrace ? once_cause : ing_cause;
    assign tval      = ETrace ? once_tval : ing_tval;
    assign ctype     = ETrace ? once_ctype : 2'd0;

    logic               unused_accept, unused_drop, unused_notify, unused_ext, unused_empty, unused_write;
    logic               unused_funnel_valid, unused_funnel_ready;
    logic [7:0]         unused_trig;
    logic [3:0]         unused_funnel_nbytes;
    logic [63:0]        unused_funnel_data;
    logic [TsWidth-1:0] unused_tstamp;

    trace_system #(
      .Format       (ETrace ? 0 : 1),
      .NHarts       (1),
      .Xlen         (Xlen),
      .NBlocks      (NRet),
      .IRetireWidth (IRetireWidth),
      .TsWidth      (TsWidth),
      .FifoDepth    (ETrace ? EtFifoDepth : NtFifoDepth),
      .SramBytes    (SramBytes)
    ) u_system (
      .clk_i,
      .rst_ni,
      .psel_i           (here),
      .penable_i,
      .pwrite_i,
      .paddr_i          (paddr_i[15:0]),
      .pwdata_i,
      .prdata_o         (unit_rdata[32*n +: 32]),
      .pready_o         (unit_pready[n]),
      .pslverr_o        (unit_pslverr[n]),
      .hart_halted_i    (hart_halted_i),
      .hart_in_reset_i  (hart_in_reset_i),
      .hart_low_power_i (hart_low_power_i),
      .dbg_on_i         (1'b0),
      .dbg_off_i        (1'b0),
      .dbg_notify_i     (1'b0),
      .vendor_tcode_i   (6'd0),
      .vendor_data_i    (32'd0),
      .ing_itype_i      (ing_itype),
      .ing_iaddr_i      (ing_iaddr),
      .ing_iretire_i    (ing_iretire),
      .ing_ilastsize_i  (ing_ilastsize),
      .ing_sijump_i     ({NRet{1'b0}}),
      .ing_cause_i      (cause),
      .ing_tval_i       (tval),
      .ing_priv_i       (ing_priv),
      .ing_context_i    (ing_context),
      .ing_hcontext_i   ({NRet{16'd0}}),
      .ing_ctype_i      (ctype),
      .ing_ready_o      (unit_ready[n]),
      .ext_trig_i       (8'd0),
      .ext_trig_o       (unused_trig),
      .ts_tick_i,
      .ts_external_i,
      .mem_valid_o      (unit_mem_valid[n]),
      .mem_addr_o       (unit_mem_addr[40*n +: 40]),
      .mem_wdata_o      (unit_mem_wdata[32*n +: 32]),
      .mem_ready_i      (mem_ready),
      .trc_clk_o        (unit_trc_clk[n]),
      .trc_data_o       (unit_trc_data[16*n +: 16]),
      .enc_accept_o     (unused_accept),
      .enc_drop_o       (unused_drop),
      .enc_enable_o     (unit_enable[n]),
      .enc_tracing_o    (unit_tracing[n]),
      .enc_notify_o     (unused_notify),
      .enc_ext_notify_o (unused_ext),
      .enc_tstamp_o     (unused_tstamp),
      .enc_empty_o      (unused_empty),
      .enc_valid_o      (unit_valid[n]),
      .enc_nbytes_o     (unit_nbytes[4*n +: 4]),
      .enc_data_o       (unit_data[64*n +: 64]),
      .enc_taken_o      (unit_taken[n]),
      .funnel_valid_o   (unused_funnel_valid),
      .funnel_nbytes_o  (unused_funnel_nbytes),
      .funnel_data_o    (unused_funnel_data),
      .funnel_ready_o   (unused_funnel_ready),
      .sram_write_o     (unused_write)
    );

    logic unused;
    assign unused = ^{unused_accept, unused_drop, unused_notify, unused_ext, unused_empty, unused_funnel_valid,
                      unused_funnel_ready, unused_write, unused_trig, unused_funnel_nbytes, unused_funnel_data, unused_tstamp};
  end

  // --- Tandem trace --------------------------------------------------------------------------------------

  logic              tandem_empty;
  logic [NRet-1:0]   tandem_take;
  logic [32*64-1:0]  counters;

  assign tandem_take    = ret_valid_i & {NRet{ret_ready_o && tandem_enable}};
  assign mon_mcycle_o   = counters[64*hpm_reg_pkg::CyBit +: 64];
  assign mon_minstret_o = counters[64*hpm_reg_pkg::IrBit +: 64];
  assign mon_enable_o   = {tandem_enable, unit_enable[1] && unit_tracing[1], unit_enable[0] && unit_tracing[0]};

  tandem #(
    .Xlen        (Xlen),
    .Flen        (Flen),
    .Mlen        (Mlen),
    .NLanes      (NRet),
    .Incremental (Incremental),
    .OutBytes    (TdOutBytes),
    .FifoRows    (FifoRows)
  ) u_tandem (
    .clk_i,
    .rst_ni,
    .in_valid_i        (tandem_take),
    .in_ready_o        (tandem_ready),
    .in_has_i          (ret_has_i),
    .in_pc_i           (ret_next_pc_i),
    .in_ppc_i          (ret_ppc_i),
    .in_insn_i         (ret_insn_i),
    .in_insn16_i       (ret_insn16_i),
    .in_gpr_addr_i     (ret_gpr_addr_i),
    .in_gpr_i          (ret_gpr_i),
    .in_fpr_addr_i     (ret_fpr_addr_i),
    .in_fpr_i          (ret_fpr_i),
    .in_fcsr_i         (ret_fcsr_i),
    .in_csr_addr_i     (ret_csr_addr_i),
    .in_csr_i          (ret_csr_i),
    .in_priv_i         (ret_priv_i),
    .in_paddr_i        (ret_paddr_i),
    .in_eaddr_i        (ret_eaddr_i),
    .in_memdata_size_i (ret_memdata_size_i),
    .in_memdata_i      (ret_memdata_i),
    .in_mtime_i        (ret_mtime_i),
    .in_mcycle_i       ({NRet{mon_mcycle_o}}),
    .in_minstret_i     ({NRet{mon_minstret_o}}),
    .in_req_op_i       (ret_req_op_i),
    .in_req_size_i     (ret_req_size_i),
    .in_req_addr_i     (ret_req_addr_i),
    .in_req_data_i     (ret_req_data_i),
    .in_rsp_result_i   (ret_rsp_result_i),
    .in_rsp_data_i     (ret_rsp_data_i),
    .error_o           (tandem_error_o),
    .out_valid_o       (tandem_valid_o),
    .out_count_o       (tandem_nbytes_o),
    .out_data_o        (tandem_data_o),
    .out_ready_i       (tandem_ready_i),
    .empty_o           (tandem_empty)
  );

  subsystem_tandem_regs u_tandem_regs (
    .clk_i,
    .rst_ni,
    .write_i  (psel_i && penable_i && pwrite_i && at_tandem),
    .addr_i   ({paddr_i[11:2], 2'b00}),
    .wdata_i  (pwdata_i),
    .rdata_o  (tandem_rdata),
    .enable_o (tandem_enable),
    .empty_i  (tandem_empty),
    .error_i  (tandem_error_o != '0),
    .sent_i   ((tandem_valid_o && tandem_ready_i) ? {{(7-TdCountBits){1'b0}}, tandem_nbytes_o} : 7'd0)
  );

  // --- Counters and records ------------------------------------------------------------------------------

  logic [Xlen-1:0] hpm_rdata, ctr_rdata;
  logic [1:0]      hpm_outcome, ctr_outcome;
  logic [31:0]     unused_of;

  csr_groups #(
    .Xlen    (Xlen),
    .NGroups (2)
  ) u_csrs (
    .rdata_i   ({ctr_rdata, hpm_rdata}),
    .outcome_i ({ctr_outcome, hpm_outcome}),
    .rdata_o   (csr_rdata_o),
    .outcome_o (csr_outcome_o)
  );

  hpm #(
    .Xlen      (Xlen),
    .NRetired  (NRet),
    .NEvents   (NEvents),
    .EventBits (subsystem_pkg::EventBits),
    .Counters  (Counters)
  ) u_hpm (
    .clk_i,
    .rst_ni,
    .priv_i        (mode),
    .stopcount_i   (1'b0),
    .cycle_i       (ret_running_i),
    .retired_i     (retired),
    .events_i      (events),
    .time_i        (csr_time_i),
    .csr_valid_i,
    .csr_op_i,
    .csr_addr_i,
    .csr_wdata_i,
    .csr_priv_i,
    .csr_xlen32_i,
    .csr_rdata_o   (hpm_rdata),
    .csr_outcome_o (hpm_outcome),
    .lcofi_o,
    .lcofie_o,
    .counter_o     (counters),
    .of_o          (unused_of)
  );

  ctr #(
    .Xlen       (Xlen),
    .NTransfers (NRet),
    .Depths     (Depths)
  ) u_ctr (
    .clk_i,
    .rst_ni,
    .priv_i        (mode),
    .xfer_valid_i  (xfer_valid),
    .xfer_type_i   (xfer_type),
    .xfer_source_i (xfer_source),
    .xfer_target_i (xfer_target),
    .xfer_misp_i   (xfer_misp),
    .xfer_from_i   (xfer_from),
    .xfer_to_i     (xfer_to),
    .xfer_cause_i  (xfer_cause),
    .csr_valid_i,
    .csr_op_i,
    .csr_addr_i,
    .csr_wdata_i,
    .csr_priv_i,
    .csr_xlen32_i,
    .csr_rdata_o   (ctr_rdata),
    .csr_outcome_o (ctr_outcome)
  );

  logic unused;
  assign unused = ^{unused_of, counters, paddr_i[1:0]};

endmodule
