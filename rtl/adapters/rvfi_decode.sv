// SPDX-License-Identifier: Apache-2.0
// What an instruction is for a trace: its itype (E-Trace 2.0 table 4.3), its access to memory, and the cause if it trapped.
// Combinational.
module rvfi_decode
#(
  parameter bit Zcmp = 0,
  parameter bit Zcmt = 0
) (
  input  logic [31:0] insn_i,
  input  logic        rv32_i,       // XLEN is 32 where it executed
  input  logic        goes_on_i,    // the next pc is that in sequence
  input  logic        misaligned_i, // its access is not aligned to size_o
  input  logic [2:0]  mode_i,       // {V, PRV}

  output logic        insn16_o,
  output logic        bad_o,        // all zeros, or longer than 32 bits
  output logic [3:0]  itype_o,      // if it retires
  output logic        call_o,       // ecall or ebreak: it cannot retire, unless it enters Debug Mode
  output logic        xret_o,       // mret, sret, uret, mnret
  output logic        load_o,       // LR and AMOs too
  output logic        store_o,      // SC and AMOs too
  output logic [1:0]  size_o,       // of its access: 2^size bytes
  output logic [3:0]  cause_o       // as far as the instruction says why it trapped
);

  logic [6:0]  opcode;
  logic [2:0]  funct3;
  logic [4:0]  rd, rs1;
  logic        wide;
  logic [4:0]  group;      // {quadrant, funct3} of a 16-bit instruction

  assign insn16_o = (insn_i[1:0] != 2'b11);
  assign wide     = !insn16_o;
  assign bad_o    = (insn_i[15:0] == 16'd0) || (insn_i[4:0] == 5'b11111);
  assign opcode   = insn_i[6:0];
  assign funct3   = insn_i[14:12];
  assign rd       = insn_i[11:7];
  assign rs1      = insn_i[19:15];
  assign group    = {insn_i[1:0], insn_i[15:13]};

  // --- Jumps: whether they are direct, and their registers -----------------------------------------------

  logic       branch, jal, jalr, cj, cjal, cjr, cjump, cmjump, popret;
  logic       direct, indirect;
  logic [4:0] link, source;
  logic       links, returns;

  assign branch = wide ? ((opcode == 7'h63) && (funct3[2:1] != 2'b01)) : ((group == 5'b01_110) || (group == 5'b01_111));
  assign jal    = wide && (opcode == 7'h6F);
  assign jalr   = wide && (opcode == 7'h67) && (funct3 == 3'd0);
  assign cj     = (group == 5'b01_101);
  assign cjal   = (group == 5'b01_001) && rv32_i;
  assign cjump  = (group == 5'b10_100) && (insn_i[6:2] == 5'd0);
  assign cjr    = cjump && (rd != 5'd0);
  assign cmjump = Zcmt && (group == 5'b10_101) && (insn_i[12:10] == 3'b000);
  assign popret = Zcmp && (group == 5'b10_101) && (insn_i[12:10] == 3'b111) && !insn_i[8] && (insn_i[7:6] != 2'b00);

  assign direct   = jal || cj || cjal || cmjump;
  assign indirect = jalr || cjr || popret;
  assign link     = (jal || jalr) ? rd : (cjal || (cjr && insn_i[12]) || (cmjump && (insn_i[9:7] != 3'd0))) ? 5'd1 : 5'd0;
  assign source   = jalr ? rs1 : popret ? 5'd1 : rd;
  assign links    = (link == 5'd1) || (link == 5'd5);
  assign returns  = (source == 5'd1) || (source == 5'd5);

  // --- System instructions -------------------------------------------------------------------------------

  logic ecall, ebreak;

  assign ecall  = (insn_i == 32'h0000_0073);
  assign ebreak = (insn_i == 32'h0010_0073) || (cjump && (rd == 5'd0) && insn_i[12]);
  assign call_o = ecall || ebreak;
  assign xret_o = (insn_i == 32'h3020_0073) || (insn_i == 32'h1020_0073) || (insn_i == 32'h0020_0073) ||
                  (insn_i == 32'h7020_0073);

  always_comb begin
    itype_o = trace_pkg::ItypeNone;
    if (xret_o)        itype_o = trace_pkg::ItypeTrapReturn;
    else if (branch)   itype_o = goes_on_i ? trace_pkg::ItypeNotTaken : trace_pkg::ItypeTaken;
    else if (direct)   itype_o = links ? trace_pkg::ItypeInfCall : (link == 5'd0) ? trace_pkg::ItypeInfTail :
                                 trace_pkg::ItypeOtherInf;
    else if (indirect) itype_o = (links && returns && (link != source)) ? trace_pkg::ItypeCoSwap :
                                 links ? trace_pkg::ItypeUninfCall : returns ? trace_pkg::ItypeReturn :
                                 (link == 5'd0) ? trace_pkg::ItypeUninfTail : trace_pkg::ItypeOtherUninf;
  end

  // --- Memory --------------------------------------------------------------------------------------------

  logic atomic, zcb, c_wide;

  assign atomic  = wide && (opcode == 7'h2F);
  assign zcb     = (group == 5'b00_100);
  assign c_wide  = !insn_i[0] && (insn_i[14:13] != 2'b00);  // c.lw, c.ld, c.fld and so on, of a register or of sp
  assign load_o  = wide ? ((opcode == 7'h03) || (opcode == 7'h07) || (atomic && (insn_i[31:27] != 5'b00011))) :
                          (c_wide && !insn_i[15]) || (zcb && !insn_i[11]);
  assign store_o = wide ? ((opcode == 7'h23) || (opcode == 7'h27) || (atomic && (insn_i[31:27] != 5'b00010))) :
                          (c_wide && insn_i[15]) || (zcb && insn_i[11]);
  assign size_o  = wide ? funct3[1:0] : zcb ? {1'b0, insn_i[10]} : (insn_i[14:13] == 2'b10) ? 2'd2 :
                   (insn_i[13] && insn_i[14] && rv32_i) ? 2'd2 : 2'd3;

  // A trap of a jump or branch is that its target is misaligned: it has no other.
  assign cause_o = ecall ? ((mode_i[1:0] == 2'd1) ? (mode_i[2] ? 4'd10 : 4'd9) : {2'b10, mode_i[1:0]}) :
                   ebreak ? 4'd3 :
                   (branch || direct || indirect) ? 4'd0 :
                   store_o ? (misaligned_i ? 4'd6 : 4'd7) :
                   load_o ? (misaligned_i ? 4'd4 : 4'd5) : 4'd2;

endmodule
