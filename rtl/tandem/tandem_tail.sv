// SPDX-License-Identifier: Apache-2.0
// The bytes of a row from the privilege to its end.
module tandem_tail #(
  parameter int Xlen                  = 64,
  parameter int Mlen                  = 64,
  parameter bit ResponseDataOnFailure = 0,
  // Derived, do not set.
  parameter int XBytes   = Xlen / 8,
  parameter int MBytes   = (Mlen + 7) / 8,
  parameter int RowBits  = tandem_layout_pkg::tail_bits(Mlen),
  parameter int Bytes    = 3 + 2 * (2 + MBytes) + 2 * 10 + 2 * (64 / Xlen) * (3 + XBytes) + (MBytes + 10) + 10 + 1,
  parameter int NBits    = $clog2(Bytes + 1)
) (
  input  logic [RowBits-1:0] row_i,     // tandem_lane
  output logic [NBits-1:0]   nbytes_o,
  output logic [8*Bytes-1:0] bytes_o    // first byte in the low bits, 0 after the last
);

  localparam int FormBits = tandem_table_pkg::FormBits;
  localparam int ItemBits = tandem_pkg::ItemBits;
  localparam int NItem    = tandem_pkg::NItem;
  localparam int Last     = tandem_table_pkg::Response;
  localparam int First    = tandem_table_pkg::Priv;
  localparam int Halves   = 64 / Xlen;  // of a counter

  // Fields of the row whose place depends on parameters.
  localparam int EaddrAt   = tandem_layout_pkg::tail_eaddr(Mlen);
  localparam int ReqAddrAt = tandem_layout_pkg::tail_req_addr(Mlen);

  // Sizes of items; those of memory are without data.
  localparam logic [NItem-1:0] AddrSize  = 5'd2 + MBytes[NItem-1:0];
  localparam logic [NItem-1:0] FullSize  = 5'd3 + XBytes[NItem-1:0];
  localparam logic [NItem-1:0] ShortSize = 5'd4;

  // To the longest there is.
  function automatic logic [63:0] m_extended(input logic [Mlen-1:0] value);
    m_extended = 64'd0;
    m_extended[Mlen-1:0] = value;
  endfunction

  function automatic logic [8*MBytes-1:0] addr_of(input logic [Mlen-1:0] value);
    addr_of = '0;
    addr_of[Mlen-1:0] = value;
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

  // An item that ends with 1, 2, 4 or 8 bytes of data.
  function automatic logic [8*Bytes-1:0] put_data(input logic [8*Bytes-1:0] after, input logic [NItem-1:0] size, input logic [1:0] data_size,
                                                  input logic [ItemBits-1:0] item);
    case (data_size)
      2'd0:    put_data = put(after, size + 5'd1, item);
      2'd1:    put_data = put(after, size + 5'd2, item);
      2'd2:    put_data = put(after, size + 5'd4, item);
      default: put_data = put(after, size + 5'd8, item);
    endcase
  endfunction
  function automatic logic [NBits-1:0] n_data(input logic there, input logic [1:0] data_size);
    n_data = there ? {{(NBits-1){1'b0}}, 1'b1} << data_size : '0;
  endfunction

  // A counter, on RV32 in two registers.
  function automatic logic [8*Bytes-1:0] put_counter(input logic [8*Bytes-1:0] after, input logic [2*FormBits-1:0] forms,
                                                     input logic [11:0] addr, input logic [11:0] addr_high, input logic [63:0] data);
    put_counter = after;
    if (Halves > 1) put_counter = put_register(put_counter, forms[2*FormBits-1:FormBits], {4'd0, addr_high}, {32'd0, data[63:32]});
    put_counter = put_register(put_counter, forms[FormBits-1:0], {4'd0, addr}, data);
  endfunction
  function automatic logic [NBits-1:0] n_counter(input logic there, input logic [2*FormBits-1:0] forms);
    n_counter = n_register(there, forms[FormBits-1:0]) + n_register(there && (Halves > 1), forms[2*FormBits-1:FormBits]);
  endfunction

  // From the last item to the first. One function of the row: a simulator calls it once for each.
  function automatic logic [NBits+8*Bytes-1:0] packed_of(input logic [RowBits-1:0] row);
    logic [Last:First]     sends;
    logic                  ends, rsp_result, req_has_data, rsp_has_data;
    logic [1:0]            priv, memdata_size, req_size;
    logic [63:0]           memdata, mtime, mcycle, minstret, req_data, rsp_data;
    logic [2*FormBits-1:0] mcycle_forms, minstret_forms;
    logic [3:0]            req_op;
    logic [Mlen-1:0]       paddr, eaddr, req_addr;
    logic [ItemBits-1:0]   store, request, response;
    logic [8*Bytes-1:0]    bytes;
    logic [NBits-1:0]      nbytes;

    ends           = row[tandem_layout_pkg::TailEnds];
    priv           = row[tandem_layout_pkg::TailPriv +: 2];
    memdata_size   = row[tandem_layout_pkg::TailMemdataSize +: 2];
    memdata        = row[tandem_layout_pkg::TailMemdata +: 64];
    mtime          = row[tandem_layout_pkg::TailMtime +: 64];
    mcycle         = row[tandem_layout_pkg::TailMcycle +: 64];
    mcycle_forms   = row[tandem_layout_pkg::TailMcycleForms +: 2*FormBits];
    minstret       = row[tandem_layout_pkg::TailMinstret +: 64];
    minstret_forms = row[tandem_layout_pkg::TailMinstretForms +: 2*FormBits];
    req_op         = row[tandem_layout_pkg::TailReqOp +: 4];
    req_size       = row[tandem_layout_pkg::TailReqSize +: 2];
    req_data       = row[tandem_layout_pkg::TailReqData +: 64];
    rsp_result     = row[tandem_layout_pkg::TailRspResult];
    rsp_data       = row[tandem_layout_pkg::TailRspData +: 64];
    sends          = row[tandem_layout_pkg::TailSends +: Last-First+1];
    paddr          = row[tandem_layout_pkg::TailPaddr +: Mlen];
    eaddr          = row[EaddrAt +: Mlen];
    req_addr       = row[ReqAddrAt +: Mlen];

    req_has_data = tandem_table_pkg::RequestData[req_op];
    rsp_has_data = tandem_table_pkg::ResponseData[req_op] && (!rsp_result || ResponseDataOnFailure);
    store    = tandem_pkg::state(tandem_table_pkg::IdMemdata8 + {6'd0, memdata_size}, memdata);
    request  = {{(ItemBits-80-8*MBytes){1'b0}}, req_data, 2'b00, req_size, req_op, addr_of(req_addr), tandem_table_pkg::OpRequest};
    response = {{(ItemBits-80){1'b0}}, rsp_data, 3'b000, rsp_result, 2'b00, req_size, tandem_table_pkg::OpResponse};

    bytes = '0;
    if (ends) bytes[7:0] = tandem_table_pkg::OpEnd;
    if (sends[tandem_table_pkg::Response]) bytes = rsp_has_data ? put_data(bytes, 5'd2, req_size, response) : put(bytes, 5'd2, response);
    if (sends[tandem_table_pkg::Request]) begin
      bytes = req_has_data ? put_data(bytes, AddrSize, req_size, request) : put(bytes, AddrSize, request);
    end
    if (sends[tandem_table_pkg::Minstret]) begin
      bytes = put_counter(bytes, minstret_forms, tandem_table_pkg::MinstretAddr, tandem_table_pkg::MinstrethAddr, minstret);
    end
    if (sends[tandem_table_pkg::Mcycle]) begin
      bytes = put_counter(bytes, mcycle_forms, tandem_table_pkg::McycleAddr, tandem_table_pkg::McyclehAddr, mcycle);
    end
    if (sends[tandem_table_pkg::Mtime])   bytes = put(bytes, 5'd10, tandem_pkg::state(tandem_table_pkg::IdMtime, mtime));
    if (sends[tandem_table_pkg::Memdata]) bytes = put_data(bytes, 5'd2, memdata_size, store);
    if (sends[tandem_table_pkg::Eaddr])   bytes = put(bytes, AddrSize, tandem_pkg::state(tandem_table_pkg::IdEaddr, m_extended(eaddr)));
    if (sends[tandem_table_pkg::Paddr])   bytes = put(bytes, AddrSize, tandem_pkg::state(tandem_table_pkg::IdPaddr, m_extended(paddr)));
    if (sends[tandem_table_pkg::Priv])    bytes = put(bytes, 5'd3, tandem_pkg::state(tandem_table_pkg::IdPriv, {62'd0, priv}));

    nbytes = n_if(sends[tandem_table_pkg::Priv], 5'd3)
             + n_if(sends[tandem_table_pkg::Paddr], AddrSize) + n_if(sends[tandem_table_pkg::Eaddr], AddrSize)
             + n_if(sends[tandem_table_pkg::Memdata], 5'd2) + n_data(sends[tandem_table_pkg::Memdata], memdata_size)
             + n_if(sends[tandem_table_pkg::Mtime], 5'd10)
             + n_counter(sends[tandem_table_pkg::Mcycle], mcycle_forms) + n_counter(sends[tandem_table_pkg::Minstret], minstret_forms)
             + n_if(sends[tandem_table_pkg::Request], AddrSize) + n_data(sends[tandem_table_pkg::Request] && req_has_data, req_size)
             + n_if(sends[tandem_table_pkg::Response], 5'd2) + n_data(sends[tandem_table_pkg::Response] && rsp_has_data, req_size)
             + n_if(ends, 5'd1);
    packed_of = {nbytes, bytes};
  endfunction

  assign {nbytes_o, bytes_o} = packed_of(row_i);

endmodule
