// SPDX-License-Identifier: Apache-2.0
// Tandem-trace encoder (version 2018-11-20; docs/reference/tandem-profile.md): what a hart did at each retirement to a stream of bytes.
//
// The rows of a cycle are judged together (tandem_lane), wait in a FIFO, and leave one a cycle: packed into bytes (tandem_row), then
// cut into words (tandem_words).
module tandem #(
  parameter int                                 Xlen                  = 64,
  parameter int                                 Flen                  = 64,
  parameter int                                 Mlen                  = 64,
  parameter int                                 NLanes                = 1,
  parameter int                                 Incremental           = 1,
  parameter bit                                 ImpliedEnd            = 0,
  parameter logic [tandem_table_pkg::Parts-1:0] Absent                = '0,
  parameter bit                                 ResponseDataOnFailure = 0,
  parameter int                                 OutBytes              = 32,
  parameter int                                 FifoRows              = 8,
  // Derived, do not set.
  parameter int                                 FBits                 = (Flen > 0) ? Flen : 1
) (
  input  logic                                            clk_i,
  input  logic                                            rst_ni,

  // Rows, lane 0 is the oldest.
  input  logic [NLanes-1:0]                               in_valid_i,
  output logic                                            in_ready_o,
  input  logic [NLanes*tandem_table_pkg::Parts-1:0]       in_has_i,
  input  logic [NLanes*Xlen-1:0]                          in_pc_i,
  input  logic [NLanes*Mlen-1:0]                          in_ppc_i,
  input  logic [NLanes*32-1:0]                            in_insn_i,
  input  logic [NLanes-1:0]                               in_insn16_i,
  input  logic [NLanes*5-1:0]                             in_gpr_addr_i,
  input  logic [NLanes*Xlen-1:0]                          in_gpr_i,
  input  logic [NLanes*5-1:0]                             in_fpr_addr_i,
  input  logic [NLanes*FBits-1:0]                         in_fpr_i,
  input  logic [NLanes*32-1:0]                            in_fcsr_i,
  input  logic [NLanes*tandem_table_pkg::CsrSlots*12-1:0] in_csr_addr_i,
  input  logic [NLanes*tandem_table_pkg::CsrSlots*Xlen-1:0] in_csr_i,
  input  logic [NLanes*2-1:0]                             in_priv_i,
  input  logic [NLanes*Mlen-1:0]                          in_paddr_i,
  input  logic [NLanes*Mlen-1:0]                          in_eaddr_i,
  input  logic [NLanes*2-1:0]                             in_memdata_size_i,
  input  logic [NLanes*64-1:0]                            in_memdata_i,
  input  logic [NLanes*64-1:0]                            in_mtime_i,
  input  logic [NLanes*64-1:0]                            in_mcycle_i,
  input  logic [NLanes*64-1:0]                            in_minstret_i,
  input  logic [NLanes*4-1:0]                             in_req_op_i,
  input  logic [NLanes*2-1:0]                             in_req_size_i,
  input  logic [NLanes*Mlen-1:0]                          in_req_addr_i,
  input  logic [NLanes*64-1:0]                            in_req_data_i,
  input  logic [NLanes-1:0]                               in_rsp_result_i,
  input  logic [NLanes*64-1:0]                            in_rsp_data_i,

  output logic [NLanes-1:0]                               error_o,      // the row taken in the cycle before was no legal one

  // Trace.
  output logic                                            out_valid_o,
  output logic [$clog2(OutBytes+1)-1:0]                   out_count_o,
  output logic [8*OutBytes-1:0]                           out_data_o,   // first byte in the low bits, 0 after the last
  input  logic                                            out_ready_i,

  output logic                                            empty_o
);

  localparam int Parts     = tandem_table_pkg::Parts;
  localparam int CsrSlots  = tandem_table_pkg::CsrSlots;
  localparam int StateBits = tandem_layout_pkg::state_bits(Xlen, tandem_pkg::NBases * Xlen);
  localparam int RowBits   = tandem_layout_pkg::head_bits(Xlen, tandem_table_pkg::CsrSlots * Xlen, FBits, Mlen)
                             + tandem_layout_pkg::tail_bits(Mlen);
  localparam int XBytes    = Xlen / 8;
  localparam int FBytes    = (Flen > 0) ? Flen / 8 : 1;
  localparam int MBytes    = (Mlen + 7) / 8;
  localparam int RowBytes  = 2 + (2 + XBytes) + (2 + MBytes) + 5 + (3 + FBytes) + (2 + CsrSlots) * (3 + XBytes)
                             + 3 + 2 * (2 + MBytes) + 2 * 10 + 2 * (64 / Xlen) * (3 + XBytes) + (MBytes + 10) + 10 + 1;
  localparam int NBits     = $clog2(RowBytes + 1);
  localparam int HeldBits  = $clog2(FifoRows + 1);
  localparam int MostHeld  = FifoRows - NLanes;  // with room for the rows of a cycle

  // --- Rows are judged ------------------------------------------------------------------------------------

  logic [NLanes-1:0]         taken, illegal, made, gpr_sent, gpr_based, resets;
  logic [NLanes*Xlen-1:0]    gpr_base;
  logic [NLanes*RowBits-1:0] rows;
  logic [StateBits-1:0]      state_q;  // what the encoder knows (tandem_lane)
  logic [HeldBits-1:0]       held;

  assign in_ready_o = (held <= MostHeld[HeldBits-1:0]);
  assign taken      = in_valid_i & {NLanes{in_ready_o}};

  if (Incremental == 2) begin : gen_gprs
    tandem_gprs #(
      .Xlen   (Xlen),
      .NLanes (NLanes)
    ) u_gprs (
      .clk_i,
      .rst_ni,
      .forget_i (resets),
      .write_i  (gpr_sent),
      .addr_i   (in_gpr_addr_i),
      .value_i  (in_gpr_i),
      .based_o  (gpr_based),
      .base_o   (gpr_base)
    );
  end else begin : gen_no_gprs
    assign gpr_based = '0;
    assign gpr_base  = '0;
    logic unused_gprs;
    assign unused_gprs = ^{gpr_sent, resets};
  end

  for (genvar k = 0; k < NLanes; k++) begin : gen_lane
    logic [StateBits-1:0] found, after;
    if (k == 0) begin : gen_first
      assign found = state_q;
    end else begin : gen_next
      assign found = gen_lane[k-1].after;
    end

    tandem_lane #(
      .Xlen        (Xlen),
      .Flen        (Flen),
      .Mlen        (Mlen),
      .Incremental (Incremental),
      .ImpliedEnd  (ImpliedEnd),
      .Absent      (Absent)
    ) u_lane (
      .taken_i        (taken[k]),
      .has_i          (in_has_i[Parts*k +: Parts]),
      .pc_i           (in_pc_i[Xlen*k +: Xlen]),
      .ppc_i          (in_ppc_i[Mlen*k +: Mlen]),
      .insn_i         (in_insn_i[32*k +: 32]),
      .insn16_i       (in_insn16_i[k]),
      .gpr_addr_i     (in_gpr_addr_i[5*k +: 5]),
      .gpr_i          (in_gpr_i[Xlen*k +: Xlen]),
      .fpr_addr_i     (in_fpr_addr_i[5*k +: 5]),
      .fpr_i          (in_fpr_i[FBits*k +: FBits]),
      .fcsr_i         (in_fcsr_i[32*k +: 32]),
      .csr_addr_i     (in_csr_addr_i[CsrSlots*12*k +: CsrSlots*12]),
      .csr_i          (in_csr_i[CsrSlots*Xlen*k +: CsrSlots*Xlen]),
      .priv_i         (in_priv_i[2*k +: 2]),
      .paddr_i        (in_paddr_i[Mlen*k +: Mlen]),
      .eaddr_i        (in_eaddr_i[Mlen*k +: Mlen]),
      .memdata_size_i (in_memdata_size_i[2*k +: 2]),
      .memdata_i      (in_memdata_i[64*k +: 64]),
      .mtime_i        (in_mtime_i[64*k +: 64]),
      .mcycle_i       (in_mcycle_i[64*k +: 64]),
      .minstret_i     (in_minstret_i[64*k +: 64]),
      .req_op_i       (in_req_op_i[4*k +: 4]),
      .req_size_i     (in_req_size_i[2*k +: 2]),
      .req_addr_i     (in_req_addr_i[Mlen*k +: Mlen]),
      .req_data_i     (in_req_data_i[64*k +: 64]),
      .rsp_result_i   (in_rsp_result_i[k]),
      .rsp_data_i     (in_rsp_data_i[64*k +: 64]),
      .gpr_based_i    (gpr_based[k]),
      .gpr_base_i     (gpr_base[Xlen*k +: Xlen]),
      .gpr_sent_o     (gpr_sent[k]),
      .reset_o        (resets[k]),
      .state_i        (found),
      .state_o        (after),
      .illegal_o      (illegal[k]),
      .row_valid_o    (made[k]),
      .row_o          (rows[RowBits*k +: RowBits])
    );
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= '0;
      error_o <= '0;
    end else begin
      state_q <= gen_lane[NLanes-1].after;
      error_o <= illegal;
    end
  end

  // --- Rows wait, and become bytes --------------------------------------------------------------------------

  logic                  row_valid, row_ready, words_empty;
  logic [RowBits-1:0]    row;
  logic [NBits-1:0]      nbytes, nbytes_q;
  logic [8*RowBytes-1:0] bytes, bytes_q;
  logic                  bytes_valid_q, bytes_ready;

  trace_fifo_multi #(
    .Width (RowBits),
    .Depth (FifoRows),
    .NPush (NLanes)
  ) u_fifo (
    .clk_i,
    .rst_ni,
    .push_valid_i (made),
    .push_data_i  (rows),
    .valid_o      (row_valid),
    .data_o       (row),
    .ready_i      (row_ready),
    .count_o      (held)
  );

  tandem_row #(
    .Xlen                  (Xlen),
    .Flen                  (Flen),
    .Mlen                  (Mlen),
    .ResponseDataOnFailure (ResponseDataOnFailure)
  ) u_row (
    .row_i    (row),
    .nbytes_o (nbytes),
    .bytes_o  (bytes)
  );

  assign row_ready = !bytes_valid_q || bytes_ready;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni)        bytes_valid_q <= 1'b0;
    else if (row_ready) bytes_valid_q <= row_valid;
  end

  always_ff @(posedge clk_i) begin
    if (row_valid && row_ready) begin
      nbytes_q <= nbytes;
      bytes_q  <= bytes;
    end
  end

  tandem_words #(
    .RowBytes (RowBytes),
    .OutBytes (OutBytes)
  ) u_words (
    .clk_i,
    .rst_ni,
    .row_valid_i  (bytes_valid_q),
    .row_nbytes_i (nbytes_q),
    .row_bytes_i  (bytes_q),
    .row_ready_o  (bytes_ready),
    .out_valid_o,
    .out_count_o,
    .out_data_o,
    .out_ready_i,
    .empty_o      (words_empty)
  );

  assign empty_o = !row_valid && !bytes_valid_q && words_empty;

endmodule
