// SPDX-License-Identifier: Apache-2.0
// Registers of the tandem trace: enable, whether everything has left, how many bytes did. Words; no wait states, no errors.
module subsystem_tandem_regs (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic        write_i,
  input  logic [11:0] addr_i,
  input  logic [31:0] wdata_i,
  output logic [31:0] rdata_o,

  output logic        enable_o,
  input  logic        empty_i,
  input  logic        error_i,
  input  logic [6:0]  sent_i    // bytes that leave in this cycle
);

  logic        enable_q, error_q;
  logic [63:0] bytes_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      enable_q <= 1'b0;
      error_q  <= 1'b0;
      bytes_q  <= '0;
    end else begin
      if (write_i && (addr_i == subsystem_pkg::TandemControl)) enable_q <= wdata_i[0];
      error_q <= error_q || error_i;
      bytes_q <= bytes_q + {57'd0, sent_i};
    end
  end

  assign rdata_o = (addr_i == subsystem_pkg::TandemControl)   ? {31'd0, enable_q} :
                   (addr_i == subsystem_pkg::TandemStatus)    ? {30'd0, error_q, empty_i} :
                   (addr_i == subsystem_pkg::TandemBytesLow)  ? bytes_q[31:0] :
                   (addr_i == subsystem_pkg::TandemBytesHigh) ? bytes_q[63:32] : 32'd0;

  assign enable_o = enable_q;

  logic unused;
  assign unused = ^wdata_i[31:1];

endmodule
