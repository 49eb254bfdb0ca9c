# SPDX-License-Identifier: Apache-2.0
"""Rows of the register table: the trace encoder and the timestamp unit (encoder or funnel)."""

from __future__ import annotations

from rvtrace.models.csr.table import Field, Legal, Register, bits, fixed, flag, one_of, row
from rvtrace.models.tci.layout import Params

TE = "Trace Encoder Control Interface"
TS = "Timestamp Unit"
TRIG = "Trace Encoder Triggers"
FILTER = "Trace Encoder Filter Registers"
WORD = bits(0xFFFFFFFF)
ETRACE = 0  # trTeFormat

TRIGGER_ACTIONS = (0, 2, 3, 4)  # none, trace-on, trace-off, trace-notify; 1 and 5 to 15 are reserved


def control(p: Params) -> tuple[Field, ...]:
    """trTeControl."""
    return (
        row(
            "trTeActive",
            "0",
            "RW",
            "0 resets the encoder; reads 1 until its last message has left whole",
            undefined=False,
        ),
        row("trTeEnable", "1", "RW", "the encoder is on; 0 flushes what is queued", undefined=False),
        row("trTeInstTracing", "2", "RW", "instructions are traced; triggers change it as well", volatile=True),
        row("trTeEmpty", "3", "RO", "everything generated has been sent", 1, volatile=True, undefined=False),
        row(
            "trTeInstMode",
            "6:4",
            "WARL",
            "3 branch trace (BTM), 6 branch history (HTM; E-Trace)",
            p.inst_modes[-1],
            one_of(p.inst_modes),
        ),
        row(
            "trTeContext",
            "9",
            "WARL",
            "context is reported (N-Trace: with privilege, in Ownership messages)",
            p.contexts[0],
            flag(True) if p.contexts[1:] else fixed(p.contexts[0]),
        ),
        row(
            "trTeInstTrigEnable",
            "11",
            "WARL",
            "trace-on and trace-off triggers change trTeInstTracing",
            legal=flag(p.triggers),
        ),
        row("trTeInstStallOrOverflow", "12", "RW1C", "a message was lost, or the hart was stalled", volatile=True),
        row("trTeInstStallEna", "13", "WARL", "stall the hart instead of losing messages", legal=flag(p.stall)),
        row("trTeInhibitSrc", "15", "WARL", "leave the source field out", legal=flag(p.src_bits > 0)),
        row(
            "trTeInstSyncMode",
            "17:16",
            "WARL",
            "periodic sync counts 1 messages (packets), 2 clock cycles, 3 half-words",
            legal=one_of(p.sync_modes, 0 if 0 in p.sync_modes else None),
        ),
        row("trTeInstSyncMax", "23:20", "WARL", "periodic sync after 2^(this + 4) units"),
        row("trTeFormat", "26:24", "WARL", "0 E-Trace, 1 N-Trace", p.format, fixed(p.format)),
    )


def implementation(p: Params) -> tuple[Field, ...]:
    """trTeImpl."""
    return (
        row("trTeVerMajor", "3:0", "RO", "version of the interface: 1", 1, undefined=False),
        row("trTeVerMinor", "7:4", "RO", "its minor version: 0", undefined=False),
        row("trTeCompType", "11:8", "RO", "trace encoder", 1, undefined=False),
        row("trTeProtocolMajor", "19:16", "RO", "version of the protocol", p.protocol_major),
        row("trTeProtocolMinor", "23:20", "RO", "its minor version", p.protocol_minor),
        row("trTeVendor", "31:24", "RO", "vendor's own: 0"),
    )


