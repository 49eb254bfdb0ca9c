// SPDX-License-Identifier: Apache-2.0
// Who may access what: the steps of "Access" in docs/reference/hpm-profile.md, in their order.
module hpm_access
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
  input  logic        view_i,        // of counter number_i, or time
  input  logic [4:0]  number_i,
  input  logic [31:0] mcounteren_i,
  input  logic [31:0] scounteren_i,
  input  logic [31:0] hcounteren_i,
  output logic [1:0]  outcome_o
);

  logic is_m, is_u, virt, nothing, m_opens, s_opens, h_opens;
  logic illegal, view_illegal, view_virtual, other_virtual;

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
  assign other_virtual = is_u || hypervisor_i;  // with V = 1

  assign outcome_o = illegal                ? csr_pkg::IllegalInstruction :
                     is_m                   ? csr_pkg::Done               :
                     machine_i              ? csr_pkg::IllegalInstruction :
                     view_i && view_illegal ? csr_pkg::IllegalInstruction :
                     view_i && view_virtual ? csr_pkg::VirtualInstruction :
                     view_i                 ? csr_pkg::Done               :
                     virt && other_virtual  ? csr_pkg::VirtualInstruction :
                     is_u                   ? csr_pkg::IllegalInstruction : csr_pkg::Done;

endmodule
