// SPDX-License-Identifier: Apache-2.0
// A trace system with one register port: an N-Trace or E-Trace encoder for each hart, a funnel, a RAM sink, a pin sink.
//
// Components (bits 15:12 of the address): hart n at n, funnel at 8, RAM sink at 9, pin sink at A. Registers:
// docs/reference/tci-registers.md; how it is built: docs/reference/rtl-tci.md.
module trace_system
#(
  parameter int Format       = 1,   // trTeFormat: 0 E-Trace, 1 N-Trace
  parameter int NHarts       = 2,   // 1 to 8
  // Encoders (ntrace_encoder, etrace_encoder).
  parameter int Xlen         = 64,
  parameter int NBlocks      = 1,
  parameter int IRetireWidth = 7,
  parameter int IcntBits     = 22,
  parameter int HistBits     = 32,
  parameter int FifoDepth    = 16,
  parameter int OutBytes     = 8,
  parameter int StackDepth   = 8,
  parameter int RepeatBits   = 18,
  parameter int TsWidth      = 48,  // at most 63: trTsWidth has six bits
  parameter int NFilters     = 2,
  parameter int NComps       = 2,
  parameter int NTrigIn      = 8,
  parameter int NTrigOut     = 8,
  // Of E-Trace only (etrace_encoder); Xlen is IAddressWidth.
  parameter int IAddressLsb     = 1,
  parameter int ContextWidth    = 32,
  parameter bit NoContext       = 1'b0,
  parameter int TimeWidth       = 32,
  parameter bit NoTime          = 1'b1,
  parameter int PrivilegeWidth  = 3,
  parameter int EcauseWidth     = 6,
  parameter bit NoTval          = 1'b0,
  parameter int BpredSize       = 6,
  parameter int CacheSize       = 5,
  parameter int CallCounterSize = 0,
  parameter int ReturnStackSize = 4,
  parameter int F0sWidth        = 1,
  parameter bit SijumpEn        = 1'b1,
  parameter int EncoderModeN    = 1,
  parameter int IOptionsN       = 6,
  parameter int DOptionsN       = 0,
  parameter int BcountBits      = 32,
  // Funnel and sinks.
  parameter int MaxMessage   = (Format == 0) ? 72 : 48,  // bytes of the longest message, zeros before it included
  parameter int SramBytes    = 4096,
  parameter int SmemBits     = 40,
  parameter int PinBytes     = (Format == 0) ? 128 : 64,
  parameter int IdleInterval = 256,
  // Derived, do not set.
  parameter int CountBits    = $clog2(OutBytes + 1),
  parameter int AddrBits     = (SmemBits > 32) ? SmemBits : 32
) (
  input  logic                                  clk_i,
  input  logic                                  rst_ni,

  // Registers: APB, whole words.
  input  logic                                  psel_i,
  input  logic                                  penable_i,
  input  logic                                  pwrite_i,
  input  logic [15:0]                           paddr_i,
  input  logic [31:0]                           pwdata_i,
  output logic [31:0]                           prdata_o,
  output logic                                  pready_o,
  output logic                                  pslverr_o,

  // Harts: hart h in bits h*W +: W. Levels and debug triggers belong to the beat on the ingress port.
  input  logic [NHarts-1:0]                     hart_halted_i,
  input  logic [NHarts-1:0]                     hart_in_reset_i,
  input  logic [NHarts-1:0]                     hart_low_power_i,
  input  logic [NHarts-1:0]                     dbg_on_i,         // debug trigger: trace-on
  input  logic [NHarts-1:0]                     dbg_off_i,        // trace-off
  input  logic [NHarts-1:0]                     dbg_notify_i,     // trace-notify
  input  logic [NHarts*6-1:0]                   vendor_tcode_i,   // 0: no vendor-defined message
  input  logic [NHarts*32-1:0]                  vendor_data_i,
  input  logic [NHarts*NBlocks*4-1:0]           ing_itype_i,      // lane 0 of a hart is its oldest block
  input  logic [NHarts*NBlocks*Xlen-1:0]        ing_iaddr_i,
  input  logic [NHarts*NBlocks*IRetireWidth-1:0] ing_iretire_i,
  input  logic [NHarts*NBlocks-1:0]             ing_ilastsize_i,
  input  logic [NHarts*NBlocks-1:0]             ing_sijump_i,
  input  logic [NHarts*NBlocks*8-1:0]           ing_cause_i,
  input  logic [NHarts*NBlocks*Xlen-1:0]        ing_tval_i,
  input  logic [NHarts*NBlocks*3-1:0]           ing_priv_i,
  input  logic [NHarts*NBlocks*32-1:0]          ing_context_i,
  input  logic [NHarts*NBlocks*16-1:0]          ing_hcontext_i,
  input  logic [NHarts*2-1:0]                   ing_ctype_i,      // E-Trace: how the context of this cycle is to be reported
  output logic [NHarts-1:0]                     ing_ready_o,      // 0: the hart is stalled

  // External triggers (pulses) and time.
  input  logic [NHarts*NTrigIn-1:0]             ext_trig_i,
  output logic [NHarts*NTrigOut-1:0]            ext_trig_o,
  input  logic                                  ts_tick_i,        // a tick of the system clock
  input  logic [TsWidth-1:0]                    ts_external_i,

  // RAM sink: words to system memory.
  output logic                                  mem_valid_o,
  output logic [AddrBits-1:0]                   mem_addr_o,
  output logic [31:0]                           mem_wdata_o,
  input  logic                                  mem_ready_i,

  // Pin sink.
  output logic                                  trc_clk_o,
  output logic [15:0]                           trc_data_o,

  // For monitors. Encoders: the beat is taken, and what was taken with it.
  output logic [NHarts-1:0]                     enc_accept_o,
  output logic [NHarts-1:0]                     enc_drop_o,
  output logic [NHarts-1:0]                     enc_enable_o,
  output logic [NHarts-1:0]                     enc_tracing_o,    // trTeInstTracing, trace-on of this beat included
  output logic [NHarts-1:0]                     enc_notify_o,
  output logic [NHarts-1:0]                     enc_ext_notify_o,
  output logic [NHarts*TsWidth-1:0]             enc_tstamp_o,
  output logic [NHarts-1:0]                     enc_empty_o,
  // Byte streams before the funnel and after it.
  output logic [NHarts-1:0]                     enc_valid_o,
  output logic [NHarts*CountBits-1:0]           enc_nbytes_o,
  output logic [NHarts*8*OutBytes-1:0]          enc_data_o,
  output logic [NHarts-1:0]                     enc_taken_o,
  output logic                                  funnel_valid_o,
  output logic [CountBits-1:0]                  funnel_nbytes_o,
  output logic [8*OutBytes-1:0]                 funnel_data_o,
  output logic                                  funnel_ready_o,
  output logic                                  sram_write_o      // mem_wdata_o goes to the SRAM at mem_addr_o
);

  localparam int FunnelAt = 8;
  localparam int RamAt    = 9;
  localparam int PinAt    = 10;

  // What sinks send where there is no message: MSEO=11, or no packet's header.
  localparam logic [7:0] IdleByte = (Format == 0) ? 8'h00 : 8'hFF;

  // TCODEs of the N-Trace messages that a decoder can start with.
  localparam logic [63:0] SyncTcode = (64'd1 << 9) | (64'd1 << 11) | (64'd1 << 12) | (64'd1 << 29);

  logic [15:0]  reg_write, reg_read;
  logic [11:0]  reg_addr;
  logic [31:0]  reg_wdata;
  logic [511:0] reg_rdata;

  trace_apb_mux u_apb (
    .psel_i,
    .penable_i,
    .pwrite_i,
    .paddr_i,
    .pwdata_i,
    .prdata_o,
    .pready_o,
    .pslverr_o,
    .write_o (reg_write),
    .read_o  (reg_read),
    .addr_o  (reg_addr),
    .wdata_o (reg_wdata),
    .rdata_i (reg_rdata)
  );

  for (genvar n = 0; n < 16; n++) begin : gen_nothing
    if ((n >= NHarts) && (n != FunnelAt) && (n != RamAt) && (n != PinAt)) begin : gen_zero
      assign reg_rdata[32*n +: 32] = 32'd0;
    end
  end

  logic [TsWidth-1:0] shared_time;
  logic [NHarts-1:0]  enc_last, enc_ready;

  for (genvar h = 0; h < NHarts; h++) begin : gen_hart
    trace_hart #(
      .Format          (Format),
      .IAddressLsb     (IAddressLsb),
      .ContextWidth    (ContextWidth),
      .NoContext       (NoContext),
      .TimeWidth       (TimeWidth),
      .NoTime          (NoTime),
      .PrivilegeWidth  (PrivilegeWidth),
      .EcauseWidth     (EcauseWidth),
      .NoTval          (NoTval),
      .BpredSize       (BpredSize),
      .CacheSize       (CacheSize),
      .CallCounterSize (CallCounterSize),
      .ReturnStackSize (ReturnStackSize),
      .F0sWidth        (F0sWidth),
      .SijumpEn        (SijumpEn),
      .EncoderModeN    (EncoderModeN),
      .IOptionsN       (IOptionsN),
      .DOptionsN       (DOptionsN),
      .BcountBits      (BcountBits),
      .Xlen         (Xlen),
      .NBlocks      (NBlocks),
      .IRetireWidth (IRetireWidth),
      .IcntBits     (IcntBits),
      .HistBits     (HistBits),
      .FifoDepth    (FifoDepth),
      .OutBytes     (OutBytes),
      .StackDepth   (StackDepth),
      .RepeatBits   (RepeatBits),
      .TsWidth      (TsWidth),
      .NFilters     (NFilters),
      .NComps       (NComps),
      .NTrigIn      (NTrigIn),
      .NTrigOut     (NTrigOut)
    ) u_hart (
      .clk_i,
      .rst_ni,
      .write_i         (reg_write[h]),
      .addr_i          (reg_addr),
      .wdata_i         (reg_wdata),
      .rdata_o         (reg_rdata[32*h +: 32]),
      .halted_i        (hart_halted_i[h]),
      .in_reset_i      (hart_in_reset_i[h]),
      .low_power_i     (hart_low_power_i[h]),
      .dbg_on_i        (dbg_on_i[h]),
      .dbg_off_i       (dbg_off_i[h]),
      .dbg_notify_i    (dbg_notify_i[h]),
      .vendor_tcode_i  (vendor_tcode_i[6*h +: 6]),
      .vendor_data_i   (vendor_data_i[32*h +: 32]),
      .ing_itype_i     (ing_itype_i[NBlocks*4*h +: NBlocks*4]),
      .ing_iaddr_i     (ing_iaddr_i[NBlocks*Xlen*h +: NBlocks*Xlen]),
      .ing_iretire_i   (ing_iretire_i[NBlocks*IRetireWidth*h +: NBlocks*IRetireWidth]),
      .ing_ilastsize_i (ing_ilastsize_i[NBlocks*h +: NBlocks]),
      .ing_sijump_i    (ing_sijump_i[NBlocks*h +: NBlocks]),
      .ing_cause_i     (ing_cause_i[NBlocks*8*h +: NBlocks*8]),
      .ing_tval_i      (ing_tval_i[NBlocks*Xlen*h +: NBlocks*Xlen]),
      .ing_priv_i      (ing_priv_i[NBlocks*3*h +: NBlocks*3]),
      .ing_context_i   (ing_context_i[NBlocks*32*h +: NBlocks*32]),
      .ing_hcontext_i  (ing_hcontext_i[NBlocks*16*h +: NBlocks*16]),
      .ing_ctype_i     (ing_ctype_i[2*h +: 2]),
      .ing_ready_o     (ing_ready_o[h]),
      .ext_trig_i      (ext_trig_i[NTrigIn*h +: NTrigIn]),
      .ext_trig_o      (ext_trig_o[NTrigOut*h +: NTrigOut]),
      .ts_tick_i,
      .ts_external_i,
      .ts_shared_i     (shared_time),
      .out_valid_o     (enc_valid_o[h]),
      .out_last_o      (enc_last[h]),
      .out_nbytes_o    (enc_nbytes_o[CountBits*h +: CountBits]),
      .out_data_o      (enc_data_o[8*OutBytes*h +: 8*OutBytes]),
      .out_ready_i     (enc_ready[h]),
      .accept_o        (enc_accept_o[h]),
      .drop_o          (enc_drop_o[h]),
      .enable_o        (enc_enable_o[h]),
      .tracing_o       (enc_tracing_o[h]),
      .notify_o        (enc_notify_o[h]),
      .ext_notify_o    (enc_ext_notify_o[h]),
      .tstamp_o        (enc_tstamp_o[TsWidth*h +: TsWidth]),
      .empty_o         (enc_empty_o[h])
    );
  end

  assign enc_taken_o = enc_valid_o & enc_ready;

  // Funnel and its timestamp unit.
  logic              funnel_may_clear, funnel_empty, funnel_clear, funnel_enable, funnel_last;
  logic [NHarts-1:0] funnel_dis;
  logic              ts_active, ts_count, ts_reset;
  logic [2:0]        ts_mode;
  logic [1:0]        ts_prescale;

  trace_funnel_regs #(
    .NInputs (NHarts),
    .TsWidth (TsWidth)
  ) u_funnel_regs (
    .clk_i,
    .rst_ni,
    .write_i       (reg_write[FunnelAt]),
    .addr_i        (reg_addr),
    .wdata_i       (reg_wdata),
    .rdata_o       (reg_rdata[32*FunnelAt +: 32]),
    .may_reset_i   (funnel_may_clear),
    .empty_i       (funnel_empty),
    .clear_o       (funnel_clear),
    .enable_o      (funnel_enable),
    .dis_o         (funnel_dis),
    .tstamp_i      (shared_time),
    .ts_active_o   (ts_active),
    .ts_count_o    (ts_count),
    .ts_reset_o    (ts_reset),
    .ts_mode_o     (ts_mode),
    .ts_prescale_o (ts_prescale)
  );

  trace_timestamp #(
    .Width (TsWidth)
  ) u_timestamp (
    .clk_i,
    .rst_ni,
    .active_i       (ts_active),
    .count_i        (ts_count),
    .clear_i        (ts_reset),
    .run_in_debug_i (1'b0),
    .mode_i         (ts_mode),
    .prescale_i     (ts_prescale),
    .halted_i       (1'b0),
    .sys_tick_i     (ts_tick_i),
    .external_i     (ts_external_i),
    .shared_i       ({TsWidth{1'b0}}),
    .tstamp_o       (shared_time)
  );

  trace_funnel #(
    .NInputs    (NHarts),
    .OutBytes   (OutBytes),
    .MaxMessage (MaxMessage)
  ) u_funnel (
    .clk_i,
    .rst_ni,
    .clear_i      (funnel_clear),
    .enable_i     (funnel_enable),
    .dis_i        (funnel_dis),
    .empty_o      (funnel_empty),
    .may_clear_o  (funnel_may_clear),
    .in_valid_i   (enc_valid_o),
    .in_last_i    (enc_last),
    .in_nbytes_i  (enc_nbytes_o),
    .in_data_i    (enc_data_o),
    .in_ready_o   (enc_ready),
    .out_valid_o  (funnel_valid_o),
    .out_last_o   (funnel_last),
    .out_nbytes_o (funnel_nbytes_o),
    .out_data_o   (funnel_data_o),
    .out_ready_i  (funnel_ready_o)
  );

  // To the sinks that are enabled: 0 RAM sink, 1 pin sink.
  logic [1:0] sink_want, sink_alive, sink_valid, sink_ready;
  logic       first, align;

  trace_stream_fork #(
    .NSinks (2)
  ) u_fork (
    .clk_i,
    .rst_ni,
    .want_i      (sink_want),
    .alive_i     (sink_alive),
    .in_valid_i  (funnel_valid_o),
    .in_last_i   (funnel_last),
    .in_ready_o  (funnel_ready_o),
    .in_first_o  (first),
    .out_valid_o (sink_valid),
    .out_ready_i (sink_ready)
  );

  assign align = (Format != 0) && first && SyncTcode[funnel_data_o[7:2]];

  trace_ram_sink #(
    .SramBytes (SramBytes),
    .SmemBits  (SmemBits),
    .OutBytes  (OutBytes),
    .IdleByte  (IdleByte)
  ) u_ram_sink (
    .clk_i,
    .rst_ni,
    .write_i     (reg_write[RamAt]),
    .read_i      (reg_read[RamAt]),
    .addr_i      (reg_addr),
    .wdata_i     (reg_wdata),
    .rdata_o     (reg_rdata[32*RamAt +: 32]),
    .want_o      (sink_want[0]),
    .alive_o     (sink_alive[0]),
    .in_valid_i  (sink_valid[0]),
    .in_last_i   (funnel_last),
    .in_nbytes_i (funnel_nbytes_o),
    .in_data_i   (funnel_data_o),
    .in_ready_o  (sink_ready[0]),
    .mem_valid_o,
    .mem_addr_o,
    .mem_wdata_o,
    .mem_ready_i,
    .sram_write_o
  );

  trace_pin_sink #(
    .OutBytes     (OutBytes),
    .BufferBytes  (PinBytes),
    .ModeLegal    ((Format == 0) ? trace_reg_pkg::EtraceTrPibModeLegal : trace_reg_pkg::TrPibModeLegal),
    .IdleInterval (IdleInterval),
    .IdleByte     (IdleByte)
  ) u_pin_sink (
    .clk_i,
    .rst_ni,
    .write_i     (reg_write[PinAt]),
    .addr_i      (reg_addr),
    .wdata_i     (reg_wdata),
    .rdata_o     (reg_rdata[32*PinAt +: 32]),
    .want_o      (sink_want[1]),
    .alive_o     (sink_alive[1]),
    .in_valid_i  (sink_valid[1]),
    .in_last_i   (funnel_last),
    .in_align_i  (align),
    .in_nbytes_i (funnel_nbytes_o),
    .in_data_i   (funnel_data_o),
    .in_ready_o  (sink_ready[1]),
    .trc_clk_o,
    .trc_data_o
  );

  // Components without registers that a read changes.
  logic unused_read;
  assign unused_read = ^reg_read;

endmodule
