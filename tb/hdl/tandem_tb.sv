// Testbench of the tandem-trace encoder: clock, encoder, and the two ways to drive it.
//
// drive_bulk_i = 1: trace_player plays `stimulus.bin`, trace_recorder writes the rows that were taken and the words that left, and
// row_recorder what error_o told to `errors.bin`, from go_i rising to done_o. drive_bulk_i = 0: the ports below are the encoder's, and
// cocotb drives and samples them every cycle (tb/agents). A lane without a row is noise at the encoder.
module tandem_tb
#(
  parameter int Xlen                  = 64,
  parameter int Flen                  = 64,
  parameter int Mlen                  = 64,
  parameter int NLanes                = 1,
  parameter int Incremental           = 1,
  parameter int ImpliedEnd            = 0,
  parameter logic [tandem_table_pkg::Parts-1:0] Absent = '0,
  parameter int ResponseDataOnFailure = 0,
  parameter int OutBytes              = 32,
  parameter int FifoRows              = 8,
  // Derived, do not set.
  parameter int FBits                 = (Flen > 0) ? Flen : 1
) (
  output logic                          clk_o,
  input  logic                          rst_ni,

  // Bulk drive.
  input  logic                          drive_bulk_i,
  input  logic                          go_i,
  output logic                          done_o,
  input  logic [31:0]                   ready_seed_i,
  input  logic [6:0]                    ready_low_i,   // % of cycles
  input  logic [31:0]                   noise_seed_i,

  // Pins drive.
  input  logic [NLanes-1:0]             ing_valid_i,
  input  logic [NLanes*23-1:0]          ing_has_i,
  input  logic [NLanes*Xlen-1:0]        ing_pc_i,
  input  logic [NLanes*Mlen-1:0]        ing_ppc_i,
  input  logic [NLanes*32-1:0]          ing_insn_i,
  input  logic [NLanes-1:0]             ing_insn16_i,
  input  logic [NLanes*5-1:0]           ing_gpr_addr_i,
  input  logic [NLanes*Xlen-1:0]        ing_gpr_i,
  input  logic [NLanes*5-1:0]           ing_fpr_addr_i,
  input  logic [NLanes*FBits-1:0]       ing_fpr_i,
  input  logic [NLanes*32-1:0]          ing_fcsr_i,
  input  logic [NLanes*4*12-1:0]        ing_csr_addr_i,
  input  logic [NLanes*4*Xlen-1:0]      ing_csr_i,
  input  logic [NLanes*2-1:0]           ing_priv_i,
  input  logic [NLanes*Mlen-1:0]        ing_paddr_i,
  input  logic [NLanes*Mlen-1:0]        ing_eaddr_i,
  input  logic [NLanes*2-1:0]           ing_memdata_size_i,
  input  logic [NLanes*64-1:0]          ing_memdata_i,
  input  logic [NLanes*64-1:0]          ing_mtime_i,
  input  logic [NLanes*64-1:0]          ing_mcycle_i,
  input  logic [NLanes*64-1:0]          ing_minstret_i,
  input  logic [NLanes*4-1:0]           ing_req_op_i,
  input  logic [NLanes*2-1:0]           ing_req_size_i,
  input  logic [NLanes*Mlen-1:0]        ing_req_addr_i,
  input  logic [NLanes*64-1:0]          ing_req_data_i,
  input  logic [NLanes-1:0]             ing_rsp_result_i,
  input  logic [NLanes*64-1:0]          ing_rsp_data_i,
  output logic                          ing_ready_o,
  output logic [NLanes-1:0]             sts_error_o,
  output logic                          sts_empty_o,
  output logic                          out_valid_o,
  output logic [$clog2(OutBytes+1)-1:0] out_nbytes_o,
  output logic [8*OutBytes-1:0]         out_data_o,
  input  logic                          out_ready_i
);

  // Rows of both files, as tb/agents/tandem_rows.py has them. A lane: pc, ppc, gpr, fpr, csr (4), paddr, eaddr, memdata, mtime, mcycle,
  // minstret, req_addr, req_data, rsp_data (8 bytes each), has, insn, fcsr (4), csr_addr (4 of 2), insn16, gpr_addr, fpr_addr, priv,
  // memdata_size, req_op, req_size, rsp_result, valid (1), 3 of 0.
  localparam int LaneBits = 17*64 + 3*32 + 4*16 + 12*8;
  localparam int AtHas    = 17*64;
  localparam int AtAddr   = AtHas + 3*32;  // of CSRs
  localparam int AtSmall  = AtAddr + 4*16;
  localparam int AtValid  = AtSmall + 8*8;
  localparam int HeadBits = 64 + 32 + 32;  // gap, two words that are 0
  localparam int RowBits  = HeadBits + NLanes*LaneBits;
  localparam logic [63:0] GiveUp = 64'd20_000;   // cycles without progress
  localparam logic [63:0] Quiet  = 64'd8;        // cycles that must stay empty at the end

  initial clk_o = 1'b0;
  always #5 clk_o = !clk_o;

  logic [RowBits-1:0]          row;
  logic                        play, played, draining, random_ready, ready;
  logic [NLanes*LaneBits-1:0]  seen;
  logic [63:0]                 noise;
  logic                        unused_head;

  // What stands on the encoder's ports.
  logic [NLanes-1:0]         valid, insn16, rsp_result;
  logic [NLanes*23-1:0]      has;
  logic [NLanes*Xlen-1:0]    pc, gpr;
  logic [NLanes*Mlen-1:0]    ppc, paddr, eaddr, req_addr;
  logic [NLanes*32-1:0]      insn, fcsr;
  logic [NLanes*5-1:0]       gpr_addr, fpr_addr;
  logic [NLanes*FBits-1:0]   fpr;
  logic [NLanes*4*12-1:0]    csr_addr;
  logic [NLanes*4*Xlen-1:0]  csr;
  logic [NLanes*2-1:0]       priv, memdata_size, req_size;
  logic [NLanes*4-1:0]       req_op;
  logic [NLanes*64-1:0]      memdata, mtime, mcycle, minstret, req_data, rsp_data;

  for (genvar k = 0; k < NLanes; k++) begin : gen_lane
    logic [LaneBits-1:0] pins, taken, lane;  // taken: with a row; lane: else noise
    logic                unused_lane;
    logic [255:0]        pins_csr;
    logic [63:0]         pins_addr;

    for (genvar s = 0; s < 4; s++) begin : gen_csr
      assign pins_csr[64*s +: 64]  = 64'(ing_csr_i[Xlen*(4*k+s) +: Xlen]);
      assign pins_addr[16*s +: 16] = {4'd0, ing_csr_addr_i[12*(4*k+s) +: 12]};
      assign csr_addr[12*(4*k+s) +: 12] = lane[AtAddr+16*s +: 12];
      assign csr[Xlen*(4*k+s) +: Xlen]  = lane[64*(4+s) +: Xlen];
    end

    assign pins = {
      24'd0, 7'd0, ing_valid_i[k], 7'd0, ing_rsp_result_i[k], 6'd0, ing_req_size_i[2*k +: 2], 4'd0, ing_req_op_i[4*k +: 4],
      6'd0, ing_memdata_size_i[2*k +: 2], 6'd0, ing_priv_i[2*k +: 2], 3'd0, ing_fpr_addr_i[5*k +: 5], 3'd0, ing_gpr_addr_i[5*k +: 5],
      7'd0, ing_insn16_i[k], pins_addr, ing_fcsr_i[32*k +: 32], ing_insn_i[32*k +: 32], 9'd0, ing_has_i[23*k +: 23],
      ing_rsp_data_i[64*k +: 64], ing_req_data_i[64*k +: 64], 64'(ing_req_addr_i[Mlen*k +: Mlen]), ing_minstret_i[64*k +: 64],
      ing_mcycle_i[64*k +: 64], ing_mtime_i[64*k +: 64], ing_memdata_i[64*k +: 64], 64'(ing_eaddr_i[Mlen*k +: Mlen]),
      64'(ing_paddr_i[Mlen*k +: Mlen]), pins_csr, 64'(ing_fpr_i[FBits*k +: FBits]), 64'(ing_gpr_i[Xlen*k +: Xlen]),
      64'(ing_ppc_i[Mlen*k +: Mlen]), 64'(ing_pc_i[Xlen*k +: Xlen])};
    assign taken       = drive_bulk_i ? row[HeadBits+LaneBits*k +: LaneBits] : pins;
    assign lane        = valid[k] ? taken : {(LaneBits/64){noise ^ {64{k[0]}}}};
    assign unused_lane = ^lane;
    assign valid[k]    = taken[AtValid];
    assign seen[LaneBits*k +: LaneBits] = valid[k] ? taken : {LaneBits{1'b0}};

    assign pc[Xlen*k +: Xlen]        = lane[64*0 +: Xlen];
    assign ppc[Mlen*k +: Mlen]       = lane[64*1 +: Mlen];
    assign gpr[Xlen*k +: Xlen]       = lane[64*2 +: Xlen];
    assign fpr[FBits*k +: FBits]     = lane[64*3 +: FBits];
    assign paddr[Mlen*k +: Mlen]     = lane[64*8 +: Mlen];
    assign eaddr[Mlen*k +: Mlen]     = lane[64*9 +: Mlen];
    assign memdata[64*k +: 64]       = lane[64*10 +: 64];
    assign mtime[64*k +: 64]         = lane[64*11 +: 64];
    assign mcycle[64*k +: 64]        = lane[64*12 +: 64];
    assign minstret[64*k +: 64]      = lane[64*13 +: 64];
    assign req_addr[Mlen*k +: Mlen]  = lane[64*14 +: Mlen];
    assign req_data[64*k +: 64]      = lane[64*15 +: 64];
    assign rsp_data[64*k +: 64]      = lane[64*16 +: 64];
    assign has[23*k +: 23]           = lane[AtHas +: 23];
    assign insn[32*k +: 32]          = lane[AtHas+32 +: 32];
    assign fcsr[32*k +: 32]          = lane[AtHas+64 +: 32];
    assign insn16[k]                 = lane[AtSmall];
    assign gpr_addr[5*k +: 5]        = lane[AtSmall+8*1 +: 5];
    assign fpr_addr[5*k +: 5]        = lane[AtSmall+8*2 +: 5];
    assign priv[2*k +: 2]            = lane[AtSmall+8*3 +: 2];
    assign memdata_size[2*k +: 2]    = lane[AtSmall+8*4 +: 2];
    assign req_op[4*k +: 4]          = lane[AtSmall+8*5 +: 4];
    assign req_size[2*k +: 2]        = lane[AtSmall+8*6 +: 2];
    assign rsp_result[k]             = lane[AtSmall+8*7];
  end

  assign unused_head = ^row[HeadBits-1:0];
  assign ready       = drive_bulk_i ? (random_ready || played) : out_ready_i;

  trace_player #(.RowBits(RowBits), .Levels(32'd0)) u_player (
    .clk_i(clk_o), .go_i(play && drive_bulk_i), .accept_i(ing_ready_o), .row_o(row), .done_o(played)
  );

  ready_source u_ready (
    .clk_i(clk_o), .run_i(play), .seed_i(ready_seed_i), .percent_low_i(ready_low_i), .ready_o(random_ready)
  );

  noise_source u_noise (.clk_i(clk_o), .rst_ni(rst_ni), .seed_i(noise_seed_i), .busy_i(valid != '0), .noise_o(noise));

  tandem #(
    .Xlen(Xlen), .Flen(Flen), .Mlen(Mlen), .NLanes(NLanes), .Incremental(Incremental), .ImpliedEnd(ImpliedEnd != 0),
    .Absent(Absent), .ResponseDataOnFailure(ResponseDataOnFailure != 0), .OutBytes(OutBytes), .FifoRows(FifoRows)
  ) u_dut (
    .clk_i(clk_o), .rst_ni(rst_ni),
    .in_valid_i(valid), .in_ready_o(ing_ready_o), .in_has_i(has), .in_pc_i(pc), .in_ppc_i(ppc), .in_insn_i(insn),
    .in_insn16_i(insn16), .in_gpr_addr_i(gpr_addr), .in_gpr_i(gpr), .in_fpr_addr_i(fpr_addr), .in_fpr_i(fpr), .in_fcsr_i(fcsr),
    .in_csr_addr_i(csr_addr), .in_csr_i(csr), .in_priv_i(priv), .in_paddr_i(paddr), .in_eaddr_i(eaddr),
    .in_memdata_size_i(memdata_size), .in_memdata_i(memdata), .in_mtime_i(mtime), .in_mcycle_i(mcycle), .in_minstret_i(minstret),
    .in_req_op_i(req_op), .in_req_size_i(req_size), .in_req_addr_i(req_addr), .in_req_data_i(req_data),
    .in_rsp_result_i(rsp_result), .in_rsp_data_i(rsp_data), .error_o(sts_error_o),
    .out_valid_o(out_valid_o), .out_count_o(out_nbytes_o), .out_data_o(out_data_o), .out_ready_i(ready), .empty_o(sts_empty_o)
  );

  // A run: play, drain until the encoder is empty and stays so, done. Anything else is given up, and at once if an output that steers the run
  // is X (the recorder tells it): nothing would ever be taken then.
  logic [63:0] cycle, quiet, idle;
  logic        unknown;

  assign unknown = (^{ing_ready_o, sts_empty_o, out_valid_o}) === 1'bx;

  assign play     = go_i && !done_o;
  assign draining = played && play;

  initial done_o = 1'b0;

  always_ff @(posedge clk_o) begin
    cycle  <= go_i ? cycle + 64'd1 : 64'd0;
    quiet  <= (draining && sts_empty_o) ? quiet + 64'd1 : 64'd0;
    idle   <= (draining || (go_i && !ing_ready_o)) ? idle + 64'd1 : 64'd0;
    done_o <= go_i && (done_o || (quiet == Quiet) || (idle == GiveUp) || unknown);
  end

  trace_recorder #(.LaneBits(NLanes*LaneBits), .OutBytes(OutBytes), .Levels(32'd0)) u_recorder (
    .clk_i(clk_o), .go_i(play && drive_bulk_i), .cycle_i(cycle),
    .accept_i(ing_ready_o), .any_block_i(valid != '0), .levels_i(32'd0), .vendor_data_i(32'd0), .tstamp_i(64'd0), .lanes_i(seen),
    .drop_i(1'b0), .empty_i(sts_empty_o), .valid_i(out_valid_o), .ready_i(ready), .nbytes_i(out_nbytes_o), .data_i(out_data_o),
    .stuck_ingress_i((idle == GiveUp) && !draining), .stuck_empty_i((idle == GiveUp) && draining),
    .early_empty_i((quiet != 64'd0) && !sts_empty_o)
  );

  row_recorder #(.Bits(64+32+32), .File("errors.bin")) u_errors (
    .clk_i(clk_o), .go_i(play && drive_bulk_i), .write_i(sts_error_o !== '0),
    .row_i({31'd0, (^sts_error_o) === 1'bx, 32'(sts_error_o), cycle})
  );

endmodule
