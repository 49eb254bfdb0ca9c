// tci_tb: joins ports to a row of kind triggers; what has no port is 0.
// SPDX-License-Identifier: Apache-2.0
// Generated from tb/tci/agents/layout.py; do not edit, type `python -m rvtrace.flow.generate`.
module tci_triggers_join
#(
  parameter int NHarts = 2
) (
  input  logic [63:0]                                   cycle_i,
  input  logic [NHarts*8-1:0]                           fired_i,
  output logic [tci_row_pkg::triggers_bits(NHarts)-1:0] row_o
);

  import tci_row_pkg::*;

  logic [((NHarts + 3)/4*4)*TriggersFiredBits-1:0] fired;
  for (genvar k = 0; k < ((NHarts + 3)/4*4); k++) begin : gen_fired
    if (k < NHarts) begin : gen_given
      assign fired[TriggersFiredBits*k +: TriggersFiredBits] = fired_i[8*k +: 8];
    end else begin : gen_added
      assign fired[TriggersFiredBits*k +: TriggersFiredBits] = 8'd0;
    end
  end

  assign row_o = {
    fired,
    cycle_i
  };

endmodule
