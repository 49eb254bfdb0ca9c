// N-Trace testbench: clock, encoder, and the two ways to drive it.
//
// drive_bulk_i = 1: trace_player plays `stimulus.bin` and trace_recorder writes what it saw, from go_i
// rising to done_o. drive_bulk_i = 0: the ports below are the encoder's, and cocotb drives and
// samples them every cycle (tb/agents). The ports are the whole E-Trace 2.0 ingress port; N-Trace
// needs neither cause nor tval, but what crossed the port is the record of the run.
module ntrace_tb
#(
  parameter int Xlen         = 64,
  parameter int NBlocks      = 1,
  parameter int IRetireWidth = 7,
  parameter int IcntBits     = 22,
  parameter int HistBits     = 32,
  parameter int OutBytes     = 8
) (
  output logic                             clk_o,
  input  logic                             rst_ni,

  // Bulk drive.
  input  logic                             drive_bulk_i,
  input  logic                             go_i,
  output logic                             done_o,
  input  logic [31:0]                      ready_seed_i,
  input  logic [6:0]                       ready_low_i,   // % of cycles

  // Static controls.
  input  logic [2:0]                       inst_mode_i,
  input  logic [1:0]                       sync_mode_i,
  input  logic [3:0]                       sync_max_i,
  input  logic                             stall_ena_i,
  input  logic                             rc7_i,
  input  logic                             btype_ext_i,

  // Pins drive.
  input  logic                             ctl_enable_i,
  input  logic                             ctl_inst_tracing_i,
  input  logic                             ctl_halted_i,
  input  logic [NBlocks*4-1:0]             ing_itype_i,
  input  logic [NBlocks*Xlen-1:0]          ing_iaddr_i,
  input  logic [NBlocks*IRetireWidth-1:0]  ing_iretire_i,
  input  logic [NBlocks-1:0]               ing_ilastsize_i,
  input  logic [NBlocks*8-1:0]             ing_cause_i,
  input  logic [NBlocks*Xlen-1:0]          ing_tval_i,
  input  logic [NBlocks*3-1:0]             ing_priv_i,
  input  logic [NBlocks*32-1:0]            ing_context_i,
  output logic                             ing_ready_o,
  output logic                             ing_drop_o,
  output logic                             sts_empty_o,
  output logic                             sts_overflow_o,
  output logic                             out_valid_o,
  output logic [$clog2(OutBytes+1)-1:0]    out_nbytes_o,
  output logic [8*OutBytes-1:0]            out_data_o,
  input  logic                             out_ready_i
);

  // One lane of a row, as tb/agents/rows.py has it (bytes of the fields in this order):
  // itype, ilastsize, priv, cause, iretire (2), 0 (2), context (4), iaddr (8), tval (8).
  localparam int LaneBits = 8*28;
  localparam int RowBits  = 64 + 32 + NBlocks*LaneBits;
  localparam logic [63:0] GiveUp = 64'd200_000;  // cycles without progress
  localparam logic [63:0] Quiet  = 64'd8;        // cycles that must stay empty at the end

  initial clk_o = 1'b0;
  always #5 clk_o = !clk_o;

  // What the player shows.
  logic [RowBits-1:0]              row;
  logic                            play, played, draining, accept;
  logic [NBlocks*4-1:0]            row_itype, itype;
  logic [NBlocks*Xlen-1:0]         row_iaddr, iaddr, row_tval, tval;
  logic [NBlocks*IRetireWidth-1:0] row_iretire, iretire;
  logic [NBlocks-1:0]              row_ilastsize, ilastsize, block;
  logic [NBlocks*8-1:0]            row_cause, cause;
  logic [NBlocks*3-1:0]            row_priv, priv;
  logic [NBlocks*32-1:0]           row_context, context_id;
  logic                            enable, inst_tracing, halted;
  logic [NBlocks*LaneBits-1:0]     seen_lanes;
  logic                            random_ready, ready;

  for (genvar k = 0; k < NBlocks; k++) begin : gen_lane
    localparam int Base = 96 + k*LaneBits;
    assign row_itype[4*k +: 4]                          = row[Base +: 4];
    assign row_ilastsize[k]                             = row[Base+8];
    assign row_priv[3*k +: 3]                           = row[Base+16 +: 3];
    assign row_cause[8*k +: 8]                          = row[Base+24 +: 8];
    assign row_iretire[IRetireWidth*k +: IRetireWidth]  = row[Base+32 +: IRetireWidth];
    assign row_context[32*k +: 32]                      = row[Base+64 +: 32];
    assign row_iaddr[Xlen*k +: Xlen]                    = row[Base+96 +: Xlen];
    assign row_tval[Xlen*k +: Xlen]                     = row[Base+160 +: Xlen];

    assign seen_lanes[LaneBits*k +: LaneBits] = {
      {(64-Xlen){1'b0}}, tval[Xlen*k +: Xlen], {(64-Xlen){1'b0}}, iaddr[Xlen*k +: Xlen],
      context_id[32*k +: 32], {(32-IRetireWidth){1'b0}}, iretire[IRetireWidth*k +: IRetireWidth],
      cause[8*k +: 8], 5'd0, priv[3*k +: 3], 7'd0, ilastsize[k], 4'd0, itype[4*k +: 4]};
    assign block[k] = (iretire[IRetireWidth*k +: IRetireWidth] != '0) ||
                      (itype[4*k +: 4] == 4'd1) || (itype[4*k +: 4] == 4'd2);
  end

  assign {halted, inst_tracing, enable} = drive_bulk_i ? row[66:64] :
                                          {ctl_halted_i, ctl_inst_tracing_i, ctl_enable_i};
  assign itype      = drive_bulk_i ? row_itype     : ing_itype_i;
  assign iaddr      = drive_bulk_i ? row_iaddr     : ing_iaddr_i;
  assign iretire    = drive_bulk_i ? row_iretire   : ing_iretire_i;
  assign ilastsize  = drive_bulk_i ? row_ilastsize : ing_ilastsize_i;
  assign cause      = drive_bulk_i ? row_cause     : ing_cause_i;
  assign tval       = drive_bulk_i ? row_tval      : ing_tval_i;
  assign priv       = drive_bulk_i ? row_priv      : ing_priv_i;
  assign context_id = drive_bulk_i ? row_context   : ing_context_i;
  assign ready      = drive_bulk_i ? (random_ready || played) : out_ready_i;
  assign accept     = ing_ready_o;

  trace_player #(.RowBits(RowBits)) u_player (
    .clk_i(clk_o), .go_i(play), .accept_i(accept), .row_o(row), .done_o(played)
  );

  ready_source u_ready (
    .clk_i(clk_o), .run_i(play), .seed_i(ready_seed_i), .percent_low_i(ready_low_i), .ready_o(random_ready)
  );

  ntrace_encoder #(
    .Xlen(Xlen), .NBlocks(NBlocks), .IRetireWidth(IRetireWidth), .IcntBits(IcntBits),
    .HistBits(HistBits), .OutBytes(OutBytes)
  ) u_dut (
    .clk_i(clk_o), .rst_ni(rst_ni),
    .enable_i(enable), .inst_tracing_i(inst_tracing), .halted_i(halted), .inst_mode_i(inst_mode_i),
    .sync_mode_i(sync_mode_i), .sync_max_i(sync_max_i), .stall_ena_i(stall_ena_i), .rc7_i(rc7_i),
    .btype_ext_i(btype_ext_i),
    .ing_itype_i(itype), .ing_iaddr_i(iaddr), .ing_iretire_i(iretire), .ing_ilastsize_i(ilastsize),
    .ing_priv_i(priv), .ing_context_i(context_id), .ing_ready_o(ing_ready_o),
    .drop_o(ing_drop_o), .empty_o(sts_empty_o), .overflow_o(sts_overflow_o),
    .out_valid_o(out_valid_o), .out_nbytes_o(out_nbytes_o), .out_data_o(out_data_o), .out_ready_i(ready)
  );

  // A run: play, drain until the encoder is empty and stays so, done. Anything else is given up.
  logic [63:0] cycle, quiet, idle;
  logic        finish;

  assign play     = go_i && !finish;
  assign draining = played && play;
  assign done_o   = finish;

  initial finish = 1'b0;

  always_ff @(posedge clk_o) begin
    if (!go_i) begin
      finish <= 1'b0;
      cycle  <= '0;
      quiet  <= '0;
      idle   <= '0;
    end else begin
      cycle <= cycle + 64'd1;
      quiet <= (draining && sts_empty_o) ? quiet + 64'd1 : 64'd0;
      idle  <= (draining || !accept) ? idle + 64'd1 : 64'd0;
      if ((quiet == Quiet) || (idle == GiveUp)) finish <= 1'b1;
    end
  end

  trace_recorder #(.LaneBits(NBlocks*LaneBits), .OutBytes(OutBytes)) u_recorder (
    .clk_i(clk_o), .go_i(play && drive_bulk_i), .cycle_i(cycle),
    .accept_i(accept), .any_block_i(block != '0),
    .levels_i({28'd0, ing_drop_o, halted, inst_tracing, enable}), .lanes_i(seen_lanes),
    .drop_i(ing_drop_o), .empty_i(sts_empty_o), .valid_i(out_valid_o), .ready_i(ready),
    .nbytes_i(out_nbytes_o), .data_i(out_data_o),
    .stuck_ingress_i((idle == GiveUp) && !draining), .stuck_empty_i((idle == GiveUp) && draining)
  );

endmodule
