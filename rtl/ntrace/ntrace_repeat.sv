// SPDX-License-Identifier: Apache-2.0
// What is held back to be counted: RepeatBranch (step 4.3 of docs/reference/ntrace-profile.md, 7.11) and repeated history
// (step 4.6, 9.3), with the flush that goes before any other message. Combinational.
//
// A flush is always the first message of a block: whatever is sent later in the same block finds nothing held.
module ntrace_repeat
#(
  parameter int Xlen       = 64,
  parameter int IcntBits   = 22,
  parameter int HistBits   = 32,
  parameter int RepeatBits = 18,
  // Derived, do not set.
  parameter int HeldWidth  = ntrace_layout_pkg::held_bits(IcntBits, HistBits, Xlen - 1, RepeatBits)
) (
  input  logic                  repeat_branch_i,
  input  logic                  repeated_history_i,

  // 4.2 has a branch message without SYNC; the next one like it will be a repetition.
  input  logic                  branch_i,
  input  logic [5:0]            branch_tcode_i,
  input  logic [1:0]            branch_btype_i,
  input  logic [IcntBits-1:0]   branch_icnt_i,
  input  logic [HistBits-1:0]   branch_hist_i,
  input  logic [Xlen-2:0]       branch_target_i,
  input  logic                  branch_becomes_i,

  // Ownership is sent; another message is sent before it, or after it.
  input  logic                  own_i,
  input  logic                  before_i,
  input  logic                  behind_i,

  // The block shifted a branch into HIST; HIST is full, and its pattern is to be held.
  input  logic                  hist_shifted_i,
  input  logic [HistBits-1:0]   hist_i,
  input  logic                  hold_i,
  input  logic [HistBits-1:0]   pattern_i,

  // The branch message is counted, not sent; HIST is counted, and empty.
  output logic                  branch_counted_o,
  output logic                  hist_counted_o,

  // The flush: RepeatBranch or ResourceFull.
  output logic                            flush_o,
  output logic [5:0]                      flush_tcode_o,
  output logic [3:0]                      flush_rcode_o,
  output logic [ntrace_pkg::Var0Bits-1:0] flush_var0_o,
  output logic [RepeatBits-1:0]           flush_hrepeat_o,

  // ntrace_layout_pkg, "held"
  input  logic [HeldWidth-1:0]  state_i,
  output logic [HeldWidth-1:0]  state_o
);

  localparam int Var0Bits = ntrace_pkg::Var0Bits;
  localparam logic [RepeatBits-1:0] One = {{(RepeatBits-1){1'b0}}, 1'b1};

  // Fields whose place depends on parameters.
  localparam int RbHistAt   = ntrace_layout_pkg::held_rb_hist(IcntBits);
  localparam int RbTargetAt = ntrace_layout_pkg::held_rb_target(IcntBits, HistBits);
  localparam int RbCountAt  = ntrace_layout_pkg::held_rb_count(IcntBits, HistBits, Xlen - 1);
  localparam int RepCountAt = ntrace_layout_pkg::held_rep_count(IcntBits, HistBits, Xlen - 1, RepeatBits);
  localparam int RepHistAt  = ntrace_layout_pkg::held_rep_hist(IcntBits, HistBits, Xlen - 1, RepeatBits);

  wire                  rb_valid  = state_i[ntrace_layout_pkg::HeldRbValid];
  wire [5:0]            rb_tcode  = state_i[ntrace_layout_pkg::HeldRbTcode +: 6];
  wire [1:0]            rb_btype  = state_i[ntrace_layout_pkg::HeldRbBtype +: 2];
  wire [IcntBits-1:0]   rb_icnt   = state_i[ntrace_layout_pkg::HeldRbIcnt +: IcntBits];
  wire [HistBits-1:0]   rb_hist   = state_i[RbHistAt +: HistBits];
  wire [Xlen-2:0]       rb_target = state_i[RbTargetAt +: Xlen-1];
  wire [RepeatBits-1:0] rb_count  = state_i[RbCountAt +: RepeatBits];
  wire [RepeatBits-1:0] rep_count = state_i[RepCountAt +: RepeatBits];
  wire [HistBits-1:0]   rep_hist  = state_i[RepHistAt +: HistBits];

  // RepeatBranch. While a HIST is held there is no rb: holding it was a flush.
  logic rb_equal;
  assign rb_equal = rb_valid && (branch_tcode_i == rb_tcode) && (branch_btype_i == rb_btype) &&
                    (branch_icnt_i == rb_icnt) && (branch_hist_i == rb_hist) && (branch_target_i == rb_target);
  assign branch_counted_o = branch_i && rb_equal && !own_i;

  // Repeated history. A message sent earlier in this block has flushed what was held.
  logic sent_before;
  assign sent_before    = (branch_i && !branch_counted_o) || before_i || own_i;
  assign hist_counted_o = repeated_history_i && hist_shifted_i && !sent_before &&
                          (rep_count != '0) && (hist_i == rep_hist);

  logic [RepeatBits-1:0] rb_count_now, rep_count_now;
  logic                  count_full;
  assign rb_count_now  = branch_counted_o ? rb_count + One : rb_count;
  assign rep_count_now = hist_counted_o ? rep_count + One : rep_count;
  assign count_full    = (branch_counted_o && (&rb_count_now)) || (hist_counted_o && (&rep_count_now));

  logic flush, flush_rb;
  assign flush           = sent_before || behind_i || hold_i || count_full;
  assign flush_rb        = (rb_count_now != '0);
  assign flush_o         = flush && (flush_rb || (rep_count_now != '0));
  assign flush_tcode_o   = flush_rb ? ntrace_pkg::TcodeRepeatBranch : ntrace_pkg::TcodeResourceFull;
  assign flush_rcode_o   = (rep_count_now == One) ? ntrace_pkg::RcodeHist : ntrace_pkg::RcodeHistRepeat;
  assign flush_var0_o    = flush_rb ? {{(Var0Bits-RepeatBits){1'b0}}, rb_count_now}
                                    : {{(Var0Bits-HistBits){1'b0}}, rep_hist};
  assign flush_hrepeat_o = rep_count_now;

  // The branch message that is sent becomes rb if nothing is sent after it.
  logic rb_new;
  assign rb_new = repeat_branch_i && branch_i && !branch_counted_o && branch_becomes_i && !own_i;

  assign state_o[ntrace_layout_pkg::HeldRbValid]            = rb_new || (rb_valid && !flush);
  assign state_o[ntrace_layout_pkg::HeldRbTcode +: 6]       = rb_new ? branch_tcode_i : rb_tcode;
  assign state_o[ntrace_layout_pkg::HeldRbBtype +: 2]       = rb_new ? branch_btype_i : rb_btype;
  assign state_o[ntrace_layout_pkg::HeldRbIcnt +: IcntBits] = rb_new ? branch_icnt_i : rb_icnt;
  assign state_o[RbHistAt +: HistBits]     = rb_new ? branch_hist_i : rb_hist;
  assign state_o[RbTargetAt +: Xlen-1]     = rb_new ? branch_target_i : rb_target;
  assign state_o[RbCountAt +: RepeatBits]  = flush ? {RepeatBits{1'b0}} : rb_count_now;
  assign state_o[RepCountAt +: RepeatBits] = hold_i ? One : flush ? {RepeatBits{1'b0}} : rep_count_now;
  assign state_o[RepHistAt +: HistBits]    = hold_i ? pattern_i : rep_hist;

endmodule
