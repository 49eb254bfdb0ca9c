// SPDX-License-Identifier: Apache-2.0
// The cycle counter, and the count that each record of a cycle gets ("Cycle counter" in docs/reference/ctr-profile.md).
module ctr_cycles
#(
  parameter int NTransfers = 4,
  parameter bit HasCc      = 1'b1,
  parameter int CceBits    = 4,
  parameter int RasPolicy  = 0
) (
  input  logic                                   clk_i,
  input  logic                                   rst_ni,

  input  logic                                   active_i,   // this cycle counts
  input  logic                                   restart_i,  // the access of this cycle sets the counter to 0

  // Per slot: it holds a transfer; it makes a record, in RAS emulation; it pops; the bank of the entry it touches.
  input  logic [NTransfers-1:0]                  valid_i,
  input  logic [NTransfers-1:0]                  write_i,
  input  logic [NTransfers-1:0]                  ras_i,
  input  logic [NTransfers-1:0]                  pop_i,
  input  logic [NTransfers*2-1:0]                bank_i,

  // Per bank: {CCE, CCM, CCV} of the entry that slots of this cycle may pop, before them. RasPolicy 2.
  input  logic [ctr_pkg::NBanks*ctr_pkg::CountBits-1:0] stored_i,

  output logic [NTransfers*ctr_pkg::CountBits-1:0]      cc_o  // of the record a slot makes
);

  if (HasCc) begin : gen_cc
    localparam int                  Width   = (CceBits == 0) ? 12 : 11 + (1 << CceBits);
    localparam logic [ctr_pkg::CounterMax:0] Largest = {1'b0, ctr_pkg::largest(CceBits)};

    logic [Width-1:0] count_q, count_d;
    logic             unknown_q, unknown_d;  // the next record has CCV = 0

    // a + b, at most Largest.
    function automatic logic [Width-1:0] sum(input logic [Width-1:0] a, input logic [ctr_pkg::CounterMax-1:0] b);
      logic [ctr_pkg::CounterMax:0] wide;
      wide = {{(ctr_pkg::CounterMax+1-Width){1'b0}}, a} + {1'b0, b};
      sum  = (wide > Largest) ? Largest[Width-1:0] : wide[Width-1:0];
    endfunction

    for (genvar k = 0; k < NTransfers; k++) begin : gen_slot
      logic [Width-1:0]            count_in, count_out;
      logic                        unknown_in, unknown_out;
      logic [ctr_pkg::NBanks*ctr_pkg::CountBits-1:0] stored_in, stored_out;
      logic [ctr_pkg::CounterMax-1:0]       count;
      logic [ctr_pkg::CountBits-1:0]        cc;

      if (k == 0) begin : gen_first
        assign count_in   = count_q;
        assign unknown_in = unknown_q;
        assign stored_in  = stored_i;
      end else begin : gen_next
        assign count_in   = gen_slot[k-1].count_out;
        assign unknown_in = gen_slot[k-1].unknown_out;
        assign stored_in  = gen_slot[k-1].stored_out;
      end

      // Nothing moves after an empty slot.
      assign count = valid_i[k] ? {{(ctr_pkg::CounterMax-Width){1'b0}}, count_in} : {ctr_pkg::CounterMax{1'b0}};
      assign cc    = {ctr_pkg::encoded(count), !unknown_in && !(ras_i[k] && (RasPolicy == 0))};
      assign cc_o[k*ctr_pkg::CountBits +: ctr_pkg::CountBits] = cc;

      if (RasPolicy == 2) begin : gen_adds
        logic [ctr_pkg::CountBits-1:0] popped;
        assign popped      = stored_in[bank_i[2*k +: 2]*ctr_pkg::CountBits +: ctr_pkg::CountBits];
        assign count_out   = write_i[k] ? {Width{1'b0}} :
                             (pop_i[k] && popped[0]) ? sum(count_in, ctr_pkg::decoded(popped[ctr_pkg::CountBits-1:1])) : count_in;
        assign unknown_out = write_i[k] ? 1'b0 : unknown_in || (pop_i[k] && !popped[0]);
        assign stored_out  = write_i[k] ? with_count(stored_in, bank_i[2*k +: 2], cc) : stored_in;
      end else begin : gen_keeps
        assign count_out   = write_i[k] ? {Width{1'b0}} : count_in;
        assign unknown_out = write_i[k] ? 1'b0 : unknown_in || (pop_i[k] && (RasPolicy == 1));
        assign stored_out  = stored_in;

        logic unused;
        assign unused = ^bank_i[2*k +: 2];
      end
    end

    function automatic logic [ctr_pkg::NBanks*ctr_pkg::CountBits-1:0] with_count(
      input logic [ctr_pkg::NBanks*ctr_pkg::CountBits-1:0] stored, input logic [1:0] bank,
      input logic [ctr_pkg::CountBits-1:0] cc);
      with_count = stored;
      for (int b = 0; b < ctr_pkg::NBanks; b++) begin
        if (bank == b[1:0]) with_count[b*ctr_pkg::CountBits +: ctr_pkg::CountBits] = cc;
      end
    endfunction

    assign count_d   = restart_i ? {Width{1'b0}} :
                       sum(gen_slot[NTransfers-1].count_out, {{(ctr_pkg::CounterMax-1){1'b0}}, active_i});
    assign unknown_d = restart_i || gen_slot[NTransfers-1].unknown_out;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        count_q   <= '0;
        unknown_q <= 1'b1;
      end else begin
        count_q   <= count_d;
        unknown_q <= unknown_d;
      end
    end

    logic unused_stored;
    assign unused_stored = ^gen_slot[NTransfers-1].stored_out;
  end else begin : gen_no_cc
    assign cc_o = '0;

    logic unused;
    assign unused = ^{clk_i, rst_ni, active_i, restart_i, valid_i, write_i, ras_i, pop_i, bank_i, stored_i};
  end

endmodule
