// SPDX-License-Identifier: Apache-2.0
// Descriptors to packets: what a descriptor (etrace_lane) holds leaves one packet a cycle, in this order: a support
// packet, the context, the draft's branch count, the packet itself, a support packet at the end of trace. Makes the
// difference of an address to the last one that was sent.
module etrace_sequence
#(
  parameter int IAddressWidth   = 64,
  parameter int IAddressLsb     = 1,
  parameter int ContextBits     = 32,
  parameter int TimeBits        = 32,
  parameter int StampWidth      = 16,  // of the time of a support packet
  parameter int CacheSize       = 5,
  // Derived, do not set.
  parameter int AddrBits   = IAddressWidth - IAddressLsb,
  parameter int IndexBits  = (CacheSize > 0) ? CacheSize : 1,
  parameter int ReportBits = etrace_layout_pkg::report_bits(IndexBits, ContextBits, TimeBits, IAddressWidth, AddrBits),
  parameter int DescBits   = etrace_layout_pkg::desc_bits(StampWidth, ReportBits)
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  input  logic                     draft_i,

  input  logic                     desc_valid_i,
  input  logic [DescBits-1:0]      desc_i,
  output logic                     desc_ready_o,

  // To etrace_packer.
  output logic                     valid_o,
  input  logic                     ready_i,
  output logic [2:0]               kind_o,
  output logic [5:0]               options_o,
  output logic                     branch_o,
  output logic                     interrupt_o,
  output logic                     thaddr_o,
  output logic                     ienable_o,
  output logic [1:0]               qual_o,
  output logic                     notify_o,
  output logic                     updiscon_o,
  output logic                     irreport_o,
  output logic [7:0]               irdepth_o,
  output logic                     counting_o,
  output logic                     fail_o,
  output logic [31:0]              count_o,
  output logic [4:0]               branches_o,
  output logic [30:0]              map_o,
  output logic [2:0]               privilege_o,
  output logic [7:0]               ecause_o,
  output logic                     cache_hit_o,
  output logic [9:0]               cache_index_o,
  output logic [IAddressWidth-1:0] addr_o,
  output logic [IAddressWidth-1:0] tval_o,
  output logic [31:0]              context_o,
  output logic [63:0]              time_o
);

  // What it holds, in order, bit 0 first; sent_q: what has left.
  localparam int NParts = 5;
  localparam int Before = 0, Context = 1, Count = 2, Packet = 3, After = 4;
  logic [NParts-1:0] parts, left, part, sent_q;
  logic              support;

  // The report, and the fields of it that are not passed on as they are.
  localparam int DescReportAt = etrace_layout_pkg::desc_report(StampWidth);
  wire [ReportBits-1:0] report = desc_i[DescReportAt +: ReportBits];
  localparam int ContextAt = etrace_layout_pkg::report_context(IndexBits);
  localparam int TimeAt    = etrace_layout_pkg::report_time(IndexBits, ContextBits);
  localparam int ValueAt   = etrace_layout_pkg::report_value(IndexBits, ContextBits, TimeBits);
  localparam int AddrAt    = etrace_layout_pkg::report_addr(IndexBits, ContextBits, TimeBits, IAddressWidth);
  wire [2:0]               kind     = report[etrace_layout_pkg::ReportKind +: 3];
  wire                     counting = report[etrace_layout_pkg::ReportCounting];
  wire [7:0]               code     = report[etrace_layout_pkg::ReportCode +: 8];
  wire [IAddressWidth-1:0] value    = report[ValueAt +: IAddressWidth];
  wire [AddrBits-1:0]      addr     = report[AddrAt +: AddrBits];

  assign parts[Before]  = desc_i[etrace_layout_pkg::DescBefore];
  assign parts[Context] = report[etrace_layout_pkg::ReportContextFirst];
  assign parts[Count]   = draft_i && counting && (kind == etrace_pkg::KindAddress);
  assign parts[Packet]  = (kind != etrace_item_pkg::KindNone);
  assign parts[After]  = desc_i[etrace_layout_pkg::DescAfter];

  assign left         = parts & ~sent_q;
  assign part         = left & (~left + 1'b1);  // the first of them
  assign support      = part[Before] || part[After];
  assign valid_o      = desc_valid_i;
  assign desc_ready_o = ready_i && (left == part);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni)                       sent_q <= '0;
    else if (desc_valid_i && ready_i)  sent_q <= desc_ready_o ? {NParts{1'b0}} : sent_q | part;
  end

  // The draft's count goes without an address; after it is no branch but that of the item itself.
  logic counted;
  assign counted    = parts[Count] && part[Packet];
  assign kind_o     = support       ? etrace_pkg::KindSupport :
                      part[Context] ? etrace_pkg::KindContext :
                      part[Count]   ? etrace_pkg::KindBranches : kind;
  assign counting_o = counting && !counted;

  assign ienable_o     = desc_i[etrace_layout_pkg::DescIenable];
  assign qual_o        = desc_i[etrace_layout_pkg::DescQual +: 2];
  assign branch_o      = report[etrace_layout_pkg::ReportBranch];
  assign interrupt_o   = report[etrace_layout_pkg::ReportInterrupt];
  assign thaddr_o      = report[etrace_layout_pkg::ReportThaddr];
  assign notify_o      = report[etrace_layout_pkg::ReportNotify];
  assign updiscon_o    = report[etrace_layout_pkg::ReportUpdiscon];
  assign irreport_o    = report[etrace_layout_pkg::ReportIrreport];
  assign fail_o        = report[etrace_layout_pkg::ReportFail];
  assign cache_hit_o   = report[etrace_layout_pkg::ReportHit];
  assign options_o     = report[etrace_layout_pkg::ReportOptions +: 6];
  assign privilege_o   = report[etrace_layout_pkg::ReportPrivilege +: 3];
  assign branches_o    = report[etrace_layout_pkg::ReportBranches +: 5];
  assign irdepth_o     = code;
  assign ecause_o      = code;
  assign count_o       = value[31:0];
  assign map_o         = counted ? {30'd0, branch_o} : value[30:0];
  assign tval_o        = value;
  assign cache_index_o = {{(10-IndexBits){1'b0}}, report[etrace_layout_pkg::ReportIndex +: IndexBits]};

  // A trap reported at itself leaves the last address.
  logic [AddrBits-1:0] last_q, addr_sent;
  logic                moves_last;
  assign moves_last = (kind == etrace_pkg::KindStart) || (kind == etrace_pkg::KindAddress) ||
                      ((kind == etrace_pkg::KindTrap) && thaddr_o);
  assign addr_sent  = ((kind == etrace_pkg::KindAddress) && !options_o[etrace_pkg::OptFullAddress]) ? addr - last_q : addr;
  assign addr_o     = {{IAddressLsb{1'b0}}, addr_sent};

  // Nothing of this is read before the sync that a trace begins with has written it.
  always_ff @(posedge clk_i) begin
    if (desc_valid_i && ready_i && part[Packet] && moves_last) last_q <= addr;
  end

  assign context_o     = {{(32-ContextBits){1'b0}}, report[ContextAt +: ContextBits]};
  assign time_o        = support ? {{(64-StampWidth){1'b0}}, desc_i[etrace_layout_pkg::DescSupportTime +: StampWidth]}
                                 : {{(64-TimeBits){1'b0}}, report[TimeAt +: TimeBits]};

endmodule
