// SPDX-License-Identifier: Apache-2.0
// Counter events and the register map of the subsystem (docs/reference/rtl-subsystem.md).
package subsystem_pkg;

  // Events by their place in events_i of the counters; selector 3 counts the first. External ones come last.
  localparam int EventBranch      = 0;
  localparam int EventTakenBranch = 1;
  localparam int EventJump        = 2;   // neither call nor return
  localparam int EventCall        = 3;   // co-routine swaps too
  localparam int EventReturn      = 4;   // co-routine swaps too
  localparam int EventException   = 5;
  localparam int EventInterrupt   = 6;
  localparam int EventLoad        = 7;
  localparam int EventStore       = 8;
  localparam int EventMispredict  = 9;
  localparam int Derived          = 10;
  localparam int External         = 4;
  localparam int NEvents          = Derived + External;
  localparam int EventBits        = 2;

  // Bits 19:16 of the register port.
  localparam logic [3:0] NtraceAt = 4'd0;
  localparam logic [3:0] EtraceAt = 4'd1;
  localparam logic [3:0] TandemAt = 4'd2;

  // Registers of the tandem trace.
  localparam logic [11:0] TandemControl   = 12'h000;  // 0: enable
  localparam logic [11:0] TandemStatus    = 12'h004;  // 0: empty; 1: an illegal row was taken
  localparam logic [11:0] TandemBytesLow  = 12'h008;  // bytes sent since reset
  localparam logic [11:0] TandemBytesHigh = 12'h00C;

  // The events that a retirement of this itype counts (without loads, stores and mispredictions).
  function automatic logic [Derived-1:0] events_of(input logic [3:0] itype);
    events_of                   = '0;
    events_of[EventBranch]      = trace_pkg::is_branch(itype);
    events_of[EventTakenBranch] = (itype == trace_pkg::ItypeTaken);
    events_of[EventJump]        = (itype == trace_pkg::ItypeUninfTail) || (itype == trace_pkg::ItypeInfTail) ||
                                  (itype == trace_pkg::ItypeOtherUninf) || (itype == trace_pkg::ItypeOtherInf);
    events_of[EventCall]        = trace_pkg::is_call(itype);
    events_of[EventReturn]      = trace_pkg::is_return(itype);
    events_of[EventException]   = (itype == trace_pkg::ItypeException);
    events_of[EventInterrupt]   = (itype == trace_pkg::ItypeInterrupt);
  endfunction

  // A retirement of this itype is a control transfer.
  function automatic logic is_transfer(input logic [3:0] itype);
    is_transfer = (itype != trace_pkg::ItypeNone) && (itype != trace_pkg::ItypeUninfJump) && (itype != trace_pkg::ItypeReserved);
  endfunction

endpackage
