// SPDX-License-Identifier: Apache-2.0
// What the modules of the tandem-trace encoder share beside the format's table (tandem_table_pkg).
package tandem_pkg;

  // Registers with a base, the x registers apart. High halves are for RV32.
  localparam int NBases = 5;
  localparam int Fcsr = 0, Mcycle = 1, McycleHigh = 2, Minstret = 3, MinstretHigh = 4;

  // Longest item: a request with an address and data of 8 bytes.
  localparam int ItemBits = 8 * 18;
  localparam int NItem    = 5;  // bits of its size

  // (A package cannot build on another's constants outside functions: Yosys. So 2, for FormBits.)
  // Items. Fields are padded to their longest: what is after an item's size is cut off where it is put.
  function automatic logic [ItemBits-1:0] alone(input logic [7:0] code);
    alone = {{(ItemBits-8){1'b0}}, code};
  endfunction
  function automatic logic [ItemBits-1:0] state(input logic [7:0] id, input logic [63:0] data);
    state = {{(ItemBits-80){1'b0}}, data, id, tandem_table_pkg::OpState};
  endfunction
  function automatic logic [ItemBits-1:0] register(input logic [1:0] form, input logic [15:0] addr, input logic [63:0] data);
    register = {{(ItemBits-88){1'b0}}, data, addr, tandem_table_pkg::OpRegister[7:2], form};
  endfunction

endpackage
