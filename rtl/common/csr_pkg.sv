// SPDX-License-Identifier: Apache-2.0
// What the CSR ports of all blocks share: codes of privilege, operation and outcome, and how a write meets a register.
package csr_pkg;

  // Privilege: {V, PRV}.
  localparam logic [2:0] PrivU     = 3'd0;
  localparam logic [2:0] PrivS     = 3'd1;  // HS
  localparam logic [2:0] PrivM     = 3'd3;
  localparam logic [2:0] PrivVu    = 3'd4;
  localparam logic [2:0] PrivVs    = 3'd5;
  localparam logic [2:0] PrivDebug = 3'd7;

  function automatic logic is_machine(input logic [2:0] priv);
    is_machine = (priv == PrivM) || (priv == PrivDebug);
  endfunction

  function automatic logic is_virtual(input logic [2:0] priv);
    is_virtual = (priv == PrivVu) || (priv == PrivVs);
  endfunction

  // A hart with these modes can be in this one.
  function automatic logic is_known(input logic has_u, input logic has_s, input logic has_h, input logic [2:0] priv);
    case (priv)
      PrivM, PrivDebug: is_known = 1'b1;
      PrivU:            is_known = has_u;
      PrivS:            is_known = has_s;
      PrivVu, PrivVs:   is_known = has_h;
      default:          is_known = 1'b0;
    endcase
  endfunction

  // What an access does, and what becomes of it.
  localparam logic [2:0] OpRead  = 3'd0;
  localparam logic [2:0] OpWrite = 3'd1;
  localparam logic [2:0] OpSet   = 3'd2;
  localparam logic [2:0] OpClear = 3'd3;

  localparam logic [1:0] Done               = 2'd0;
  localparam logic [1:0] IllegalInstruction = 2'd1;
  localparam logic [1:0] VirtualInstruction = 2'd2;

  // What an access sees of the 64 bits after its register: an h register bits 63:32, XLEN 32 bits 31:0.
  function automatic logic [63:0] seen(input logic [63:0] value, input logic high, input logic narrow);
    seen = high ? {32'd0, value[63:32]} : narrow ? {32'd0, value[31:0]} : value;
  endfunction

  // The same bits after a write, set or clear.
  function automatic logic [63:0] changed(input logic [2:0] op, input logic [63:0] old, input logic [63:0] operand);
    changed = (op == OpWrite) ? operand : (op == OpSet) ? old | operand : old & ~operand;
  endfunction

  // And all 64 bits, with those the access did not see.
  function automatic logic [63:0] merged(
    input logic [63:0] old, input logic [63:0] written, input logic high, input logic narrow);
    merged = high ? {written[31:0], old[31:0]} : narrow ? {old[63:32], written[31:0]} : written;
  endfunction

endpackage
