# SPDX-License-Identifier: Apache-2.0
"""Rows of the register table: trace funnel, RAM sink and pin sink."""

from __future__ import annotations

from rvtrace.models.csr.table import Case, Field, Legal, Register, bits, fixed, flag, one_of, row
from rvtrace.models.tci.encoder_rows import timestamp_registers
from rvtrace.models.tci.layout import Params

FUNNEL = "Trace Funnel"
RAM = "Trace RAM Sink"
PIB = "Trace PIB Sink"

SRAM, SMEM = 0, 1  # trRamMode
PARALLEL_PIN_MODES = (8, 9, 10, 11, 12)  # 1, 2, 4, 8, 16 data pins


def _version(prefix: str, comp_type: int, kind: str) -> tuple[Field, ...]:
    return (
        row(f"{prefix}VerMajor", "3:0", "RO", "version of the interface: 1", 1, undefined=False),
        row(f"{prefix}VerMinor", "7:4", "RO", "its minor version: 0", undefined=False),
        row(f"{prefix}CompType", "11:8", "RO", kind, comp_type, undefined=False),
    )


def _vendor(prefix: str) -> Field:
    return row(f"{prefix}Vendor", "31:24", "RO", "vendor's own: 0")


def funnel_registers(p: Params) -> tuple[Register, ...]:
    """Every register of the funnel, by offset."""
    return (
        Register(
            0x000,
            "trFunnelControl",
            "main control",
            FUNNEL,
            (
                row(
                    "trFunnelActive",
                    "0",
                    "RW",
                    "0 resets the funnel; reads 1 until the message in it has left whole",
                    undefined=False,
                ),
                row(
                    "trFunnelEnable", "1", "RW", "the funnel takes messages; 0 flushes what is inside", undefined=False
                ),
                row("trFunnelEmpty", "3", "RO", "nothing is inside", 1, volatile=True, undefined=False),
            ),
            "trFunnelActive",
        ),
        Register(
            0x004,
            "trFunnelImpl",
            "what this component is",
            FUNNEL,
            (*_version("trFunnel", 8, "trace funnel"), _vendor("trFunnel")),
            "",
        ),
        Register(
            0x008,
            "trFunnelDisInput",
            "inputs left out",
            FUNNEL,
            (
                row(
                    "trFunnelDisInput",
                    "15:0",
                    "WARL",
                    "bit n: messages of input n are read and thrown away",
                    legal=bits((1 << p.harts) - 1),
                ),
            ),
            "trFunnelActive",
        ),
        *timestamp_registers(p, p.funnel_ts_modes, "trFunnel"),
    )


def _by_memory(sram: Legal, smem: Legal) -> tuple[Case, ...]:
    return (Case("trRamMode", SRAM, sram), Case("trRamMode", SMEM, smem))


