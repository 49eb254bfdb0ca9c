// SPDX-License-Identifier: Apache-2.0
// Registers of the filters (0x400) and comparators (0x600) of a trace encoder.
module trace_te_filter_regs
#(
  parameter int Xlen     = 64,
  parameter int NFilters = 2,
  parameter int NComps   = 2
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic                    clear_i,

  input  logic                    write_i,
  input  logic [11:0]             addr_i,
  input  logic [31:0]             wdata_i,
  output logic [31:0]             rdata_o,

  output logic [NFilters*128-1:0] filter_cfg_o,  // each {MatchEcauseHigh, MatchEcauseLow, MatchInst, Control}
  output logic [NComps*160-1:0]   comp_cfg_o     // each {SMatchHigh, SMatchLow, PMatchHigh, PMatchLow, Control}
);

  // Offsets within one filter, or one comparator.
  localparam logic [4:0]  Control    = 5'h00;
  localparam logic [4:0]  MatchInst  = trace_reg_pkg::TrTeFilterMatchInstOffset[4:0];
  localparam logic [4:0]  EcauseLow  = trace_reg_pkg::TrTeFilterMatchEcauseLowOffset[4:0];
  localparam logic [4:0]  EcauseHigh = trace_reg_pkg::TrTeFilterMatchEcauseHighOffset[4:0];
  localparam logic [4:0]  PMatchLow  = trace_reg_pkg::TrTeCompPMatchLowOffset[4:0];
  localparam logic [4:0]  PMatchHigh = trace_reg_pkg::TrTeCompPMatchHighOffset[4:0];
  localparam logic [4:0]  SMatchLow  = trace_reg_pkg::TrTeCompSMatchLowOffset[4:0];
  localparam logic [4:0]  SMatchHigh = trace_reg_pkg::TrTeCompSMatchHighOffset[4:0];

  localparam logic [31:0] HighMask = (Xlen == 64) ? 32'hFFFFFFFF : 32'd0;
  localparam logic [7:0]  CompLegal = (NComps >= 8) ? 8'hFF : (8'd1 << NComps) - 8'd1;

  // The number of a comparator that is not there turns into 0, and so does an input that is not there (daddr).
  localparam int Comp1 = trace_reg_pkg::TrTeFilterComp1Lsb;
  localparam int Comp2 = trace_reg_pkg::TrTeFilterComp2Lsb;
  localparam int Comp3 = trace_reg_pkg::TrTeFilterComp3Lsb;
  localparam int PIn   = trace_reg_pkg::TrTeCompPInputLsb;
  localparam int SIn   = trace_reg_pkg::TrTeCompSInputLsb;

  logic [31:0] legal_filter, legal_comp, filter_bits, comp_bits;
  assign filter_bits  = wdata_i & trace_reg_pkg::TrTeFilterControlMask;
  assign legal_filter = filter_bits & ~(CompLegal[wdata_i[Comp1 +: 3]] ? 32'd0 : (32'd7 << Comp1))
                                    & ~(CompLegal[wdata_i[Comp2 +: 3]] ? 32'd0 : (32'd7 << Comp2))
                                    & ~(CompLegal[wdata_i[Comp3 +: 3]] ? 32'd0 : (32'd7 << Comp3));
  assign comp_bits    = wdata_i & trace_reg_pkg::TrTeCompControlMask;
  assign legal_comp   = comp_bits & ~(trace_reg_pkg::TrTeCompPInputLegal[wdata_i[PIn +: 2]] ? 32'd0 : (32'd3 << PIn))
                                  & ~(trace_reg_pkg::TrTeCompSInputLegal[wdata_i[SIn +: 2]] ? 32'd0 : (32'd3 << SIn));

  // One register answers at most: rdata is the OR of all.
  logic [32*(NFilters+NComps)-1:0] answer, answers;
  assign answers[31:0] = answer[31:0];
  for (genvar n = 1; n < NFilters + NComps; n++) begin : gen_answer
    assign answers[32*n +: 32] = answers[32*(n-1) +: 32] | answer[32*n +: 32];
  end
  assign rdata_o = answers[32*(NFilters+NComps-1) +: 32];

  for (genvar i = 0; i < NFilters; i++) begin : gen_filter
    localparam logic [11:0] Base = trace_reg_pkg::TrTeFilterControlOffset + 12'h20 * i[11:0];
    logic         here;
    logic [31:0]  control_q, inst_q, low_q, high_q;
    assign here = (addr_i[11:5] == Base[11:5]);
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        control_q <= 32'd0;
        inst_q    <= 32'd0;
        low_q     <= 32'd0;
        high_q    <= 32'd0;
      end else if (clear_i) begin
        control_q <= 32'd0;
        inst_q    <= 32'd0;
        low_q     <= 32'd0;
        high_q    <= 32'd0;
      end else if (write_i && here) begin
        if (addr_i[4:0] == Control) control_q <= legal_filter;
        if (addr_i[4:0] == MatchInst) inst_q    <= wdata_i & trace_reg_pkg::TrTeFilterMatchInstMask;
        if (addr_i[4:0] == EcauseLow) low_q     <= wdata_i;
        if (addr_i[4:0] == EcauseHigh) high_q    <= wdata_i;
      end
    end
    assign filter_cfg_o[128*i +: 128] = {high_q, low_q, inst_q, control_q};
    assign answer[32*i +: 32] = !here ? 32'd0 :
      ((addr_i[4:0] == Control) ? control_q : 32'd0) |
      ((addr_i[4:0] == MatchInst) ? inst_q    : 32'd0) |
      ((addr_i[4:0] == EcauseLow) ? low_q     : 32'd0) |
      ((addr_i[4:0] == EcauseHigh) ? high_q    : 32'd0);
  end

  for (genvar j = 0; j < NComps; j++) begin : gen_comp
    localparam logic [11:0] Base = trace_reg_pkg::TrTeCompControlOffset + 12'h20 * j[11:0];
    logic        here;
    logic [31:0] control_q, plow_q, phigh_q, slow_q, shigh_q;
    assign here = (addr_i[11:5] == Base[11:5]);
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        control_q <= 32'd0;
        plow_q    <= 32'd0;
        phigh_q   <= 32'd0;
        slow_q    <= 32'd0;
        shigh_q   <= 32'd0;
      end else if (clear_i) begin
        control_q <= 32'd0;
        plow_q    <= 32'd0;
        phigh_q   <= 32'd0;
        slow_q    <= 32'd0;
        shigh_q   <= 32'd0;
      end else if (write_i && here) begin
        if (addr_i[4:0] == Control) control_q <= legal_comp;
        if (addr_i[4:0] == PMatchLow) plow_q    <= wdata_i;
        if (addr_i[4:0] == PMatchHigh) phigh_q   <= wdata_i & HighMask;
        if (addr_i[4:0] == SMatchLow) slow_q    <= wdata_i;
        if (addr_i[4:0] == SMatchHigh) shigh_q   <= wdata_i & HighMask;
      end
    end
    assign comp_cfg_o[160*j +: 160] = {shigh_q, slow_q, phigh_q, plow_q, control_q};
    assign answer[32*(NFilters+j) +: 32] = !here ? 32'd0 :
      ((addr_i[4:0] == Control) ? control_q : 32'd0) |
      ((addr_i[4:0] == PMatchLow) ? plow_q    : 32'd0) |
      ((addr_i[4:0] == PMatchHigh) ? phigh_q   : 32'd0) |
      ((addr_i[4:0] == SMatchLow) ? slow_q    : 32'd0) |
      ((addr_i[4:0] == SMatchHigh) ? shigh_q   : 32'd0);
  end

endmodule
