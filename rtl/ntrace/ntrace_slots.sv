// SPDX-License-Identifier: Apache-2.0
// The messages of one beat in a register, each with its time, the last field of a descriptor (ntrace_layout_pkg).
//
// A beat knows two times: its own, and that of the earlier beat which left something pending.
module ntrace_slots
#(
  parameter int NMsg      = 6,
  parameter int MsgWidth  = 144,
  parameter int TsWidth   = 64,
  // Derived, do not set.
  parameter int DescWidth = MsgWidth + TsWidth
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,

  input  logic [NMsg-1:0]           valid_i,
  input  logic [NMsg-1:0]           late_i,       // the message has the earlier time
  input  logic [NMsg*MsgWidth-1:0]  msg_i,        // descriptors without TIME
  input  logic [TsWidth-1:0]        now_i,
  input  logic [TsWidth-1:0]        pend_time_i,

  output logic [NMsg-1:0]           msg_valid_o,
  output logic [NMsg*DescWidth-1:0] msg_o
);

  logic [NMsg-1:0]    valid_q, late_q;
  logic [TsWidth-1:0] now_q, pend_time_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= '0;
    else         valid_q <= valid_i;
  end

  always_ff @(posedge clk_i) begin
    if (valid_i != '0) begin
      late_q      <= late_i;
      now_q       <= now_i;
      pend_time_q <= pend_time_i;
    end
  end

  for (genvar k = 0; k < NMsg; k++) begin : gen_msg
    logic [MsgWidth-1:0] msg_q;
    always_ff @(posedge clk_i) begin
      if (valid_i[k]) msg_q <= msg_i[MsgWidth*k +: MsgWidth];
    end
    assign msg_o[DescWidth*k +: DescWidth] = {late_q[k] ? pend_time_q : now_q, msg_q};
  end

  assign msg_valid_o = valid_q;

endmodule
