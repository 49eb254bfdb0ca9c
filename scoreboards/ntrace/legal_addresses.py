# SPDX-License-Identifier: Apache-2.0
"""Legal: the bytes that an address takes, against those that it needs, and what extends one (8.1, 8.2)."""

from __future__ import annotations

import numpy as np

from rvtrace.models.common.messages import VARIABLE
from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.table import MDO_BITS, TABLES, TCODE_BITS
from rvtrace.scoreboards.ntrace import table as t
from rvtrace.scoreboards.ntrace.capture import NtraceCapture
from rvtrace.scoreboards.ntrace.legal_run import Legal


def extends(difference: int, bits: int) -> bool:
    """Whether two addresses differ in all bits from some bit to the top: one of them was extended, or not (8.2)."""
    return difference > 0 and difference + (difference & -difference) == 1 << bits


def check_addresses(legal: Legal, capture: NtraceCapture) -> None:
    """No more MDO groups than needed, and none that must be there skipped."""
    _address_bytes(legal, np.frombuffer(capture.data, np.uint8))
    _skipped_bits(legal, capture)


def _address_bytes(legal: Legal, data: np.ndarray) -> None:
    """MDO groups an address takes against those it needs (8.1; 8.2 with trTeInstExtendAddrMSB)."""
    table, bits = legal.table, legal.config.address_bits
    address, before = np.maximum(table["faddr"], table["uaddr"]), _ends_before(legal.config)[table.tcode]
    index = np.flatnonzero((address != t.ABSENT) & (before > 0))
    if not len(index):
        return
    value = address[index]
    needed = mdo_groups(value, bits)
    marks = np.flatnonzero((data & 1) == 1)  # last bytes of variable-length fields
    first = np.searchsorted(marks, table.offset[index])
    end = np.minimum(first + before[index], len(marks) - 1)
    taken = marks[end] - marks[np.maximum(end - 1, 0)]
    of = np.zeros(len(table), dtype=bool)
    bad = of.copy()
    of[index], bad[index] = True, taken > needed
    if not bits:
        legal.rule("NT.8.1.suppressed", of, bad, "high-order zeroes of the address were sent")
    elif not legal.tolerances.address_padded:
        legal.book.count("NT.8.1.suppressed", len(index))
        legal.rule("NT.8.2.extend", of, bad, "MSBs of the address were sent that could be skipped")


def _ends_before(config: Config) -> np.ndarray:
    """By TCODE, how many variable-length fields come before the address of a message; 0 if it has none."""
    found = np.zeros(1 << TCODE_BITS, dtype=np.int64)
    for tcode, kind in TABLES[config.variant].by_code.items():
        fields = kind.resolved(config) or []
        at = next((n for n, one in enumerate(fields) if one.field.is_address), 0)
        found[tcode] = sum(one.width == VARIABLE for one in fields[:at])
    return found


def mdo_groups(value: np.ndarray, bits: int) -> np.ndarray:
    """MDO groups that a value needs; bits: if not 0, the top bit sent extends to so many."""
    groups = np.ones(len(value), dtype=np.int64)
    for width in range(MDO_BITS, bits or 63, MDO_BITS):
        rest = value >> width
        if bits:
            sign = value >> (width - 1) & 1
            rest = rest ^ (sign * ((1 << (bits - width)) - 1))
        groups = np.where((rest != 0) & (groups == width // MDO_BITS), groups + 1, groups)
    return groups


def _skipped_bits(legal: Legal, capture: NtraceCapture) -> None:
    """A full address that is code only if it is extended: its MSBs were skipped where they must not be."""
    table, config = legal.table, legal.config
    value, inverse = np.unique(table["faddr"], return_inverse=True)
    insn, top = capture.program.insn, (1 << (config.xlen - 1)) - 1
    wrong = np.zeros(len(value), dtype=bool)
    for number, address in enumerate(value.tolist()):
        if address <= 0 or insn(address << 1) is not None:
            continue
        width = address.bit_length()
        aligned = width % MDO_BITS == 0
        extended = (address | top >> width << width) << 1
        wrong[number] = aligned != bool(config.extend_addr_msb) and insn(extended) is not None
    bad, of = wrong[inverse.reshape(-1)], table["faddr"] != t.ABSENT
    if not config.extend_addr_msb:
        legal.rule("NT.8.2.extend", of, bad, "MSBs of the address were skipped with trTeInstExtendAddrMSB=0")
    elif config.variant == "v1_0":
        legal.rule("NT.V.extend_msb", of, bad, "MSBs were skipped above a bit that is not the top one of an MDO group")
