// SPDX-License-Identifier: Apache-2.0
// From the hart port to the instruction trace ingress port of E-Trace and N-Trace (E-Trace 2.0 chapter 4), with blocks.
//
// Instructions that go on in sequence become one block, over as many cycles as it takes. A block ends at an instruction that has an
// itype, at a trap, at a change of mode or context, where the next instruction is elsewhere, and where iretire has no room left.
// Ports and protocol: docs/reference/rtl-adapters.md.
module hart_ingress_port
#(
  parameter int Xlen         = 64,
  parameter int NRet         = 1,   // slots of the hart port
  parameter int Blocks       = 1,   // lanes of the ingress port: 1 to 4
  parameter int IRetireWidth = 7,   // at least 3
  parameter int Depth        = 8    // blocks that can be queued; a power of two, at least NRet + 2 and Blocks
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,

  // Hart port: what of it a trace needs. Slots that are not reported are left out.
  output logic                           ret_ready_o,
  input  logic [NRet-1:0]                ret_reported_i,   // and valid
  input  logic [NRet*4-1:0]              ret_itype_i,
  input  logic [NRet*Xlen-1:0]           ret_pc_i,
  input  logic [NRet*8-1:0]              ret_cause_i,
  input  logic [NRet*Xlen-1:0]           ret_tval_i,
  input  logic [NRet*3-1:0]              ret_mode_i,
  input  logic [NRet*32-1:0]             ret_context_i,
  input  logic [NRet-1:0]                ret_insn16_i,
  input  logic                           hart_halted_i,    // no slot is reported meanwhile
  input  logic                           flush_i,          // in a cycle without a reported slot: the block that is open ends

  // Ingress port: block k in bits k*W +: W, block 0 is the oldest, blocks fill from 0. A lane has a block if iretire is not 0 or
  // itype is 1 or 2; else it is 0. The blocks of a cycle have one mode and context, and a trap is in the last of them.
  input  logic                           ing_ready_i,
  output logic [Blocks*4-1:0]            ing_itype_o,
  output logic [Blocks*Xlen-1:0]         ing_iaddr_o,
  output logic [Blocks*IRetireWidth-1:0] ing_iretire_o,
  output logic [Blocks-1:0]              ing_ilastsize_o,
  output logic [Blocks*8-1:0]            ing_cause_o,
  output logic [Blocks*Xlen-1:0]         ing_tval_o,
  output logic [Blocks*3-1:0]            ing_priv_o,       // {V, PRV}
  output logic [Blocks*32-1:0]           ing_context_o,
  // What E-Trace has once a cycle, in every lane with a block.
  output logic [Blocks*8-1:0]            once_cause_o,
  output logic [Blocks*Xlen-1:0]         once_tval_o,
  output logic [1:0]                     once_ctype_o,     // 2 in the first cycle of another context, else 0
  output logic                           ing_halted_o,
  output logic                           idle_o            // no block is open or queued
);

  localparam int PtrBits   = $clog2(Depth);
  localparam int CountBits = $clog2(Depth + 1);
  localparam int BlockBits = 4 + 2*Xlen + IRetireWidth + 1 + 8 + 3 + 32;
  localparam int Pushes    = 2*NRet + 1;  // places; of a cycle at most NRet + 1 are used
  localparam logic [IRetireWidth-1:0] Limit = {IRetireWidth{1'b1}};

  // --- Blocks as they are formed -------------------------------------------------------------------------

  // The block that is open: its instructions have no itype, so it may go on. {whether there is one, ilastsize, where it
  // begins, the address after it, iretire, mode, context}: gen_step has the fields.
  localparam int OpenBits = 1 + 1 + 2*Xlen + IRetireWidth + 3 + 32;
  logic [OpenBits-1:0] open_q, open_d;

  logic                        take, fits, drained;
  logic [Pushes-1:0]           push;
  logic [Pushes*BlockBits-1:0] pushed;

  for (genvar k = 0; k <= NRet; k++) begin : gen_step
    // Before slot k, and after the last one.
    logic [OpenBits-1:0]     fields;
    logic                    open, ilastsize;
    logic [Xlen-1:0]         iaddr, after;
    logic [IRetireWidth-1:0] iretire;
    logic [2:0]              mode;
    logic [31:0]             context_id;
    logic [BlockBits-1:0]    block;       // if it ends here

    if (k == 0) begin : gen_first
      assign fields = open_q;
    end else begin : gen_later
      assign fields = gen_slot[k-1].fields;
    end
    assign {open, ilastsize, iaddr, after, iretire, mode, context_id} = fields;
    assign block = {trace_pkg::ItypeNone, iaddr, iretire, ilastsize, 8'd0, {Xlen{1'b0}}, mode, context_id};

    logic unused_after;  // after the last slot
    assign unused_after = ^after;
  end

  for (genvar k = 0; k < NRet; k++) begin : gen_slot
    logic                    reported, trap, insn16, joins, room, ends;
    logic [3:0]              itype;
    logic [Xlen-1:0]         pc, tval;
    logic [7:0]              cause;
    logic [1:0]              halves;   // half words that retire
    logic                    open, ilastsize;
    logic [Xlen-1:0]         iaddr, after;
    logic [IRetireWidth-1:0] iretire;
    logic [2:0]              mode;
    logic [31:0]             context_id;
    logic [OpenBits-1:0]     fields;

    assign reported = ret_reported_i[k] && take;
    assign itype    = ret_itype_i[4*k +: 4];
    assign pc       = ret_pc_i[Xlen*k +: Xlen];
    assign insn16   = ret_insn16_i[k];
    assign trap     = trace_pkg::is_trap(itype);
    assign ends     = (itype != trace_pkg::ItypeNone);
    assign halves   = trap ? 2'd0 : insn16 ? 2'd1 : 2'd2;
    assign cause    = ret_cause_i[8*k +: 8] & {8{trap}};
    assign tval     = ret_tval_i[Xlen*k +: Xlen] & {Xlen{trap}};

    // It goes on with the block that is open.
    assign room  = (gen_step[k].iretire <= Limit - {{(IRetireWidth-2){1'b0}}, halves});
    assign joins = gen_step[k].open && room && (gen_step[k].after == pc) && (gen_step[k].mode == ret_mode_i[3*k +: 3]) &&
                   (gen_step[k].context_id == ret_context_i[32*k +: 32]);

    // The open block as it was, if this one is not of it; then this one, if it ends a block.
    assign push[2*k]   = reported && gen_step[k].open && !joins;
    assign push[2*k+1] = reported && ends;
    assign pushed[BlockBits*2*k +: BlockBits]     = gen_step[k].block;
    assign pushed[BlockBits*(2*k+1) +: BlockBits] = {itype, iaddr, iretire, ilastsize, cause, tval, mode, context_id};

    // The open block after it.
    assign open       = reported ? !ends : gen_step[k].open;
    assign iaddr      = (reported && !joins) ? pc : gen_step[k].iaddr;
    assign after      = reported ? pc + {{(Xlen-3){1'b0}}, halves, 1'b0} : gen_step[k].after;
    assign iretire    = !reported ? gen_step[k].iretire : (joins ? gen_step[k].iretire : {IRetireWidth{1'b0}}) +
                        {{(IRetireWidth-2){1'b0}}, halves};
    assign ilastsize  = !reported ? gen_step[k].ilastsize : trap ? (joins && gen_step[k].ilastsize) : !insn16;
    assign mode       = reported ? ret_mode_i[3*k +: 3] : gen_step[k].mode;
    assign context_id = reported ? ret_context_i[32*k +: 32] : gen_step[k].context_id;
    assign fields     = {open, ilastsize, iaddr, after, iretire, mode, context_id};
  end

  // Nothing comes any more, or the hart is in Debug Mode: the block is whole.
  logic closes;
  assign closes = (flush_i || hart_halted_i) && (ret_reported_i == '0) && gen_step[NRet].open && fits;
  assign push[2*NRet] = closes;
  assign pushed[BlockBits*2*NRet +: BlockBits] = gen_step[NRet].block;

  assign open_d = gen_step[NRet].fields & {!closes, {(OpenBits-1){1'b1}}};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) open_q <= '0;
    else         open_q <= open_d;
  end

  // --- The queue -----------------------------------------------------------------------------------------

  logic [BlockBits-1:0] queue_q [Depth];
  logic [PtrBits-1:0]   write_q, read_q;
  logic [CountBits-1:0] count_q, pops;

  for (genvar p = 0; p < Pushes; p++) begin : gen_push
    logic [CountBits-1:0] place, up_to;
    logic [PtrBits-1:0]   at;
    if (p == 0) begin : gen_first
      assign place = '0;
    end else begin : gen_later
      assign place = gen_push[p-1].up_to;
    end
    assign up_to = place + {{(CountBits-1){1'b0}}, push[p]};
    assign at    = write_q + place[PtrBits-1:0];
    always_ff @(posedge clk_i) begin
      if (push[p]) queue_q[at] <= pushed[BlockBits*p +: BlockBits];
    end
  end

  assign fits    = (count_q <= Depth[CountBits-1:0] - NRet[CountBits-1:0] - 1'b1);
  assign drained = (count_q == '0) && !gen_step[0].open;

  // A change to Debug Mode waits until everything before it has left.
  assign ing_halted_o = hart_halted_i && drained;
  assign ret_ready_o  = hart_halted_i ? (drained && ing_ready_i) : fits;
  assign take         = ret_ready_o;
  assign idle_o       = drained;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_q <= '0;
      read_q  <= '0;
      count_q <= '0;
    end else begin
      write_q <= write_q + gen_push[Pushes-1].up_to[PtrBits-1:0];
      read_q  <= read_q + pops[PtrBits-1:0];
      count_q <= count_q + gen_push[Pushes-1].up_to - pops;
    end
  end

  // --- Lanes ---------------------------------------------------------------------------------------------

  for (genvar b = 0; b < Blocks; b++) begin : gen_lane
    logic [PtrBits-1:0]      at;
    logic                    there, ilastsize;
    logic [3:0]              itype;
    logic [Xlen-1:0]         iaddr, tval, trap_tval;
    logic [IRetireWidth-1:0] iretire;
    logic [7:0]              cause, trap_cause;
    logic [2:0]              mode;
    logic [31:0]             context_id;

    assign at = read_q + b[PtrBits-1:0];
    assign {itype, iaddr, iretire, ilastsize, cause, tval, mode, context_id} = queue_q[at] & {BlockBits{there}};

    // With the blocks before it, unless one of them is a trap, or it is of another mode or context.
    if (b == 0) begin : gen_first
      assign there      = (count_q != '0);
      assign trap_cause = cause;
      assign trap_tval  = tval;
    end else begin : gen_later
      logic [2:0]  next_mode;
      logic [31:0] next_context;

      assign {next_mode, next_context} = queue_q[at][34:0];
      assign there      = (count_q > b[CountBits-1:0]) && gen_lane[b-1].there && !trace_pkg::is_trap(gen_lane[b-1].itype) &&
                          (gen_lane[b-1].mode == next_mode) && (gen_lane[b-1].context_id == next_context);
      assign trap_cause = gen_lane[b-1].trap_cause | cause;
      assign trap_tval  = gen_lane[b-1].trap_tval | tval;
    end

    assign ing_itype_o[4*b +: 4]       = itype;
    assign ing_iaddr_o[Xlen*b +: Xlen] = iaddr;
    assign ing_iretire_o[IRetireWidth*b +: IRetireWidth] = iretire;
    assign ing_ilastsize_o[b]          = ilastsize;
    assign ing_cause_o[8*b +: 8]       = cause;
    assign ing_tval_o[Xlen*b +: Xlen]  = tval;
    assign ing_priv_o[3*b +: 3]        = mode;
    assign ing_context_o[32*b +: 32]   = context_id;
    assign once_cause_o[8*b +: 8]      = gen_lane[Blocks-1].trap_cause & {8{there}};
    assign once_tval_o[Xlen*b +: Xlen] = gen_lane[Blocks-1].trap_tval & {Xlen{there}};

    // How many leave, if this is the last.
    logic [CountBits-1:0] sum;
    if (b == 0) begin : gen_one
      assign sum = {{(CountBits-1){1'b0}}, there};
    end else begin : gen_more
      assign sum = gen_lane[b-1].sum + {{(CountBits-1){1'b0}}, there};
    end
  end

  assign pops = ing_ready_i ? gen_lane[Blocks-1].sum : {CountBits{1'b0}};

  logic [31:0] reported_context_q;
  logic        seen_q;         // there is a context to compare with
  assign once_ctype_o = (gen_lane[0].there && seen_q && (gen_lane[0].context_id != reported_context_q)) ? 2'd2 : 2'd0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      reported_context_q <= '0;
      seen_q         <= 1'b0;
    end else if (ing_ready_i && gen_lane[0].there) begin
      reported_context_q <= gen_lane[0].context_id;
      seen_q         <= 1'b1;
    end
  end

endmodule
