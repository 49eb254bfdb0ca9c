# SPDX-License-Identifier: Apache-2.0
"""How the E-Trace points of packets, fields and resources are counted, from the packets that the monitors saw and why
they were sent.

Names of points and bins are those of `rvtrace.tb.etrace.coverage.points`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from rvtrace.jobs.coverage import Counts
from rvtrace.models.common.filters import FilterSettings
from rvtrace.models.etrace.config import ENCAP
from rvtrace.models.etrace.table import OPTIONS, VARIANTS, Packet, map_length
from rvtrace.models.riscv.beats import Beats
from rvtrace.models.riscv.retired import IType, Kind, Retired
from rvtrace.tb.common.coverage import ingress
from rvtrace.tb.common.coverage.port_points import TERMS
from rvtrace.tb.common.coverage.tally import Tally, bit_length
from rvtrace.tb.etrace.coverage import points as p

if TYPE_CHECKING:
    from rvtrace.scoreboards.etrace.capture import EtraceCapture


_MOST_BRANCHES = 50_000  # searched for the states of the predictor: the first of a run show them as well as all


def sample(capture: EtraceCapture, decoded: Any = None, encoded: Any = None) -> Counts:
    """The stamped counts of one run: ready for result.json, and for `merge` with those of other runs.

    decoded: the decoder's result; encoded: the encoder model's. Without one of them, or without beats, the points that
    need it stay empty.
    """
    return p.ETRACE.stamped(observe(capture, decoded, encoded))


def observe(capture: EtraceCapture, decoded: Any = None, encoded: Any = None) -> Counts:
    """Counts of all points of one run, not yet stamped."""
    tally, config = Tally(), capture.config
    blocks = f"{config.blocks_p} block" + "s" * (config.blocks_p > 1)
    tally.one("run_cg", config.variant, f"RV{config.xlen}", blocks)
    sample_port(tally, capture, encoded)
    if decoded is not None:
        known = [(i, packet) for i, packet in enumerate(decoded.packets) if packet is not None]
        _packets(tally, capture, known, decoded.options)
        for _, packet in known:
            if p.MORE_FIELDS:
                _more_fields(tally, packet)
            if packet.name not in _ADDRESSED or packet.get("branch_fmt"):
                _fields(tally, capture, packet)
        _maps(tally, capture, [packet for _, packet in known])
        _addresses(tally, capture, [(packet, decoded.options[i]) for i, packet in known if "address" in packet.values])
        if not decoded.diagnostics:
            _branch_bits(tally, capture, decoded)
            _predictor(tally, capture, decoded)
    if encoded is not None:
        _reasons(tally, capture, encoded)
        _cache(tally, capture, encoded)
    if capture.data_cycle is not None and len(capture.data_cycle):
        _transport(tally, capture, encoded)
    return tally.counts


def kind(packet: Packet) -> str:
    """The packet's name among `points.KINDS`."""
    if packet.name == "branch_count":
        return p.COUNTS[max(0, packet.values["branch_fmt"] - 1)]
    if packet.name == "branch_map":
        if packet.get("branch_fmt"):
            return p.COUNTS[packet.values["no_mispred"]]
        return "branch map, address" if packet.values["branches"] else "branch map, no address"
    return "jump target index" if packet.name == "jump_target" else packet.name


def _packets(tally: Tally, capture: EtraceCapture, known: list[tuple[int, Packet]], options: list[int]) -> None:
    """Kinds, the options they were sent under, lengths."""
    config = capture.config
    kinds: Counter[tuple[str, int]] = Counter((kind(packet), options[i]) for i, packet in known)
    for (name, on), hits in kinds.items():
        tally.one("packet_cg", name, config.variant, hits=hits)
        for bit, option in enumerate(OPTIONS):
            if on >> bit & 1:
                tally.one("packet_option_cg", name, option, hits=hits)
    for on in {on for _, on in kinds}:
        for first, second in combinations([option for bit, option in enumerate(OPTIONS) if on >> bit & 1], 2):
            tally.one("option_pair_cg", f"{first} and {second}", config.variant)
    for size, hits in Counter(len(capture.packets[i]) for i, _ in known).items():
        if str(size) in p.BYTES:
            tally.one("length_cg", str(size), config.variant, hits=hits)


