// SPDX-License-Identifier: Apache-2.0
// The CSR file of a hart from its groups: each knows its own CSRs and answers others as illegal, with value 0, so that what the
// one that knows says counts. A group more is one more element of the inputs.
module csr_groups
#(
  parameter int Xlen    = 64,
  parameter int NGroups = 2
) (
  input  logic [NGroups*Xlen-1:0] rdata_i,    // group k in bits k*W +: W
  input  logic [NGroups*2-1:0]    outcome_i,
  output logic [Xlen-1:0]         rdata_o,
  output logic [1:0]              outcome_o
);

  logic [NGroups-1:0] done, virtual_instruction;

  for (genvar k = 0; k < NGroups; k++) begin : gen_group
    assign done[k]                = (outcome_i[2*k +: 2] == csr_pkg::Done);
    assign virtual_instruction[k] = (outcome_i[2*k +: 2] == csr_pkg::VirtualInstruction);
  end

  function automatic logic [Xlen-1:0] either(input logic [NGroups*Xlen-1:0] values);
    either = {Xlen{1'b0}};
    for (int k = 0; k < NGroups; k++) either = either | values[Xlen*k +: Xlen];
  endfunction

  assign rdata_o   = either(rdata_i);
  assign outcome_o = (done != '0)                ? csr_pkg::Done :
                     (virtual_instruction != '0) ? csr_pkg::VirtualInstruction : csr_pkg::IllegalInstruction;

endmodule
