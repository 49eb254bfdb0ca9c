# SPDX-License-Identifier: Apache-2.0
"""Made-up encoders for the tests of [bus]: the one of examples/acme_btm, enabled by a register on one of four buses.

CONTROL (0x10): bit 0 enable, bits 6:4 the mode. STATUS (0x14): bit 0 enabled, 20 cycles after it was asked for. FLUSHES
(0x18): how often it was written.
"""

from pathlib import Path

from rvtrace.jobs.builds import ROOT
from tests.flow.dut_folders import toml

_HEAD = """
module acme_regs #(parameter int AddrW = 64, parameter int CountW = 7) (
  input  logic clock, reset, trace_on, debug_mode, hart_reset, hart_sleeps, block_req, tr_ack,
  input  logic [3:0] block_type,
  input  logic [AddrW-1:0] block_pc,
  input  logic [CountW-1:0] block_halves,
  output logic block_stall, tr_req, tr_idle,
  output logic [31:0] tr_beat,
"""
_REGISTERS = """
  logic        store, enable_q, known;
  logic [11:0] at;
  logic [31:0] data, value;
  logic [2:0]  mode_q;
  logic [4:0]  age_q;
  logic [7:0]  flushes_q;

  assign known = (at == 12'h10) || (at == 12'h14) || (at == 12'h18);
  assign value = (at == 12'h10) ? {25'd0, mode_q, 3'd0, enable_q}
               : (at == 12'h14) ? {31'd0, age_q == 5'd20} : {24'd0, flushes_q};

  always_ff @(posedge clock or posedge reset) begin
    if (reset) begin
      enable_q  <= 1'b0;
      mode_q    <= 3'd0;
      age_q     <= 5'd0;
      flushes_q <= 8'd0;
    end else begin
      age_q <= !enable_q ? 5'd0 : (age_q == 5'd20) ? 5'd20 : age_q + 5'd1;
      if (store && (at == 12'h10)) begin
        enable_q <= data[0];
        mode_q   <= data[6:4];
      end
      if (store && (at == 12'h18)) flushes_q <= flushes_q + 8'd1;
    end
  end

  acme_btm #(.AddrW(AddrW), .CountW(CountW)) u_encoder (
    .clock, .reset, .trace_enable((age_q == 5'd20) && enable_q && (mode_q == 3'd3)),
    .trace_on, .debug_mode, .hart_reset, .hart_sleeps,
    .block_req, .block_type, .block_pc, .block_halves, .block_stall, .tr_req, .tr_beat, .tr_ack, .tr_idle
  );
endmodule
"""
_PORTS = {
    "apb": """
  input  logic psel, penable, pwrite,
  input  logic [11:0] paddr,
  input  logic [31:0] pwdata,
  output logic pslverr,
  output logic [31:0] prdata
);
  assign at      = paddr;  // no pready: it always is
  assign data    = pwdata;
  assign store   = psel && penable && pwrite;
  assign prdata  = value;
  assign pslverr = psel && penable && !known;
""",
    # The address of a write is taken before its data, and each answer takes a cycle.
    "axi4-lite": """
  input  logic awvalid, wvalid, bready, arvalid, rready,
  input  logic [11:0] awaddr, araddr,
  input  logic [31:0] wdata,
  output logic awready, wready, bvalid, arready, rvalid,
  output logic [1:0] bresp, rresp,
  output logic [31:0] rdata
);
  logic        write_q, read_q;
  logic [11:0] at_q;
  logic [31:0] read_data_q;
  assign at      = arvalid && arready ? araddr : at_q;
  assign data    = wdata;
  assign awready = awvalid && !write_q && !bvalid;
  assign wready  = write_q && wvalid && !bvalid;
  assign store   = wvalid && wready;
  assign arready = !rvalid && !write_q;
  assign rdata   = read_data_q;
  always_ff @(posedge clock or posedge reset) begin
    if (reset) begin
      {write_q, bvalid, rvalid} <= 3'd0;
      {bresp, rresp}            <= 4'd0;
      at_q                      <= 12'd0;
      read_data_q               <= 32'd0;
    end else begin
      if (awvalid && awready) begin
        write_q <= 1'b1;
        at_q    <= awaddr;
      end else if (store) begin
        write_q <= 1'b0;
        bvalid  <= 1'b1;
        bresp   <= {!known, 1'b0};
      end
      if (bvalid && bready) bvalid <= 1'b0;
      if (arvalid && arready) begin
        rvalid      <= 1'b1;
        read_data_q <= value;
        rresp       <= {!known, 1'b0};
      end else if (rready) begin
        rvalid <= 1'b0;
      end
    end
  end
""",
    "tl-ul": """
  input  logic a_valid, a_source, d_ready,
  input  logic [2:0] a_opcode,
  input  logic [1:0] a_size,
  input  logic [11:0] a_address,
  input  logic [3:0] a_mask,
  input  logic [31:0] a_data,
  output logic a_ready, d_valid, d_error,
  output logic [31:0] d_data
);
  assign at      = a_address;
  assign data    = a_data;
  assign a_ready = !d_valid;
  assign store   = a_valid && a_ready && (a_opcode == 3'd0) && (a_mask == 4'hf) && (a_size == 2'd2);
  always_ff @(posedge clock or posedge reset) begin
    if (reset) begin
      {d_valid, d_error} <= 2'd0;
      d_data             <= 32'd0;
    end else if (a_valid && a_ready) begin
      d_valid <= 1'b1;
      d_error <= !known || ((a_opcode != 3'd0) && (a_opcode != 3'd4));
      d_data  <= value;
    end else if (d_ready) begin
      d_valid <= 1'b0;
    end
  end
""",
    "csr": """
  input  logic valid, write,
  input  logic [11:0] addr,
  input  logic [31:0] wdata,
  output logic ready, error,
  output logic [31:0] rdata
);
  logic waited_q;
  assign at    = addr;
  assign data  = wdata;
  assign ready = waited_q;
  assign store = valid && ready && write;
  assign error = !known;
  assign rdata = value;
  always_ff @(posedge clock or posedge reset) begin
    if (reset) waited_q <= 1'b0;
    else       waited_q <= valid && !waited_q;
  end
""",
}
ENABLED = """
[[bus.start]]
write = "CONTROL"
value = "inst_mode_i << 4"
[[bus.on]]
change = "enable_i"
steps = [
  { write = "CONTROL", value = "(inst_mode_i << 4) | enable_i" },
  { poll = "STATUS", value = "enable_i" },
]
"""


