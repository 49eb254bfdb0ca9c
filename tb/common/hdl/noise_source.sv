// SPDX-License-Identifier: Apache-2.0
// What stands on ports that mean nothing: another value in every cycle in which something happens. It stands still while nothing
// does, or Icarus wastes its time on it.
module noise_source (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [31:0] seed_i,
  input  logic        busy_i,
  output logic [63:0] noise_o
);

  logic [31:0] busy;  // cycles in which something happened

  initial busy = '0;

  assign noise_o = ({32'd0, seed_i} ^ {34'd0, busy[31:2]} ^ {busy[2], 34'd0, busy[31:3]}) * 64'h9e37_79b9_7f4a_7c15;

  always_ff @(posedge clk_i) busy <= !rst_ni ? 32'd0 : busy + {31'd0, busy_i};

endmodule
