# SPDX-License-Identifier: Apache-2.0
"""A trace tool: the reset, enable and disable sequences of the Trace Control Interface, and reading trace back.

It knows registers and nothing of the hardware that implements them; the same steps would run in a debugger. Every write
is kept in `log`. What a tool must verify (versions, settings that were accepted, confirmations) counts as a check.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from rvtrace.models.common.filters import FilterSettings
from rvtrace.models.tci.layout import Params
from rvtrace.models.tci.ram_sink import WORD, read_trace
from rvtrace.models.tci.registers import component
from rvtrace.scoreboards.common.clauses import ClauseBook, Failure
from rvtrace.tb.tci.stimulus.settings import ETRACE, etrace_settings, ntrace_settings

POLLS = 1000  # reads until a confirmation is given up; the next ones are given up sooner
PAUSE_AFTER, PAUSE = 20, 50  # reads without a pause, and cycles between later ones
PARTS = {"encoder": "te", "funnel": "funnel", "ram_sink": "ram", "pin_sink": "pib"}
COMP_TYPES = {"encoder": 1, "funnel": 8, "ram_sink": 9, "pin_sink": 0xA}
PIN_MODES = {1: 8, 2: 9, 4: 10, 8: 11, 16: 12}


class Registers(Protocol):
    """Access to registers by component and name (`rvtrace.tb.tci.agents.register_block.RegisterAccess`)."""

    async def write(self, component: str, name: str, value: int) -> None: ...
    async def read(self, component: str, name: str) -> int: ...


@dataclass(frozen=True)
class Written:
    """A register write: component, register, value, and what it is for."""

    component: str
    register: str
    value: int
    why: str


def kind_of(name: str) -> str:
    """`encoder` of `encoder1`."""
    return name.rstrip("0123456789")


def fields_of(name: str, register: str, values: Mapping[str, int], params: Params) -> int:
    """A register's value from its fields' values; ControlError if one does not exist."""
    row, value = component(kind_of(name), params).register(register), 0
    for one, bits in values.items():
        value = row.field(one).put(value, bits)
    return value


@dataclass
class TraceTool:
    """One session. book: where the tool's own verifications count. pause: lets cycles pass between reads.

    params: what the system has. log: every write. control: what was last written to each tr??Control.
    """

    registers: Registers
    book: ClauseBook
    pause: Callable[[int], Awaitable[None]]
    log: list[Written] = field(default_factory=list)
    params: Params = Params()
    patience: int = POLLS
    control: dict[str, int] = field(default_factory=dict)

    async def write(self, name: str, register: str, value: int, why: str = "") -> None:
        """One write, kept in the log."""
        self.log.append(Written(name, register, value, why))
        if register.endswith("Control") and component(kind_of(name), self.params).register(register).offset == 0:
            self.control[name] = value
        await self.registers.write(name, register, value)

    async def read(self, name: str, register: str) -> int:
        """One read."""
        return await self.registers.read(name, register)

    def check(self, clause: str, ok: bool, text: str) -> bool:
        """A verification of the tool."""
        return self.book.check(clause, ok, Failure(clause, text))

    def control_of(self, name: str) -> str:
        """The name of a component's control register."""
        return component(kind_of(name), self.params).register(0).name

    async def poll(self, name: str, fields: Mapping[str, int], clause: str) -> bool:
        """Read the control register until the fields have these values; a failure of the clause if they never do."""
        register = component(kind_of(name), self.params).register(0)
        value = 0
        for number in range(self.patience):
            if number > PAUSE_AFTER:
                await self.pause(PAUSE)
            value = await self.read(name, register.name)
            if all(register.field(one).get(value) == bits for one, bits in fields.items()):
                return self.check(clause, True, "")
        wanted, reads, self.patience = (
            " and ".join(f"{one}={bits}" for one, bits in fields.items()),
            self.patience,
            PAUSE_AFTER,
        )
        return self.check(
            clause, False, f"{name} does not reach {wanted} in {reads} reads of {register.name}, last {value:#010x}"
        )

    def _name(self, name: str, word: str) -> str:
        return component(kind_of(name), self.params).prefix + word

    async def reset(self, name: str) -> None:
        """Reset and discovery: Active 0, confirmed, Active 1, confirmed; type and version verified."""
        part, control = PARTS[kind_of(name)], self.control_of(name)
        await self.write(name, control, 0, "reset")
        await self.poll(name, {self._name(name, "Active"): 0}, f"TCI.{part}.active")
        await self.write(name, control, 1, "release from reset")
        await self.poll(name, {self._name(name, "Active"): 1}, f"TCI.{part}.active")
        impl = await self.read(name, component(kind_of(name), self.params).register(4).name)
        self.check(
            f"TCI.{part}.discovery",
            impl & 0xFFF == COMP_TYPES[kind_of(name)] << 8 | 1,
            f"{name} says {impl:#010x} of itself: type {impl >> 8 & 15:#x}, version {impl & 15}.{impl >> 4 & 15}",
        )
        value = await self.read(name, control)
        register = component(kind_of(name), self.params).register(0)
        states = {word: register.field(self._name(name, word)).get(value) for word in ("Enable", "Empty")}
        self.check(f"TCI.{part}.reset", states == {"Enable": 0, "Empty": 1}, f"{name} after its reset: {states}")

    async def set(
        self, name: str, register: str, fields: Mapping[str, int], why: str = "", clause: str = "TCI.seq.verify"
    ) -> None:
        """Write a register from its fields and verify that the setting was accepted."""
        value = fields_of(name, register, fields, self.params)
        await self.write(
            name, register, value, why or " ".join(f"{one}={bits}" for one, bits in fields.items() if bits)
        )
        row, seen = component(kind_of(name), self.params).register(register), await self.read(name, register)
        found = {one: row.field(one).get(seen) for one in fields if row.field(one).access != "W1"}
        wanted = {one: fields[one] for one in found}
        self.check(clause, found == wanted, f"{name} {register}: wrote {wanted}, found {found}")

    async def set_up_encoder(
        self, hart: int, config: Any, extra: Mapping[str, Mapping[str, int]] | None = None
    ) -> None:
        """All settings of an encoder; it stays disabled. extra: further fields by register."""
        name = f"encoder{hart}"
        settings = etrace_settings(config, hart + 1) if self.params.format == ETRACE else ntrace_settings(config)
        for register, more in (extra or {}).items():
            settings[register] = settings.get(register, {}) | dict(more)
        control = settings.pop("trTeControl")
        for register, fields in settings.items():
            if fields.get("trTsActive"):  # a write that sets Active takes nothing else
                await self.set(name, register, {"trTsActive": 1}, "release the timestamp unit from reset")
            if (
                register == "trTeInstFeatures"
                and not fields["trTeInstEnImplicitReturn"]
                and "trTeInstImplicitReturnMode" in fields
            ):
                fields = {one: bits for one, bits in fields.items() if one != "trTeInstImplicitReturnMode"}
            await self.set(name, register, fields)
        if config.filter:
            for register, value in reversed(FilterSettings.parse(config.filter, config.xlen).registers().items()):
                await self.write(name, register, value, f"filter {config.filter}")
        await self.set(name, "trTeControl", control)

    async def set_up_ram(
        self, smem: bool = False, start: int = 0, limit: int | None = None, stop_on_wrap: bool = False
    ) -> None:
        """Mode first, then start, limit and write pointer; each is read back, since not every value is settable."""
        await self.set(
            "ram_sink", "trRamControl", {"trRamActive": 1, "trRamMode": int(smem), "trRamStopOnWrap": int(stop_on_wrap)}
        )
        for unit, value in (("Start", start), ("Limit", limit), ("WP", start)):
            if value is None:
                continue
            for half, bits in (("Low", value & 0xFFFF_FFFF), ("High", value >> 32)):
                await self.write("ram_sink", f"trRam{unit}{half}", bits, f"{unit.lower()} of the buffer")
            found = await self.address(unit)
            self.check("TCI.ram.start_limit", found == value, f"trRam{unit}: wrote {value:#x}, found {found:#x}")

    async def address(self, unit: str) -> int:
        """Start, Limit, WP or RP of the RAM sink, as one byte address."""
        low = await self.read("ram_sink", f"trRam{unit}Low")
        return (low & ~3) | await self.read("ram_sink", f"trRam{unit}High") << 32

    async def set_up_pins(self, width: int, divider: int = 0, center: bool = False, calibrate: bool = False) -> None:
        """Mode, clock and calibration of the pin sink; it stays disabled."""
        await self.set(
            "pin_sink",
            "trPibControl",
            {
                "trPibActive": 1,
                "trPibMode": PIN_MODES[width],
                "trPibClkCenter": int(center),
                "trPibCalibrate": int(calibrate),
                "trPibDivider": divider,
            },
        )

    async def enable(self, name: str) -> None:
        """Set Enable and wait for the confirmation."""
        enable = self._name(name, "Enable")
        value = self.control[name] | fields_of(name, self.control_of(name), {enable: 1}, self.params)
        await self.write(name, self.control_of(name), value, "enable")
        await self.poll(name, {enable: 1}, f"TCI.{PARTS[kind_of(name)]}.enable")

    async def disable(self, name: str) -> None:
        """Clear Enable and wait until the component is disabled and empty."""
        enable = self._name(name, "Enable")
        value = self.control[name] & ~fields_of(name, self.control_of(name), {enable: 1}, self.params)
        await self.write(name, self.control_of(name), value, "disable and flush")
        part = PARTS[kind_of(name)]
        await self.poll(name, {enable: 0, self._name(name, "Empty"): 1}, f"TCI.{part}.flush")

    async def tracing(self, hart: int, on: bool) -> None:
        """Set or clear trTeInstTracing by hand."""
        name, bit = f"encoder{hart}", fields_of("encoder", "trTeControl", {"trTeInstTracing": 1}, self.params)
        value = self.control[name] | bit if on else self.control[name] & ~bit
        await self.write(name, "trTeControl", value, "start tracing" if on else "stop tracing")

    async def clear_overflow(self, hart: int) -> None:
        """Write 1 to trTeInstStallOrOverflow."""
        name = f"encoder{hart}"
        value = self.control[name] | fields_of(name, "trTeControl", {"trTeInstStallOrOverflow": 1}, self.params)
        await self.registers.write(name, "trTeControl", value)

    async def read_back(self) -> bytes:
        """Trace from the SRAM through trRamRP and trRamData, the oldest byte first; one range, or two after a wrap."""
        low = await self.read("ram_sink", "trRamWPLow")
        wp, wrapped = low & ~3, bool(low & 1)
        start, limit = await self.address("Start"), await self.address("Limit")
        if not self.inside(start, limit, wp, self.params.sram_bytes):
            return b""
        words: list[int] = []
        at: list[int] = []
        read_trace(start, limit, wp, wrapped, lambda address: at.append(address) or 0)
        if at:
            await self.write("ram_sink", "trRamRPLow", at[0], "first word to read")
            for _ in at:
                words.append(await self.read("ram_sink", "trRamData"))
        return b"".join(word.to_bytes(WORD, "little") for word in words)

    def inside(self, start: int, limit: int, wp: int, memory: int) -> bool:
        """Whether the pointers of the RAM sink are those of a buffer of at most so many bytes; else a tool would read
        without an end, and reads nothing.
        """
        buffer = self.check(
            "TCI.ram.start_limit",
            start <= limit < start + memory,
            f"the buffer from {start:#x} to {limit:#x} is not one in a memory of {memory} bytes",
        )
        return buffer and self.check(
            "TCI.ram.wp", start <= wp <= limit, f"the write pointer is {wp:#x}, the buffer {start:#x} to {limit:#x}"
        )
