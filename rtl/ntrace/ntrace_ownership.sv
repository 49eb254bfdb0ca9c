// SPDX-License-Identifier: Apache-2.0
// Which Ownership messages one block calls for: step 4.4 of docs/reference/ntrace-profile.md (7.1). Combinational.
module ntrace_ownership
(
  input  logic        block_i,        // a traced block
  input  logic        context_ena_i,
  input  logic        hcontext_ena_i,
  input  logic        after_sync_i,   // the block made a message with SYNC
  input  logic        reported_i,     // the block made a message without one, for a trap or an xRET

  input  logic [2:0]  priv_i,         // {V, PRV}
  input  logic [31:0] context_i,
  input  logic [15:0] hcontext_i,

  // Last reported: ntrace_layout_pkg, "own"
  input  logic [ntrace_layout_pkg::OwnBits-1:0] own_i,
  output logic [ntrace_layout_pkg::OwnBits-1:0] own_o,

  // FORMAT=3, then FORMAT=2 or 0: PROCESS.
  output logic                             hcontext_valid_o,
  output logic [ntrace_pkg::Var0Bits-1:0]  hcontext_process_o,
  output logic                             other_valid_o,
  output logic [ntrace_pkg::Var0Bits-1:0]  other_process_o
);

  wire [15:0] own_hcontext = own_i[ntrace_layout_pkg::OwnHcontext +: 16];
  wire [31:0] own_context  = own_i[ntrace_layout_pkg::OwnContext +: 32];
  wire [2:0]  own_priv     = own_i[ntrace_layout_pkg::OwnPriv +: 3];

  logic tell, scontext, priv;
  assign tell             = block_i && context_ena_i;
  assign hcontext_valid_o = tell && hcontext_ena_i && (after_sync_i || (hcontext_i != own_hcontext));
  assign scontext         = tell && (after_sync_i || (context_i != own_context));
  assign priv             = tell && !hcontext_valid_o && (reported_i || (priv_i != own_priv));
  assign other_valid_o    = scontext || priv;

  assign hcontext_process_o = {16'd0, hcontext_i, priv_i, ntrace_pkg::FormatHcontext};
  assign other_process_o    = scontext ? {context_i, priv_i, ntrace_pkg::FormatScontext}
                                       : {32'd0, priv_i, ntrace_pkg::FormatPriv};

  assign own_o[ntrace_layout_pkg::OwnHcontext +: 16] = tell ? hcontext_i : own_hcontext;
  assign own_o[ntrace_layout_pkg::OwnContext +: 32]  = tell ? context_i : own_context;
  assign own_o[ntrace_layout_pkg::OwnPriv +: 3]      = tell ? priv_i : own_priv;

endmodule
