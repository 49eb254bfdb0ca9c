// SPDX-License-Identifier: Apache-2.0
// Quay: what one lane's transfer does while nothing is frozen. Combinational, four of them side by side.
module quay_rules
  import quay_pkg::*;
(
  input  ctl_t       ctl,
  input  ctl_t       vsctl,
  input  logic       valid,
  input  logic [3:0] kind,
  input  logic [2:0] mode,
  input  logic [2:0] mode_after,
  input  logic [7:0] cause,
  output act_e       act,
  output logic       no_source,
  output logic       no_dest
);
  logic [7:0] on;
  logic from_on, to_on, trap, virt, inhibited, external, freeze;
  ctl_t rules;

  assign on = {1'b0, 1'b0, vsctl.s, vsctl.u, ctl.m, 1'b0, ctl.s, ctl.u};
  assign from_on = on[mode];
  assign to_on = on[mode_after];
  assign trap = kind == 4'd1 || kind == 4'd2;
  assign virt = mode inside {ModeVU, ModeVS} || mode_after inside {ModeVU, ModeVS};
  assign rules = virt ? vsctl : ctl;

  always_comb begin
    unique case (kind)
      4'd1: inhibited = rules.excinh;
      4'd2: inhibited = rules.intrinh;
      4'd3: inhibited = rules.tretinh;
      4'd4: inhibited = !rules.ntbren;
      4'd5: inhibited = rules.tkbrinh;
      4'd8: inhibited = rules.indcallinh;
      4'd9: inhibited = rules.dircallinh;
      4'd13: inhibited = rules.retinh;
      4'd0, 4'd6, 4'd7: inhibited = 1'b1;
      default: inhibited = 1'b0;
    endcase
  end

  // Every mode from the trap's target down to above its origin has to agree.
  always_comb begin
    unique case ({mode, mode_after})
      {ModeU, ModeS}: external = ctl.ste;
      {ModeU, ModeM}: external = ctl.mte && ctl.ste;
      {ModeS, ModeM}: external = ctl.mte;
      {ModeVU, ModeVS}: external = vsctl.ste;
      {ModeVU, ModeS}: external = ctl.ste && vsctl.ste;
      {ModeVU, ModeM}: external = ctl.mte && vsctl.ste && ctl.ste;
      {ModeVS, ModeS}: external = ctl.ste == 1'b1;
      {ModeVS, ModeM}: external = ctl.ste && ctl.mte;
      default: external = 1'b0;
    endcase
  end

  always_comb begin
    freeze = 1'b0;
    if (kind == 4'd1 && cause == 8'd3) freeze = mode_after == ModeVS ? vsctl.bpfrz : ctl.bpfrz;
    if (kind == 4'd2 && cause == 8'd13) freeze = mode_after == ModeVS ? vsctl.lcofifrz : ctl.lcofifrz;
  end

  always_comb begin
    act = DoNothing;
    if (valid && mode != ModeD && mode_after != ModeD) begin
      if (freeze) act = DoFreeze;
      else if (rules.rasemu) begin
        if (from_on)
          unique case (kind)
            4'd8, 4'd9: act = DoPush;
            4'd12: act = DoSwap;
            4'd13: act = DoPop;
            default: act = DoNothing;
          endcase
      end
      else if (trap) begin
        if (from_on ? (to_on ? !inhibited : external) : to_on && !inhibited) act = DoPush;
      end
      else if (from_on && !inhibited) act = DoPush;
    end
  end

  assign no_source = trap && !from_on;
  assign no_dest = (trap || kind == 4'd3) && !to_on;

endmodule
