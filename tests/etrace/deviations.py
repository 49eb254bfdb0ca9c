# SPDX-License-Identifier: Apache-2.0
"""Single deviations of an E-Trace packer, each a bug of all packets, with the finding that has to name it."""

from typing import Any

from rvtrace.models.etrace.config import Config
from tests.etrace.deviant import (
    FLOW,
    Deviation,
    Fields,
    Values,
    full_map,
    inserted,
    moved,
    of_bits,
    option_bits,
    plain,
    resized,
    tail_first,
    valued,
    zeros,
)
from tests.etrace.layouts import MAP_BITS

V2 = ("v2_0",)
ORDER = ("ET.pay.order",)


def _maps(change: Any) -> Any:
    """change: (bits of the map, branches, bits of the field) to the bits sent."""

    def changed(packet: str, fields: Fields, v: Values, c: Config) -> Fields:
        for part in fields:
            if part.name == "branch_map":
                part.bits = change(part.bits, full_map(v))
        return fields

    return changed


def _addresses(change: Any, packets: tuple[str, ...]) -> Any:
    """change: (field, configuration) to the field sent."""

    def changed(packet: str, v: Values, c: Config, memory: dict[str, Any]) -> None:
        if packet in packets and "address" in v:
            v["address"] = change(v["address"], c)

    return changed


def _byte_addresses(packet: str, fields: Fields, v: Values, c: Config) -> Fields:
    """As wide as an address, and not shifted."""
    for part in fields:
        if part.name == "address":
            part.bits = "0" * c.iaddress_lsb_p + part.bits
    return fields


def _unshifted(packet: str, fields: Fields, v: Values, c: Config) -> Fields:
    """As wide as it should be, and not shifted: the highest bits are lost."""
    for part in fields:
        if part.name == "address":
            part.bits = ("0" * c.iaddress_lsb_p + part.bits)[: len(part.bits)]
    return fields


def _kept_reference(packet: str, v: Values, c: Config, memory: dict[str, Any]) -> None:
    """Synchronization packets do not change the address that differences are from."""
    if "address" not in v:
        return
    if packet in FLOW:
        memory["now"] = memory.get("now", 0) + v["address"]
        v["address"] = memory["now"] - memory.get("last", 0)
        memory["last"] = memory["now"]
    elif v.get("thaddr", 1):
        memory["now"] = v["address"]


def _sync_differences(packet: str, v: Values, c: Config, memory: dict[str, Any]) -> None:
    if "address" not in v:
        return
    if packet in FLOW:
        memory["last"] = memory.get("last", 0) + v["address"]
    elif v.get("thaddr", 1):
        last, memory["last"] = memory.get("last", 0), v["address"]
        v["address"] -= last
    else:
        v["address"] -= memory.get("last", 0)
        memory["last"] = memory.get("last", 0) + v["address"]


def _relative_time(packet: str, v: Values, c: Config, memory: dict[str, Any]) -> None:
    if "time" in v:
        last, memory["last"] = memory.get("last", 0), v["time"]
        v["time"] -= last


def _tval_for_interrupts(packet: str, fields: Fields, v: Values, c: Config) -> Fields:
    if packet == "trap" and v["interrupt"]:
        fields.append(type(fields[0])("tval", "0" * c.iaddress_width_p))
    return fields


def _report_not(name: str) -> Any:
    """The bit of an option in ioptions is 0, or 1 where it is off."""
    from rvtrace.models.etrace.table import OPTIONS

    def changed(packet: str, v: Values, c: Config, memory: dict[str, Any]) -> None:
        if packet == "support":
            v["ioptions"] ^= 1 << OPTIONS.index(name)

    return changed


def _swap_formats(a: str, b: str) -> Any:
    def changed(packet: str, fields: Fields, v: Values, c: Config) -> Fields:
        first = fields[0]
        first.bits = b if first.bits == a else a if first.bits == b else first.bits
        return fields

    return changed


def _swap_subformats(a: str, b: str) -> Any:
    def changed(packet: str, fields: Fields, v: Values, c: Config) -> Fields:
        if fields[0].bits == "11":
            sub = fields[1]
            sub.bits = b if sub.bits == a else a if sub.bits == b else sub.bits
        return fields

    return changed


def _counted(offset: int) -> Any:
    """`branches` too large or small where it is not 0; the map is as it was."""

    def changed(packet: str, fields: Fields, v: Values, c: Config) -> Fields:
        for part in fields:
            if part.name == "branches" and v["branches"] and 0 <= v["branches"] + offset < 32:
                part.bits = "".join(str(v["branches"] + offset >> bit & 1) for bit in range(5))
        return fields

    return changed


def _msb_first(packet: str, fields: Fields, v: Values, c: Config) -> Fields:
    for part in fields:
        part.bits = part.bits[::-1]
    return fields


