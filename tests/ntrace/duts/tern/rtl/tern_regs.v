// SPDX-License-Identifier: Apache-2.0
// Tern's registers on APB, at the places that the Trace Control Interface gives them, each access with one wait state.
module tern_regs (
  input  wire        clk,
  input  wire        rst,
  input  wire        psel,
  input  wire        penable,
  input  wire        pwrite,
  input  wire [11:0] paddr,
  input  wire [31:0] pwdata,
  output reg  [31:0] prdata,
  output reg         pready,
  // To and from the encoder.
  input  wire        quiet,
  output wire        enable,
  output wire        tracing,
  output wire        src,
  output wire [2:0]  src_id,
  output wire        sync,
  output wire [3:0]  sync_max,
  output wire        repeats
);

  localparam TE_CONTROL = 12'h000, TE_IMPL = 12'h004, TE_FEATURES = 12'h008, TE_VENDOR = 12'hff0;

  reg        active, te_enable, inst_tracing, inhibit_src, sync_mode, repeat_ena;
  reg  [3:0] max;
  reg  [2:0] id;

  assign enable   = te_enable;
  assign tracing  = inst_tracing;
  assign src      = !inhibit_src;
  assign src_id   = id;
  assign sync     = sync_mode;
  assign sync_max = max;
  assign repeats  = repeat_ena;

  wire access = psel && penable && !pready;

  always @(posedge clk) begin
    pready <= access;
    if (rst) begin
      pready <= 1'b0;
      prdata <= 32'd0;
      active <= 1'b0;
      te_enable <= 1'b0;
      inst_tracing <= 1'b0;
      inhibit_src <= 1'b0;
      sync_mode <= 1'b0;
      max <= 4'd0;
      id <= 3'd0;
      repeat_ena <= 1'b0;
    end else if (access && pwrite) begin
      case (paddr)
        TE_CONTROL: begin
          active <= pwdata[0];
          te_enable <= pwdata[1] && pwdata[0];
          inst_tracing <= pwdata[2];
          inhibit_src <= pwdata[15];
          sync_mode <= (pwdata[17:16] == 2'd1);
          max <= pwdata[23:20];
        end
        TE_FEATURES: id <= pwdata[18:16];
        TE_VENDOR:   repeat_ena <= pwdata[0];
        default:     ;
      endcase
    end else if (access) begin
      case (paddr)
        TE_CONTROL:  prdata <= {5'd0, 3'd1, max, 2'd0, 1'b0, sync_mode, inhibit_src, 1'b0, 1'b1, 6'd0, 3'd3, quiet,
                                inst_tracing, te_enable, active};
        TE_IMPL:     prdata <= 32'h0001_0101;
        TE_FEATURES: prdata <= {4'd3, 9'd0, id, 16'd0};
        TE_VENDOR:   prdata <= {31'd0, repeat_ena};
        default:     prdata <= 32'd0;
      endcase
    end
  end

endmodule
