// SPDX-License-Identifier: Apache-2.0
// Quay: types and constants.
package quay_pkg;

  localparam int Lanes = 4;
  localparam int Rows  = 128;

  typedef enum logic [2:0] {ModeU = 3'd0, ModeS = 3'd1, ModeM = 3'd3, ModeVU = 3'd4, ModeVS = 3'd5, ModeD = 3'd7} mode_e;

  // mctrctl and vsctrctl, of the 64 bits those that Quay has.
  typedef struct packed {
    logic retinh;     // 45
    logic dircallinh; // 41
    logic indcallinh; // 40
    logic tkbrinh;    // 37
    logic ntbren;     // 36
    logic tretinh;    // 35
    logic intrinh;    // 34
    logic excinh;     // 33
    logic lcofifrz;   // 12
    logic bpfrz;      // 11
    logic mte;        // 9
    logic ste;        // 8
    logic rasemu;     // 7
    logic m;          // 2
    logic s;          // 1
    logic u;          // 0
  } ctl_t;

  function automatic ctl_t unpack_ctl(logic [63:0] w);
    return '{retinh: w[45], dircallinh: w[41], indcallinh: w[40], tkbrinh: w[37], ntbren: w[36], tretinh: w[35],
             intrinh: w[34], excinh: w[33], lcofifrz: w[12], bpfrz: w[11], mte: w[9], ste: w[8], rasemu: w[7],
             m: w[2], s: w[1], u: w[0]};
  endfunction

  function automatic logic [63:0] pack_ctl(ctl_t c);
    logic [63:0] w;
    w = 64'd0;
    w[45] = c.retinh; w[41] = c.dircallinh; w[40] = c.indcallinh; w[37] = c.tkbrinh; w[36] = c.ntbren;
    w[35] = c.tretinh; w[34] = c.intrinh; w[33] = c.excinh; w[12] = c.lcofifrz; w[11] = c.bpfrz;
    w[9] = c.mte; w[8] = c.ste; w[7] = c.rasemu; w[2] = c.m; w[1] = c.s; w[0] = c.u;
    return w;
  endfunction

  // An entry: addresses of Sv39, one sign bit for all above bit 38.
  typedef struct packed {
    logic [38:1] source;
    logic        v;
    logic [38:1] dest;
    logic [3:0]  kind;
    logic        ccv;
    logic [15:0] cc;    // 15 is always 0: three bits of exponent
  } entry_t;

  typedef enum logic [2:0] {DoNothing, DoPush, DoSwap, DoPop, DoFreeze} act_e;

  // What one stage hands to the next: an entry to be changed.
  typedef struct packed {
    logic       source_en;
    logic       v_en;
    logic       dest_en;
    logic       data_en;
    logic [6:0] row;
    entry_t     value;
  } update_t;

  function automatic entry_t updated(entry_t old, update_t u, logic [6:0] row);
    entry_t e;
    e = old;
    if (u.row == row) begin
      if (u.source_en) e.source = u.value.source;
      if (u.v_en) e.v = u.value.v;
      if (u.dest_en) e.dest = u.value.dest;
      if (u.data_en) {e.kind, e.ccv, e.cc} = {u.value.kind, u.value.ccv, u.value.cc};
    end
    return e;
  endfunction

  // Cycles as mantissa and exponent.
  function automatic logic [15:0] encoded(logic [18:0] n);
    logic [2:0] exponent;
    logic [18:0] shifted;
    exponent = 3'd0;
    for (int b = 12; b < 19; b++) if (n[b]) exponent = 3'(b - 11);
    shifted = exponent == 3'd0 ? n : n >> (exponent - 3'd1);
    return {1'b0, exponent, shifted[11:0]};
  endfunction

endpackage
