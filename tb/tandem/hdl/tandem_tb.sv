// SPDX-License-Identifier: Apache-2.0
// Testbench of the tandem-trace encoder: clock, encoder, and the two ways to drive it.
//
// drive_bulk_i = 1: trace_player plays `stimulus.bin`, trace_recorder writes the rows that were taken and the words that left, and
// row_recorder what error_o reported to `errors.bin`, from go_i rising to done_o. drive_bulk_i = 0: the ports below are the encoder's, and
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

  // Rows of all files: tb/tandem/agents/layout.py, from which tandem_lanes_join, tandem_lanes_split and tandem_errors_join are generated.
  localparam int LaneBits = tandem_row_pkg::LaneBits;
  localparam int HeadBits = tandem_row_pkg::StimulusLanesAt;
  localparam int RowBits  = tandem_row_pkg::stimulus_bits(NLanes);
  localparam logic [63:0] GiveUp = 64'd20_000;   // cycles without progress
  localparam logic [63:0] Quiet  = 64'd8;        // cycles that must stay empty at the end

  initial clk_o = 1'b0;
  always #5 clk_o = !clk_o;

  logic [RowBits-1:0]          row;
  logic                        play, played, draining, random_ready, ready;
  logic [NLanes*LaneBits-1:0]  pins, lanes, seen;  // lanes: noise where there is no row
  logic [63:0]                 noise;
  logic                        unused_head;

  // What is on the encoder's ports.
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

  tandem_lanes_join #(.Xlen(Xlen), .Mlen(Mlen), .FBits(FBits), .NLanes(NLanes)) u_pins (
    .valid_i(ing_valid_i), .has_i(ing_has_i), .pc_i(ing_pc_i), .ppc_i(ing_ppc_i), .insn_i(ing_insn_i),
    .insn16_i(ing_insn16_i), .gpr_addr_i(ing_gpr_addr_i), .gpr_i(ing_gpr_i), .fpr_addr_i(ing_fpr_addr_i),
    .fpr_i(ing_fpr_i), .fcsr_i(ing_fcsr_i), .csr_addr_i(ing_csr_addr_i), .csr_i(ing_csr_i), .priv_i(ing_priv_i),
    .paddr_i(ing_paddr_i), .eaddr_i(ing_eaddr_i), .memdata_size_i(ing_memdata_size_i), .memdata_i(ing_memdata_i),
    .mtime_i(ing_mtime_i), .mcycle_i(ing_mcycle_i), .minstret_i(ing_minstret_i), .req_op_i(ing_req_op_i),
    .req_size_i(ing_req_size_i), .req_addr_i(ing_req_addr_i), .req_data_i(ing_req_data_i),
    .rsp_result_i(ing_rsp_result_i), .rsp_data_i(ing_rsp_data_i), .row_o(pins)
  );

  for (genvar k = 0; k < NLanes; k++) begin : gen_lane
    logic [LaneBits-1:0] taken;  // with a row

    assign taken    = drive_bulk_i ? row[HeadBits+LaneBits*k +: LaneBits] : pins[LaneBits*k +: LaneBits];
    assign valid[k] = taken[tandem_row_pkg::LaneValidAt];
    assign lanes[LaneBits*k +: LaneBits] = valid[k] ? taken : {(LaneBits/64){noise ^ {64{k[0]}}}};
    assign seen[LaneBits*k +: LaneBits]  = valid[k] ? taken : {LaneBits{1'b0}};
  end

  tandem_lanes_split #(.Xlen(Xlen), .Mlen(Mlen), .FBits(FBits), .NLanes(NLanes)) u_lanes (
    .row_i(lanes), .has_o(has), .pc_o(pc), .ppc_o(ppc), .insn_o(insn), .insn16_o(insn16), .gpr_addr_o(gpr_addr),
    .gpr_o(gpr), .fpr_addr_o(fpr_addr), .fpr_o(fpr), .fcsr_o(fcsr), .csr_addr_o(csr_addr), .csr_o(csr),
    .priv_o(priv), .paddr_o(paddr), .eaddr_o(eaddr), .memdata_size_o(memdata_size), .memdata_o(memdata),
    .mtime_o(mtime), .mcycle_o(mcycle), .minstret_o(minstret), .req_op_o(req_op), .req_size_o(req_size),
    .req_addr_o(req_addr), .req_data_o(req_data), .rsp_result_o(rsp_result), .rsp_data_o(rsp_data)
  );

  assign unused_head = ^row[HeadBits-1:0];
  assign ready       = drive_bulk_i ? (random_ready || played) : out_ready_i;

  trace_player #(.RowBits(RowBits), .Levels(32'd0)) u_player (
    .clk_i(clk_o), .go_i(play && drive_bulk_i), .accept_i(ing_ready_o), .row_o(row), .done_o(played)
  );

  ready_source u_ready (
    .clk_i(clk_o), .run_i(play), .seed_i(ready_seed_i), .percent_low_i(ready_low_i), .ready_o(random_ready)
  );

  noise_source u_noise (.clk_i(clk_o), .rst_ni(rst_ni), .seed_i(noise_seed_i), .busy_i(taken), .noise_o(noise));

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
  logic        unknown, taken, taken_q, was_empty;  // was_empty: and no row was taken since, or in the cycle before: empty_o may be a register

  assign taken   = (valid != '0) && (ing_ready_o === 1'b1);
  assign unknown = (^{ing_ready_o, sts_empty_o, out_valid_o}) === 1'bx;

  assign play     = go_i && !done_o;
  assign draining = played && play;

  initial done_o = 1'b0;

  always_ff @(posedge clk_o) begin
    cycle  <= go_i ? cycle + 64'd1 : 64'd0;
    quiet  <= (draining && sts_empty_o) ? quiet + 64'd1 : 64'd0;
    idle   <= (draining || (go_i && !ing_ready_o)) ? idle + 64'd1 : 64'd0;
    taken_q   <= taken;
    was_empty <= go_i && (was_empty || ((sts_empty_o === 1'b1) && !taken_q)) && !taken;
    done_o <= go_i && (done_o || (quiet == Quiet) || (idle == GiveUp) || unknown);
  end

  trace_recorder #(.LaneBits(NLanes*LaneBits), .OutBytes(OutBytes), .Levels(32'd0)) u_recorder (
    .clk_i(clk_o), .go_i(play && drive_bulk_i), .cycle_i(cycle),
    .accept_i(ing_ready_o), .any_block_i(valid != '0), .levels_i(32'd0), .vendor_data_i(32'd0), .tstamp_i(64'd0), .lanes_i(seen),
    .drop_i(1'b0), .empty_i(sts_empty_o), .valid_i(out_valid_o), .ready_i(ready), .nbytes_i(out_nbytes_o), .data_i(out_data_o),
    .stuck_ingress_i((idle == GiveUp) && !draining), .stuck_empty_i((idle == GiveUp) && draining),
    .early_empty_i(((quiet != 64'd0) && !sts_empty_o) || (was_empty && (out_valid_o === 1'b1))), .other_valid_i(1'b0)
  );

  logic [tandem_row_pkg::ErrorsBits-1:0] errors;

  tandem_errors_join #(.NLanes(NLanes)) u_error_row (
    .cycle_i(cycle), .lanes_i(sts_error_o), .unknown_i((^sts_error_o) === 1'bx), .row_o(errors)
  );

  row_recorder #(.Bits(tandem_row_pkg::ErrorsBits), .File("errors.bin")) u_errors (
    .clk_i(clk_o), .go_i(play && drive_bulk_i), .write_i(sts_error_o !== '0), .row_i(errors)
  );

endmodule
