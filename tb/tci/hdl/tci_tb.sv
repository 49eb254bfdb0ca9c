// SPDX-License-Identifier: Apache-2.0
// Trace system testbench: harts that play their rows, the register bus, a memory and a probe.
//
// cocotb asks for accesses to registers, and nothing else (tb/tci/agents/apb.py). Each hart plays `stimulus<h>.bin` from go_i rising; what
// crossed any port while record_i is 1 goes to files that tb/tci/agents/files.py reads:
//   ingress<h>.bin  what encoder h accepted, with the levels it saw
//   stream<h>.bin   its bytes, merged.bin those of the funnel, as they were taken
//   memory.bin      words written to system memory, pins.bin every change of the pins
//   triggers.bin    pulses of external trigger outputs
//   apb.bin         every cycle of PSEL
module tci_tb
#(
  parameter int Format       = 1,
  parameter int NHarts       = 2,
  parameter int Xlen         = 64,
  parameter int NBlocks      = 1,
  parameter int IRetireWidth = 7,
  parameter int IcntBits     = 22,
  parameter int HistBits     = 32,
  parameter int StackDepth   = 8,
  parameter int RepeatBits   = 18,
  parameter int TsWidth      = 48,
  parameter int FifoDepth    = 16,
  parameter int SramBytes    = 65536,
  // E-Trace.
  parameter int IAddressLsb     = 1,
  parameter int ContextWidth    = 32,
  parameter int NoContext       = 0,
  parameter int TimeWidth       = 32,
  parameter int NoTime          = 1,
  parameter int PrivilegeWidth  = 3,
  parameter int EcauseWidth     = 6,
  parameter int NoTval          = 0,
  parameter int BpredSize       = 6,
  parameter int CacheSize       = 5,
  parameter int CallCounterSize = 0,
  parameter int ReturnStackSize = 4,
  parameter int F0sWidth        = 1,
  parameter int SijumpEn        = 1,
  parameter int EncoderModeN    = 1,
  parameter int IOptionsN       = 6,
  parameter int DOptionsN       = 0,
  parameter int BcountBits      = 32,
  // Both.
  parameter int OutBytes     = 8
) (
  output logic              clk_o,
  input  logic              rst_ni,

  input  logic [tci_row_pkg::RequestBits-1:0] apb_request_i,
  output logic              apb_done_o,
  output logic [31:0]       apb_rdata_o,
  output logic              apb_error_o,

  input  logic              record_i,      // what happens is written to files
  input  logic              go_i,          // the harts play their rows
  output logic              played_o,      // all harts have played all rows
  input  logic [31:0]       wait_seed_i,   // of the memory's wait states
  input  logic [6:0]        wait_low_i     // % of cycles in which it is not ready
);

  // Rows of all files but those of byte streams: tb/tci/agents/layout.py, from which tci_row_pkg, tci_stimulus_split and
  // the joins are generated.
  localparam int RowBits     = tci_row_pkg::stimulus_bits(NBlocks);
  localparam int SeenBits    = tci_row_pkg::ingress_bits(NBlocks);
  localparam int TriggerBits = tci_row_pkg::triggers_bits(NHarts);
  localparam int CountBits   = $clog2(OutBytes + 1);

  initial clk_o = 1'b0;
  always #5 clk_o = !clk_o;

  // Clock cycles since the simulation began: at any falling edge the time divided by the period.
  logic [63:0] cycle;
  initial cycle = '0;
  always_ff @(posedge clk_o) cycle <= cycle + 64'd1;

  logic [NHarts-1:0] played;
  assign played_o = &played;

  // The register bus.
  logic        psel, penable, pwrite, pready, pslverr;
  logic [15:0] paddr;
  logic [31:0] pwdata, prdata;

  tci_requester #(.AddrBits(16)) u_requester (
    .clk_i(clk_o), .record_i, .cycle_i(cycle), .request_i(apb_request_i), .done_o(apb_done_o), .rdata_o(apb_rdata_o), .error_o(apb_error_o),
    .psel_o(psel), .penable_o(penable), .pwrite_o(pwrite), .paddr_o(paddr), .pwdata_o(pwdata),
    .prdata_i(prdata), .pready_i(pready), .pslverr_i(pslverr)
  );

  // Harts.
  logic [NHarts-1:0]                      halted, in_reset, low_power, ing_ready;
  logic [NHarts-1:0]                      dbg_on, dbg_off, dbg_notify;
  logic [NHarts*8-1:0]                    ext_trigger, ext_trigger_out;
  logic [NHarts*6-1:0]                    vendor;
  logic [NHarts*32-1:0]                   vendor_data;
  logic [NHarts*NBlocks*4-1:0]            itype;
  logic [NHarts*NBlocks*Xlen-1:0]         iaddr, tval;
  logic [NHarts*NBlocks*IRetireWidth-1:0] iretire;
  logic [NHarts*NBlocks-1:0]              ilastsize, sijump;
  logic [NHarts*NBlocks*8-1:0]            cause;
  logic [NHarts*NBlocks*3-1:0]            priv;
  logic [NHarts*NBlocks*32-1:0]           context_id;
  logic [NHarts*NBlocks*16-1:0]           hcontext_id;
  logic [NHarts*2-1:0]                    ctype;

  // What encoders and funnel did.
  logic [NHarts-1:0]            enc_accept, enc_drop, enc_enable, enc_tracing, enc_notify, enc_ext_notify;
  logic [NHarts*TsWidth-1:0]    enc_tstamp;
  logic [NHarts-1:0]            enc_valid, enc_taken;
  logic [NHarts*CountBits-1:0]  enc_nbytes;
  logic [NHarts*8*OutBytes-1:0] enc_data;
  logic                         funnel_valid, funnel_ready;
  logic [CountBits-1:0]         funnel_nbytes;
  logic [8*OutBytes-1:0]        funnel_data;

  // Memory and pins.
  logic        mem_valid, mem_ready;
  logic [39:0] mem_addr;
  logic [31:0] mem_wdata;
  logic        trc_clk;
  logic [15:0] trc_data;
  logic [TsWidth-1:0] external_time;

  // It has bits in both halves of trTsCounter (scoreboards/tci/encoder.py).
  localparam logic [63:0] ExternalStart = 64'h5A_8000_03E8;
  assign external_time = 3*cycle[TsWidth-1:0] + ExternalStart[TsWidth-1:0];

  trace_system #(
    .NHarts(NHarts), .Xlen(Xlen), .NBlocks(NBlocks), .IRetireWidth(IRetireWidth), .IcntBits(IcntBits),
    .HistBits(HistBits), .FifoDepth(FifoDepth), .OutBytes(OutBytes), .StackDepth(StackDepth),
    .RepeatBits(RepeatBits), .TsWidth(TsWidth), .SramBytes(SramBytes), .Format(Format),
    .IAddressLsb(IAddressLsb), .ContextWidth(ContextWidth), .NoContext(NoContext != 0), .TimeWidth(TimeWidth), .NoTime(NoTime != 0),
    .PrivilegeWidth(PrivilegeWidth), .EcauseWidth(EcauseWidth), .NoTval(NoTval != 0), .BpredSize(BpredSize), .CacheSize(CacheSize),
    .CallCounterSize(CallCounterSize), .ReturnStackSize(ReturnStackSize), .F0sWidth(F0sWidth), .SijumpEn(SijumpEn != 0), .EncoderModeN(EncoderModeN),
    .IOptionsN(IOptionsN), .DOptionsN(DOptionsN), .BcountBits(BcountBits)
  ) u_dut (
    .clk_i(clk_o), .rst_ni(rst_ni),
    .psel_i(psel), .penable_i(penable), .pwrite_i(pwrite), .paddr_i(paddr), .pwdata_i(pwdata),
    .prdata_o(prdata), .pready_o(pready), .pslverr_o(pslverr),
    .hart_halted_i(halted), .hart_in_reset_i(in_reset), .hart_low_power_i(low_power),
    .dbg_on_i(dbg_on), .dbg_off_i(dbg_off), .dbg_notify_i(dbg_notify),
    .vendor_tcode_i(vendor), .vendor_data_i(vendor_data),
    .ing_itype_i(itype), .ing_iaddr_i(iaddr), .ing_iretire_i(iretire), .ing_ilastsize_i(ilastsize),
    .ing_sijump_i(sijump), .ing_cause_i(cause), .ing_tval_i(tval), .ing_priv_i(priv),
    .ing_context_i(context_id), .ing_hcontext_i(hcontext_id), .ing_ctype_i(ctype), .ing_ready_o(ing_ready),
    .ext_trig_i(ext_trigger), .ext_trig_o(ext_trigger_out),
    .ts_tick_i(cycle[0]), .ts_external_i(external_time[TsWidth-1:0]),
    .mem_valid_o(mem_valid), .mem_addr_o(mem_addr), .mem_wdata_o(mem_wdata), .mem_ready_i(mem_ready),
    .trc_clk_o(trc_clk), .trc_data_o(trc_data),
    .enc_accept_o(enc_accept), .enc_drop_o(enc_drop), .enc_enable_o(enc_enable), .enc_tracing_o(enc_tracing),
    .enc_notify_o(enc_notify), .enc_ext_notify_o(enc_ext_notify), .enc_tstamp_o(enc_tstamp), .enc_empty_o(),
    .enc_valid_o(enc_valid), .enc_nbytes_o(enc_nbytes), .enc_data_o(enc_data), .enc_taken_o(enc_taken),
    .funnel_valid_o(funnel_valid), .funnel_nbytes_o(funnel_nbytes), .funnel_data_o(funnel_data),
    .funnel_ready_o(funnel_ready), .sram_write_o()
  );

  for (genvar h = 0; h < NHarts; h++) begin : gen_hart
    localparam logic [7:0] Digit = 8'd48 + 8'(h);

    // What the player shows, and what the encoder saw: levels, pulses and time as they were at its own port, and the
    // triggers beside it.
    logic [RowBits-1:0]  row;
    logic [SeenBits-1:0] seen;
    logic                row_notify, row_ext_notify;
    logic [3:0]          row_action, dbg_action;
    logic [7:0]          row_external;
    logic [NBlocks-1:0]  block;
    logic [31:0]         levels;
    logic [7:0]          levels_before;
    logic                write_row;

    trace_player #(.RowBits(RowBits), .File({"stimulus", Digit, ".bin"})) u_player (
      .clk_i(clk_o), .go_i(go_i), .accept_i(ing_ready[h]), .row_o(row), .done_o(played[h])
    );

    tci_stimulus_split #(.Xlen(Xlen), .NBlocks(NBlocks), .IRetireWidth(IRetireWidth)) u_split (
      .row_i(row), .halted_o(halted[h]), .in_reset_o(in_reset[h]), .low_power_o(low_power[h]),
      .notify_o(row_notify), .ext_notify_o(row_ext_notify), .vendor_o(vendor[6*h +: 6]), .action_o(row_action),
      .ctype_o(ctype[2*h +: 2]), .external_o(row_external), .vendor_data_o(vendor_data[32*h +: 32]),
      .itype_o(itype[4*NBlocks*h +: 4*NBlocks]), .ilastsize_o(ilastsize[NBlocks*h +: NBlocks]),
      .sijump_o(sijump[NBlocks*h +: NBlocks]), .priv_o(priv[3*NBlocks*h +: 3*NBlocks]),
      .cause_o(cause[8*NBlocks*h +: 8*NBlocks]), .iretire_o(iretire[IRetireWidth*NBlocks*h +: IRetireWidth*NBlocks]),
      .hcontext_o(hcontext_id[16*NBlocks*h +: 16*NBlocks]), .context_o(context_id[32*NBlocks*h +: 32*NBlocks]),
      .iaddr_o(iaddr[Xlen*NBlocks*h +: Xlen*NBlocks]), .tval_o(tval[Xlen*NBlocks*h +: Xlen*NBlocks])
    );

    // `notify` of a row is a debug trigger with action 4, `ext_notify` external trigger 0.
    assign dbg_action            = row_notify ? 4'd4 : row_action;
    assign dbg_on[h]             = (dbg_action == 4'd2);
    assign dbg_off[h]            = (dbg_action == 4'd3);
    assign dbg_notify[h]         = (dbg_action == 4'd4);
    assign ext_trigger[8*h +: 8] = row_external | {7'd0, row_ext_notify};

    for (genvar k = 0; k < NBlocks; k++) begin : gen_lane
      localparam int Lane = h*NBlocks + k;
      assign block[k] = (iretire[IRetireWidth*Lane +: IRetireWidth] != '0) ||
                        (itype[4*Lane +: 4] == 4'd1) || (itype[4*Lane +: 4] == 4'd2);
    end

    tci_ingress_join #(
      .Xlen(Xlen), .NBlocks(NBlocks), .IRetireWidth(IRetireWidth), .TsWidth(TsWidth)
    ) u_seen (
      .cycle_i(cycle), .enable_i(enc_enable[h]), .inst_tracing_i(enc_tracing[h]), .halted_i(halted[h]),
      .drop_i(enc_drop[h]), .in_reset_i(in_reset[h]), .low_power_i(low_power[h]), .notify_i(enc_notify[h]),
      .ext_notify_i(enc_ext_notify[h]), .vendor_i(vendor[6*h +: 6]), .action_i(dbg_action),
      .ctype_i(ctype[2*h +: 2]), .external_i(ext_trigger[8*h +: 8]), .vendor_data_i(vendor_data[32*h +: 32]),
      .tstamp_i(enc_tstamp[TsWidth*h +: TsWidth]), .itype_i(itype[4*NBlocks*h +: 4*NBlocks]),
      .ilastsize_i(ilastsize[NBlocks*h +: NBlocks]), .sijump_i(sijump[NBlocks*h +: NBlocks]),
      .priv_i(priv[3*NBlocks*h +: 3*NBlocks]), .cause_i(cause[8*NBlocks*h +: 8*NBlocks]),
      .iretire_i(iretire[IRetireWidth*NBlocks*h +: IRetireWidth*NBlocks]),
      .hcontext_i(hcontext_id[16*NBlocks*h +: 16*NBlocks]), .context_i(context_id[32*NBlocks*h +: 32*NBlocks]),
      .iaddr_i(iaddr[Xlen*NBlocks*h +: Xlen*NBlocks]), .tval_i(tval[Xlen*NBlocks*h +: Xlen*NBlocks]), .row_o(seen)
    );

    assign levels    = seen[tci_row_pkg::IngressLevelsAt +: tci_row_pkg::IngressLevelsBits];
    assign write_row = enc_accept[h] && rst_ni &&
                       ((block != '0) || (levels[31:8] != '0) || (levels[7:0] != levels_before));

    always_ff @(posedge clk_o) begin
      if (!record_i)      levels_before <= '0;
      else if (write_row) levels_before <= levels[7:0];
    end

    row_recorder #(.Bits(SeenBits), .File({"ingress", Digit, ".bin"})) u_ingress (
      .clk_i(clk_o), .go_i(record_i), .write_i(write_row), .row_i(seen)
    );

    stream_recorder #(.OutBytes(OutBytes), .File({"stream", Digit, ".bin"})) u_stream (
      .clk_i(clk_o), .go_i(record_i), .cycle_i(cycle), .valid_i(enc_valid[h] && rst_ni), .ready_i(enc_taken[h]),
      .nbytes_i(enc_nbytes[CountBits*h +: CountBits]), .data_i(enc_data[8*OutBytes*h +: 8*OutBytes])
    );
  end

  stream_recorder #(.OutBytes(OutBytes), .File("merged.bin")) u_merged (
    .clk_i(clk_o), .go_i(record_i), .cycle_i(cycle), .valid_i(funnel_valid && rst_ni), .ready_i(funnel_ready),
    .nbytes_i(funnel_nbytes), .data_i(funnel_data)
  );

  // Memory: it takes what it is given, with wait states.
  logic random_ready;
  assign mem_ready = random_ready;

  ready_source u_wait (
    .clk_i(clk_o), .run_i(record_i), .seed_i(wait_seed_i), .percent_low_i(wait_low_i), .ready_o(random_ready)
  );

  logic [tci_row_pkg::MemoryBits-1:0] memory_row;

  tci_memory_join u_memory_row (.cycle_i(cycle), .addr_i(mem_addr), .word_i(mem_wdata), .row_o(memory_row));

  row_recorder #(.Bits(tci_row_pkg::MemoryBits), .File("memory.bin")) u_memory (
    .clk_i(clk_o), .go_i(record_i), .write_i(rst_ni && mem_valid && mem_ready), .row_i(memory_row)
  );

  // Probe: every change of the pins.
  logic [16:0]                      pins_before;
  logic [tci_row_pkg::PinsBits-1:0] pins_row;

  always_ff @(posedge clk_o) pins_before <= record_i ? {trc_clk, trc_data} : 17'd0;

  tci_pins_join u_pins_row (.cycle_i(cycle), .data_i(trc_data), .clk_i(trc_clk), .row_o(pins_row));

  row_recorder #(.Bits(tci_row_pkg::PinsBits), .File("pins.bin")) u_pins (
    .clk_i(clk_o), .go_i(record_i), .write_i(rst_ni && ({trc_clk, trc_data} != pins_before)), .row_i(pins_row)
  );

  logic [TriggerBits-1:0] trigger_row;

  tci_triggers_join #(.NHarts(NHarts)) u_trigger_row (.cycle_i(cycle), .fired_i(ext_trigger_out), .row_o(trigger_row));

  row_recorder #(.Bits(TriggerBits), .File("triggers.bin")) u_triggers (
    .clk_i(clk_o), .go_i(record_i), .write_i(rst_ni && (ext_trigger_out != '0)), .row_i(trigger_row)
  );

endmodule
