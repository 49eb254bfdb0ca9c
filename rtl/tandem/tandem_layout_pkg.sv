// Tandem-trace encoder: where the fields of its state and rows are, lowest bit of each.
// SPDX-License-Identifier: Apache-2.0
// Generated from flow/generate/vectors.py; do not edit, type `python -m rvtrace.flow.generate`.
package tandem_layout_pkg;

  // What the encoder knows.
  localparam int StateOpen  = 0;  // an end is kept back
  localparam int StateKnown = 1;  // the pc is known
  localparam int StateBased = 2;  // which registers have bases: tandem_pkg::NBases
  localparam int StatePc    = 7;  // the pc last sent
  function automatic int state_base(input int xlen); state_base = 7 + xlen; endfunction  // the bases
  function automatic int state_bits(input int xlen, bases_bits); state_bits = 7 + xlen + bases_bits; endfunction  // all of it

  // A row on its way from tandem_lane to tandem_head: what is sent up to the CSRs.
  localparam int HeadBegins     = 0;    // a group begins
  localparam int HeadEndsBefore = 1;    // one ends before it
  localparam int HeadIncrements = 2;    // the pc is sent as an increment
  localparam int HeadGprForm    = 3;    // form of the x register: tandem_table_pkg::Form*
  localparam int HeadFcsrForm   = 5;    // form of fcsr
  localparam int HeadInsn16     = 7;    // an instruction of 16 bits
  localparam int HeadInsn       = 8;    // the instruction
  localparam int HeadGprAddr    = 40;   // number of the x register
  localparam int HeadFprAddr    = 45;   // number of the f register
  localparam int HeadCsrAddr    = 50;   // addresses of CSRs
  localparam int HeadSends      = 98;   // which parts are sent, from reset on
  localparam int HeadPc         = 110;  // pc
  function automatic int head_gpr(input int xlen); head_gpr = 110 + xlen; endfunction  // value of the x register, or its difference
  function automatic int head_fcsr(input int xlen); head_fcsr = 110 + 2*xlen; endfunction  // of fcsr
  function automatic int head_csr(input int xlen); head_csr = 110 + 3*xlen; endfunction  // of CSRs
  function automatic int head_fpr(input int xlen, csr_bits); head_fpr = 110 + 3*xlen + csr_bits; endfunction  // of the f register
  function automatic int head_ppc(input int xlen, csr_bits, flen); head_ppc = 110 + 3*xlen + csr_bits + flen; endfunction  // physical pc
  function automatic int head_bits(input int xlen, csr_bits, flen, mlen); head_bits = 110 + 3*xlen + csr_bits + flen + mlen; endfunction  // all of it

  // From tandem_lane to tandem_tail: what is sent from the privilege on.
  localparam int TailEnds          = 0;    // the group ends
  localparam int TailPriv          = 1;    // privilege
  localparam int TailMemdataSize   = 3;    // size of store data
  localparam int TailMemdata       = 5;    // store data
  localparam int TailMtime         = 69;   // mtime
  localparam int TailMcycle        = 133;  // mcycle, or its difference
  localparam int TailMcycleForms   = 197;  // forms of its halves
  localparam int TailMinstret      = 201;  // minstret, or its difference
  localparam int TailMinstretForms = 265;  // forms of its halves
  localparam int TailReqOp         = 269;  // memory request: operation
  localparam int TailReqSize       = 273;  // size
  localparam int TailReqData       = 275;  // data
  localparam int TailRspResult     = 339;  // memory response: result
  localparam int TailRspData       = 340;  // data
  localparam int TailSends         = 404;  // which parts are sent, from priv on
  localparam int TailPaddr         = 413;  // physical address
  function automatic int tail_eaddr(input int mlen); tail_eaddr = 413 + mlen; endfunction  // effective address
  function automatic int tail_req_addr(input int mlen); tail_req_addr = 413 + 2*mlen; endfunction  // address of the request
  function automatic int tail_bits(input int mlen); tail_bits = 413 + 3*mlen; endfunction  // all of it

endpackage