def features(p: Params) -> tuple[Field, ...]:
    """trTeInstFeatures."""
    returns = p.implicit_return_modes
    return (
        row("trTeInstNoAddrDiff", "0", "WARL", "always full addresses", legal=flag(p.no_addr_diff)),
        row("trTeInstNoTrapAddr", "1", "WARL", "no handler address in traps", legal=flag(p.no_trap_addr)),
        row(
            "trTeInstEnSequentialJump",
            "2",
            "WARL",
            "sequentially inferable jumps are not reported",
            legal=flag(p.sequential_jump),
        ),
        row(
            "trTeInstEnImplicitReturn",
            "3",
            "WARL",
            "returns to the call on the stack are not reported",
            legal=flag(bool(returns)),
        ),
        row("trTeInstEnBranchPrediction", "4", "WARL", "branch predictor", legal=flag(p.branch_prediction)),
        row("trTeInstEnJumpTargetCache", "5", "WARL", "jump target cache", legal=flag(p.jump_target_cache)),
        row(
            "trTeInstImplicitReturnMode",
            "7:6",
            "WARL",
            "1 counter, 2 partial addresses, 3 full addresses",
            returns[-1] if returns else 0,
            one_of(returns) if returns else fixed(0),
        ),
        row(
            "trTeInstEnRepeatedHistory",
            "8",
            "WARL",
            "repeated branch histories are counted",
            legal=flag(p.repeated_history),
        ),
        row("trTeInstEnAllJumps", "9", "WARL", "direct jumps are reported as taken branches", legal=flag(p.all_jumps)),
        row(
            "trTeInstExtendAddrMSB", "10", "WARL", "equal top address bits are left out", legal=flag(p.extend_addr_msb)
        ),
        row(
            "trTeSrcID", "27:16", "WARL", "this encoder's number in the source field", legal=bits((1 << p.src_bits) - 1)
        ),
        row(
            "trTeSrcBits",
            "31:28",
            "WARL",
            "width of the source field (E-Trace: of the index)",
            legal=one_of(tuple(range(0, p.src_bits + 1, p.src_step))),
        ),
    )


def _action(p: Params, n: int) -> Field:
    legal = one_of(TRIGGER_ACTIONS, 0) if n < p.trigger_inputs and p.triggers else fixed(0)
    return row(f"trTeTrigExtInAction{n}", f"{4 * n + 3}:{4 * n}", "WARL",
               f"external trigger {n}: 2 trace-on, 3 trace-off, 4 notify", legal=legal)  # fmt: skip


def _event(p: Params, n: int) -> Field:
    return row(f"trTeTrigExtOutEvent{n}", f"{4 * n + 3}:{4 * n}", "WARL",
               f"external output {n} fires when: bit 0 tracing starts, bit 1 tracing stops",
               legal=bits(0x3 if n < p.trigger_outputs and p.triggers else 0))  # fmt: skip


def vendor_control(p: Params) -> tuple[Field, ...]:
    """trTeVendorControl: what our encoder has and the specification has no bit for (vendor range 0xE00 to 0xFFF)."""
    if p.format == ETRACE:
        return (
            row("trTeVendorDraft", "0", "RW", "the draft of 2019 instead of the ratified 2.0"),
            row("trTeVendorZeros", "1", "RW", "32 zero bytes before each packet that a decoder can start with"),
        )
    return (
        row("trTeVendorRepeatBranch", "0", "RW", "make RepeatBranch messages"),
        row("trTeVendorBTypeOne", "1", "RW", "B-TYPE 1 for every trap, instead of 2 and 3"),
        row("trTeVendorRc7", "2", "RW", "1.0.0_rc7 instead of the ratified 1.0"),
        row("trTeVendorHcontext", "3", "RW", "the hart has hcontext: Ownership reports it"),
    )


