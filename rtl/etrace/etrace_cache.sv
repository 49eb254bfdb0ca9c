// SPDX-License-Identifier: Apache-2.0
// The jump target cache over one item ("Cache" in docs/reference/etrace-profile.md). Combinational; direct mapped.
module etrace_cache
#(
  parameter int AddrBits  = 63,
  parameter int CacheSize = 5,  // 0: none
  // Derived, do not set.
  parameter int IndexBits = (CacheSize > 0) ? CacheSize : 1,
  parameter int TagBits   = AddrBits - IndexBits,
  parameter int StateBits = (CacheSize > 0) ? (1 + TagBits) << CacheSize : 1
) (
  input  logic                 clear_i,   // a sync
  input  logic                 access_i,  // the target of an uninferable jump is reported
  input  logic [AddrBits-1:0]  addr_i,

  output logic                 hit_o,
  output logic [IndexBits-1:0] index_o,

  // Entry i: {valid, the address without its index}
  input  logic [StateBits-1:0] state_i,
  output logic [StateBits-1:0] state_o
);

  if (CacheSize > 0) begin : gen_cache
    localparam int EntryBits = 1 + TagBits;

    // Nothing moves in here while the cache is not used.
    logic [AddrBits-1:0]  addr;
    logic [EntryBits-1:0] wanted;
    assign addr    = access_i ? addr_i : {AddrBits{1'b0}};
    assign index_o = addr[IndexBits-1:0];
    assign wanted  = {1'b1, addr[AddrBits-1:IndexBits]};
    assign hit_o   = access_i && (state_i[index_o*EntryBits +: EntryBits] == wanted);

    function automatic logic [StateBits-1:0] updated(input logic [StateBits-1:0] entries, input logic clear, input logic fill,
                                                     input logic [IndexBits-1:0] index, input logic [EntryBits-1:0] entry);
      updated = entries;
      for (int i = 0; i < (1 << CacheSize); i++) begin
        if (clear)                                    updated[EntryBits*i +: EntryBits] = {EntryBits{1'b0}};
        else if (fill && (index == i[IndexBits-1:0])) updated[EntryBits*i +: EntryBits] = entry;
      end
    endfunction

    assign state_o = updated(state_i, clear_i, access_i, index_o, wanted);
  end else begin : gen_no_cache
    assign hit_o   = 1'b0;
    assign index_o = '0;
    assign state_o = state_i;

    logic unused;
    assign unused = ^{clear_i, access_i, addr_i};
  end

endmodule
