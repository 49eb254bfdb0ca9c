// tci_tb: joins ports to a row of kind memory; what has no port is 0.
// SPDX-License-Identifier: Apache-2.0
// Generated from tb/tci/agents/layout.py; do not edit, type `python -m rvtrace.flow.generate`.
module tci_memory_join (
  input  logic [63:0]                        cycle_i,
  input  logic [39:0]                        addr_i,
  input  logic [31:0]                        word_i,
  output logic [tci_row_pkg::MemoryBits-1:0] row_o
);

  import tci_row_pkg::*;

  assign row_o = {
    word_i,
    64'(addr_i),
    cycle_i
  };

endmodule
