# SPDX-License-Identifier: Apache-2.0
"""Builds of the N-Trace encoder that `rvtrace figures area` synthesizes: what each is called, and its parameters."""

from __future__ import annotations

# Everything of an encoder that is an option, switched off; one variant is left.
NONE = {
    "StackDepth": "0",
    "Rc7En": "1'b0",
    "HtmEn": "1'b0",
    "RepeatedHistoryEn": "1'b0",
    "RepeatBranchEn": "1'b0",
    "SequentialJumpEn": "1'b0",
    "AllJumpsEn": "1'b0",
    "BtypeExtEn": "1'b0",
    "ContextEn": "1'b0",
    "HcontextEn": "1'b0",
    "TimestampEn": "1'b0",
    "SrcEn": "1'b0",
    "ExtendAddrEn": "1'b0",
    "VendorEn": "1'b0",
    "FilterEn": "1'b0",
    "SyncModes": "4'd1",
}
_HTM = {**NONE, "FifoDepth": "8", "HtmEn": "1'b1"}
AREAS = (
    ("everything", {}),
    ("everything, RV32", {"Xlen": "32"}),
    ("everything, two blocks", {"NBlocks": "2"}),
    ("everything, ratified 1.0 only", {"Rc7En": "1'b0"}),
    ("everything, no filters", {"FilterEn": "1'b0"}),
    ("no option, BTM, 1.0 only, queue of 8", {**NONE, "FifoDepth": "8"}),
    ("the same, with HTM", _HTM),
    ("the same, with HTM, Ownership and TSTAMP", {**_HTM, "ContextEn": "1'b1", "TimestampEn": "1'b1"}),
    ("no option, BTM, 1.0 only, queue of 16", {**NONE, "FifoDepth": "16"}),
    ("the same, two blocks", {**NONE, "FifoDepth": "16", "NBlocks": "2"}),
)
