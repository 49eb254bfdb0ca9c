// SPDX-License-Identifier: Apache-2.0
// Gannet TE: an E-Trace encoder (2.0) for two blocks a cycle, with branch prediction, a jump target cache, context and
// time. A cycle of the hart, all its packets, and a packet out each take a stage.
module gannet_te
  import gannet_pkg::*;
(
  input  logic         clock,
  input  logic         reset_n,      // synchronous
  input  hart_t        hart,
  input  logic [1:0]   sync_mode,
  input  logic [3:0]   sync_max,
  input  logic         may_stall,
  output logic         stall,
  output logic         dropped,
  output logic         overflow,
  output logic         drained,
  output logic         tx_valid,
  output logic [4:0]   tx_bytes,
  output logic [247:0] tx_data,
  input  logic         tx_ready
);

  localparam int Slots = 16;
  localparam int Depth = 64;

  hart_t               hart_q;
  logic                valid_q;
  state_t              state_q, state_new;
  packet_t [Slots-1:0] made;
  logic [4:0]          n_made;
  packet_t             queue [Depth];
  logic [5:0]          head;
  logic [6:0]          fill;
  logic                room;
  logic [4:0]          former_bytes;
  logic [247:0]        former_data;

  assign room = fill <= 7'(Depth - 2 * Slots);
  assign stall = may_stall && !room;

  // A cycle without room that would have been worked at is lost.
  logic busy;
  always_comb begin
    busy = hart.enabled != hart_q.enabled || hart.opts != hart_q.opts || state_q.w.what != Nothing;
    for (int k = 0; k < Blocks; k++) busy |= hart.block[k].iretire != 0 || hart.block[k].itype inside {4'd1, 4'd2};
  end
  assign dropped = !may_stall && !room && busy;

  gannet_events #(.Slots(Slots)) u_events (
    .hart(hart_q), .sync_mode, .sync_max, .now(state_q), .then(state_new), .made, .n_made
  );
  gannet_former u_former (.p(queue[head]), .n_bytes(former_bytes), .bytes(former_data));

  wire take = fill != 7'd0 && (!tx_valid || tx_ready);

  always_ff @(posedge clock) begin
    if (!reset_n) begin
      valid_q <= 1'b0;
      hart_q <= '0;
      state_q <= '0;
      head <= '0;
      fill <= '0;
      tx_valid <= 1'b0;
      overflow <= 1'b0;
    end else begin
      valid_q <= room;
      if (room || dropped) hart_q <= hart;
      overflow <= dropped;
      if (valid_q) begin
        state_q <= state_new;
        for (int k = 0; k < Slots; k++)
          if (5'(k) < n_made) queue[6'(head + fill[5:0] + 6'(k))] <= made[k];
      end
      if (dropped) begin
        state_q.lost <= 1'b1;
      end
      if (take) begin
        head <= head + 6'd1;
        tx_bytes <= former_bytes;
        tx_data <= former_data;
      end
      if (take || tx_ready) tx_valid <= take;
      fill <= fill + (valid_q ? 7'(n_made) : 7'd0) - 7'(take);
    end
  end

  // What was taken in the cycle before may still make packets.
  assign drained = !(valid_q && n_made != 5'd0) && fill == 7'd0 && !tx_valid && !state_q.lost;

endmodule
