// SPDX-License-Identifier: Apache-2.0
// FIFO that takes up to NPush words a cycle, in any of its push slots, and gives one.
//
// Words enter in slot order (slot 0 first) and empty slots leave no gap. A push is never refused:
// the owner looks at `count_o` first. Depth is a power of two.
//
// Word n is in bank n % Banks, and the words of one cycle are in different banks. So each bank has one write port, and
// a network of $clog2(NPush) stages takes the slots' words to the banks: stage s exchanges words whose places differ in
// bit s only. Words that keep their order and get places next to each other never meet in it.
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
  localparam int Stages    = $clog2(NPush);
  localparam int Banks     = 1 << Stages;
  localparam int Rows      = Depth / Banks;

  logic [PtrBits-1:0]       wptr_q, rptr_q;
  logic [CountBits-1:0]     count_q;
  logic                     pop;
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
  end

  assign wptr_d  = gen_slot[NPush-1].wptr_next;
  assign pushed  = gen_slot[NPush-1].sum;
  assign pop     = valid_o && ready_i;
  assign valid_o = (count_q != '0);
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

  // The network: what is at its places before stage s, and after the last stage in the banks. Each place has signals of
  // its own: a simulator that takes events of whole vectors would look at all places whenever one changes.
  for (genvar s = 0; s <= Stages; s++) begin : gen_stage
    for (genvar p = 0; p < Banks; p++) begin : gen_place
      // A word has not left the 2^s places of its slot.
      localparam bit Reached = (((p >> s) << s) < NPush);
      logic               valid;
      logic [PtrBits-1:0] ptr;
      logic [Width-1:0]   data;

      if (!Reached) begin : gen_unused
        assign valid = 1'b0;
        assign ptr   = '0;
        assign data  = '0;

        logic unused_place;
        assign unused_place = ^{valid, ptr, data};
      end else if (s == 0) begin : gen_in
        assign valid = push_valid_i[p];
        assign ptr   = gen_slot[p].wptr;
        assign data  = push_data_i[p*Width +: Width];
      end else begin : gen_exchange
        localparam int Bit   = s - 1;
        localparam int Side  = (p >> Bit) % 2;
        localparam int Other = (Side == 1) ? p - (1 << Bit) : p + (1 << Bit);
        localparam bit OwnReached   = (((p >> Bit) << Bit) < NPush);
        localparam bit OtherReached = (((Other >> Bit) << Bit) < NPush);
        localparam bit Upper        = (Side == 1);
        logic stays, comes, from_other;

        assign stays = gen_stage[s-1].gen_place[p].valid && (gen_stage[s-1].gen_place[p].ptr[Bit] == Upper);
        assign comes = gen_stage[s-1].gen_place[Other].valid && (gen_stage[s-1].gen_place[Other].ptr[Bit] == Upper);
        assign valid = stays || comes;
        assign from_other = OtherReached && (comes || !OwnReached);
        assign ptr  = from_other ? gen_stage[s-1].gen_place[Other].ptr : gen_stage[s-1].gen_place[p].ptr;
        assign data = from_other ? gen_stage[s-1].gen_place[Other].data : gen_stage[s-1].gen_place[p].data;
      end
    end
  end

  // The banks. The words themselves need no reset: none is read before it was written.
  for (genvar b = 0; b < Banks; b++) begin : gen_bank
    logic [Width-1:0] data;
    logic unused_ptr;  // of a pointer's bits the network and the banks need each once
    assign unused_ptr = ^gen_stage[Stages].gen_place[b].ptr;

    if (Rows > 1) begin : gen_rows
      localparam int RowBits = PtrBits - Stages;
      logic [Width-1:0]   mem_q [Rows];
      logic [RowBits-1:0] wrow, rrow;
      logic               write;

      assign write = gen_stage[Stages].gen_place[b].valid;
      assign wrow  = gen_stage[Stages].gen_place[b].ptr[Stages +: RowBits];
      assign rrow  = rptr_q[PtrBits-1:Stages];
      always_ff @(posedge clk_i) begin
        if (write) mem_q[wrow] <= gen_stage[Stages].gen_place[b].data;
      end
      assign data = mem_q[rrow];
    end else begin : gen_row
      logic [Width-1:0] word_q;
      always_ff @(posedge clk_i) begin
        if (gen_stage[Stages].gen_place[b].valid) word_q <= gen_stage[Stages].gen_place[b].data;
      end
      assign data = word_q;
    end
  end

  // The bank to read, by one bit of the pointer after the other.
  for (genvar s = 0; s <= Stages; s++) begin : gen_read
    for (genvar p = 0; p < (Banks >> s); p++) begin : gen_place
      logic [Width-1:0] data;

      if (s == 0) begin : gen_in
        assign data = gen_bank[p].data;
      end else begin : gen_half
        assign data = rptr_q[s-1] ? gen_read[s-1].gen_place[2*p+1].data : gen_read[s-1].gen_place[2*p].data;
      end
    end
  end
  assign data_o = gen_read[Stages].gen_place[0].data;

endmodule
