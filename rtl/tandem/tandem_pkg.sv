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
  localparam int NCounters = NBases - 1;

  // What the encoder knows: an end is kept back, the pc is known, the pc, which registers have bases, bases. To be added: words of Xlen.
  localparam int StateFixedBits  = 2 + NBases;
  localparam int StateWords      = 1 + NBases;

  // A row on its way from tandem_lane: {head, tail}. Parts up to the CSRs are in the head, from the privilege on in the tail.
  localparam int FirstHead = tandem_table_pkg::Reset, LastHead = tandem_table_pkg::Csr3;
  localparam int FirstTail = tandem_table_pkg::Priv, LastTail = tandem_table_pkg::Response;

  // Head: begin, end before it, what is sent; how pc, x and fcsr are sent; insn; numbers of registers. To be added: words of
  // Xlen and Mlen, and the f register.
  localparam int HeadFixedBits = 2 + (LastHead - FirstHead + 1) + 1 + 2 * FormBits + 33 + 5 + 5 + 12 * tandem_table_pkg::CsrSlots;
  localparam int HeadWords     = 3 + tandem_table_pkg::CsrSlots;
  localparam int HeadAddrs     = 1;

  // Tail: what is sent, end; priv; store data; mtime; counters, and how they are sent; request and response.
  localparam int TailFixedBits = (LastTail - FirstTail + 1) + 1 + 2 + 66 + 64 + 128 + NCounters * FormBits + 70 + 65;
  localparam int TailAddrs     = 3;

  // Longest item: a request with an address and data of 8 bytes.
  localparam int ItemBits = 8 * 18;
  localparam int NItem    = 5;  // bits of its size

  // Opcode of a register in one of its forms.
  function automatic logic [7:0] opcode_of(input logic [FormBits-1:0] form);
    opcode_of = {tandem_table_pkg::OpRegister[7:FormBits], form};
  endfunction

  // Items. Fields are padded to their longest: what is behind an item's size is cut off where it is put.
  function automatic logic [ItemBits-1:0] alone(input logic [7:0] code);
    alone = {{(ItemBits-8){1'b0}}, code};
  endfunction
  function automatic logic [ItemBits-1:0] state(input logic [7:0] id, input logic [63:0] data);
    state = {{(ItemBits-80){1'b0}}, data, id, tandem_table_pkg::OpState};
  endfunction
  function automatic logic [ItemBits-1:0] register(input logic [FormBits-1:0] form, input logic [15:0] addr, input logic [63:0] data);
    register = {{(ItemBits-88){1'b0}}, data, addr, opcode_of(form)};
  endfunction

endpackage
