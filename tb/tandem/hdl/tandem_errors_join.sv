// tandem_tb: joins ports to a row of kind errors; what has no port is 0.
// SPDX-License-Identifier: Apache-2.0
// Generated from tb/tandem/agents/layout.py; do not edit, type `python -m rvtrace.flow.generate`.
module tandem_errors_join
#(
  parameter int NLanes = 1
) (
  input  logic [63:0]                           cycle_i,
  input  logic [NLanes-1:0]                     lanes_i,
  input  logic                                  unknown_i,
  output logic [tandem_row_pkg::ErrorsBits-1:0] row_o
);

  import tandem_row_pkg::*;

  assign row_o = {
    32'(unknown_i),
    32'(lanes_i),
    cycle_i
  };

endmodule
