// Tandem trace: opcodes, identifiers, register addresses, memory operations, and the parts of a row.
// SPDX-License-Identifier: Apache-2.0
// Generated from models/tandem/table.py; do not edit, type `python -m rvtrace.flow.generate`.
package tandem_table_pkg;

  // Opcodes.
  localparam logic [7:0] OpBegin       = 8'h01;  // begin group
  localparam logic [7:0] OpEnd         = 8'h02;  // end group
  localparam logic [7:0] OpIncrementPc = 8'h03;  // pc advances by the length of the instruction
  localparam logic [7:0] OpRegister    = 8'h04;  // full register
  localparam logic [7:0] OpAdd         = 8'h05;  // register plus an offset
  localparam logic [7:0] OpOr          = 8'h06;  // register with bits set
  localparam logic [7:0] OpState       = 8'h07;  // additional state
  localparam logic [7:0] OpRequest     = 8'h08;  // memory request
  localparam logic [7:0] OpResponse    = 8'h09;  // memory response
  localparam logic [7:0] OpReset       = 8'h0A;  // hart reset
  localparam logic [7:0] OpInit        = 8'h0B;  // state initialization
  localparam logic [7:0] OpInsn16      = 8'h10;  // 16-bit instruction
  localparam logic [7:0] OpInsn32      = 8'h11;  // 32-bit instruction

  // Form of a register: what distinguishes the three opcodes.
  localparam int FormBits = 2;
  localparam logic [1:0] FormFull = 2'd0;
  localparam logic [1:0] FormAdd = 2'd1;
  localparam logic [1:0] FormOr = 2'd2;

  // Identifiers of additional state.
  localparam logic [7:0] IdPriv      = 8'h01;  // privilege
  localparam logic [7:0] IdPaddr     = 8'h02;  // physical address
  localparam logic [7:0] IdEaddr     = 8'h03;  // effective address
  localparam logic [7:0] IdMemdata8  = 8'h04;  // store data
  localparam logic [7:0] IdMemdata16 = 8'h05;  // store data
  localparam logic [7:0] IdMemdata32 = 8'h06;  // store data
  localparam logic [7:0] IdMemdata64 = 8'h07;  // store data
  localparam logic [7:0] IdMtime     = 8'h08;  // mtime
  localparam logic [7:0] IdPpc       = 8'h09;  // physical pc
  localparam logic [7:0] IdPc        = 8'h0A;  // pc

  // Register addresses: the first of each class, and the CSRs of which an encoder knows more.
  localparam logic [15:0] CsrBase = 16'h0000;
  localparam logic [15:0] GprBase = 16'h1000;
  localparam logic [15:0] FprBase = 16'h1020;
  localparam logic [11:0] FflagsAddr = 12'h001;
  localparam logic [11:0] FrmAddr = 12'h002;
  localparam logic [11:0] FcsrAddr = 12'h003;
  localparam logic [11:0] McycleAddr = 12'hB00;
  localparam logic [11:0] McyclehAddr = 12'hB80;
  localparam logic [11:0] MinstretAddr = 12'hB02;
  localparam logic [11:0] MinstrethAddr = 12'hB82;

  // Memory operations: the last there is; bit n: operation n has data in its request, in its response.
  localparam logic [3:0]  LastOperation = 4'd13;
  localparam logic [15:0] RequestData   = 16'h1FFA;
  localparam logic [15:0] ResponseData  = 16'h3FFD;

  // Parts of a row: bits of in_has_i and of Absent, in the order in which they are sent.
  localparam int Parts = 23, CsrSlots = 4;
  localparam int Group    = 0;   // the row is a group; else what it says is sent outside groups
  localparam int Flush    = 1;   // alone: closes the group that an implied end left open
  localparam int Reset    = 2;   // the hart is reset
  localparam int Init     = 3;   // state initialization
  localparam int Pc       = 4;   // next pc
  localparam int Ppc      = 5;   // its physical address
  localparam int Insn     = 6;   // instruction that retired or trapped
  localparam int Gpr      = 7;   // x register
  localparam int Fpr      = 8;   // f register
  localparam int Fcsr     = 9;   // fcsr
  localparam int Csr0     = 10;  // CSR, slot 0
  localparam int Csr1     = 11;  // CSR, slot 1
  localparam int Csr2     = 12;  // CSR, slot 2
  localparam int Csr3     = 13;  // CSR, slot 3
  localparam int Priv     = 14;  // privilege from here on
  localparam int Paddr    = 15;  // physical address of the access
  localparam int Eaddr    = 16;  // effective address of the access
  localparam int Memdata  = 17;  // store data
  localparam int Mtime    = 18;  // mtime
  localparam int Mcycle   = 19;  // mcycle
  localparam int Minstret = 20;  // minstret
  localparam int Request  = 21;  // memory request
  localparam int Response = 22;  // its response

endpackage
