// SPDX-License-Identifier: Apache-2.0
// The access of a cycle to a group of CSRs: what it asks for, who may, what it reads and what a write leaves. The group
// says what is at the address, and keeps its registers.
//
// Nothing moves without an access, XLEN 32 narrows its operand, and set and clear with operand 0 write nothing. An address
// that the group does not have is illegal, and reads 0: csr_groups joins several groups.
module csr_group
#(
  parameter int Xlen = 64,
  parameter bit HasS = 1'b1
) (
  input  logic            csr_valid_i,
  input  logic [2:0]      csr_op_i,
  input  logic [11:0]     csr_addr_i,
  input  logic [Xlen-1:0] csr_wdata_i,
  input  logic [2:0]      csr_priv_i,
  input  logic            csr_xlen32_i,
  output logic [Xlen-1:0] csr_rdata_o,
  output logic [1:0]      csr_outcome_o,

  output logic [2:0]      op_o,
  output logic [11:0]     addr_o,
  output logic            xlen32_o,
  output logic            is_m_o,      // M-mode or Debug Mode
  output logic            is_u_o,      // U or VU
  output logic            virt_o,

  // What is at addr_o.
  input  logic            known_i,
  input  logic            high_i,      // bits 63:32 of its register
  input  logic [63:0]     value_i,     // all of its register

  // What decides about it besides its address: see csr_access.
  input  logic            hidden_i,
  input  logic [31:0]     mcounteren_i,
  input  logic [31:0]     scounteren_i,
  input  logic [31:0]     hcounteren_i,
  input  logic            m_closed_i,
  input  logic            h_closed_i,
  input  logic            ireg_illegal_i,
  input  logic            ireg_virtual_i,

  // op_o is an operation that this group has, and no access.
  input  logic            own_i,
  input  logic [1:0]      own_outcome_i,

  output logic            writes_o,
  output logic [63:0]     after_o,     // what the access sees, after the write
  output logic [63:0]     written_o    // all of the register after it, before WARL
);

  // --- What is asked for -------------------------------------------------------------------------------

  logic [2:0]  priv;
  logic        changes;  // a write, or set or clear with an operand that is not 0
  logic [63:0] operand;

  assign addr_o   = csr_valid_i ? csr_addr_i : 12'd0;
  assign op_o     = csr_valid_i ? csr_op_i : csr_pkg::OpRead;
  assign priv     = csr_valid_i ? csr_priv_i : csr_pkg::PrivM;
  assign xlen32_o = (Xlen == 32) || (csr_valid_i && csr_xlen32_i);
  assign is_m_o   = csr_pkg::is_machine(priv);
  assign is_u_o   = (priv[1:0] == csr_pkg::PrivU[1:0]);
  assign virt_o   = csr_pkg::is_virtual(priv);
  assign operand  = !csr_valid_i ? 64'd0 : csr_pkg::seen(wide(csr_wdata_i), 1'b0, xlen32_o);
  assign changes  = (op_o == csr_pkg::OpWrite) ||
                    (((op_o == csr_pkg::OpSet) || (op_o == csr_pkg::OpClear)) && (operand != 64'd0));

  function automatic logic [63:0] wide(input logic [Xlen-1:0] x);
    wide           = 64'd0;
    wide[Xlen-1:0] = x;
  endfunction

  // --- Who may -----------------------------------------------------------------------------------------

  logic       is_access;
  logic [1:0] outcome;

  assign is_access = (op_o <= csr_pkg::OpClear);

  csr_access #(
    .HasS (HasS)
  ) u_access (
    .priv_i    (priv),
    .addr_i    (addr_o),
    .changes_i (changes),
    .known_i,
    .hidden_i,
    .mcounteren_i,
    .scounteren_i,
    .hcounteren_i,
    .m_closed_i,
    .h_closed_i,
    .ireg_illegal_i,
    .ireg_virtual_i,
    .outcome_o (outcome)
  );

  assign csr_outcome_o = !csr_valid_i ? csr_pkg::Done :
                         is_access    ? outcome :
                         own_i        ? own_outcome_i : csr_pkg::IllegalInstruction;

  // --- What it reads, what a write leaves --------------------------------------------------------------

  logic        done;
  logic [63:0] seen;

  assign done        = (csr_outcome_o == csr_pkg::Done);
  assign seen        = csr_pkg::seen(value_i, high_i, xlen32_o);
  assign csr_rdata_o = (csr_valid_i && is_access && done) ? seen[Xlen-1:0] : {Xlen{1'b0}};

  assign writes_o    = done && changes;
  assign after_o     = csr_pkg::changed(op_o, seen, operand);
  assign written_o   = csr_pkg::merged(value_i, after_o, high_i, xlen32_o);

endmodule
