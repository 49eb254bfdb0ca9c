// SPDX-License-Identifier: Apache-2.0
// Tern: control transfer records for a small RV32 hart with M, S and U, draft 0.1.4. One transfer and one access in a
// cycle, the transfer first; 32 or 64 entries.
module tern_ctr (
  input             clock,
  input             reset,          // 1 resets, with the clock

  // The hart: the mode it is in ({V,PRV} with V always 0; 7 is Debug Mode), and what it retires.
  input      [2:0]  hart_mode,
  input             xt_strobe,
  input      [3:0]  xt_kind,        // itype
  input      [31:0] xt_pc,
  input      [31:0] xt_dest,
  input      [2:0]  xt_mode,        // before
  input      [2:0]  xt_mode_after,
  input             xt_breakpoint,  // a breakpoint exception

  // Registers: a read, and if rg_write is 1 the new value of the register as it is shown.
  input             rg_access,
  input             rg_write,
  input             rg_no_such_op,  // an instruction that this hart does not have
  input      [11:0] rg_index,
  input      [2:0]  rg_mode,
  input      [31:0] rg_new,
  output     [31:0] rg_old,
  output            rg_trap
);

  // mctrcontrol: M S U, MTE STE, RASEMU, BPFRZ; EXCINH TRETINH NTBREN TKBRINH ETEN, INDCALL DIRCALL RET.
  localparam [31:0] LOW_BITS  = 32'h0000_0F07;
  localparam [31:0] HIGH_BITS = 32'h0000_237A;

  // State.
  reg [31:0] low, high;      // mctrcontrol without DEPTH
  reg        deep;           // 64 entries, else 32
  reg [5:0]  head;           // WRPTR
  reg        wrapped, frozen;
  reg [11:0] msel, ssel;     // the values of an iselect that must be there, and no more
  reg [11:0] age;            // cycles since the last record
  reg        age_void;       // they may not be right
  reg        ticking;        // the last cycle was a qualified one
  reg [31:0] pc_ram   [0:63];
  reg [31:0] dest_ram [0:63];
  reg [31:0] info_ram [0:63];

  wire [5:0] last = deep ? 6'd63 : 6'd31;

  // ---- What the transfer of this cycle is ----

  wire [7:0] mode_on = {4'b0000, low[0], 1'b0, low[1], low[2]};
  wire from_on = mode_on[xt_mode];
  wire to_on   = mode_on[xt_mode_after];
  wire live    = xt_strobe && xt_mode != 3'd7 && xt_mode_after != 3'd7 && !frozen;
  wire is_trap = xt_kind == 4'd1 || xt_kind == 4'd2;
  wire is_xret = xt_kind == 4'd3;
  wire is_call = xt_kind == 4'd8 || xt_kind == 4'd9;
  wire stack   = low[10];

  reg inhibited;
  always @* begin
    case (xt_kind)
      4'd1:    inhibited = high[1];
      4'd3:    inhibited = high[3];
      4'd4:    inhibited = !high[4];
      4'd5:    inhibited = high[5];
      4'd8:    inhibited = high[8];
      4'd9:    inhibited = high[9];
      4'd13:   inhibited = high[13];
      4'd0, 4'd6, 4'd7: inhibited = 1'b1;
      default: inhibited = 1'b0;
    endcase
  end

  wire opted_in = high[6] && (xt_mode_after == 3'd3 ? low[8] : low[9]);
  wire freezes  = live && xt_breakpoint && low[11];
  wire wanted   = is_trap ? (from_on ? (to_on ? !inhibited : opted_in) : to_on && !inhibited)
                          : from_on && !inhibited;
  wire push = live && !freezes && (stack ? from_on && is_call : wanted);
  wire swap = live && stack && from_on && xt_kind == 4'd12;
  wire pop  = live && stack && from_on && xt_kind == 4'd13;

  wire [31:0] pc_kept   = is_trap && !from_on ? 32'd0 : xt_pc;
  wire [31:0] dest_kept = (is_trap || is_xret) && !to_on ? 32'd0 : xt_dest;

  // ---- Where it goes ----

  wire [5:0] below = (head - 6'd1) & last;
  wire [5:0] above = (head == last) ? 6'd0 : head + 6'd1;
  wire [5:0] spot  = push ? head : below;
  wire       store = push || swap;
  wire [31:0] new_pc   = {pc_kept[31:1], 1'b1};
  wire [31:0] new_dest = {dest_kept[31:1], 1'b0};
  wire [31:0] new_info = {4'd0, age, !age_void, 11'd0, xt_kind};

  wire [5:0] head_t    = push ? above : pop ? below : head;
  wire       wrapped_t = push && head == last ? 1'b1 : pop && head == 6'd0 ? 1'b0 : wrapped;
  wire       frozen_t  = frozen || freezes;

  // ---- What software reads ----

  wire machine    = rg_mode == 3'd3 || rg_mode == 3'd7;
  wire supervisor = rg_mode == 3'd1;
  wire allowed    = rg_index[9:8] == 2'b11 ? machine : rg_index[9:8] == 2'b01 && (machine || supervisor);
  wire control    = rg_index == 12'h381 || rg_index == 12'h181;
  wire controlh   = rg_index == 12'h382 || rg_index == 12'h182;
  wire status     = rg_index == 12'h383 || rg_index == 12'h183;
  wire select     = rg_index == 12'h350 || rg_index == 12'h150;
  wire window     = (rg_index[11:3] == 9'h06A || rg_index[11:3] == 9'h02A) && rg_index[1:0] != 2'd0
                    || rg_index == 12'h355 || rg_index == 12'h356 || rg_index == 12'h357
                    || rg_index == 12'h155 || rg_index == 12'h156 || rg_index == 12'h157;
  wire narrow     = rg_index[9:8] == 2'b01;  // the supervisor's view

  wire [11:0] chosen = narrow ? ssel : msel;
  wire        entry  = chosen[11:8] == 4'h2;
  wire [7:0]  number = chosen[7:0];
  wire        kept   = entry && number <= {2'b00, last};
  wire [5:0]  row    = (head_t - number[5:0] - 6'd1) & last;
  wire        fresh  = store && spot == row;
  wire        popped = pop && spot == row;
  wire [31:0] row_pc   = fresh ? new_pc   : popped ? 32'd0 : pc_ram[row];
  wire [31:0] row_dest = fresh ? new_dest : popped ? 32'd0 : dest_ram[row];
  wire [31:0] row_info = fresh ? new_info : popped ? 32'd0 : info_ram[row];

  wire [31:0] depth_code = deep ? 32'h0003_0000 : 32'h0001_0000;
  reg  [31:0] shown;
  always @* begin
    shown = 32'd0;
    if (control)       shown = (low | depth_code) & (narrow ? 32'hFFFF_FEFE : 32'hFFFF_FFFF);
    else if (controlh) shown = high;
    else if (status)   shown = {16'd0, frozen_t, wrapped_t, 8'd0, head_t};
    else if (select)   shown = {20'd0, chosen};
    else if (window && kept)
      case (rg_index[2:0])
        3'd1:    shown = row_pc;
        3'd2:    shown = row_dest;
        3'd3:    shown = row_info;
        default: shown = 32'd0;
      endcase
  end

  wire known = control || controlh || status || select || window;
  assign rg_trap = rg_access && (rg_no_such_op || !known || !allowed);
  assign rg_old  = rg_trap ? 32'hDEAD_BEEF : shown;

  // ---- What is left after the cycle ----

  wire        write     = rg_access && rg_write && !rg_trap;
  wire        set_low   = write && control;
  wire        wipe      = set_low && rg_new[7];
  wire [31:0] own_low   = narrow ? 32'h0000_0E06 : LOW_BITS;
  wire        goes_deep = set_low ? rg_new[17] : deep;
  wire        ras_type  = rg_new[3:0] == 4'd6 || rg_new[3:0] == 4'd7;
  integer i;

  always @(posedge clock) begin
    ticking <= mode_on[hart_mode] && !frozen;
    head    <= head_t;
    wrapped <= wrapped_t;
    frozen  <= frozen_t;

    if (store) age <= {11'd0, ticking};
    else if (ticking && age != 12'hFFF) age <= age + 12'd1;
    if (store) age_void <= 1'b0;
    if (freezes || pop) age_void <= 1'b1;

    if (store) begin
      pc_ram[spot]   <= new_pc;
      dest_ram[spot] <= new_dest;
      info_ram[spot] <= new_info;
    end
    if (pop) begin
      pc_ram[spot]   <= 32'd0;
      dest_ram[spot] <= 32'd0;
      info_ram[spot] <= 32'd0;
    end

    if (set_low) begin
      low <= low & ~own_low | rg_new & own_low;
      deep <= goes_deep;
      if (!goes_deep) head <= head_t & 6'd31;
    end
    if (write && controlh) high <= rg_new & HIGH_BITS;
    if (write && (control || controlh)) begin
      age <= 12'd0;
      age_void <= 1'b1;
    end
    if (write && status) begin
      head    <= rg_new[5:0] & last;
      wrapped <= rg_new[14];
      frozen  <= rg_new[15];
    end
    if (write && select && narrow) ssel <= rg_new[11:0];
    if (write && select && !narrow) msel <= rg_new[11:0];
    if (write && window && kept) begin
      if (rg_index[2:0] == 3'd1) pc_ram[row] <= rg_new;
      if (rg_index[2:0] == 3'd2) dest_ram[row] <= {rg_new[31:1], 1'b0};
      if (rg_index[2:0] == 3'd3) info_ram[row] <= rg_new & (ras_type ? 32'h0FFF_8000 : 32'h0FFF_800F);
    end
    if (wipe) begin
      head    <= 6'd0;
      wrapped <= 1'b0;
      frozen  <= 1'b0;
      for (i = 0; i < 64; i = i + 1) begin
        pc_ram[i]   <= 32'd0;
        dest_ram[i] <= 32'd0;
        info_ram[i] <= 32'd0;
      end
    end

    if (reset) begin
      low      <= 32'h0000_0007;
      high     <= 32'd0;
      deep     <= 1'b1;
      head     <= 6'd5;
      wrapped  <= 1'b1;
      frozen   <= 1'b1;
      msel     <= 12'h7FF;
      ssel     <= 12'h7FF;
      age      <= 12'd0;
      age_void <= 1'b1;
      ticking  <= 1'b0;
      for (i = 0; i < 64; i = i + 1) begin
        pc_ram[i]   <= 32'h4000_0000 + 64 * i;
        dest_ram[i] <= 32'h5000_0000 + 64 * i;
        info_ram[i] <= 32'd9;
      end
    end
  end

endmodule
