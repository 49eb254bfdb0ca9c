# SPDX-License-Identifier: Apache-2.0
"""The build of a system with SBI PMU: the simulation of the counters."""

from __future__ import annotations

from rvtrace.tb.hpm import builds as hpm

BUILD = hpm.BUILD
