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
  localparam int BlockBits = 4 + Xlen + 2 + 8 + Xlen + 3 + 3 + 32;
  localparam int XferBits  = 4 + Xlen + Xlen + 1 + 3 + 3 + 8;

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

    // A trap stands alone: it retires nothing. {is an instruction, of 32 bits}
    assign slot_blocks[BlockBits*k +: BlockBits] = {
      context_i[32*k +: 32], mode_next_i[3*k +: 3], mode_i[3*k +: 3], tval_i[Xlen*k +: Xlen] & {Xlen{trap}},
      cause_i[8*k +: 8] & {8{trap}}, !trap, !trap && !insn16_i[k], pc_i[Xlen*k +: Xlen], itype};

    assign slot_xfers[XferBits*k +: XferBits] = {
      cause_i[8*k +: 8] & {8{trap}}, mode_next_i[3*k +: 3], mode_i[3*k +: 3], misp_i[k], next_pc_i[Xlen*k +: Xlen], pc_i[Xlen*k +: Xlen], itype};

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
    logic [2:0]      behind;

    assign ing_itype_o[4*k +: 4]        = blocks[Base +: 4];
    assign ing_iaddr_o[Xlen*k +: Xlen]  = blocks[Base+4 +: Xlen];
    assign ing_ilastsize_o[k]           = blocks[Base+4+Xlen];
    assign ing_iretire_o[IRetireWidth*k +: IRetireWidth] = {{(IRetireWidth-2){1'b0}}, blocks[Base+4+Xlen],
                                                            blocks[Base+5+Xlen] && !blocks[Base+4+Xlen]};
    assign ing_cause_o[8*k +: 8]        = blocks[Base+6+Xlen +: 8];
    assign ing_tval_o[Xlen*k +: Xlen]   = blocks[Base+14+Xlen +: Xlen];
    assign ing_priv_o[3*k +: 3]         = blocks[Base+14+2*Xlen +: 3];
    assign block_next[3*k +: 3]         = blocks[Base+17+2*Xlen +: 3];
    assign ing_context_o[32*k +: 32]    = blocks[Base+20+2*Xlen +: 32];

    // Cause and tval of the trap among them, and the mode behind the youngest.
    if (k == 0) begin : gen_first
      assign trap_cause = ing_cause_o[8*k +: 8];
      assign trap_tval  = ing_tval_o[Xlen*k +: Xlen];
      assign behind     = block_next[3*k +: 3];
    end else begin : gen_next
      assign trap_cause = gen_block[k-1].trap_cause | ing_cause_o[8*k +: 8];
      assign trap_tval  = gen_block[k-1].trap_tval | ing_tval_o[Xlen*k +: Xlen];
      assign behind     = block[k] ? block_next[3*k +: 3] : gen_block[k-1].behind;
    end

    assign once_cause_o[8*k +: 8]      = block[k] ? gen_block[NRet-1].trap_cause : 8'd0;
    assign once_tval_o[Xlen*k +: Xlen] = block[k] ? gen_block[NRet-1].trap_tval : {Xlen{1'b0}};
  end

  assign first_mode    = ing_priv_o[2:0];
  assign first_context = ing_context_o[31:0];
  assign last_mode     = gen_block[NRet-1].behind;

  // --- Transfers -----------------------------------------------------------------------------------------

  subsystem_compact #(.N (NRet), .Width (XferBits)) u_transfers (
    .valid_i (transfer), .data_i (slot_xfers), .valid_o (xfer_valid_o), .data_o (xfers)
  );

  for (genvar k = 0; k < NRet; k++) begin : gen_xfer
    localparam int Base = XferBits*k;
    assign xfer_type_o[4*k +: 4]         = xfers[Base +: 4];
    assign xfer_source_o[Xlen*k +: Xlen] = xfers[Base+4 +: Xlen];
    assign xfer_target_o[Xlen*k +: Xlen] = xfers[Base+4+Xlen +: Xlen];
    assign xfer_misp_o[k]                = xfers[Base+4+2*Xlen];
    assign xfer_from_o[3*k +: 3]         = xfers[Base+5+2*Xlen +: 3];
    assign xfer_to_o[3*k +: 3]           = xfers[Base+8+2*Xlen +: 3];
    assign xfer_cause_o[8*k +: 8]        = xfers[Base+11+2*Xlen +: 8];
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
