// ctr_tb: joins ports to a row of kind recorded; what has no port is 0.
// SPDX-License-Identifier: Apache-2.0
// Generated from tb/ctr/agents/layout.py; do not edit, type `python -m rvtrace.flow.generate`.
module ctr_recorded_join
#(
  parameter int Xlen = 64,
  parameter int NTransfers = 1
) (
  input  logic [63:0]                                       cycle_i,
  input  logic [2:0]                                        priv_i,
  input  logic                                              unknown_i,
  input  logic [2:0]                                        op_i,
  input  logic                                              access_i,
  input  logic [2:0]                                        mode_i,
  input  logic                                              xlen32_i,
  input  logic [1:0]                                        outcome_i,
  input  logic [11:0]                                       addr_i,
  input  logic [Xlen-1:0]                                   wdata_i,
  input  logic [Xlen-1:0]                                   rdata_i,
  input  logic [NTransfers-1:0]                             valid_i,
  input  logic [NTransfers*4-1:0]                           type_i,
  input  logic [NTransfers-1:0]                             misp_i,
  input  logic [NTransfers*3-1:0]                           from_i,
  input  logic [NTransfers*3-1:0]                           to_i,
  input  logic [NTransfers*8-1:0]                           cause_i,
  input  logic [NTransfers*Xlen-1:0]                        source_i,
  input  logic [NTransfers*Xlen-1:0]                        target_i,
  output logic [ctr_row_pkg::recorded_bits(NTransfers)-1:0] row_o
);

  import ctr_row_pkg::*;

  logic [NTransfers*SlotBits-1:0] slots;
  for (genvar k = 0; k < NTransfers; k++) begin : gen_slot
    assign slots[SlotBits*k +: SlotBits] = !valid_i[k] ? {SlotBits{1'b0}} : {
      64'(target_i[Xlen*k +: Xlen]),
      64'(source_i[Xlen*k +: Xlen]),
      24'd0,
      cause_i[8*k +: 8],
      8'(to_i[3*k +: 3]),
      8'(from_i[3*k +: 3]),
      8'(misp_i[k]),
      8'(type_i[4*k +: 4])
    };
  end

  assign row_o = {
    slots,
    64'(rdata_i),
    64'(wdata_i),
    48'd0,
    16'(addr_i),
    8'(outcome_i),
    8'(xlen32_i),
    8'(mode_i),
    {4'd0, access_i, op_i},
    {23'd0, unknown_i, 5'd0, priv_i},
    cycle_i
  };

endmodule
