// SPDX-License-Identifier: Apache-2.0
// The branches since the last packet, and the branch predictor, over one item ("Branches" in
// docs/reference/etrace-profile.md). Combinational.
module etrace_branches
#(
  parameter int AddrBits   = 63,
  parameter int BpredSize  = 6,   // 0: no predictor
  parameter int BcountBits = 32,
  // Derived, do not set.
  parameter int StateBits  = etrace_layout_pkg::branch_bits(BcountBits),
  parameter int TableBits  = 2 << BpredSize
) (
  input  logic                  predict_i,   // the option
  input  logic                  branch_i,    // the item is a branch
  input  logic                  taken_i,
  input  logic [AddrBits-1:0]   addr_i,
  input  logic                  sync_i,      // the item is a sync: all is forgotten, and a branch is only learnt
  input  logic                  packet_i,    // a packet tells of the branches, this one included

  // Without this branch: reported as a count, and of how many.
  output logic                  counted_o,
  output logic [BcountBits-1:0] before_o,

  // With this branch.
  output logic                  any_o,       // there are branches to tell
  output logic                  counting_o,  // as a count: 31 or more, all predicted
  output logic                  fail_o,      // this branch ends the count
  output logic                  greatest_o,  // the count has no room for another
  output logic                  full_o,      // the map has no room for another, and is to be sent
  output logic [BcountBits-1:0] count_o,     // minus 31
  output logic [4:0]            branches_o,
  output logic [30:0]           map_o,       // 1: not taken; 0 from branches_o on

  // etrace_layout_pkg, "branch"
  input  logic [StateBits-1:0]  state_i,
  output logic [StateBits-1:0]  state_o,
  input  logic [TableBits-1:0]  table_i,
  output logic [TableBits-1:0]  table_o
);

  localparam logic [BcountBits-1:0] CountGreatest = '1;

  wire                  some     = state_i[etrace_layout_pkg::BranchSome];
  wire                  full     = state_i[etrace_layout_pkg::BranchFull];
  wire                  greatest = state_i[etrace_layout_pkg::BranchGreatest];
  wire [4:0]            branches = state_i[etrace_layout_pkg::BranchNumber +: 5];
  wire [30:0]           map      = state_i[etrace_layout_pkg::BranchMap +: 31];
  wire [BcountBits-1:0] count    = state_i[etrace_layout_pkg::BranchCount +: BcountBits];

  // Without a predictor no branch is predicted.
  logic all_predicted, some_new, full_new, greatest_new, all_new, enter, predicted, hit, forget;
  assign all_predicted = state_i[etrace_layout_pkg::BranchPredicted] && (BpredSize > 0);

  assign enter      = branch_i && !sync_i;
  assign hit        = predict_i && (predicted == taken_i);
  assign counted_o  = all_predicted && full;
  assign before_o   = count;
  assign all_new    = all_predicted && (!enter || hit || counted_o);
  assign branches_o = (enter && !counted_o) ? branches + 5'd1 : branches;
  assign map_o      = (enter && !counted_o) ? map | ({30'd0, !taken_i} << branches) : map;
  assign count_o    = (enter && counted_o && hit) ? count + 1'b1 : count;
  assign some_new     = some || enter;
  assign full_new     = (enter && !counted_o) ? (branches == 5'd30) : full;
  assign greatest_new = (enter && counted_o && hit) ? (count == CountGreatest - 1'b1) : greatest;
  assign any_o      = some_new;
  assign counting_o = all_new && full_new;
  assign fail_o     = enter && counted_o && !hit;
  assign greatest_o = counting_o && greatest_new;
  assign full_o     = !all_new && full_new;

  assign forget = sync_i || packet_i;
  assign state_o[etrace_layout_pkg::BranchPredicted]           = all_new || forget;
  assign state_o[etrace_layout_pkg::BranchSome]                = some_new && !forget;
  assign state_o[etrace_layout_pkg::BranchFull]                = full_new && !forget;
  assign state_o[etrace_layout_pkg::BranchGreatest]            = greatest_new && !forget;
  assign state_o[etrace_layout_pkg::BranchNumber +: 5]         = forget ? 5'd0 : branches_o;
  assign state_o[etrace_layout_pkg::BranchMap +: 31]           = forget ? 31'd0 : map_o;
  assign state_o[etrace_layout_pkg::BranchCount +: BcountBits] = forget ? {BcountBits{1'b0}} : count_o;

  // An entry: {predicted outcome, last outcome}. The prediction changes when it fails twice.
  if (BpredSize > 0) begin : gen_predictor
    logic [BpredSize-1:0] index;
    logic [TableBits-1:0] learnt;
    logic [1:0]           entry, trained;

    assign index     = addr_i[BpredSize-1:0];
    assign predicted = table_i[{index, 1'b1}];
    assign learnt    = sync_i ? {(1 << BpredSize){2'b01}} : table_i;
    assign entry     = learnt[{index, 1'b0} +: 2];
    assign trained   = {(entry[0] == taken_i) ? taken_i : entry[1], taken_i};

    function automatic logic [TableBits-1:0] with_entry(input logic [TableBits-1:0] entries, input logic learn,
                                                        input logic [BpredSize-1:0] place, input logic [1:0] value);
      with_entry = entries;
      for (int i = 0; i < (1 << BpredSize); i++) begin
        if (learn && (place == i[BpredSize-1:0])) with_entry[2*i +: 2] = value;
      end
    endfunction

    assign table_o = with_entry(learnt, branch_i && predict_i, index, trained);
  end else begin : gen_no_predictor
    assign predicted = 1'b0;
    assign table_o   = table_i;
  end

  if (AddrBits > BpredSize) begin : gen_unused
    logic unused_addr;  // the predictor looks at the low bits only
    assign unused_addr = ^addr_i[AddrBits-1:BpredSize];
  end

endmodule
