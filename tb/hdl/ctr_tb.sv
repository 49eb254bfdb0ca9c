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

  // Rows of both files, as tb/agents/ctr_rows.py has them. Behind gap (or cycle, 64 bits) and priv (32 bits, the player's
  // levels) an access: bit 3 valid and 2:0 op, mode, xlen32, outcome (a byte each), address (2 bytes, 6 of 0), operand (8); only
  // recorded: value read (8). Then the slots: type, misp, from, to, cause (a byte each, 3 of 0), source (8), target (8).
  localparam int SlotBits = 8*24;
  localparam int HeadBits = 64 + 32 + 32 + 64 + 64;
  localparam int RowBits  = HeadBits + NTransfers*SlotBits;
  localparam int SeenBits = RowBits + 64;

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
  logic [NTransfers*SlotBits-1:0] seen;
  logic [63:0]                noise;
  logic [127:0]               twice;

  for (genvar k = 0; k < NTransfers; k++) begin : gen_slot
    localparam int Base = HeadBits + k*SlotBits;
    logic [Xlen-1:0] own;  // noise

    assign valid[k]                = drive_bulk_i ? (row[Base +: 8] != 8'd0)  : xfer_valid_i[k];
    assign type_[4*k +: 4]         = drive_bulk_i ? row[Base +: 4]            : xfer_type_i[4*k +: 4];
    assign misp[k]                 = drive_bulk_i ? row[Base+8]               : xfer_misp_i[k];
    assign from[3*k +: 3]          = drive_bulk_i ? row[Base+16 +: 3]         : xfer_from_i[3*k +: 3];
    assign to[3*k +: 3]            = drive_bulk_i ? row[Base+24 +: 3]         : xfer_to_i[3*k +: 3];
    assign cause[8*k +: 8]         = drive_bulk_i ? row[Base+32 +: 8]         : xfer_cause_i[8*k +: 8];
    assign source[Xlen*k +: Xlen]  = drive_bulk_i ? row[Base+64 +: Xlen]      : xfer_source_i[Xlen*k +: Xlen];
    assign target[Xlen*k +: Xlen]  = drive_bulk_i ? row[Base+128 +: Xlen]     : xfer_target_i[Xlen*k +: Xlen];

    assign own                         = twice[k+1 +: Xlen];
    assign dut_type[4*k +: 4]          = valid[k] ? type_[4*k +: 4]        : own[3:0];
    assign dut_misp[k]                 = valid[k] ? misp[k]                : own[4];
    assign dut_from[3*k +: 3]          = valid[k] ? from[3*k +: 3]         : own[7:5];
    assign dut_to[3*k +: 3]            = valid[k] ? to[3*k +: 3]           : own[10:8];
    assign dut_cause[8*k +: 8]         = valid[k] ? cause[8*k +: 8]        : own[18:11];
    assign dut_source[Xlen*k +: Xlen]  = valid[k] ? source[Xlen*k +: Xlen] : own;
    assign dut_target[Xlen*k +: Xlen]  = valid[k] ? target[Xlen*k +: Xlen] : ~own;

    assign seen[SlotBits*k +: SlotBits] = !valid[k] ? {SlotBits{1'b0}} : {
      {(64-Xlen){1'b0}}, target[Xlen*k +: Xlen], {(64-Xlen){1'b0}}, source[Xlen*k +: Xlen], 24'd0,
      cause[8*k +: 8], 5'd0, to[3*k +: 3], 5'd0, from[3*k +: 3], 7'd0, misp[k], 4'd0, type_[4*k +: 4]};
  end

  logic unused_noise;
  assign unused_noise = ^twice;

  assign hart_priv  = drive_bulk_i ? row[66:64]        : hart_priv_i;
  assign csr_valid  = drive_bulk_i ? row[99]           : csr_valid_i;
  assign csr_op     = drive_bulk_i ? row[98:96]        : csr_op_i;
  assign csr_priv   = drive_bulk_i ? row[106:104]      : csr_priv_i;
  assign csr_xlen32 = drive_bulk_i ? row[112]          : csr_xlen32_i;
  assign csr_addr   = drive_bulk_i ? row[139:128]      : csr_addr_i;
  assign csr_wdata  = drive_bulk_i ? row[192 +: Xlen]  : csr_wdata_i;

  trace_player #(.RowBits(RowBits), .Levels(32'h0000_0007)) u_player (
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

  row_recorder #(.Bits(SeenBits), .File("rows.bin")) u_rows (
    .clk_i(clk_o), .go_i(play && drive_bulk_i), .write_i(csr_valid || (valid != '0) || change),
    .row_i({seen, csr_valid ? {{(64-Xlen){1'b0}}, csr_rdata_o} : 64'd0, csr_valid ? {{(64-Xlen){1'b0}}, csr_wdata} : 64'd0,
            52'd0, csr_valid ? csr_addr : 12'd0, 6'd0, csr_valid ? csr_outcome_o : 2'd0, 7'd0, csr_valid && csr_xlen32,
            5'd0, csr_valid ? csr_priv : 3'd0, 4'd0, csr_valid, csr_valid ? csr_op : 3'd0, 23'd0, unknown, 5'd0, hart_priv, cycle})
  );

endmodule
