// SPDX-License-Identifier: Apache-2.0
// Finds the period of a full HIST (docs/reference/ntrace-profile.md, "Pattern"; 9.3). Combinational.
//
// Of the H = HistBits-1 branches the oldest whole periods become the pattern that is held; what is after
// them, less than a period, stays in HIST. Without a period the pattern is the whole HIST.
module ntrace_pattern
#(
  parameter int HistBits = 32
) (
  input  logic [HistBits-1:0] hist_i,     // the stop bit is the top bit
  output logic [HistBits-1:0] pattern_o,
  output logic [HistBits-1:0] rest_o
);

  localparam int Branches = HistBits - 1;
  localparam int Longest  = Branches / 2;
  localparam logic [HistBits-1:0] One = {{(HistBits-1){1'b0}}, 1'b1};

  logic [Branches-1:0] branches;  // the top bit is the oldest
  assign branches = hist_i[Branches-1:0];

  // From the longest period to the shortest, which wins.
  for (genvar k = 0; k <= Longest; k++) begin : gen_period
    logic [HistBits-1:0] pattern, rest;
    if (k == 0) begin : gen_none
      assign pattern = hist_i;
      assign rest    = One;
    end else begin : gen_try
      localparam int Period = Longest + 1 - k;
      localparam int Rest   = Branches % Period;
      logic repeats;
      assign repeats = (branches[Branches-1:Period] == branches[Branches-1-Period:0]);
      assign pattern = !repeats ? gen_period[k-1].pattern
                                : ({1'b0, branches} >> Rest) | (One << (Branches - Rest));
      assign rest    = !repeats ? gen_period[k-1].rest
                                : ({1'b0, branches} & ((One << Rest) - One)) | (One << Rest);
    end
  end

  assign pattern_o = gen_period[Longest].pattern;
  assign rest_o    = gen_period[Longest].rest;

endmodule
