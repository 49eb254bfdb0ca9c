// RVFI adapter: where the fields of a retirement in its queue are, lowest bit of each.
// SPDX-License-Identifier: Apache-2.0
// Generated from flow/generate/vectors.py; do not edit, type `python -m rvtrace.flow.generate`.
package rvfi_layout_pkg;

  // A retirement, decoded.
  localparam int RowInsn      = 0;    // the instruction
  localparam int RowItype     = 32;   // itype
  localparam int RowCause     = 36;   // cause of its exception, if the trap port does not say it
  localparam int RowInsn16    = 40;   // an instruction of 16 bits
  localparam int RowMode      = 41;   // mode
  localparam int RowContext   = 44;   // context
  localparam int RowGprAddr   = 76;   // number of the x register; 0: none
  localparam int RowFprThere  = 81;   // it wrote an f register
  localparam int RowFprAddr   = 82;   // its number
  localparam int RowFcsrThere = 87;   // it wrote fcsr
  localparam int RowFcsr      = 88;   // fcsr
  localparam int RowCsrThere  = 120;  // slots with a CSR
  localparam int RowCsrAddr   = 124;  // addresses of CSRs
  localparam int RowAccesses  = 172;  // it accessed memory
  localparam int RowStores    = 173;  // and stored
  localparam int RowSize      = 174;  // size of the access
  localparam int RowMemdata   = 176;  // store data
  localparam int RowTrap      = 240;  // rvfi_trap
  localparam int RowHalt      = 241;  // rvfi_halt
  localparam int RowIntr      = 242;  // rvfi_intr
  localparam int RowDebug     = 243;  // rvfi_debug
  localparam int RowXret      = 244;  // an xRET
  localparam int RowCall      = 245;  // an ecall or ebreak
  localparam int RowError     = 246;  // rvfi_pkg::Error*
  localparam int RowPc        = 250;  // pc
  function automatic int row_pc_wdata(input int xlen); row_pc_wdata = 250 + xlen; endfunction  // pc of the next one
  function automatic int row_gpr(input int xlen); row_gpr = 250 + 2*xlen; endfunction  // value of the x register
  function automatic int row_csr(input int xlen); row_csr = 250 + 3*xlen; endfunction  // values of CSRs
  function automatic int row_fpr(input int xlen, csr_bits); row_fpr = 250 + 3*xlen + csr_bits; endfunction  // value of the f register
  function automatic int row_paddr(input int xlen, csr_bits, flen); row_paddr = 250 + 3*xlen + csr_bits + flen; endfunction  // address of the access
  function automatic int row_events(input int xlen, csr_bits, flen, mlen); row_events = 250 + 3*xlen + csr_bits + flen + mlen; endfunction  // number of the first event that is not older than it
  function automatic int row_bits(input int xlen, csr_bits, flen, mlen, seq_bits); row_bits = 250 + 3*xlen + csr_bits + flen + mlen + seq_bits; endfunction  // all of it

endpackage