def module(kind: str) -> str:
    """The source of the encoder with registers on a bus."""
    declared, _, body = _PORTS[kind].partition(");")
    first, _, rest = _REGISTERS.partition("\n\n")
    return f"{_HEAD}{declared});\n{first}\n{body}\n{rest}"


def folder(path: Path, kind: str, steps: str = ENABLED, source: str = "", **bus: object) -> Path:
    """Write the description of such an encoder, and its source."""
    path.mkdir(parents=True, exist_ok=True)
    signals = {
        "trace_on": "inst_tracing_i", "debug_mode": "halted_i", "hart_reset": "in_reset_i",
        "hart_sleeps": "low_power_i", "block_type": "ing_itype_i", "block_pc": "ing_iaddr_i",
        "block_req": "(ing_iretire_i != '0) || (ing_itype_i == 4'd1) || (ing_itype_i == 4'd2)",
        "block_halves": "ing_iretire_i", "tr_ack": "out_ready_i",
    }  # fmt: skip
    tables: dict[str, dict[str, object]] = {
        "dut": {"name": "acme_regs", "ip": "ntrace", "variant": "v1_0", "top": "acme_regs"},
        "sources": {"files": [str(ROOT / "examples/acme_btm/rtl/acme_btm.sv"), "regs.sv"]},
        "parameters": {"AddrW": "Xlen", "CountW": "IRetireWidth"},
        "clock": {"port": "clock"},
        "reset": {"port": "reset", "polarity": "high"},
        "inputs": dict(signals),
        "outputs": {
            "ing_ready_o": "!block_stall", "drop_o": 0, "overflow_o": 0, "empty_o": "tr_idle", "out_valid_o": "tr_req",
            "out_nbytes_o": 4, "out_data_o": "{32'd0, tr_beat}",
        },
        "options": {"mode": "btm", "xlen": 64, "inst_stall_ena": 1, "icnt_bits": 16, "fifo_depth": "any"},
        "bus": {"kind": kind, "address_width": 12, **bus},
        "bus.registers": {"CONTROL": 0x10, "STATUS": 0x14, "FLUSHES": 0x18, "NOTHING": 0x40},
    }  # fmt: skip
    (path / "dut.toml").write_text(toml(tables) + steps)
    (path / "regs.sv").write_text(source or module(kind))
    return path
