# SPDX-License-Identifier: Apache-2.0
"""The parameters of tci_tb, with N-Trace or E-Trace encoders: those of the encoders, and of the trace system around
them.
"""

from __future__ import annotations

from rvtrace.jobs.builds import Bench, BuildTable, Source
from rvtrace.tb.etrace.builds import BUILD as ETRACE
from rvtrace.tb.etrace.builds import ENCODER
from rvtrace.tb.ntrace.builds import BUILD as NTRACE
from rvtrace.tb.tci.job import HARTS, SRAM_BYTES, TS_WIDTH

_SYSTEM: dict[str, Source] = {"NHarts": HARTS, "SramBytes": SRAM_BYTES}
_ETRACE = {"Xlen" if name == "IAddressWidth" else name: source for name, source in ENCODER.items()}

TCI_BUILDS = {
    "ntrace": BuildTable(Bench("tci_tb", ("ntrace", "tci")), {**NTRACE.parameters, **_SYSTEM}, NTRACE.lanes),
    "etrace": BuildTable(
        Bench("tci_tb", ("etrace", "tci")),
        {**_ETRACE, "Format": 0, "TsWidth": TS_WIDTH, **_SYSTEM},
        ETRACE.lanes,
    ),
}
