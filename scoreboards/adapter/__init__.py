# SPDX-License-Identifier: Apache-2.0
"""Checks of the adapters between a core and trace sources."""
