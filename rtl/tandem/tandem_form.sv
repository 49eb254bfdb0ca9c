// SPDX-License-Identifier: Apache-2.0
// How a register is sent: with the bits that are new, with the difference, or in full. The first that can say it is taken.
module tandem_form #(
  parameter int Xlen = 64
) (
  input  logic                            based_i,   // it has a base
  input  logic [Xlen-1:0]                 base_i,
  input  logic [Xlen-1:0]                 value_i,

  output logic [tandem_table_pkg::FormBits-1:0] form_o,
  output logic [Xlen-1:0]                 data_o     // value, offset or mask: as many low bytes as the form sends
);

  logic [Xlen-1:0] set, cleared, difference;
  logic            sets, adds;

  assign set        = value_i & ~base_i;
  assign cleared    = base_i & ~value_i;
  assign difference = value_i - base_i;
  assign sets       = based_i && (cleared == '0) && (set[Xlen-1:8] == '0);
  assign adds       = based_i && (difference[Xlen-1:7] == {(Xlen-7){difference[7]}});

  assign form_o = sets ? tandem_table_pkg::FormOr : adds ? tandem_table_pkg::FormAdd : tandem_table_pkg::FormFull;
  assign data_o = {value_i[Xlen-1:8], sets ? set[7:0] : adds ? difference[7:0] : value_i[7:0]};

endmodule
