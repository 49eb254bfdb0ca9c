// Subsystem: where the fields of what subsystem_adapter moves to the front are, lowest bit of each.
// SPDX-License-Identifier: Apache-2.0
// Generated from flow/generate/vectors.py; do not edit, type `python -m rvtrace.flow.generate`.
package subsystem_layout_pkg;

  // A block of one instruction or one trap.
  localparam int BlockItype   = 0;   // itype
  localparam int BlockWide    = 4;   // an instruction of 32 bits
  localparam int BlockInsn    = 5;   // an instruction: a trap retires nothing
  localparam int BlockCause   = 6;   // cause of a trap
  localparam int BlockMode    = 14;  // mode in which it happened
  localparam int BlockNext    = 17;  // mode after it
  localparam int BlockContext = 20;  // context
  localparam int BlockPc      = 52;  // pc, or EPC
  function automatic int block_tval(input int xlen); block_tval = 52 + xlen; endfunction  // tval of a trap
  function automatic int block_bits(input int xlen); block_bits = 52 + 2*xlen; endfunction  // all of it

  // A control transfer.
  localparam int XferItype  = 0;   // itype
  localparam int XferMisp   = 4;   // it was predicted wrong
  localparam int XferFrom   = 5;   // mode of the source
  localparam int XferTo     = 8;   // mode of the target
  localparam int XferCause  = 11;  // cause of a trap
  localparam int XferSource = 19;  // source
  function automatic int xfer_target(input int xlen); xfer_target = 19 + xlen; endfunction  // target
  function automatic int xfer_bits(input int xlen); xfer_bits = 19 + 2*xlen; endfunction  // all of it

endpackage
