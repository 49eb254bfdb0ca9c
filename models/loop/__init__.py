# SPDX-License-Identifier: Apache-2.0
"""Counters (Sscofpmf), the SBI PMU extension and control transfer records on one hart: configuration, and a sample at a
counter overflow.
"""
