# SPDX-License-Identifier: Apache-2.0
"""Folders of made-up IPs for the tests of tools/dut: an encoder that does nothing, with other ports."""

from pathlib import Path

MODULE = """
module acme_te #(parameter int ADDR_W = 32, parameter int LANES = 1) (
  input  logic clk, rst,
  input  logic te_on,
  input  logic [LANES*(4+ADDR_W)-1:0] blk,
  input  logic beat_stall,
  output logic blk_stall, busy,
  output logic [68:0] beat,
  output logic [7:0] spare
);
  assign blk_stall = 1'b0;
  assign busy = 1'b0;
  assign beat = 69'd0;
  assign spare = 8'd0;
endmodule
"""
GOOD: dict[str, dict[str, object]] = {
    "dut": {"name": "acme", "ip": "ntrace", "variant": "v1_0", "top": "acme_te"},
    "sources": {"files": ["acme.sv"]},
    "parameters": {"ADDR_W": "Xlen", "LANES": "NBlocks"},
    "clock": {"port": "clk"},
    "reset": {"port": "rst", "polarity": "high"},
    "inputs": {"te_on": "enable_i", "blk": "{ing_itype_i, ing_iaddr_i}", "beat_stall": "!out_ready_i"},
    "outputs": {
        "ing_ready_o": "!blk_stall", "drop_o": 0, "empty_o": "!busy", "overflow_o": 0, "out_valid_o": "beat[68]",
        "out_nbytes_o": "beat[67:64]", "out_data_o": "beat[63:0]",
    },
    "options": {"mode": ["htm", "btm"], "inst_stall_ena": [0, 1]},
}  # fmt: skip


def toml(tables: dict[str, dict[str, object]]) -> str:
    """The text of a dut.toml."""
    lines = []
    for table, values in tables.items():
        lines.append(f"[{table}]")
        lines += [f"{key} = {_value(value)}" for key, value in values.items()]
    return "\n".join(lines) + "\n"


def _value(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return "[" + ", ".join(map(_value, value)) + "]"
    return str(value) if isinstance(value, int) else f'"{value}"'


def folder(path: Path, source: str = MODULE, more: str = "", **changes: dict[str, object]) -> Path:
    """Write the good description with some keys changed (None takes one away), and its source."""
    tables = {name: dict(values) for name, values in GOOD.items()}
    for table, values in changes.items():
        tables[table] = {key: value for key, value in (tables.get(table, {}) | values).items() if value is not None}
    path.mkdir(parents=True, exist_ok=True)
    (path / "dut.toml").write_text(toml(tables) + more)
    (path / "acme.sv").write_text(source)
    return path
