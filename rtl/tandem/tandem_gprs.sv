// SPDX-License-Identifier: Apache-2.0
// Bases of x1 to x31: the value last sent for each since reset. The rows of a cycle see each other, in the order of lanes.
module tandem_gprs #(
  parameter int Xlen   = 64,
  parameter int NLanes = 1
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  // Of each lane, where its row is taken.
  input  logic [NLanes-1:0]      forget_i,  // reset: before this row no register has a base
  input  logic [NLanes-1:0]      write_i,   // the register is sent; never x0
  input  logic [NLanes*5-1:0]    addr_i,
  input  logic [NLanes*Xlen-1:0] value_i,

  output logic [NLanes-1:0]      based_o,   // what the row finds
  output logic [NLanes*Xlen-1:0] base_o
);

  logic [Xlen-1:0] value_q [32];  // read only where based_q is 1
  logic [31:0]     based_q;

  for (genvar k = 0; k < NLanes; k++) begin : gen_lane
    logic [4:0]      addr;
    logic [31:0]     known, kept;
    logic [Xlen-1:0] stored;

    assign addr   = addr_i[5*k +: 5];
    assign stored = value_q[addr];
    if (k == 0) begin : gen_first
      assign known = based_q;
      assign base_o[0 +: Xlen] = stored;
    end else begin : gen_next
      logic same;
      assign same   = write_i[k-1] && (addr_i[5*(k-1) +: 5] == addr);
      assign known = gen_lane[k-1].kept;
      assign base_o[Xlen*k +: Xlen] = same ? value_i[Xlen*(k-1) +: Xlen] : stored;
    end
    assign based_o[k] = known[addr] && !forget_i[k];
    assign kept       = (forget_i[k] ? 32'd0 : known) | (write_i[k] ? 32'd1 << addr : 32'd0);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) based_q <= '0;
    else         based_q <= gen_lane[NLanes-1].kept;
  end

  always_ff @(posedge clk_i) begin
    for (int k = 0; k < NLanes; k++) begin
      if (write_i[k]) value_q[addr_i[5*k +: 5]] <= value_i[Xlen*k +: Xlen];
    end
  end

endmodule
