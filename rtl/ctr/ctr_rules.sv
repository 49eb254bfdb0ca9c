// What becomes of one transfer if FROZEN is 0: the chapter Behavior. Combinational.
module ctr_rules
#(
  parameter bit Draft = 0
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

  import ctr_reg_pkg::*;
  import ctr_pkg::*;
  import trace_pkg::*;

  // The vs register has its fields at the same places.
  localparam int BitMte      = Draft ? DraftMctrcontrolMteLsb      : MctrctlMteLsb;
  localparam int BitSte      = Draft ? DraftMctrcontrolSteLsb      : MctrctlSteLsb;
  localparam int BitRasemu   = Draft ? DraftMctrcontrolRasemuLsb   : MctrctlRasemuLsb;
  localparam int BitBpfrz    = Draft ? DraftMctrcontrolBpfrzLsb    : MctrctlBpfrzLsb;
  localparam int BitLcofifrz = Draft ? DraftMctrcontrolLcofifrzLsb : MctrctlLcofifrzLsb;

  // --- Modes -----------------------------------------------------------------------------------------

  logic        debug, from_v, to_v, from_on, to_on;
  logic [63:0] ruling;

  assign debug   = (from_i == PrivDebug) || (to_i == PrivDebug);
  assign from_v  = is_virtual(from_i);
  assign to_v    = is_virtual(to_i);
  assign from_on = is_enabled(Draft, mctl_i, vsctl_i, from_i);
  assign to_on   = is_enabled(Draft, mctl_i, vsctl_i, to_i);
  assign ruling  = (from_v || to_v) ? vsctl_i : mctl_i;

  // --- Types -----------------------------------------------------------------------------------------

  logic trap, inhibited;

  assign trap      = is_trap(type_i);
  assign inhibited = is_inhibited(ruling, type_i);

  function automatic logic is_inhibited(input logic [63:0] ctl, input logic [3:0] itype);
    case (itype)
      ItypeException:  is_inhibited = ctl[MctrctlExcinhLsb];
      ItypeInterrupt:  is_inhibited = ctl[MctrctlIntrinhLsb];
      ItypeTrapReturn: is_inhibited = ctl[MctrctlTretinhLsb];
      ItypeNotTaken:   is_inhibited = !ctl[MctrctlNtbrenLsb];
      ItypeTaken:      is_inhibited = ctl[MctrctlTkbrinhLsb];
      ItypeUninfCall:  is_inhibited = ctl[MctrctlIndcallinhLsb];
      ItypeInfCall:    is_inhibited = ctl[MctrctlDircallinhLsb];
      ItypeUninfTail:  is_inhibited = ctl[MctrctlIndjmpinhLsb];
      ItypeInfTail:    is_inhibited = ctl[MctrctlDirjmpinhLsb];
      ItypeCoSwap:     is_inhibited = ctl[MctrctlCorswapinhLsb];
      ItypeReturn:     is_inhibited = ctl[MctrctlRetinhLsb];
      ItypeOtherUninf: is_inhibited = ctl[MctrctlIndljmpinhLsb];
      ItypeOtherInf:   is_inhibited = ctl[MctrctlDirljmpinhLsb];
      default:         is_inhibited = 1'b1;  // no transfer
    endcase
  endfunction

  // --- Traps to a mode that is not enabled: CTR-4 ------------------------------------------------------

  logic mte, ste, vste, external;

  assign mte  = mctl_i[BitMte];
  assign ste  = mctl_i[BitSte];
  assign vste = vsctl_i[BitSte];

  if (Draft) begin : gen_external_draft
    assign external = ruling[DraftMctrcontrolEtenLsb] &&
                      ((to_i == PrivM) ? mte : (to_i == PrivS) ? ste : (to_i == PrivVs) ? vste : 1'b0);
  end else begin : gen_external
    assign external = is_external({from_i, to_i}, mte, ste, vste);
  end

  function automatic logic is_external(input logic [5:0] from_to, input logic m, input logic s, input logic vs);
    case (from_to)
      {PrivU,  PrivS}:  is_external = s;
      {PrivU,  PrivM}:  is_external = m && s;
      {PrivS,  PrivM}:  is_external = m;
      {PrivVu, PrivVs}: is_external = vs;
      {PrivVu, PrivS}:  is_external = s && vs;
      {PrivVu, PrivM}:  is_external = m && s && vs;
      {PrivVs, PrivS}:  is_external = s;
      {PrivVs, PrivM}:  is_external = m && s;
      default:          is_external = 1'b0;
    endcase
  endfunction

  // --- Freeze ----------------------------------------------------------------------------------------

  logic [63:0] freezing;

  assign freezing = (Draft ? from_v : (to_i == PrivVs)) ? vsctl_i : mctl_i;
  assign freeze_o = !debug &&
                    (((type_i == ItypeException) && (cause_i == CauseBreakpoint) && freezing[BitBpfrz]) ||
                     ((type_i == ItypeInterrupt) && (cause_i == CauseLcofi) && freezing[BitLcofifrz]));

  // --- What becomes of it ----------------------------------------------------------------------------

  logic qualified, recorded;

  assign qualified   = !debug && !freeze_o;
  assign recorded    = (trap && !to_on) ? from_on && external : (trap || from_on) && !inhibited;
  assign ras_o       = ruling[BitRasemu];
  assign push_o      = qualified && (ras_o ? from_on && ((type_i == ItypeUninfCall) || (type_i == ItypeInfCall)) : recorded);
  assign swap_o      = qualified && ras_o && from_on && (type_i == ItypeCoSwap);
  assign pop_o       = qualified && ras_o && from_on && (type_i == ItypeReturn);
  assign no_source_o = trap && !from_on;
  assign no_target_o = (trap || (type_i == ItypeTrapReturn)) && !to_on;

  logic unused_bits;  // fields for others
  assign unused_bits = ^{mctl_i, vsctl_i, ruling, freezing};

endmodule
