# SPDX-License-Identifier: Apache-2.0
"""Builds of the E-Trace encoder that `rvtrace figures area` synthesizes: what each is called, and its parameters."""

from __future__ import annotations

# Everything of an encoder that is an option, switched off; one variant is left.
NONE = {
    "BpredSize": "0",
    "CacheSize": "0",
    "ReturnStackSize": "0",
    "SijumpEn": "1'b0",
    "DraftEn": "1'b0",
    "ImplicitExceptionEn": "1'b0",
    "FullAddressEn": "1'b0",
    "FilterEn": "1'b0",
    "StampEn": "1'b0",
    "SyncModes": "4'd1",
}
_BARE = {**NONE, "NoContext": "1'b1"}
_DRAFT = {"DraftEn": "1'b1", "RatifiedEn": "1'b0", "BcountBits": "16"}
AREAS = (
    ("everything", {}),
    ("everything, RV32", {"IAddressWidth": "32"}),
    ("everything, two blocks", {"NBlocks": "2"}),
    ("everything, 2.0 only", {"DraftEn": "1'b0"}),
    ("everything, no filters", {"FilterEn": "1'b0"}),
    ("no option, 2.0 only, queue of 4", {**_BARE, "FifoDepth": "4"}),
    ("the same, with context", {**NONE, "FifoDepth": "4"}),
    ("the same, with context and all sync modes", {**NONE, "FifoDepth": "4", "SyncModes": "4'd15"}),
    ("no option, draft only, queue of 4", {**_BARE, "FifoDepth": "4", **_DRAFT}),
    ("no option, 2.0 only, queue of 8", {**_BARE, "FifoDepth": "8"}),
    ("the same, two blocks", {**_BARE, "FifoDepth": "8", "NBlocks": "2"}),
)
