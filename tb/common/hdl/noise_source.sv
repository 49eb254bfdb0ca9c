// SPDX-License-Identifier: Apache-2.0
// Values for ports that mean nothing in a cycle, the same in every simulator: another value after every 2**Shift cycles
// in which something happens. Nothing changes in the other cycles, which would cost Icarus time.
module noise_source
#(
  parameter int Shift = 2
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [31:0] seed_i,
  input  logic        busy_i,
  output logic [63:0] noise_o
);

  logic [31:0] busy;  // cycles in which something happened
  logic [63:0] count;

  initial busy = '0;

  assign count   = {32'd0, busy >> Shift};
  assign noise_o = ({32'd0, seed_i} ^ count ^ {count[0], count[63:1]}) * 64'h9e37_79b9_7f4a_7c15;

  always_ff @(posedge clk_i) busy <= !rst_ni ? 32'd0 : busy + {31'd0, busy_i};

endmodule
