// SPDX-License-Identifier: Apache-2.0
// Facts of the trace ingress port that every trace system shares (E-Trace 2.0 chapter 4), and of periodic syncs
// (Trace Control Interface 1.0).
package trace_pkg;

  // itype: why a block ended (4-bit port).
  localparam logic [3:0] ItypeNone        = 4'd0;
  localparam logic [3:0] ItypeException   = 4'd1;
  localparam logic [3:0] ItypeInterrupt   = 4'd2;
  localparam logic [3:0] ItypeTrapReturn  = 4'd3;
  localparam logic [3:0] ItypeNotTaken    = 4'd4;
  localparam logic [3:0] ItypeTaken       = 4'd5;
  localparam logic [3:0] ItypeUninfJump   = 4'd6;   // 3-bit port only: any un-inferable jump
  localparam logic [3:0] ItypeReserved    = 4'd7;   // treated as 0
  localparam logic [3:0] ItypeUninfCall   = 4'd8;
  localparam logic [3:0] ItypeInfCall     = 4'd9;
  localparam logic [3:0] ItypeUninfTail   = 4'd10;  // as 14
  localparam logic [3:0] ItypeInfTail     = 4'd11;  // as 15
  localparam logic [3:0] ItypeCoSwap      = 4'd12;
  localparam logic [3:0] ItypeReturn      = 4'd13;
  localparam logic [3:0] ItypeOtherUninf  = 4'd14;
  localparam logic [3:0] ItypeOtherInf    = 4'd15;

  // The block ends with an exception or interrupt, which retires nothing itself.
  function automatic logic is_trap(input logic [3:0] itype);
    is_trap = (itype == ItypeException) || (itype == ItypeInterrupt);
  endfunction

  // The block ends with an instruction whose target cannot be read from the program.
  function automatic logic is_uninferable(input logic [3:0] itype);
    case (itype)
      ItypeTrapReturn, ItypeUninfJump, ItypeUninfCall, ItypeUninfTail,
      ItypeCoSwap, ItypeReturn, ItypeOtherUninf: is_uninferable = 1'b1;
      default:                                   is_uninferable = 1'b0;
    endcase
  endfunction

  // The block ends with a direct conditional branch.
  function automatic logic is_branch(input logic [3:0] itype);
    is_branch = (itype == ItypeNotTaken) || (itype == ItypeTaken);
  endfunction

  // The block ends with a call: its return address is pushed onto a return stack.
  function automatic logic is_call(input logic [3:0] itype);
    is_call = (itype == ItypeUninfCall) || (itype == ItypeInfCall) || (itype == ItypeCoSwap);
  endfunction

  // The block ends with a return: its target is popped, before a co-routine swap pushes.
  function automatic logic is_return(input logic [3:0] itype);
    is_return = (itype == ItypeReturn) || (itype == ItypeCoSwap);
  endfunction

  // E-Trace's code (table priv) of a privilege reported as {V, PRV}: 0 U, 1 S, 3 M, 5 VU, 6 VS; 4 is Debug Mode.
  function automatic logic [2:0] priv_code(input logic [2:0] v_prv);
    priv_code = v_prv + {2'b00, v_prv[2]};
  endfunction

  // trTeInstSyncMode.
  localparam logic [1:0] SyncModeOff       = 2'd0;
  localparam logic [1:0] SyncModeMessages  = 2'd1;
  localparam logic [1:0] SyncModeCycles    = 2'd2;
  localparam logic [1:0] SyncModeHalfwords = 2'd3;

  // Wide enough for the longest sync interval, 2^(15+4).
  localparam int SyncCountBits = 20;

  // A sync is due: the count (trace_sync_count) has reached 2^(sync_max+4).
  function automatic logic sync_due(input logic [1:0] mode, input logic [3:0] max, input logic [SyncCountBits-1:0] count);
    sync_due = (mode != SyncModeOff) && ((count >> ({1'b0, max} + 5'd4)) != '0);
  endfunction

  // The same after up to 15 more of the count's unit, without an adder as wide as the count. Before the step a sync is due,
  // or else all bits between the limit's and the low four are 1 and those give a carry.
  function automatic logic sync_due_after(input logic [1:0] mode, input logic [3:0] max,
                                          input logic [SyncCountBits-1:0] count, input logic [3:0] step);
    sync_due_after = sync_due(mode, max, count) ||
                     ((mode != SyncModeOff) && ({1'b0, count[3:0]} + {1'b0, step} > 5'd15) &&
                      (&(count[SyncCountBits-1:4] | ({(SyncCountBits-4){1'b1}} << max))));
  endfunction

  // Whether one is due after 0 to 15 more: bit n. Each message of a beat shifts it by one, so the last to be known costs
  // one gate.
  function automatic logic [15:0] sync_dues(input logic [1:0] mode, input logic [3:0] max,
                                            input logic [SyncCountBits-1:0] count);
    for (int n = 0; n < 16; n++) sync_dues[n] = sync_due_after(mode, max, count, n[3:0]);
  endfunction

endpackage
