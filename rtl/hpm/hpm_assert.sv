// SPDX-License-Identifier: Apache-2.0
// Assertions on the counters, for Verilator (run with --assert); bound to every instance of hpm.
//
// The first groups hold the parameters and the driver to the rules of docs/reference/hpm-profile.md, the others hold the device to its own.
module hpm_assert
#(
  parameter int               Xlen            = 64,
  parameter int               NRetired        = 4,
  parameter int               NEvents         = 8,
  parameter int               EventBits       = 2,
  parameter logic [31:0]      Counters        = 32'hFFFFFFF8,
  parameter logic [32*7-1:0]  Widths          = {32{7'd64}},
  parameter bit               HasU            = 1'b1,
  parameter bit               HasS            = 1'b1,
  parameter bit               HasH            = 1'b1,
  parameter bit               HasSscofpmf     = 1'b1,
  parameter bit               HasSmcntrpmf    = 1'b1,
  parameter bit               HasShlcofideleg = 1'b1
) (
  input logic             clk_i,
  input logic             rst_ni,

  input logic [2:0]       priv_i,
  input logic             stopcount_i,
  input logic [3:0]       retired_i,
  input logic             csr_valid_i,
  input logic [2:0]       csr_op_i,
  input logic [2:0]       csr_priv_i,
  input logic             csr_xlen32_i,
  input logic [Xlen-1:0]  csr_rdata_o,
  input logic [1:0]       csr_outcome_o,
  input logic             lcofi_o,
  input logic             lcofie_o,
  input logic [31:0]      of_o,

  // Inside hpm.
  input logic [31:0]      counter_we,
  input logic [31:0]      event_we,
  input logic [31:0]      inhibit,
  input logic [31:0]      request,
  input logic [hpm_pkg::InhibitBits-1:0] cyclecfg,
  input logic [hpm_pkg::InhibitBits-1:0] instretcfg
);

  // Parameters.
  for (genvar n = hpm_reg_pkg::FirstCounter; n <= hpm_reg_pkg::LastCounter; n++) begin : gen_width
    localparam int Width = {25'd0, Widths[7*n +: 7]};
    initial assert (!Counters[n] || (Width >= 1 && Width <= 64)) else $error("Widths gives counter %0d %0d bits: set 1 to 64", n, Width);
  end
  initial begin
    assert (Xlen == 32 || Xlen == 64) else $error("Xlen is %0d: set 32 or 64", Xlen);
    assert (NRetired >= 1 && NRetired <= 8) else $error("NRetired is %0d: set 1 to 8", NRetired);
    assert (NEvents >= 1 && NEvents <= 61) else $error("NEvents is %0d: set 1 to 61", NEvents);
    assert (EventBits >= 1 && EventBits <= 8) else $error("EventBits is %0d: set 1 to 8", EventBits);
    assert (HasU || !HasS) else $error("HasS is 1: set HasU too");
    assert (HasS || !HasH) else $error("HasH is 1: set HasS too");
    assert ((HasH && HasSscofpmf) || !HasShlcofideleg) else $error("HasShlcofideleg is 1: set HasH and HasSscofpmf too");
  end

  // The driver.
  PrivKnown: assert property (@(posedge clk_i) disable iff (!rst_ni) csr_pkg::is_known(HasU, HasS, HasH, priv_i))
    else $error("priv is %0d: the hart has no such mode", priv_i);
  AccessPrivKnown: assert property (@(posedge clk_i) disable iff (!rst_ni)
                                    csr_valid_i |-> csr_pkg::is_known(HasU, HasS, HasH, csr_priv_i))
    else $error("csr_priv is %0d: the hart has no such mode", csr_priv_i);
  OpKnown: assert property (@(posedge clk_i) disable iff (!rst_ni) csr_valid_i |-> csr_op_i <= csr_pkg::OpClear)
    else $error("csr_op is %0d: give 0 to 3", csr_op_i);
  StopInDebug: assert property (@(posedge clk_i) disable iff (!rst_ni) stopcount_i |-> priv_i == csr_pkg::PrivDebug)
    else $error("stopcount is 1 in mode %0d: it is of Debug Mode, 7", priv_i);
  RetiredFits: assert property (@(posedge clk_i) disable iff (!rst_ni) {28'd0, retired_i} <= NRetired)
    else $error("%0d instructions retired: NRetired is %0d", retired_i, NRetired);

  // The device: accesses. A refused one gives nothing; without a write only events change anything.
  localparam logic [31:0] Events  = {Counters[31:3], 3'b000};
  localparam logic [31:0] Present = Events | 32'd5;

  logic        refused, changes;
  logic [63:0] rdata;
  assign rdata   = {{(64-Xlen){1'b0}}, csr_rdata_o};
  assign refused = csr_valid_i && (csr_outcome_o != csr_pkg::Done);
  assign changes = csr_valid_i && (csr_op_i != csr_pkg::OpRead) && !refused;
  OutcomeKnown: assert property (@(posedge clk_i) disable iff (!rst_ni) csr_outcome_o != 2'd3);
  OutcomeVirtual: assert property (@(posedge clk_i) disable iff (!rst_ni)
                                   (csr_outcome_o == csr_pkg::VirtualInstruction) |-> csr_pkg::is_virtual(csr_priv_i));
  RefusedGivesNothing: assert property (@(posedge clk_i) disable iff (!rst_ni) refused |-> csr_rdata_o == '0);
  OneWritten: assert property (@(posedge clk_i) disable iff (!rst_ni) $onehot0({counter_we, event_we}));
  OnlyAccessWrites: assert property (@(posedge clk_i) disable iff (!rst_ni) !changes |-> {counter_we, event_we} == 64'd0);
  SettingsKept: assert property (@(posedge clk_i) disable iff (!rst_ni)
                                 !changes |=> $stable({inhibit, cyclecfg, instretcfg, lcofie_o}));
  NarrowRead: assert property (@(posedge clk_i) disable iff (!rst_ni) csr_valid_i && csr_xlen32_i |-> rdata == {32'd0, rdata[31:0]});

  // The device: interrupts. Requests come from overflows alone, and none is lost.
  RequestSets: assert property (@(posedge clk_i) disable iff (!rst_ni) request != 32'd0 |=> lcofi_o);
  PendingStays: assert property (@(posedge clk_i) disable iff (!rst_ni) lcofi_o && !changes |=> lcofi_o);
  PendingFromRequest: assert property (@(posedge clk_i) disable iff (!rst_ni)
                                       !lcofi_o && !changes && request == 32'd0 |=> !lcofi_o);
  NoSscofpmf: assert property (@(posedge clk_i) disable iff (!rst_ni)
                               !HasSscofpmf |-> {lcofi_o, lcofie_o, of_o, request} == 66'd0);
  NoSmcntrpmf: assert property (@(posedge clk_i) disable iff (!rst_ni) !HasSmcntrpmf |-> {cyclecfg, instretcfg} == '0);

  // The device: OF. Only an overflow sets it after a cycle in which mhpmevent is not written, and it disables.
  OfStays: assert property (@(posedge clk_i) disable iff (!rst_ni) 1'b1 |=> ($past(of_o & ~event_we) & ~of_o) == 32'd0);
  OfFromRequest: assert property (@(posedge clk_i) disable iff (!rst_ni)
                                  1'b1 |=> (of_o & ~$past(of_o | event_we | request)) == 32'd0);
  RequestSetsOf: assert property (@(posedge clk_i) disable iff (!rst_ni) 1'b1 |=> ($past(request) & ~of_o) == 32'd0);
  OfDisables: assert property (@(posedge clk_i) disable iff (!rst_ni) (request & of_o & ~event_we) == 32'd0);
  WriteIsNoOverflow: assert property (@(posedge clk_i) disable iff (!rst_ni) (request & counter_we) == 32'd0);

  // The device: what is not there is 0.
  InhibitLegal: assert property (@(posedge clk_i) disable iff (!rst_ni) (inhibit & ~Present) == 32'd0);
  OfLegal: assert property (@(posedge clk_i) disable iff (!rst_ni) (of_o & ~Events) == 32'd0);

  // What has to be reached for the assertions above to mean something.
  CoverRequest: cover property (@(posedge clk_i) disable iff (!rst_ni) request != 32'd0);
  CoverEventWritten: cover property (@(posedge clk_i) disable iff (!rst_ni) (request & event_we) != 32'd0);
  CoverSeveral: cover property (@(posedge clk_i) disable iff (!rst_ni) (request & (request - 32'd1)) != 32'd0);
  CoverRefused: cover property (@(posedge clk_i) disable iff (!rst_ni) refused);

endmodule

bind hpm hpm_assert #(
  .Xlen            (Xlen),
  .NRetired        (NRetired),
  .NEvents         (NEvents),
  .EventBits       (EventBits),
  .Counters        (Counters),
  .Widths          (Widths),
  .HasU            (HasU),
  .HasS            (HasS),
  .HasH            (HasH),
  .HasSscofpmf     (HasSscofpmf),
  .HasSmcntrpmf    (HasSmcntrpmf),
  .HasShlcofideleg (HasShlcofideleg)
) u_assert (.*);
