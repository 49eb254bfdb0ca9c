// SPDX-License-Identifier: Apache-2.0
// A bulk run of an encoder: play, drain until all is empty and stays so, done. Anything else is given up, after
// +give_up= cycles without progress.
module run_control (
  input  logic        clk_i,
  input  logic        go_i,
  input  logic        played_i,         // the player is at its end
  input  logic        accept_i,         // the ingress port accepts a row
  input  logic        empty_i,
  output logic        play_o,
  output logic        draining_o,       // all was played
  output logic        done_o,
  output logic [63:0] cycle_o,
  output logic        stuck_ingress_o,
  output logic        stuck_empty_o
);

  localparam logic [63:0] GiveUp = 64'd200_000;
  localparam logic [63:0] Quiet  = 64'd8;  // cycles that must stay empty at the end

  logic [63:0] quiet, idle, give_up;

  initial if ($value$plusargs("give_up=%d", give_up) == 0) give_up = GiveUp;

  assign play_o          = go_i && !done_o;
  assign draining_o      = played_i && play_o;
  assign stuck_ingress_o = (idle == give_up) && !draining_o;
  assign stuck_empty_o   = (idle == give_up) && draining_o;

  initial done_o = 1'b0;

  always_ff @(posedge clk_i) begin
    if (!go_i) begin
      done_o  <= 1'b0;
      cycle_o <= '0;
      quiet   <= '0;
      idle    <= '0;
    end else begin
      cycle_o <= cycle_o + 64'd1;
      // X counts as not empty and not ready, so that the run still ends.
      quiet   <= (draining_o && (empty_i === 1'b1)) ? quiet + 64'd1 : 64'd0;
      idle    <= (draining_o || (accept_i !== 1'b1)) ? idle + 64'd1 : 64'd0;
      if ((quiet == Quiet) || (idle == give_up)) done_o <= 1'b1;
    end
  end

endmodule
