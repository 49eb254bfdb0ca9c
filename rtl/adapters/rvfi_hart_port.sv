// SPDX-License-Identifier: Apache-2.0
// From a core's RVFI (riscv-formal) to the hart port of rtl/subsystem: what a user binds to his core.
//
// One retirement is held back, because the next one says where the hart went and in which mode. Ports, protocol and how to bind
// them: docs/reference/rtl-adapters.md.
module rvfi_hart_port
#(
  parameter int Xlen       = 32,  // 32 or 64
  parameter int NRet       = 1,   // RVFI channels, and slots of the hart port: 1 or 2
  parameter int Flen       = 0,   // 0, 32 or 64: without f registers the rvfi_frd and rvfi_fcsr ports are ignored
  parameter int Mlen       = (Xlen == 64) ? 64 : 34,
  parameter int Depth      = 16,  // retirements that can be queued; a power of two, at least 8
  parameter int StallRows  = 4,   // stall_o rises while this many more retirements still fit; at most Depth - 4
  parameter int EventDepth = 16,  // events of the trap port that can be queued; a power of two, at least 8
  parameter bit TrapPort   = 1,   // the trap port is connected; 0: causes from the instruction, no tval, no CSRs of traps
  parameter int CheckPc    = 2,   // pc_wdata against the next pc: 2 always, 1 not after an xRET, 0 never
  parameter bit MaskByInsn = 0,   // 1: the masks mean something in loads, stores and atomics only (Ibex drives them always)
  parameter bit Zcmp       = 0,   // the hart has Zcmp, Zcmt; 0: their encodings are those of c.fsdsp
  parameter bit Zcmt       = 0,
  // Derived, do not set.
  parameter int FBits      = (Flen > 0) ? Flen : 1,
  parameter int XBytes     = Xlen / 8,
  parameter int CsrSlots   = tandem_table_pkg::CsrSlots
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,

  // RVFI as riscv-formal has it: channel k in bits k*W +: W, channel 0 is the oldest; a channel may be empty below one that is not.
  input  logic [NRet-1:0]            rvfi_valid_i,
  input  logic [NRet*64-1:0]         rvfi_order_i,
  input  logic [NRet*32-1:0]         rvfi_insn_i,        // 16-bit instructions as they are in memory, in the low half
  input  logic [NRet-1:0]            rvfi_trap_i,        // it did not retire: an exception at rvfi_pc_rdata
  input  logic [NRet-1:0]            rvfi_halt_i,        // the last one: nothing is held back after it
  input  logic [NRet-1:0]            rvfi_intr_i,        // first instruction of a trap handler
  input  logic [NRet*2-1:0]          rvfi_mode_i,        // mode in which it executed
  input  logic [NRet*2-1:0]          rvfi_ixl_i,         // 1: RV32, 2: RV64, of that mode
  input  logic [NRet*5-1:0]          rvfi_rd_addr_i,     // 0: none is written
  input  logic [NRet*Xlen-1:0]       rvfi_rd_wdata_i,
  input  logic [NRet*Xlen-1:0]       rvfi_pc_rdata_i,
  input  logic [NRet*Xlen-1:0]       rvfi_pc_wdata_i,    // next pc, if no trap comes between
  input  logic [NRet*Xlen-1:0]       rvfi_mem_addr_i,    // of byte 0 of the masks
  input  logic [NRet*XBytes-1:0]     rvfi_mem_rmask_i,
  input  logic [NRet*XBytes-1:0]     rvfi_mem_wmask_i,
  input  logic [NRet*Xlen-1:0]       rvfi_mem_rdata_i,
  input  logic [NRet*Xlen-1:0]       rvfi_mem_wdata_i,

  // Extensions, of the same retirement; 0 where the core does not have them.
  input  logic [NRet-1:0]            rvfi_virt_i,        // V: it executed in VS- or VU-mode
  input  logic [NRet-1:0]            rvfi_debug_i,       // it executed in Debug Mode: it is not traced
  input  logic [NRet*32-1:0]         rvfi_context_i,     // scontext in which it executed
  input  logic [NRet*CsrSlots-1:0]   rvfi_csr_valid_i,   // CSRs that the instruction wrote, slots filled from 0;
  input  logic [NRet*CsrSlots*12-1:0]   rvfi_csr_addr_i, // those that a trap writes are reported by the trap port
  input  logic [NRet*CsrSlots*Xlen-1:0] rvfi_csr_wdata_i, // value after the write
  input  logic [NRet-1:0]            rvfi_frd_valid_i,
  input  logic [NRet*5-1:0]          rvfi_frd_addr_i,
  input  logic [NRet*FBits-1:0]      rvfi_frd_wdata_i,
  input  logic [NRet-1:0]            rvfi_fcsr_valid_i,  // fcsr changed
  input  logic [NRet*32-1:0]         rvfi_fcsr_i,

  // Trap port: one event a cycle, in the order of the traps. Of each trap from the cycle of the retirement before it on, and before
  // the cycle in which the first instruction after it is at rvfi; the first trap between two instructions also in that cycle.
  input  logic                       trap_valid_i,
  input  logic                       trap_interrupt_i,
  input  logic [Xlen-1:0]            trap_cause_i,       // xcause without the interrupt bit
  input  logic [Xlen-1:0]            trap_tval_i,        // xtval after it
  input  logic [Xlen-1:0]            trap_epc_i,         // xepc after it
  input  logic [Xlen-1:0]            trap_status_i,      // mstatus after it; of a trap that VS-mode handles, vsstatus
  input  logic [2:0]                 trap_from_i,        // {V, PRV} before it
  input  logic [2:0]                 trap_mode_i,        // {V, PRV} after it

  // Flow. RVFI cannot wait: when stall_o rises the core stops to retire, and at most StallRows come after.
  output logic                       stall_o,
  input  logic                       flush_i,            // end of the run: what is held back is given, then a flush row
  output logic                       idle_o,             // nothing is held back or queued

  // The first error since reset, until reset. What came with it is given as well as it can be.
  output logic                       error_o,
  output logic [3:0]                 error_code_o,       // rvfi_pkg::Error*
  output logic [Xlen-1:0]            error_pc_o,         // pc_rdata of the retirement, or epc of the event

  // Hart port (rtl/subsystem/trace_subsystem.sv, docs/reference/rtl-subsystem.md). Everything is stable until ret_ready_i.
  input  logic                       ret_ready_i,
  output logic [NRet-1:0]            ret_valid_o,
  output logic [NRet-1:0]            ret_reported_o,
  output logic [NRet*4-1:0]          ret_itype_o,
  output logic [NRet*Xlen-1:0]       ret_pc_o,
  output logic [NRet*8-1:0]          ret_cause_o,
  output logic [NRet*Xlen-1:0]       ret_tval_o,
  output logic [NRet*3-1:0]          ret_mode_o,
  output logic [NRet*3-1:0]          ret_mode_next_o,
  output logic [NRet*32-1:0]         ret_context_o,
  output logic [NRet-1:0]            ret_misp_o,
  output logic [NRet*tandem_table_pkg::Parts-1:0] ret_has_o,
  output logic [NRet*Xlen-1:0]       ret_next_pc_o,
  output logic [NRet*Mlen-1:0]       ret_ppc_o,
  output logic [NRet*32-1:0]         ret_insn_o,
  output logic [NRet-1:0]            ret_insn16_o,
  output logic [NRet*5-1:0]          ret_gpr_addr_o,
  output logic [NRet*Xlen-1:0]       ret_gpr_o,
  output logic [NRet*5-1:0]          ret_fpr_addr_o,
  output logic [NRet*FBits-1:0]      ret_fpr_o,
  output logic [NRet*32-1:0]         ret_fcsr_o,
  output logic [NRet*CsrSlots*12-1:0]   ret_csr_addr_o,
  output logic [NRet*CsrSlots*Xlen-1:0] ret_csr_o,
  output logic [NRet*2-1:0]          ret_priv_o,
  output logic [NRet*Mlen-1:0]       ret_paddr_o,
  output logic [NRet*Mlen-1:0]       ret_eaddr_o,
  output logic [NRet*2-1:0]          ret_memdata_size_o,
  output logic [NRet*64-1:0]         ret_memdata_o,
  output logic [NRet*64-1:0]         ret_mtime_o,
  output logic [NRet*4-1:0]          ret_req_op_o,
  output logic [NRet*2-1:0]          ret_req_size_o,
  output logic [NRet*Mlen-1:0]       ret_req_addr_o,
  output logic [NRet*64-1:0]         ret_req_data_o,
  output logic [NRet-1:0]            ret_rsp_result_o,
  output logic [NRet*64-1:0]         ret_rsp_data_o,
  output logic                       hart_halted_o       // the hart is in Debug Mode: to hart_halted_i
);

  localparam int Parts     = tandem_table_pkg::Parts;
  localparam int PtrBits   = $clog2(Depth);
  localparam int CountBits = $clog2(Depth + 1);
  localparam int EventPtrBits   = $clog2(EventDepth);
  localparam int EventCountBits = $clog2(EventDepth + 1);
  localparam int SeqBits   = EventPtrBits + 2;  // numbers of events: what is queued is less than half of them apart
  localparam int Window    = NRet + 1;          // what can leave in a cycle, and the one after it

  // --- Retirements as they come --------------------------------------------------------------------------
  //
  // Each is decoded before it is queued. What is wrong with it is queued with it, so that errors are in the order of the program.

  localparam int CsrBits   = CsrSlots*Xlen;
  localparam int RowBits   = rvfi_layout_pkg::row_bits(Xlen, CsrBits, FBits, Mlen, SeqBits);
  localparam int PcWdataAt = rvfi_layout_pkg::row_pc_wdata(Xlen);
  localparam int GprAt     = rvfi_layout_pkg::row_gpr(Xlen);
  localparam int CsrAt     = rvfi_layout_pkg::row_csr(Xlen);
  localparam int FprAt     = rvfi_layout_pkg::row_fpr(Xlen, CsrBits);
  localparam int PaddrAt   = rvfi_layout_pkg::row_paddr(Xlen, CsrBits, FBits);
  localparam int EventsAt  = rvfi_layout_pkg::row_events(Xlen, CsrBits, FBits, Mlen);
  localparam int EventBits = 1 + 4*Xlen + 3 + 3;

  logic [NRet*RowBits-1:0] in_rows;
  logic [63:0]             order_q;
  logic                    ordered_q;   // there is an order to compare with
  logic [SeqBits-1:0]      events_q;    // number of the next event

  for (genvar k = 0; k < NRet; k++) begin : gen_in
    logic [31:0]       insn;
    logic [2:0]        mode;
    logic [Xlen-1:0]   pc, pc_wdata;
    logic [XBytes-1:0] rmask, wmask, mask;
    logic              rv32, insn16, bad, call, xret, load, store, goes_on, misaligned;
    logic [3:0]        itype, cause;
    logic [1:0]        insn_size;
    logic [3:0]        error;
    logic [63:0]       order, order_before;
    logic              order_known;

    assign insn     = rvfi_insn_i[32*k +: 32];
    assign mode     = {rvfi_virt_i[k], rvfi_mode_i[2*k +: 2]};
    assign pc       = rvfi_pc_rdata_i[Xlen*k +: Xlen];
    assign pc_wdata = rvfi_pc_wdata_i[Xlen*k +: Xlen];
    assign order    = rvfi_order_i[64*k +: 64];
    assign rv32     = (Xlen == 32) || (rvfi_ixl_i[2*k +: 2] == 2'd1);
    assign goes_on  = (pc_wdata == pc + (insn16 ? {{(Xlen-2){1'b0}}, 2'd2} : {{(Xlen-3){1'b0}}, 3'd4}));

    rvfi_decode #(
      .Zcmp (Zcmp),
      .Zcmt (Zcmt)
    ) u_decode (
      .insn_i       (insn),
      .rv32_i       (rv32),
      .goes_on_i    (goes_on),
      .misaligned_i (misaligned),
      .mode_i       (mode),
      .insn16_o     (insn16),
      .bad_o        (bad),
      .itype_o      (itype),
      .call_o       (call),
      .xret_o       (xret),
      .load_o       (load),
      .store_o      (store),
      .size_o       (insn_size),
      .cause_o      (cause)
    );

    // The access: its first byte, and how many there are. Masks count from the address; of aligned ones the first bits may be 0.
    logic [2:0]      first;
    logic [3:0]      bytes;
    logic [Xlen-1:0] address, low, value;
    logic [1:0]      size;
    logic            accesses, stores;

    assign rmask    = rvfi_mem_rmask_i[XBytes*k +: XBytes] & {XBytes{load || !MaskByInsn}};
    assign wmask    = rvfi_mem_wmask_i[XBytes*k +: XBytes] & {XBytes{store || !MaskByInsn}};
    assign stores   = (wmask != '0);
    assign mask     = stores ? wmask : rmask;
    assign accesses = (mask != '0);

    for (genvar b = 0; b <= XBytes; b++) begin : gen_byte
      logic       found;
      logic [2:0] at;
      logic [3:0] sum;
      if (b == 0) begin : gen_none
        assign found = 1'b0;
        assign at    = 3'd0;
        assign sum   = 4'd0;
      end else begin : gen_next
        assign found = gen_byte[b-1].found || mask[b-1];
        assign at    = (gen_byte[b-1].found || !mask[b-1]) ? gen_byte[b-1].at : b[2:0] - 3'd1;
        assign sum   = gen_byte[b-1].sum + {3'd0, mask[b-1]};
      end
    end
    logic unused_found;
    assign unused_found = gen_byte[XBytes].found;
    assign first      = gen_byte[XBytes].at;
    assign bytes      = gen_byte[XBytes].sum;
    assign address    = rvfi_mem_addr_i[Xlen*k +: Xlen] + {{(Xlen-3){1'b0}}, first};
    assign size       = (bytes <= 4'd1) ? 2'd0 : (bytes == 4'd2) ? 2'd1 : (bytes <= 4'd4) ? 2'd2 : 2'd3;
    assign value      = rvfi_mem_wdata_i[Xlen*k +: Xlen] >> {first, 3'b000};
    for (genvar b = 0; b < XBytes; b++) begin : gen_low
      assign low[8*b +: 8] = value[8*b +: 8] & {8{(4'd1 << size) > b[3:0]}};
    end
    assign misaligned = (address[2:0] & ~(3'b111 << insn_size)) != 3'd0;

    // The order of the one before, in this cycle or an earlier one.
    logic [63:0] order_next;
    logic        known_next;
    if (k == 0) begin : gen_first
      assign order_before = order_q;
      assign order_known  = ordered_q;
    end else begin : gen_later
      assign order_before = gen_in[k-1].order_next;
      assign order_known  = gen_in[k-1].known_next;
    end
    assign order_next = rvfi_valid_i[k] ? order : order_before;
    assign known_next = rvfi_valid_i[k] || order_known;

    assign error = (order_known && (order != order_before + 64'd1)) ? rvfi_pkg::ErrorOrder :
                   (bad && !rvfi_trap_i[k]) ? rvfi_pkg::ErrorInsn : rvfi_pkg::ErrorNone;

    // What the address has beyond Xlen is 0.
    logic [Mlen-1:0] paddr;
    if (Mlen > Xlen) begin : gen_wider
      assign paddr = {{(Mlen-Xlen){1'b0}}, address};
    end else begin : gen_same
      assign paddr = address[Mlen-1:0];
    end

    // Slices have names, as Icarus knows no part of a vector in always_comb. It joins nets that are assigned by parts more
    // slowly than the local row.
    wire [31:0]              context_id = rvfi_context_i[32*k +: 32];
    wire [4:0]               gpr_addr   = rvfi_rd_addr_i[5*k +: 5];
    wire                     fpr_there  = rvfi_frd_valid_i[k] && (Flen > 0);
    wire [4:0]               fpr_addr   = rvfi_frd_addr_i[5*k +: 5];
    wire                     fcsr_there = rvfi_fcsr_valid_i[k] && (Flen > 0);
    wire [31:0]              fcsr       = rvfi_fcsr_i[32*k +: 32];
    wire [CsrSlots-1:0]      csr_there  = rvfi_csr_valid_i[CsrSlots*k +: CsrSlots];
    wire [CsrSlots*12-1:0]   csr_addr   = rvfi_csr_addr_i[12*CsrSlots*k +: 12*CsrSlots];
    wire                     trap       = rvfi_trap_i[k];
    wire                     halt       = rvfi_halt_i[k];
    wire                     intr       = rvfi_intr_i[k];
    wire                     debug      = rvfi_debug_i[k];
    wire [Xlen-1:0]          gpr        = rvfi_rd_wdata_i[Xlen*k +: Xlen];
    wire [CsrSlots*Xlen-1:0] csr        = rvfi_csr_wdata_i[Xlen*CsrSlots*k +: Xlen*CsrSlots];
    wire [FBits-1:0]         fpr        = rvfi_frd_wdata_i[FBits*k +: FBits];

    always_comb begin : join_row
      logic [RowBits-1:0] row;
      row[rvfi_layout_pkg::RowInsn +: 32]             = insn;
      row[rvfi_layout_pkg::RowItype +: 4]             = itype;
      row[rvfi_layout_pkg::RowCause +: 4]             = cause;
      row[rvfi_layout_pkg::RowInsn16]                 = insn16;
      row[rvfi_layout_pkg::RowMode +: 3]              = mode;
      row[rvfi_layout_pkg::RowContext +: 32]          = context_id;
      row[rvfi_layout_pkg::RowGprAddr +: 5]           = gpr_addr;
      row[rvfi_layout_pkg::RowFprThere]               = fpr_there;
      row[rvfi_layout_pkg::RowFprAddr +: 5]           = fpr_addr;
      row[rvfi_layout_pkg::RowFcsrThere]              = fcsr_there;
      row[rvfi_layout_pkg::RowFcsr +: 32]             = fcsr;
      row[rvfi_layout_pkg::RowCsrThere +: CsrSlots]   = csr_there;
      row[rvfi_layout_pkg::RowCsrAddr +: CsrSlots*12] = csr_addr;
      row[rvfi_layout_pkg::RowAccesses]               = accesses;
      row[rvfi_layout_pkg::RowStores]                 = stores;
      row[rvfi_layout_pkg::RowSize +: 2]              = size;
      row[rvfi_layout_pkg::RowMemdata +: 64]          = {{(64-Xlen){1'b0}}, low};
      row[rvfi_layout_pkg::RowTrap]                   = trap;
      row[rvfi_layout_pkg::RowHalt]                   = halt;
      row[rvfi_layout_pkg::RowIntr]                   = intr;
      row[rvfi_layout_pkg::RowDebug]                  = debug;
      row[rvfi_layout_pkg::RowXret]                   = xret;
      row[rvfi_layout_pkg::RowCall]                   = call;
      row[rvfi_layout_pkg::RowError +: 4]             = error;
      row[rvfi_layout_pkg::RowPc +: Xlen]             = pc;
      row[PcWdataAt +: Xlen]                          = pc_wdata;
      row[GprAt +: Xlen]                              = gpr;
      row[CsrAt +: CsrSlots*Xlen]                     = csr;
      row[FprAt +: FBits]                             = fpr;
      row[PaddrAt +: Mlen]                            = paddr;
      row[EventsAt +: SeqBits]                        = events_q;
      in_rows[RowBits*k +: RowBits] = row;
    end
  end

  // --- The queue -----------------------------------------------------------------------------------------

  logic [RowBits-1:0]   queue_q [Depth];
  logic [PtrBits-1:0]   write_q, read_q;
  logic [CountBits-1:0] count_q, pushes, pops;
  logic                 fits, lost;

  for (genvar k = 0; k < NRet; k++) begin : gen_push
    logic [CountBits-1:0] place, up_to;  // how many of the cycle are before it, and with it
    logic [PtrBits-1:0]   at;
    if (k == 0) begin : gen_first
      assign place = '0;
    end else begin : gen_later
      assign place = gen_push[k-1].up_to;
    end
    assign up_to = place + {{(CountBits-1){1'b0}}, rvfi_valid_i[k]};
    assign at    = write_q + place[PtrBits-1:0];
    always_ff @(posedge clk_i) begin
      if (rvfi_valid_i[k] && fits) queue_q[at] <= in_rows[RowBits*k +: RowBits];
    end
  end

  assign pushes = gen_push[NRet-1].up_to;
  assign fits   = (count_q + pushes <= Depth[CountBits-1:0]);
  assign lost   = !fits;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_q   <= '0;
      read_q    <= '0;
      count_q   <= '0;
      order_q   <= '0;
      ordered_q <= 1'b0;
    end else begin
      if (fits) write_q <= write_q + pushes[PtrBits-1:0];
      read_q    <= read_q + pops[PtrBits-1:0];
      count_q   <= count_q + (fits ? pushes : '0) - pops;
      order_q   <= gen_in[NRet-1].order_next;
      ordered_q <= gen_in[NRet-1].known_next;
    end
  end

  // The oldest ones. What is not there is never looked at but in `there`.
  for (genvar w = 0; w < Window; w++) begin : gen_window
    logic                     there;
    logic [PtrBits-1:0]       at;
    logic [RowBits-1:0]       row;

    assign there = (count_q > w[CountBits-1:0]);
    assign at    = read_q + w[PtrBits-1:0];
    assign row   = queue_q[at];
    wire [31:0]              insn       = row[rvfi_layout_pkg::RowInsn +: 32];
    wire [3:0]               itype      = row[rvfi_layout_pkg::RowItype +: 4];
    wire [3:0]               cause      = row[rvfi_layout_pkg::RowCause +: 4];
    wire                     insn16     = row[rvfi_layout_pkg::RowInsn16];
    wire [2:0]               mode       = row[rvfi_layout_pkg::RowMode +: 3];
    wire [31:0]              context_id = row[rvfi_layout_pkg::RowContext +: 32];
    wire [4:0]               gpr_addr   = row[rvfi_layout_pkg::RowGprAddr +: 5];
    wire                     fpr_there  = row[rvfi_layout_pkg::RowFprThere];
    wire [4:0]               fpr_addr   = row[rvfi_layout_pkg::RowFprAddr +: 5];
    wire                     fcsr_there = row[rvfi_layout_pkg::RowFcsrThere];
    wire [31:0]              fcsr       = row[rvfi_layout_pkg::RowFcsr +: 32];
    wire [CsrSlots-1:0]      csr_there  = row[rvfi_layout_pkg::RowCsrThere +: CsrSlots];
    wire [CsrSlots*12-1:0]   csr_addr   = row[rvfi_layout_pkg::RowCsrAddr +: CsrSlots*12];
    wire                     accesses   = row[rvfi_layout_pkg::RowAccesses];
    wire                     stores     = row[rvfi_layout_pkg::RowStores];
    wire [1:0]               size       = row[rvfi_layout_pkg::RowSize +: 2];
    wire [63:0]              memdata    = row[rvfi_layout_pkg::RowMemdata +: 64];
    wire                     trap       = row[rvfi_layout_pkg::RowTrap];
    wire                     halt       = row[rvfi_layout_pkg::RowHalt];
    wire                     intr       = row[rvfi_layout_pkg::RowIntr];
    wire                     debug      = row[rvfi_layout_pkg::RowDebug];
    wire                     xret       = row[rvfi_layout_pkg::RowXret];
    wire                     call       = row[rvfi_layout_pkg::RowCall];
    wire [3:0]               error      = row[rvfi_layout_pkg::RowError +: 4];
    wire [Xlen-1:0]          pc         = row[rvfi_layout_pkg::RowPc +: Xlen];
    wire [Xlen-1:0]          pc_wdata   = row[PcWdataAt +: Xlen];
    wire [Xlen-1:0]          gpr        = row[GprAt +: Xlen];
    wire [CsrSlots*Xlen-1:0] csr        = row[CsrAt +: CsrSlots*Xlen];
    wire [FBits-1:0]         fpr        = row[FprAt +: FBits];
    wire [Mlen-1:0]          paddr      = row[PaddrAt +: Mlen];
    wire [SeqBits-1:0]       events     = row[EventsAt +: SeqBits];

    // Of the youngest, only where it is matters.
    logic unused_fields;
    assign unused_fields = ^{pc, pc_wdata, insn, itype, cause, insn16, mode, context_id, gpr_addr, gpr, fpr_there, fpr_addr, fpr,
                             fcsr_there, fcsr, csr_there, csr_addr, csr, accesses, stores, paddr, size, memdata, trap, halt, intr,
                             debug, xret, call, error, events};
  end

  // --- Events of the trap port ---------------------------------------------------------------------------

  logic [EventBits-1:0]      event_q [EventDepth];
  logic [EventCountBits-1:0] event_count_q, event_pops;
  logic                      event_fits, event_in;
  logic [SeqBits-1:0]        event_first;

  assign event_in    = TrapPort && trap_valid_i;
  assign event_fits  = (event_count_q < EventDepth[EventCountBits-1:0]);
  assign event_first = events_q - {{(SeqBits-EventCountBits){1'b0}}, event_count_q};

  always_ff @(posedge clk_i) begin
    if (event_in && event_fits) begin
      event_q[events_q[EventPtrBits-1:0]] <= {trap_interrupt_i, trap_cause_i, trap_tval_i, trap_epc_i, trap_status_i, trap_from_i,
                                              trap_mode_i};
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      events_q      <= '0;
      event_count_q <= '0;
    end else begin
      if (event_in && event_fits) events_q <= events_q + 1'b1;
      event_count_q <= event_count_q + {{(EventCountBits-1){1'b0}}, event_in && event_fits} - event_pops;
    end
  end

  // The oldest ones, and whether each is of a trap between the oldest retirement and the next: it is older than that one, and not
  // of its own exception, which is the last that may be older.
  for (genvar e = 0; e < 3; e++) begin : gen_event
    logic               there, interrupt, older, between;
    logic [SeqBits-1:0] number, ahead;
    logic [Xlen-1:0]    cause, tval, epc, status;
    logic [2:0]         from, mode;

    assign there  = (event_count_q > e[EventCountBits-1:0]);
    assign number = event_first + e[SeqBits-1:0];
    assign {interrupt, cause, tval, epc, status, from, mode} = event_q[number[EventPtrBits-1:0]];
    assign ahead  = gen_window[1].events - number;
    assign older  = there && gen_window[1].there && (ahead != '0) && !ahead[SeqBits-1];
    if (e < 2) begin : gen_looked_at
      assign between = older && (gen_event[e+1].older || !gen_window[1].trap || interrupt || (epc != gen_window[1].pc));
    end else begin : gen_last
      assign between = 1'b0;
    end

    // Of the younger ones, only where they are matters.
    logic unused_fields;
    assign unused_fields = ^{cause, tval, epc, status, from, mode, interrupt, between};
  end

  // --- What is next --------------------------------------------------------------------------------------

  logic started_q;   // the reset row was given
  logic between_q;   // the oldest was given, and traps after it are left
  logic nameless_q;  // it is an interrupt that has no event
  logic flushed_q;   // the flush row was given
  logic halted_q;
  logic beat_q;      // there is a cycle at the hart port
  logic can, known, last;
  logic take_reset, take_debug, take_call, take_row, take_between, take_flush, take_two, may_take;
  logic interrupted, follows, more, ended;

  assign can   = !beat_q || ret_ready_i;
  assign last  = !gen_window[1].there;
  assign ended = flush_i || gen_window[0].halt;
  assign known = gen_window[0].there && (!last || ended);

  // After the oldest, an interrupt or more before the next one; of an exception its event is the first.
  assign interrupted = !last && !gen_window[0].trap && gen_window[1].intr && (!gen_window[1].debug || gen_event[0].between);
  assign more        = gen_window[0].trap ? (TrapPort && gen_event[1].between) : interrupted;
  assign follows     = gen_event[1].between;   // after a trap that is between

  assign may_take     = can && started_q && gen_window[0].there;
  assign take_reset   = can && !started_q && gen_window[0].there;
  assign take_debug   = may_take && gen_window[0].debug;
  assign take_call    = may_take && known && !between_q && !gen_window[0].debug && gen_window[0].call && !gen_window[0].trap &&
                        !last && gen_window[1].debug;
  // The event of an exception that ends a run may still come.
  assign take_row     = may_take && known && !between_q && !gen_window[0].debug && !take_call &&
                        !(TrapPort && gen_window[0].trap && !gen_event[0].there && last && !flush_i);
  assign take_between = may_take && between_q;
  assign take_flush   = can && started_q && flush_i && !flushed_q && (count_q == '0);

  if (NRet == 2) begin : gen_two
    assign take_two = take_row && gen_window[2].there && !gen_window[2].intr && !gen_window[2].debug &&
                      !gen_window[0].trap && !gen_window[1].trap && !gen_window[1].intr && !gen_window[1].debug &&
                      !gen_window[0].halt && !gen_window[1].halt &&
                      (gen_window[0].mode == gen_window[1].mode) && (gen_window[0].context_id == gen_window[1].context_id);
  end else begin : gen_one
    assign take_two = 1'b0;
  end

  logic popped;
  assign popped = take_debug || take_call || (take_row && !more) || (take_between && (nameless_q || !follows));
  assign pops   = {{(CountBits-1){1'b0}}, popped} + {{(CountBits-1){1'b0}}, take_two};

  logic event_used;
  assign event_used = (take_row && gen_window[0].trap && TrapPort && gen_event[0].there) || (take_between && !nameless_q);
  assign event_pops = (take_flush && !event_used) ? event_count_q : {{(EventCountBits-1){1'b0}}, event_used};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      started_q  <= 1'b0;
      between_q  <= 1'b0;
      nameless_q <= 1'b0;
      flushed_q  <= 1'b0;
    end else begin
      if (take_reset) started_q <= 1'b1;
      if (take_row) begin
        between_q  <= more;
        nameless_q <= more && !gen_window[0].trap && !(TrapPort && gen_event[0].there);
      end else if (popped) begin
        between_q <= 1'b0;
      end
      if (take_flush) flushed_q <= 1'b1;
      else if (!flush_i) flushed_q <= 1'b0;
    end
  end

  // For events only while something can leave without another retirement: the hart may be on its way to a trap's handler.
  assign stall_o = (Depth[CountBits-1:0] - count_q < StallRows[CountBits-1:0] + NRet[CountBits-1:0]) ||
                   (!last && (event_count_q + {{(EventCountBits-3){1'b0}}, 3'd4} > EventDepth[EventCountBits-1:0]));
  assign idle_o  = (count_q == '0) && (event_count_q == '0) && !beat_q && (!flush_i || flushed_q || !started_q);

  // --- The rows ------------------------------------------------------------------------------------------

  localparam int SlotBits = 1 + 1 + 4 + 2*Xlen + 8 + Xlen + 3 + 3 + 32 + Parts + 32 + 1 + 5 + Xlen + 5 + FBits + 32 +
                            CsrSlots*(12 + Xlen) + 2 + Mlen + 2 + 64;

  localparam logic [Parts-1:0] One      = {{(Parts-1){1'b0}}, 1'b1};
  localparam logic [Parts-1:0] ResetHas = (One << tandem_table_pkg::Group) | (One << tandem_table_pkg::Reset) |
                                          (One << tandem_table_pkg::Pc) | (One << tandem_table_pkg::Priv);
  localparam logic [Parts-1:0] FlushHas = (One << tandem_table_pkg::Flush);

  logic [NRet*SlotBits-1:0] slots_d, slots_q;

  for (genvar k = 0; k < NRet; k++) begin : gen_slot
    // An instruction, with what is known of the one after it.
    logic              chained;   // an event comes right after it
    logic [Xlen-1:0]   next_pc;
    logic [2:0]        next_mode;
    logic [Parts-1:0]  insn_has;
    logic [SlotBits-1:0] insn_row;

    assign chained   = (k == 0) && interrupted && TrapPort && gen_event[0].there;
    assign next_pc   = chained ? gen_event[0].epc :
                       (!gen_window[k+1].there || gen_window[k+1].debug || ((k == 0) && interrupted)) ? gen_window[k].pc_wdata :
                       gen_window[k+1].pc;
    assign next_mode = chained ? gen_event[0].from :
                       (!gen_window[k+1].there || gen_window[k+1].debug || ((k == 0) && interrupted)) ? gen_window[k].mode :
                       gen_window[k+1].mode;

    always_comb begin
      insn_has = '0;
      insn_has[tandem_table_pkg::Group]   = 1'b1;
      insn_has[tandem_table_pkg::Pc]      = 1'b1;
      insn_has[tandem_table_pkg::Insn]    = 1'b1;
      insn_has[tandem_table_pkg::Gpr]     = (gen_window[k].gpr_addr != 5'd0);
      insn_has[tandem_table_pkg::Fpr]     = gen_window[k].fpr_there;
      insn_has[tandem_table_pkg::Fcsr]    = gen_window[k].fcsr_there;
      insn_has[tandem_table_pkg::Csr0 +: CsrSlots] = gen_window[k].csr_there;
      insn_has[tandem_table_pkg::Priv]    = gen_window[k].xret;
      insn_has[tandem_table_pkg::Paddr]   = gen_window[k].accesses;
      insn_has[tandem_table_pkg::Memdata] = gen_window[k].stores;
    end

    assign insn_row = {
      1'b1, 1'b1, gen_window[k].itype, gen_window[k].pc, next_pc, 8'd0, {Xlen{1'b0}}, gen_window[k].mode, next_mode,
      gen_window[k].context_id, insn_has, gen_window[k].insn & {{16{!gen_window[k].insn16}}, 16'hFFFF}, gen_window[k].insn16,
      gen_window[k].gpr_addr, gen_window[k].gpr, gen_window[k].fpr_addr, gen_window[k].fpr, gen_window[k].fcsr,
      gen_window[k].csr_addr, gen_window[k].csr, next_mode[1:0], gen_window[k].paddr, gen_window[k].size, gen_window[k].memdata};

    if (k == 0) begin : gen_any
      // A trap: the exception of the oldest retirement, or one between. Without an event, what RVFI says of it.
      logic              event_there, exception, shown;
      logic [Xlen-1:0]   cause, tval, epc, trap_next;
      logic [2:0]        from, trap_mode;
      logic [31:0]       trap_context;
      logic [11:0]       csr_base, status_addr;
      logic [Parts-1:0]  trap_has;
      logic [SlotBits-1:0] trap_row, reset_row, flush_row;

      logic unused_cause;   // the place of the interrupt bit
      assign unused_cause = cause[Xlen-1];

      assign event_there = TrapPort && gen_event[0].there && !(between_q && nameless_q);
      assign exception   = event_there ? !gen_event[0].interrupt : !between_q;
      assign cause       = event_there ? gen_event[0].cause : between_q ? '0 : {{(Xlen-4){1'b0}}, gen_window[0].cause};
      assign tval        = event_there ? gen_event[0].tval : '0;
      assign epc         = event_there ? gen_event[0].epc : between_q ? gen_window[0].pc_wdata : gen_window[0].pc;
      assign from        = (event_there && between_q) ? gen_event[0].from : gen_window[0].mode;
      assign trap_next   = (event_there && follows) ? gen_event[1].epc : (last || gen_window[1].debug) ? gen_window[0].pc_wdata :
                           gen_window[1].pc;
      assign trap_mode   = event_there ? gen_event[0].mode : (last || gen_window[1].debug) ? gen_window[0].mode :
                           gen_window[1].mode;
      // The context does not change where a trap is taken, but it may at the instruction before.
      assign trap_context = (between_q && !last && !gen_window[1].debug) ? gen_window[1].context_id : gen_window[0].context_id;
      // Its instruction, unless that could not be fetched: access fault, page fault, guest-page fault.
      assign shown       = !between_q && !(exception && ((cause[7:0] == 8'd1) || (cause[7:0] == 8'd12) || (cause[7:0] == 8'd20)));
      assign csr_base    = trap_mode[2] ? 12'h200 : (trap_mode[1:0] == 2'd1) ? 12'h100 : 12'h300;
      assign status_addr = trap_mode[2] ? 12'h200 : 12'h300;

      always_comb begin
        trap_has = '0;
        trap_has[tandem_table_pkg::Group] = 1'b1;
        trap_has[tandem_table_pkg::Pc]    = 1'b1;
        trap_has[tandem_table_pkg::Insn]  = shown;
        trap_has[tandem_table_pkg::Csr0 +: CsrSlots] = {CsrSlots{event_there}};
        trap_has[tandem_table_pkg::Priv]  = 1'b1;
      end

      assign trap_row = {
        1'b1, 1'b1, exception ? trace_pkg::ItypeException : trace_pkg::ItypeInterrupt, epc, trap_next, cause[7:0], tval,
        from, trap_mode, trap_context, trap_has,
        gen_window[0].insn & {{16{!gen_window[0].insn16}}, 16'hFFFF}, gen_window[0].insn16, 5'd0, {Xlen{1'b0}}, 5'd0, {FBits{1'b0}},
        32'd0, csr_base | 12'h043, status_addr, csr_base | 12'h042, csr_base | 12'h041,
        tval, gen_event[0].status, {!exception, cause[Xlen-2:0]}, epc, trap_mode[1:0], {Mlen{1'b0}}, 2'd0, 64'd0};

      // The hart begins where its first retirement is.
      assign reset_row = {
        1'b1, 1'b0, 4'd0, gen_window[0].pc, gen_window[0].pc, 8'd0, {Xlen{1'b0}}, gen_window[0].mode, gen_window[0].mode,
        gen_window[0].context_id, ResetHas, 33'd0, 5'd0, {Xlen{1'b0}}, 5'd0, {FBits{1'b0}}, 32'd0, {(CsrSlots*(12+Xlen)){1'b0}},
        gen_window[0].mode[1:0], {Mlen{1'b0}}, 2'd0, 64'd0};

      assign flush_row = {
        1'b1, 1'b0, 4'd0, {(2*Xlen){1'b0}}, 8'd0, {Xlen{1'b0}}, 6'd0, 32'd0, FlushHas,
        33'd0, 5'd0, {Xlen{1'b0}}, 5'd0, {FBits{1'b0}}, 32'd0, {(CsrSlots*(12+Xlen)){1'b0}}, 2'd0, {Mlen{1'b0}}, 2'd0, 64'd0};

      assign slots_d[SlotBits*k +: SlotBits] =
        take_reset ? reset_row : take_flush ? flush_row :
        (take_between || (take_row && gen_window[0].trap)) ? trap_row : take_row ? insn_row : {SlotBits{1'b0}};
    end else begin : gen_second
      assign slots_d[SlotBits*k +: SlotBits] = take_two ? insn_row : {SlotBits{1'b0}};
    end
  end

  // A cycle without a row says that the hart is in Debug Mode now.
  logic enter_debug, loads;
  assign enter_debug = take_debug && !halted_q;
  assign loads       = take_reset || take_flush || take_row || take_between || enter_debug;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      slots_q  <= '0;
      beat_q   <= 1'b0;
      halted_q <= 1'b0;
    end else if (can) begin
      slots_q <= slots_d;
      beat_q  <= loads;
      if (loads) halted_q <= enter_debug || (halted_q && take_flush);
    end
  end

  for (genvar k = 0; k < NRet; k++) begin : gen_out
    assign {ret_valid_o[k], ret_reported_o[k], ret_itype_o[4*k +: 4], ret_pc_o[Xlen*k +: Xlen], ret_next_pc_o[Xlen*k +: Xlen],
            ret_cause_o[8*k +: 8], ret_tval_o[Xlen*k +: Xlen], ret_mode_o[3*k +: 3], ret_mode_next_o[3*k +: 3],
            ret_context_o[32*k +: 32], ret_has_o[Parts*k +: Parts], ret_insn_o[32*k +: 32], ret_insn16_o[k],
            ret_gpr_addr_o[5*k +: 5], ret_gpr_o[Xlen*k +: Xlen], ret_fpr_addr_o[5*k +: 5], ret_fpr_o[FBits*k +: FBits],
            ret_fcsr_o[32*k +: 32], ret_csr_addr_o[12*CsrSlots*k +: 12*CsrSlots], ret_csr_o[Xlen*CsrSlots*k +: Xlen*CsrSlots],
            ret_priv_o[2*k +: 2], ret_paddr_o[Mlen*k +: Mlen], ret_memdata_size_o[2*k +: 2], ret_memdata_o[64*k +: 64]} =
      slots_q[SlotBits*k +: SlotBits];
  end

  // What RVFI does not say.
  assign ret_misp_o       = '0;
  assign ret_ppc_o        = '0;
  assign ret_eaddr_o      = '0;
  assign ret_mtime_o      = '0;
  assign ret_req_op_o     = '0;
  assign ret_req_size_o   = '0;
  assign ret_req_addr_o   = '0;
  assign ret_req_data_o   = '0;
  assign ret_rsp_result_o = '0;
  assign ret_rsp_data_o   = '0;
  assign hart_halted_o    = halted_q;

  // --- Errors --------------------------------------------------------------------------------------------
  //
  // A retirement's own when it leaves; those of the queues at once. The first one stays.

  logic [3:0]      row_error, error_d;
  logic [Xlen-1:0] error_pc_d;
  logic [Xlen-1:0] lost_pc;
  logic            jumps;

  // It did not go where it said, and nothing came between.
  function automatic logic astray(input logic [Xlen-1:0] said, input logic [Xlen-1:0] went, input logic xret);
    astray = (CheckPc != 0) && (said != went) && !((CheckPc == 1) && xret);
  endfunction

  assign lost_pc = rvfi_valid_i[0] ? rvfi_pc_rdata_i[Xlen-1:0] : rvfi_pc_rdata_i[NRet*Xlen-1 -: Xlen];
  assign jumps = take_row && !last && !gen_window[0].trap && !gen_window[1].intr && !gen_window[1].debug &&
                 astray(gen_window[0].pc_wdata, gen_window[1].pc, gen_window[0].xret);

  logic [3:0]      second_error;
  logic [Xlen-1:0] second_pc;
  if (NRet == 2) begin : gen_two_errors
    logic second_jumps;
    assign second_jumps = take_two && astray(gen_window[1].pc_wdata, gen_window[2].pc, gen_window[1].xret);
    assign second_error = !take_two ? rvfi_pkg::ErrorNone : (gen_window[1].error != rvfi_pkg::ErrorNone) ? gen_window[1].error :
                          second_jumps ? rvfi_pkg::ErrorPc : rvfi_pkg::ErrorNone;
    assign second_pc    = second_jumps && (gen_window[1].error == rvfi_pkg::ErrorNone) ? gen_window[2].pc : gen_window[1].pc;
  end else begin : gen_no_errors
    assign second_error = rvfi_pkg::ErrorNone;
    assign second_pc    = '0;
  end

  always_comb begin
    row_error  = rvfi_pkg::ErrorNone;
    error_pc_d = gen_window[0].pc;
    if ((take_row || take_debug || take_call) && (gen_window[0].error != rvfi_pkg::ErrorNone)) begin
      row_error = gen_window[0].error;
    end else if (take_row && TrapPort && gen_window[0].trap) begin
      if (!gen_event[0].there) row_error = rvfi_pkg::ErrorTrap;
      else if (gen_event[0].interrupt || (gen_event[0].epc != gen_window[0].pc)) row_error = rvfi_pkg::ErrorEvent;
    end else if (take_row && TrapPort && interrupted && !gen_event[0].there) begin
      row_error  = rvfi_pkg::ErrorTrap;
      error_pc_d = gen_window[1].pc;
    end else if (jumps) begin
      row_error  = rvfi_pkg::ErrorPc;
      error_pc_d = gen_window[1].pc;
    end else if (second_error != rvfi_pkg::ErrorNone) begin
      row_error  = second_error;
      error_pc_d = second_pc;
    end else if (take_flush && (event_count_q != '0)) begin
      row_error  = rvfi_pkg::ErrorLeft;
      error_pc_d = gen_event[0].epc;
    end else if (lost) begin
      row_error  = rvfi_pkg::ErrorOverflow;
      error_pc_d = lost_pc;
    end else if (event_in && !event_fits) begin
      row_error  = rvfi_pkg::ErrorEvents;
      error_pc_d = trap_epc_i;
    end
    error_d = row_error;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      error_code_o <= rvfi_pkg::ErrorNone;
      error_pc_o   <= '0;
    end else if (error_code_o == rvfi_pkg::ErrorNone) begin
      error_code_o <= error_d;
      if (error_d != rvfi_pkg::ErrorNone) error_pc_o <= error_pc_d;
    end
  end
  assign error_o = (error_code_o != rvfi_pkg::ErrorNone);

  logic unused;
  assign unused = ^{rvfi_mem_rdata_i, rvfi_ixl_i};

endmodule
