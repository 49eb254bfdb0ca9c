// SPDX-License-Identifier: Apache-2.0
// The bytes of a row up to its CSRs.
module tandem_head #(
  parameter int Xlen = 64,
  parameter int Flen = 64,
  parameter int Mlen = 64,
  // Derived, do not set.
  parameter int XBytes   = Xlen / 8,
  parameter int FBits    = (Flen > 0) ? Flen : 1,
  parameter int FBytes   = (Flen > 0) ? Flen / 8 : 1,
  parameter int MBytes   = (Mlen + 7) / 8,
  parameter int RowBits  = tandem_layout_pkg::head_bits(Xlen, tandem_table_pkg::CsrSlots * Xlen, FBits, Mlen),
  parameter int Bytes    = 2 + (2 + XBytes) + (2 + MBytes) + 5 + (3 + FBytes) + (2 + tandem_table_pkg::CsrSlots) * (3 + XBytes),
  parameter int NBits    = $clog2(Bytes + 1)
) (
  input  logic [RowBits-1:0] row_i,     // tandem_lane
  output logic [NBits-1:0]   nbytes_o,
  output logic [8*Bytes-1:0] bytes_o    // first byte in the low bits, 0 after the last
);

  localparam int CsrSlots = tandem_table_pkg::CsrSlots;
  localparam int FormBits = tandem_table_pkg::FormBits;
  localparam int ItemBits = tandem_pkg::ItemBits;
  localparam int NItem    = tandem_pkg::NItem;
  localparam int Last     = tandem_table_pkg::Csr3;
  localparam int First    = tandem_table_pkg::Reset;

  // Fields of the row whose place depends on parameters.
  localparam int GprAt  = tandem_layout_pkg::head_gpr(Xlen);
  localparam int FcsrAt = tandem_layout_pkg::head_fcsr(Xlen);
  localparam int CsrAt  = tandem_layout_pkg::head_csr(Xlen);
  localparam int FprAt  = tandem_layout_pkg::head_fpr(Xlen, Xlen * CsrSlots);
  localparam int PpcAt  = tandem_layout_pkg::head_ppc(Xlen, Xlen * CsrSlots, FBits);

  // Sizes of items.
  localparam logic [NItem-1:0] PcSize    = 5'd2 + XBytes[NItem-1:0];
  localparam logic [NItem-1:0] PpcSize   = 5'd2 + MBytes[NItem-1:0];
  localparam logic [NItem-1:0] FullSize  = 5'd3 + XBytes[NItem-1:0];
  localparam logic [NItem-1:0] FprSize   = 5'd3 + FBytes[NItem-1:0];
  localparam logic [NItem-1:0] ShortSize = 5'd4;

  // To the longest there is.
  function automatic logic [63:0] zero_extended(input logic [Xlen-1:0] value);
    zero_extended = 64'd0;
    zero_extended[Xlen-1:0] = value;
  endfunction
  function automatic logic [63:0] f_extended(input logic [FBits-1:0] value);
    f_extended = 64'd0;
    f_extended[FBits-1:0] = value;
  endfunction
  function automatic logic [63:0] m_extended(input logic [Mlen-1:0] value);
    m_extended = 64'd0;
    m_extended[Mlen-1:0] = value;
  endfunction

  // An item in front of bytes. Sizes are constants: nothing but wires.
  function automatic logic [8*Bytes-1:0] put(input logic [8*Bytes-1:0] after, input logic [NItem-1:0] size, input logic [ItemBits-1:0] item);
    put = (after << {size, 3'b000}) | {{(8*Bytes-ItemBits){1'b0}}, item & ~({ItemBits{1'b1}} << {size, 3'b000})};
  endfunction
  function automatic logic [8*Bytes-1:0] put_register(input logic [8*Bytes-1:0] after, input logic [FormBits-1:0] form,
                                                      input logic [15:0] addr, input logic [63:0] data);
    put_register = (form == tandem_table_pkg::FormFull) ? put(after, FullSize, tandem_pkg::register(form, addr, data))
                                                  : put(after, ShortSize, tandem_pkg::register(form, addr, data));
  endfunction
  function automatic logic [NBits-1:0] n_if(input logic there, input logic [NItem-1:0] size);
    n_if = there ? {{(NBits-NItem){1'b0}}, size} : '0;
  endfunction
  function automatic logic [NBits-1:0] n_register(input logic there, input logic [FormBits-1:0] form);
    n_register = n_if(there, (form == tandem_table_pkg::FormFull) ? FullSize : ShortSize);
  endfunction

  // From the last item to the first. One function of the row: a simulator calls it once for each.
  function automatic logic [NBits+8*Bytes-1:0] packed_of(input logic [RowBits-1:0] row);
    logic                     begins, ends_before, increments, insn16;
    logic [Last:First]        sends;
    logic [FormBits-1:0]      gpr_form, fcsr_form;
    logic [31:0]              insn;
    logic [4:0]               gpr_addr, fpr_addr;
    logic [CsrSlots*12-1:0]   csr_addr;
    logic [Xlen-1:0]          pc, gpr, fcsr;
    logic [CsrSlots*Xlen-1:0] csr;
    logic [FBits-1:0]         fpr;
    logic [Mlen-1:0]          ppc;
    logic [8*Bytes-1:0]       bytes;
    logic [NBits-1:0]         nbytes;

    begins      = row[tandem_layout_pkg::HeadBegins];
    ends_before = row[tandem_layout_pkg::HeadEndsBefore];
    increments  = row[tandem_layout_pkg::HeadIncrements];
    gpr_form    = row[tandem_layout_pkg::HeadGprForm +: FormBits];
    fcsr_form   = row[tandem_layout_pkg::HeadFcsrForm +: FormBits];
    insn16      = row[tandem_layout_pkg::HeadInsn16];
    insn        = row[tandem_layout_pkg::HeadInsn +: 32];
    gpr_addr    = row[tandem_layout_pkg::HeadGprAddr +: 5];
    fpr_addr    = row[tandem_layout_pkg::HeadFprAddr +: 5];
    csr_addr    = row[tandem_layout_pkg::HeadCsrAddr +: 12*CsrSlots];
    sends       = row[tandem_layout_pkg::HeadSends +: Last-First+1];
    pc          = row[tandem_layout_pkg::HeadPc +: Xlen];
    gpr         = row[GprAt +: Xlen];
    fcsr        = row[FcsrAt +: Xlen];
    csr         = row[CsrAt +: Xlen*CsrSlots];
    fpr         = row[FprAt +: FBits];
    ppc         = row[PpcAt +: Mlen];

    bytes = '0;
    for (int s = CsrSlots - 1; s >= 0; s--) begin
      if (sends[tandem_table_pkg::Csr0+s]) begin
        bytes = put(bytes, FullSize, tandem_pkg::register(tandem_table_pkg::FormFull, {4'd0, csr_addr[12*s +: 12]}, zero_extended(csr[Xlen*s +: Xlen])));
      end
    end
    if (sends[tandem_table_pkg::Fcsr]) begin
      bytes = put_register(bytes, fcsr_form, {4'd0, tandem_table_pkg::FcsrAddr}, zero_extended(fcsr));
    end
    if (sends[tandem_table_pkg::Fpr]) begin
      bytes = put(bytes, FprSize, tandem_pkg::register(tandem_table_pkg::FormFull, tandem_table_pkg::FprBase + {11'd0, fpr_addr}, f_extended(fpr)));
    end
    if (sends[tandem_table_pkg::Gpr]) begin
      bytes = put_register(bytes, gpr_form, tandem_table_pkg::GprBase + {11'd0, gpr_addr}, zero_extended(gpr));
    end
    if (sends[tandem_table_pkg::Insn]) begin
      bytes = insn16 ? put(bytes, 5'd3, {{(ItemBits-40){1'b0}}, insn, tandem_table_pkg::OpInsn16})
                     : put(bytes, 5'd5, {{(ItemBits-40){1'b0}}, insn, tandem_table_pkg::OpInsn32});
    end
    if (sends[tandem_table_pkg::Ppc]) bytes = put(bytes, PpcSize, tandem_pkg::state(tandem_table_pkg::IdPpc, m_extended(ppc)));
    if (sends[tandem_table_pkg::Pc]) begin
      bytes = increments ? put(bytes, 5'd1, tandem_pkg::alone(tandem_table_pkg::OpIncrementPc))
                         : put(bytes, PcSize, tandem_pkg::state(tandem_table_pkg::IdPc, zero_extended(pc)));
    end
    if (sends[tandem_table_pkg::Init])  bytes = put(bytes, 5'd1, tandem_pkg::alone(tandem_table_pkg::OpInit));
    if (sends[tandem_table_pkg::Reset]) bytes = put(bytes, 5'd1, tandem_pkg::alone(tandem_table_pkg::OpReset));
    if (begins)                         bytes = put(bytes, 5'd1, tandem_pkg::alone(tandem_table_pkg::OpBegin));
    if (ends_before)                    bytes = put(bytes, 5'd1, tandem_pkg::alone(tandem_table_pkg::OpEnd));

    nbytes = n_if(begins, 5'd1) + n_if(ends_before, 5'd1) + n_if(sends[tandem_table_pkg::Reset], 5'd1) + n_if(sends[tandem_table_pkg::Init], 5'd1)
             + n_if(sends[tandem_table_pkg::Pc] && increments, 5'd1) + n_if(sends[tandem_table_pkg::Pc] && !increments, PcSize)
             + n_if(sends[tandem_table_pkg::Ppc], PpcSize)
             + n_if(sends[tandem_table_pkg::Insn] && insn16, 5'd3) + n_if(sends[tandem_table_pkg::Insn] && !insn16, 5'd5)
             + n_register(sends[tandem_table_pkg::Gpr], gpr_form) + n_if(sends[tandem_table_pkg::Fpr], FprSize)
             + n_register(sends[tandem_table_pkg::Fcsr], fcsr_form)
             + n_if(sends[tandem_table_pkg::Csr0], FullSize) + n_if(sends[tandem_table_pkg::Csr1], FullSize)
             + n_if(sends[tandem_table_pkg::Csr2], FullSize) + n_if(sends[tandem_table_pkg::Csr3], FullSize);
    packed_of = {nbytes, bytes};
  endfunction

  assign {nbytes_o, bytes_o} = packed_of(row_i);

endmodule
