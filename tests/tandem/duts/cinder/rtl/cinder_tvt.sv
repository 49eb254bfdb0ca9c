// SPDX-License-Identifier: Apache-2.0
// Cinder TVT: a byte-serial tandem-verification trace encoder for RV64.
//
// One retirement record is held at a time. A counter walks through the possible fields of the record; a field that is
// there is loaded into a shift register and leaves a byte per cycle. Bus transactions and timers leave in front of the
// group of their instruction, as the trace bus of the core delivers them earlier than the retirement stage.
module cinder_tvt (
    input  wire         clk,
    input  wire         reset,       // active high, synchronous release
    // record from the retirement stage
    input  wire         rec_req,
    output wire         rec_ack,
    input  wire [22:0]  rec_parts,
    input  wire [63:0]  rec_npc,
    input  wire [63:0]  rec_npc_phys,
    input  wire [32:0]  rec_opcode,  // {compressed, bits}
    input  wire [68:0]  rec_x,       // {number, value}
    input  wire [68:0]  rec_f,
    input  wire [31:0]  rec_fcsr,
    input  wire [303:0] rec_csr,     // {4 addresses, 4 values}
    input  wire [1:0]   rec_priv,
    input  wire [63:0]  rec_pa,
    input  wire [63:0]  rec_ea,
    input  wire [65:0]  rec_st,      // {size, data}
    input  wire [63:0]  rec_time,
    input  wire [63:0]  rec_cycle,
    input  wire [63:0]  rec_instret,
    input  wire [133:0] rec_mreq,    // {op, size, address, data}
    input  wire [64:0]  rec_mrsp,    // {result, data}
    output reg          rec_bad,
    // trace bytes
    output wire         tx_valid,
    output wire [7:0]   tx_byte,
    input  wire         tx_take,
    output wire         quiet
);
  // numbers of the parts of a record
  localparam GROUP = 0, FLUSH = 1, RESET = 2, INIT = 3, PC = 4, PPC = 5, INSN = 6, X = 7, F = 8, FCSR = 9, CSR = 10,
             PRIV = 14, PA = 15, EA = 16, ST = 17, TIME = 18, CYCLE = 19, INSTRET = 20, MREQ = 21, MRSP = 22;

  // opcodes of the trace
  localparam [7:0] OP_BEGIN = 8'd1, OP_END = 8'd2, OP_STEP = 8'd3, OP_FULL = 8'd4, OP_ADD = 8'd5, OP_STATE = 8'd7,
                   OP_REQUEST = 8'd8, OP_RESPONSE = 8'd9, OP_RESET = 8'd10, OP_INIT = 8'd11, OP_I16 = 8'd16,
                   OP_I32 = 8'd17;

  // fields in the order in which they leave
  localparam [4:0] S_TIME = 0, S_CYCLE = 1, S_INSTRET = 2, S_MREQ = 3, S_MRSP = 4, S_BEGIN = 5, S_INIT = 6,
                   S_RESET = 7, S_PRIV = 8, S_ST = 9, S_EA = 10, S_PA = 11, S_CSR3 = 12, S_CSR2 = 13, S_CSR1 = 14,
                   S_CSR0 = 15, S_FCSR = 16, S_F = 17, S_X = 18, S_INSN = 19, S_PPC = 20, S_PC = 21, S_LATE = 22,
                   S_LMREQ = 25, S_LMRSP = 26, S_END = 27;

  localparam [1:0] IDLE = 2'd0, WALK = 2'd1, SEND = 2'd2;
  reg [1:0] state;
  reg [4:0] step;

  // --- the record that is being sent
  reg [22:0]  parts;
  reg [63:0]  npc, npc_phys, pa, ea, tim, cyc, ret;
  reg [32:0]  opcode;
  reg [68:0]  xw, fw;
  reg [31:0]  fcsr;
  reg [303:0] csr;
  reg [1:0]   priv;
  reg [65:0]  st;
  reg [133:0] mreq;
  reg [64:0]  mrsp;

  wire take = rec_req && rec_ack;
  assign rec_ack = state == IDLE;
  assign quiet = state == IDLE;

  // Records that contradict the format are refused.
  wire needs_group = (rec_parts[RESET] || rec_parts[INIT] || rec_parts[INSN]) && !rec_parts[GROUP];
  wire init_mixed = rec_parts[INIT] && (rec_parts[INSN] || rec_parts[RESET]);
  wire reset_mixed = rec_parts[RESET] && rec_parts[INSN];
  wire lone_response = rec_parts[MRSP] && !rec_parts[MREQ];
  wire no_operation = rec_parts[MREQ] && rec_mreq[133:130] > 4'd13;
  wire flush_mixed = rec_parts[FLUSH] && rec_parts != (23'd1 << FLUSH);
  wire refuse = needs_group || init_mixed || reset_mixed || lone_response || no_operation || flush_mixed;

  // --- what the reader of the trace knows
  reg        pc_known, priv_known;
  reg [63:0] pc;
  reg [1:0]  priv_now;
  reg [31:1] x_known;
  reg [63:0] x_now [0:31];

  wire group = parts[GROUP];
  wire init = parts[INIT];
  wire early = !(group && init);           // memory and timers leave in front, but for initialization
  wire compressed = opcode[32];
  wire [63:0] sequential = pc + (compressed ? 64'd2 : 64'd4);
  wire stepped = group && parts[INSN] && pc_known && npc == sequential;
  wire [4:0] x_number = xw[68:64];
  wire [63:0] x_delta = xw[63:0] - x_now[x_number];
  wire x_near = x_number != 5'd0 && x_known[x_number] && (&x_delta[63:7] || ~|x_delta[63:7]);
  wire priv_due = parts[PRIV] || (group && parts[INSN] && priv_known);

  // Data of a bus transaction.
  wire [3:0] op = mreq[133:130];
  wire [1:0] size = mreq[129:128];
  wire asks = op == 4'd1 || (op >= 4'd3 && op <= 4'd12);
  wire replies = op != 4'd1 && !mrsp[64];
  wire [3:0] bytes_of_size = 4'd1 << size;

  // Two slots of one record with one address cannot be; the slots leave from the last to the first.
  wire [1:0]  slot = 2'd3 - step[1:0];
  wire [11:0] slot_address = csr[256 + 12 * slot +: 12];
  wire [63:0] slot_value = csr[64 * slot +: 64];

  // --- the field of this step
  reg         due;
  reg [4:0]   count;
  reg [143:0] field;

  always @* begin
    due = 1'b0;
    count = 5'd1;
    field = 144'd0;
    case (step)
      S_TIME, S_LATE: begin
        due = parts[TIME] && early == (step == S_TIME);
        count = 5'd10;
        field[79:0] = {tim, 8'd8, OP_STATE};
      end
      S_CYCLE, S_LATE + 5'd1: begin
        due = parts[CYCLE] && early == (step == S_CYCLE);
        count = 5'd11;
        field[87:0] = {cyc, 16'h0b00, OP_FULL};
      end
      S_INSTRET, S_LATE + 5'd2: begin
        due = parts[INSTRET] && early == (step == S_INSTRET);
        count = 5'd11;
        field[87:0] = {ret, 16'h0b02, OP_FULL};
      end
      S_MREQ, S_LMREQ: begin
        due = parts[MREQ] && early == (step == S_MREQ);
        count = asks ? 5'd10 + {1'b0, bytes_of_size} : 5'd10;
        field = {mreq[63:0], {2'b00, size}, op, mreq[127:64], OP_REQUEST};
      end
      S_MRSP, S_LMRSP: begin
        due = parts[MRSP] && early == (step == S_MRSP);
        count = replies ? 5'd2 + {1'b0, bytes_of_size} : 5'd2;
        field[79:0] = {mrsp[63:0], {3'b000, mrsp[64]}, {2'b00, size}, OP_RESPONSE};
      end
      S_BEGIN: begin
        due = group;
        field[7:0] = OP_BEGIN;
      end
      S_INIT: begin
        due = init;
        field[7:0] = OP_INIT;
      end
      S_RESET: begin
        due = parts[RESET];
        field[7:0] = OP_RESET;
      end
      S_PRIV: begin
        due = priv_due;
        count = 5'd3;
        field[23:0] = {6'd0, parts[PRIV] ? priv : priv_now, 8'd1, OP_STATE};
      end
      S_ST: begin
        due = parts[ST];
        count = 5'd2 + (5'd1 << st[65:64]);
        field[79:0] = {st[63:0], 8'd4 + {6'd0, st[65:64]}, OP_STATE};
      end
      S_EA: begin
        due = parts[EA];
        count = 5'd10;
        field[79:0] = {ea, 8'd3, OP_STATE};
      end
      S_PA: begin
        due = parts[PA];
        count = 5'd10;
        field[79:0] = {pa, 8'd2, OP_STATE};
      end
      S_CSR3, S_CSR2, S_CSR1, S_CSR0: begin
        due = parts[CSR + slot];
        count = 5'd11;
        field[87:0] = {slot_value, 4'd0, slot_address, OP_FULL};
      end
      S_FCSR: begin
        due = parts[FCSR];
        count = 5'd11;
        field[87:0] = {32'd0, fcsr, 16'h0003, OP_FULL};
      end
      S_F: begin
        due = parts[F];
        count = 5'd11;
        field[87:0] = {fw[63:0], 16'h1020 + {11'd0, fw[68:64]}, OP_FULL};
      end
      S_X: begin
        due = parts[X] && x_number != 5'd0;
        count = x_near ? 5'd4 : 5'd11;
        field[87:0] = x_near ? {56'd0, x_delta[7:0], 16'h1000 + {11'd0, x_number}, OP_ADD}
                             : {xw[63:0], 16'h1000 + {11'd0, x_number}, OP_FULL};
      end
      S_INSN: begin
        due = parts[INSN];
        count = compressed ? 5'd3 : 5'd5;
        field[39:0] = {opcode[31:0], compressed ? OP_I16 : OP_I32};
      end
      S_PPC: begin
        due = parts[PPC];
        count = 5'd10;
        field[79:0] = {npc_phys, 8'd9, OP_STATE};
      end
      S_PC: begin
        due = parts[PC];
        count = stepped ? 5'd1 : 5'd10;
        field[79:0] = stepped ? {72'd0, OP_STEP} : {npc, 8'd10, OP_STATE};
      end
      S_END: begin
        due = group;
        field[7:0] = OP_END;
      end
      default: ;
    endcase
  end

  // --- walk and send
  reg [143:0] shift;
  reg [4:0]   left;
  assign tx_valid = state == SEND;
  assign tx_byte = shift[7:0];

  always @(posedge clk) begin
    if (reset) begin
      state <= IDLE;
      step <= 5'd0;
      rec_bad <= 1'b0;
      left <= 5'd0;
    end else begin
      rec_bad <= take && refuse;
      case (state)
        IDLE: if (take && !refuse) begin
          parts <= rec_parts;
          step <= 5'd0;
          state <= WALK;
        end
        WALK: begin
          shift <= field;
          left <= count;
          if (due) state <= SEND;
          else if (step == S_END) state <= IDLE;
          else step <= step + 5'd1;
        end
        SEND: if (tx_take) begin
          shift <= {8'd0, shift[143:8]};
          left <= left - 5'd1;
          if (left == 5'd1) begin
            if (step == S_END) state <= IDLE;
            else begin
              step <= step + 5'd1;
              state <= WALK;
            end
          end
        end
        default: state <= IDLE;
      endcase
    end
  end

  always @(posedge clk) if (take) begin
    npc <= rec_npc;
    npc_phys <= rec_npc_phys;
    opcode <= rec_opcode;
    xw <= rec_x;
    fw <= rec_f;
    fcsr <= rec_fcsr;
    csr <= rec_csr;
    priv <= rec_priv;
    pa <= rec_pa;
    ea <= rec_ea;
    st <= rec_st;
    tim <= rec_time;
    cyc <= rec_cycle;
    ret <= rec_instret;
    mreq <= rec_mreq;
    mrsp <= rec_mrsp;
  end

  // --- what the reader knows after each field
  wire sent = state == WALK && due;
  always @(posedge clk) begin
    if (reset) begin
      pc_known <= 1'b0;
      priv_known <= 1'b0;
      x_known <= 31'd0;
    end else if (sent) begin
      case (step)
        S_RESET: begin
          pc_known <= 1'b0;
          priv_known <= 1'b0;
          x_known <= 31'd0;
        end
        S_PRIV: begin
          priv_known <= 1'b1;
          if (parts[PRIV]) priv_now <= priv;
        end
        S_PC: begin
          pc_known <= 1'b1;
          pc <= npc;
        end
        S_X: begin
          x_known[x_number] <= 1'b1;
          x_now[x_number] <= xw[63:0];
        end
        default: ;
      endcase
    end
  end
endmodule
