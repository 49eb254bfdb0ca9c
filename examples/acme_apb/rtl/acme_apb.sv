// SPDX-License-Identifier: Apache-2.0
// ACME BTM with registers: tracing is enabled over APB instead of by a wire, and takes a few cycles to start.
//
//   0x00 CONTROL  bit 0 enable; bits 6:4 mode, which has to be 3 (Branch Trace Messages) before it can be enabled
//   0x04 STATUS   bit 0 enabled; bit 1 nothing is left to send (read only)
//
// An access takes one wait state. Any other address, and enabling it in another mode, is answered with an error.
module acme_apb
#(
  parameter int AddrW  = 64,
  parameter int CountW = 7
) (
  input  logic              clock,
  input  logic              reset,

  input  logic              cfg_psel,
  input  logic              cfg_penable,
  input  logic              cfg_pwrite,
  input  logic [7:0]        cfg_paddr,
  input  logic [31:0]       cfg_pwdata,
  output logic              cfg_pready,
  output logic              cfg_pslverr,
  output logic [31:0]       cfg_prdata,

  input  logic              trace_on,
  input  logic              debug_mode,
  input  logic              hart_reset,
  input  logic              hart_sleeps,
  input  logic              block_req,
  input  logic [3:0]        block_type,
  input  logic [AddrW-1:0]  block_pc,
  input  logic [CountW-1:0] block_halves,
  output logic              block_stall,
  output logic              tr_req,
  output logic [31:0]       tr_beat,
  input  logic              tr_ack,
  output logic              tr_idle
);

  localparam logic [7:0] Control = 8'h00, Status = 8'h04;
  localparam logic [2:0] Btm = 3'd3;

  logic       waited_q, enable_q, access, known, illegal;
  logic [2:0] mode_q;
  logic [3:0] started_q;  // the encoder starts when all are set

  assign access      = cfg_psel && cfg_penable && waited_q;
  assign known       = (cfg_paddr == Control) || ((cfg_paddr == Status) && !cfg_pwrite);
  assign illegal     = cfg_pwrite && (cfg_paddr == Control) && cfg_pwdata[0] && (cfg_pwdata[6:4] != Btm);
  assign cfg_pready  = waited_q;
  assign cfg_pslverr = access && (!known || illegal);
  assign cfg_prdata  = (cfg_paddr == Status) ? {30'd0, tr_idle, started_q[3]} : {25'd0, mode_q, 3'd0, enable_q};

  always_ff @(posedge clock or posedge reset) begin
    if (reset) begin
      waited_q  <= 1'b0;
      enable_q  <= 1'b0;
      mode_q    <= 3'd0;
      started_q <= 4'd0;
    end else begin
      waited_q  <= cfg_psel && cfg_penable && !waited_q;
      started_q <= enable_q ? {started_q[2:0], 1'b1} : 4'd0;
      if (access && cfg_pwrite && known && !illegal) begin
        enable_q <= cfg_pwdata[0];
        mode_q   <= cfg_pwdata[6:4];
      end
    end
  end

  acme_btm #(.AddrW(AddrW), .CountW(CountW)) u_encoder (
    .clock, .reset, .trace_enable(started_q[3]), .trace_on, .debug_mode, .hart_reset, .hart_sleeps,
    .block_req, .block_type, .block_pc, .block_halves, .block_stall, .tr_req, .tr_beat, .tr_ack, .tr_idle
  );

endmodule
