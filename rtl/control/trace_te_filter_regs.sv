// Registers of the filters (0x400) and comparators (0x600) of a trace encoder.
module trace_te_filter_regs
  import trace_reg_pkg::*;
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

  localparam logic [31:0] HighMask = (Xlen == 64) ? 32'hFFFFFFFF : 32'd0;
  localparam logic [7:0]  CompLegal = (NComps >= 8) ? 8'hFF : (8'd1 << NComps) - 8'd1;

  // The number of a comparator that is not there turns into 0.
  function automatic logic [31:0] legal_filter(input logic [31:0] value);
    legal_filter = value & TrTeFilterControlMask;
    legal_filter[TrTeFilterComp1Lsb +: 3] = CompLegal[value[TrTeFilterComp1Lsb +: 3]] ? value[TrTeFilterComp1Lsb +: 3] : 3'd0;
    legal_filter[TrTeFilterComp2Lsb +: 3] = CompLegal[value[TrTeFilterComp2Lsb +: 3]] ? value[TrTeFilterComp2Lsb +: 3] : 3'd0;
    legal_filter[TrTeFilterComp3Lsb +: 3] = CompLegal[value[TrTeFilterComp3Lsb +: 3]] ? value[TrTeFilterComp3Lsb +: 3] : 3'd0;
  endfunction

  // So does an input that is not there (daddr).
  function automatic logic [31:0] legal_comp(input logic [31:0] value);
    legal_comp = value & TrTeCompControlMask;
    if (!TrTeCompPInputLegal[value[TrTeCompPInputLsb +: 2]]) legal_comp[TrTeCompPInputLsb +: 2] = TrTeCompPInputOtherwise;
    if (!TrTeCompSInputLegal[value[TrTeCompSInputLsb +: 2]]) legal_comp[TrTeCompSInputLsb +: 2] = TrTeCompSInputOtherwise;
  endfunction

  logic [31:0] filter_rdata [NFilters];
  logic [31:0] comp_rdata [NComps];

  for (genvar i = 0; i < NFilters; i++) begin : gen_filter
    localparam logic [11:0] Base = TrTeFilterControlOffset + 12'h20 * i[11:0];
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
        if (addr_i[4:0] == TrTeFilterControlOffset[4:0])         control_q <= legal_filter(wdata_i);
        if (addr_i[4:0] == TrTeFilterMatchInstOffset[4:0])       inst_q    <= wdata_i & TrTeFilterMatchInstMask;
        if (addr_i[4:0] == TrTeFilterMatchEcauseLowOffset[4:0])  low_q     <= wdata_i;
        if (addr_i[4:0] == TrTeFilterMatchEcauseHighOffset[4:0]) high_q    <= wdata_i;
      end
    end
    assign filter_cfg_o[128*i +: 128] = {high_q, low_q, inst_q, control_q};
    assign filter_rdata[i] = !here ? 32'd0 :
      ((addr_i[4:0] == TrTeFilterControlOffset[4:0])         ? control_q : 32'd0) |
      ((addr_i[4:0] == TrTeFilterMatchInstOffset[4:0])       ? inst_q    : 32'd0) |
      ((addr_i[4:0] == TrTeFilterMatchEcauseLowOffset[4:0])  ? low_q     : 32'd0) |
      ((addr_i[4:0] == TrTeFilterMatchEcauseHighOffset[4:0]) ? high_q    : 32'd0);
  end

  for (genvar j = 0; j < NComps; j++) begin : gen_comp
    localparam logic [11:0] Base = TrTeCompControlOffset + 12'h20 * j[11:0];
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
        if (addr_i[4:0] == TrTeCompControlOffset[4:0])    control_q <= legal_comp(wdata_i);
        if (addr_i[4:0] == TrTeCompPMatchLowOffset[4:0])  plow_q    <= wdata_i;
        if (addr_i[4:0] == TrTeCompPMatchHighOffset[4:0]) phigh_q   <= wdata_i & HighMask;
        if (addr_i[4:0] == TrTeCompSMatchLowOffset[4:0])  slow_q    <= wdata_i;
        if (addr_i[4:0] == TrTeCompSMatchHighOffset[4:0]) shigh_q   <= wdata_i & HighMask;
      end
    end
    assign comp_cfg_o[160*j +: 160] = {shigh_q, slow_q, phigh_q, plow_q, control_q};
    assign comp_rdata[j] = !here ? 32'd0 :
      ((addr_i[4:0] == TrTeCompControlOffset[4:0])    ? control_q : 32'd0) |
      ((addr_i[4:0] == TrTeCompPMatchLowOffset[4:0])  ? plow_q    : 32'd0) |
      ((addr_i[4:0] == TrTeCompPMatchHighOffset[4:0]) ? phigh_q   : 32'd0) |
      ((addr_i[4:0] == TrTeCompSMatchLowOffset[4:0])  ? slow_q    : 32'd0) |
      ((addr_i[4:0] == TrTeCompSMatchHighOffset[4:0]) ? shigh_q   : 32'd0);
  end

  // One of them answers at most.
  logic [31:0] filter_or [NFilters+1];
  logic [31:0] comp_or [NComps+1];
  assign filter_or[0] = 32'd0;
  assign comp_or[0]   = 32'd0;
  for (genvar i = 0; i < NFilters; i++) begin : gen_filter_or
    assign filter_or[i+1] = filter_or[i] | filter_rdata[i];
  end
  for (genvar j = 0; j < NComps; j++) begin : gen_comp_or
    assign comp_or[j+1] = comp_or[j] | comp_rdata[j];
  end
  assign rdata_o = filter_or[NFilters] | comp_or[NComps];

endmodule
