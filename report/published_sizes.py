# SPDX-License-Identifier: Apache-2.0
"""The page Sizes of published programs, which docs/hooks.py adds to the site, and its chart, from data/sizes.json.

`rvtrace figures sizes SET=riscv-tests` measures and writes the data and the chart. Nothing here needs the compiler.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from rvtrace.flow.programs.figures import COMPARED, DATA, EXTRAS, FASTER, METHODS, PROGRAMS, SYNC_EXPONENTS, write
from rvtrace.flow.programs.published import ETRACE, NTRACE, NTRACE_MEANS, NTRACE_METHODS
from rvtrace.jobs.builds import ROOT
from rvtrace.report.charts import Bar, bars

CHART = ROOT / "docs" / "images" / "sizes-riscv-tests.svg"
FILES = (DATA, CHART)
_STYLE = (
    "<style>text{font:13px system-ui,sans-serif;fill:#59616b}svg{--c0:#2f6fd0;--c1:#7fb0f0;--c2:#2e9d6b;--c3:#8fd0b0;"
    "--ink:#c0392b}</style>"
)
_AS_PUBLISHED = "draft, implicit return"  # the algorithm that the E-Trace group measured


def row_of(data: dict[str, Any], program: str, xlen: int) -> dict[str, Any]:
    """What was measured of a program."""
    return next(row for row in data["programs"] if row["program"] == program and row["xlen"] == xlen)


def rate(row: dict[str, Any], key: str, what: str = "payload") -> float:
    """Bits per instruction."""
    return 8 * row["sizes"][key][what] / row["instructions"]


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    lines = [header, ["---", *["---:"] * (len(header) - 1)], *rows]
    return [f"| {' | '.join(line)} |" for line in lines]


def _etrace(data: dict[str, Any], xlen: int) -> list[str]:
    names = ["no option", "implicit return", "all options", "draft, no option", _AS_PUBLISHED, "draft, all options"]
    rows = []
    for program in (*PROGRAMS, FASTER):
        row = row_of(data, program, xlen)
        shown = [f"{rate(row, f'etrace: {name}'):.3f}" for name in names]
        told = [f"{ETRACE[program]:.3f}" if program in ETRACE else "-"] if xlen == 64 else []
        rows.append([program, f"{row['instructions']:,}", *shown, *told])
    head = ["program", "instructions", "2.0: no option", "implicit return", "all options", "draft: no option"]
    return _table([*head, "implicit return", "all options", *["published"] * (xlen == 64)], rows)


def _ntrace(data: dict[str, Any], xlen: int) -> list[str]:
    rows = []
    for program in (*PROGRAMS, FASTER):
        row, told = row_of(data, program, xlen), NTRACE[program.split()[0]]
        shown = []
        for index, name in enumerate(NTRACE_METHODS):
            ours = f"{rate(row, f'ntrace: {name}'):.3f}"
            shown.append(f"{ours} ({told.bits(index):.3f})" if xlen == 64 else ours)
        rows.append([program, f"{row['instructions']:,}" + (f" ({told.instructions:,})" if xlen == 64 else ""), *shown])
    means = []
    for index, name in enumerate(NTRACE_METHODS):
        ours = sum(rate(row_of(data, one, xlen), f"ntrace: {name}") for one in PROGRAMS) / len(PROGRAMS)
        theirs = sum(NTRACE[one].bits(index) for one in PROGRAMS) / len(PROGRAMS)
        means.append(f"{ours:.3f} ({theirs:.3f})" if xlen == 64 else f"{ours:.3f}")
    rows.append(["mean of the first ten", "", *means])
    if xlen == 64:
        rows.append(["published mean of 32", "", *(f"({mean:.3f})" for mean in NTRACE_MEANS)])
    return _table(["program", "instructions", *NTRACE_METHODS], rows)


def more(data: dict[str, Any]) -> list[tuple[str, str, float, float]]:
    """(program, encoding, ours, published) where ours needs more bits than were published, by two in a hundred at
    least: E-Trace with the published algorithm, N-Trace with each encoding.
    """
    found = []
    for program in PROGRAMS:
        row = row_of(data, program, 64)
        pairs = [(f"ntrace: {name}", NTRACE[program].bits(index)) for index, name in enumerate(NTRACE_METHODS)]
        if program in ETRACE:
            pairs += [(f"etrace: {_AS_PUBLISHED}", ETRACE[program]), ("etrace: implicit return", ETRACE[program])]
        found += [(program, key, rate(row, key), told) for key, told in pairs if rate(row, key) > 1.02 * told]
    return found


def _why(data: dict[str, Any], program: str, key: str) -> str:
    """Why ours is larger, with what shows it."""
    row, told = row_of(data, program, 64), NTRACE[program]
    count, theirs = row["instructions"], told.instructions
    size, alone = row["sizes"][key], row["without_waiting"]
    if size.get("anchors"):
        left = size["payload"] - size["anchor_bytes"]
        return (
            f"{size['anchors']:,} anchors of {size['anchor_bytes']:,} bytes, which the encoder sends so that no"
            f" later address is ambiguous ([ruling ET-14](etrace-profile.md)); without these bytes"
            f" {8 * left / count:.3f}"
        )
    if key.startswith("etrace"):
        return f"{count:,} instructions, published {theirs:,}: another compiler"
    index = NTRACE_METHODS.index(key.partition(": ")[2])
    compared = f"{size['payload']:,} bytes of {count:,} instructions, published {told.sizes[index]:,} of {theirs:,}"
    if program == "coremark":
        faster = rate(row_of(data, FASTER, 64), key)
        return f"{compared}; with -O3 in place of -O2, which calls less, {faster:.3f}"
    if size["payload"] <= told.sizes[index]:
        return f"{compared}: fewer bytes, and fewer instructions to divide them by"
    waiting = count - alone["instructions"]
    by_itself = 8 * alone["sizes"][key]["payload"] / alone["instructions"]
    return (
        f"{compared}; in ours {waiting:,} of them wait for the host, which depends on when the program asks; without"
        f" them {by_itself:.3f}"
    )


def _compared(data: dict[str, Any], xlen: int) -> list[str]:
    rows = []
    for extra, options in EXTRAS.items():
        cells = []
        for method in COMPARED:
            key = f"{method.key} + {extra}" if options["etrace"] else method.key
            rates = [rate(row_of(data, one, xlen), key, "transported") for one in PROGRAMS]
            cells.append(f"{sum(rates) / len(rates):.3f}")
        rows.append([extra, *cells])
    names = [f"{'E' if one.ip == 'etrace' else 'N'}-Trace {one.name}" for one in COMPARED]
    return _table(["mean of the ten programs", *names], rows)


def chart(data: dict[str, Any]) -> str:
    """The best encoding of both, beside what was published, as a picture of its own."""
    shapes = []
    for program in PROGRAMS:
        row = row_of(data, program, 64)
        told = NTRACE[program].bits(NTRACE_METHODS.index("HTM + both"))
        shapes += [
            Bar("E-Trace, as published", rate(row, f"etrace: {_AS_PUBLISHED}"), ETRACE.get(program), 0, program),
            Bar("E-Trace 2.0, no option", rate(row, "etrace: no option"), None, 1),
            Bar("N-Trace HTM + both", rate(row, "ntrace: HTM + both"), told, 2),
            Bar("N-Trace HTM", rate(row, "ntrace: HTM"), NTRACE[program].bits(1), 3),
        ]
    picture = str(bars(shapes)).replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
    at = picture.index(">") + 1
    return picture[:at] + _STYLE + picture[at:] + "\n"


def _summary(data: dict[str, Any]) -> list[str]:
    """What the tables say, in two sentences."""
    rates = [rate(row_of(data, one, 64), f"etrace: {_AS_PUBLISHED}") / told for one, told in ETRACE.items()]
    pairs = [
        rate(row_of(data, one, 64), f"ntrace: {name}") / NTRACE[one].bits(index)
        for one in PROGRAMS
        for index, name in enumerate(NTRACE_METHODS)
    ]
    near = sum(pair <= 1.02 for pair in pairs)
    return [
        f"- E-Trace with implicit return, without anchors: {sum(one <= 1 for one in rates)} of {len(rates)} programs"
        f" need no more bits than published, between {min(rates):.2f} and {max(rates):.2f} times as many.",
        f"- N-Trace: {near} of {len(pairs)} figures are at most 2 % above the published one; the other"
        f" {len(pairs) - near} are explained [below](#where-ours-needs-more-bits).",
    ]


def page(data: dict[str, Any]) -> str:
    """The page in Markdown."""
    lines = [
        "# Sizes of published programs", "",
        f"Made by `rvtrace figures sizes SET=riscv-tests` on {data['date']} with {data['compiler']} of Debian,"
        f" {data['package']} and unicorn {data['unicorn']}, from `data/sizes.json`; with SAVE=0 the command only"
        " measures.", "",
        "Nine benchmarks of riscv-tests and CoreMark, compiled as their authors compile them (RV64GC and RV32GC, `-O2`,"
        " their own start code and their own `printf`), recorded from reset to the end, encoded by the encoder models,"
        " and decoded again: every figure here is of a trace from which the decoder found the path that was recorded."
        f" CoreMark runs {data['coremark_iterations']} iterations; the options of the published CoreMark are not known,"
        " so it is here with -O2 and with -O3.", "",
        "The published runs were made on Spike, which looks at `tohost` every 5000 instructions while the program waits"
        " for its host: their counts are multiples of 5000 and ten to sixteen more. The recorder does the same, and so"
        " the counts of most programs are the published ones within ten instructions; the others differ by what another"
        " compiler makes of the source.", "",
        *_summary(data), "",
        "![Bits per instruction of ten programs](../images/sizes-riscv-tests.svg)", "",
        "*Bits per instruction on RV64, payloads alone; the red lines are the published figures.*", "",
        "## E-Trace", "",
        "Bits per instruction of the payloads. The published figures are with implicit return. The algorithm of the"
        " specification has no anchors, as the encoder of the draft 0.026 has none here: the column to compare with is"
        " *draft: implicit return*. The encoder of 2.0 reports a call that follows implicit returns without a branch"
        " between them (an anchor, [ruling ET-14](etrace-profile.md)), because the text of 2.0 leaves the decoder in"
        " doubt there; that costs bits in programs that consist of short calls. An anchor takes 9 to 12 bytes: notify"
        " differs from the bit before it, so that no byte of the address can be left out.", "",
        *_etrace(data, 64), "", "RV32:", "", *_etrace(data, 32), "",
        "## N-Trace", "",
        "In parentheses the published figure of the same program (tg-nexus-trace, `refcode/c/examples/all`).", "",
        *_ntrace(data, 64), "", "RV32:", "", *_ntrace(data, 32), "",
        "## Where ours needs more bits", "",
        *_table(
            ["program, encoding", "ours", "published", "why"],
            [
                [f"{program}, {key.replace('etrace:', 'E-Trace:').replace('ntrace:', 'N-Trace:')}", f"{ours:.3f}",
                 f"{told:.3f}", _why(data, program, key)]
                for program, key, ours, told in more(data)
            ],
        ), "",
        "## Both on the same programs", "",
        "Everything that has to be stored: the bytes of N-Trace, the packets of E-Trace with the header of their"
        " transport. Time: E-Trace 32 bits in synchronization packets (the draft has none), N-Trace TSTAMP in every"
        " message, of a clock that counts ingress cycles of one block. Source: 8 bits in each E-Trace header, 6 bits"
        f" in each N-Trace message. Synchronization every 2^k packets or messages, k = {_listed(SYNC_EXPONENTS)}.", "",
        "RV64:", "", *_compared(data, 64), "", "RV32:", "", *_compared(data, 32), "",
    ]  # fmt: skip
    return "\n".join(lines)


def _listed(values: Sequence[int]) -> str:
    return ", ".join(map(str, values[:-1])) + f" and {values[-1]}"


def save(data: dict[str, Any]) -> None:
    """Write the data and the chart."""
    write(data)
    CHART.write_text(chart(data))


def line(row: dict[str, Any]) -> str:
    """One program while it is measured."""
    shown = ", ".join(f"{method.name} {rate(row, method.key):.3f}" for method in METHODS)
    return f"{row['program']} RV{row['xlen']}, {row['instructions']:,} instructions: {shown}"
