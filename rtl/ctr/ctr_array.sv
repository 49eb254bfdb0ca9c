// SPDX-License-Identifier: Apache-2.0
// The entries: four banks, each with one port for the records of a cycle, and one port for the access that follows.
//
// Clearing must take one cycle, and memories cannot do that. So an entry has three bits that say whether its source,
// target and data were written since the last clear; what was not reads 0. V is beside the memories as well.
module ctr_array
#(
  parameter int Xlen      = 64,
  parameter int Entries   = 256,  // 16, 32, 64, 128, 256
  parameter bit HasMisp   = 1'b1,
  parameter bit HasType   = 1'b1,
  parameter bit HasCc     = 1'b1,
  parameter int CceBits   = 4,
  parameter int RasPolicy = 0
) (
  input  logic                                 clk_i,
  input  logic                                 rst_ni,

  // Records, per bank (ctr_record).
  input  logic [ctr_pkg::NBanks-1:0]           touch_i,
  input  logic [ctr_pkg::NBanks-1:0]           valid_i,
  input  logic [ctr_pkg::NBanks-1:0]           write_i,
  input  logic [ctr_pkg::NBanks*6-1:0]         row_i,
  input  logic [ctr_pkg::NBanks*(Xlen-1)-1:0]  source_i,
  input  logic [ctr_pkg::NBanks*Xlen-1:0]      target_i,
  input  logic [ctr_pkg::NBanks*21-1:0]        data_i,

  // The access, after the records: one entry, by its physical number.
  input  logic [7:0]                           csr_index_i,
  input  logic                                 csr_source_we_i,
  input  logic                                 csr_target_we_i,
  input  logic                                 csr_data_we_i,
  input  logic [Xlen-1:0]                      csr_wdata_i,
  output logic [Xlen-1:0]                      csr_source_o,   // ctrsource, ctrtarget, ctrdata[31:0]
  output logic [Xlen-1:0]                      csr_target_o,
  output logic [31:0]                          csr_data_o,

  // Clear the entries from 0 to clear_last_i (a power of two, minus 1), after the records.
  input  logic                                 clear_i,
  input  logic [7:0]                           clear_last_i,

  // {CCE, CCM, CCV} of the four entries before WRPTR, per bank, before the records. RasPolicy 2.
  input  logic [7:0]                           wrptr_i,
  input  logic [7:0]                           last_i,
  output logic [ctr_pkg::NBanks*ctr_pkg::CountBits-1:0] before_o
);

  localparam int Rows    = Entries / ctr_pkg::NBanks;
  localparam int RowBits = $clog2(Rows);

  // Implemented bits: {CCE, CCM, CCV, TYPE}.
  localparam logic [3:0]  CceMask    = 4'hF >> (4 - CceBits);
  localparam logic [20:0] DataMask   = {HasCc ? {CceMask, 13'h1FFF} : 17'd0, HasType ? 4'hF : 4'h0};
  localparam logic        TargetBit0 = HasMisp;

  // Of each bank what it has at the access's row.
  logic [ctr_pkg::NBanks*Xlen-1:0] read_source, read_target;
  logic [ctr_pkg::NBanks*21-1:0]   read_data;
  logic [1:0]             csr_bank;
  logic                   csr_we;

  assign csr_we   = csr_source_we_i || csr_target_we_i || csr_data_we_i;
  assign csr_bank = csr_index_i[1:0];

  for (genvar b = 0; b < ctr_pkg::NBanks; b++) begin : gen_bank
    localparam logic [1:0] Bank = b;

    // What is never reset: each word is read only if it was written.
    logic [Xlen-2:0] source_q [Rows];
    logic [Xlen-1:0] target_q [Rows];
    logic [20:0]     data_q   [Rows];

    logic [Rows-1:0] valid_q, has_source_q, has_target_q, has_data_q;
    logic [Rows-1:0] valid_d, has_source_d, has_target_d, has_data_d;
    logic [Rows-1:0] cleared, recorded, accessed, set_source, valid_then;

    logic               touch, write, csr, hit;
    logic [RowBits-1:0] row, csr_row;
    logic [20:0]        csr_data;

    assign touch    = touch_i[b];
    assign write    = write_i[b];
    assign row      = row_i[6*b +: RowBits];
    assign csr      = (csr_bank == Bank);
    assign csr_row  = csr ? csr_index_i[2 +: RowBits] : {RowBits{1'b0}};  // nothing moves in the other banks
    assign csr_data = {csr_wdata_i[31:15], csr_wdata_i[3:0]};

    // --- Bits beside the memories --------------------------------------------------------------------

    // One bit for each row.
    assign cleared    = clear_i ? ~({Rows{1'b1}} << clear_last_i[2 +: RowBits] << 1) : {Rows{1'b0}};
    assign recorded   = touch ? {{(Rows-1){1'b0}}, 1'b1} << row : {Rows{1'b0}};
    assign accessed   = (csr && csr_we) ? {{(Rows-1){1'b0}}, 1'b1} << csr_row : {Rows{1'b0}};
    assign set_source = accessed & {Rows{csr_source_we_i}};
    assign valid_then = (recorded & {Rows{valid_i[b]}}) | (~recorded & valid_q);
    assign valid_d      = ~cleared & ((set_source & {Rows{csr_wdata_i[0]}}) | (~set_source & valid_then));
    assign has_source_d = ~cleared & (has_source_q | (recorded & {Rows{write}}) | set_source);
    assign has_target_d = ~cleared & (has_target_q | (recorded & {Rows{write}}) | (accessed & {Rows{csr_target_we_i}}));
    assign has_data_d   = ~cleared & (has_data_q   | (recorded & {Rows{write}}) | (accessed & {Rows{csr_data_we_i}}));

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        valid_q      <= '0;
        has_source_q <= '0;
        has_target_q <= '0;
        has_data_q   <= '0;
      end else begin
        valid_q      <= valid_d;
        has_source_q <= has_source_d;
        has_target_q <= has_target_d;
        has_data_q   <= has_data_d;
      end
    end

    // --- Memories --------------------------------------------------------------------------------------

    always_ff @(posedge clk_i) begin
      if (write) begin
        source_q[row] <= source_i[(Xlen-1)*b +: Xlen-1];
        target_q[row] <= target_i[Xlen*b +: Xlen];
        data_q[row]   <= data_i[21*b +: 21];
      end
      if (csr && csr_source_we_i) source_q[csr_row] <= csr_wdata_i[Xlen-1:1];
      if (csr && csr_target_we_i) target_q[csr_row] <= csr_wdata_i;
      if (csr && csr_data_we_i)   data_q[csr_row]   <= csr_data;
    end

    // --- The access reads what the records leave -------------------------------------------------------

    assign hit = write && (row == csr_row);

    assign read_source[Xlen*b +: Xlen] = {
      hit ? source_i[(Xlen-1)*b +: Xlen-1] : has_source_q[csr_row] ? source_q[csr_row] : {(Xlen-1){1'b0}},
      (touch && (row == csr_row)) ? valid_i[b] : valid_q[csr_row]};
    assign read_target[Xlen*b +: Xlen] = {{(Xlen-1){1'b1}}, TargetBit0} &
      (hit ? target_i[Xlen*b +: Xlen] : has_target_q[csr_row] ? target_q[csr_row] : {Xlen{1'b0}});
    assign read_data[21*b +: 21] = DataMask &
      (hit ? data_i[21*b +: 21] : has_data_q[csr_row] ? data_q[csr_row] : 21'd0);

    // --- What slots may pop ----------------------------------------------------------------------------

    if (HasCc && (RasPolicy == 2)) begin : gen_before
      logic [7:0]         youngest;
      logic [1:0]         back;
      logic [7:0]         index;
      logic [RowBits-1:0] before_row;
      logic [20:0]        stored;

      assign youngest   = wrptr_i - 8'd1;
      assign back       = youngest[1:0] - Bank;
      assign index      = (youngest - {6'd0, back}) & last_i;
      assign before_row = index[2 +: RowBits];
      assign stored     = has_data_q[before_row] ? data_q[before_row] : 21'd0;
      assign before_o[ctr_pkg::CountBits*b +: ctr_pkg::CountBits] = stored[20:4] & DataMask[20:4];

      logic unused_bits;
      assign unused_bits = ^{index, stored[3:0]};
    end else begin : gen_no_before
      assign before_o[ctr_pkg::CountBits*b +: ctr_pkg::CountBits] = '0;
    end

    logic unused_row;
    assign unused_row = ^row_i[6*b +: 6];
  end

  logic [20:0] data;

  assign csr_source_o = read_source[Xlen*csr_bank +: Xlen];
  assign csr_target_o = read_target[Xlen*csr_bank +: Xlen];
  assign data         = read_data[21*csr_bank +: 21];
  assign csr_data_o   = {data[20:4], 11'd0, data[3:0]};

  logic unused;
  assign unused = ^{csr_index_i, clear_last_i, wrptr_i, last_i};

endmodule
