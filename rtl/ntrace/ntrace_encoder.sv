// N-Trace encoder: ingress port to N-Trace bytes.
//
// What it sends, byte for byte, is docs/ntrace-profile.md; how it is built, docs/rtl-ntrace.md.
module ntrace_encoder
#(
  parameter int Xlen         = 64,  // 32 or 64
  parameter int NBlocks      = 1,   // blocks a cycle, 1 or 2
  parameter int IRetireWidth = 7,
  parameter int IcntBits     = 22,  // at most 22; more than IRetireWidth
  parameter int HistBits     = 32,  // 4 to 32, stop bit included
  parameter int FifoDepth    = 16,  // messages; a power of two, at least 4*NBlocks
  parameter int OutBytes     = 8    // at least 1
) (
  input  logic                             clk_i,
  input  logic                             rst_ni,

  // Controls: levels, sampled with every accepted beat.
  input  logic                             enable_i,        // trTeEnable and trTeActive
  input  logic                             inst_tracing_i,  // trTeInstTracing
  input  logic                             halted_i,        // the hart is in Debug Mode
  input  logic [2:0]                       inst_mode_i,     // trTeInstMode: 3 BTM, 6 HTM
  input  logic [1:0]                       sync_mode_i,     // trTeInstSyncMode
  input  logic [3:0]                       sync_max_i,      // trTeInstSyncMax
  input  logic                             stall_ena_i,     // trTeInstStallEna
  input  logic                             rc7_i,           // 1: 1.0.0_rc7, 0: ratified 1.0
  input  logic                             btype_ext_i,     // B-TYPE 2 and 3 instead of 1

  // Ingress port: lane k in bits k*W +: W, lane 0 is the oldest block.
  input  logic [NBlocks*4-1:0]             ing_itype_i,
  input  logic [NBlocks*Xlen-1:0]          ing_iaddr_i,
  input  logic [NBlocks*IRetireWidth-1:0]  ing_iretire_i,
  input  logic [NBlocks-1:0]               ing_ilastsize_i,
  input  logic [NBlocks*3-1:0]             ing_priv_i,      // {V, PRV}
  input  logic [NBlocks*32-1:0]            ing_context_i,
  output logic                             ing_ready_o,

  // Status.
  output logic                             drop_o,          // this beat is taken without room
  output logic                             empty_o,         // no message queued or owed
  output logic                             overflow_o,      // pulse: messages were lost

  // Byte stream: byte 0 in bits 7:0 is first; bytes from out_nbytes_o on are 0.
  output logic                             out_valid_o,
  output logic [$clog2(OutBytes+1)-1:0]    out_nbytes_o,
  output logic [8*OutBytes-1:0]            out_data_o,
  input  logic                             out_ready_i
);

  localparam int DescWidth = ntrace_pkg::FixedBits + IcntBits + Xlen - 1 + HistBits;
  localparam int NMsg      = 2*NBlocks;  // the most messages a beat can make
  localparam int CountBits = $clog2(FifoDepth + 1);
  localparam logic [CountBits-1:0] RoomLimit = FifoDepth[CountBits-1:0] - NMsg[CountBits-1:0];

  // Instruction addresses are even: bit 0 ends here.
  logic [NBlocks*(Xlen-1)-1:0] iaddr;
  for (genvar k = 0; k < NBlocks; k++) begin : gen_iaddr
    assign iaddr[(Xlen-1)*k +: Xlen-1] = ing_iaddr_i[Xlen*k+1 +: Xlen-1];
  end

  // Not used: the fields that Ownership messages will need, and bit 0 of the addresses, which is
  // always 0. The name tells Verilator that it is meant.
  logic unused_ing;
  logic [NBlocks-1:0] unused_iaddr0;
  for (genvar k = 0; k < NBlocks; k++) begin : gen_unused
    assign unused_iaddr0[k] = ing_iaddr_i[Xlen*k];
  end
  assign unused_ing = ^{ing_ilastsize_i, ing_priv_i, ing_context_i, unused_iaddr0};

  logic [NMsg-1:0]           msg_valid;
  logic [NMsg*DescWidth-1:0] msg;
  logic                      lost;
  logic [CountBits-1:0]      count, in_flight;
  logic                      room;
  logic                      desc_valid, desc_ready;
  logic [DescWidth-1:0]      desc;

  // Room for everything a beat can make, on top of what is queued or on its way to the queue.
  for (genvar k = 0; k < NMsg; k++) begin : gen_in_flight
    logic [CountBits-1:0] sum;
    if (k == 0) begin : gen_first
      assign sum = {{(CountBits-1){1'b0}}, msg_valid[0]};
    end else begin : gen_next
      assign sum = gen_in_flight[k-1].sum + {{(CountBits-1){1'b0}}, msg_valid[k]};
    end
  end
  assign in_flight   = gen_in_flight[NMsg-1].sum;
  assign room        = (count + in_flight <= RoomLimit);
  assign ing_ready_o = room || !stall_ena_i;
  assign drop_o      = !room && !stall_ena_i;

  ntrace_event #(
    .Xlen         (Xlen),
    .NBlocks      (NBlocks),
    .IRetireWidth (IRetireWidth),
    .IcntBits     (IcntBits),
    .HistBits     (HistBits)
  ) u_event (
    .clk_i,
    .rst_ni,
    .enable_i,
    .inst_tracing_i,
    .halted_i,
    .inst_mode_i,
    .sync_mode_i,
    .sync_max_i,
    .rc7_i,
    .btype_ext_i,
    .accept_i      (ing_ready_o),
    .drop_i        (drop_o),
    .ing_itype_i,
    .ing_iaddr_i   (iaddr),
    .ing_iretire_i,
    .msg_valid_o   (msg_valid),
    .msg_o         (msg),
    .lost_o        (lost),
    .overflow_o
  );

  trace_fifo_multi #(
    .Width (DescWidth),
    .Depth (FifoDepth),
    .NPush (NMsg)
  ) u_fifo (
    .clk_i,
    .rst_ni,
    .push_valid_i (msg_valid),
    .push_data_i  (msg),
    .valid_o      (desc_valid),
    .data_o       (desc),
    .ready_i      (desc_ready),
    .count_o      (count)
  );

  ntrace_packer #(
    .Xlen     (Xlen),
    .IcntBits (IcntBits),
    .HistBits (HistBits),
    .OutBytes (OutBytes)
  ) u_packer (
    .clk_i,
    .rst_ni,
    .desc_valid_i (desc_valid),
    .desc_i       (desc),
    .desc_ready_o (desc_ready),
    .out_valid_o,
    .out_nbytes_o,
    .out_data_o,
    .out_ready_i
  );

  assign empty_o = (msg_valid == '0) && !desc_valid && !out_valid_o && !lost;

endmodule
