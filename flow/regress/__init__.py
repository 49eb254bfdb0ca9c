# SPDX-License-Identifier: Apache-2.0
"""Regressions: folders, failure buckets, queueing systems."""
