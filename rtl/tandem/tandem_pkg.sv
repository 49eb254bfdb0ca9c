// What the modules of the tandem-trace encoder share beside the format's table (tandem_table_pkg).
package tandem_pkg;

  // Form of a register: the low bits of its opcode, tandem_table_pkg::OpRegister, OpAdd or OpOr.
  localparam int FormBits = 2;
  localparam logic [FormBits-1:0] FormFull = tandem_table_pkg::OpRegister[FormBits-1:0];
  localparam logic [FormBits-1:0] FormAdd  = tandem_table_pkg::OpAdd[FormBits-1:0];
  localparam logic [FormBits-1:0] FormOr   = tandem_table_pkg::OpOr[FormBits-1:0];

  // Registers with a base, the x registers apart. High halves are for RV32.
  localparam int NBases = 5;
  localparam int Fcsr = 0, Mcycle = 1, McycleHigh = 2, Minstret = 3, MinstretHigh = 4;

  // Parts that bytes are made of: all from reset on. Group and flush make begin and end.
  localparam int FirstSent = tandem_table_pkg::Reset;
  localparam int NSent     = tandem_table_pkg::Parts - FirstSent;

  // What tandem_lane makes of a row and tandem_row packs, beside the fields of Xlen, Flen and Mlen: begin, end and what is sent;
  // how pc and registers are sent; insn; register numbers; priv, store data, mtime; counters; request and response.
  localparam int FixedBits = (2 + 1 + NSent) + (1 + (1 + NBases) * FormBits) + 33 + (5 + 5 + tandem_table_pkg::CsrSlots * 12)
                             + (2 + 2 + 64 + 64) + 2 * 64 + (4 + 2 + 64 + 1 + 64);

  // Longest item, a request with data: slots of tandem_join.
  localparam int ItemBytes = 18;
  localparam int ItemBits  = 8 * ItemBytes;
  localparam int CountBits = 5;  // of an item's bytes

  // Opcode of a register in one of its forms.
  function automatic logic [7:0] opcode_of(input logic [FormBits-1:0] form);
    opcode_of = {tandem_table_pkg::OpRegister[7:FormBits], form};
  endfunction

endpackage
