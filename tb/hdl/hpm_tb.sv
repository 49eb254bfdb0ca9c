// Counter testbench: clock, device, and the two ways to drive it.
//
// drive_bulk_i = 1: trace_player plays `stimulus.bin` and row_recorder writes what was on the ports to `rows.bin`, from
// go_i rising to done_o. drive_bulk_i = 0: the ports below are the device's, and cocotb drives and samples them every
// cycle (tb/agents). What means nothing (access and time where there is no access) is noise at the device.
module hpm_tb
#(
  parameter int Xlen      = 64,
  parameter int NRetired  = 4,
  parameter int NEvents   = 8,
  parameter int EventBits = 2,
  parameter logic [31:0]      Counters  = 32'hffff_fff8,
  parameter logic [32*7-1:0]  Widths    = {32{7'd64}},
  parameter logic [32*64-1:0] Selectors = {2048{1'b1}},
  parameter logic [31:0]      Inhibit   = 32'hffff_fffd,
  parameter int HasU             = 1,
  parameter int HasS             = 1,
  parameter int HasH             = 1,
  parameter int HasSscofpmf      = 1,
  parameter int HasSmcntrpmf     = 1,
  parameter int HasShlcofideleg  = 1
) (
  output logic                         clk_o,
  input  logic                         rst_ni,

  // Bulk drive.
  input  logic                         drive_bulk_i,
  input  logic                         go_i,
  output logic                         done_o,
  input  logic [31:0]                  noise_seed_i,

  // Pins drive.
  input  logic [2:0]                   hart_priv_i,
  input  logic                         hart_stopcount_i,
  input  logic                         hart_running_i,
  input  logic [3:0]                   hart_retired_i,
  input  logic [NEvents*EventBits-1:0] hart_events_i,
  input  logic                         csr_valid_i,
  input  logic [2:0]                   csr_op_i,
  input  logic [11:0]                  csr_addr_i,
  input  logic [Xlen-1:0]              csr_wdata_i,
  input  logic [2:0]                   csr_priv_i,
  input  logic                         csr_xlen32_i,
  input  logic [63:0]                  csr_time_i,
  output logic [Xlen-1:0]              csr_rdata_o,
  output logic [1:0]                   csr_outcome_o,
  output logic                         state_lcofi_o,
  output logic                         state_lcofie_o,
  output logic [31:0]                  state_of_o,
  output logic [32*64-1:0]             state_counter_o
);

  // Rows of both files, as tb/agents/hpm_rows.py has them. Behind gap (or cycle, 64 bits) and levels (32 bits: 2:0 priv, 3 stopcount,
  // 4 running; recorded also 5 lcofi, 6 lcofie, 8 and 9 X, 10 a counter that is not there is not 0) retired and an access: bit 3 valid and 2:0 op, mode, xlen32 (a byte each),
  // address (2 bytes), outcome (a byte, 5 of 0), operand, time (8 bytes each); only recorded: value read (8). Then the events, a byte
  // each, filled up to 32 bits with 0; only recorded: OF bits (4 bytes), the counters that are there (8 bytes each).
  localparam int EventsBits = ((NEvents + 3)/4)*32;
  localparam int RowBits    = 64 + 32 + 32 + 64 + 64 + 64 + EventsBits;
  localparam logic [31:0] Present = (Counters & 32'hffff_fff8) | 32'h0000_0005;
  localparam int SeenBits   = RowBits + 64 + 32 + 64*below(32);
  localparam int EventsAt   = RowBits - EventsBits;

  // How many counters have a lower number.
  function automatic int below(input int n);
    below = 0;
    for (int k = 0; k < n; k++) below = below + {31'd0, Present[k]};
  endfunction

  initial clk_o = 1'b0;
  always #5 clk_o = !clk_o;

  // What is played or driven.
  logic [RowBits-1:0]           row;
  logic                         play, played, last, finish;
  logic [2:0]                   hart_priv, csr_op, csr_priv;
  logic                         stopcount, running, csr_valid, csr_xlen32;
  logic [3:0]                   retired;
  logic [NEvents*EventBits-1:0] events;
  logic [EventsBits-1:0]        seen_events;
  logic [11:0]                  csr_addr;
  logic [Xlen-1:0]              csr_wdata;
  logic [63:0]                  csr_time, noise;

  assign hart_priv  = drive_bulk_i ? row[66:64]       : hart_priv_i;
  assign stopcount  = drive_bulk_i ? row[67]          : hart_stopcount_i;
  assign running    = drive_bulk_i ? row[68]          : hart_running_i;
  assign retired    = drive_bulk_i ? row[99:96]       : hart_retired_i;
  assign csr_valid  = drive_bulk_i ? row[107]         : csr_valid_i;
  assign csr_op     = drive_bulk_i ? row[106:104]     : csr_op_i;
  assign csr_priv   = drive_bulk_i ? row[114:112]     : csr_priv_i;
  assign csr_xlen32 = drive_bulk_i ? row[120]         : csr_xlen32_i;
  assign csr_addr   = drive_bulk_i ? row[139:128]     : csr_addr_i;
  assign csr_wdata  = drive_bulk_i ? row[192 +: Xlen] : csr_wdata_i;
  assign csr_time   = drive_bulk_i ? row[256 +: 64]   : csr_time_i;

  for (genvar k = 0; k < NEvents; k++) begin : gen_event
    assign events[EventBits*k +: EventBits] = drive_bulk_i ? row[EventsAt + 8*k +: EventBits] : hart_events_i[EventBits*k +: EventBits];
  end
  for (genvar k = 0; k < EventsBits/8; k++) begin : gen_seen
    if (k < NEvents) begin : gen_there
      assign seen_events[8*k +: 8] = 8'(events[EventBits*k +: EventBits]);
    end else begin : gen_filled
      assign seen_events[8*k +: 8] = 8'd0;
    end
  end

  trace_player #(.RowBits(RowBits), .Levels(32'h0000_001f)) u_player (
    .clk_i(clk_o), .go_i(play && drive_bulk_i), .accept_i(1'b1), .row_o(row), .done_o(played)
  );

  hpm #(
    .Xlen(Xlen), .NRetired(NRetired), .NEvents(NEvents), .EventBits(EventBits), .Counters(Counters), .Widths(Widths),
    .Selectors(Selectors), .Inhibit(Inhibit), .HasU(HasU != 0), .HasS(HasS != 0), .HasH(HasH != 0),
    .HasSscofpmf(HasSscofpmf != 0), .HasSmcntrpmf(HasSmcntrpmf != 0), .HasShlcofideleg(HasShlcofideleg != 0)
  ) u_dut (
    .clk_i(clk_o), .rst_ni(rst_ni), .priv_i(hart_priv), .stopcount_i(stopcount), .cycle_i(running), .retired_i(retired),
    .events_i(events), .time_i(csr_valid ? csr_time : ~noise),
    .csr_valid_i(csr_valid), .csr_op_i(csr_valid ? csr_op : noise[22:20]), .csr_addr_i(csr_valid ? csr_addr : noise[34:23]),
    .csr_wdata_i(csr_valid ? csr_wdata : noise[Xlen-1:0]), .csr_priv_i(csr_valid ? csr_priv : noise[37:35]),
    .csr_xlen32_i(csr_valid ? csr_xlen32 : noise[38]), .csr_rdata_o(csr_rdata_o), .csr_outcome_o(csr_outcome_o),
    .lcofi_o(state_lcofi_o), .lcofie_o(state_lcofie_o), .counter_o(state_counter_o), .of_o(state_of_o)
  );

  noise_source u_noise (.clk_i(clk_o), .rst_ni(rst_ni), .seed_i(noise_seed_i), .busy_i(something), .noise_o(noise));

  // A run: play, one cycle behind the last row, one in which that one is written, done.
  logic [63:0] cycle;
  logic [4:0]  hart, hart_before;
  logic        something, begun;

  assign play      = go_i && !finish;
  assign done_o    = finish;
  assign hart      = {running, stopcount, hart_priv};
  assign begun     = rst_ni && (!drive_bulk_i || go_i);
  assign something = csr_valid || (retired != '0) || (events != '0) || (hart != hart_before) || (cycle == 64'd0);

  initial begin
    finish = 1'b0;
    last   = 1'b0;
    cycle  = '0;
  end

  always_ff @(posedge clk_o) begin
    hart_before <= hart;
    cycle       <= begun ? cycle + 64'd1 : 64'd0;
    last        <= go_i && played;
    finish      <= go_i && (finish || last);
  end

  // A row is written one cycle later, when it is known whether the state went on as it did before.
  logic [64*below(32)-1:0] counters;
  logic [31:0]       of, bent, stray;
  logic              lcofi, lcofie, was_same, same, something_before, unknown;
  logic [RowBits+63:0] seen;  // levels 6:5 are `state`
  logic [6:0]        state;

  logic unused_bits;
  assign unused_bits = ^{row, seen[70:69]};

  assign unknown = csr_valid && ((^{csr_rdata_o, csr_outcome_o}) === 1'bx);
  assign state   = {lcofie, lcofi, seen[68:64]};
  assign same    = {of, lcofi, lcofie} == {state_of_o, state_lcofi_o, state_lcofie_o};
  for (genvar n = 0; n < 32; n++) begin : gen_counter
    if (Present[n]) begin : gen_there
      logic [63:0] counter, step, more;  // of the row; what it was more than the one before; what it is now

      assign stray[n] = 1'b0;
      assign more     = state_counter_o[64*n +: 64] - counter;
      assign bent[n]  = more != step;
      assign counters[64*below(n) +: 64] = counter;
      always_ff @(posedge clk_o) begin
        counter <= state_counter_o[64*n +: 64];
        step    <= more;
      end
    end else begin : gen_absent
      assign stray[n] = state_counter_o[64*n +: 64] !== 64'd0;
      assign bent[n]  = stray[n];
    end
  end

  always_ff @(posedge clk_o) begin
    {of, lcofi, lcofie} <= {state_of_o, state_lcofi_o, state_lcofie_o};
    was_same         <= same;
    something_before <= something;
    seen             <= {
      seen_events, csr_valid ? {{(64-Xlen){1'b0}}, csr_rdata_o} : 64'd0, csr_valid ? csr_time : 64'd0,
      csr_valid ? {{(64-Xlen){1'b0}}, csr_wdata} : 64'd0, 46'd0, csr_valid ? csr_outcome_o : 2'd0, 4'd0, csr_valid ? csr_addr : 12'd0,
      7'd0, csr_valid && csr_xlen32, 5'd0, csr_valid ? csr_priv : 3'd0, 4'd0, csr_valid, csr_valid ? csr_op : 3'd0, 4'd0, retired,
      21'd0, stray != '0, (^{state_counter_o, state_of_o, state_lcofi_o, state_lcofie_o}) === 1'bx, unknown, 3'd0, hart, cycle};
  end

  row_recorder #(.Bits(SeenBits), .File("rows.bin")) u_rows (
    .clk_i(clk_o), .go_i(play && drive_bulk_i), .write_i((cycle != 64'd0) && (something_before || (bent !== '0) || !same || !was_same || last)),
    .row_i({counters, of, seen[RowBits+63:71], state, seen[63:0]})
  );

endmodule
