// SPDX-License-Identifier: Apache-2.0
// FIFO that takes up to NPush words a cycle, in any of its push slots, and gives one.
//
// Words enter in slot order (slot 0 first) and empty slots leave no gap. A push is never refused:
// the owner looks at `count_o` first. Depth is a power of two.
module trace_fifo_multi #(
  parameter int Width = 8,
  parameter int Depth = 16,
  parameter int NPush = 2
) (
  input  logic                         clk_i,
  input  logic                         rst_ni,

  input  logic [NPush-1:0]             push_valid_i,
  input  logic [NPush*Width-1:0]       push_data_i,  // slot k in bits k*Width +: Width

  output logic                         valid_o,
  output logic [Width-1:0]             data_o,
  input  logic                         ready_i,

  output logic [$clog2(Depth+1)-1:0]   count_o       // words stored
);

  localparam int PtrBits   = $clog2(Depth);
  localparam int CountBits = $clog2(Depth + 1);

  logic [Width-1:0]         mem_q [Depth];
  logic [PtrBits-1:0]       wptr_q, rptr_q;
  logic [CountBits-1:0]     count_q;
  logic                     pop;
  logic [NPush*PtrBits-1:0] slot_ptr;
  logic [PtrBits-1:0]       wptr_d;
  logic [CountBits-1:0]     pushed;

  // Where each slot's word goes, and how many words the slots up to it push.
  for (genvar k = 0; k < NPush; k++) begin : gen_slot
    logic [PtrBits-1:0]   wptr, wptr_next;
    logic [CountBits-1:0] sum;
    if (k == 0) begin : gen_first
      assign wptr   = wptr_q;
      assign sum = {{(CountBits-1){1'b0}}, push_valid_i[0]};
    end else begin : gen_next
      assign wptr   = gen_slot[k-1].wptr_next;
      assign sum = gen_slot[k-1].sum + {{(CountBits-1){1'b0}}, push_valid_i[k]};
    end
    assign wptr_next = push_valid_i[k] ? wptr + 1'b1 : wptr;
    assign slot_ptr[k*PtrBits +: PtrBits] = wptr;
  end

  assign wptr_d  = gen_slot[NPush-1].wptr_next;
  assign pushed  = gen_slot[NPush-1].sum;
  assign pop     = valid_o && ready_i;
  assign valid_o = (count_q != '0);
  assign data_o  = mem_q[rptr_q];
  assign count_o = count_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      wptr_q  <= '0;
      rptr_q  <= '0;
      count_q <= '0;
    end else begin
      wptr_q  <= wptr_d;
      if (pop) rptr_q <= rptr_q + 1'b1;
      count_q <= pop ? count_q + pushed - 1'b1 : count_q + pushed;
    end
  end

  // The words themselves need no reset: none is read before it was written.
  always_ff @(posedge clk_i) begin
    for (int unsigned k = 0; k < NPush; k++) begin
      if (push_valid_i[k]) begin
        mem_q[slot_ptr[k*PtrBits +: PtrBits]] <= push_data_i[k*Width +: Width];
      end
    end
  end

endmodule
