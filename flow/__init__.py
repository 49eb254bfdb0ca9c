# SPDX-License-Identifier: Apache-2.0
"""The simulation flow: build, simulate, jobs, regressions, coverage closure, attaching a DUT."""