_ADDRESSED = ("branch_map", "address")  # packets without other fields than a branch map, an address and its flags
_FLAGS = ("notify", "updiscon", "irreport")


def _fields(tally: Tally, capture: EtraceCapture, packet: Packet) -> None:
    """Values of one packet's fields, but for branch maps and addresses of formats 0 to 2."""
    config, variant, values = capture.config, capture.config.variant, packet.values
    if "branch_count" in values:
        count = values["branch_count"]
        known = "greatest" if count == config.max_pbc - 31 else p.COUNT_CLASSES[bisect_right(p.COUNT_LIMITS, count)]
        tally.one("count_cg", known, kind(packet), variant)
    if "index" in values and config.cache_size_p == 5:
        tally.one("index_cg", str(values["index"]))
    if packet.is_sync or packet.name == "context":
        _report(tally, capture, packet)
    elif packet.name == "support":
        tally.one("support_cg", p.QUAL_STATUS[values["qual_status"]], str(values["ienable"]), variant)


def _maps(tally: Tally, capture: EtraceCapture, packets: list[Packet]) -> None:
    """Branch maps: how many branches, and of which outcomes."""
    variant = capture.config.variant
    maps = [packet.values for packet in packets if packet.name == "branch_map" and not packet.get("branch_fmt")]
    found = Counter((values["branches"], values["branch_map"].bit_count()) for values in maps)
    for (branches, ones), hits in found.items():
        tally.one("branches_cg", str(branches) if branches else "31 without address", variant, hits=hits)
        bits = branches or 31
        pattern = p.PATTERNS[0 if not ones else 1 if ones == bits else 2]
        tally.one("map_cg", f"{variant} {map_length(variant, bits)} bits", pattern, hits=hits)


def _addresses(tally: Tally, capture: EtraceCapture, known: list[tuple[Packet, int]]) -> None:
    """Addresses of formats 0 to 2, and their flags. known: the packets with one, each with the options in force."""
    config, xlen = capture.config, f"RV{capture.config.xlen}"
    width, by_name = config.xlen - config.iaddress_lsb_p, defaultdict(list)
    for packet, options in known:
        if packet.name in ("branch_count", *_ADDRESSED):
            by_name[packet.name.replace("_", " ")].append((packet.values, options))
    for name, some in by_name.items():
        address = np.array([values["address"] for values, _ in some], np.int64)
        full = np.array([options for _, options in some], np.int64) >> OPTIONS.index("full_address") & 1 > 0
        if name != "branch count":
            top = address >> width - 1  # of a whole address: its sign
            size = _bytes(np.where(full, address - (top << width), address))
            for point, which, sign in (
                ("full_address_cg", full, None), ("difference_cg", ~full & (address >= 0), 0),
                ("difference_cg", address < 0, 1),
            ):  # fmt: skip
                if sign is not None:
                    which = which & ~full
                for one, hits in zip(*(column.tolist() for column in np.unique(size[which], return_counts=True))):
                    signs = () if sign is None else (p.SIGNS[sign],)
                    tally.one(point, name, *signs, xlen, str(one), hits=hits)
        flagged = [n for n, (values, _) in enumerate(some) if "notify" in values]
        top = (address < 0) | (full & (address >> width - 1 != 0))
        flags = [(*(some[n][0][flag] for flag in _FLAGS), t) for n, t in zip(flagged, top[flagged].tolist())]
        for (*bits, negative), hits in Counter(flags).items():
            shown = " and ".join(flag for flag, bit in zip(_FLAGS, bits) if bit) or "none"
            if shown in p.FLAGS:
                tally.one("flag_cg", shown, name, str(int(negative)), hits=hits)


def _bytes(signed: np.ndarray) -> np.ndarray:
    """Bytes that each number needs with its sign."""
    return (bit_length(np.where(signed >= 0, signed, ~signed)) + 8) // 8


