// SPDX-License-Identifier: Apache-2.0
// The access of a cycle as every group of CSRs needs it: nothing moves without one, XLEN 32 narrows its operand, and set and
// clear with operand 0 write nothing.
module csr_port
#(
  parameter int Xlen = 64
) (
  input  logic            csr_valid_i,
  input  logic [2:0]      csr_op_i,
  input  logic [11:0]     csr_addr_i,
  input  logic [Xlen-1:0] csr_wdata_i,
  input  logic [2:0]      csr_priv_i,
  input  logic            csr_xlen32_i,

  output logic [11:0]     addr_o,
  output logic [2:0]      op_o,
  output logic [2:0]      priv_o,
  output logic            xlen32_o,
  output logic            is_m_o,     // M-mode or Debug Mode
  output logic            virt_o,
  output logic [63:0]     operand_o,
  output logic            changes_o   // a write, or set or clear with an operand that is not 0
);

  assign addr_o    = csr_valid_i ? csr_addr_i : 12'd0;
  assign op_o      = csr_valid_i ? csr_op_i : csr_pkg::OpRead;
  assign priv_o    = csr_valid_i ? csr_priv_i : csr_pkg::PrivM;
  assign xlen32_o  = (Xlen == 32) || (csr_valid_i && csr_xlen32_i);
  assign is_m_o    = (priv_o == csr_pkg::PrivM) || (priv_o == csr_pkg::PrivDebug);
  assign virt_o    = csr_pkg::is_virtual(priv_o);
  assign operand_o = !csr_valid_i ? 64'd0 : csr_pkg::seen(wide(csr_wdata_i), 1'b0, xlen32_o);
  assign changes_o = (op_o == csr_pkg::OpWrite) ||
                     (((op_o == csr_pkg::OpSet) || (op_o == csr_pkg::OpClear)) && (operand_o != 64'd0));

  function automatic logic [63:0] wide(input logic [Xlen-1:0] x);
    wide           = 64'd0;
    wide[Xlen-1:0] = x;
  endfunction

endmodule
