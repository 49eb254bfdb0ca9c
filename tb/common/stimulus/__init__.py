# SPDX-License-Identifier: Apache-2.0
"""Stimulus of all systems."""
