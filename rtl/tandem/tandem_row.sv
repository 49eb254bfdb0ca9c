// The bytes of a row: its items (tandem-profile, "Bytes of a row") behind each other.
module tandem_row #(
  parameter int Xlen                  = 64,
  parameter int Flen                  = 64,
  parameter int Mlen                  = 64,
  parameter bit ResponseDataOnFailure = 0,
  // Derived, do not set.
  parameter int XBytes    = Xlen / 8,
  parameter int FBits     = (Flen > 0) ? Flen : 1,
  parameter int FBytes    = (FBits + 7) / 8,
  parameter int MBytes    = (Mlen + 7) / 8,
  parameter int Halves    = 64 / Xlen,
  parameter int RowBits   = tandem_pkg::FixedBits + (3 + tandem_table_pkg::CsrSlots) * Xlen + FBits + 4 * Mlen,
  parameter int HeadBytes = 2 + (2 + XBytes) + (2 + MBytes) + 5 + (3 + FBytes) + (2 + tandem_table_pkg::CsrSlots) * (3 + XBytes),
  parameter int TailBytes = 3 + 2 * (2 + MBytes) + 2 * 10 + 2 * Halves * (3 + XBytes) + (MBytes + 10) + 10 + 1,
  parameter int RowBytes  = HeadBytes + TailBytes,
  parameter int NBits     = $clog2(RowBytes + 1)
) (
  input  logic [RowBits-1:0]    row_i,      // tandem_lane
  output logic [NBits-1:0]      nbytes_o,
  output logic [8*RowBytes-1:0] bytes_o     // first byte in the low bits, 0 behind the last
);

  localparam int CsrSlots = tandem_table_pkg::CsrSlots;
  localparam int FormBits = tandem_pkg::FormBits;
  localparam int NBases   = tandem_pkg::NBases;
  localparam int Last     = tandem_table_pkg::Parts - 1;
  localparam int First    = tandem_pkg::FirstSent;
  localparam int ItemBits = tandem_pkg::ItemBits;
  localparam int NItem    = tandem_pkg::CountBits;

  // --- The row (tandem_lane) ------------------------------------------------------------------------------

  logic                        begins, ends_before, ends, increments, insn16, rsp_result;
  logic [Last:First]           sends;
  logic [FormBits-1:0]         gpr_form;
  logic [NBases*FormBits-1:0]  form;
  logic [31:0]                 insn;
  logic [4:0]                  gpr_addr, fpr_addr;
  logic [CsrSlots*12-1:0]      csr_addr;
  logic [1:0]                  priv, memdata_size, req_size;
  logic [63:0]                 memdata, mtime, mcycle, minstret, req_data, rsp_data;
  logic [3:0]                  req_op;
  logic [Xlen-1:0]             pc, gpr, fcsr;
  logic [CsrSlots*Xlen-1:0]    csr;
  logic [FBits-1:0]            fpr;
  logic [Mlen-1:0]             ppc, paddr, eaddr, req_addr;

  assign {
    begins, ends_before, ends, sends,
    increments, gpr_form, form,
    insn16, insn,
    gpr_addr, fpr_addr, csr_addr,
    priv, memdata_size, memdata, mtime,
    mcycle, minstret,
    req_op, req_size, req_data, rsp_result, rsp_data,
    pc, gpr, fcsr, csr,
    fpr,
    ppc, paddr, eaddr, req_addr} = row_i;

  // Addresses as they are sent.
  logic [8*FBytes-1:0] fpr_sent;
  logic [8*MBytes-1:0] ppc_sent, paddr_sent, eaddr_sent, req_addr_sent;
  if (8*FBytes > FBits) begin : gen_pad_fpr
    assign fpr_sent = {{(8*FBytes-FBits){1'b0}}, fpr};
  end else begin : gen_whole_fpr
    assign fpr_sent = fpr;
  end
  if (8*MBytes > Mlen) begin : gen_pad
    assign ppc_sent      = {{(8*MBytes-Mlen){1'b0}}, ppc};
    assign paddr_sent    = {{(8*MBytes-Mlen){1'b0}}, paddr};
    assign eaddr_sent    = {{(8*MBytes-Mlen){1'b0}}, eaddr};
    assign req_addr_sent = {{(8*MBytes-Mlen){1'b0}}, req_addr};
  end else begin : gen_whole
    assign ppc_sent      = ppc;
    assign paddr_sent    = paddr;
    assign eaddr_sent    = eaddr;
    assign req_addr_sent = req_addr;
  end

  // --- Items: bytes, and how many of them ------------------------------------------------------------------

  // Sizes an item can have, as bits.
  localparam logic [31:0] Size1     = 32'h2;
  localparam logic [31:0] SizeState = 32'h4;   // without data; to be shifted by its bytes
  localparam logic [31:0] SizeData  = 32'h116; // 1, 2, 4 or 8 bytes of data
  localparam logic [31:0] SizeReg   = (32'h8 << XBytes) | 32'h10;
  localparam logic [31:0] SizeFull  = 32'h8 << XBytes;

  // Counts as an item has them.
  localparam logic [NItem-1:0] NPc   = 5'd2 + XBytes[NItem-1:0];
  localparam logic [NItem-1:0] NAddr = 5'd2 + MBytes[NItem-1:0];
  localparam logic [NItem-1:0] NFull = 5'd3 + XBytes[NItem-1:0];
  localparam logic [NItem-1:0] NFpr  = 5'd3 + FBytes[NItem-1:0];

  function automatic logic [NItem-1:0] n_if(input logic there, input logic [NItem-1:0] n);
    n_if = there ? n : '0;
  endfunction
  function automatic logic [NItem-1:0] n_register(input logic there, input logic [FormBits-1:0] as);
    n_register = !there ? 5'd0 : (as == tandem_pkg::FormFull) ? NFull : 5'd4;
  endfunction
  function automatic logic [ItemBits-1:0] register(input logic [FormBits-1:0] as, input logic [15:0] addr, input logic [Xlen-1:0] data);
    register = {{(ItemBits-24-Xlen){1'b0}}, data, addr, tandem_pkg::opcode_of(as)};
  endfunction
  function automatic logic [ItemBits-1:0] state(input logic [7:0] id, input logic [63:0] data);
    state = {{(ItemBits-80){1'b0}}, data, id, tandem_table_pkg::OpState};
  endfunction

  // Head: up to the CSRs.
  localparam int Opening = 0, Kind = 1, Pc = 2, Ppc = 3, Insn = 4, Gpr = 5, Fpr = 6, Fcsr = 7, Csr = 8, Heads = Csr + CsrSlots;
  localparam logic [32*Heads-1:0] HeadSizes = {
    {CsrSlots{SizeFull}}, SizeReg, 32'h8 << FBytes, SizeReg, 32'h28, SizeState << MBytes, (SizeState << XBytes) | Size1, Size1, Size1};

  logic [Heads*NItem-1:0]    head_n;
  logic [Heads*ItemBits-1:0] head;

  function automatic logic [ItemBits-1:0] byte_of(input logic [7:0] code);
    byte_of = {{(ItemBits-8){1'b0}}, code};
  endfunction

  assign head_n[NItem*Opening +: NItem]     = n_if(begins || ends_before, 5'd1);
  assign head[ItemBits*Opening +: ItemBits] = byte_of(begins ? tandem_table_pkg::OpBegin : tandem_table_pkg::OpEnd);

  assign head_n[NItem*Kind +: NItem]        = n_if(sends[tandem_table_pkg::Reset] || sends[tandem_table_pkg::Init], 5'd1);
  assign head[ItemBits*Kind +: ItemBits]    = byte_of(sends[tandem_table_pkg::Reset] ? tandem_table_pkg::OpReset : tandem_table_pkg::OpInit);

  assign head_n[NItem*Pc +: NItem]          = n_if(sends[tandem_table_pkg::Pc], increments ? 5'd1 : NPc);
  assign head[ItemBits*Pc +: ItemBits]      = increments ? byte_of(tandem_table_pkg::OpIncrementPc)
                                                         : state(tandem_table_pkg::IdPc, {{(64-Xlen){1'b0}}, pc});

  assign head_n[NItem*Ppc +: NItem]         = n_if(sends[tandem_table_pkg::Ppc], NAddr);
  assign head[ItemBits*Ppc +: ItemBits]     = state(tandem_table_pkg::IdPpc, {{(64-8*MBytes){1'b0}}, ppc_sent});

  assign head_n[NItem*Insn +: NItem]        = n_if(sends[tandem_table_pkg::Insn], insn16 ? 5'd3 : 5'd5);
  assign head[ItemBits*Insn +: ItemBits]    = {{(ItemBits-40){1'b0}}, insn, insn16 ? tandem_table_pkg::OpInsn16 : tandem_table_pkg::OpInsn32};

  assign head_n[NItem*Gpr +: NItem]         = n_register(sends[tandem_table_pkg::Gpr], gpr_form);
  assign head[ItemBits*Gpr +: ItemBits]     = register(gpr_form, tandem_table_pkg::GprBase + {11'd0, gpr_addr}, gpr);

  assign head_n[NItem*Fpr +: NItem]         = n_if(sends[tandem_table_pkg::Fpr], NFpr);
  assign head[ItemBits*Fpr +: ItemBits]     = {{(ItemBits-24-8*FBytes){1'b0}}, fpr_sent, tandem_table_pkg::FprBase + {11'd0, fpr_addr},
                                               tandem_table_pkg::OpRegister};

  assign head_n[NItem*Fcsr +: NItem]        = n_register(sends[tandem_table_pkg::Fcsr], form[FormBits*tandem_pkg::Fcsr +: FormBits]);
  assign head[ItemBits*Fcsr +: ItemBits]    = register(form[FormBits*tandem_pkg::Fcsr +: FormBits], {4'd0, tandem_table_pkg::FcsrAddr}, fcsr);

  for (genvar s = 0; s < CsrSlots; s++) begin : gen_csr
    assign head_n[NItem*(Csr+s) +: NItem]     = n_if(sends[tandem_table_pkg::Csr0+s], NFull);
    assign head[ItemBits*(Csr+s) +: ItemBits] = register(tandem_pkg::FormFull, {4'd0, csr_addr[12*s +: 12]}, csr[Xlen*s +: Xlen]);
  end

  // Tail: from the privilege to the end. Counters have an item for each half.
  localparam int Priv = 0, Paddr = 1, Eaddr = 2, Memdata = 3, Mtime = 4, Counter = 5, Request = Counter + 2*Halves, Response = Request + 1;
  localparam int Closing = Response + 1, Tails = Closing + 1;
  localparam logic [32*Tails-1:0] TailSizes = {
    Size1, (SizeData << 2) | 32'h4, (SizeData << (2 + MBytes)) | (32'h4 << MBytes), {(2*Halves){SizeReg}},
    SizeState << 8, SizeData << 2, {2{SizeState << MBytes}}, SizeState << 1};

  logic [Tails*NItem-1:0]    tail_n;
  logic [Tails*ItemBits-1:0] tail;
  logic [NItem-1:0]          memdata_n, req_n;
  logic                      req_has_data, rsp_has_data;

  assign memdata_n    = 5'd1 << memdata_size;
  assign req_n        = 5'd1 << req_size;
  assign req_has_data = tandem_table_pkg::RequestData[req_op];
  assign rsp_has_data = tandem_table_pkg::ResponseData[req_op] && (!rsp_result || ResponseDataOnFailure);

  assign tail_n[NItem*Priv +: NItem]          = n_if(sends[tandem_table_pkg::Priv], 5'd3);
  assign tail[ItemBits*Priv +: ItemBits]      = state(tandem_table_pkg::IdPriv, {62'd0, priv});

  assign tail_n[NItem*Paddr +: NItem]         = n_if(sends[tandem_table_pkg::Paddr], NAddr);
  assign tail[ItemBits*Paddr +: ItemBits]     = state(tandem_table_pkg::IdPaddr, {{(64-8*MBytes){1'b0}}, paddr_sent});

  assign tail_n[NItem*Eaddr +: NItem]         = n_if(sends[tandem_table_pkg::Eaddr], NAddr);
  assign tail[ItemBits*Eaddr +: ItemBits]     = state(tandem_table_pkg::IdEaddr, {{(64-8*MBytes){1'b0}}, eaddr_sent});

  assign tail_n[NItem*Memdata +: NItem]       = n_if(sends[tandem_table_pkg::Memdata], 5'd2 + memdata_n);
  assign tail[ItemBits*Memdata +: ItemBits]   = state(tandem_table_pkg::IdMemdata8 + {6'd0, memdata_size}, memdata);

  assign tail_n[NItem*Mtime +: NItem]         = n_if(sends[tandem_table_pkg::Mtime], 5'd10);
  assign tail[ItemBits*Mtime +: ItemBits]     = state(tandem_table_pkg::IdMtime, mtime);

  for (genvar h = 0; h < Halves; h++) begin : gen_half
    localparam int Cycles  = Counter + h;
    localparam int Retired = Counter + Halves + h;
    localparam logic [11:0] CyclesAddr  = (h == 0) ? tandem_table_pkg::McycleAddr : tandem_table_pkg::McyclehAddr;
    localparam logic [11:0] RetiredAddr = (h == 0) ? tandem_table_pkg::MinstretAddr : tandem_table_pkg::MinstrethAddr;
    logic [FormBits-1:0] cycles_form, retired_form;

    assign cycles_form  = form[FormBits*(tandem_pkg::Mcycle+h) +: FormBits];
    assign retired_form = form[FormBits*(tandem_pkg::Minstret+h) +: FormBits];
    assign tail_n[NItem*Cycles +: NItem]        = n_register(sends[tandem_table_pkg::Mcycle], cycles_form);
    assign tail[ItemBits*Cycles +: ItemBits]    = register(cycles_form, {4'd0, CyclesAddr}, mcycle[Xlen*h +: Xlen]);
    assign tail_n[NItem*Retired +: NItem]       = n_register(sends[tandem_table_pkg::Minstret], retired_form);
    assign tail[ItemBits*Retired +: ItemBits]   = register(retired_form, {4'd0, RetiredAddr}, minstret[Xlen*h +: Xlen]);
  end

  assign tail_n[NItem*Request +: NItem]       = n_if(sends[tandem_table_pkg::Request], NAddr + n_if(req_has_data, req_n));
  assign tail[ItemBits*Request +: ItemBits]   = {{(ItemBits-80-8*MBytes){1'b0}}, req_data, 2'b00, req_size, req_op, req_addr_sent,
                                                 tandem_table_pkg::OpRequest};

  assign tail_n[NItem*Response +: NItem]      = n_if(sends[tandem_table_pkg::Response], 5'd2 + n_if(rsp_has_data, req_n));
  assign tail[ItemBits*Response +: ItemBits]  = {{(ItemBits-80){1'b0}}, rsp_data, 3'b000, rsp_result, 2'b00, req_size,
                                                 tandem_table_pkg::OpResponse};

  assign tail_n[NItem*Closing +: NItem]       = n_if(ends, 5'd1);
  assign tail[ItemBits*Closing +: ItemBits]   = byte_of(tandem_table_pkg::OpEnd);

  logic unused;  // on RV64 forms of high halves
  assign unused = ^form;

  // --- All of them ------------------------------------------------------------------------------------------

  logic [NBits-1:0]       head_length, tail_length;
  logic [8*HeadBytes-1:0] head_bytes;
  logic [8*TailBytes-1:0] tail_bytes;

  tandem_join #(
    .Items (Heads),
    .Sizes (HeadSizes),
    .Bytes (HeadBytes),
    .NBits (NBits)
  ) u_head (
    .n_i     (head_n),
    .item_i  (head),
    .n_o     (head_length),
    .bytes_o (head_bytes)
  );

  tandem_join #(
    .Items (Tails),
    .Sizes (TailSizes),
    .Bytes (TailBytes),
    .NBits (NBits)
  ) u_tail (
    .n_i     (tail_n),
    .item_i  (tail),
    .n_o     (tail_length),
    .bytes_o (tail_bytes)
  );

  assign nbytes_o = head_length + tail_length;
  assign bytes_o  = {{(8*TailBytes){1'b0}}, head_bytes} | ({{(8*HeadBytes){1'b0}}, tail_bytes} << {head_length, 3'b000});

endmodule
