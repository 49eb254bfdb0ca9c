// SPDX-License-Identifier: Apache-2.0
// Assertions on the control transfer records, for Verilator (run with --assert); bound to every instance.
//
// The first group holds the driver to the ports' rules (docs/reference/ctr-profile.md, "Ports"), the others hold the device to its own.
module ctr_assert
#(
  parameter int          Xlen       = 64,
  parameter bit          Draft      = 1'b0,
  parameter int          NTransfers = 4,
  parameter logic [4:0]  Depths     = 5'h1F,
  parameter bit          HasS       = 1'b1,
  parameter bit          HasH       = 1'b1,
  parameter logic [63:0] Fields     = 64'hFFFFFFFFFFFFFFFF,
  parameter int          CceBits    = 4,
  parameter int          RasPolicy  = 0
) (
  input logic                    clk_i,
  input logic                    rst_ni,

  input logic [2:0]              priv_i,
  input logic [NTransfers-1:0]   xfer_valid_i,
  input logic [NTransfers*4-1:0] xfer_type_i,
  input logic [NTransfers*3-1:0] xfer_from_i,
  input logic [NTransfers*3-1:0] xfer_to_i,
  input logic                    csr_valid_i,
  input logic [2:0]              csr_op_i,
  input logic [2:0]              csr_priv_i,
  input logic [Xlen-1:0]         csr_rdata_o,
  input logic [1:0]              csr_outcome_o,

  // Inside ctr.
  input logic [63:0]             mctl,
  input logic [63:0]             vsctl,
  input logic [7:0]              last,
  input logic                    frozen,
  input logic                    frozen_then,
  input logic                    wrap,
  input logic                    wrap_then,
  input logic [7:0]              wrptr,
  input logic [7:0]              wrptr_then,
  input logic [NTransfers-1:0]   slot_write,
  input logic [NTransfers-1:0]   slot_pop,
  input logic                    clear,
  input logic                    restart
);

  // Parameters.
  initial begin
    assert (Xlen == 32 || Xlen == 64) else $error("Xlen is %0d: set 32 or 64", Xlen);
    assert (NTransfers >= 1 && NTransfers <= 4) else $error("NTransfers is %0d: set 1 to 4", NTransfers);
    assert (Depths != 5'd0) else $error("Depths is 0: set a bit for each supported depth");
    assert (!Draft || (((Depths / (Depths & (~Depths + 5'd1))) & (Depths / (Depths & (~Depths + 5'd1)) + 5'd1)) == 5'd0))
      else $error("Depths is %b: the draft's depths are consecutive", Depths);
    assert (HasS || (Draft && !HasH)) else $error("HasS is 0: v1_0 and HasH need it");
    assert (CceBits >= 0 && CceBits <= 4) else $error("CceBits is %0d: set 0 to 4", CceBits);
    assert (RasPolicy >= 0 && RasPolicy <= 2) else $error("RasPolicy is %0d: set 0 to 2", RasPolicy);
  end

  // The driver.
  for (genvar k = 0; k < NTransfers; k++) begin : gen_slot
    TypeKnown: assert property (@(posedge clk_i) disable iff (!rst_ni) xfer_valid_i[k] |->
        (xfer_type_i[4*k +: 4] != 4'd0) && (xfer_type_i[4*k +: 4] != 4'd6) && (xfer_type_i[4*k +: 4] != 4'd7))
      else $error("slot %0d: type is %0d: give 1 to 5 or 8 to 15", k, xfer_type_i[4*k +: 4]);
    ModesKnown: assert property (@(posedge clk_i) disable iff (!rst_ni) xfer_valid_i[k] |->
        csr_pkg::is_known(1'b1, HasS, HasH, xfer_from_i[3*k +: 3]) && csr_pkg::is_known(1'b1, HasS, HasH, xfer_to_i[3*k +: 3]))
      else $error("slot %0d: from %0d to %0d: the hart has no such mode", k, xfer_from_i[3*k +: 3], xfer_to_i[3*k +: 3]);
    if (k > 0) begin : gen_younger
      SlotsFilled: assert property (@(posedge clk_i) disable iff (!rst_ni) xfer_valid_i[k] |-> xfer_valid_i[k-1])
        else $error("slot %0d has a transfer, but slot %0d has none: fill lower slots first", k, k - 1);
    end
  end

  PrivKnown: assert property (@(posedge clk_i) disable iff (!rst_ni) csr_pkg::is_known(1'b1, HasS, HasH, priv_i))
    else $error("priv is %0d: the hart has no such mode", priv_i);
  AccessPrivKnown: assert property (@(posedge clk_i) disable iff (!rst_ni) csr_valid_i |-> csr_pkg::is_known(1'b1, HasS, HasH, csr_priv_i))
    else $error("csr_priv is %0d: the hart has no such mode", csr_priv_i);
  OpKnown: assert property (@(posedge clk_i) disable iff (!rst_ni) csr_valid_i |-> csr_op_i <= ctr_pkg::OpZero)
    else $error("csr_op is %0d: give 0 to 4", csr_op_i);

  // The device: accesses. A refused one gives nothing and changes nothing.
  logic refused;
  assign refused = csr_valid_i && (csr_outcome_o != csr_pkg::Done);
  OutcomeKnown: assert property (@(posedge clk_i) disable iff (!rst_ni) csr_outcome_o != 2'd3);
  RefusedGivesNothing: assert property (@(posedge clk_i) disable iff (!rst_ni) refused |-> csr_rdata_o == '0);
  RefusedChangesNothing: assert property (@(posedge clk_i) disable iff (!rst_ni)
                                          refused |-> !clear && !restart ##1 $stable({mctl, vsctl, last}));
  OutcomeVirtual: assert property (@(posedge clk_i) disable iff (!rst_ni)
                                   (csr_outcome_o == csr_pkg::VirtualInstruction) |-> csr_pkg::is_virtual(csr_priv_i));
  ControlRestarts: assert property (@(posedge clk_i) disable iff (!rst_ni)
                                    !restart |=> $stable({mctl, vsctl}));

  // The device: only what is implemented, and legal.
  localparam logic [63:0] Required = Draft ? ctr_reg_pkg::DraftRequired : ctr_reg_pkg::Required;
  ControlLegal: assert property (@(posedge clk_i) disable iff (!rst_ni) ((mctl | vsctl) & ~(Fields | Required)) == 64'd0);
  DepthLegal: assert property (@(posedge clk_i) disable iff (!rst_ni)
      ((last == 8'd15) && Depths[0]) || ((last == 8'd31) && Depths[1]) || ((last == 8'd63) && Depths[2]) ||
      ((last == 8'd127) && Depths[3]) || ((last == 8'd255) && Depths[4]));
  PointerLegal: assert property (@(posedge clk_i) disable iff (!rst_ni) ((wrptr | wrptr_then) & ~last) == 8'd0);
  NoWrap: assert property (@(posedge clk_i) disable iff (!rst_ni) !Draft |-> !wrap && !wrap_then);

  // The device: frozen. Transfers never thaw, and a frozen buffer stays as it is.
  FreezeStays: assert property (@(posedge clk_i) disable iff (!rst_ni) frozen |-> frozen_then);
  FrozenKeeps: assert property (@(posedge clk_i) disable iff (!rst_ni)
                                frozen |-> (slot_write == '0) && (slot_pop == '0) && ({wrap_then, wrptr_then} == {wrap, wrptr}));

  // What has to be reached for the assertions above to mean something.
  CoverFreeze: cover property (@(posedge clk_i) disable iff (!rst_ni) !frozen && frozen_then);
  CoverGroup: cover property (@(posedge clk_i) disable iff (!rst_ni) &slot_write);
  CoverPop: cover property (@(posedge clk_i) disable iff (!rst_ni) slot_pop != '0);
  CoverRefused: cover property (@(posedge clk_i) disable iff (!rst_ni) refused);

endmodule

bind ctr ctr_assert #(
  .Xlen       (Xlen),
  .Draft      (Draft),
  .NTransfers (NTransfers),
  .Depths     (Depths),
  .HasS       (HasS),
  .HasH       (HasH),
  .Fields     (Fields),
  .CceBits    (CceBits),
  .RasPolicy  (RasPolicy)
) u_assert (.*);