def filter_registers(p: Params, i: int) -> tuple[Register, ...]:
    """The four registers of filter i (impdef, dtype and dsize are not built)."""
    base, name = 0x400 + 0x20 * i, f"trTeFilter{i}"
    has = p.comparators > 0
    which = one_of(tuple(range(p.comparators)), 0) if has else fixed(0)
    compare: list[Field] = []
    for n in (1, 2, 3):
        compare += (
            row(
                f"trTeFilterMatchComp{n}",
                f"{4 * n}",
                "WARL",
                f"the comparator in trTeFilterComp{n} must be true",
                legal=flag(has),
            ),
            row(f"trTeFilterComp{n}", f"{4 * n + 3}:{4 * n + 1}", "WARL", "number of that comparator", legal=which),
        )
    return (
        Register(
            base,
            f"{name}Control",
            f"what filter {i} matches",
            FILTER,
            (
                row("trTeFilterEnable", "0", "WARL", "the filter is on"),
                row("trTeFilterMatchPrivilege", "1", "WARL", "match trTeFilterMatchChoicePrivilege"),
                row("trTeFilterMatchEcause", "2", "WARL", "match from a chosen trap cause until it returns"),
                row("trTeFilterMatchInterrupt", "3", "WARL", "match from an interrupt or exception until it returns"),
                *compare,
                row("trTeFilterMatchImpdef", "16", "WARL", "match impdef: not built", legal=fixed(0)),
                row("trTeFilterMatchDtype", "24", "WARL", "match dtype: not built", legal=fixed(0)),
                row("trTeFilterMatchDsize", "25", "WARL", "match dsize: not built", legal=fixed(0)),
            ),
            "trTeActive",
        ),
        Register(
            base + 4,
            f"{name}MatchInst",
            f"privileges and kind of trap of filter {i}",
            FILTER,
            (
                row(
                    "trTeFilterMatchChoicePrivilege",
                    "7:0",
                    "WARL",
                    "bit n: the privilege matches that E-Trace codes as n: 0 U, 1 S, 3 M, 4 Debug Mode, 5 VU, 6 VS",
                ),
                row("trTeFilterMatchValueInterrupt", "8", "WARL", "1 interrupts, 0 exceptions"),
            ),
            "trTeActive",
        ),
        Register(
            base + 8,
            f"{name}MatchEcauseLow",
            f"causes 0 to 31 of filter {i}",
            FILTER,
            (row("trTeFilterMatchChoiceEcauseLow", "31:0", "WARL", "bit n: cause n matches"),),
            "trTeActive",
        ),
        Register(
            base + 12,
            f"{name}MatchEcauseHigh",
            f"causes 32 to 63 of filter {i}",
            FILTER,
            (row("trTeFilterMatchChoiceEcauseHigh", "31:0", "WARL", "bit n: cause n + 32 matches"),),
            "trTeActive",
        ),
    )


def comparator_registers(p: Params, j: int) -> tuple[Register, ...]:
    """The five registers of comparator j (daddr is not built)."""
    base, name = 0x600 + 0x20 * j, f"trTeComp{j}"
    inputs = one_of((0, 1, 2), 0)
    high = WORD if p.xlen == 64 else fixed(0)

    def match(offset: int, unit: str, half: str, legal: Legal) -> Register:
        word = "primary" if unit == "P" else "secondary"
        where = "31:0" if half == "Low" else "63:32"
        return Register(
            base + offset,
            f"{name}{unit}Match{half}",
            f"{word} value of comparator {j}, bits {where}",
            FILTER,
            (row(f"trTeComp{unit}Match{half}", "31:0", "WARL", f"bits {where} to compare with", legal=legal),),
            "trTeActive",
        )

    return (
        Register(
            base,
            f"{name}Control",
            f"what comparator {j} compares",
            FILTER,
            (
                row("trTeCompPInput", "1:0", "WARL", "primary input: 0 iaddr, 1 context, 2 tval", legal=inputs),
                row("trTeCompSInput", "3:2", "WARL", "secondary input, likewise", legal=inputs),
                row(
                    "trTeCompPFunction",
                    "6:4",
                    "WARL",
                    "0 =, 1 !=, 2 <, 3 <=, 4 >, 5 >=, 6 never (latch starts at 1), 7 always",
                ),
                row(
                    "trTeCompSFunction",
                    "10:8",
                    "WARL",
                    "0 =, 1 !=, 2 <, 3 <=, 4 >, 5 >=, 6 mask of the primary, 7 always",
                ),
                row("trTeCompMatchMode", "13:12", "WARL", "0 P, 1 P and S, 2 not both, 3 from P until after S"),
                row("trTeCompPNotify", "14", "WARL", "watchpoint on the primary result"),
                row("trTeCompSNotify", "15", "WARL", "watchpoint on the secondary result"),
            ),
            "trTeActive",
        ),
        match(0x10, "P", "Low", WORD),
        match(0x14, "P", "High", high),
        match(0x18, "S", "Low", WORD),
        match(0x1C, "S", "High", high),
    )


