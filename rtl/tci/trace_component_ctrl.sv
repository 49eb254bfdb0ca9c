// SPDX-License-Identifier: Apache-2.0
// Active and Enable of a trace component: bits 0 and 1 of its tr??Control register.
//
// Active written 0 clears Enable at once; Active itself reads 1 until the component says that it is at
// a message boundary, so that no partial message is ever sent. Then its registers and state are cleared.
// A write that sets Active takes nothing else.
module trace_component_ctrl (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic write_i,         // tr??Control is being written
  input  logic wr_active_i,
  input  logic wr_enable_i,
  input  logic may_reset_i,     // after this cycle no message is half sent
  input  logic stop_i,          // hardware clears Enable; wins over a write

  output logic active_o,
  output logic enable_o,
  output logic clear_o,         // registers and state take their reset values with the next clock
  output logic enabled_o        // a write sets Enable from 0 to 1 in this cycle
);

  logic active_q, enable_q, closing_q;
  logic open;

  assign open      = active_q && !closing_q;
  assign active_o  = active_q;
  assign enable_o  = enable_q;
  assign clear_o   = !active_q || (closing_q && may_reset_i);
  assign enabled_o = open && write_i && wr_active_i && wr_enable_i && !enable_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      active_q  <= 1'b0;
      enable_q  <= 1'b0;
      closing_q <= 1'b0;
    end else if (!active_q) begin
      active_q  <= write_i && wr_active_i;
    end else if (closing_q) begin
      active_q  <= !may_reset_i;
      closing_q <= !may_reset_i;
    end else begin
      if (write_i) begin
        enable_q  <= wr_active_i && wr_enable_i;
        closing_q <= !wr_active_i;
      end
      if (stop_i) enable_q <= 1'b0;
    end
  end

endmodule
