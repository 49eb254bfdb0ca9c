// SPDX-License-Identifier: Apache-2.0
// Assertion on the banks, for Verilator; bound to every instance of ctr_record.
//
// What a group touches are neighbours: no bank is asked for two of its rows.
module ctr_record_assert
#(
  parameter int NTransfers = 4
) (
  input logic [NTransfers-1:0]        touch,
  input logic [NTransfers*8-1:0]      index,
  input logic [ctr_pkg::NBanks*6-1:0] bank_row_o
);

  for (genvar k = 0; k < NTransfers; k++) begin : gen_slot
    always_comb begin
      OneRow: assert final (!touch[k] || (bank_row_o[6*index[8*k +: 2] +: 6] == index[8*k+2 +: 6]))
        else $error("slot %0d touches a second entry of its bank", k);
    end
  end

endmodule

bind ctr_record ctr_record_assert #(
  .NTransfers (NTransfers)
) u_assert (.*);