def timestamp_registers(p: Params, modes: tuple[int, ...], owner: str) -> tuple[Register, ...]:
    """The timestamp unit of an encoder ("trTe") or funnel ("trFunnel"); none if it has no mode."""
    if not modes:
        return ()
    internal = bool({2, 3} & set(modes))
    return (
        Register(
            0x040,
            "trTsControl",
            "timestamp unit",
            TS,
            (
                row("trTsActive", "0", "WARL", "0 resets the timestamp unit"),
                row("trTsCount", "1", "WARL", "the counter runs (internal modes)", legal=flag(internal)),
                row("trTsReset", "2", "W1", "1 sets the counter to 0 (internal modes)"),
                row(
                    "trTsRunInDebug", "3", "WARL", "count while the hart is halted (core mode)", legal=flag(3 in modes)
                ),
                row(
                    "trTsMode",
                    "6:4",
                    "WARL",
                    "0 none, 1 external, 2 internal system, 3 internal core, 4 shared",
                    legal=one_of(modes, 0),
                ),
                row(
                    "trTsPrescale",
                    "9:8",
                    "WARL",
                    "count every 4^n-th clock (internal modes)",
                    legal=bits(3 if internal else 0),
                ),
                row("trTsEnable", "15", "WARL", "messages have a timestamp", legal=flag(owner == "trTe")),
                row("trTsWidth", "29:24", "RO", "width of the timestamp in bits", p.ts_width),
            ),
            "trTsActive",
        ),
        Register(
            0x048,
            "trTsCounterLow",
            "timestamp, bits 31:0",
            TS,
            (row("trTsCounterLow", "31:0", "RO", "bits 31:0", volatile=True, undefined=False),),
            "trTsActive",
        ),
        Register(
            0x04C,
            "trTsCounterHigh",
            "timestamp, bits 63:32",
            TS,
            (row("trTsCounterHigh", "31:0", "RO", "bits 63:32", volatile=True, undefined=False),),
            "trTsActive",
        ),
    )


def encoder_registers(p: Params) -> tuple[Register, ...]:
    """Every register of a trace encoder, by offset."""
    active = "trTeActive"
    rows = [
        Register(0x000, "trTeControl", "main control", TE, control(p), active),
        Register(0x004, "trTeImpl", "what this component is", TE, implementation(p), ""),
        Register(0x008, "trTeInstFeatures", "options of instruction trace, source", TE, features(p), active),
    ]
    if p.filters:
        rows.append(
            Register(
                0x00C,
                "trTeInstFilters",
                "filters in use",
                TE,
                (
                    row(
                        "trTeInstFilters",
                        "15:0",
                        "WARL",
                        "bit n: trace what filter n matches; 0: trace all",
                        legal=bits((1 << p.filters) - 1),
                    ),
                ),
                active,
            )
        )
    rows += timestamp_registers(p, p.ts_modes, "trTe")
    if p.triggers and p.trigger_inputs:
        actions = tuple(_action(p, n) for n in range(8))
        rows.append(Register(0x054, "trTeTrigExtInControl", "what external triggers do", TRIG, actions, active))
    if p.triggers and p.trigger_outputs:
        events = tuple(_event(p, n) for n in range(8))
        rows.append(Register(0x058, "trTeTrigExtOutControl", "when external outputs fire", TRIG, events, active))
    for i in range(p.filters):
        rows += filter_registers(p, i)
    for j in range(p.comparators):
        rows += comparator_registers(p, j)
    if p.vendor:
        rows.append(
            Register(0xE00, "trTeVendorControl", "choices without a standard bit", "ours", vendor_control(p), active)
        )
    return tuple(rows)
