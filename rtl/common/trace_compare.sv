// SPDX-License-Identifier: Apache-2.0
// One comparison of trace_filter (Trace Control Interface 1.0, trTeCompControl): an input of the ingress port
// against a match value, unsigned. Combinational.
module trace_compare #(
  parameter int Xlen = 64
) (
  input  logic [1:0]  input_i,     // trTeCompPInput or SInput
  input  logic [2:0]  function_i,  // 0 to 5 compare, 6 is never true, 7 always
  input  logic [63:0] iaddr_i,     // the inputs are zero-extended
  input  logic [63:0] context_i,
  input  logic [63:0] tval_i,      // only of a trap
  input  logic        trap_i,
  input  logic [63:0] match_i,
  input  logic [63:0] mask_i,      // bits that are compared

  output logic        result_o
);

  // Match bits that the input does not have are ignored.
  localparam logic [63:0] XlenMask    = {{(64-Xlen){1'b0}}, {Xlen{1'b1}}};
  localparam logic [63:0] ContextMask = {32'd0, {32{1'b1}}};

  logic [63:0] value, match, mask;
  logic        equal, less, compared;

  assign value = ((input_i == 2'd0) ? iaddr_i :
                  (input_i == 2'd1) ? context_i :
                  (input_i == 2'd2) ? tval_i : 64'd0) & mask_i;
  assign mask  = ((input_i == 2'd1) ? ContextMask : XlenMask) & mask_i;
  assign match = match_i & mask;
  assign equal = (value == match);
  assign less  = (value < match);

  assign compared = (function_i == 3'd0) ? equal :
                    (function_i == 3'd1) ? !equal :
                    (function_i == 3'd2) ? less :
                    (function_i == 3'd3) ? (less || equal) :
                    (function_i == 3'd4) ? (!less && !equal) : !less;
  assign result_o = (function_i == 3'd7) ||
                    ((function_i != 3'd6) && compared && ((input_i != 2'd2) || trap_i));

endmodule
