// SPDX-License-Identifier: Apache-2.0
// Pseudo-random ready: low in `percent_low_i` of the cycles, in single cycles and in bursts of 32.
//
// The sequence depends on the seed alone, so two simulators see the same back-pressure.
module ready_source (
  input  logic        clk_i,
  input  logic        run_i,          // 0: start over at the seed
  input  logic [31:0] seed_i,         // not 0
  input  logic [6:0]  percent_low_i,  // 0 to 100
  output logic        ready_o
);

  logic [31:0] state, step_a, step_b, step;  // xorshift32 (Marsaglia)
  logic [4:0]  hold;
  logic [22:0] scaled;

  assign step_a = state ^ {state[18:0], 13'd0};
  assign step_b = step_a ^ {17'd0, step_a[31:17]};
  assign step   = step_b ^ {step_b[26:0], 5'd0};
  assign scaled = {7'd0, step[31:16]} * 23'd100;

  initial ready_o = 1'b0;

  always_ff @(posedge clk_i) begin
    if (!run_i) begin
      state   <= seed_i;
      hold    <= '0;
      ready_o <= 1'b0;
    end else if (hold != '0) begin
      hold    <= hold - 1'b1;
    end else begin
      state   <= step;
      hold    <= (step[3:0] == 4'd0) ? 5'd31 : 5'd0;
      ready_o <= scaled >= {percent_low_i, 16'd0};
    end
  end

endmodule
