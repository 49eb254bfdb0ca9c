// SPDX-License-Identifier: Apache-2.0
// Constants of the encoder's state (docs/reference/ntrace-profile.md, "State").
package ntrace_state_pkg;

  // The most messages of one block, and the places they have among them (ntrace_lane).
  localparam int LaneSlots = 5;

  // `pend`: what the next block's address will complete.
  localparam logic [2:0] PendNone     = 3'd0;
  localparam logic [2:0] PendIndirect = 3'd1;
  localparam logic [2:0] PendDirect   = 3'd2;
  localparam logic [2:0] PendIcntSync = 3'd3;
  localparam logic [2:0] PendReset    = 3'd4;

  // What travels from lane to lane besides I-CNT, HIST and the two addresses: lost, start, filtered, two
  // marks, pend, its B-TYPE and three flags; and the sync count (Yosys takes no constant made of another package's here).
  localparam int FixedBits = 16;

  // `own`: {V, PRV}, scontext, hcontext.
  localparam int OwnBits = 51;

  // Widths of `rb` with what is held back (ntrace_repeat), and of the return stack (trace_return_stack).
  function automatic int held_width(input int xlen, input int icnt_bits, input int hist_bits,
                                    input int repeat_bits);
    held_width = 9 + icnt_bits + hist_bits + xlen - 1 + 2*repeat_bits + hist_bits;
  endfunction

  function automatic int stack_width(input int xlen, input int depth);
    stack_width = $clog2(depth + 1) + depth*(xlen - 1);
  endfunction

endpackage
