// cores_tb: joins ports to a row of kind rvfi; what has no port is 0.
// SPDX-License-Identifier: Apache-2.0
// Generated from tb/cores/agents/layout.py; do not edit, type `python -m rvtrace.flow.generate`.
module cores_rvfi_join
#(
  parameter int Xlen = 32
) (
  input  logic [63:0]                        cycle_i,
  input  logic [63:0]                        order_i,
  input  logic [Xlen-1:0]                    pc_i,
  input  logic [Xlen-1:0]                    next_pc_i,
  input  logic [Xlen-1:0]                    rd_value_i,
  input  logic [Xlen-1:0]                    mem_addr_i,
  input  logic [Xlen-1:0]                    mem_rdata_i,
  input  logic [Xlen-1:0]                    mem_wdata_i,
  input  logic [31:0]                        insn_i,
  input  logic                               trap_i,
  input  logic                               intr_i,
  input  logic                               unknown_i,
  input  logic [4:0]                         rd_i,
  input  logic [7:0]                         rmask_i,
  input  logic [7:0]                         wmask_i,
  input  logic [1:0]                         mode_i,
  input  logic [3:0]                         csr_valid_i,
  input  logic [11:0]                        csr_addr0_i,
  input  logic [11:0]                        csr_addr1_i,
  input  logic [11:0]                        csr_addr2_i,
  input  logic [11:0]                        csr_addr3_i,
  input  logic [Xlen-1:0]                    csr0_i,
  input  logic [Xlen-1:0]                    csr1_i,
  input  logic [Xlen-1:0]                    csr2_i,
  input  logic [Xlen-1:0]                    csr3_i,
  output logic [cores_row_pkg::RvfiBits-1:0] row_o
);

  import cores_row_pkg::*;

  assign row_o = {
    64'(csr3_i),
    64'(csr2_i),
    64'(csr1_i),
    64'(csr0_i),
    16'(csr_addr3_i),
    16'(csr_addr2_i),
    16'(csr_addr1_i),
    16'(csr_addr0_i),
    8'(csr_valid_i),
    8'(mode_i),
    wmask_i,
    rmask_i,
    8'(rd_i),
    8'(unknown_i),
    8'(intr_i),
    8'(trap_i),
    insn_i,
    64'(mem_wdata_i),
    64'(mem_rdata_i),
    64'(mem_addr_i),
    64'(rd_value_i),
    64'(next_pc_i),
    64'(pc_i),
    order_i,
    cycle_i
  };

endmodule
