// SPDX-License-Identifier: Apache-2.0
// Who may access a CSR: levels, counter enables, state enables and what an iselect selects, in the order of "Access" in
// docs/reference/hpm-profile.md and CTR-12 of docs/reference/ctr-profile.md. Inputs that a group of CSRs does not need are 0.
//
// The address says the level (bits 9:8: U, S, H and VS, M), and whether a write is illegal (bits 11:10). What is open to U
// are the views of counters: bits 4:0 are the number of the counter.
module csr_access
#(
  parameter bit HasS = 1'b1
) (
  input  logic [2:0]  priv_i,        // at which the access executes
  input  logic [11:0] addr_i,
  input  logic        changes_i,     // a write, or set or clear with an operand that is not 0
  input  logic        known_i,       // there is a CSR at the address
  input  logic        hidden_i,      // it is one of the supervisor that is not for guests
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

  logic is_m, is_u, virt, read_only, machine, hypervisor, counter, m_opens, s_opens, h_opens;
  logic illegal, view_illegal, view_virtual, other_illegal, other_virtual;
  logic [4:0] number;
  logic [1:0] view, other;

  assign is_m       = csr_pkg::is_machine(priv_i);
  assign is_u       = (priv_i[1:0] == 2'd0);
  assign virt       = csr_pkg::is_virtual(priv_i);
  assign read_only  = (addr_i[11:10] == 2'd3);
  assign machine    = (addr_i[9:8] == 2'd3);
  assign hypervisor = (addr_i[9:8] == 2'd2);
  assign counter    = (addr_i[9:8] == 2'd0);
  assign number     = addr_i[4:0];
  assign m_opens    = mcounteren_i[number];
  assign s_opens    = scounteren_i[number] || !HasS || !is_u;  // asked in U and VU only
  assign h_opens    = hcounteren_i[number];

  assign illegal       = !known_i || (changes_i && read_only);
  assign view_illegal  = !m_opens || (!virt && !s_opens);
  assign view_virtual  = virt && (!s_opens || !h_opens);
  assign other_illegal = machine || (is_u && !virt) || m_closed_i;
  assign other_virtual = virt && (is_u || hypervisor || hidden_i || h_closed_i);

  assign view  = view_illegal ? csr_pkg::IllegalInstruction : view_virtual ? csr_pkg::VirtualInstruction : csr_pkg::Done;
  assign other = (other_illegal && !is_m) ? csr_pkg::IllegalInstruction :
                 other_virtual            ? csr_pkg::VirtualInstruction :
                 ireg_illegal_i           ? csr_pkg::IllegalInstruction :
                 ireg_virtual_i           ? csr_pkg::VirtualInstruction : csr_pkg::Done;

  assign outcome_o = illegal ? csr_pkg::IllegalInstruction :
                     counter ? (is_m ? csr_pkg::Done : view) : other;

  logic unused_addr;
  assign unused_addr = ^addr_i;

endmodule
