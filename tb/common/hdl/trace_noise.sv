// SPDX-License-Identifier: Apache-2.0
// Values for what means nothing at an encoder: another in every cycle. `match_o` is often a value that a comparator of
// the filters waits for, so that a comparator that looks where nothing is gives itself away.
module trace_noise
#(
  parameter int NComps = 2
) (
  input  logic                  clk_i,
  input  logic                  run_i,       // 0: start over, so that the cycles Python needs before do not count
  input  logic [NComps*160-1:0] comp_cfg_i,  // {secondary match, primary match, control} of each comparator
  output logic [63:0]           noise_o,
  output logic [63:0]           match_o
);

  localparam int Last = NComps - 1;

  noise_source #(.Shift(0)) u_noise (.clk_i(clk_i), .rst_ni(run_i), .seed_i(32'd0), .busy_i(1'b1), .noise_o(noise_o));

  assign match_o = (noise_o[63:62] == 2'd0) ? comp_cfg_i[32 +: 64] :
                   (noise_o[63:62] == 2'd1) ? comp_cfg_i[96 +: 64] :
                   (noise_o[63:62] == 2'd2) ? comp_cfg_i[160*Last+32 +: 64] : noise_o;

  logic unused;  // control of the comparators, and what lies between those that are shown
  assign unused = ^comp_cfg_i;

endmodule
