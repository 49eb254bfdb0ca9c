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

  // Width of the return stack (trace_return_stack).
  function automatic int stack_width(input int xlen, input int depth);
    stack_width = $clog2(depth + 1) + depth*(xlen - 1);
  endfunction

endpackage
