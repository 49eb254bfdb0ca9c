# SPDX-License-Identifier: Apache-2.0
"""The parameters of tandem_tb. OutBytes and FifoRows change no byte: each lane count and width has its own values, so
that all are run.
"""

from __future__ import annotations

from rvtrace.jobs.builds import Bench, BuildTable, vector
from rvtrace.models.tandem.config import Config
from rvtrace.models.tandem.table import PARTS

_OUTPUT = {(64, 1): (32, 8), (64, 2): (64, 16), (32, 1): (4, 2), (32, 2): (8, 4)}  # OutBytes, FifoRows


def _absent(config: Config) -> str:
    return vector([sum(1 << bit for bit, part in enumerate(PARTS) if part.absent in config.absent)], len(PARTS))


BUILD = BuildTable(
    Bench("tandem_tb", ("tandem",)),
    {
        "Xlen": "xlen",
        "Flen": "flen",
        "Mlen": "mlen",
        "NLanes": "lanes",
        "Incremental": "incremental",
        "ImpliedEnd": "implied_end",
        "Absent": _absent,
        "ResponseDataOnFailure": "response_data_on_failure",
        "OutBytes": lambda c: _OUTPUT[c.xlen, c.lanes][0],
        "FifoRows": lambda c: _OUTPUT[c.xlen, c.lanes][1],
    },
    lanes="lanes",
)
