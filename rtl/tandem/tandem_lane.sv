// SPDX-License-Identifier: Apache-2.0
// A row: whether it is legal, what of it is sent and in which form, and what the encoder knows after it.
//
// Combinational. State of the lane before comes in, that for the next one goes out. A row that is not taken, not legal or has nothing to
// send changes nothing.
module tandem_lane #(
  parameter int                            Xlen        = 64,
  parameter int                            Flen        = 64,
  parameter int                            Mlen        = 64,
  parameter int                            Incremental = 1,
  parameter bit                            ImpliedEnd  = 0,
  parameter logic [tandem_table_pkg::Parts-1:0] Absent = '0,
  // Derived, do not set.
  parameter int FBits     = (Flen > 0) ? Flen : 1,
  parameter int StateBits = tandem_layout_pkg::state_bits(Xlen, tandem_pkg::NBases * Xlen),
  parameter int HeadBits  = tandem_layout_pkg::head_bits(Xlen, tandem_table_pkg::CsrSlots * Xlen, FBits, Mlen),
  parameter int TailBits  = tandem_layout_pkg::tail_bits(Mlen)
) (
  input  logic                               taken_i,
  input  logic [tandem_table_pkg::Parts-1:0] has_i,
  input  logic [Xlen-1:0]                    pc_i,
  input  logic [Mlen-1:0]                    ppc_i,
  input  logic [31:0]                        insn_i,
  input  logic                               insn16_i,
  input  logic [4:0]                         gpr_addr_i,
  input  logic [Xlen-1:0]                    gpr_i,
  input  logic [4:0]                         fpr_addr_i,
  input  logic [FBits-1:0]                   fpr_i,
  input  logic [31:0]                        fcsr_i,
  input  logic [tandem_table_pkg::CsrSlots*12-1:0]   csr_addr_i,
  input  logic [tandem_table_pkg::CsrSlots*Xlen-1:0] csr_i,
  input  logic [1:0]                         priv_i,
  input  logic [Mlen-1:0]                    paddr_i,
  input  logic [Mlen-1:0]                    eaddr_i,
  input  logic [1:0]                         memdata_size_i,
  input  logic [63:0]                        memdata_i,
  input  logic [63:0]                        mtime_i,
  input  logic [63:0]                        mcycle_i,
  input  logic [63:0]                        minstret_i,
  input  logic [3:0]                         req_op_i,
  input  logic [1:0]                         req_size_i,
  input  logic [Mlen-1:0]                    req_addr_i,
  input  logic [63:0]                        req_data_i,
  input  logic                               rsp_result_i,
  input  logic [63:0]                        rsp_data_i,

  // Base of the x register (tandem_gprs).
  input  logic                               gpr_based_i,
  input  logic [Xlen-1:0]                    gpr_base_i,
  output logic                               gpr_sent_o,
  output logic                               reset_o,     // forget all bases

  input  logic [StateBits-1:0]               state_i,
  output logic [StateBits-1:0]               state_o,

  output logic                               illegal_o,
  output logic                               row_valid_o, // it makes bytes
  output logic [HeadBits+TailBits-1:0]       row_o        // tandem_head, tandem_tail
);

  localparam int Parts    = tandem_table_pkg::Parts;
  localparam int CsrSlots = tandem_table_pkg::CsrSlots;
  localparam int NBases   = tandem_pkg::NBases;
  localparam int FormBits = tandem_table_pkg::FormBits;
  localparam int Last     = Parts - 1;
  localparam int First    = tandem_table_pkg::Reset;
  localparam int Halves   = 64 / Xlen;  // of a counter
  localparam bit Rv32     = (Xlen == 32);

  // --- Legal rows, and what is sent --------------------------------------------------------------------

  // Parts that can be sent. f registers and fcsr need Flen, a response its request.
  localparam bit NoFp = (Flen == 0);
  localparam logic [Parts-1:0] One = {{(Parts-1){1'b0}}, 1'b1};
  localparam logic [Parts-1:0] Untraced = Absent
    | (NoFp ? (One << tandem_table_pkg::Fpr) | (One << tandem_table_pkg::Fcsr) : {Parts{1'b0}})
    | (Absent[tandem_table_pkg::Request] ? One << tandem_table_pkg::Response : {Parts{1'b0}});

  logic             group, flush, resets, init, insn, wrong, takes, flushes, any;
  logic [Parts-1:0] others;   // but flush
  logic [Last:First] sends;

  assign group  = has_i[tandem_table_pkg::Group];
  assign flush  = has_i[tandem_table_pkg::Flush];
  assign resets = has_i[tandem_table_pkg::Reset];
  assign init   = has_i[tandem_table_pkg::Init];
  assign insn   = has_i[tandem_table_pkg::Insn];
  assign others = has_i & ~(One << tandem_table_pkg::Flush);
  assign wrong  = (!group && (resets || init || insn)) || (init && (insn || resets)) || (resets && insn)
                  || (has_i[tandem_table_pkg::Response] && !has_i[tandem_table_pkg::Request])
                  || (has_i[tandem_table_pkg::Request] && (req_op_i > tandem_table_pkg::LastOperation))
                  || (flush && (others != '0));

  assign illegal_o = taken_i && wrong;
  assign takes     = taken_i && !wrong;
  assign flushes   = takes && flush;

  for (genvar p = First; p <= Last; p++) begin : gen_sends
    if (p == tandem_table_pkg::Gpr) begin : gen_gpr
      assign sends[p] = takes && has_i[p] && !Untraced[p] && (gpr_addr_i != 5'd0);
    end else begin : gen_other
      assign sends[p] = takes && has_i[p] && !Untraced[p];
    end
  end
  assign any        = (sends != '0);
  assign gpr_sent_o = sends[tandem_table_pkg::Gpr];
  assign reset_o    = sends[tandem_table_pkg::Reset];

  // --- What the encoder knows ---------------------------------------------------------------------------

  // An end is kept back; the pc last sent; bases.
  localparam int BaseAt = tandem_layout_pkg::state_base(Xlen);
  wire                    open  = state_i[tandem_layout_pkg::StateOpen];
  wire                    known = state_i[tandem_layout_pkg::StateKnown];
  wire [NBases-1:0]       based = state_i[tandem_layout_pkg::StateBased +: NBases];
  wire [Xlen-1:0]         pc    = state_i[tandem_layout_pkg::StatePc +: Xlen];
  wire [NBases*Xlen-1:0]  base  = state_i[BaseAt +: NBases*Xlen];
  logic [NBases-1:0]      based_then;
  logic [NBases*Xlen-1:0] base_then;

  // --- Begin and end ------------------------------------------------------------------------------------

  logic begins, ends_before, ends;
  assign begins      = any && group;
  assign ends_before = open && ((any && !group) || flushes);
  assign ends        = begins && !ImpliedEnd;
  assign state_o[tandem_layout_pkg::StateOpen] = ImpliedEnd && (begins || (open && !ends_before));
  assign row_valid_o = any || ends_before;

  // --- pc -----------------------------------------------------------------------------------------------

  logic            increments, known_here;
  logic [Xlen-1:0] next_pc;
  assign next_pc    = pc + {{(Xlen-3){1'b0}}, insn16_i ? 3'd2 : 3'd4};
  assign known_here = known && !reset_o;
  assign increments = (Incremental != 0) && sends[tandem_table_pkg::Insn] && known_here && (pc_i == next_pc);
  assign state_o[tandem_layout_pkg::StateKnown]      = known_here || sends[tandem_table_pkg::Pc];
  assign state_o[tandem_layout_pkg::StatePc +: Xlen] = sends[tandem_table_pkg::Pc] ? pc_i : pc;

  // --- Registers that have bases -------------------------------------------------------------------------

  // Of {based, base}: as a value is sent, as the slots of CSRs are sent in their order.
  localparam int BasesBits = NBases * (1 + Xlen);

  function automatic logic [BasesBits-1:0] reported(input logic [BasesBits-1:0] old, input int which, input logic [Xlen-1:0] value);
    reported = old;
    reported[NBases*Xlen + which] = 1'b1;
    reported[Xlen*which +: Xlen]  = value;
  endfunction

  function automatic logic [BasesBits-1:0] reported_csrs(input logic [BasesBits-1:0] old, input logic [CsrSlots-1:0] sent,
                                                     input logic [CsrSlots*12-1:0] addrs, input logic [CsrSlots*Xlen-1:0] values);
    logic [Xlen-1:0] value;
    reported_csrs = old;
    for (int s = 0; s < CsrSlots; s++) begin
      value = values[Xlen*s +: Xlen];
      if (sent[s]) begin
        case (addrs[12*s +: 12])
          tandem_table_pkg::FcsrAddr:      reported_csrs = reported(reported_csrs, tandem_pkg::Fcsr, value);
          tandem_table_pkg::FflagsAddr:    reported_csrs[NBases*Xlen + tandem_pkg::Fcsr] = 1'b0;
          tandem_table_pkg::FrmAddr:       reported_csrs[NBases*Xlen + tandem_pkg::Fcsr] = 1'b0;
          tandem_table_pkg::McycleAddr:    reported_csrs = reported(reported_csrs, tandem_pkg::Mcycle, value);
          tandem_table_pkg::McyclehAddr:   reported_csrs = reported(reported_csrs, tandem_pkg::McycleHigh, value);
          tandem_table_pkg::MinstretAddr:  reported_csrs = reported(reported_csrs, tandem_pkg::Minstret, value);
          tandem_table_pkg::MinstrethAddr: reported_csrs = reported(reported_csrs, tandem_pkg::MinstretHigh, value);
          default:                         reported_csrs = reported_csrs;
        endcase
      end
    end
  endfunction

  // Which have bases at all.
  localparam logic [NBases-1:0] CanBe = {Rv32, 1'b1, Rv32, 1'b1, 1'b0} & {NBases{Incremental == 2}}
                                        | {{(NBases-1){1'b0}}, (Incremental != 0)};

  // {minstreth, minstret, mcycleh, mcycle, fcsr}, on RV64 0 for high halves.
  logic [NBases*Xlen-1:0]                 value, base_found, data;
  logic [NBases-1:0]                      sent, based_here, based_after, based_found;
  logic [NBases*Xlen-1:0]                 base_after;
  logic [NBases*tandem_table_pkg::FormBits-1:0] form;

  assign value[0 +: Xlen] = {{(Xlen-32){1'b0}}, fcsr_i};
  assign sent[0]          = sends[tandem_table_pkg::Fcsr];
  for (genvar h = 0; h < 2; h++) begin : gen_half
    if (h < Halves) begin : gen_there
      assign value[Xlen*(1+h) +: Xlen] = mcycle_i[Xlen*h +: Xlen];
      assign value[Xlen*(3+h) +: Xlen] = minstret_i[Xlen*h +: Xlen];
      assign sent[1+h] = sends[tandem_table_pkg::Mcycle];
      assign sent[3+h] = sends[tandem_table_pkg::Minstret];
    end else begin : gen_not
      assign value[Xlen*(1+h) +: Xlen] = '0;
      assign value[Xlen*(3+h) +: Xlen] = '0;
      assign sent[1+h] = 1'b0;
      assign sent[3+h] = 1'b0;
    end
  end

  // fcsr is sent before the CSRs, the counters are sent after them.
  assign based_here = reset_o ? {NBases{1'b0}} : based;
  assign {based_after, base_after} =
    reported_csrs(sent[0] ? reported({based_here, base}, tandem_pkg::Fcsr, value[0 +: Xlen]) : {based_here, base},
              sends[tandem_table_pkg::Csr3:tandem_table_pkg::Csr0], csr_addr_i, csr_i);
  assign based_found = {based_after[NBases-1:1], based_here[0]};
  assign base_found  = {base_after[NBases*Xlen-1:Xlen], base[Xlen-1:0]};

  for (genvar b = 0; b < NBases; b++) begin : gen_base
    logic            has_base;
    logic [Xlen-1:0] from, to;

    assign has_base = based_found[b] && CanBe[b];
    assign from     = base_found[Xlen*b +: Xlen];
    assign to       = value[Xlen*b +: Xlen];
    tandem_form #(
      .Xlen (Xlen)
    ) u_form (
      .based_i (has_base),
      .base_i  (from),
      .value_i (to),
      .form_o  (form[tandem_table_pkg::FormBits*b +: tandem_table_pkg::FormBits]),
      .data_o  (data[Xlen*b +: Xlen])
    );
    if (b == tandem_pkg::Fcsr) begin : gen_fcsr
      assign based_then[b]              = based_after[b] && CanBe[b];
      assign base_then[Xlen*b +: Xlen]  = base_after[Xlen*b +: Xlen];
    end else begin : gen_counter
      assign based_then[b]              = (based_after[b] || sent[b]) && CanBe[b];
      assign base_then[Xlen*b +: Xlen]  = sent[b] ? to : base_after[Xlen*b +: Xlen];
    end
  end

  assign state_o[tandem_layout_pkg::StateBased +: NBases] = based_then;
  assign state_o[BaseAt +: NBases*Xlen]                   = base_then;

  logic [tandem_table_pkg::FormBits-1:0] gpr_form;
  logic [Xlen-1:0]                 gpr_data;
  tandem_form #(
    .Xlen (Xlen)
  ) u_gpr_form (
    .based_i (gpr_based_i),
    .base_i  (gpr_base_i),
    .value_i (gpr_i),
    .form_o  (gpr_form),
    .data_o  (gpr_data)
  );

  // --- The row --------------------------------------------------------------------------------------------

  logic unused_halves;  // RV64 has none
  assign unused_halves = ^data;

  // Fields whose place depends on parameters.
  localparam int GprAt     = tandem_layout_pkg::head_gpr(Xlen);
  localparam int FcsrAt    = tandem_layout_pkg::head_fcsr(Xlen);
  localparam int CsrAt     = tandem_layout_pkg::head_csr(Xlen);
  localparam int FprAt     = tandem_layout_pkg::head_fpr(Xlen, Xlen * CsrSlots);
  localparam int PpcAt     = tandem_layout_pkg::head_ppc(Xlen, Xlen * CsrSlots, FBits);
  localparam int EaddrAt   = tandem_layout_pkg::tail_eaddr(Mlen);
  localparam int ReqAddrAt = tandem_layout_pkg::tail_req_addr(Mlen);

  // Slices have names, as Icarus knows no part of a vector in always_comb. It joins nets that are assigned by parts more
  // slowly than the local vectors: a run takes half as long again.
  wire [tandem_table_pkg::Csr3-First:0] head_sends = sends[tandem_table_pkg::Csr3:First];
  wire [Last-tandem_table_pkg::Priv:0]  tail_sends = sends[Last:tandem_table_pkg::Priv];
  wire [FormBits-1:0]   fcsr_form      = form[FormBits*tandem_pkg::Fcsr +: FormBits];
  wire [2*FormBits-1:0] mcycle_forms   = form[FormBits*tandem_pkg::Mcycle +: 2*FormBits];
  wire [2*FormBits-1:0] minstret_forms = form[FormBits*tandem_pkg::Minstret +: 2*FormBits];
  wire [Xlen-1:0]       fcsr_data      = data[Xlen*tandem_pkg::Fcsr +: Xlen];
  wire [63:0]           mcycle         = data[Xlen*tandem_pkg::Mcycle +: 64];
  wire [63:0]           minstret       = data[Xlen*tandem_pkg::Minstret +: 64];

  always_comb begin : join_row
    logic [HeadBits-1:0] head;
    logic [TailBits-1:0] tail;
    head[tandem_layout_pkg::HeadBegins]                  = begins;
    head[tandem_layout_pkg::HeadEndsBefore]              = ends_before;
    head[tandem_layout_pkg::HeadIncrements]              = increments;
    head[tandem_layout_pkg::HeadGprForm +: FormBits]     = gpr_form;
    head[tandem_layout_pkg::HeadFcsrForm +: FormBits]    = fcsr_form;
    head[tandem_layout_pkg::HeadInsn16]                  = insn16_i;
    head[tandem_layout_pkg::HeadInsn +: 32]              = insn_i;
    head[tandem_layout_pkg::HeadGprAddr +: 5]            = gpr_addr_i;
    head[tandem_layout_pkg::HeadFprAddr +: 5]            = fpr_addr_i;
    head[tandem_layout_pkg::HeadCsrAddr +: 12*CsrSlots]  = csr_addr_i;
    head[tandem_layout_pkg::HeadSends +: tandem_table_pkg::Csr3-First+1] = head_sends;
    head[tandem_layout_pkg::HeadPc +: Xlen]              = pc_i;
    head[GprAt +: Xlen]                                  = gpr_data;
    head[FcsrAt +: Xlen]                                 = fcsr_data;
    head[CsrAt +: Xlen*CsrSlots]                         = csr_i;
    head[FprAt +: FBits]                                 = fpr_i;
    head[PpcAt +: Mlen]                                  = ppc_i;

    tail[tandem_layout_pkg::TailEnds]                    = ends;
    tail[tandem_layout_pkg::TailPriv +: 2]               = priv_i;
    tail[tandem_layout_pkg::TailMemdataSize +: 2]        = memdata_size_i;
    tail[tandem_layout_pkg::TailMemdata +: 64]           = memdata_i;
    tail[tandem_layout_pkg::TailMtime +: 64]             = mtime_i;
    tail[tandem_layout_pkg::TailMcycle +: 64]            = mcycle;
    tail[tandem_layout_pkg::TailMcycleForms +: 2*FormBits]   = mcycle_forms;
    tail[tandem_layout_pkg::TailMinstret +: 64]          = minstret;
    tail[tandem_layout_pkg::TailMinstretForms +: 2*FormBits] = minstret_forms;
    tail[tandem_layout_pkg::TailReqOp +: 4]              = req_op_i;
    tail[tandem_layout_pkg::TailReqSize +: 2]            = req_size_i;
    tail[tandem_layout_pkg::TailReqData +: 64]           = req_data_i;
    tail[tandem_layout_pkg::TailRspResult]               = rsp_result_i;
    tail[tandem_layout_pkg::TailRspData +: 64]           = rsp_data_i;
    tail[tandem_layout_pkg::TailSends +: Last-tandem_table_pkg::Priv+1] = tail_sends;
    tail[tandem_layout_pkg::TailPaddr +: Mlen]           = paddr_i;
    tail[EaddrAt +: Mlen]                                = eaddr_i;
    tail[ReqAddrAt +: Mlen]                              = req_addr_i;
    row_o = {head, tail};
  end

endmodule
