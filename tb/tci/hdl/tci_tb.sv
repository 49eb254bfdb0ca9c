// SPDX-License-Identifier: Apache-2.0
// Trace system testbench: harts that play their rows, the register bus, a memory and a probe.
//
// cocotb drives the register bus alone (tb/tci/agents/apb.py). Each hart plays `stimulus<h>.bin` from go_i rising; what
// crossed any port while record_i is 1 goes to files that tb/tci/agents/files.py reads:
//   ingress<h>.bin  what encoder h accepted, with the levels it saw (rows of tb/common/agents/files.py)
//   stream<h>.bin   its bytes, merged.bin those of the funnel, as they were taken
//   memory.bin      words written to system memory, pins.bin every change of the pins
//   triggers.bin    pulses of external trigger outputs
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

  input  logic              apb_psel_i,
  input  logic              apb_penable_i,
  input  logic              apb_pwrite_i,
  input  logic [15:0]       apb_paddr_i,
  input  logic [31:0]       apb_pwdata_i,
  output logic [31:0]       apb_prdata_o,
  output logic              apb_pready_o,
  output logic              apb_pslverr_o,

  input  logic              record_i,      // what happens is written to files
  input  logic              go_i,          // the harts play their rows
  output logic              played_o,      // all harts have played all rows
  input  logic [31:0]       wait_seed_i,   // of the memory's wait states
  input  logic [6:0]        wait_low_i     // % of cycles in which it is not ready
);

  localparam int LaneBits  = 8*32;
  localparam int HeadBits  = 64 + 32 + 32;  // gap, levels and pulses, vendor data
  localparam int RowBits   = HeadBits + NBlocks*LaneBits;
  localparam int CountBits = $clog2(OutBytes + 1);

  initial clk_o = 1'b0;
  always #5 clk_o = !clk_o;

  // Clock cycles since the simulation began: at any falling edge the time divided by the period.
  logic [63:0] cycle;
  initial cycle = '0;
  always_ff @(posedge clk_o) cycle <= cycle + 64'd1;

  logic [NHarts-1:0] played;
  assign played_o = &played;

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

  assign external_time = 3*cycle[TsWidth-1:0] + 1000;

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
    .psel_i(apb_psel_i), .penable_i(apb_penable_i), .pwrite_i(apb_pwrite_i), .paddr_i(apb_paddr_i),
    .pwdata_i(apb_pwdata_i), .prdata_o(apb_prdata_o), .pready_o(apb_pready_o), .pslverr_o(apb_pslverr_o),
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

    logic [RowBits-1:0]          row;
    logic [3:0]                  dbg_action;
    logic [NBlocks*LaneBits-1:0] seen_lanes;
    logic [NBlocks-1:0]          block;

    trace_player #(.RowBits(RowBits), .File({"stimulus", Digit, ".bin"})) u_player (
      .clk_i(clk_o), .go_i(go_i), .accept_i(ing_ready[h]), .row_o(row), .done_o(played[h])
    );

    // Levels and pulses of a row (tb/tci/agents/files.py): 2 halted, 4 in_reset, 5 low_power, 8 debug trigger with
    // action 4, 9 external trigger 0, 13:10 action of a debug trigger, 15:14 ctype, 21:16 vendor TCODE, 31:24 external triggers.
    assign halted[h]              = row[64+2];
    assign in_reset[h]            = row[64+4];
    assign low_power[h]           = row[64+5];
    assign dbg_action             = row[64+8] ? 4'd4 : row[64+10 +: 4];
    assign dbg_on[h]              = (dbg_action == 4'd2);
    assign dbg_off[h]             = (dbg_action == 4'd3);
    assign dbg_notify[h]          = (dbg_action == 4'd4);
    assign ext_trigger[8*h +: 8]  = row[64+24 +: 8] | {7'd0, row[64+9]};
    assign ctype[2*h +: 2]        = row[64+14 +: 2];
    assign vendor[6*h +: 6]       = row[64+16 +: 6];
    assign vendor_data[32*h +: 32] = row[96 +: 32];

    for (genvar k = 0; k < NBlocks; k++) begin : gen_lane
      localparam int Base = HeadBits + k*LaneBits;
      localparam int Lane = h*NBlocks + k;
      assign itype[4*Lane +: 4]                          = row[Base +: 4];
      assign ilastsize[Lane]                             = row[Base+8];
      assign sijump[Lane]                                = row[Base+16];
      assign priv[3*Lane +: 3]                           = row[Base+24 +: 3];
      assign cause[8*Lane +: 8]                          = row[Base+32 +: 8];
      assign iretire[IRetireWidth*Lane +: IRetireWidth]  = row[Base+48 +: IRetireWidth];
      assign hcontext_id[16*Lane +: 16]                  = row[Base+64 +: 16];
      assign context_id[32*Lane +: 32]                   = row[Base+96 +: 32];
      assign iaddr[Xlen*Lane +: Xlen]                    = row[Base+128 +: Xlen];
      assign tval[Xlen*Lane +: Xlen]                     = row[Base+192 +: Xlen];

      assign seen_lanes[LaneBits*k +: LaneBits] = {
        {(64-Xlen){1'b0}}, tval[Xlen*Lane +: Xlen], {(64-Xlen){1'b0}}, iaddr[Xlen*Lane +: Xlen],
        context_id[32*Lane +: 32], 16'd0, hcontext_id[16*Lane +: 16],
        {(16-IRetireWidth){1'b0}}, iretire[IRetireWidth*Lane +: IRetireWidth], 8'd0, cause[8*Lane +: 8],
        5'd0, priv[3*Lane +: 3], 7'd0, sijump[Lane], 7'd0, ilastsize[Lane], 4'd0, itype[4*Lane +: 4]};
      assign block[k] = (iretire[IRetireWidth*Lane +: IRetireWidth] != '0) ||
                        (itype[4*Lane +: 4] == 4'd1) || (itype[4*Lane +: 4] == 4'd2);
    end

    // What the encoder saw: levels, pulses and time as they were at its own port, and the triggers beside it.
    logic [31:0]          levels;
    logic [7:0]           levels_before;
    logic [63:0]          tstamp;
    logic                 write_row;

    assign levels = {
      ext_trigger[8*h +: 8], 2'd0, vendor[6*h +: 6], ctype[2*h +: 2], dbg_action,
      enc_ext_notify[h], enc_notify[h], 2'd0, low_power[h], in_reset[h],
      enc_drop[h], halted[h], enc_tracing[h], enc_enable[h]};
    assign tstamp    = {{(64-TsWidth){1'b0}}, enc_tstamp[TsWidth*h +: TsWidth]};
    assign write_row = enc_accept[h] && rst_ni &&
                       ((block != '0) || (levels[31:8] != '0) || (levels[7:0] != levels_before));

    always_ff @(posedge clk_o) begin
      if (!record_i)      levels_before <= '0;
      else if (write_row) levels_before <= levels[7:0];
    end

    row_recorder #(.Bits(64+32+32+64+NBlocks*LaneBits), .File({"ingress", Digit, ".bin"})) u_ingress (
      .clk_i(clk_o), .go_i(record_i), .write_i(write_row),
      .row_i({seen_lanes, tstamp, vendor_data[32*h +: 32], levels, cycle})
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

  row_recorder #(.Bits(64+64+32), .File("memory.bin")) u_memory (
    .clk_i(clk_o), .go_i(record_i), .write_i(rst_ni && mem_valid && mem_ready), .row_i({mem_wdata, 24'd0, mem_addr, cycle})
  );

  // Probe: every change of the pins.
  logic [16:0] pins_before;
  always_ff @(posedge clk_o) pins_before <= record_i ? {trc_clk, trc_data} : 17'd0;

  row_recorder #(.Bits(64+32), .File("pins.bin")) u_pins (
    .clk_i(clk_o), .go_i(record_i), .write_i(rst_ni && ({trc_clk, trc_data} != pins_before)),
    .row_i({15'd0, trc_clk, trc_data, cycle})
  );

  row_recorder #(.Bits(64+32*((8*NHarts+31)/32)), .File("triggers.bin")) u_triggers (
    .clk_i(clk_o), .go_i(record_i), .write_i(rst_ni && (ext_trigger_out != '0)),
    .row_i({{(32*((8*NHarts+31)/32)-8*NHarts){1'b0}}, ext_trigger_out, cycle})
  );

endmodule
