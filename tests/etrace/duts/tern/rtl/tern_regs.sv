// SPDX-License-Identifier: Apache-2.0
// The registers of Tern TE, on AXI4-Lite: one access at a time, whole words.
//   0x00  control   bit 0: on, bit 1: trace instructions
//   0x04  period    bits 3:0: a synchronization after 12 << n packets; bit 4: never
//   0x08  status    bit 0: nothing is being made or sent
module tern_regs (
  input  wire        ck,
  input  wire        arst,
  input  wire        awvalid,
  output wire        awready,
  input  wire [3:0]  awaddr,
  input  wire        wvalid,
  output wire        wready,
  input  wire [31:0] wdata,
  output reg         bvalid,
  input  wire        bready,
  input  wire        arvalid,
  output wire        arready,
  input  wire [3:0]  araddr,
  output reg         rvalid,
  output reg  [31:0] rdata,
  input  wire        rready,

  output reg         te_on,
  output reg         te_run,
  output reg  [4:0]  te_period,
  input  wire        quiet
);

  // Address and data are taken in the same cycle, when the answer to the last write was taken.
  assign awready = wvalid && awvalid && !bvalid;
  assign wready = awready;
  assign arready = !rvalid;

  always @(posedge ck or posedge arst) begin
    if (arst) begin
      bvalid <= 1'b0;
      rvalid <= 1'b0;
      rdata <= 32'd0;
      te_on <= 1'b0;
      te_run <= 1'b0;
      te_period <= 5'd16;
    end else begin
      if (bready) bvalid <= 1'b0;
      if (awready) begin
        bvalid <= 1'b1;
        case (awaddr[3:2])
          2'd0: {te_run, te_on} <= wdata[1:0];
          2'd1: te_period <= wdata[4:0];
          default: ;
        endcase
      end
      if (rready) rvalid <= 1'b0;
      if (arvalid && arready) begin
        rvalid <= 1'b1;
        case (araddr[3:2])
          2'd0: rdata <= {30'd0, te_run, te_on};
          2'd1: rdata <= {27'd0, te_period};
          2'd2: rdata <= {31'd0, quiet};
          default: rdata <= 32'd0;
        endcase
      end
    end
  end

endmodule
