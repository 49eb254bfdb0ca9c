// SPDX-License-Identifier: Apache-2.0
// A small SoC that knows nothing of rvtrace's testbench: a hart that runs a program from a ROM, an N-Trace encoder, and
// a clock of its own, half of the one outside.
//
// Bug 1: taken and not taken branches are exchanged between hart and encoder.
// Bug 2: the trace port drops the bytes that leave while the receiver is not ready.
module soc
#(
  parameter RomFile = "rom.hex",
  parameter int Bug = 0
) (
  input  logic        clk,
  input  logic        rst,
  output logic        done,

  output logic        te_valid,
  output logic [2:0]  te_bytes,
  output logic [31:0] te_data,
  input  logic        te_ready
);

  logic hart_clk;
  initial hart_clk = 1'b0;
  always @(posedge clk) hart_clk <= !hart_clk;

  logic hart_rst;
  always @(posedge hart_clk) hart_rst <= rst;

  // The instruction trace interface, which a bench can watch.
  logic [3:0]  hart_itype;
  logic [31:0] hart_iaddr;
  logic        hart_valid;
  logic [7:0]  hart_cause;
  logic        stall;

  hart #(.RomFile(RomFile)) u_hart (
    .clk(hart_clk), .rst(hart_rst), .stall, .done,
    .itype(hart_itype), .iaddr(hart_iaddr), .valid(hart_valid), .cause(hart_cause)
  );

  logic       te_taken, enc_valid, enc_ready;
  logic [3:0] te_itype;
  assign te_taken  = (hart_itype == 4'd4) || (hart_itype == 4'd5);
  assign te_itype  = (Bug == 1 && te_taken) ? {hart_itype[3:1], !hart_itype[0]} : hart_itype;
  assign te_valid  = enc_valid;
  assign enc_ready = (Bug == 2) ? 1'b1 : te_ready;

  logic hart_ready;
  assign stall = !hart_ready;

  ntrace_encoder #(.Xlen(32), .OutBytes(4)) u_encoder (
    .clk_i(hart_clk), .rst_ni(!hart_rst),
    .enable_i(1'b1), .inst_tracing_i(1'b1), .halted_i(1'b0), .in_reset_i(1'b0), .low_power_i(1'b0),
    .notify_i(1'b0), .ext_notify_i(1'b0), .vendor_tcode_i(6'd0), .vendor_data_i(32'd0),
    .inst_mode_i(3'd6), .sync_mode_i(2'd0), .sync_max_i(4'd0), .stall_ena_i(1'b1), .rc7_i(1'b0),
    .btype_ext_i(1'b1), .src_bits_i(4'd0), .src_id_i(12'd0), .inhibit_src_i(1'b0), .ts_enable_i(1'b0),
    .tstamp_i(64'd0), .context_ena_i(1'b0), .hcontext_ena_i(1'b0), .extend_addr_msb_i(1'b0),
    .implicit_return_i(2'd0), .repeated_history_i(1'b0), .repeat_branch_i(1'b0), .sequential_jump_i(1'b0),
    .all_jumps_i(1'b0), .filters_i(16'd0), .filter_cfg_i(256'd0), .comp_cfg_i(320'd0),
    .ing_itype_i(te_itype), .ing_iaddr_i(hart_iaddr),
    .ing_iretire_i((hart_valid && hart_itype != 4'd1) ? 7'd2 : 7'd0), .ing_ilastsize_i(1'b1), .ing_sijump_i(1'b0),
    .ing_cause_i(hart_cause), .ing_tval_i(32'd0), .ing_priv_i(3'd3), .ing_context_i(32'd0), .ing_hcontext_i(16'd0),
    .ing_ready_o(hart_ready), .drop_o(), .empty_o(), .overflow_o(),
    .out_valid_o(enc_valid), .out_nbytes_o(te_bytes), .out_data_o(te_data), .out_ready_i(enc_ready)
  );

endmodule

// A hart with addi, lui, add, beq, bne, jal, jalr, ecall and mret, one instruction a cycle; a jump to itself ends the
// program.
module hart
#(
  parameter RomFile = "rom.hex",
  parameter logic [31:0] Base = 32'h8000_0000,
  parameter logic [31:0] Handler = 32'h8000_0100
) (
  input  logic        clk,
  input  logic        rst,
  input  logic        stall,
  output logic        done,
  output logic [3:0]  itype,
  output logic [31:0] iaddr,
  output logic        valid,
  output logic [7:0]  cause
);

  logic [31:0] rom [0:255];
  initial $readmemh(RomFile, rom);

  logic [31:0] x [0:31];
  logic [31:0] pc, mepc, insn, a, b, next, value, imm_i, imm_b, imm_j;
  logic [4:0]  rd;
  logic        writes, link, from_link, taken;

  assign insn      = rom[pc[9:2]];
  assign rd        = insn[11:7];
  assign a         = (insn[19:15] == 5'd0) ? 32'd0 : x[insn[19:15]];
  assign b         = (insn[24:20] == 5'd0) ? 32'd0 : x[insn[24:20]];
  assign imm_i     = {{20{insn[31]}}, insn[31:20]};
  assign imm_b     = {{20{insn[31]}}, insn[7], insn[30:25], insn[11:8], 1'b0};
  assign imm_j     = {{12{insn[31]}}, insn[19:12], insn[20], insn[30:21], 1'b0};
  assign link      = (rd == 5'd1) || (rd == 5'd5);
  assign from_link = (insn[19:15] == 5'd1) || (insn[19:15] == 5'd5);
  assign taken     = (a == b) != insn[12];
  assign iaddr     = pc;
  assign valid     = !rst && !done;
  assign cause     = (itype == 4'd1) ? 8'd11 : 8'd0;

  always @* begin
    itype  = 4'd0;
    next   = pc + 32'd4;
    value  = 32'd0;
    writes = 1'b0;
    case (insn[6:0])
      7'h13: begin value = a + imm_i; writes = 1'b1; end
      7'h33: begin value = a + b; writes = 1'b1; end
      7'h37: begin value = {insn[31:12], 12'd0}; writes = 1'b1; end
      7'h63: begin itype = taken ? 4'd5 : 4'd4; next = taken ? pc + imm_b : pc + 32'd4; end
      7'h6f: begin
        itype = link ? 4'd9 : (rd == 5'd0) ? 4'd11 : 4'd15;
        next = pc + imm_j; value = pc + 32'd4; writes = 1'b1;
      end
      7'h67: begin
        itype = link ? ((from_link && rd != insn[19:15]) ? 4'd12 : 4'd8) : from_link ? 4'd13
                                                                     : (rd == 5'd0) ? 4'd10 : 4'd14;
        next = (a + imm_i) & ~32'd1; value = pc + 32'd4; writes = 1'b1;
      end
      7'h73: begin
        if (insn[31:20] == 12'h302) begin itype = 4'd3; next = mepc; end
        else if (insn[31:20] == 12'h000) begin itype = 4'd1; next = Handler; end
      end
      default: ;
    endcase
    if (!valid) itype = 4'd0;
  end

  integer k;
  always @(posedge clk) begin
    if (rst) begin
      pc   <= Base;
      mepc <= 32'd0;
      done <= 1'b0;
      for (k = 0; k < 32; k = k + 1) x[k] <= 32'd0;
    end else if (!stall && !done) begin
      pc <= next;
      if (itype == 4'd1) mepc <= pc + 32'd4;  // as its handler would set it
      if (writes && rd != 5'd0) x[rd] <= value;
      if (next == pc) done <= 1'b1;
    end
  end

endmodule
