// SPDX-License-Identifier: Apache-2.0
// What becomes of one transfer if FROZEN is 0: the chapter Behavior. Combinational.
module ctr_rules
#(
  parameter bit Draft = 1'b0
) (
  input  logic [63:0] mctl_i,       // mctrctl (mctrcontrol)
  input  logic [63:0] vsctl_i,      // vsctrctl (vsctrcontrol); 0 without H

  input  logic [3:0]  type_i,
  input  logic [2:0]  from_i,
  input  logic [2:0]  to_i,
  input  logic [7:0]  cause_i,

  // At most one of these.
  output logic        freeze_o,
  output logic        push_o,       // recorded in the entry that WRPTR names
  output logic        swap_o,       // recorded in the entry before
  output logic        pop_o,        // invalidates the entry before

  output logic        ras_o,        // RAS emulation rules this transfer
  output logic        no_source_o,  // the record does not tell the source's PC
  output logic        no_target_o
);

  // The vs register has its fields at the same places.
  localparam int BitMte      = Draft ? ctr_reg_pkg::DraftMctrcontrolMteLsb      : ctr_reg_pkg::MctrctlMteLsb;
  localparam int BitSte      = Draft ? ctr_reg_pkg::DraftMctrcontrolSteLsb      : ctr_reg_pkg::MctrctlSteLsb;
  localparam int BitRasemu   = Draft ? ctr_reg_pkg::DraftMctrcontrolRasemuLsb   : ctr_reg_pkg::MctrctlRasemuLsb;
  localparam int BitBpfrz    = Draft ? ctr_reg_pkg::DraftMctrcontrolBpfrzLsb    : ctr_reg_pkg::MctrctlBpfrzLsb;
  localparam int BitLcofifrz = Draft ? ctr_reg_pkg::DraftMctrcontrolLcofifrzLsb : ctr_reg_pkg::MctrctlLcofifrzLsb;

  // --- Modes -----------------------------------------------------------------------------------------

  logic        debug, from_v, to_v, from_on, to_on;
  logic [63:0] ruling;

  assign debug   = (from_i == csr_pkg::PrivDebug) || (to_i == csr_pkg::PrivDebug);
  assign from_v  = csr_pkg::is_virtual(from_i);
  assign to_v    = csr_pkg::is_virtual(to_i);
  assign from_on = ctr_pkg::is_enabled(Draft, mctl_i, vsctl_i, from_i);
  assign to_on   = ctr_pkg::is_enabled(Draft, mctl_i, vsctl_i, to_i);
  assign ruling  = (from_v || to_v) ? vsctl_i : mctl_i;

  // --- Types -----------------------------------------------------------------------------------------

  logic trap, inhibited;

  assign trap      = trace_pkg::is_trap(type_i);
  assign inhibited = is_inhibited(ruling, type_i);

  function automatic logic is_inhibited(input logic [63:0] ctl, input logic [3:0] itype);
    case (itype)
      trace_pkg::ItypeException:  is_inhibited = ctl[ctr_reg_pkg::MctrctlExcinhLsb];
      trace_pkg::ItypeInterrupt:  is_inhibited = ctl[ctr_reg_pkg::MctrctlIntrinhLsb];
      trace_pkg::ItypeTrapReturn: is_inhibited = ctl[ctr_reg_pkg::MctrctlTretinhLsb];
      trace_pkg::ItypeNotTaken:   is_inhibited = !ctl[ctr_reg_pkg::MctrctlNtbrenLsb];
      trace_pkg::ItypeTaken:      is_inhibited = ctl[ctr_reg_pkg::MctrctlTkbrinhLsb];
      trace_pkg::ItypeUninfCall:  is_inhibited = ctl[ctr_reg_pkg::MctrctlIndcallinhLsb];
      trace_pkg::ItypeInfCall:    is_inhibited = ctl[ctr_reg_pkg::MctrctlDircallinhLsb];
      trace_pkg::ItypeUninfTail:  is_inhibited = ctl[ctr_reg_pkg::MctrctlIndjmpinhLsb];
      trace_pkg::ItypeInfTail:    is_inhibited = ctl[ctr_reg_pkg::MctrctlDirjmpinhLsb];
      trace_pkg::ItypeCoSwap:     is_inhibited = ctl[ctr_reg_pkg::MctrctlCorswapinhLsb];
      trace_pkg::ItypeReturn:     is_inhibited = ctl[ctr_reg_pkg::MctrctlRetinhLsb];
      trace_pkg::ItypeOtherUninf: is_inhibited = ctl[ctr_reg_pkg::MctrctlIndljmpinhLsb];
      trace_pkg::ItypeOtherInf:   is_inhibited = ctl[ctr_reg_pkg::MctrctlDirljmpinhLsb];
      default:         is_inhibited = 1'b1;  // no transfer
    endcase
  endfunction

  // --- Traps to a mode that is not enabled: CTR-4 ------------------------------------------------------

  logic mte, ste, vste, external;

  assign mte  = mctl_i[BitMte];
  assign ste  = mctl_i[BitSte];
  assign vste = vsctl_i[BitSte];

  if (Draft) begin : gen_external_draft
    assign external = ruling[ctr_reg_pkg::DraftMctrcontrolEtenLsb] &&
                      ((to_i == csr_pkg::PrivM) ? mte : (to_i == csr_pkg::PrivS) ? ste : (to_i == csr_pkg::PrivVs) ? vste : 1'b0);
  end else begin : gen_external
    assign external = is_external({from_i, to_i}, mte, ste, vste);
  end

  function automatic logic is_external(input logic [5:0] from_to, input logic m, input logic s, input logic vs);
    case (from_to)
      {csr_pkg::PrivU,  csr_pkg::PrivS}:  is_external = s;
      {csr_pkg::PrivU,  csr_pkg::PrivM}:  is_external = m && s;
      {csr_pkg::PrivS,  csr_pkg::PrivM}:  is_external = m;
      {csr_pkg::PrivVu, csr_pkg::PrivVs}: is_external = vs;
      {csr_pkg::PrivVu, csr_pkg::PrivS}:  is_external = s && vs;
      {csr_pkg::PrivVu, csr_pkg::PrivM}:  is_external = m && s && vs;
      {csr_pkg::PrivVs, csr_pkg::PrivS}:  is_external = s;
      {csr_pkg::PrivVs, csr_pkg::PrivM}:  is_external = m && s;
      default:          is_external = 1'b0;
    endcase
  endfunction

  // --- Freeze ----------------------------------------------------------------------------------------

  logic [63:0] freezing;

  assign freezing = (Draft ? from_v : (to_i == csr_pkg::PrivVs)) ? vsctl_i : mctl_i;
  assign freeze_o = !debug &&
                    (((type_i == trace_pkg::ItypeException) && (cause_i == ctr_pkg::CauseBreakpoint) && freezing[BitBpfrz]) ||
                     ((type_i == trace_pkg::ItypeInterrupt) && (cause_i == ctr_pkg::CauseLcofi) && freezing[BitLcofifrz]));

  // --- What becomes of it ----------------------------------------------------------------------------

  logic qualified, recorded, call;

  assign qualified   = !debug && !freeze_o;
  assign recorded    = (trap && !to_on) ? from_on && external : (trap || from_on) && !inhibited;
  assign ras_o       = ruling[BitRasemu];
  assign call        = (type_i == trace_pkg::ItypeUninfCall) || (type_i == trace_pkg::ItypeInfCall);
  assign push_o      = qualified && (ras_o ? from_on && call : recorded);
  assign swap_o      = qualified && ras_o && from_on && (type_i == trace_pkg::ItypeCoSwap);
  assign pop_o       = qualified && ras_o && from_on && (type_i == trace_pkg::ItypeReturn);
  assign no_source_o = trap && !from_on;
  assign no_target_o = (trap || (type_i == trace_pkg::ItypeTrapReturn)) && !to_on;

  logic unused_bits;  // fields for others
  assign unused_bits = ^{mctl_i, vsctl_i, ruling, freezing};

endmodule
