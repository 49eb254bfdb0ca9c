// SPDX-License-Identifier: Apache-2.0
// The transfers of one cycle, in slot order: what each does to FROZEN, WRPTR, WRAP and to the entries. Combinational.
//
// A slot touches at most one entry: WRPTR's, or the one before. So what a group touches are neighbours, at most four,
// each in another bank; what the last slot did to it counts.
module ctr_record
#(
  parameter int Xlen       = 64,
  parameter bit Draft      = 1'b0,
  parameter int NTransfers = 4
) (
  input  logic [63:0]                mctl_i,
  input  logic [63:0]                vsctl_i,
  input  logic [7:0]                 last_i,         // depth - 1

  input  logic [NTransfers-1:0]      xfer_valid_i,
  input  logic [NTransfers*4-1:0]    xfer_type_i,
  input  logic [NTransfers*Xlen-1:0] xfer_source_i,
  input  logic [NTransfers*Xlen-1:0] xfer_target_i,
  input  logic [NTransfers-1:0]      xfer_misp_i,
  input  logic [NTransfers*3-1:0]    xfer_from_i,
  input  logic [NTransfers*3-1:0]    xfer_to_i,
  input  logic [NTransfers*8-1:0]    xfer_cause_i,

  // The status before and after the group.
  input  logic                       frozen_i,
  input  logic                       wrap_i,
  input  logic [7:0]                 wrptr_i,
  output logic                       frozen_o,
  output logic                       wrap_o,
  output logic [7:0]                 wrptr_o,

  // For ctr_cycles, per slot.
  output logic [NTransfers-1:0]      write_o,
  output logic [NTransfers-1:0]      ras_o,
  output logic [NTransfers-1:0]      pop_o,
  output logic [NTransfers*2-1:0]    bank_o,
  input  logic [NTransfers*ctr_pkg::CountBits-1:0] cc_i,

  // For ctr_array, per bank: touched, and then is it valid; written.
  output logic [ctr_pkg::NBanks-1:0]         bank_touch_o,
  output logic [ctr_pkg::NBanks-1:0]         bank_valid_o,
  output logic [ctr_pkg::NBanks-1:0]         bank_write_o,
  output logic [ctr_pkg::NBanks*6-1:0]       bank_row_o,
  output logic [ctr_pkg::NBanks*(Xlen-1)-1:0] bank_source_o,  // PC
  output logic [ctr_pkg::NBanks*Xlen-1:0]    bank_target_o,  // {PC, MISP}
  output logic [ctr_pkg::NBanks*21-1:0]      bank_data_o     // {CCE, CCM, CCV, TYPE}
);

  localparam int EntryBits = (Xlen - 1) + Xlen + 21;

  logic [NTransfers-1:0]           touch;
  logic [NTransfers*8-1:0]         index;
  logic [NTransfers*EntryBits-1:0] entry;

  for (genvar k = 0; k < NTransfers; k++) begin : gen_slot
    logic       frozen_in, frozen_out, wrap_in, wrap_out, run;
    logic [7:0] wrptr_in, wrptr_out, wrptr_up, wrptr_down;
    logic       freeze, push, swap, pop, no_source, no_target, does_push, does_swap, does_pop;

    if (k == 0) begin : gen_first
      assign frozen_in = frozen_i;
      assign wrap_in   = wrap_i;
      assign wrptr_in  = wrptr_i;
    end else begin : gen_next
      assign frozen_in = gen_slot[k-1].frozen_out;
      assign wrap_in   = gen_slot[k-1].wrap_out;
      assign wrptr_in  = gen_slot[k-1].wrptr_out;
    end

    // Nothing moves after an empty slot.
    logic [3:0] itype;
    logic [2:0] from, to;
    logic [7:0] cause;
    assign itype = xfer_valid_i[k] ? xfer_type_i[4*k +: 4]  : trace_pkg::ItypeNone;
    assign from  = xfer_valid_i[k] ? xfer_from_i[3*k +: 3]  : csr_pkg::PrivM;
    assign to    = xfer_valid_i[k] ? xfer_to_i[3*k +: 3]    : csr_pkg::PrivM;
    assign cause = xfer_valid_i[k] ? xfer_cause_i[8*k +: 8] : 8'd0;

    ctr_rules #(
      .Draft       (Draft)
    ) u_rules (
      .mctl_i,
      .vsctl_i,
      .type_i      (itype),
      .from_i      (from),
      .to_i        (to),
      .cause_i     (cause),
      .freeze_o    (freeze),
      .push_o      (push),
      .swap_o      (swap),
      .pop_o       (pop),
      .ras_o       (ras_o[k]),
      .no_source_o (no_source),
      .no_target_o (no_target)
    );

    assign run        = xfer_valid_i[k] && !frozen_in;
    assign does_push  = run && push;
    assign does_swap  = run && swap;
    assign does_pop   = run && pop;
    assign wrptr_up   = (wrptr_in + 8'd1) & last_i;
    assign wrptr_down = (wrptr_in - 8'd1) & last_i;

    assign frozen_out = frozen_in || (run && freeze);
    assign wrptr_out  = does_push ? wrptr_up : does_pop ? wrptr_down : wrptr_in;
    assign wrap_out   = (does_push && (wrptr_in == last_i)) ? 1'b1 :
                        (does_pop && (wrptr_in == 8'd0))    ? 1'b0 : wrap_in;

    assign write_o[k]         = does_push || does_swap;
    assign pop_o[k]           = does_pop;
    assign touch[k]           = does_push || does_swap || does_pop;
    assign index[8*k +: 8]    = does_push ? wrptr_in : wrptr_down;
    assign bank_o[2*k +: 2]   = index[8*k +: 2];
    assign entry[EntryBits*k +: EntryBits] = !xfer_valid_i[k] ? {EntryBits{1'b0}} : {
      cc_i[ctr_pkg::CountBits*k +: ctr_pkg::CountBits], itype,
      no_target ? {(Xlen-1){1'b0}} : xfer_target_i[Xlen*k+1 +: Xlen-1], xfer_misp_i[k],
      no_source ? {(Xlen-1){1'b0}} : xfer_source_i[Xlen*k+1 +: Xlen-1]};

    logic unused_bits;  // addresses are even
    assign unused_bits = xfer_source_i[Xlen*k] ^ xfer_target_i[Xlen*k];
  end

  assign frozen_o = gen_slot[NTransfers-1].frozen_out;
  assign wrap_o   = Draft && gen_slot[NTransfers-1].wrap_out;
  assign wrptr_o  = gen_slot[NTransfers-1].wrptr_out;

  // --- Banks -------------------------------------------------------------------------------------------

  // {touched, valid, written, row} of a bank.
  function automatic logic [8:0] found(
    input logic [1:0] bank, input logic [NTransfers-1:0] touches, input logic [NTransfers-1:0] writes,
    input logic [NTransfers*8-1:0] indices);
    found = 9'd0;
    for (int k = 0; k < NTransfers; k++) begin
      if (touches[k] && (indices[8*k +: 2] == bank)) begin
        found = {1'b1, writes[k], found[6] || writes[k], indices[8*k+2 +: 6]};
      end
    end
  endfunction

  function automatic logic [EntryBits-1:0] chosen(
    input logic [1:0] bank, input logic [NTransfers-1:0] writes, input logic [NTransfers*8-1:0] indices,
    input logic [NTransfers*EntryBits-1:0] entries);
    chosen = entries[EntryBits-1:0];
    for (int k = 1; k < NTransfers; k++) begin
      if (writes[k] && (indices[8*k +: 2] == bank)) chosen = entries[EntryBits*k +: EntryBits];
    end
  endfunction

  for (genvar b = 0; b < ctr_pkg::NBanks; b++) begin : gen_bank
    localparam logic [1:0] Bank = b;

    assign {bank_touch_o[b], bank_valid_o[b], bank_write_o[b], bank_row_o[6*b +: 6]} = found(Bank, touch, write_o, index);
    assign {bank_data_o[21*b +: 21], bank_target_o[Xlen*b +: Xlen], bank_source_o[(Xlen-1)*b +: Xlen-1]} =
      chosen(Bank, write_o, index, entry);
  end

endmodule
