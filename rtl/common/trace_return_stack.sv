// SPDX-License-Identifier: Apache-2.0
// The return stack of a trace encoder over one block or instruction. Combinational.
//
// Clear goes first, then pop, then push. The top entry is in the low bits. A push onto a full stack loses the
// oldest entry, a pop of an empty one does nothing.
module trace_return_stack
#(
  parameter int AddrBits  = 63,
  parameter int Depth     = 8,
  // Derived, do not set.
  parameter int StackBits = $clog2(Depth + 1) + Depth*AddrBits
) (
  input  logic                 clear_i,
  input  logic                 pop_i,
  input  logic                 push_i,
  input  logic [AddrBits-1:0]  push_addr_i,

  // There is an entry to pop, and which.
  output logic                 top_valid_o,
  output logic [AddrBits-1:0]  top_o,

  // {entries in use, entries}
  input  logic [StackBits-1:0] state_i,
  output logic [StackBits-1:0] state_o
);

  localparam int CountBits   = $clog2(Depth + 1);
  localparam int EntriesBits = Depth*AddrBits;
  localparam logic [CountBits-1:0] Full = Depth[CountBits-1:0];

  logic [CountBits-1:0]   count, count_popped, count_new;
  logic [EntriesBits-1:0] entries, popped, pushed;
  logic                   pop;

  assign {count, entries} = state_i;

  assign top_valid_o  = (count != '0) && !clear_i;
  assign top_o        = entries[AddrBits-1:0];
  assign pop          = pop_i && top_valid_o;
  assign count_popped = clear_i ? {CountBits{1'b0}} : pop ? count - 1'b1 : count;
  assign count_new    = (push_i && (count_popped != Full)) ? count_popped + 1'b1 : count_popped;

  // A pop moves the entries up by one, a push down by one.
  assign popped = pop ? entries >> AddrBits : entries;
  assign pushed = (popped << AddrBits) | {{(EntriesBits-AddrBits){1'b0}}, push_addr_i};

  assign state_o = {count_new, push_i ? pushed : popped};

endmodule
