// SPDX-License-Identifier: Apache-2.0
// Trace filters and comparators (Trace Control Interface 1.0, Trace Encoder Filter Registers): which blocks of
// the ingress port are traced, and which are watchpoints. Any trace encoder can use it.
//
// Combinational from the lanes to the outputs, lane 0 (the oldest block) first; the state after the last
// lane is kept when the beat is accepted. The state is cleared by a beat with enable_i = 0. Settings
// may change only while enable_i is 0. An interrupt without instructions has no address: a comparator of addresses keeps
// for it the result of the block before. tval is compared at traps only, else the comparison is false. daddr, impdef, dtype and dsize are not built: a comparator of daddr sees 0,
// one that does not exist is false, and the other conditions are ignored.
module trace_filter #(
  parameter int Xlen         = 64,  // 32 or 64
  parameter int NBlocks      = 1,
  parameter int IRetireWidth = 7,
  parameter int NFilters     = 2,   // 1 to 16
  parameter int NComps       = 2    // 1 to 8
) (
  input  logic                            clk_i,
  input  logic                            rst_ni,

  input  logic                            enable_i,
  input  logic                            accept_i,

  input  logic [15:0]                     filters_i,     // trTeInstFilters
  // Filter i: {MatchEcauseHigh, MatchEcauseLow, MatchInst, Control}.
  input  logic [NFilters*128-1:0]         filter_cfg_i,
  // Comparator j: {SMatchHigh, SMatchLow, PMatchHigh, PMatchLow, Control}.
  input  logic [NComps*160-1:0]           comp_cfg_i,

  // Ingress port: lane k in bits k*W +: W.
  input  logic [NBlocks*4-1:0]            ing_itype_i,
  input  logic [NBlocks*Xlen-1:0]         ing_iaddr_i,
  input  logic [NBlocks*IRetireWidth-1:0] ing_iretire_i,
  input  logic [NBlocks*8-1:0]            ing_cause_i,
  input  logic [NBlocks*Xlen-1:0]         ing_tval_i,
  input  logic [NBlocks*3-1:0]            ing_priv_i,    // E-Trace's code: 0 U, 1 S, 3 M, 4 D, 5 VU, 6 VS
  input  logic [NBlocks*32-1:0]           ing_context_i,

  // Of lanes that hold a block; 0 in the others.
  output logic [NBlocks-1:0]              qualified_o,
  output logic [NBlocks-1:0]              notify_o       // a watchpoint matched this qualified block
);

  // State of a trap condition: {matching, traps nested in the one that it matches}.
  localparam int TrapBits  = 5;
  localparam int Last      = NComps + 2*TrapBits*NFilters;  // of each comparator, its result for the block before
  localparam int StateBits = Last + NComps;

  logic [StateBits-1:0] state_q, state_d;

  for (genvar k = 0; k < NBlocks; k++) begin : gen_lane
    logic [3:0]      itype;
    logic [7:0]      cause;
    logic [2:0]      priv;
    logic [63:0]     iaddr, tval, context_id;
    logic            block, trap, trap_return, unplaced;

    assign itype       = ing_itype_i[4*k +: 4];
    assign cause       = ing_cause_i[8*k +: 8];
    assign priv        = ing_priv_i[3*k +: 3];
    assign iaddr       = {{(64-Xlen){1'b0}}, ing_iaddr_i[Xlen*k +: Xlen]};
    assign tval        = {{(64-Xlen){1'b0}}, ing_tval_i[Xlen*k +: Xlen]};
    assign context_id  = {32'd0, ing_context_i[32*k +: 32]};
    assign trap        = trace_pkg::is_trap(itype);
    assign block       = (ing_iretire_i[IRetireWidth*k +: IRetireWidth] != '0) || trap;
    assign trap_return = (itype == trace_pkg::ItypeTrapReturn);
    assign unplaced    = (ing_iretire_i[IRetireWidth*k +: IRetireWidth] == '0) &&
                         (itype == trace_pkg::ItypeInterrupt);

    logic [StateBits-1:0] state_in, state_new, state_out;
    if (k == 0) begin : gen_first
      assign state_in = state_q;
    end else begin : gen_next
      assign state_in = gen_lane[k-1].state_out;
    end
    assign state_out = block ? state_new : state_in;

    // Comparators.
    logic [NComps-1:0] comp, comp_notify;

    for (genvar j = 0; j < NComps; j++) begin : gen_comp
      logic [31:0] control;
      logic [1:0]  mode;
      logic [2:0]  pfunction, sfunction;
      logic        primary, secondary, primed, latch, both, compares, kept;
      logic [63:0] pmask;

      assign control   = comp_cfg_i[160*j +: 32];
      assign mode      = control[13:12];
      assign pfunction = control[6:4];
      assign sfunction = control[10:8];

      // Secondary function 6: its match value is the mask of the primary comparison.
      assign pmask = (sfunction == 3'd6) ? comp_cfg_i[160*j+96 +: 64] : {64{1'b1}};

      trace_compare #(
        .Xlen   (Xlen)
      ) u_primary (
        .input_i    (control[1:0]),
        .function_i (pfunction),
        .iaddr_i    (iaddr),
        .context_i  (context_id),
        .tval_i     (tval),
        .trap_i     (trap),
        .match_i    (comp_cfg_i[160*j+32 +: 64]),
        .mask_i     (pmask),
        .result_o   (primary)
      );

      trace_compare #(
        .Xlen   (Xlen)
      ) u_secondary (
        .input_i    (control[3:2]),
        .function_i ((sfunction == 3'd6) ? 3'd7 : sfunction),
        .iaddr_i    (iaddr),
        .context_i  (context_id),
        .tval_i     (tval),
        .trap_i     (trap),
        .match_i    (comp_cfg_i[160*j+96 +: 64]),
        .mask_i     ({64{1'b1}}),
        .result_o   (secondary)
      );

      // The state bit says that the latch differs from its reset value, which primary function 6 sets.
      assign primed = (pfunction == 3'd6);
      assign latch  = primary || (state_in[j] ^ primed);
      assign both   = primary && secondary;
      assign compares = (control[1:0] == 2'd0) ||
                        ((mode != 2'd0) && (sfunction < 3'd6) && (control[3:2] == 2'd0));
      assign kept     = unplaced && compares;
      assign state_new[j] = kept ? state_in[j] : (latch && !secondary) ^ primed;

      assign comp[j] = kept ? state_in[Last+j] :
                       (mode == 2'd0) ? primary :
                       (mode == 2'd1) ? both :
                       (mode == 2'd2) ? !both : latch;
      assign state_new[Last+j] = comp[j];
      assign comp_notify[j] = !unplaced &&
                              ((control[14] && (control[1:0] == 2'd0) && primary) ||
                               (control[15] && (control[3:2] == 2'd0) && secondary));

      logic unused_control;  // reserved bits
      assign unused_control = ^{control[31:16], control[11], control[7]};
    end

    logic [7:0] comp_selected;  // by the three bits of trTeFilterComp1 to 3
    if (NComps == 8) begin : gen_all
      assign comp_selected = comp;
    end else begin : gen_some
      assign comp_selected = {{(8-NComps){1'b0}}, comp};
    end

    // Filters.
    logic [NFilters-1:0] match;

    for (genvar i = 0; i < NFilters; i++) begin : gen_filter
      localparam int Ecause    = NComps + 2*TrapBits*i;
      localparam int Interrupt = Ecause + TrapBits;

      logic [31:0] control, inst;
      logic [63:0] ecause;
      logic        ecause_starts, interrupt_starts;

      assign control = filter_cfg_i[128*i +: 32];
      assign inst    = filter_cfg_i[128*i+32 +: 32];
      assign ecause  = filter_cfg_i[128*i+64 +: 64];

      assign ecause_starts    = (itype == trace_pkg::ItypeException) && (cause[7:6] == 2'd0) &&
                                ecause[cause[5:0]];
      assign interrupt_starts = (itype == (inst[8] ? trace_pkg::ItypeInterrupt : trace_pkg::ItypeException));

      assign state_new[Ecause +: TrapBits]    = trap_state(state_in[Ecause +: TrapBits],
                                                           ecause_starts, trap, trap_return);
      assign state_new[Interrupt +: TrapBits] = trap_state(state_in[Interrupt +: TrapBits],
                                                           interrupt_starts, trap, trap_return);

      assign match[i] = filters_i[i] && control[0] &&
                        (!control[1]  || inst[{2'b00, priv}]) &&
                        (!control[2]  || state_in[Ecause + TrapBits - 1]) &&
                        (!control[3]  || state_in[Interrupt + TrapBits - 1]) &&
                        (!control[4]  || comp_selected[control[7:5]]) &&
                        (!control[8]  || comp_selected[control[11:9]]) &&
                        (!control[12] || comp_selected[control[15:13]]);

      logic unused_control;  // reserved bits, impdef, dtype and dsize
      assign unused_control = ^{control[31:16], inst[31:9]};
    end

    assign qualified_o[k] = block && ((filters_i == 16'd0) || (|match));
    assign notify_o[k]    = qualified_o[k] && (|comp_notify);
  end

  // A trap condition after a block. The block with the last xRET still matches, the trap's own does not.
  function automatic logic [TrapBits-1:0] trap_state(
    input logic [TrapBits-1:0] state,
    input logic                starts,
    input logic                trap,
    input logic                trap_return
  );
    logic [3:0] nested;
    nested     = state[3:0];
    trap_state = state;
    if (!state[4])        trap_state = {starts, 4'd0};
    else if (trap)        trap_state = {1'b1, (nested == 4'd15) ? 4'd15 : nested + 4'd1};
    else if (trap_return) trap_state = (nested == 4'd0) ? 5'd0 : {1'b1, nested - 4'd1};
  endfunction

  assign state_d = enable_i ? gen_lane[NBlocks-1].state_out : {StateBits{1'b0}};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni)       state_q <= '0;
    else if (accept_i) state_q <= state_d;
  end

endmodule
