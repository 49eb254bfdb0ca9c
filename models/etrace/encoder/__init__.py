# SPDX-License-Identifier: Apache-2.0
"""The E-Trace encoder model: blocks in, packets and bytes out (docs/reference/etrace-profile.md)."""