OTHER = MAP_BITS["draft_0_026"]
_REVERSED = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))

_OPTIONS = (("branch_prediction", 1), ("jump_target_cache", 1))
_UNREPORTED = ("ET.pay.ioptions", "ET.alg.enable")
_NOT_THERE = "|no support packet reports the options"

D = Deviation
TABLE = (
    D("stray_byte_before", "stray byte is before", ("ET.pay.fields",), sent=lambda p: b"\x5a" + p[:30]),
    D("stray_byte_after", "stray byte is after", ("ET.pay.fields",), sent=lambda p: p[:30] + b"\x5a"),
    D("bits_before_format", "other bits? (are |is )?before the format", ("ET.pay.fields",),
      fields=inserted("format", "01")),
    D("bits_reversed", "bits of each byte", ORDER, sent=lambda p: bytes(_REVERSED[b] for b in p), group="bits"),
    D("bytes_reversed", "last byte of each payload", ORDER, sent=lambda p: p[::-1], group="bits"),
    D("msb_first", "most significant bit", ORDER, fields=_msb_first, group="bits"),
    D("zero_extended", "extended with zeros", ("ET.pay.compression",), finish=zeros),
    D("formats_1_2", "formats 1 and 2", ("ET.pay.fields",), fields=_swap_formats("10", "01")),
    D("subformats_0_2", "subformats 0 and 2", ("ET.pay.fields",), fields=_swap_subformats("00", "01")),
    D("subformats_0_1", "subformats 0 and 1", ("ET.pay.fields",), fields=_swap_subformats("00", "10")),
    D("address_bytes", "byte addresses", ("ET.pay.differential", "ET.pay.start"), fields=_byte_addresses,
      group="address"),
    D("address_unshifted", "byte addresses, not shifted", ("ET.pay.differential", "ET.pay.start"),
      fields=_unshifted, group="address"),
    D("address_narrow", "addresses have 48 bits|IADDRESS", ("ET.pay.start",), fields=resized("address", 48),
      needs=(("iaddress_width_p", 64),), group="address"),
    D("difference_negated", "last address less the address", ("ET.pay.differential",),
      values=_addresses(lambda a, c: -a, FLOW), group="reference"),
    D("reference_kept", "format 3 does not count", ("ET.pay.differential",), values=_kept_reference, group="reference"),
    D("sync_differences", "format 3 has differences", ("ET.pay.start",), values=_sync_differences, group="reference"),
    D("branch_inverted", "branch has the other polarity", ("ET.pay.branch_bit",),
      values=valued("branch", lambda b: 1 - b)),
    D("map_inverted", "1 for taken", ("ET.pay.map_bits",),
      fields=_maps(lambda m, k: "".join(str(1 - int(b)) for b in m[:k]) + m[k:]), group="map"),
    D("map_reversed", "youngest branch in bit 0", ("ET.pay.map_bits",), fields=_maps(lambda m, k: m[:k][::-1] + m[k:]),
      group="map"),
    D("map_from_top", "highest bit", ("ET.pay.map_bits",), fields=_maps(lambda m, k: m[::-1]), group="map"),
    D("map_at_top", "upper bits", ("ET.pay.map_bits",), fields=_maps(lambda m, k: "0" * (len(m) - k) + m[:k]),
      group="map"),
    D("map_of_the_draft", "the lengths of draft", ("ET.pay.map_length",), variants=V2,
      fields=_maps(lambda m, k: m[:k].ljust(OTHER[k], "0")), group="map length"),
    D("map_always_31", "always 31 bits", ("ET.pay.map_length",), fields=_maps(lambda m, k: m[:k].ljust(31, "0")),
      group="map length"),
    D("map_exact", "as many bits as branches", ("ET.pay.map_length",), fields=_maps(lambda m, k: m[:k]),
      group="map length"),
    D("branches_one_more", "branches is one too large", ("ET.pay.map_length",), fields=_counted(1)),
    D("branches_one_less", "branches is one too small", ("ET.pay.map_length",), fields=_counted(-1)),
    D("notify_plain", "(notify|flags|updiscon).*sent as (it is|they are)", ("ET.pay.notify",), variants=V2,
      fields=plain("notify", "updiscon", "irreport"), group="flags"),
    D("flags_before_address", "come before the address|address comes last|right before", ("ET.pay.order",), variants=V2,
      fields=tail_first, group="order of the tail"),
    D("updiscon_before_notify", "updiscon comes right before notify", ORDER, variants=V2,
      fields=moved("updiscon", "notify"), group="order of the tail"),
    D("notify_absent", "notify is absent|requested this address", ("ET.pay.notify", "ET.alg.notify"), variants=V2,
      fields=resized("notify", 0), group="flags"),
    D("privilege_wide", "privilege has 4 bits|before (time|context|address)", ("ET.pay.privilege", "ET.pay.fields"),
      fields=resized("privilege", 4), group="privilege"),
    D("privilege_before_branch", "(privilege comes right before branch|branch comes right before)", ORDER, variants=V2,
      fields=moved("privilege", "branch"), group="order of the sync"),
    D("context_before_privilege", "(context|privilege) comes right before", ORDER, variants=V2,
      fields=moved("context", "privilege"), group="order of the sync"),
    D("context_last", "(context comes (last|right before)|address comes right before|tval)", ORDER, variants=V2,
      fields=moved("context", ""), group="order of the sync"),
    D("ecause_wide", "ecause has 9 bits|ECAUSE|before (interrupt|thaddr)", ("ET.pay.ecause", "ET.pay.fields"),
      fields=resized("ecause", 9), group="ecause"),
    D("ecause_narrow", "ecause has 3 bits", ("ET.pay.ecause",), fields=resized("ecause", 3), group="ecause"),
    D("interrupt_before_ecause", "(interrupt|ecause) comes right before", ORDER, fields=moved("interrupt", "ecause"),
      group="order of the trap"),
    D("tval_before_address", "(tval|address) comes right before", ORDER, variants=V2,
      fields=moved("tval", "address", ("trap",)), group="order of the trap"),
    D("thaddr_absent", "thaddr is absent", ("ET.pay.thaddr",), variants=V2, fields=resized("thaddr", 0),
      group="thaddr"),
    D("thaddr_inverted", "thaddr has the other polarity", ("ET.pay.thaddr",), variants=V2,
      fields=of_bits("thaddr", lambda b: str(1 - int(b))), group="thaddr"),
    D("interrupt_inverted", "interrupt has the other polarity", ("ET.pay.ecause",),
      fields=of_bits("interrupt", lambda b: str(1 - int(b))), group="interrupt"),
    D("tval_for_interrupts", "present not only for exceptions", ("ET.pay.tval",), variants=V2,
      fields=_tval_for_interrupts, group="tval"),
    D("tval_narrow", "tval", ("ET.pay.tval",), variants=V2, fields=resized("tval", lambda k: k - 1), group="tval"),
    D("qual_status_wide", "qual_status has 3 bits|before ioptions|IOPTIONS_LAYOUT=-|before qual_status",
      ("ET.pay.qual_status", "ET.pay.fields", "ET.pay.ioptions"), fields=resized("qual_status", 3), needs=_OPTIONS),
    D("ioptions_reversed", "IOPTIONS_LAYOUT", ("ET.pay.ioptions",), values=option_bits(lambda o: o[::-1]),
      needs=_OPTIONS, group="ioptions"),
    D("ioptions_shifted", "IOPTIONS_LAYOUT", ("ET.pay.ioptions",), values=option_bits(lambda o: ["-", *o[:5]]),
      needs=_OPTIONS, group="ioptions"),
    D("full_address_unreported", "reports that full_address is off", _UNREPORTED, values=_report_not("full_address"),
      needs=(("full_address", 1),), group="ioptions"),
    D("full_address_reported", "reports that full_address is on", _UNREPORTED, values=_report_not("full_address"),
      needs=(("full_address", 0),), group="ioptions"),
    D("implicit_exception_unreported", f"reports that implicit_exception is off{_NOT_THERE}", _UNREPORTED,
      values=_report_not("implicit_exception"), needs=(("implicit_exception", 1),), group="ioptions"),
    D("branch_prediction_unreported", f"reports that branch_prediction is off{_NOT_THERE}", _UNREPORTED, variants=V2,
      values=_report_not("branch_prediction"), needs=(("branch_prediction", 1),), group="ioptions"),
    D("jump_target_cache_unreported", f"reports that jump_target_cache is off{_NOT_THERE}", _UNREPORTED, variants=V2,
      values=_report_not("jump_target_cache"), needs=(("jump_target_cache", 1),), group="ioptions"),
    D("implicit_return_unreported", f"reports that implicit_return is off{_NOT_THERE}", _UNREPORTED, variants=V2,
      values=_report_not("implicit_return"), needs=(("implicit_return", 1),), group="ioptions"),
    D("count_of_all", "branch_count is the number of branches itself", ("ET.pay.branch_count",), variants=V2,
      values=valued("branch_count", lambda k: k + 31), needs=(("branch_prediction", 1),), scenario="long_counts"),
    D("time_relative", "difference from the time before", ("ET.pay.time",), variants=V2, values=_relative_time,
      needs=(("notime_p", 0),), scenario="contexts"),
)  # fmt: skip
DEVIATIONS = {deviation.name: deviation for deviation in TABLE}
