// N-Trace encoder: where the fields of its states and descriptors are, lowest bit of each.
// SPDX-License-Identifier: Apache-2.0
// Generated from flow/generate/vectors.py; do not edit, type `python -m rvtrace.flow.generate`.
package ntrace_layout_pkg;

  // The state from lane to lane. What is carried to the next beat is cleared when the trace stops.
  localparam int StateLost         = 0;   // messages were lost: an Error is owed
  localparam int StateFresh        = 1;   // `pend` was set in this beat
  localparam int StateSyncCnt      = 2;   // trace_pkg::SyncCountBits: since the last message with SYNC
  localparam int StateStart        = 22;  // SYNC of the start that is owed; ntrace_pkg::SyncNone: none
  localparam int StateFiltered     = 26;  // the filters stopped the trace
  localparam int StateMarkEvent    = 27;  // the next block is marked with SYNC=6
  localparam int StateMarkExt      = 28;  // with SYNC=0
  localparam int StatePend         = 29;  // what the next block's address will complete: ntrace_state_pkg::Pend*
  localparam int StatePendBtype    = 32;  // its B-TYPE
  localparam int StatePendReported = 34;  // its message reports a trap or an xRET: Ownership follows
  localparam int StatePopped       = 35;  // the return stack says where the next block is
  localparam int StateIcnt         = 36;  // I-CNT
  function automatic int state_hist(input int icnt_bits); state_hist = 36 + icnt_bits; endfunction  // HIST, with its stop bit
  function automatic int state_popped_addr(input int icnt_bits, hist_bits); state_popped_addr = 36 + icnt_bits + hist_bits; endfunction  // where the next block is
  function automatic int state_addr_ref(input int icnt_bits, hist_bits, addr_bits); state_addr_ref = 36 + icnt_bits + hist_bits + addr_bits; endfunction  // the address that U-ADDR is the difference to
  function automatic int state_bits(input int icnt_bits, hist_bits, addr_bits); state_bits = 36 + icnt_bits + hist_bits + 2*addr_bits; endfunction  // all of it
  function automatic int state_carried_bits(input int icnt_bits, hist_bits); state_carried_bits = 14 + icnt_bits + hist_bits; endfunction  // start to hist

  // What is held back to be counted (ntrace_repeat): a branch message, and a HIST.
  localparam int HeldRbValid = 0;  // there is a branch message
  localparam int HeldRbTcode = 1;  // its fields
  localparam int HeldRbBtype = 7;  // B-TYPE
  localparam int HeldRbIcnt  = 9;  // I-CNT
  function automatic int held_rb_hist(input int icnt_bits); held_rb_hist = 9 + icnt_bits; endfunction  // HIST
  function automatic int held_rb_target(input int icnt_bits, hist_bits); held_rb_target = 9 + icnt_bits + hist_bits; endfunction  // the address
  function automatic int held_rb_count(input int icnt_bits, hist_bits, addr_bits); held_rb_count = 9 + icnt_bits + hist_bits + addr_bits; endfunction  // B-CNT
  function automatic int held_rep_count(input int icnt_bits, hist_bits, addr_bits, repeat_bits); held_rep_count = 9 + icnt_bits + hist_bits + addr_bits + repeat_bits; endfunction  // HREPEAT; 0: no HIST is held
  function automatic int held_rep_hist(input int icnt_bits, hist_bits, addr_bits, repeat_bits); held_rep_hist = 9 + icnt_bits + hist_bits + addr_bits + 2*repeat_bits; endfunction  // the HIST
  function automatic int held_bits(input int icnt_bits, hist_bits, addr_bits, repeat_bits); held_bits = 9 + icnt_bits + 2*hist_bits + addr_bits + 2*repeat_bits; endfunction  // all of it
  function automatic int held_rb_bits(input int icnt_bits, hist_bits, addr_bits, repeat_bits); held_rb_bits = 9 + icnt_bits + hist_bits + addr_bits + repeat_bits; endfunction  // rb_valid to rb_count

  // What was last reported by Ownership.
  localparam int OwnHcontext = 0;   // hcontext
  localparam int OwnContext  = 16;  // scontext
  localparam int OwnPriv     = 48;  // {V, PRV}
  localparam int OwnBits     = 51;  // all of it

  // A message on its way to the packer. The has_* functions of ntrace_pkg say which fields it has; the
  // others are don't care.
  localparam int MessageTcode = 0;   // TCODE
  localparam int MessageF4    = 6;   // SYNC, ETYPE, RCODE or EVCODE
  localparam int MessageF2    = 10;  // B-TYPE or CDF
  localparam int MessageVar0  = 12;  // ntrace_pkg::Var0Bits: I-CNT, ECODE, RDATA, B-CNT, PROCESS or DATA; in every message
  localparam int MessageAddr  = 49;  // F-ADDR or U-ADDR without bit 0 of the address, or HREPEAT
  function automatic int message_hist(input int addr_bits); message_hist = 49 + addr_bits; endfunction  // HIST
  function automatic int message_time(input int addr_bits, hist_bits); message_time = 49 + addr_bits + hist_bits; endfunction  // the absolute time; not yet there in a lane
  function automatic int message_bits(input int addr_bits, hist_bits, ts_width); message_bits = 49 + addr_bits + hist_bits + ts_width; endfunction  // all of it
  function automatic int message_lane_bits(input int addr_bits, hist_bits); message_lane_bits = 49 + addr_bits + hist_bits; endfunction  // tcode to hist

endpackage
