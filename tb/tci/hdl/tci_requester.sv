// SPDX-License-Identifier: Apache-2.0
// The requester of the register bus (APB): Python asks for an access and is called again at its end, in the cycle after
// which the next one may begin. Every cycle of an access goes to a file that tb/tci/agents/apb.py reads.
//
// The bus has other completers, which share every wire but PSEL: what they leave on the wires between two accesses, and the
// one that may come before an access, are part of a request. An access that is not answered is given up.
module tci_requester #(
  parameter int AddrBits = 16,
  parameter     File     = "apb.bin"
) (
  input  logic                                clk_i,
  input  logic                                record_i,
  input  logic [63:0]                         cycle_i,

  input  logic [tci_row_pkg::RequestBits-1:0] request_i,
  output logic                                done_o,    // the `go` of the request that was done last
  output logic [31:0]                         rdata_o,   // its answer
  output logic                                error_o,

  output logic                                psel_o,
  output logic                                penable_o,
  output logic                                pwrite_o,
  output logic [AddrBits-1:0]                 paddr_o,
  output logic [31:0]                         pwdata_o,
  input  logic [31:0]                         prdata_i,
  input  logic                                pready_i,
  input  logic                                pslverr_i
);

  localparam logic [9:0] GiveUp = 10'd999;  // cycles with PREADY low, before the last one

  logic        go, write, preceded, other_enable, other_write;
  logic [31:0] addr, wdata, other_addr, other_wdata;

  tci_request_split u_request (
    .row_i(request_i), .go_o(go), .write_o(write), .preceded_o(preceded), .other_enable_o(other_enable), .other_write_o(other_write),
    .addr_o(addr), .wdata_o(wdata), .other_addr_o(other_addr), .other_wdata_o(other_wdata)
  );

  // Cycles of a request: two of another completer's access, the setup cycle, and those in which the answer is due.
  localparam logic [1:0] OtherSetup = 2'd0, OtherAccess = 2'd1, Setup = 2'd2, Access = 2'd3;

  logic [1:0] step_q, step;
  logic [9:0] waited_q;
  logic       pending, answered, ours, ours_q;

  initial begin
    done_o   = 1'b0;
    step_q   = OtherSetup;
    waited_q = '0;
    ours_q   = 1'b0;
  end

  assign pending  = (go != done_o);
  assign step     = ((step_q == OtherSetup) && !preceded) ? Setup : step_q;
  assign answered = (pready_i !== 1'b0) || (waited_q == GiveUp);  // X is no answer that will change

  assign psel_o    = pending && ((step == Setup) || (step == Access));
  assign penable_o = pending ? ((step == OtherAccess) || (step == Access)) : other_enable;
  // In the cycle after an access they are still its own, which the next request may follow: simulators would look at every
  // register for each of the values between.
  assign ours      = psel_o || (!pending && ours_q);
  assign pwrite_o  = ours ? write : other_write;
  assign paddr_o   = ours ? addr[AddrBits-1:0] : other_addr[AddrBits-1:0];
  assign pwdata_o  = ours ? wdata : other_wdata;

  always_ff @(posedge clk_i) begin
    ours_q <= psel_o;
    if (!pending) begin
      step_q   <= OtherSetup;
      waited_q <= '0;
    end else if (step != Access) begin
      step_q   <= step + 2'd1;
      waited_q <= '0;
    end else if (answered) begin
      step_q   <= OtherSetup;
      rdata_o  <= prdata_i;
      error_o  <= pslverr_i;
      done_o   <= go;  // the last one: Python looks at the others as soon as it changes
    end else begin
      waited_q <= waited_q + 10'd1;
    end
  end

  logic unused_addr;  // bits above those of the bus
  assign unused_addr = ^{addr[31:AddrBits], other_addr[31:AddrBits]};

  // What happened.
  logic [tci_row_pkg::AccessBits-1:0] row;
  logic                               data_unknown;

  assign data_unknown = ((^prdata_i) === 1'bx);

  tci_access_join u_row (
    .cycle_i(cycle_i), .paddr_i({{(32-AddrBits){1'b0}}, paddr_o}), .pwdata_i(pwdata_o), .prdata_i(data_unknown ? 32'd0 : prdata_i),
    .penable_i(penable_o), .pwrite_i(pwrite_o), .pready_i(pready_i === 1'b1), .pslverr_i(pslverr_i === 1'b1),
    .pready_unknown_i(pready_i === 1'bx), .pslverr_unknown_i(pslverr_i === 1'bx), .prdata_unknown_i(data_unknown), .row_o(row)
  );

  row_recorder #(.Bits(tci_row_pkg::AccessBits), .File(File)) u_file (
    .clk_i(clk_i), .go_i(record_i), .write_i(psel_o), .row_i(row)
  );

endmodule
