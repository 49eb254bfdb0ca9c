// SPDX-License-Identifier: Apache-2.0
// The count of periodic syncs (trTeInstSyncMode) over one step: messages, clock cycles or half-words since the last
// sync, whichever the mode counts. Combinational; trace_pkg::sync_due tells when the next sync is due.
//
// It stops at half its range, which every interval has reached.
module trace_sync_count
#(
  parameter int StepBits = 8  // of half-words, up to SyncCountBits
) (
  input  logic [1:0]                          mode_i,
  input  logic                                clear_i,      // a sync: what was counted before the step is forgotten
  input  logic [3:0]                          messages_i,   // the step, in each unit
  input  logic [trace_pkg::SyncCountBits-1:0] cycles_i,
  input  logic [StepBits-1:0]                 halfwords_i,

  input  logic [trace_pkg::SyncCountBits-1:0] count_i,
  output logic [trace_pkg::SyncCountBits-1:0] count_o
);

  localparam int CountBits = trace_pkg::SyncCountBits;

  logic [CountBits-1:0] step, sum;

  assign step = (mode_i == trace_pkg::SyncModeMessages)  ? {{(CountBits-4){1'b0}}, messages_i} :
                (mode_i == trace_pkg::SyncModeCycles)    ? cycles_i :
                (mode_i == trace_pkg::SyncModeHalfwords) ? {{(CountBits-StepBits){1'b0}}, halfwords_i}
                                                         : {CountBits{1'b0}};
  assign sum     = count_i[CountBits-1] ? count_i : count_i + step;
  assign count_o = clear_i ? step : sum;

endmodule
