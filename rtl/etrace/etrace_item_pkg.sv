// SPDX-License-Identifier: Apache-2.0
// What the E-Trace algorithm reads from an itype, and how it counts packets.
package etrace_item_pkg;

  // A report without a packet of its own; the other kinds are etrace_pkg's.
  localparam logic [2:0] KindNone = 3'd0;

  // Codes that count as none of the others. The draft has its co-routine swap where 2.0 has nothing, and
  // nothing where 2.0 has the jump of a 3-bit port.
  function automatic logic [3:0] known_itype(input logic draft, input logic [3:0] itype);
    known_itype = (itype == (draft ? 4'd6 : 4'd7)) ? trace_pkg::ItypeNone : itype;
  endfunction

  // Of known itypes: the target cannot be read from the program. The draft tells its 12 (a return) from
  // 13 (a return whose target is known otherwise).
  function automatic logic is_uninferable(input logic draft, input logic [3:0] itype);
    case (itype)
      4'd3, 4'd6, 4'd7, 4'd8, 4'd10, 4'd12, 4'd14: is_uninferable = 1'b1;
      4'd13:                                       is_uninferable = !draft;
      default:                                     is_uninferable = 1'b0;
    endcase
  endfunction

  function automatic logic is_call(input logic [3:0] itype);
    is_call = (itype == 4'd8) || (itype == 4'd9);
  endfunction

  function automatic logic is_return(input logic draft, input logic [3:0] itype);
    is_return = (itype == 4'd13) || (draft && (itype == 4'd12));
  endfunction

  // Of an item's packets that are no sync: how many; and trace_pkg::sync_dues after them, which is none after a sync. The
  // one that is known last is in bit 0.
  function automatic logic [3:0] number(input logic [2:0] packets);
    number = {3'd0, packets[0]} + {3'd0, packets[1]} + {3'd0, packets[2]};
  endfunction

  function automatic logic [15:0] dues_after(input logic [15:0] dues, input logic sync, input logic [2:0] packets);
    dues_after = dues;
    for (int k = 2; k >= 0; k--) begin
      if (packets[k]) dues_after = {1'b0, dues_after[15:1]};
    end
    if (sync) dues_after = '0;
  endfunction

endpackage
