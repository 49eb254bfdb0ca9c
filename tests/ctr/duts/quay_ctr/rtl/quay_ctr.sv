// SPDX-License-Identifier: Apache-2.0
// Quay: control transfer records 1.0 for a wide RV64 hart with H. Four transfers a cycle; what they change in the
// entries goes through a stage of its own before the array, and reads look through both.
module quay_ctr
  import quay_pkg::*;
(
  input  logic         clk,
  input  logic         arst_n,
  input  logic [2:0]   mode_now,
  input  logic [3:0]   ret_valid,
  input  logic [585:0] ret_bus,     // {from[4], to[4], cause[4], kind[4], dest[4], source[4], 2 spare bits}
  input  logic [83:0]  req,         // {valid, op, mode, addr, data, spare}
  output logic [65:0]  rsp          // {outcome, data}
);
  // ---- Inputs ----
  logic [3:0][63:0] source, dest;
  logic [3:0][3:0]  kind;
  logic [3:0][7:0]  cause;
  logic [3:0][2:0]  from_mode, to_mode;
  logic             req_valid;
  logic [2:0]       req_op, req_mode;
  logic [11:0]      req_addr;
  logic [63:0]      req_data;
  logic [2:0]       spare;
  assign {from_mode, to_mode, cause, kind, dest, source, spare[1:0]} = ret_bus;
  assign {req_valid, req_op, req_mode, req_addr, req_data, spare[2]} = req;

  // ---- State ----
  ctl_t        ctl, vsctl;
  logic        big;                 // 128 entries, else 16
  logic [6:0]  head;
  logic        frozen;
  logic [11:0] ssel, vssel;
  logic        me_ctr, me_ind, me_se, he_ctr, he_ind;
  logic [18:0] cycles;
  logic        void_;
  logic        was_virtual;
  entry_t      rows [Rows];
  update_t     stage [Lanes+1];     // of the cycle before, oldest first; the last is of software

  logic [6:0]  last;
  assign last = big ? 7'd127 : 7'd15;

  // ---- Stage 1: what the transfers do, and where ----
  act_e [Lanes-1:0] act;
  logic [Lanes-1:0] no_source, no_dest;
  for (genvar k = 0; k < Lanes; k++) begin : g_rules
    quay_rules u_rules (
      .ctl, .vsctl, .valid(ret_valid[k]), .kind(kind[k]), .mode(from_mode[k]), .mode_after(to_mode[k]),
      .cause(cause[k]), .act(act[k]), .no_source(no_source[k]), .no_dest(no_dest[k])
    );
  end

  update_t     now [Lanes];
  logic [6:0]  head_t;
  logic        frozen_t, void_t, stored;
  logic        emulated [Lanes];

  always_comb begin
    head_t = head;
    frozen_t = frozen;
    void_t = void_ || (mode_now[2] != was_virtual);
    stored = 1'b0;
    for (int k = 0; k < Lanes; k++) begin
      emulated[k] = from_mode[k] inside {ModeVU, ModeVS} ? vsctl.rasemu : ctl.rasemu;
      now[k] = '0;
      if (!frozen_t) begin
        unique case (act[k])
          DoFreeze: frozen_t = 1'b1;
          DoPop: begin
            head_t = (head_t - 7'd1) & last;
            now[k].row = head_t;
            now[k].v_en = 1'b1;
            now[k].source_en = 1'b1;  // an entry that was popped shows nothing of what it was
            now[k].dest_en = 1'b1;
          end
          DoPush, DoSwap: begin
            now[k].row = act[k] == DoSwap ? (head_t - 7'd1) & last : head_t;
            {now[k].source_en, now[k].v_en, now[k].dest_en, now[k].data_en} = 4'b1111;
            now[k].value.v = 1'b1;
            now[k].value.source = no_source[k] ? 38'd0 : source[k][38:1];
            now[k].value.dest = no_dest[k] ? 38'd0 : dest[k][38:1];
            now[k].value.kind = kind[k];
            now[k].value.ccv = !void_t && !emulated[k];
            now[k].value.cc = stored ? 16'd0 : encoded(cycles);
            if (act[k] == DoPush) head_t = (head_t + 7'd1) & last;
            void_t = 1'b0;
            stored = 1'b1;
          end
          default: ;
        endcase
      end
    end
  end

  // ---- Stage 2: into the array ----
  logic    sctrclr;
  update_t by_access;
  always_ff @(posedge clk or negedge arst_n) begin
    if (!arst_n) begin
      for (int r = 0; r < Rows; r++) rows[r] <= '{source: 38'(r) << 8, v: 1'b1, dest: '0, kind: 4'd5, ccv: 1'b0, cc: 16'h7};
      for (int k = 0; k <= Lanes; k++) stage[k] <= '0;
    end else begin
      for (int k = 0; k <= Lanes; k++) begin
        stage[k] <= k == Lanes ? by_access : now[k % Lanes];
        if (stage[k].source_en) rows[stage[k].row].source <= stage[k].value.source;
        if (stage[k].v_en) rows[stage[k].row].v <= stage[k].value.v;
        if (stage[k].dest_en) rows[stage[k].row].dest <= stage[k].value.dest;
        if (stage[k].data_en) begin
          rows[stage[k].row].kind <= stage[k].value.kind;
          rows[stage[k].row].ccv <= stage[k].value.ccv;
          rows[stage[k].row].cc <= stage[k].value.cc;
        end
      end
      if (sctrclr) begin
        for (int r = 0; r < Rows; r++) rows[r] <= '0;
        for (int k = 0; k <= Lanes; k++) stage[k] <= '0;
      end
    end
  end

  // ---- Accesses: who may ----
  logic machine, virt, entry, is_window, is_select, is_ctl, ok_m, ok_h, virtual_it, illegal_it;
  logic at_mctl, at_sctl, at_vsctl, at_status, at_depth, at_msel, at_ssel, at_vssel, at_men, at_hen, at_swin, at_vswin;
  logic to_vs, known, closable;
  logic [11:0] chosen;
  logic [6:0]  row;

  assign machine = req_mode inside {ModeM, ModeD};
  assign virt = req_mode inside {ModeVS, ModeVU};
  assign at_mctl = req_addr == 12'h34E;
  assign at_sctl = req_addr == 12'h14E;
  assign at_vsctl = req_addr == 12'h24E;
  assign at_status = req_addr == 12'h14F;
  assign at_depth = req_addr == 12'h15F;
  assign at_msel = req_addr == 12'h350;
  assign at_ssel = req_addr == 12'h150;
  assign at_vssel = req_addr == 12'h250;
  assign at_men = req_addr == 12'h30C;
  assign at_hen = req_addr == 12'h60C;
  assign at_swin = req_addr inside {[12'h151:12'h153], [12'h155:12'h157]};
  assign at_vswin = req_addr inside {[12'h251:12'h253], [12'h255:12'h257]};
  assign is_window = at_swin || at_vswin;
  assign is_select = at_ssel || at_vssel;
  assign to_vs = virt;  // the supervisor's registers are the VS ones
  assign chosen = at_vswin || to_vs ? vssel : ssel;
  assign entry = chosen[11:8] == 4'h2;
  assign is_ctl = at_sctl || at_status || at_depth || at_vsctl || (is_window && entry);
  assign known = at_mctl || at_sctl || at_vsctl || at_status || at_depth || at_msel || at_ssel || at_vssel || at_men
                 || at_hen || is_window;

  always_comb begin
    illegal_it = 1'b0;
    virtual_it = 1'b0;
    if (!req_valid) ;
    else if (req_op == 3'd4) begin
      illegal_it = req_mode == ModeU || (!machine && !me_ctr);
      virtual_it = req_mode == ModeVU || (virt && !he_ctr);
    end
    else if (!known) illegal_it = 1'b1;
    else if (!machine) begin
      if (req_addr[9:8] == 2'b11 || req_mode == ModeU) illegal_it = 1'b1;
      else if (at_hen && !me_se) illegal_it = 1'b1;
      else if (is_ctl && !is_window && !me_ctr) illegal_it = 1'b1;
      else if ((is_window || is_select) && !me_ind) illegal_it = 1'b1;
      else if (virt && (req_addr[9:8] == 2'b10 || req_mode == ModeVU || at_depth)) virtual_it = 1'b1;
      else if (virt && (is_window || is_select) && !he_ind) virtual_it = 1'b1;
      else if (is_window && entry && !me_ctr) illegal_it = 1'b1;
      else if (virt && is_ctl && !he_ctr) virtual_it = 1'b1;
    end
  end

  // ---- Accesses: what they show ----
  entry_t      shown;
  logic [63:0] old;
  logic        in_depth;
  logic        frozen_seen;
  assign in_depth = chosen[7:0] <= {1'b0, last};
  assign row = (head_t - 7'd1 - chosen[6:0]) & last;
  assign frozen_seen = frozen_t;

  function automatic logic [63:0] address(logic [38:1] a, logic low);
    return {{25{a[38]}}, a, low};
  endfunction

  always_comb begin
    shown = rows[row];
    for (int k = 0; k <= Lanes; k++) shown = updated(shown, stage[k], row);
    for (int k = 0; k < Lanes; k++) shown = updated(shown, now[k], row);
  end

  always_comb begin
    old = 64'd0;
    if (at_mctl) old = pack_ctl(ctl);
    else if (at_vsctl || (at_sctl && to_vs)) old = pack_ctl(vsctl);
    else if (at_sctl) old = pack_ctl(ctl) & ~64'h204;
    else if (at_status) old = {32'd0, frozen_seen, 24'd0, head_t};
    else if (at_depth) old = big ? 64'd3 : 64'd0;
    else if (at_vssel || (at_ssel && to_vs)) old = {52'd0, vssel};
    else if (at_ssel) old = {52'd0, ssel};
    else if (at_men) old = {me_se, 2'd0, me_ind, 5'd0, me_ctr, 54'd0};
    else if (at_hen) old = {3'd0, he_ind && me_ind, 5'd0, he_ctr && me_ctr, 54'd0};
    else if (is_window && entry && in_depth) begin
      unique case (req_addr[2:0])
        3'd1: old = address(shown.source, shown.v);
        3'd2: old = address(shown.dest, 1'b0);
        3'd3: old = {32'd0, shown.cc, shown.ccv, 11'd0, shown.kind};
        default: old = 64'd0;
      endcase
    end
  end

  assign rsp[65:64] = illegal_it ? 2'd1 : virtual_it ? 2'd2 : 2'd0;
  assign rsp[63:0] = rsp[65:64] == 2'd0 && req_op != 3'd4 ? old : {4{16'hC0DE}};

  // ---- Accesses: what they leave ----
  logic        done, writes;
  logic [63:0] new_;
  ctl_t        new_ctl, view;
  assign done = req_valid && rsp[65:64] == 2'd0;
  assign sctrclr = done && req_op == 3'd4;
  assign writes = done && (req_op == 3'd1 || (req_op inside {3'd2, 3'd3} && req_data != 64'd0));
  assign new_ = req_op == 3'd2 ? old | req_data : req_op == 3'd3 ? old & ~req_data : req_data;
  assign view = unpack_ctl(new_);

  always_comb begin
    new_ctl = view;
    if (at_sctl && !to_vs) {new_ctl.m, new_ctl.mte} = {ctl.m, ctl.mte};
    if (at_vsctl || (at_sctl && to_vs)) {new_ctl.m, new_ctl.mte} = 2'b00;
  end

  always_comb begin
    by_access = '0;
    by_access.row = row;
    if (writes && is_window && entry && in_depth) begin
      by_access.source_en = req_addr[2:0] == 3'd1;
      by_access.v_en = req_addr[2:0] == 3'd1;
      by_access.dest_en = req_addr[2:0] == 3'd2;
      by_access.data_en = req_addr[2:0] == 3'd3;
      by_access.value = '{source: new_[38:1], v: new_[0], dest: new_[38:1], kind: new_[3:0], ccv: new_[15],
                     cc: new_[31:16] & 16'h7FFF};
    end
  end

  logic writes_ctl;
  logic [7:0] on;
  assign writes_ctl = writes && (at_mctl || at_sctl || at_vsctl);
  assign on = {2'b00, vsctl.s, vsctl.u, ctl.m, 1'b0, ctl.s, ctl.u};

  always_ff @(posedge clk or negedge arst_n) begin
    if (!arst_n) begin
      ctl <= '1;
      vsctl <= '0;
      big <= 1'b0;
      head <= 7'd9;
      frozen <= 1'b1;
      ssel <= 12'h0;
      vssel <= 12'h0;
      {me_ctr, me_ind, me_se, he_ctr, he_ind} <= 5'b11111;
      cycles <= 19'd0;
      void_ <= 1'b1;
      was_virtual <= 1'b0;
    end else begin
      was_virtual <= mode_now[2];
      head <= head_t;
      frozen <= frozen_t;
      void_ <= void_t;
      if (stored) cycles <= {18'd0, on[mode_now] && !frozen};
      else if (on[mode_now] && !frozen && cycles != 19'h7FFFF) cycles <= cycles + 19'd1;

      if (writes) begin
        if (at_mctl || (at_sctl && !to_vs)) ctl <= new_ctl;
        if (at_vsctl || (at_sctl && to_vs)) vsctl <= new_ctl;
        if (at_status) begin
          head <= new_[6:0] & last;
          frozen <= new_[31];
        end
        if (at_depth) begin
          big <= new_[2:0] >= 3'd2;
          if (big != (new_[2:0] >= 3'd2)) head <= 7'd7;
        end
        if ((at_ssel && !to_vs) && new_[63:12] == 52'd0) ssel <= new_[11:0];
        if ((at_vssel || (at_ssel && to_vs)) && new_[63:12] == 52'd0) vssel <= new_[11:0];
        if (at_men) {me_se, me_ind, me_ctr} <= {new_[63], new_[60], new_[54]};
        if (at_hen) {he_ind, he_ctr} <= {new_[60], new_[54]};
      end
      if (writes_ctl || sctrclr) begin
        cycles <= 19'd0;
        void_ <= 1'b1;
      end
    end
  end

endmodule
