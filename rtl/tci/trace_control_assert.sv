// SPDX-License-Identifier: Apache-2.0
// Assertions on the trace system, for Verilator (run with --assert); bound to every instance.
//
// Connections Between Components: whole messages only, whatever is reset, disabled or full meanwhile.
module trace_control_assert #(
  parameter int NHarts     = 2,
  parameter int OutBytes   = 8,
  parameter int TsWidth    = 48,
  parameter int NTrigIn    = 8,
  parameter int NTrigOut   = 8,
  parameter int MaxMessage = 48,
  parameter int SramBytes  = 4096,
  parameter int SmemBits   = 40,
  parameter int PinBytes   = 64,
  // Derived, do not set.
  parameter int CountBits  = $clog2(OutBytes + 1),
  parameter int AddrBits   = (SmemBits > 32) ? SmemBits : 32
) (
  input logic                         clk_i,
  input logic                         rst_ni,

  input logic [15:0]                  reg_write,
  input logic [NHarts-1:0]            enc_valid_o,
  input logic [NHarts-1:0]            enc_taken_o,
  input logic [NHarts-1:0]            enc_last,
  input logic [NHarts*CountBits-1:0]  enc_nbytes_o,
  input logic [NHarts-1:0]            enc_enable_o,
  input logic [NHarts-1:0]            enc_accept_o,
  input logic [NHarts-1:0]            ing_ready_o,
  input logic                         funnel_valid_o,
  input logic                         funnel_last,
  input logic                         funnel_ready_o,
  input logic [CountBits-1:0]         funnel_nbytes_o,
  input logic [8*OutBytes-1:0]        funnel_data_o,
  input logic                         funnel_clear,
  input logic                         mem_valid_o,
  input logic                         mem_ready_i,
  input logic [AddrBits-1:0]          mem_addr_o,
  input logic [31:0]                  mem_wdata_o,
  input logic                         sram_write_o
);

  initial begin
    assert (NHarts >= 1 && NHarts <= 8) else $error("NHarts is %0d: set 1 to 8", NHarts);
    assert (TsWidth <= 63) else $error("TsWidth is %0d: set 63 or less, trTsWidth has six bits", TsWidth);
    assert (NTrigIn >= 1 && NTrigIn <= 8) else $error("NTrigIn is %0d: set 1 to 8", NTrigIn);
    assert (NTrigOut >= 1 && NTrigOut <= 8) else $error("NTrigOut is %0d: set 1 to 8", NTrigOut);
    assert (SramBytes == 0 || (SramBytes >= 8 && (SramBytes & (SramBytes - 1)) == 0))
      else $error("SramBytes is %0d: set a power of two from 8, or 0", SramBytes);
    assert (SmemBits == 0 || (SmemBits >= 32 && SmemBits <= 64)) else $error("SmemBits is %0d: set 32 to 64, or 0", SmemBits);
    assert (SramBytes != 0 || SmemBits != 0) else $error("the RAM sink has no memory: set SramBytes or SmemBits");
    assert (PinBytes >= MaxMessage + OutBytes && (PinBytes & (PinBytes - 1)) == 0)
      else $error("PinBytes is %0d: set a power of two from MaxMessage + OutBytes (%0d)", PinBytes, MaxMessage + OutBytes);
  end

  // A message that was begun goes on: an encoder is not reset in the middle of it, and neither is the funnel.
  for (genvar h = 0; h < NHarts; h++) begin : gen_hart
    logic        inside_q;
    logic [31:0] length_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        inside_q <= 1'b0;
        length_q <= '0;
      end else if (enc_taken_o[h]) begin
        inside_q <= !enc_last[h];
        length_q <= enc_last[h] ? '0 : length_q + 32'(enc_nbytes_o[CountBits*h +: CountBits]);
      end
    end
    EncoderWhole: assert property (@(posedge clk_i) disable iff (!rst_ni)
                                   inside_q && $past(inside_q) |-> enc_valid_o[h])
      else $error("encoder %0d stops in the middle of a message", h);
    EncoderNotStuck: assert property (@(posedge clk_i) disable iff (!rst_ni) inside_q && enc_valid_o[h] |-> enc_taken_o[h])
      else $error("the funnel let the begin of a message of encoder %0d in, and has no room for the rest", h);
    MessageFits: assert property (@(posedge clk_i) disable iff (!rst_ni)
                                  enc_taken_o[h] |-> length_q + 32'(enc_nbytes_o[CountBits*h +: CountBits]) <= MaxMessage)
      else $error("encoder %0d sends a message of more than MaxMessage (%0d) bytes", h, MaxMessage);
    StalledOnlyEnabled: assert property (@(posedge clk_i) disable iff (!rst_ni)
                                         !ing_ready_o[h] |-> enc_enable_o[h] && !enc_accept_o[h]);
  end

  logic out_inside_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) out_inside_q <= 1'b0;
    else if (funnel_valid_o && funnel_ready_o) out_inside_q <= !funnel_last;
  end
  FunnelHolds: assert property (@(posedge clk_i) disable iff (!rst_ni)
                                funnel_valid_o && !funnel_ready_o && !funnel_clear |=>
                                funnel_valid_o && $stable({funnel_last, funnel_nbytes_o, funnel_data_o}));
  FunnelWhole: assert property (@(posedge clk_i) disable iff (!rst_ni) out_inside_q |-> !$past(funnel_clear))
    else $error("the funnel was reset in the middle of a message");

  // Unless software rewrites the pointers meanwhile.
  MemoryHolds: assert property (@(posedge clk_i) disable iff (!rst_ni)
                                mem_valid_o && !mem_ready_i && !reg_write[9] |=>
                                mem_valid_o && $stable({mem_addr_o, mem_wdata_o}));
  OneMemory: assert property (@(posedge clk_i) disable iff (!rst_ni) !(mem_valid_o && sram_write_o));

  // What has to be reached for the assertions above to mean something.
  CoverMemoryWaits: cover property (@(posedge clk_i) disable iff (!rst_ni) mem_valid_o && !mem_ready_i);
  CoverFunnelWaits: cover property (@(posedge clk_i) disable iff (!rst_ni) funnel_valid_o && !funnel_ready_o);
  CoverClearFull:   cover property (@(posedge clk_i) disable iff (!rst_ni) funnel_valid_o && funnel_clear);
  if (NHarts > 1) begin : gen_cover
    CoverContend: cover property (@(posedge clk_i) disable iff (!rst_ni) enc_valid_o[1:0] == 2'b11);
  end


  // Only the RAM sink's.
  logic unused;
  assign unused = ^reg_write;

endmodule

bind trace_system trace_control_assert #(
  .NHarts     (NHarts),
  .OutBytes   (OutBytes),
  .TsWidth    (TsWidth),
  .NTrigIn    (NTrigIn),
  .NTrigOut   (NTrigOut),
  .MaxMessage (MaxMessage),
  .SramBytes  (SramBytes),
  .SmemBits   (SmemBits),
  .PinBytes   (PinBytes)
) u_assert (.*);
