// SPDX-License-Identifier: Apache-2.0
// One mhpmevent: what its counter counts, in which modes, and its overflow ("A cycle" in docs/reference/hpm-profile.md, steps 1, 3, 4).
module hpm_event
#(
  parameter int          Counts      = 11,  // selectors 0 to Counts-1 have a count
  parameter int          CountBits   = 4,
  parameter logic [63:0] Selectors   = 64'hFFFFFFFFFFFFFFFF,  // those that the counter can count
  parameter bit          HasSscofpmf = 1'b1,
  parameter logic [hpm_pkg::InhibitBits-1:0] Inhibits = 5'b11111
) (
  input  logic                          clk_i,
  input  logic                          rst_ni,

  input  logic [hpm_pkg::InhibitBits-1:0] mode_i,   // hpm_pkg::inhibit_of the mode
  input  logic                          stopped_i,  // the counter does not count, whatever the mode
  input  logic [Counts*CountBits-1:0]   counts_i,   // element k is selector k
  output logic [CountBits-1:0]          count_o,    // what the counter counts of them

  input  logic                          overflow_i,
  input  logic                          we_i,
  input  logic [63:0]                   wdata_i,    // all 64 bits after the write
  output logic [63:0]                   event_o,
  output logic                          of_o,
  output logic                          request_o   // of an interrupt, at the end of this cycle
);

  localparam logic [63:0] Known = (Selectors | 64'd1) & ~(64'hFFFFFFFFFFFFFFFF << Counts);
  localparam logic [hpm_pkg::InhibitBits-1:0] Filters = HasSscofpmf ? Inhibits : 5'b00000;

  // Counts that the counter cannot select are constants, so synthesis leaves them out.
  function automatic logic [Counts*CountBits-1:0] selectable(input logic [63:0] known);
    for (int k = 0; k < Counts; k++) selectable[CountBits*k +: CountBits] = {CountBits{known[k]}};
  endfunction

  localparam logic [Counts*CountBits-1:0] Selectable = selectable(Known);

  logic [Counts*CountBits-1:0] counts;
  assign counts = counts_i & Selectable;

  logic [hpm_pkg::SelectBits-1:0]  select_q, select_d;
  logic [hpm_pkg::InhibitBits-1:0] inhibit_q, inhibit_d;
  logic                            of_q, of_d, of_written, is_known;

  assign count_o = (stopped_i || ((inhibit_q & mode_i) != '0)) ? {CountBits{1'b0}} : counts[CountBits*select_q +: CountBits];

  assign is_known  = (wdata_i[hpm_reg_pkg::SelectLsb + hpm_reg_pkg::SelectWidth - 1:hpm_pkg::SelectBits] == '0) &&
                     Known[wdata_i[hpm_pkg::SelectBits-1:0]];
  assign select_d  = !we_i ? select_q : is_known ? wdata_i[hpm_pkg::SelectBits-1:0] : '0;
  assign inhibit_d = we_i ? wdata_i[hpm_reg_pkg::MinhLsb:hpm_reg_pkg::VuinhLsb] & Filters : inhibit_q;

  // A write comes before the overflow of its cycle.
  assign of_written = we_i ? wdata_i[hpm_reg_pkg::OfLsb] : of_q;
  assign of_d       = HasSscofpmf && (of_written || overflow_i);
  assign request_o  = HasSscofpmf && overflow_i && !of_written;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      select_q  <= '0;
      inhibit_q <= '0;
      of_q      <= '0;
    end else begin
      select_q  <= select_d;
      inhibit_q <= inhibit_d;
      of_q      <= of_d;
    end
  end

  assign event_o = {of_q, inhibit_q, {(hpm_reg_pkg::VuinhLsb-hpm_pkg::SelectBits){1'b0}}, select_q};
  assign of_o    = of_q;

  logic unused_bits;
  assign unused_bits = ^wdata_i[hpm_reg_pkg::VuinhLsb-1:hpm_reg_pkg::SelectWidth];

endmodule
