// Rows of the files of cores_tb: where the fields are.
// SPDX-License-Identifier: Apache-2.0
// Generated from tb/cores/agents/layout.py; do not edit, type `python -m rvtrace.flow.generate`.
package cores_row_pkg;

  /* verilator lint_off UNUSEDPARAM */  // every place has its name

  // Lowest bit and bits of each field of a row of kind rvfi.
  localparam int RvfiCycleAt = 0, RvfiCycleBits = 64;
  localparam int RvfiOrderAt = 64, RvfiOrderBits = 64;
  localparam int RvfiPcAt = 128, RvfiPcBits = 64;
  localparam int RvfiNextPcAt = 192, RvfiNextPcBits = 64;
  localparam int RvfiRdValueAt = 256, RvfiRdValueBits = 64;
  localparam int RvfiMemAddrAt = 320, RvfiMemAddrBits = 64;
  localparam int RvfiMemRdataAt = 384, RvfiMemRdataBits = 64;
  localparam int RvfiMemWdataAt = 448, RvfiMemWdataBits = 64;
  localparam int RvfiInsnAt = 512, RvfiInsnBits = 32;
  localparam int RvfiTrapAt = 544, RvfiTrapBits = 8;
  localparam int RvfiIntrAt = 552, RvfiIntrBits = 8;
  localparam int RvfiUnknownAt = 560, RvfiUnknownBits = 8;
  localparam int RvfiRdAt = 568, RvfiRdBits = 8;
  localparam int RvfiRmaskAt = 576, RvfiRmaskBits = 8;
  localparam int RvfiWmaskAt = 584, RvfiWmaskBits = 8;
  localparam int RvfiModeAt = 592, RvfiModeBits = 8;
  localparam int RvfiCsrValidAt = 600, RvfiCsrValidBits = 8;
  localparam int RvfiCsrAddr0At = 608, RvfiCsrAddr0Bits = 16;
  localparam int RvfiCsrAddr1At = 624, RvfiCsrAddr1Bits = 16;
  localparam int RvfiCsrAddr2At = 640, RvfiCsrAddr2Bits = 16;
  localparam int RvfiCsrAddr3At = 656, RvfiCsrAddr3Bits = 16;
  localparam int RvfiCsr0At = 672, RvfiCsr0Bits = 64;
  localparam int RvfiCsr1At = 736, RvfiCsr1Bits = 64;
  localparam int RvfiCsr2At = 800, RvfiCsr2Bits = 64;
  localparam int RvfiCsr3At = 864, RvfiCsr3Bits = 64;
  localparam int RvfiBits = 928;

  // Lowest bit and bits of each field of a row of kind trap.
  localparam int TrapCycleAt = 0, TrapCycleBits = 64;
  localparam int TrapRetiredAt = 64, TrapRetiredBits = 64;
  localparam int TrapCauseAt = 128, TrapCauseBits = 64;
  localparam int TrapTvalAt = 192, TrapTvalBits = 64;
  localparam int TrapEpcAt = 256, TrapEpcBits = 64;
  localparam int TrapStatusAt = 320, TrapStatusBits = 64;
  localparam int TrapInterruptAt = 384, TrapInterruptBits = 8;
  localparam int TrapModeFromAt = 392, TrapModeFromBits = 8;
  localparam int TrapModeAt = 400, TrapModeBits = 8;
  localparam int TrapBits = 448;

  /* verilator lint_on UNUSEDPARAM */

endpackage
