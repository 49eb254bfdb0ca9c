// SPDX-License-Identifier: Apache-2.0
// Codes of errors at RVFI (docs/reference/rtl-adapters.md).
package rvfi_pkg;

  localparam logic [3:0] ErrorNone      = 4'd0;
  localparam logic [3:0] ErrorOrder     = 4'd1;  // rvfi_order is not one more than that of the retirement before
  localparam logic [3:0] ErrorPc        = 4'd2;  // pc_rdata is not the pc_wdata of the retirement before, and there was no trap
  localparam logic [3:0] ErrorInsn      = 4'd3;  // what retired is no instruction: all zeros, or longer than 32 bits
  localparam logic [3:0] ErrorTrap      = 4'd4;  // a trap without an event at the trap port
  localparam logic [3:0] ErrorEvent     = 4'd5;  // the event is not that of the exception: an interrupt, or of another pc
  localparam logic [3:0] ErrorLeft      = 4'd6;  // at the end, events for which there was no trap
  localparam logic [3:0] ErrorOverflow  = 4'd7;  // a retirement, and those with it, did not fit
  localparam logic [3:0] ErrorEvents    = 4'd8;  // an event did not fit

endpackage
