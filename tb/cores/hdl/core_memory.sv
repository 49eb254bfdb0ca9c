// SPDX-License-Identifier: Apache-2.0
// The memory of a core: 8 MiB at 0x80000000, a CLINT at 0x02000000, one jump to the program at the reset pc, and errors everywhere else.
//
// Both ports take a request in any cycle with grant_i and answer in the next one. mtime counts cycles, divided by MtimeDivider.
module core_memory #(
  parameter logic [31:0] Start        = 32'h8000_0000,
  parameter int          Words        = 2 * 1024 * 1024,
  parameter int          MtimeDivider = 8
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [31:0] reset_pc_i,
  input  logic [31:0] start_pc_i,   // first instruction of the program
  input  logic        load_i,       // rises: memory is 0, then what memory.hex says
  input  logic        grant_i,

  input  logic        instr_req_i,
  output logic        instr_gnt_o,
  output logic        instr_rvalid_o,
  input  logic [31:0] instr_addr_i,
  output logic [31:0] instr_rdata_o,
  output logic        instr_err_o,

  input  logic        data_req_i,
  output logic        data_gnt_o,
  output logic        data_rvalid_o,
  input  logic        data_we_i,
  input  logic [3:0]  data_be_i,
  input  logic [31:0] data_addr_i,
  input  logic [31:0] data_wdata_i,
  output logic [31:0] data_rdata_o,
  output logic        data_err_o,

  output logic        irq_software_o,
  output logic        irq_timer_o
);

  localparam int          Index    = $clog2(Words);
  localparam logic [31:0] Msip     = 32'h0200_0000, MtimecmpLow = 32'h0200_4000, MtimecmpHigh = 32'h0200_4004;
  localparam logic [31:0] MtimeLow = 32'h0200_BFF8, MtimeHigh   = 32'h0200_BFFC;
  // jal x0 from the reset pc to the program: the core's own choice of its first address is no matter of the program.
  /* verilator lint_off UNUSEDSIGNAL */  // it is near
  logic [31:0] far;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [31:0] jump;

  logic [31:0] mem [Words];
  logic        loaded, instr_here, data_here, data_clint, data_mem;
  logic [31:0] data_word, data_mask, clint;
  logic        msip;
  logic [63:0] mtime, mtimecmp;
  logic [31:0] divider;

  initial loaded = 1'b0;

  // A read gets what was there before a write in the same cycle.
  always @(posedge clk_i) begin
    instr_rdata_o <= ({instr_addr_i[31:2], 2'd0} == reset_pc_i && !instr_here) ? jump : mem[instr_addr_i[2 +: Index]];
    data_rdata_o  <= data_mem ? mem[data_addr_i[2 +: Index]] : clint;
    if (load_i && !loaded) begin
      for (int k = 0; k < Words; k++) mem[k] = 32'd0;
      $readmemh("memory.hex", mem);
    end
    loaded = load_i;
    if (rst_ni && data_req_i && data_gnt_o && data_we_i && data_mem) begin
      mem[data_addr_i[2 +: Index]] = (mem[data_addr_i[2 +: Index]] & ~data_mask) | (data_wdata_i & data_mask);
    end
  end

  assign far         = start_pc_i - reset_pc_i;
  assign jump        = {far[20], far[10:1], far[11], far[19:12], 5'd0, 7'b1101111};
  assign instr_gnt_o = instr_req_i && grant_i;
  assign data_gnt_o  = data_req_i && grant_i;
  assign instr_here  = instr_addr_i[31 -: 30-Index] == Start[31 -: 30-Index];
  assign data_mem    = data_addr_i[31 -: 30-Index] == Start[31 -: 30-Index];
  assign data_clint  = data_addr_i[31:16] == Msip[31:16];
  assign data_here   = data_mem || data_clint;
  assign data_mask   = {{8{data_be_i[3]}}, {8{data_be_i[2]}}, {8{data_be_i[1]}}, {8{data_be_i[0]}}};

  always_comb begin
    case ({data_addr_i[31:2], 2'd0})
      Msip:         clint = {31'd0, msip};
      MtimecmpLow:  clint = mtimecmp[31:0];
      MtimecmpHigh: clint = mtimecmp[63:32];
      MtimeLow:     clint = mtime[31:0];
      MtimeHigh:    clint = mtime[63:32];
      default:      clint = 32'd0;
    endcase
  end

  assign data_word = (clint & ~data_mask) | (data_wdata_i & data_mask);

  always_ff @(posedge clk_i) begin
    instr_err_o <= !instr_here && {instr_addr_i[31:2], 2'd0} != reset_pc_i;
    data_err_o  <= !data_here;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      instr_rvalid_o <= 1'b0;
      data_rvalid_o  <= 1'b0;
      msip           <= 1'b0;
      mtime          <= '0;
      mtimecmp       <= '1;
      divider        <= '0;
    end else begin
      instr_rvalid_o <= instr_gnt_o;
      data_rvalid_o  <= data_gnt_o;
      divider        <= (divider == MtimeDivider - 1) ? '0 : divider + 32'd1;
      if (divider == MtimeDivider - 1) mtime <= mtime + 64'd1;
      if (data_gnt_o && data_we_i && data_clint) begin
        case ({data_addr_i[31:2], 2'd0})
          Msip:         msip <= data_word[0];
          MtimecmpLow:  mtimecmp[31:0] <= data_word;
          MtimecmpHigh: mtimecmp[63:32] <= data_word;
          default:;
        endcase
      end
    end
  end

  assign irq_software_o = msip;
  assign irq_timer_o    = mtime >= mtimecmp;

endmodule
