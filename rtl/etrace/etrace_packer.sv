// SPDX-License-Identifier: Apache-2.0
// Packet descriptors to E-Trace payloads (payload chapter, both variants): chooses the format of a report, puts the
// fields in order, codes the status bits as a chain of XORs and cuts the payload to the fewest bytes that
// sign-extend to it. One packet a cycle, two cycles after its descriptor.
//
// Stage 1 builds the payload, sign-extended to its greatest length, and beside it the same report as format 0.1.
// Stage 2 takes 0.1 if it is shorter, and finds the length. Fields a packet does not have are don't care.
module etrace_packer
#(
  parameter int IAddressWidth   = 64,
  parameter int IAddressLsb     = 1,
  parameter int ContextWidth    = 32,  // at least 1
  parameter bit NoContext       = 1'b0,
  parameter int TimeWidth       = 32,  // at least 1
  parameter bit NoTime          = 1'b1,
  parameter int StampWidth      = 16,  // of pkt_time_o
  parameter int PrivilegeWidth  = 3,
  parameter int EcauseWidth     = 6,
  parameter bit NoTval          = 1'b0,   // draft only
  parameter int CacheSize       = 5,   // 0: no jump target cache, so no format 0.1
  parameter int CallCounterSize = 0,
  parameter int ReturnStackSize = 4,
  parameter int F0sWidth        = 1,   // 0 to 2
  parameter int EncoderModeN    = 1,
  parameter int IOptionsN       = 6,   // at least 6
  parameter int DOptionsN       = 0
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,

  input  logic                     desc_valid_i,
  output logic                     desc_ready_o,
  input  logic [2:0]               kind_i,         // etrace_pkg::Kind*
  input  logic                     draft_i,
  input  logic [5:0]               options_i,      // in force for this packet
  input  logic                     branch_i,       // as it is sent
  input  logic                     interrupt_i,
  input  logic                     thaddr_i,
  input  logic                     ienable_i,
  input  logic [1:0]               qual_i,
  input  logic                     notify_i,       // flags: the XOR is made here
  input  logic                     updiscon_i,
  input  logic                     irreport_i,
  input  logic [7:0]               irdepth_i,
  input  logic                     counting_i,     // predicted branches are reported as a count
  input  logic                     fail_i,         // the branch at this item failed its prediction
  input  logic [31:0]              count_i,        // predicted branches, minus 31
  input  logic [4:0]               branches_i,     // in the map; KindBranches: 31
  input  logic [30:0]              map_i,          // bits from branches_i on are don't care, and sent as 0
  input  logic [2:0]               privilege_i,
  input  logic [7:0]               ecause_i,
  input  logic                     cache_hit_i,    // KindAddress: format 0.1 is possible
  input  logic [9:0]               cache_index_i,
  input  logic [IAddressWidth-1:0] addr_i,         // shifted by IAddressLsb; KindAddress: what is to be sent
  input  logic [IAddressWidth-1:0] tval_i,
  input  logic [31:0]              context_i,
  input  logic [63:0]              time_i,

  output logic                     pkt_valid_o,
  output logic [1:0]               pkt_type_o,
  output logic [4:0]               pkt_length_o,   // bytes, 1 to 31
  output logic [247:0]             pkt_payload_o,  // first byte in the low bits; bytes after the last are 0
  output logic                     pkt_start_o,    // a 3.0
  output logic [StampWidth-1:0]    pkt_time_o,
  input  logic                     pkt_ready_i,
  output logic                     empty_o         // no packet inside
);

  localparam int MaxBits    = etrace_pkg::MaxBits;
  localparam int AddrBits   = IAddressWidth - IAddressLsb;
  localparam int DepthBits  = ReturnStackSize + ((ReturnStackSize > 0) ? 1 : 0) + CallCounterSize;
  localparam int ContextLen = NoContext ? 0 : ContextWidth;
  localparam int TimeLen    = NoTime ? 0 : TimeWidth;
  localparam int WhereBits  = PrivilegeWidth + TimeLen + ContextLen;     // 2.0: context, time, privilege
  localparam int OldBits    = PrivilegeWidth + ContextLen;               // draft: privilege, context
  localparam int HeadBits   = 2 + F0sWidth;                              // format and subformat of format 0
  localparam int StatusBits = 1 + DepthBits;                             // irreport, irdepth
  localparam int TailBits   = AddrBits + 2 + StatusBits;                 // address, notify, updiscon, status
  localparam int IndexBits  = (CacheSize > 0) ? CacheSize : 1;
  localparam int JumpBits   = 64;                                        // format 0.1 has at most 59
  localparam int JumpBytes  = JumpBits / 8;

  // Fields of one packet each that may have no bits.
  logic [WhereBits-1:0]      where;
  logic [OldBits-1:0]        old_where;
  logic                      old_context_top;
  logic [MaxBits-4-1:0]      old_context;   // draft 3.2 after format and subformat
  logic [HeadBits-1:0]       count_head, jump_head;
  logic [AddrBits-1:0]       addr;
  logic [EcauseWidth:0]      cause;         // interrupt, ecause

  assign addr  = addr_i[AddrBits-1:0];
  assign cause = {interrupt_i, ecause_i[EcauseWidth-1:0]};

  if (!NoContext && !NoTime) begin : gen_where_all
    assign where = {context_i[ContextWidth-1:0], time_i[TimeWidth-1:0], privilege_i[PrivilegeWidth-1:0]};
  end else if (!NoContext) begin : gen_where_context
    assign where = {context_i[ContextWidth-1:0], privilege_i[PrivilegeWidth-1:0]};
  end else if (!NoTime) begin : gen_where_time
    assign where = {time_i[TimeWidth-1:0], privilege_i[PrivilegeWidth-1:0]};
  end else begin : gen_where
    assign where = privilege_i[PrivilegeWidth-1:0];
  end

  if (!NoContext) begin : gen_old_context
    assign old_where       = {privilege_i[PrivilegeWidth-1:0], context_i[ContextWidth-1:0]};
    assign old_context_top = context_i[ContextWidth-1];
    assign old_context     = {{(MaxBits-4-ContextWidth){old_context_top}}, context_i[ContextWidth-1:0]};
  end else begin : gen_old_no_context
    assign old_where       = privilege_i[PrivilegeWidth-1:0];
    assign old_context_top = etrace_pkg::SubContext[1];  // the last bit is that of the subformat
    assign old_context     = {(MaxBits-4){old_context_top}};
  end

  if (F0sWidth > 0) begin : gen_subformat
    assign count_head = {etrace_pkg::SubBranchCount[F0sWidth-1:0], etrace_pkg::FormatOptional};
    assign jump_head  = {etrace_pkg::SubJumpTarget[F0sWidth-1:0], etrace_pkg::FormatOptional};
  end else begin : gen_no_subformat
    assign count_head = etrace_pkg::FormatOptional;
    assign jump_head  = etrace_pkg::FormatOptional;
  end

  // Status bits: each is sent as the XOR with the bit before, and irdepth repeats it if it says nothing, so that
  // an idle tail is a repeated sign. In format 0.1 irreport follows the map, or the 0 on top of branches = 0; with length = 0
  // the index wraps to that 0.
  logic                  notify, updiscon, irreport, jump_before, jump_irreport;
  logic [StatusBits-1:0] status, jump_status;
  logic [4:0]            length;            // of the map
  logic [31:0]           map;               // the top bit is 0

  assign notify        = notify_i ^ addr[AddrBits-1];
  assign updiscon      = updiscon_i ^ notify;
  assign irreport      = irreport_i ^ updiscon;
  assign length        = etrace_pkg::map_length(draft_i, branches_i);
  assign map           = {1'b0, map_i} & ~(32'hFFFF_FFFF << branches_i);
  assign jump_before   = map[length-1'b1];
  assign jump_irreport = irreport_i ^ jump_before;

  if (DepthBits > 0) begin : gen_depth
    assign status      = {irreport_i ? irdepth_i[DepthBits-1:0] : {DepthBits{irreport}}, irreport};
    assign jump_status = {irreport_i ? irdepth_i[DepthBits-1:0] : {DepthBits{jump_irreport}}, jump_irreport};
  end else begin : gen_no_depth
    assign status      = irreport;
    assign jump_status = jump_irreport;
  end

  // Formats 0 to 2. Everything is extended by its last bit; the draft's tail is the address alone.
  logic [TailBits-1:0] tail;
  logic                tail_top;
  logic [MaxBits-1:0]  long_tail, with_map, full_map, old_full_map, only_address, with_count, only_count, old_count;
  logic [JumpBits-1:0] jump;

  assign tail         = draft_i ? {{(TailBits-AddrBits){addr[AddrBits-1]}}, addr} : {status, updiscon, notify, addr};
  assign tail_top     = tail[TailBits-1];
  assign long_tail    = {{(MaxBits-TailBits){tail_top}}, tail};
  assign with_map     = ({long_tail[MaxBits-8:0], 7'd0} << length) |
                        {{(MaxBits-39){1'b0}}, map, branches_i, etrace_pkg::FormatBranches};
  assign only_address = {long_tail[MaxBits-3:0], etrace_pkg::FormatAddress};
  assign full_map     = {{(MaxBits-38){map[30]}}, map[30:0], 5'd0, etrace_pkg::FormatBranches};
  assign old_full_map = {{(MaxBits-39){map[30]}}, map[30:0], 1'b0, 5'd0, etrace_pkg::FormatBranches};
  assign with_count   = {long_tail[MaxBits-HeadBits-35:0], 1'b1, fail_i, count_i, count_head};
  assign only_count   = {{(MaxBits-HeadBits-34){1'b0}}, 2'b00, count_i, count_head};
  assign old_count    = {{(MaxBits-25){!fail_i}}, !fail_i, count_i[15:0], 1'b1, 5'd0, etrace_pkg::FormatBranches};

  // Format 0.1: the map has no bits if there are no branches.
  localparam int JumpMapAt = HeadBits + IndexBits + 5;
  logic [JumpBits-JumpMapAt-1:0] jump_rest;
  assign jump_rest = ({{(JumpBits-JumpMapAt-StatusBits){jump_status[StatusBits-1]}}, jump_status} << length) |
                     {{(JumpBits-JumpMapAt-32){1'b0}}, map};
  assign jump      = {jump_rest, branches_i, cache_index_i[IndexBits-1:0], jump_head};

  // Format 3. A trap's address is left out if the handler is known from the cause, tval is that of an exception.
  localparam int TrapAt    = 5 + WhereBits + EcauseWidth + 2;  // where address and tval of a trap begin
  localparam int OldTrapAt = 5 + OldBits;                      // draft: address, cause and tval
  localparam int OldTailBits = NoTval ? EcauseWidth + 1 : EcauseWidth + 1 + IAddressWidth;
  logic                          handler_known, support_top;
  logic [MaxBits-1:0]            start, old_start, trap, old_trap, context_packet, old_context_packet, support, old_support;
  logic [MaxBits-TrapAt-1:0]     trap_rest;
  logic [OldTailBits-1:0]        old_tail;
  logic [MaxBits-OldTrapAt-1:0]  old_trap_rest;

  assign handler_known = options_i[etrace_pkg::OptImplicitException];

  assign start = {{(MaxBits-5-WhereBits-AddrBits){addr[AddrBits-1]}}, addr, where, branch_i,
                  etrace_pkg::SubStart, etrace_pkg::FormatSync};
  assign old_start = {{(MaxBits-5-OldBits-AddrBits){addr[AddrBits-1]}}, addr, branch_i, old_where,
                      etrace_pkg::SubStart, etrace_pkg::FormatSync};

  assign trap_rest = (handler_known && thaddr_i)
      ? (interrupt_i ? {(MaxBits-TrapAt){thaddr_i}}
                     : {{(MaxBits-TrapAt-IAddressWidth){tval_i[IAddressWidth-1]}}, tval_i})
      : (interrupt_i ? {{(MaxBits-TrapAt-AddrBits){addr[AddrBits-1]}}, addr}
                     : {{(MaxBits-TrapAt-AddrBits-IAddressWidth){tval_i[IAddressWidth-1]}}, tval_i, addr});
  assign trap      = {trap_rest, thaddr_i, cause, where, branch_i, etrace_pkg::SubTrap, etrace_pkg::FormatSync};

  if (NoTval) begin : gen_no_tval
    assign old_tail = cause;
  end else begin : gen_tval
    assign old_tail = {tval_i, cause};
  end
  assign old_trap_rest = handler_known
      ? {{(MaxBits-OldTrapAt-OldTailBits){old_tail[OldTailBits-1]}}, old_tail}
      : {{(MaxBits-OldTrapAt-OldTailBits-AddrBits){old_tail[OldTailBits-1]}}, old_tail, addr};
  assign old_trap      = {old_trap_rest, branch_i, old_where, etrace_pkg::SubTrap, etrace_pkg::FormatSync};

  assign context_packet     = {{(MaxBits-4-WhereBits){where[WhereBits-1]}}, where,
                               etrace_pkg::SubContext, etrace_pkg::FormatSync};
  assign old_context_packet = {old_context, etrace_pkg::SubContext, etrace_pkg::FormatSync};

  // encoder_mode and all after the six options are 0; the draft ends with ioptions.
  localparam int SupportBits = 4 + 1 + EncoderModeN + 2 + etrace_pkg::NOptions;
  assign support_top = (IOptionsN == etrace_pkg::NOptions) && options_i[5];
  assign support     = {{(MaxBits-SupportBits){1'b0}}, options_i, qual_i, {EncoderModeN{1'b0}}, ienable_i,
                        etrace_pkg::SubSupport, etrace_pkg::FormatSync};
  assign old_support = {{(MaxBits-SupportBits){support_top}}, support[SupportBits-1:0]};

  // The packet, and whether it may be a 0.1 instead.
  logic [MaxBits-1:0] report, alone, packet;
  logic               jump_allowed;

  assign report = (counting_i && !draft_i) ? with_count : (branches_i != 5'd0) ? with_map : only_address;
  assign alone  = counting_i ? (draft_i ? old_count : only_count) : (draft_i ? old_full_map : full_map);

  function automatic logic [MaxBits-1:0] choose(input logic [2:0] kind, input logic [MaxBits-1:0] start_p,
                                                input logic [MaxBits-1:0] trap_p, input logic [MaxBits-1:0] context_p,
                                                input logic [MaxBits-1:0] support_p, input logic [MaxBits-1:0] report_p,
                                                input logic [MaxBits-1:0] alone_p);
    case (kind)
      etrace_pkg::KindStart:   choose = start_p;
      etrace_pkg::KindTrap:    choose = trap_p;
      etrace_pkg::KindContext: choose = context_p;
      etrace_pkg::KindSupport: choose = support_p;
      etrace_pkg::KindAddress: choose = report_p;
      default:                 choose = alone_p;
    endcase
  endfunction

  assign packet = choose(kind_i, draft_i ? old_start : start, draft_i ? old_trap : trap,
                         draft_i ? old_context_packet : context_packet, draft_i ? old_support : support, report, alone);
  assign jump_allowed = (CacheSize > 0) && !draft_i && (kind_i == etrace_pkg::KindAddress) && cache_hit_i &&
                        !counting_i && !notify_i && !updiscon_i;

  // Registers between the stages, and the packet sent.
  logic                full_q, jump_q, start_q, sent_start_q, valid_q, take, move;
  logic [MaxBits-1:0]  packet_q, payload_q;
  logic [JumpBits-1:0] jump_payload_q;
  logic [StampWidth-1:0] time_q, sent_time_q;
  logic [4:0]          length_q, packet_length, jump_length, bytes;

  // Bytes of a sign-extended payload that are needed: the last one that is not all sign, with the bit below it.
  function automatic logic [4:0] packet_bytes(input logic [MaxBits-1:0] payload);
    logic [MaxBits-1:0] differs;
    differs      = payload ^ {MaxBits{payload[MaxBits-1]}};
    packet_bytes = 5'd1;
    for (int k = 1; k < etrace_pkg::MaxBytes; k++) begin
      if (differs[8*k-1 +: 9] != 9'd0) packet_bytes = k[4:0] + 5'd1;
    end
  endfunction

  function automatic logic [4:0] jump_bytes(input logic [JumpBits-1:0] payload);
    logic [JumpBits-1:0] differs;
    differs    = payload ^ {JumpBits{payload[JumpBits-1]}};
    jump_bytes = 5'd1;
    for (int k = 1; k < JumpBytes; k++) begin
      if (differs[8*k-1 +: 9] != 9'd0) jump_bytes = k[4:0] + 5'd1;
    end
  endfunction

  // The same payload without its bytes from `nbytes` on.
  function automatic logic [MaxBits-1:0] cut(input logic [MaxBits-1:0] payload, input logic [4:0] nbytes);
    for (int k = 0; k < etrace_pkg::MaxBytes; k++) begin
      cut[8*k +: 8] = (k[4:0] < nbytes) ? payload[8*k +: 8] : 8'd0;
    end
  endfunction

  logic               jump_wins;
  logic [MaxBits-1:0] chosen;
  assign packet_length = packet_bytes(packet_q);
  assign jump_length   = jump_bytes(jump_payload_q);
  assign jump_wins     = jump_q && (jump_length < packet_length);
  assign bytes         = jump_wins ? jump_length : packet_length;
  assign chosen        = jump_wins ? {{(MaxBits-JumpBits){1'b0}}, jump_payload_q} : packet_q;

  assign move         = !valid_q || pkt_ready_i;
  assign desc_ready_o = !full_q || move;
  assign take         = desc_valid_i && desc_ready_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      full_q         <= 1'b0;
      packet_q       <= '0;
      jump_q         <= 1'b0;
      jump_payload_q <= '0;
      start_q        <= 1'b0;
      time_q         <= '0;
      valid_q        <= 1'b0;
      payload_q      <= '0;
      length_q       <= '0;
      sent_start_q   <= 1'b0;
      sent_time_q    <= '0;
    end else begin
      if (take) begin
        packet_q       <= packet;
        jump_q         <= jump_allowed;
        jump_payload_q <= jump;
        start_q        <= (kind_i == etrace_pkg::KindStart);
        time_q         <= time_i[StampWidth-1:0];
      end
      if (desc_ready_o) full_q <= desc_valid_i;
      if (move) begin
        valid_q <= full_q;
        if (full_q) begin
          payload_q    <= cut(chosen, bytes);
          length_q     <= bytes;
          sent_start_q <= start_q;
          sent_time_q  <= time_q;
        end
      end
    end
  end

  assign pkt_valid_o   = valid_q;
  assign pkt_type_o    = etrace_pkg::TypeInst;
  assign pkt_length_o  = length_q;
  assign pkt_payload_o = payload_q;
  assign pkt_start_o   = sent_start_q;
  assign pkt_time_o    = sent_time_q;
  assign empty_o       = !full_q && !valid_q;

  // Bits that some parameters leave over.
  logic unused;
  assign unused = ^{DOptionsN, options_i, irdepth_i, privilege_i, ecause_i, cache_index_i, addr_i, tval_i, context_i,
                    time_i, old_context_top, long_tail};

endmodule
