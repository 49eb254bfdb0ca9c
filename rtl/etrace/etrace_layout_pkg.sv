// E-Trace encoder: where the fields of its items, states and descriptors are, lowest bit of each.
// SPDX-License-Identifier: Apache-2.0
// Generated from flow/generate/vectors.py; do not edit, type `python -m rvtrace.flow.generate`.
package etrace_layout_pkg;

  // An item: an instruction or a trap. Nothing reads the flags of a trap.
  localparam int ItemTrap      = 0;   // a trap
  localparam int ItemItype     = 1;   // itype of the block, if it ends with this item
  localparam int ItemFollows   = 5;   // an instruction of its block is before it
  localparam int ItemSijump    = 6;   // sijump
  localparam int ItemNotify    = 7;   // its address is asked for
  localparam int ItemDue       = 8;   // a resynchronization is due
  localparam int ItemCtype     = 9;   // how its context is to be reported; 0 if it is not first in its cycle
  localparam int ItemLongLast  = 11;  // an instruction of two half-words
  localparam int ItemPriv      = 12;  // privilege
  localparam int ItemCause     = 15;  // cause of a trap
  localparam int ItemContext   = 23;  // context
  localparam int ItemFlagsBits = 7;   // follows to long_last
  function automatic int item_time(input int context_bits); item_time = 23 + context_bits; endfunction  // time
  function automatic int item_tval(input int context_bits, time_bits); item_tval = 23 + context_bits + time_bits; endfunction  // tval of a trap
  function automatic int item_addr(input int context_bits, time_bits, tval_bits); item_addr = 23 + context_bits + time_bits + tval_bits; endfunction  // address
  function automatic int item_bits(input int context_bits, time_bits, tval_bits, addr_bits); item_bits = 23 + context_bits + time_bits + tval_bits + addr_bits; endfunction  // all of it
  function automatic int item_once_bits(input int context_bits, time_bits, tval_bits); item_once_bits = 11 + context_bits + time_bits + tval_bits; endfunction  // priv to tval

  // What is known between items: of the previous item, of the returns, and the branches.
  localparam int StateValid     = 0;   // there is a previous item
  localparam int StateTrap      = 1;   // it is a trap
  localparam int StateReported  = 2;   // which was reported at itself
  localparam int StateInterrupt = 3;   // the last trap was an interrupt
  localparam int StateJump      = 4;   // an uninferable jump
  localparam int StatePopped    = 5;   // an implicit return
  localparam int StateResync    = 6;   // a resynchronization is due after it
  localparam int StatePrivilege = 7;   // its privilege
  localparam int StateCause     = 10;  // the last trap's cause
  localparam int StateRetOpen   = 18;  // implicit returns since the last branch or packet
  localparam int StateDepth     = 19;  // open calls before it
  function automatic int state_tval(input int depth_bits); state_tval = 19 + depth_bits; endfunction  // the last trap's tval
  function automatic int state_top(input int depth_bits, tval_bits); state_top = 19 + depth_bits + tval_bits; endfunction  // where a return leads
  function automatic int state_branches(input int depth_bits, tval_bits, addr_bits); state_branches = 19 + depth_bits + tval_bits + addr_bits; endfunction  // the branches
  function automatic int state_bits(input int depth_bits, tval_bits, addr_bits, branches_bits); state_bits = 19 + depth_bits + tval_bits + addr_bits + branches_bits; endfunction  // all of it
  function automatic int state_rest_bits(input int depth_bits, tval_bits, addr_bits, branches_bits); state_rest_bits = 18 + depth_bits + tval_bits + addr_bits + branches_bits; endfunction  // trap to branches

  // The branches since the last packet. Three flags follow from the rest: they are there so that no item has
  // to compare what the item before it counts.
  localparam int BranchPredicted = 0;   // all were predicted
  localparam int BranchSome      = 1;   // number is not 0
  localparam int BranchFull      = 2;   // number is 31
  localparam int BranchGreatest  = 3;   // count is the greatest
  localparam int BranchNumber    = 4;   // of branches in the map
  localparam int BranchMap       = 9;   // 1: not taken
  localparam int BranchCount     = 40;  // more than 31
  function automatic int branch_bits(input int bcount_bits); branch_bits = 40 + bcount_bits; endfunction  // all of it

  // What is sent of an item.
  localparam int ReportContextFirst = 0;   // a packet 3.2 goes first
  localparam int ReportKind         = 1;   // etrace_pkg::Kind*, or etrace_item_pkg::KindNone
  localparam int ReportBranch       = 4;   // branch, as it is sent
  localparam int ReportInterrupt    = 5;   // interrupt
  localparam int ReportThaddr       = 6;   // thaddr
  localparam int ReportNotify       = 7;   // notify, as a flag
  localparam int ReportUpdiscon     = 8;   // updiscon, as a flag
  localparam int ReportIrreport     = 9;   // irreport, as a flag
  localparam int ReportCounting     = 10;  // branches are a count, not a map
  localparam int ReportFail         = 11;  // the item's branch ended the count
  localparam int ReportHit          = 12;  // the target is in the jump target cache
  localparam int ReportOptions      = 13;  // etrace_pkg::Opt*, in force for the packet
  localparam int ReportPrivilege    = 19;  // privilege
  localparam int ReportBranches     = 22;  // branches in the map
  localparam int ReportCode         = 27;  // ecause of a trap, else irdepth
  localparam int ReportIndex        = 35;  // index in the cache
  function automatic int report_context(input int index_bits); report_context = 35 + index_bits; endfunction  // context
  function automatic int report_time(input int index_bits, context_bits); report_time = 35 + index_bits + context_bits; endfunction  // time
  function automatic int report_value(input int index_bits, context_bits, time_bits); report_value = 35 + index_bits + context_bits + time_bits; endfunction  // tval, map or count
  function automatic int report_addr(input int index_bits, context_bits, time_bits, tval_bits); report_addr = 35 + index_bits + context_bits + time_bits + tval_bits; endfunction  // address
  function automatic int report_bits(input int index_bits, context_bits, time_bits, tval_bits, addr_bits); report_bits = 35 + index_bits + context_bits + time_bits + tval_bits + addr_bits; endfunction  // all of it

  // A report between two support packets: what waits to be sent.
  localparam int DescBefore      = 0;  // a support packet goes before the report
  localparam int DescAfter       = 1;  // a support packet goes after it
  localparam int DescIenable     = 2;  // of the support packet: ienable
  localparam int DescQual        = 3;  // qual_status
  localparam int DescSupportTime = 5;  // low bits of the time
  function automatic int desc_report(input int stamp_bits); desc_report = 5 + stamp_bits; endfunction  // the report
  function automatic int desc_bits(input int stamp_bits, reported_bits); desc_bits = 5 + stamp_bits + reported_bits; endfunction  // all of it

endpackage
