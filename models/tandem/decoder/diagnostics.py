# SPDX-License-Identifier: Apache-2.0
"""What can be wrong with the bytes of a tandem trace: a name for each, and the diagnostic that reports where (TV-5).

The page docs/reference/tandem-profile.md has the same names. One fault gives one diagnostic.
"""

from __future__ import annotations

from typing import NamedTuple

# Bytes that cannot be followed: decoding goes on at the next begin group.
BROKEN: dict[str, str] = {
    "unknown_opcode": "there is no opcode {value}",
    "unknown_id": "there is no additional state with the identifier {value}",
    "unknown_register": "there is no register with the address {value:#06x}",
    "unknown_request": (
        "there is no memory request with the byte {value:#04x} (operation in bits 3:0, size in bits 7:4)"
    ),
    "unknown_response": "there is no memory response with the byte {value:#04x} (size in bits 3:0, result in bits 7:4)",
    "orphan_response": "a memory response does not follow its request at once",
    "truncated": "the bytes end within a group or an item",
    "long_group": "a group has more than {value} bytes",
}
# Items that can be followed, and break a rule.
WRONG: dict[str, str] = {
    "orphan_end": "an end group has no begin group",
    "outside_group": "{item} is outside groups",
    "two_instructions": "a group has a second instruction, {value:#x}",
    "init_with_instruction": "state initialization and an instruction are in one group",
    "init_with_reset": "state initialization and a hart reset are in one group",
    "reset_with_instruction": "a hart reset and an instruction are in one group",
    "increment_and_pc": "increment pc and a full pc are in one group",
    "increment_without_instruction": "increment pc is in a group without an instruction",
    "increment_without_pc": "increment pc comes before any full pc, and nothing is known to increment",
    "unknown_base": "an incremental form of {item} comes before any full value of it",
    "x0_write": "x0 is reported with another value than 0",
    "repeated_state": "{item} is reported a second time in one group",
    "instruction_length": "the bits {value:#x} are not those of an instruction of {item}",
    "unknown_privilege": "there is no privilege mode {value}",
}  # fmt: skip
TEXTS = BROKEN | WRONG
MAX_DIAGNOSTICS = 100_000  # of one trace: more are counted, not kept


class Diagnostic(NamedTuple):
    """name: of TEXTS. offset: of the item in the trace. group: number of the group it is in, or of the one before it
    (-1: none).

    pc: of the group's instruction, as far as known; None if it is not. skipped: bytes that could not be followed.
    """

    name: str
    offset: int
    group: int
    pc: int | None
    text: str
    skipped: int = 0

    def __str__(self) -> str:
        pc = "pc unknown" if self.pc is None else f"pc {self.pc:#x}"
        lost = f"; {self.skipped} bytes skipped" if self.skipped else ""
        return f"offset {self.offset:#x}, group {self.group}, {pc}: {self.text} [{self.name}]{lost}"
