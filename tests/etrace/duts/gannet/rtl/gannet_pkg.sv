// SPDX-License-Identifier: Apache-2.0
// Types of Gannet TE: what the hart shows in a cycle, an event, a packet before its fields are put together.
package gannet_pkg;

  localparam int Blocks  = 2;
  localparam int Bpred   = 4;   // 2^n entries of the predictor
  localparam int Cache   = 3;   // 2^n entries of the jump target cache
  localparam int Stack   = 3;   // 2^n return addresses

  typedef logic [62:0] at_t;    // an address in half-words

  typedef struct packed {
    logic sijump;
    logic implicit_return;
    logic full_address;
    logic implicit_exception;
    logic jump_target_cache;
    logic branch_prediction;
  } opts_t;

  typedef struct packed {
    logic [3:0]  itype;
    logic [63:0] iaddr;
    logic [6:0]  iretire;
    logic        ilastsize;
    logic        sijump;
    logic        watch;
  } block_t;

  typedef struct packed {
    logic                enabled;
    logic                tracing;
    logic                stopped;  // in Debug Mode, or in reset
    opts_t               opts;
    block_t [Blocks-1:0] block;    // block 0 is the oldest
    logic [5:0]          cause;
    logic [63:0]         tval;
    logic [2:0]          priv;
    logic [15:0]         ctx;
    logic [1:0]          ctype;
    logic [23:0]         now;
  } hart_t;

  typedef enum logic [1:0] {Nothing, Insn, Trap} what_e;

  typedef struct packed {
    what_e       what;
    at_t         at;
    logic [3:0]  itype;
    logic        watch;
    logic        known;       // a jump whose target follows from the instruction before it
    logic [2:0]  priv;
    logic [15:0] ctx;
    logic [23:0] now;
    logic [5:0]  cause;
    logic [63:0] tval;
    logic        irq;
    logic        exact_ctx;   // a context that must be reported with this address
    logic        apart_ctx;   // and with the last address before it
    logic        leads;       // it is the first of a block
    logic        calls;       // of a block that ends with a call
    logic        big;         // it has 32 bits
    logic        some_ctx;    // a context that must be reported, somewhere
  } event_t;

  typedef struct packed {
    logic [31:0] correct;     // branches predicted correctly, all since the last packet
    logic        all_correct;
    logic [4:0]  count;
    logic [30:0] map;         // 1: not taken
  } branches_t;

  typedef struct packed {
    event_t                      w;        // waits for the next one
    logic                        first, handler, target, changed, timed;
    event_t                      trap;     // before w
    logic                        trap_said;
    at_t                         last;
    branches_t                   b;
    logic [2**Bpred-1:0][1:0]    predictor;
    logic [2**Cache-1:0]         cached;
    logic [2**Cache-1:0][62:0]   cache;
    logic [2**Stack-1:0][62:0]   stack;    // return addresses, the last one in 0
    logic [Stack:0]              depth;
    logic                        unwound;  // returned implicitly, and no branch, call or address since
    logic                        misled;   // w follows a return that was predicted wrongly
    logic [Stack:0]              misdepth; // at that return
    logic [19:0]                 since;    // cycles since a synchronization
    logic                        anyway;   // the last packet was not sent because the trace ends
    logic                        enabled;
    opts_t                       opts;
    logic                        lost;
  } state_t;

  typedef enum logic [2:0] {Sync, Trapped, Context, Support, Address, Map, Count} kind_e;

  typedef struct packed {
    kind_e           kind;
    event_t          e;
    logic            taken, handler, watch, apart, hit, missed, deep;
    logic [Stack:0]  depth;
    logic [63:0]     at;      // whole, in half-words
    at_t             from;
    branches_t       b;
    logic            enabled;
    logic [1:0]      status;
    opts_t           opts;
  } packet_t;

endpackage
