// SPDX-License-Identifier: Apache-2.0
// Control transfer records testbench: clock, device, and the two ways to drive it.
//
// drive_bulk_i = 1: trace_player plays `stimulus.bin` and row_recorder writes what was on the ports to `rows.bin`, from
// go_i rising to done_o. drive_bulk_i = 0: the ports below are the device's, and cocotb drives and samples them every
// cycle (tb/agents). What means nothing (an empty slot, no access) is noise at the device.
module ctr_tb
#(
  parameter int Xlen       = 64,
  parameter int Draft      = 0,
  parameter int NTransfers = 4,
  parameter logic [4:0] Depths = 5'd31,
  parameter int HasS       = 1,
  parameter int HasH       = 1,
  parameter int FieldsLow  = 65535,  // bits 15:0 of Fields
  parameter int FieldsHigh = 65535,  // bits 47:32 of Fields
  parameter int HasMisp    = 1,
  parameter int HasType    = 1,
  parameter int HasCc      = 1,
  parameter int CceBits    = 4,
  parameter int RasPolicy  = 0,
  parameter int HasStateen = 1
) (
  output logic                       clk_o,
  input  logic                       rst_ni,

  // Bulk drive.
  input  logic                       drive_bulk_i,
  input  logic                       go_i,
  output logic                       done_o,
  input  logic [31:0]                noise_seed_i,

  // Pins drive.
  input  logic [2:0]                 hart_priv_i,
  input  logic [NTransfers-1:0]      xfer_valid_i,
  input  logic [NTransfers*4-1:0]    xfer_type_i,
  input  logic [NTransfers*Xlen-1:0] xfer_source_i,
  input  logic [NTransfers*Xlen-1:0] xfer_target_i,
  input  logic [NTransfers-1:0]      xfer_misp_i,
  input  logic [NTransfers*3-1:0]    xfer_from_i,
  input  logic [NTransfers*3-1:0]    xfer_to_i,
  input  logic [NTransfers*8-1:0]    xfer_cause_i,
  input  logic                       csr_valid_i,
  input  logic [2:0]                 csr_op_i,
  input  logic [11:0]                csr_addr_i,
  input  logic [Xlen-1:0]            csr_wdata_i,
  input  logic [2:0]                 csr_priv_i,
  input  logic                       csr_xlen32_i,
  output logic [Xlen-1:0]            csr_rdata_o,
  output logic [1:0]                 csr_outcome_o
);

  // Rows of both files: tb/ctr/agents/layout.py, from which ctr_stimulus_drive and ctr_recorded_join are generated.
  localparam int RowBits  = ctr_row_pkg::stimulus_bits(NTransfers);
  localparam int SeenBits = ctr_row_pkg::recorded_bits(NTransfers);

  initial clk_o = 1'b0;
  always #5 clk_o = !clk_o;

  // What is played or driven.
  logic [RowBits-1:0]         row;
  logic                       play, played, finish, csr_valid, csr_xlen32;
  logic [2:0]                 hart_priv, csr_op, csr_priv;
  logic [11:0]                csr_addr;
  logic [Xlen-1:0]            csr_wdata;
  logic [NTransfers-1:0]      valid, misp, dut_misp;
  logic [NTransfers*4-1:0]    type_, dut_type;
  logic [NTransfers*Xlen-1:0] source, target, dut_source, dut_target;
  logic [NTransfers*3-1:0]    from, to, dut_from, dut_to;
  logic [NTransfers*8-1:0]    cause, dut_cause;
  logic [63:0]                noise;
  logic [127:0]               twice;

  ctr_stimulus_drive #(.Xlen(Xlen), .NTransfers(NTransfers)) u_drive (
    .bulk_i(drive_bulk_i), .row_i(row), .priv_i(hart_priv_i), .priv_o(hart_priv), .op_i(csr_op_i), .op_o(csr_op),
    .access_i(csr_valid_i), .access_o(csr_valid), .mode_i(csr_priv_i), .mode_o(csr_priv),
    .xlen32_i(csr_xlen32_i), .xlen32_o(csr_xlen32), .addr_i(csr_addr_i), .addr_o(csr_addr),
    .wdata_i(csr_wdata_i), .wdata_o(csr_wdata), .type_i(xfer_type_i), .type_o(type_),
    .misp_i(xfer_misp_i), .misp_o(misp), .from_i(xfer_from_i), .from_o(from), .to_i(xfer_to_i), .to_o(to),
    .cause_i(xfer_cause_i), .cause_o(cause), .source_i(xfer_source_i), .source_o(source),
    .target_i(xfer_target_i), .target_o(target)
  );

  for (genvar k = 0; k < NTransfers; k++) begin : gen_slot
    logic [Xlen-1:0] own;  // noise

    assign valid[k]                    = drive_bulk_i ? (type_[4*k +: 4] != 4'd0) : xfer_valid_i[k];
    assign own                         = twice[k+1 +: Xlen];
    assign dut_type[4*k +: 4]          = valid[k] ? type_[4*k +: 4]        : own[3:0];
    assign dut_misp[k]                 = valid[k] ? misp[k]                : own[4];
    assign dut_from[3*k +: 3]          = valid[k] ? from[3*k +: 3]         : own[7:5];
    assign dut_to[3*k +: 3]            = valid[k] ? to[3*k +: 3]           : own[10:8];
    assign dut_cause[8*k +: 8]         = valid[k] ? cause[8*k +: 8]        : own[18:11];
    assign dut_source[Xlen*k +: Xlen]  = valid[k] ? source[Xlen*k +: Xlen] : own;
    assign dut_target[Xlen*k +: Xlen]  = valid[k] ? target[Xlen*k +: Xlen] : ~own;
  end

  logic unused_noise;
  assign unused_noise = ^twice;

  trace_player #(.RowBits(RowBits), .Levels(ctr_row_pkg::StimulusLevels)) u_player (
    .clk_i(clk_o), .go_i(play && drive_bulk_i), .accept_i(1'b1), .row_o(row), .done_o(played)
  );

  ctr #(
    .Xlen(Xlen), .Draft(Draft != 0), .NTransfers(NTransfers), .Depths(Depths), .HasS(HasS != 0), .HasH(HasH != 0),
    .Fields({16'd0, FieldsHigh[15:0], 16'd0, FieldsLow[15:0]}), .HasMisp(HasMisp != 0), .HasType(HasType != 0),
    .HasCc(HasCc != 0), .CceBits(CceBits), .RasPolicy(RasPolicy), .HasStateen(HasStateen != 0)
  ) u_dut (
    .clk_i(clk_o), .rst_ni(rst_ni), .priv_i(hart_priv),
    .xfer_valid_i(valid), .xfer_type_i(dut_type), .xfer_source_i(dut_source), .xfer_target_i(dut_target),
    .xfer_misp_i(dut_misp), .xfer_from_i(dut_from), .xfer_to_i(dut_to), .xfer_cause_i(dut_cause),
    .csr_valid_i(csr_valid), .csr_op_i(csr_valid ? csr_op : noise[22:20]), .csr_addr_i(csr_valid ? csr_addr : noise[34:23]),
    .csr_wdata_i(csr_valid ? csr_wdata : noise[Xlen-1:0]), .csr_priv_i(csr_valid ? csr_priv : noise[37:35]),
    .csr_xlen32_i(csr_valid ? csr_xlen32 : noise[38]), .csr_rdata_o(csr_rdata_o), .csr_outcome_o(csr_outcome_o)
  );

  noise_source u_noise (.clk_i(clk_o), .rst_ni(rst_ni), .seed_i(noise_seed_i), .busy_i(csr_valid || (valid != '0)), .noise_o(noise));

  // A run: play, one cycle for the last row, done.
  logic [63:0] cycle;
  logic [2:0]  priv;      // of the cycle before
  logic        change, unknown;

  assign play    = go_i && !finish;
  assign done_o  = finish;
  assign twice   = {noise, noise};
  assign change  = (hart_priv != priv) || (cycle == 64'd0);
  assign unknown = csr_valid && ((^{csr_rdata_o, csr_outcome_o}) === 1'bx);

  initial begin
    finish = 1'b0;
    cycle  = '0;
  end

  always_ff @(posedge clk_o) begin
    priv   <= hart_priv;
    cycle  <= (rst_ni && (!drive_bulk_i || go_i)) ? cycle + 64'd1 : 64'd0;
    finish <= go_i && (finish || played);
  end

  logic [SeenBits-1:0] seen;

  ctr_recorded_join #(.Xlen(Xlen), .NTransfers(NTransfers)) u_join (
    .cycle_i(cycle), .priv_i(hart_priv), .unknown_i(unknown), .access_i(csr_valid), .op_i(csr_valid ? csr_op : 3'd0),
    .mode_i(csr_valid ? csr_priv : 3'd0), .xlen32_i(csr_valid && csr_xlen32), .outcome_i(csr_valid ? csr_outcome_o : 2'd0),
    .addr_i(csr_valid ? csr_addr : 12'd0), .wdata_i(csr_valid ? csr_wdata : {Xlen{1'b0}}),
    .rdata_i(csr_valid ? csr_rdata_o : {Xlen{1'b0}}), .valid_i(valid), .type_i(type_), .misp_i(misp), .from_i(from),
    .to_i(to), .cause_i(cause), .source_i(source), .target_i(target), .row_o(seen)
  );

  row_recorder #(.Bits(SeenBits), .File("rows.bin")) u_rows (
    .clk_i(clk_o), .go_i(play && drive_bulk_i), .write_i(csr_valid || (valid != '0) || change), .row_i(seen)
  );

endmodule
