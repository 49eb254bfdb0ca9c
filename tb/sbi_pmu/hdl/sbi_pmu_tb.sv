// SPDX-License-Identifier: Apache-2.0
// Testbench of a supervisor that samples: one hart with counters and control transfer records behind one CSR port.
//
// Each block knows its own CSRs and answers others as illegal with value 0; the hart gets what the one that knows says. Python
// drives and samples the ports cycle by cycle: what the hart does next depends on what it saw.
module sbi_pmu_tb
#(
  parameter int Xlen       = 64,
  parameter int NTransfers = 2,
  parameter int NRetired   = 8,
  parameter int NEvents    = 8,
  parameter int EventBits  = 2,
  parameter logic [31:0]      Counters  = 32'h0000_07f8,
  parameter logic [32*7-1:0]  Widths    = {32{7'd64}},
  parameter logic [32*64-1:0] Selectors = {2048{1'b1}},
  parameter logic [31:0]      Inhibit   = 32'hffff_fffd,
  parameter int HasU             = 1,
  parameter int HasS             = 1,
  parameter int HasH             = 1,
  parameter int HasSscofpmf      = 1,
  parameter int HasSmcntrpmf     = 1,
  parameter int HasShlcofideleg  = 1,
  parameter logic [4:0]       Depths    = 5'd3
) (
  output logic                         clk_o,
  input  logic                         rst_ni,
  output logic                         done_o,  // of a bulk run: there is none

  input  logic [2:0]                   hart_priv_i,
  input  logic                         hart_stopcount_i,
  input  logic                         hart_running_i,
  input  logic [3:0]                   hart_retired_i,
  input  logic [NEvents*EventBits-1:0] hart_events_i,
  input  logic [NTransfers-1:0]        xfer_valid_i,
  input  logic [NTransfers*4-1:0]      xfer_type_i,
  input  logic [NTransfers*Xlen-1:0]   xfer_source_i,
  input  logic [NTransfers*Xlen-1:0]   xfer_target_i,
  input  logic [NTransfers-1:0]        xfer_misp_i,
  input  logic [NTransfers*3-1:0]      xfer_from_i,
  input  logic [NTransfers*3-1:0]      xfer_to_i,
  input  logic [NTransfers*8-1:0]      xfer_cause_i,
  input  logic                         csr_valid_i,
  input  logic [2:0]                   csr_op_i,
  input  logic [11:0]                  csr_addr_i,
  input  logic [Xlen-1:0]              csr_wdata_i,
  input  logic [2:0]                   csr_priv_i,
  input  logic                         csr_xlen32_i,
  input  logic [63:0]                  csr_time_i,
  output logic [Xlen-1:0]              csr_rdata_o,
  output logic [1:0]                   csr_outcome_o,
  output logic                         state_lcofi_o,
  output logic                         state_lcofie_o,
  output logic [31:0]                  state_of_o,
  output logic [32*64-1:0]             state_counter_o
);

  initial clk_o = 1'b0;
  always #5 clk_o = !clk_o;
  assign done_o = 1'b0;

  logic [Xlen-1:0] hpm_rdata, ctr_rdata;
  logic [1:0]      hpm_outcome, ctr_outcome;

  // 0 done, 1 illegal, 2 virtual: illegal may mean that this block has no such CSR.
  assign csr_rdata_o   = hpm_rdata | ctr_rdata;
  assign csr_outcome_o = ((hpm_outcome == 2'd0) || (ctr_outcome == 2'd0)) ? 2'd0 :
                         ((hpm_outcome == 2'd2) || (ctr_outcome == 2'd2)) ? 2'd2 : 2'd1;

  hpm #(
    .Xlen(Xlen), .NRetired(NRetired), .NEvents(NEvents), .EventBits(EventBits), .Counters(Counters), .Widths(Widths),
    .Selectors(Selectors), .Inhibit(Inhibit), .HasU(HasU != 0), .HasS(HasS != 0), .HasH(HasH != 0),
    .HasSscofpmf(HasSscofpmf != 0), .HasSmcntrpmf(HasSmcntrpmf != 0), .HasShlcofideleg(HasShlcofideleg != 0)
  ) u_hpm (
    .clk_i(clk_o), .rst_ni(rst_ni), .priv_i(hart_priv_i), .stopcount_i(hart_stopcount_i), .cycle_i(hart_running_i),
    .retired_i(hart_retired_i), .events_i(hart_events_i), .time_i(csr_time_i),
    .csr_valid_i(csr_valid_i), .csr_op_i(csr_op_i), .csr_addr_i(csr_addr_i), .csr_wdata_i(csr_wdata_i), .csr_priv_i(csr_priv_i),
    .csr_xlen32_i(csr_xlen32_i), .csr_rdata_o(hpm_rdata), .csr_outcome_o(hpm_outcome),
    .lcofi_o(state_lcofi_o), .lcofie_o(state_lcofie_o), .counter_o(state_counter_o), .of_o(state_of_o)
  );

  ctr #(.Xlen(Xlen), .NTransfers(NTransfers), .Depths(Depths)) u_ctr (
    .clk_i(clk_o), .rst_ni(rst_ni), .priv_i(hart_priv_i),
    .xfer_valid_i(xfer_valid_i), .xfer_type_i(xfer_type_i), .xfer_source_i(xfer_source_i), .xfer_target_i(xfer_target_i),
    .xfer_misp_i(xfer_misp_i), .xfer_from_i(xfer_from_i), .xfer_to_i(xfer_to_i), .xfer_cause_i(xfer_cause_i),
    .csr_valid_i(csr_valid_i), .csr_op_i(csr_op_i), .csr_addr_i(csr_addr_i), .csr_wdata_i(csr_wdata_i), .csr_priv_i(csr_priv_i),
    .csr_xlen32_i(csr_xlen32_i), .csr_rdata_o(ctr_rdata), .csr_outcome_o(ctr_outcome)
  );

endmodule
