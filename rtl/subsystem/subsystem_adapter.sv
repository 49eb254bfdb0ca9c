// SPDX-License-Identifier: Apache-2.0
// From the hart port to what each unit takes of it: blocks, transfers, counts, and the mode the hart is in.
//
// A cycle that is not taken looks empty to all of them. Only rows that are reported (an instruction retired, or a trap was taken) are
// here; rows that tandem trace alone takes are not.
module subsystem_adapter
#(
  parameter int Xlen         = 64,
  parameter int NRet         = 1,
  parameter int IRetireWidth = 7
) (
  input  logic                            clk_i,
  input  logic                            rst_ni,

  input  logic                            take_i,        // this cycle is taken
  input  logic                            halted_i,
  input  logic [subsystem_pkg::External-1:0] external_i,
  input  logic [NRet-1:0]                 reported_i,
  input  logic [NRet*4-1:0]               itype_i,
  input  logic [NRet*Xlen-1:0]            pc_i,
  input  logic [NRet*Xlen-1:0]            next_pc_i,
  input  logic [NRet-1:0]                 insn16_i,
  input  logic [NRet*8-1:0]               cause_i,
  input  logic [NRet*Xlen-1:0]            tval_i,
  input  logic [NRet*3-1:0]               mode_i,
  input  logic [NRet*3-1:0]               mode_next_i,
  input  logic [NRet*32-1:0]              context_i,
  input  logic [NRet-1:0]                 misp_i,
  input  logic [NRet-1:0]                 accesses_i,    // it has a memory access
  input  logic [NRet-1:0]                 stores_i,      // which stores

  // The hart: {V, PRV}, 7 is Debug Mode.
  output logic [2:0]                      mode_o,

  // Blocks of one instruction or trap each, lanes filled from 0.
  output logic [NRet*4-1:0]               ing_itype_o,
  output logic [NRet*Xlen-1:0]            ing_iaddr_o,
  output logic [NRet*IRetireWidth-1:0]    ing_iretire_o,
  output logic [NRet-1:0]                 ing_ilastsize_o,
  output logic [NRet*8-1:0]               ing_cause_o,
  output logic [NRet*Xlen-1:0]            ing_tval_o,
  output logic [NRet*3-1:0]               ing_priv_o,
  output logic [NRet*32-1:0]              ing_context_o,
  // What E-Trace wants once a cycle, in every lane.
  output logic [NRet*8-1:0]               once_cause_o,
  output logic [NRet*Xlen-1:0]            once_tval_o,
  output logic [1:0]                      once_ctype_o,

  // Transfers, slots filled from 0.
  output logic [NRet-1:0]                 xfer_valid_o,
  output logic [NRet*4-1:0]               xfer_type_o,
  output logic [NRet*Xlen-1:0]            xfer_source_o,
  output logic [NRet*Xlen-1:0]            xfer_target_o,
  output logic [NRet-1:0]                 xfer_misp_o,
  output logic [NRet*3-1:0]               xfer_from_o,
  output logic [NRet*3-1:0]               xfer_to_o,
  output logic [NRet*8-1:0]               xfer_cause_o,

  // Counts.
  output logic [3:0]                      retired_o,
  output logic [subsystem_pkg::NEvents*subsystem_pkg::EventBits-1:0] events_o
);

  localparam int Derived   = subsystem_pkg::Derived;
  localparam int EventBits = subsystem_pkg::EventBits;
  localparam int BlockBits = subsystem_layout_pkg::block_bits(Xlen);
  localparam int XferBits  = subsystem_layout_pkg::xfer_bits(Xlen);
  localparam int TvalAt    = subsystem_layout_pkg::block_tval(Xlen);
  localparam int TargetAt  = subsystem_layout_pkg::xfer_target(Xlen);

  // --- Slots ---------------------------------------------------------------------------------------------

  logic [NRet-1:0]           reported, block, transfer;
  logic [NRet*BlockBits-1:0] slot_blocks, blocks;
  logic [NRet*XferBits-1:0]  slot_xfers, xfers;

  assign reported = reported_i & {NRet{take_i}};

  for (genvar k = 0; k < NRet; k++) begin : gen_slot
    logic [3:0]         itype;
    logic               trap;
    logic [Derived-1:0] events;

    assign itype       = itype_i[4*k +: 4];
    assign trap        = trace_pkg::is_trap(itype);
    assign transfer[k] = reported[k] && subsystem_pkg::is_transfer(itype);

    localparam int Block = BlockBits*k;
    localparam int Xfer  = XferBits*k;

    assign slot_blocks[Block + subsystem_layout_pkg::BlockItype +: 4]    = itype;
    assign slot_blocks[Block + subsystem_layout_pkg::BlockWide]          = !trap && !insn16_i[k];
    assign slot_blocks[Block + subsystem_layout_pkg::BlockInsn]          = !trap;
    assign slot_blocks[Block + subsystem_layout_pkg::BlockCause +: 8]    = cause_i[8*k +: 8] & {8{trap}};
    assign slot_blocks[Block + subsystem_layout_pkg::BlockMode +: 3]     = mode_i[3*k +: 3];
    assign slot_blocks[Block + subsystem_layout_pkg::BlockNext +: 3]     = mode_next_i[3*k +: 3];
    assign slot_blocks[Block + subsystem_layout_pkg::BlockContext +: 32] = context_i[32*k +: 32];
    assign slot_blocks[Block + subsystem_layout_pkg::BlockPc +: Xlen]    = pc_i[Xlen*k +: Xlen];
    assign slot_blocks[Block + TvalAt +: Xlen]                           = tval_i[Xlen*k +: Xlen] & {Xlen{trap}};

    assign slot_xfers[Xfer + subsystem_layout_pkg::XferItype +: 4]     = itype;
    assign slot_xfers[Xfer + subsystem_layout_pkg::XferMisp]           = misp_i[k];
    assign slot_xfers[Xfer + subsystem_layout_pkg::XferFrom +: 3]      = mode_i[3*k +: 3];
    assign slot_xfers[Xfer + subsystem_layout_pkg::XferTo +: 3]        = mode_next_i[3*k +: 3];
    assign slot_xfers[Xfer + subsystem_layout_pkg::XferCause +: 8]     = cause_i[8*k +: 8] & {8{trap}};
    assign slot_xfers[Xfer + subsystem_layout_pkg::XferSource +: Xlen] = pc_i[Xlen*k +: Xlen];
    assign slot_xfers[Xfer + TargetAt +: Xlen]                         = next_pc_i[Xlen*k +: Xlen];

    always_comb begin
      events = subsystem_pkg::events_of(itype);
      events[subsystem_pkg::EventLoad]       = !trap && accesses_i[k] && !stores_i[k];
      events[subsystem_pkg::EventStore]      = !trap && stores_i[k];
      events[subsystem_pkg::EventMispredict] = misp_i[k];
      if (!reported[k]) events = '0;
    end

    // Sums over the slots up to this one.
    logic [3:0]                   retired;
    logic [Derived*EventBits-1:0] sums;
    if (k == 0) begin : gen_first
      assign retired = {3'd0, reported[k] && !trap};
      for (genvar e = 0; e < Derived; e++) begin : gen_sum
        assign sums[EventBits*e +: EventBits] = {{(EventBits-1){1'b0}}, events[e]};
      end
    end else begin : gen_next
      assign retired = gen_slot[k-1].retired + {3'd0, reported[k] && !trap};
      for (genvar e = 0; e < Derived; e++) begin : gen_sum
        assign sums[EventBits*e +: EventBits] = gen_slot[k-1].sums[EventBits*e +: EventBits] + {{(EventBits-1){1'b0}}, events[e]};
      end
    end
  end

  // --- Counts --------------------------------------------------------------------------------------------

  assign retired_o                           = gen_slot[NRet-1].retired;
  assign events_o[0 +: Derived*EventBits]    = gen_slot[NRet-1].sums;
  for (genvar e = 0; e < subsystem_pkg::External; e++) begin : gen_external
    assign events_o[EventBits*(Derived+e) +: EventBits] = {{(EventBits-1){1'b0}}, external_i[e] && take_i};
  end

  // --- Blocks --------------------------------------------------------------------------------------------

  subsystem_compact #(.N (NRet), .Width (BlockBits)) u_blocks (
    .valid_i (reported), .data_i (slot_blocks), .valid_o (block), .data_o (blocks)
  );

  logic [2:0]  first_mode, last_mode;
  logic [31:0] first_context;
  logic [NRet*3-1:0] block_next;

  for (genvar k = 0; k < NRet; k++) begin : gen_block
    localparam int Base = BlockBits*k;
    logic [7:0]      trap_cause;
    logic [Xlen-1:0] trap_tval;
    logic [2:0]      after;
    wire             wide = blocks[Base + subsystem_layout_pkg::BlockWide];
    wire             insn = blocks[Base + subsystem_layout_pkg::BlockInsn];

    assign ing_itype_o[4*k +: 4]       = blocks[Base + subsystem_layout_pkg::BlockItype +: 4];
    assign ing_iaddr_o[Xlen*k +: Xlen] = blocks[Base + subsystem_layout_pkg::BlockPc +: Xlen];
    assign ing_ilastsize_o[k]          = wide;
    assign ing_iretire_o[IRetireWidth*k +: IRetireWidth] = {{(IRetireWidth-2){1'b0}}, wide, insn && !wide};
    assign ing_cause_o[8*k +: 8]       = blocks[Base + subsystem_layout_pkg::BlockCause +: 8];
    assign ing_tval_o[Xlen*k +: Xlen]  = blocks[Base + TvalAt +: Xlen];
    assign ing_priv_o[3*k +: 3]        = blocks[Base + subsystem_layout_pkg::BlockMode +: 3];
    assign block_next[3*k +: 3]        = blocks[Base + subsystem_layout_pkg::BlockNext +: 3];
    assign ing_context_o[32*k +: 32]   = blocks[Base + subsystem_layout_pkg::BlockContext +: 32];

    // Cause and tval of the trap among them, and the mode after the youngest.
    if (k == 0) begin : gen_first
      assign trap_cause = ing_cause_o[8*k +: 8];
      assign trap_tval  = ing_tval_o[Xlen*k +: Xlen];
      assign after      = block_next[3*k +: 3];
    end else begin : gen_next
      assign trap_cause = gen_block[k-1].trap_cause | ing_cause_o[8*k +: 8];
      assign trap_tval  = gen_block[k-1].trap_tval | ing_tval_o[Xlen*k +: Xlen];
      assign after      = block[k] ? block_next[3*k +: 3] : gen_block[k-1].after;
    end

    assign once_cause_o[8*k +: 8]      = block[k] ? gen_block[NRet-1].trap_cause : 8'd0;
    assign once_tval_o[Xlen*k +: Xlen] = block[k] ? gen_block[NRet-1].trap_tval : {Xlen{1'b0}};
  end

  assign first_mode    = ing_priv_o[2:0];
  assign first_context = ing_context_o[31:0];
  assign last_mode     = gen_block[NRet-1].after;

  // --- Transfers -----------------------------------------------------------------------------------------

  subsystem_compact #(.N (NRet), .Width (XferBits)) u_transfers (
    .valid_i (transfer), .data_i (slot_xfers), .valid_o (xfer_valid_o), .data_o (xfers)
  );

  for (genvar k = 0; k < NRet; k++) begin : gen_xfer
    localparam int Base = XferBits*k;
    assign xfer_type_o[4*k +: 4]         = xfers[Base + subsystem_layout_pkg::XferItype +: 4];
    assign xfer_source_o[Xlen*k +: Xlen] = xfers[Base + subsystem_layout_pkg::XferSource +: Xlen];
    assign xfer_target_o[Xlen*k +: Xlen] = xfers[Base + TargetAt +: Xlen];
    assign xfer_misp_o[k]                = xfers[Base + subsystem_layout_pkg::XferMisp];
    assign xfer_from_o[3*k +: 3]         = xfers[Base + subsystem_layout_pkg::XferFrom +: 3];
    assign xfer_to_o[3*k +: 3]           = xfers[Base + subsystem_layout_pkg::XferTo +: 3];
    assign xfer_cause_o[8*k +: 8]        = xfers[Base + subsystem_layout_pkg::XferCause +: 8];
  end

  // --- The hart's mode and context -----------------------------------------------------------------------

  logic [2:0]  mode_q;
  logic [31:0] context_q;
  logic        seen_q;  // there is a context to compare with

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      mode_q    <= csr_pkg::PrivM;
      context_q <= '0;
      seen_q    <= 1'b0;
    end else if (block[0]) begin
      mode_q    <= last_mode;
      context_q <= first_context;
      seen_q    <= 1'b1;
    end
  end

  assign mode_o       = halted_i ? csr_pkg::PrivDebug : block[0] ? first_mode : mode_q;
  assign once_ctype_o = (block[0] && seen_q && (first_context != context_q)) ? 2'd2 : 2'd0;

endmodule
