// SPDX-License-Identifier: Apache-2.0
// What moves between the stages of Skua: beats from the hart, and messages before they become bytes.
package skua_pkg;

  localparam int IcntBits  = 10;
  localparam int HistBits  = 16;
  localparam int Depth     = 8;    // return stack
  localparam int QueueLen  = 32;   // messages
  localparam int Slots     = 7;    // messages that one beat can make
  localparam int MaxBytes  = 40;   // of a message, with the idle bytes that fill its last word

  typedef enum logic [5:0] {
    OWNERSHIP         = 6'd2,
    ERROR             = 6'd8,
    PROG_TRACE_SYNC   = 6'd9,
    RESOURCE_FULL     = 6'd27,
    INDIRECT_HIST     = 6'd28,
    INDIRECT_HISTSYNC = 6'd29,
    CORRELATION       = 6'd33
  } tcode_e;

  typedef struct packed {
    logic [3:0]  itype;
    logic [63:0] pc;
    logic [6:0]  halves;
    logic [2:0]  prv;      // {V, PRV}
    logic [31:0] ctx;
  } block_t;

  typedef struct packed {
    logic enabled;
    logic on;              // enabled and tracing
    logic debug;
    logic asleep;
    logic hit;             // debug trigger, action 4
    logic hit_ext;         // external trigger, action 4
  } level_t;

  // What the hart did in one cycle.
  typedef struct packed {
    logic        lost;     // there was no room for its messages
    level_t      level;
    block_t      block;
    logic [63:0] now;
  } beat_t;

  // A message: the fields that come after SRC. first: the variable field right after the fixed ones.
  typedef struct packed {
    tcode_e      tcode;
    logic [2:0]  fixed_len;
    logic [5:0]  fixed;
    logic [36:0] first;
    logic        has_addr;
    logic [62:0] addr;
    logic        has_hist;
    logic [17:0] hist;     // HIST, or HREPEAT
    logic        has_time;
    logic [63:0] stamp;
  } message_t;

  // How the last block ended, as long as nobody knows where the hart went.
  typedef enum logic [2:0] {FLOW_NONE, FLOW_JUMP, FLOW_RETURN, FLOW_EXCEPTION, FLOW_INTERRUPT} flow_e;

  typedef struct packed {
    logic                tracing;
    logic [3:0]          why;        // SYNC of the next start
    logic                owed;       // an Error
    logic                alone;      // the last message is an Error: only a synchronizing message may follow
    logic                was_debug, was_enabled;
    logic [63:0]         lost_at;
    flow_e               flow;
    logic                expected;   // a popped return address is there to compare with
    logic [62:0]         popped;
    logic [IcntBits-1:0] icnt;
    logic [HistBits-1:0] hist;
    logic [62:0]         anchor;     // reference of U-ADDR
    logic [63:0]         told;       // last time reported
    logic [2:0]          prv;        // last reported
    logic [31:0]         ctx;
    logic                hit, hit_ext;
    logic [23:0]         age;        // since the last synchronization, in the unit of trTeInstSyncMode
    logic [17:0]         held;       // times that held_hist was full
    logic [HistBits-1:0] held_hist;
    logic [3:0]          level;      // calls on the stack
    logic [3:0]          fresh;      // of them, those that no message has counted yet
    logic [Depth-1:0][62:0] stack;   // newest in 0
  } state_t;

  function automatic flow_e flow_of(input logic [3:0] itype);
    unique case (itype)
      4'd1:                     return FLOW_EXCEPTION;
      4'd2:                     return FLOW_INTERRUPT;
      4'd12, 4'd13:             return FLOW_RETURN;
      4'd3, 4'd6, 4'd8, 4'd10, 4'd14: return FLOW_JUMP;
      default:                  return FLOW_NONE;
    endcase
  endfunction

  function automatic logic is_call(input logic [3:0] itype);
    return itype inside {4'd8, 4'd9, 4'd12};
  endfunction

endpackage
