// SPDX-License-Identifier: Apache-2.0
// Runs lists of register accesses ([bus] of a dut.toml) on the bus of a foreign device, one list at a time.
//
// The table of steps is outside: op_i, addr_i, value_i and mask_i are those of step step_o of list list_o. A step is
// copied when it begins, so that nothing changes on the bus during an access. One that does not end within Timeout
// cycles, or that the bus answers with an error, ends everything: failed_o stays 1 until the next reset.
module dut_bus_steps
#(
  parameter int Lists    = 1,
  parameter int AddrBits = 32,
  parameter int DataBits = 32,
  parameter int Timeout  = 10000
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  input  logic [Lists-1:0]    want_i,    // lists that are to be run; the lowest is first
  output logic [Lists-1:0]    begin_o,   // pulse: a list begins
  output logic [Lists-1:0]    end_o,     // pulse: it is done
  output logic                busy_o,

  output logic [7:0]          list_o,
  output logic [7:0]          step_o,
  input  logic [2:0]          op_i,      // 0 end of the list, 1 write, 2 read, 3 poll, 4 wait
  input  logic [AddrBits-1:0] addr_i,
  input  logic [DataBits-1:0] value_i,   // wait: cycles, at most 65535
  input  logic [DataBits-1:0] mask_i,

  output logic                req_o,     // an access, until done_i
  output logic                write_o,
  output logic [AddrBits-1:0] addr_o,
  output logic [DataBits-1:0] wdata_o,
  input  logic                done_i,
  input  logic                error_i,
  input  logic [DataBits-1:0] rdata_i,

  output logic                failed_o,
  output logic                refused_o, // it failed as the bus answered with an error
  output logic [DataBits-1:0] last_o     // what was read last
);

  localparam logic [2:0] End = 3'd0, Write = 3'd1, Poll = 3'd3, Wait = 3'd4;

  logic                running, loaded, over;
  logic [2:0]          op;
  logic [DataBits-1:0] value, mask;
  logic [31:0]         age;
  logic [7:0]          next;

  assign busy_o  = running || failed_o;
  assign req_o   = running && loaded && (op != Wait);
  assign write_o = (op == Write);
  assign wdata_o = value;
  assign over    = (op == Wait) ? (age[15:0] >= value[15:0])
                                : done_i && ((op != Poll) || ((rdata_i & mask) === (value & mask)));

  // The first list that is wanted.
  always_comb begin
    next = 8'd0;
    for (int k = Lists - 1; k >= 0; k--) begin
      if (want_i[k]) next = k[7:0];
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      running   <= 1'b0;
      loaded    <= 1'b0;
      failed_o  <= 1'b0;
      refused_o <= 1'b0;
      begin_o   <= '0;
      end_o     <= '0;
      list_o    <= 8'd0;
      step_o    <= 8'd0;
      op        <= End;
      addr_o    <= '0;
      value     <= '0;
      mask      <= '0;
      last_o    <= '0;
      age       <= '0;
    end else begin
      begin_o <= '0;
      end_o   <= '0;
      if (failed_o) begin
        running <= 1'b0;
      end else if (!running) begin
        if ((want_i != '0) && (end_o == '0)) begin  // what a list has done shows in want_i a cycle after end_o
          running       <= 1'b1;
          loaded        <= 1'b0;
          list_o        <= next;
          step_o        <= 8'd0;
          begin_o[next] <= 1'b1;
        end
      end else if (!loaded) begin
        loaded <= 1'b1;
        op     <= op_i;
        addr_o <= addr_i;
        value  <= value_i;
        mask   <= mask_i;
        age    <= '0;
        if (op_i == End) begin
          running       <= 1'b0;
          loaded        <= 1'b0;
          end_o[list_o] <= 1'b1;
        end
      end else begin
        age <= age + 32'd1;
        if (done_i && (op != Wait)) last_o <= rdata_i;
        if (done_i && (op != Wait) && error_i) begin
          failed_o  <= 1'b1;
          refused_o <= 1'b1;
        end else if (over) begin
          loaded <= 1'b0;
          step_o <= step_o + 8'd1;
        end else if ((age == Timeout) && (op != Wait)) begin
          failed_o <= 1'b1;
        end
      end
    end
  end

endmodule
