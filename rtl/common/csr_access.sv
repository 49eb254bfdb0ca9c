// SPDX-License-Identifier: Apache-2.0
// Who may access a CSR: levels, counter enables, state enables and what an iselect selects, in the order of "Access" in
// docs/reference/hpm-profile.md and CTR-12 of docs/reference/ctr-profile.md. Inputs that a group of CSRs does not need are 0.
module csr_access
#(
  parameter bit HasS = 1'b1
) (
  input  logic [2:0]  priv_i,        // at which the access executes
  input  logic        changes_i,     // a write, or set or clear with an operand that is not 0
  input  logic        read_only_i,   // the address is
  // What is at the address; none of them: nothing.
  input  logic        machine_i,
  input  logic        supervisor_i,
  input  logic        hypervisor_i,
  input  logic        hidden_i,      // a CSR of the supervisor that is not for guests
  input  logic        view_i,        // of counter number_i, or time
  input  logic [4:0]  number_i,
  input  logic [31:0] mcounteren_i,
  input  logic [31:0] scounteren_i,
  input  logic [31:0] hcounteren_i,
  // State enables that close it, below M-mode and with V = 1.
  input  logic        m_closed_i,
  input  logic        h_closed_i,
  // It is an ireg alias: nothing is selected, or a state enable closes what is.
  input  logic        ireg_illegal_i,
  input  logic        ireg_virtual_i,
  output logic [1:0]  outcome_o
);

  logic is_m, is_u, virt, nothing, m_opens, s_opens, h_opens;
  logic illegal, view_illegal, view_virtual, other_illegal, other_virtual;
  logic [1:0] view, other;

  assign is_m    = (priv_i == csr_pkg::PrivM) || (priv_i == csr_pkg::PrivDebug);
  assign is_u    = (priv_i[1:0] == 2'd0);
  assign virt    = csr_pkg::is_virtual(priv_i);
  assign nothing = !(machine_i || supervisor_i || hypervisor_i || view_i);
  assign m_opens = mcounteren_i[number_i];
  assign s_opens = scounteren_i[number_i] || !HasS || !is_u;  // asked in U and VU only
  assign h_opens = hcounteren_i[number_i];

  assign illegal       = nothing || (changes_i && read_only_i);
  assign view_illegal  = !m_opens || (!virt && !s_opens);
  assign view_virtual  = virt && (!s_opens || !h_opens);
  assign other_illegal = machine_i || (is_u && !virt) || m_closed_i;
  assign other_virtual = virt && (is_u || hypervisor_i || hidden_i || h_closed_i);

  assign view  = view_illegal ? csr_pkg::IllegalInstruction : view_virtual ? csr_pkg::VirtualInstruction : csr_pkg::Done;
  assign other = (other_illegal && !is_m) ? csr_pkg::IllegalInstruction :
                 other_virtual            ? csr_pkg::VirtualInstruction :
                 ireg_illegal_i           ? csr_pkg::IllegalInstruction :
                 ireg_virtual_i           ? csr_pkg::VirtualInstruction : csr_pkg::Done;

  assign outcome_o = illegal ? csr_pkg::IllegalInstruction :
                     view_i  ? (is_m ? csr_pkg::Done : view) : other;

endmodule
