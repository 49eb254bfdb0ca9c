// SPDX-License-Identifier: Apache-2.0
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

  // Rows of both files: tb/hpm/agents/layout.py, from which hpm_stimulus_drive and hpm_recorded_join are generated.
  localparam logic [31:0] Present = (Counters & 32'hffff_fff8) | 32'h0000_0005;
  localparam int NCounters = below(32);
  localparam int RowBits   = hpm_row_pkg::stimulus_bits(NEvents);
  localparam int SeenBits  = hpm_row_pkg::recorded_bits(NEvents, NCounters);

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
  logic [11:0]                  csr_addr;
  logic [Xlen-1:0]              csr_wdata;
  logic [63:0]                  csr_time, noise;

  hpm_stimulus_drive #(.Xlen(Xlen), .NEvents(NEvents), .EventBits(EventBits)) u_drive (
    .bulk_i(drive_bulk_i), .row_i(row), .priv_i(hart_priv_i), .priv_o(hart_priv),
    .stopcount_i(hart_stopcount_i), .stopcount_o(stopcount), .running_i(hart_running_i), .running_o(running),
    .retired_i(hart_retired_i), .retired_o(retired), .op_i(csr_op_i), .op_o(csr_op),
    .access_i(csr_valid_i), .access_o(csr_valid), .mode_i(csr_priv_i), .mode_o(csr_priv),
    .xlen32_i(csr_xlen32_i), .xlen32_o(csr_xlen32), .addr_i(csr_addr_i), .addr_o(csr_addr),
    .wdata_i(csr_wdata_i), .wdata_o(csr_wdata), .time_i(csr_time_i), .time_o(csr_time),
    .events_i(hart_events_i), .events_o(events)
  );

  trace_player #(.RowBits(RowBits), .Levels(hpm_row_pkg::StimulusLevels)) u_player (
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

  // A row is written one cycle later, when it is known whether the state went on as it did before. seen_: what was on the ports.
  logic [64*NCounters-1:0]      counters;
  logic [31:0]                  of, bent, stray;
  logic                         lcofi, lcofie, was_same, same, something_before, unknown;
  logic                         seen_unknown, seen_state_unknown, seen_stray, seen_access, seen_xlen32;
  logic [63:0]                  seen_cycle, seen_time;
  logic [3:0]                   seen_retired;
  logic [NEvents*EventBits-1:0] seen_events;
  logic [2:0]                   seen_op, seen_mode;
  logic [1:0]                   seen_outcome;
  logic [11:0]                  seen_addr;
  logic [Xlen-1:0]              seen_wdata, seen_rdata;
  logic [SeenBits-1:0]          seen;

  assign unknown = csr_valid && ((^{csr_rdata_o, csr_outcome_o}) === 1'bx);
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
    was_same           <= same;
    something_before   <= something;
    seen_cycle         <= cycle;
    seen_retired       <= retired;
    seen_events        <= events;
    seen_access        <= csr_valid;
    seen_op            <= csr_valid ? csr_op : 3'd0;
    seen_mode          <= csr_valid ? csr_priv : 3'd0;
    seen_xlen32        <= csr_valid && csr_xlen32;
    seen_addr          <= csr_valid ? csr_addr : 12'd0;
    seen_outcome       <= csr_valid ? csr_outcome_o : 2'd0;
    seen_wdata         <= csr_valid ? csr_wdata : {Xlen{1'b0}};
    seen_time          <= csr_valid ? csr_time : 64'd0;
    seen_rdata         <= csr_valid ? csr_rdata_o : {Xlen{1'b0}};
    seen_unknown       <= unknown;
    seen_state_unknown <= (^{state_counter_o, state_of_o, state_lcofi_o, state_lcofie_o}) === 1'bx;
    seen_stray         <= stray != '0;
  end

  hpm_recorded_join #(.Xlen(Xlen), .NEvents(NEvents), .EventBits(EventBits), .NCounters(NCounters)) u_join (
    .cycle_i(seen_cycle), .priv_i(hart_before[2:0]), .stopcount_i(hart_before[3]), .running_i(hart_before[4]), .lcofi_i(lcofi),
    .lcofie_i(lcofie), .unknown_i(seen_unknown), .state_unknown_i(seen_state_unknown), .stray_i(seen_stray),
    .retired_i(seen_retired), .op_i(seen_op), .access_i(seen_access), .mode_i(seen_mode), .xlen32_i(seen_xlen32),
    .addr_i(seen_addr), .outcome_i(seen_outcome), .wdata_i(seen_wdata), .time_i(seen_time), .rdata_i(seen_rdata),
    .events_i(seen_events), .of_i(of), .counters_i(counters), .row_o(seen)
  );

  row_recorder #(.Bits(SeenBits), .File("rows.bin")) u_rows (
    .clk_i(clk_o), .go_i(play && drive_bulk_i), .write_i((cycle != 64'd0) && (something_before || (bent !== '0) || !same || !was_same || last)),
    .row_i(seen)
  );

endmodule