def ram_sink_registers(p: Params) -> tuple[Register, ...]:
    """Every register of the RAM sink, by offset. Its address registers have other legal bits in each trRamMode."""
    modes = (SRAM,) * bool(p.sram_bytes) + (SMEM,) * bool(p.smem_bits)
    inside = bits((p.sram_bytes - 1) >> 2 if p.sram_bytes else 0)
    low = bits(0x3FFFFFFF)
    high = bits((1 << max(p.smem_bits - 32, 0)) - 1)
    nothing = fixed(0)
    last = (p.sram_bytes - 4) >> 2 if p.sram_bytes else 0
    active = "trRamActive"

    def pair(offset: int, unit: str, what: str, cases: tuple[Case, ...], smem_high: Legal, reset: int = 0,
             volatile: bool = False, below: tuple[Field, ...] = ()) -> tuple[Register, ...]:  # fmt: skip
        name = f"trRam{unit}"
        return (
            Register(offset, f"{name}Low", f"{what}, bits 31:0", RAM, (
                *below, row(f"{name}Low", "31:2", "WARL", f"{what}: bits 31:2 of a byte address", reset, low,
                            volatile=volatile, cases=cases),
            ), active),
            Register(offset + 4, f"{name}High", f"{what}, bits 63:32", RAM, (
                row(f"{name}High", "31:0", "WARL", f"{what}: bits 63:32", 0, high, volatile=volatile,
                    cases=_by_memory(nothing, smem_high)),
            ), active),
        )  # fmt: skip

    wrap = row("trRamWrap", "0", "WARL", "the write pointer has wrapped; only a write clears it", volatile=True)
    return (
        Register(
            0x000,
            "trRamControl",
            "main control",
            RAM,
            (
                row(
                    "trRamActive",
                    "0",
                    "RW",
                    "0 resets the RAM sink; reads 1 until its last memory write is done",
                    undefined=False,
                ),
                row(
                    "trRamEnable",
                    "1",
                    "RW",
                    "the sink stores trace; 0 flushes, with idle bytes up to a whole word",
                    volatile=True,
                    undefined=False,
                ),
                row("trRamEmpty", "3", "RO", "everything is in memory", 1, volatile=True, undefined=False),
                row(
                    "trRamMode",
                    "4",
                    "WARL",
                    "0 SRAM inside the sink, 1 system memory",
                    modes[0],
                    one_of(modes, modes[0]),
                ),
                row("trRamStopOnWrap", "8", "WARL", "clear trRamEnable when the buffer is full"),
                row("trRamMemFormat", "10:9", "WARL", "0: plain bytes", legal=fixed(0)),
                row("trRamAsyncFreq", "14:12", "WARL", "the sink makes no alignment packets: 0", legal=fixed(0)),
            ),
            active,
        ),
        Register(
            0x004,
            "trRamImpl",
            "what this component is",
            RAM,
            (
                *_version("trRam", 9, "RAM sink"),
                row("trRamHasSRAM", "12", "RO", "SRAM mode is there", int(bool(p.sram_bytes))),
                row("trRamHasSMEM", "13", "RO", "system memory mode is there", int(bool(p.smem_bits))),
                _vendor("trRam"),
            ),
            "",
        ),
        *pair(0x010, "Start", "first word of the buffer", _by_memory(nothing, low), high),
        *pair(0x018, "Limit", "last word of the buffer", _by_memory(inside, low), high, last),
        *pair(0x020, "WP", "word that is written next", _by_memory(inside, low), high, volatile=True, below=(wrap,)),
        *pair(0x028, "RP", "word that trRamData reads", _by_memory(inside, nothing), nothing, volatile=True),
        Register(
            0x040,
            "trRamData",
            "the word at trRamRP (SRAM mode)",
            RAM,
            (
                row(
                    "trRamData",
                    "31:0",
                    "RO",
                    "a read moves trRamRP to the next word, after trRamLimit to trRamStart",
                    volatile=True,
                ),
            ),
            active,
        ),
    )


def pin_sink_registers(p: Params) -> tuple[Register, ...]:
    """Every register of the pin sink (PIB), by offset."""
    parallel = tuple(Case("trPibMode", mode, flag(True)) for mode in PARALLEL_PIN_MODES)
    return (
        Register(
            0x000,
            "trPibControl",
            "main control",
            PIB,
            (
                row("trPibActive", "0", "RW", "0 resets the pin sink", undefined=False),
                row("trPibEnable", "1", "RW", "the sink sends; 0 sends what is inside and then idles", undefined=False),
                row("trPibEmpty", "3", "RO", "nothing is inside", 1, volatile=True, undefined=False),
                row(
                    "trPibMode", "7:4", "WARL", "0 off, 8 to 12: 1, 2, 4, 8, 16 data pins", legal=one_of(p.pin_modes, 0)
                ),
                row(
                    "trPibClkCenter",
                    "8",
                    "WARL",
                    "clock edges in the middle of the data; half the rate",
                    legal=flag(False),
                    cases=parallel,
                ),
                row("trPibCalibrate", "9", "WARL", "send the calibration pattern instead of trace"),
                row("trPibAsyncFreq", "14:12", "WARL", "the sink makes no alignment packets: 0", legal=fixed(0)),
                row(
                    "trPibDivider",
                    "31:16",
                    "WARL",
                    "the clock is divided by this + 1",
                    p.divider_reset,
                    bits((1 << p.divider_bits) - 1),
                ),
            ),
            "trPibActive",
        ),
        Register(
            0x004,
            "trPibImpl",
            "what this component is",
            PIB,
            (*_version("trPib", 0xA, "pin sink"), _vendor("trPib")),
            "",
        ),
    )
