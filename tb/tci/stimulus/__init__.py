# SPDX-License-Identifier: Apache-2.0
"""Stimulus of the Trace Control Interface."""
