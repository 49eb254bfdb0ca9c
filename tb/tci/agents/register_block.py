# SPDX-License-Identifier: Apache-2.0
"""The register model as pyuvm sees it: one uvm_reg_block for each component, made from the register table.

Accesses by name go through pyuvm's front door. Three things pyuvm 5.0 leaves to us, and so prediction and checks are
ours (models/tci/register_model.py, scoreboards/tci/registers.py): uvm_reg_predictor is not implemented there, no access
policy says what a WARL field makes of an illegal value or that another field decides about it, and its comparison
writes to a log instead of counting clauses.
"""

from __future__ import annotations

from pyuvm import uvm_reg, uvm_reg_adapter, uvm_reg_block, uvm_reg_field, uvm_reg_map, uvm_sequencer
from pyuvm._reg.uvm_reg_model import uvm_access_e, uvm_endianness_e, uvm_reg_addr_t, uvm_reg_data_t, uvm_status_e

from rvtrace.models.csr.table import ControlError
from rvtrace.models.tci.layout import Params
from rvtrace.models.tci.register_model import Place, RegisterModel
from rvtrace.tb.tci.agents.apb import ApbItem

_POLICY = {"RO": "RO", "RW": "RW", "WARL": "RW", "RW1C": "W1C", "W1": "WO"}  # the nearest that pyuvm has


class TableRegister(uvm_reg):
    """A register of the table."""

    def __init__(self, name: str, row) -> None:
        super().__init__(name, 32)
        self.row = row

    def build(self) -> None:
        """Its fields."""
        for one in self.row.fields:
            uvm_reg_field(one.name).configure(
                self, one.width, one.lsb, _POLICY[one.access], one.volatile, one.reset, True, False, False,
            )  # fmt: skip


class ComponentBlock(uvm_reg_block):
    """The registers of one component."""

    def __init__(self, place: Place) -> None:
        super().__init__(place.name)
        self.place = place
        self.registers: dict[str, TableRegister] = {}

    def build(self, sequencer: uvm_sequencer, adapter: uvm_reg_adapter) -> None:
        """Registers at their addresses, reached through `sequencer`."""
        self.map = uvm_reg_map(f"{self.place.name}_map")
        self.map.configure(self, uvm_reg_addr_t(self.place.base), 4, uvm_endianness_e.UVM_LITTLE_ENDIAN, True)
        self.set_default_map(self.map)
        for row in self.place.kind.registers:
            register = TableRegister(row.name, row)
            register.configure(self)
            register.build()
            self.map.add_reg(register, uvm_reg_addr_t(row.offset), "RW")
            self.registers[row.name] = register
        self.lock_model()
        self.map.set_sequencer(sequencer, adapter)
        self.map.set_auto_predict(False)


class ApbAdapter(uvm_reg_adapter):
    """Register operations to APB items and back."""

    def __init__(self) -> None:
        super().__init__("apb_adapter")

    def reg2bus(self, rw) -> ApbItem:
        return ApbItem("reg", rw.kind == uvm_access_e.UVM_WRITE, rw.addr, rw.data)

    def bus2reg(self, bus_item: ApbItem, rw) -> None:
        rw.data = uvm_reg_data_t(bus_item.data)
        rw.status = uvm_status_e.UVM_NOT_OK if bus_item.error else uvm_status_e.UVM_IS_OK


class RegisterAccess:
    """Registers by component and name: `await access.write("ram_sink", "trRamWPLow", 0)`."""

    def __init__(self, params: Params, sequencer: uvm_sequencer) -> None:
        adapter = ApbAdapter()
        self.blocks = {place.name: ComponentBlock(place) for place in RegisterModel(params)}
        for block in self.blocks.values():
            block.build(sequencer, adapter)

    def _register(self, component: str, name: str) -> TableRegister:
        block = self.blocks.get(component)
        if block is None or name not in block.registers:
            known = ", ".join(block.registers if block else self.blocks)
            raise ControlError(f"there is no {component}.{name}; known are {known}")
        return block.registers[name]

    async def write(self, component: str, name: str, value: int) -> None:
        """A write of the whole register."""
        await self._register(component, name).write(uvm_reg_data_t(value))

    async def read(self, component: str, name: str) -> int:
        """A read of the whole register."""
        _, value = await self._register(component, name).read()
        return int(value)