def _report(tally: Tally, capture: EtraceCapture, packet: Packet) -> None:
    """Fields of formats 3.0 to 3.2."""
    values, config = packet.values, capture.config
    where = {
        "context": "context in 3.2" if packet.name == "context" else "context in 3.0 and 3.1",
        "address": f"{packet.name} address",
        "tval": "tval",
        "time": "time",
    }
    for field, name in where.items():
        if field in values and name in p.FIELDS:
            tally.one("field_bytes_cg", name, str(max(1, (values[field].bit_length() + 7) // 8)))
    if packet.name == "trap":
        explicit = "explicit" if "address" in values and not config.implicit_exception else "implicit exceptions"
        tally.one(
            "trap_packet_cg",
            config.variant,
            f"thaddr {values.get('thaddr', 1)}",
            ("exception", "interrupt")[values["interrupt"]],
            explicit,
        )


def _more_fields(tally: Tally, packet: Packet) -> None:
    """Fields of the table that have no point of their own."""
    for name, (of, key, _) in p.MORE_FIELDS.items():
        value = packet.get(key)
        if packet.name == of and value is not None:
            tally.one("field_bytes_cg", name, str(max(1, (int(value).bit_length() + 7) // 8)))


def _branch_bits(tally: Tally, capture: EtraceCapture, decoded: Any) -> None:
    """What the instruction of each sync was."""
    first = np.append(decoded.first_pc, len(decoded.pcs))
    for i, packet in enumerate(decoded.packets):
        if packet is None or not packet.is_sync or not packet.get("thaddr", 1) or first[i + 1] == first[i]:
            continue
        taken = int(decoded.taken[first[i]])
        tally.one(
            "branch_bit_cg", packet.name, p.BRANCH_BITS[0 if taken < 0 else 1 if taken else 2], capture.config.variant
        )


def _predictor(tally: Tally, capture: EtraceCapture, decoded: Any) -> None:
    """States of the entries, followed along the branches that were reported; each sync resets them."""
    config, bit = capture.config, 1 << OPTIONS.index("branch_prediction")
    branches = np.flatnonzero(decoded.taken >= 0)[:_MOST_BRANCHES].tolist()
    if not config.bpred_size_p or not any(on & bit for on in decoded.options):
        return
    resets = [
        int(decoded.first_pc[i]) for i, packet in enumerate(decoded.packets) if packet is not None and packet.is_sync
    ]
    index = (decoded.pcs >> np.uint64(config.iaddress_lsb_p) & np.uint64((1 << config.bpred_size_p) - 1)).tolist()
    after = {(1, 1): 3, (1, 0): 0, (0, 1): 1, (0, 0): 0, (3, 1): 3, (3, 0): 2, (2, 1): 3, (2, 0): 0}
    state: dict[int, int] = {}
    hits: Counter[tuple[int, int]] = Counter()
    place = 0
    for at in branches:
        while place < len(resets) and resets[place] <= at:
            state, place = {}, place + 1
        now, taken = state.get(index[at], 1), int(decoded.taken[at])
        hits[now, taken] += 1
        state[index[at]] = after[now, taken]
    for (now, taken), count in hits.items():
        tally.one("predictor_cg", p.STATES[now], ("not taken", "taken")[taken], hits=count)


def _reasons(tally: Tally, capture: EtraceCapture, encoded: Any) -> None:
    """Why packets were sent, and what preceded them."""
    config, variant = capture.config, capture.config.variant
    for clause, hits in Counter(encoded.reasons).items():
        tally.one("ruling_cg", clause, variant, hits=hits)
    deep = (
        "counter up to 3"
        if config.call_counter_size_p == 2
        else {4: "stack of 16", 1: "stack of 2"}.get(config.return_stack_size_p)
    )
    before, last, losses = None, "", 0
    for packet, reason in zip(encoded.packets, encoded.reasons):
        if reason in p.SYNCS:
            tally.one("sync_cg", reason, _before(before))
        if reason == "ET.alg.resync" and config.inst_sync_mode:
            flushed = before if last == "ET.alg.before_sync" else None
            pending = (flushed is not None and kind(flushed) not in ("address", "jump target index")) + 2 * bool(
                flushed and flushed.get("irreport")
            )
            tally.one("resync_cg", p.RESYNCS[config.inst_sync_mode - 1], p.PENDING[pending])
        elif reason == "ET.alg.ended":
            tally.one("end_cg", p.ENDS[_end(packet, before, last)], variant)
        if packet.get("irreport") and deep and packet.get("irdepth") is not None:
            tally.one(
                "depth_cg",
                deep,
                str(packet.values["irdepth"]),
                (
                    "a mispredicted return"
                    if reason == "ET.opt.misreturn"
                    else "the last address before a sync or on request"
                ),
            )
        if last == "ET.alg.lost":
            losses += 1
            tally.one("overflow_cg", p.LOSSES[0 if packet.is_sync else 1])
        before, last = packet, reason
    if last == "ET.alg.lost":
        tally.one("overflow_cg", p.LOSSES[2])
    if losses > 1:
        tally.one("overflow_cg", p.LOSSES[3])
    if capture.beats is not None and capture.beats.drop.any() and "ET.alg.lost" not in encoded.reasons:
        tally.one("overflow_cg", p.LOSSES[4])


def _before(packet: Packet | None) -> str:
    if packet is None:
        return p.BEFORE_SYNC[0]
    if packet.is_sync:
        return p.BEFORE_SYNC[4]
    return {
        "support": p.BEFORE_SYNC[3],
        "context": p.BEFORE_SYNC[5],
        "address": p.BEFORE_SYNC[1],
        "jump_target": p.BEFORE_SYNC[1],
    }.get(packet.name, p.BEFORE_SYNC[2])


def _end(packet: Packet, before: Packet | None, last: str) -> int:
    """Index into ENDS."""
    if packet.values["qual_status"] == p.QUAL_STATUS.index("ended_rep"):
        return (
            3
            if last == "ET.alg.last" or (before is not None and not before.is_sync and last != "ET.alg.before_trap")
            else 4
        )
    if before is not None and before.is_sync:
        return 0
    return 2 if before is not None and before.get("notify") else 1


def _cache(tally: Tally, capture: EtraceCapture, encoded: Any) -> None:
    """Lookups of the jump target cache, which holds the addresses reported after uninferable jumps."""
    config, bit = capture.config, 1 << OPTIONS.index("jump_target_cache")
    if not config.cache_size_p or not any(on & bit for on in encoded.options):
        return
    cache: dict[int, int] = {}
    last, entries, full = 0, (1 << config.cache_size_p) - 1, 1 << OPTIONS.index("full_address")
    mask = (1 << config.xlen - config.iaddress_lsb_p) - 1
    for packet, reason, options in zip(encoded.packets, encoded.reasons, encoded.options):
        if packet.is_sync:
            cache = {}
            last = packet.values.get("address", last) if packet.get("thaddr", 1) else last
            continue
        indexed = packet.name == "jump_target"
        if not indexed and "address" not in packet.values:
            continue
        last = (
            cache.get(packet.values["index"], last)
            if indexed
            else packet.values["address"] & mask
            if options & full
            else last + packet.values["address"] & mask
        )
        if reason not in ("ET.alg.updiscon", "ET.opt.misreturn") or not options & bit:
            continue
        held = cache.get(last & entries)
        if held == last:
            what = 0 if indexed else 2 if packet.get("updiscon") else 3 if packet.name == "branch_count" else 1
        else:
            what = 4 if held is None else 5
        tally.one("cache_cg", p.LOOKUPS[what])
        cache[last & entries] = last


def _transport(tally: Tally, capture: EtraceCapture, encoded: Any) -> None:
    """The transported bytes: format, gaps, what fills blocks; and what waited in front of it."""
    config, cycle = capture.config, np.asarray(capture.data_cycle).astype(np.int64)
    stamped = ("no timestamp", "timestamp")[config.timestamp]
    if config.encapsulation == ENCAP:
        _encapsulation(tally, capture, stamped)
    else:
        tally.one("transport_cg", config.encapsulation, config.framing, stamped)
    if config.encapsulation == "messaging":
        tally.one("header_cg", str(config.index_width), str(config.flow))
    tally.array("back_pressure_cg", (p.GAPS, ingress.classes(np.maximum(np.diff(cycle) - 1, 0), 1, 2, 16)))
    if config.framing == "blocks" and capture.data:
        for at in range(config.block_bytes, len(capture.data) + 1, config.block_bytes):
            fill = config.block_bytes - len(capture.data[at - config.block_bytes : at].rstrip(b"\0"))
            tally.one("fill_cg", str(config.block_bytes), p.FILLS[int(ingress.classes(np.array([fill]), 1, 2, 16)[0])])
    if (
        capture.packet_cycle is not None
        and capture.beats is not None
        and encoded is not None
        and len(encoded.beat) == len(capture.packet_cycle) > 0
    ):
        ingress.backlog(
            tally,
            capture.beats,
            np.asarray(encoded.beat),
            np.asarray(capture.packet_cycle).astype(np.int64),
            bool(config.inst_stall_ena),
        )


def _encapsulation(tally: Tally, capture: EtraceCapture, stamped: str) -> None:
    """Framing, widths, padding and synchronization sequences of encapsulation 1.0."""
    config = capture.config
    tally.one("encapsulation_cg", config.framing, str(config.flow))
    source = p.SOURCES[bisect_right((1, 8, 9, 16), config.src_bits)]
    tally.one("source_cg", source, p.TYPES[min(config.type_bits, 2)])
    tally.one("stamp_cg", p.STAMPS[bisect_right((1, 2, 3, 8), config.timestamp_bytes)], stamped)
    if capture.packets:
        tally.one("padding_cg", str(-config.spare_bits % 8))
    if config.async_freq and capture.data is not None:
        found = capture.data.count(bytes(config.null_run))
        if found:
            tally.one("interval_cg", config.framing, ("one", "two", "three or more")[min(found, 3) - 1])


_TRAP = (IType.EXCEPTION, IType.INTERRUPT)
_AS_V2 = np.arange(16)  # the codes of draft as those of v2_0
_AS_V2[[IType.RESERVED, IType.COROUTINE_SWAP]] = IType.COROUTINE_SWAP, IType.RETURN
_LANES = {1: 0, 2: 1, 4: 2}
_REPORTS = {VARIANTS[0]: np.arange(4), VARIANTS[1]: np.array([3, 2, 1, 4])}  # ctype to the rows of CTYPES


class _Port:
    """The beats of a run with what the points need of them. itype: coded as in v2_0; block: mask of traced blocks."""

    def __init__(self, capture: EtraceCapture) -> None:
        b, config = capture.beats, capture.config
        assert b is not None
        self.beats, self.config, self.lanes = b, config, _LANES[b.lanes]
        self.on = (b.enable & b.inst_tracing & ~b.halted & ~b.in_reset & 1).astype(bool)
        self.valid = b.valid()
        self.block = self.valid & self.on[:, None]
        self.itype = (_AS_V2 if config.variant == VARIANTS[1] else np.arange(16))[b.itype & 15].astype(np.int64)
        self.reported, self.watched = self.block, np.zeros_like(self.block)
        if config.filter:
            qualified, self.watched = FilterSettings.parse(config.filter, config.xlen).qualify(b)
            self.reported = self.block & qualified
        self.wide = config.itype_width_p == 4  # else the codes of jumps say nothing


def sample_port(tally: Tally, capture: EtraceCapture, encoded: Any) -> None:
    """All points of the port and of the stream that this run can hit."""
    if capture.beats is None or not len(capture.beats):
        return
    port = _Port(capture)
    _blocks(tally, port)
    ingress.controls(tally, port.beats, port.on)
    _stops(tally, port)
    _contexts(tally, port)
    _notified(tally, port)
    _reconfigured(tally, port)
    _filters(tally, port)
    _jumps(tally, capture, port)
    if encoded is not None:
        made = np.bincount(np.asarray(encoded.beat, dtype=np.int64), minlength=len(port.beats))
        tally.array("made_cg", (p.LANES, port.lanes), (("0", "1", "2", "3", "4 or more"), np.minimum(made, 4)))
    retired = capture.retired
    if len(retired):
        on = ingress.traced(retired.kind)
        ingress.privileges(tally, retired)
        ingress.traps(tally, _as_v2(retired, capture.config.variant), on)
        _chains(tally, _as_v2(retired, capture.config.variant), on, capture.config.variant)


def _as_v2(retired: Retired, variant: str) -> Retired:
    result = retired.select(slice(None))
    if variant == VARIANTS[1]:
        result.itype = _AS_V2[retired.itype & 15].astype(np.uint8)
    return result


def _blocks(tally: Tally, port: _Port) -> None:
    """itypes, pairs of them, lanes, lengths."""
    b, block = port.beats, port.block
    variant = VARIANTS.index(port.config.variant)
    tally.array("itype_cg", (VARIANTS, variant), (ingress.ITYPES, b.itype[block].astype(np.int64)))
    tally.array("blocks_cg", (p.LANES, port.lanes), (tuple(map(str, range(5))), port.valid.sum(axis=1)))
    if port.wide:
        code = port.itype[block]
        tally.array("itype_pair_cg", (ingress.ITYPES, code[:-1]), (ingress.ITYPES, code[1:]))
        ingress.blocks(
            tally,
            b,
            block & ~np.isin(port.itype, [IType.UNINFERABLE_JUMP, IType.RESERVED]),
            (1 << port.config.iretire_width_p) - 2,
            port.itype,
        )
        for lane in range(1, b.lanes):
            both = block[:, lane]
            tally.array(
                "lane_pair_cg",
                (p.LANES[1:], port.lanes - 1),
                (ingress.ITYPES, port.itype[both, lane - 1]),
                (ingress.ITYPES, port.itype[both, lane]),
            )


def _last(port: _Port, blocks: np.ndarray) -> np.ndarray:
    """For each row the index into p.LAST of the last of these blocks before it, since tracing began; "nothing" if there
    is none.
    """
    b, n = port.beats, len(port.beats)
    code, trap = np.full(n, -1), np.isin(port.itype, _TRAP)
    choices = [
        trap,
        port.itype == IType.NOT_TAKEN,
        port.itype == IType.TAKEN,
        ingress.DIRECT_JUMP[port.itype],
        ingress.INDIRECT[port.itype],
    ]
    what = np.select(choices, [5, 1, 2, 3, 4], 0)
    busy = blocks.any(axis=1)
    lane = b.lanes - 1 - np.argmax(blocks[:, ::-1], axis=1)
    code[busy] = what[busy, lane[busy]]
    row = np.maximum.accumulate(np.where(busy, np.arange(n), -1))
    before = np.concatenate([[-1], row[:-1]])
    began = np.maximum.accumulate(np.where(port.on & ~np.concatenate([[False], port.on[:-1]]), np.arange(n), -1))
    began = np.concatenate([[-1], began[:-1]])
    return np.where((before >= 0) & (before >= began), code[np.maximum(before, 0)], len(p.LAST) - 1)


def _stops(tally: Tally, port: _Port) -> None:
    """What ended trace, and after what."""
    b, on = port.beats, port.on
    was = np.concatenate([[False], on[:-1]])
    ended = np.flatnonzero(was & ~on)
    last = _last(port, port.reported)
    low = [b.enable[ended] == 0, b.inst_tracing[ended] == 0, b.halted[ended] == 1, b.in_reset[ended] == 1]
    cause = np.select(low, [0, 1, 2, 3])
    tally.array("stop_cg", (p.LAST, last[ended]), (p.CAUSES, cause))
    changed = np.flatnonzero(np.concatenate([[False], b.toggle[1:] != b.toggle[:-1]]) & was & on)
    tally.array("stop_cg", (p.LAST, last[changed]), (p.CAUSES, 4))
    if port.config.filter:
        rows, lanes = np.nonzero(port.block)
        kept, code = port.reported[rows, lanes], port.itype[rows, lanes]
        epoch = np.cumsum(on != was)[rows]
        edge = np.flatnonzero(kept[:-1] & ~kept[1:] & (epoch[:-1] == epoch[1:]))
        choices = [
            np.isin(code, _TRAP),
            code == IType.NOT_TAKEN,
            code == IType.TAKEN,
            ingress.DIRECT_JUMP[code],
            ingress.INDIRECT[code],
        ]
        tally.array("stop_cg", (p.LAST, np.select(choices, [5, 1, 2, 3, 4], 0)[edge]), (p.CAUSES, 5))


def _contexts(tally: Tally, port: _Port) -> None:
    """Changes of context between traced blocks, by what came right before."""
    b = port.beats
    rows = np.flatnonzero(port.block[:, 0])
    if len(rows) < 2:
        return
    last = _last(port, port.block)[rows]
    moved = np.flatnonzero(np.diff(b.context[rows, 0].astype(np.int64)) != 0) + 1
    places = np.array([0, 1, 1, 2, 3, 4, -1])[last[moved]]
    tally.array(
        "context_cg", (p.CTYPES, _REPORTS[port.config.variant][b.ctype[rows[moved]] & 3]), (p.CONTEXT_PLACES, places)
    )


def _notified(tally: Tally, port: _Port) -> None:
    """The instructions that a trigger or a watchpoint selected."""
    b = port.beats
    if not port.wide:
        return
    code = np.where(np.isin(port.itype, _TRAP), 0, port.itype)
    retires = port.reported & (b.iretire > 0)
    rows = np.flatnonzero((b.notify > 0) & retires.any(axis=1))
    lane = b.lanes - 1 - np.argmax(retires[rows, ::-1], axis=1)
    by = ("trigger", "watchpoint")
    tally.array("notify_cg", (ingress.ITYPES, code[rows, lane]), (by, 0))
    tally.array("notify_cg", (ingress.ITYPES, code[port.watched & retires]), (by, 1))


def _reconfigured(tally: Tally, port: _Port) -> None:
    """Options that changed while the encoder was enabled."""
    b = port.beats
    changed = np.flatnonzero((b.toggle[1:] != b.toggle[:-1]) & (b.enable[1:] > 0) & (b.enable[:-1] > 0)) + 1
    for bit, option in enumerate(OPTIONS):
        now = (b.toggle ^ port.config.ioptions)[changed] >> bit & 1
        rows = changed[(b.toggle[changed] ^ b.toggle[changed - 1]) >> bit & 1 == 1]
        now = (b.toggle[rows] ^ port.config.ioptions) >> bit & 1
        tally.array(
            "reconfigured_cg",
            ((option,), 0),
            (("off", "on"), now.astype(np.int64)),
            (("not traced", "traced"), port.on[rows - 1].astype(np.int64)),
        )


def _filters(tally: Tally, port: _Port) -> None:
    """Conditions that were in force, and left blocks out."""
    text = port.config.filter
    if text and port.reported.any() and (port.block & ~port.reported).any():
        for name, sign in TERMS.items():
            if sign in text:
                tally.one("filter_cg", name)
    elif "watch=" in text and (port.watched & port.reported).any():
        tally.one("filter_cg", "watchpoint")


def _jumps(tally: Tally, capture: EtraceCapture, port: _Port) -> None:
    """Jumps that the hart reports as sequentially inferable, and whether their load was seen."""
    b: Beats = port.beats
    marked = port.reported & (b.sijump > 0)
    if not marked.any():
        return
    rows, lanes = np.nonzero(port.block)
    traced = port.reported[rows, lanes]
    jump = (b.sijump[rows, lanes] > 0) & traced
    code = port.itype[rows, lanes]
    long = b.iretire[rows, lanes] > 1 + b.ilastsize[rows, lanes].astype(np.int64)
    ends = b.iaddr[rows, lanes] + 2 * b.iretire[rows, lanes].astype(np.uint64)
    epoch = np.cumsum(port.on != np.concatenate([[False], port.on[:-1]]))[rows]
    follows = np.concatenate(
        [[False], (ends[:-1] == b.iaddr[rows, lanes][1:]) & traced[:-1] & (code[:-1] == 0) & (epoch[:-1] == epoch[1:])]
    )
    pair = np.where(long, 0, np.where(follows, 1, 2))
    what = np.select([code == IType.UNINFERABLE_CALL, code == IType.RETURN], [1, 2], 0)
    option = 1 << OPTIONS.index("sijump")
    on = (b.toggle[rows] ^ port.config.ioptions) & option > 0
    tally.array(
        "sijump_cg",
        (p.JUMPS, what[jump]),
        (p.PAIRS, pair[jump]),
        (("option off", "option on"), on[jump].astype(np.int64)),
    )


def _chains(tally: Tally, r: Retired, on: np.ndarray, variant: str) -> None:
    """Traps with nothing between them."""
    trap = np.isin(r.kind, (Kind.EXCEPTION, Kind.INTERRUPT)) & on
    first = np.flatnonzero(trap & ~np.concatenate([[False], trap[:-1]]))
    if not len(first):
        return
    stop = np.flatnonzero(trap & ~np.concatenate([trap[1:], [False]]))
    before = np.maximum(first - 1, 0)
    insn = (first > 0) & (r.kind[before] == Kind.INSN) & on[before]
    jumped = insn & ingress.INDIRECT[r.itype[before] & 15]
    place = np.where(jumped, 1, np.where(insn, 0, 2))
    tally.array(
        "chain_cg",
        (p.CHAIN_PLACES, place),
        (p.CHAINS, np.minimum(stop - first, 3)),
        (VARIANTS, VARIANTS.index(variant)),
    )
