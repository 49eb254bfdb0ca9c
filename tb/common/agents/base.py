# SPDX-License-Identifier: Apache-2.0
"""What all agents share: their configuration object, the base classes of driver, monitor and agent, and the sequence of
single items.

With DRIVE=pins a driver plays item by item, and a monitor writes a transaction to its analysis port `ap` as soon as it
is complete. With DRIVE=bulk the SystemVerilog of the bench plays a file and records files: Python is not called in any
cycle, so there are no transactions while the run goes on, and `recorded` reads the whole run at its end. Both lead to
the same arrays.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any, TypeVar

import cocotb
from cocotb.task import Task
from pyuvm import (
    UVMConfigItemNotFound,
    uvm_agent,
    uvm_analysis_port,
    uvm_component,
    uvm_driver,
    uvm_sequence,
    uvm_sequence_item,
    uvm_sequencer,
)

from rvtrace.tb.common.agents.pins import NO_PINS, Pins

CONFIG = "config"  # the key of every configuration object in ConfigDB


@dataclass
class AgentConfig:
    """The configuration of an agent, set in ConfigDB by the test for `env*`, or for one agent by its path.

    dut: the handle of the bench; which signals it has, and of which types, only the simulator knows. pins: the ports of
    the bench. bulk: whether SystemVerilog plays and records. backpressure: % of cycles with the output not ready,
    chosen with `ready` (pins) or from `ready_seed` (bulk). waiting: instead, the output is ready for a cycle after one
    in which it was valid (pins). files: the module that writes and reads the files of a bulk run of rows. exact: the
    device is checked against its reference profile, which includes the ports that are optional.
    """

    dut: Any
    pins: Pins = NO_PINS
    bulk: bool = False
    backpressure: int = 0
    ready_seed: int = 0
    ready: Random = field(default_factory=lambda: Random(0))
    files: Any = None
    exact: bool = True
    waiting: bool = False


Config = TypeVar("Config")
Made = TypeVar("Made")


def config_of(component: uvm_component, kind: type[Config]) -> Config:
    """The configuration object of a component; TypeError if there is none of that kind."""
    try:
        config = component.cdb_get(CONFIG)
    except UVMConfigItemNotFound:
        config = None
    if not isinstance(config, kind):
        name = component.get_full_name()
        raise TypeError(f"{name} has {type(config).__name__} as its configuration; set a {kind.__name__} for it")
    return config


class Created:
    """A class of which the factory makes instances: `create` of pyuvm, with the class that it returns."""

    if TYPE_CHECKING:

        @classmethod
        def create(cls: type[Made], name: str = "", parent: uvm_component | None = None) -> Made: ...


class TransactionPort(uvm_analysis_port):
    """An analysis port that writes to the other subscribers as well if one raises. error: the first exception, which
    fails the job.
    """

    error: Exception | None = None

    def write(self, datum: Any) -> None:
        for export in self.subscribers:
            try:
                export.write(datum)
            except Exception as error:
                self.error = self.error or error


class Component(Created, uvm_component):
    """A component that has a configuration object and, while the simulation runs, a task."""

    task: Task | None = None

    def build_phase(self) -> None:
        super().build_phase()
        self.config = config_of(self, AgentConfig)
        self.dut = self.config.dut

    def stop(self) -> None:
        """End the endless task: the next job in this process has its own components."""
        if self.task is not None:
            self.task.cancel()


class Driver(Component, uvm_driver):
    """Plays item after item. A subclass has `play` and, for the values of its ports before the first item, `idle`."""

    async def run_phase(self) -> None:
        self.idle()
        self.task = cocotb.start_soon(self._serve())

    async def _serve(self) -> None:
        while True:
            item = await self.seq_item_port.get_next_item()
            await self.play(item)
            self.seq_item_port.item_done()

    def idle(self) -> None:
        """Put the values of an idle cycle on the ports."""

    async def play(self, item: Any) -> None:
        """Drive one item."""
        raise NotImplementedError

    def items(self, stimulus: Any) -> Iterator[uvm_sequence_item]:
        """The stimulus of a job as items of single cycles, for `BeatSequence`."""
        raise NotImplementedError


class Monitor(Component):
    """Watches ports. ap: gets a transaction as soon as it is complete (DRIVE=pins). problems: sentences about illegal
    outputs.
    """

    def build_phase(self) -> None:
        super().build_phase()
        self.ap = TransactionPort("ap", self)
        self.problems: list[str] = []

    @property
    def ports(self) -> list[TransactionPort]:
        """`ap`, and the further analysis ports of a subclass."""
        return [port for port in self.get_children() if isinstance(port, TransactionPort)]

    def end_of_elaboration_phase(self) -> None:
        if self.config.bulk and any(port.subscribers for port in self.ports):
            raise ValueError(
                f"{self.get_full_name()} has a subscriber, and DRIVE=bulk has no transactions; give DRIVE=pins"
            )

    async def run_phase(self) -> None:
        if not self.config.bulk:
            self.task = cocotb.start_soon(self.watch())

    async def watch(self) -> None:
        """Look at the ports cycle by cycle, and write every transaction to `ap`."""
        raise NotImplementedError

    def arrays(self, items: list[Any]) -> Any:
        """All transactions of a run as the arrays that the scoreboard takes (DRIVE=pins)."""
        raise NotImplementedError

    def recorded(self) -> Any:
        """The same arrays, from the files that the bench recorded (DRIVE=bulk)."""
        raise NotImplementedError


class Sequencer(uvm_sequencer):
    """A sequencer whose sequences can make items of a stimulus."""

    driver: Driver

    def items(self, stimulus: Any) -> Iterator[uvm_sequence_item]:
        """The stimulus of a job as items of single cycles."""
        return self.driver.items(stimulus)


class Agent(Created, uvm_agent):
    """Driver, with a sequencer if it plays items, and monitor, each unless its class is None; all created by the
    factory.
    """

    driver_class: type[Component] | None = None
    monitor_class: type[Monitor] | None = None

    def build_phase(self) -> None:
        super().build_phase()
        self.driver: Any = None
        self.monitor: Any = None
        self.sequencer: Any = None
        if self.driver_class is not None:
            if issubclass(self.driver_class, uvm_driver):
                self.sequencer = Sequencer.create("sequencer", self)
            self.driver = self.driver_class.create("driver", self)
        if self.monitor_class is not None:
            self.monitor = self.monitor_class.create("monitor", self)

    def connect_phase(self) -> None:
        if self.sequencer is not None:
            self.driver.seq_item_port.connect(self.sequencer.seq_item_export)
            self.sequencer.driver = self.driver

    def stop(self) -> None:
        """End the tasks of its parts."""
        for part in (self.driver, self.monitor):
            if part is not None:
                part.stop()


class PlaySequence(uvm_sequence):
    """Plays one item."""

    def __init__(self, name: str, item: uvm_sequence_item) -> None:
        super().__init__(name)
        self.item = item

    async def body(self) -> None:
        await self.start_item(self.item)
        await self.finish_item(self.item)


class BeatSequence(Created, uvm_sequence):
    """The stimulus of the job, one item for each cycle with something on the port (DRIVE=pins).

    Override `items` to change, add or omit items, and set the override in the factory. stimulus: what the job plays on
    this port.
    """

    stimulus: Any = None
    sequencer: Sequencer

    def __init__(self, name: str = "beats") -> None:
        super().__init__(name)

    def items(self) -> Iterator[uvm_sequence_item]:
        """The items in order; each is played before the next one is made."""
        return self.sequencer.items(self.stimulus)

    async def body(self) -> None:
        for item in self.items():
            await self.start_item(item)
            await self.finish_item(item)
            if not getattr(item, "accepted", True):
                return
