// SPDX-License-Identifier: Apache-2.0
// Calls that are open, over one item: a return stack or a call counter, whichever is built (options "implicit_return" in
// docs/reference/etrace-profile.md). Combinational. A sync clears first, then a return pops, then a call pushes.
module etrace_returns
#(
  parameter int AddrBits        = 63,
  parameter int CallCounterSize = 0,  // at most one of the two is not 0
  parameter int ReturnStackSize = 4,
  // Derived, do not set.
  parameter int DepthBits  = (ReturnStackSize > 0) ? ReturnStackSize + 1 : (CallCounterSize > 0) ? CallCounterSize : 1,
  parameter int StateBits  = DepthBits + ((ReturnStackSize > 0) ? (1 << ReturnStackSize)*AddrBits : 0)
) (
  input  logic                 clear_i,
  input  logic                 pop_i,
  input  logic                 push_i,
  input  logic [AddrBits-1:0]  push_addr_i,

  output logic [DepthBits-1:0] depth_o,      // before any of these
  output logic                 top_valid_o,  // a call is open, the sync looked at
  output logic [AddrBits-1:0]  top_o,        // where it returns to; 0 without a stack

  input  logic [StateBits-1:0] state_i,      // depth is in the upper bits
  output logic [StateBits-1:0] state_o
);

  assign depth_o = state_i[StateBits-1 -: DepthBits];

  if (ReturnStackSize > 0) begin : gen_stack
    trace_return_stack #(
      .AddrBits (AddrBits),
      .Depth    (1 << ReturnStackSize)
    ) u_stack (
      .clear_i,
      .pop_i,
      .push_i,
      .push_addr_i,
      .top_valid_o,
      .top_o,
      .state_i,
      .state_o
    );
  end else begin : gen_counter
    logic [DepthBits-1:0] cleared, popped;

    assign cleared     = clear_i ? {DepthBits{1'b0}} : depth_o;
    assign top_valid_o = (cleared != '0);
    assign top_o       = '0;
    assign popped      = (pop_i && top_valid_o) ? cleared - 1'b1 : cleared;
    assign state_o     = (push_i && !(&popped)) ? popped + 1'b1 : popped;

    logic unused_addr;  // a counter knows no addresses
    assign unused_addr = ^push_addr_i;
  end

endmodule
