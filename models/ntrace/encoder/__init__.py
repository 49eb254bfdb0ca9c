# SPDX-License-Identifier: Apache-2.0
"""The N-Trace encoder model: blocks in, messages and bytes out (docs/reference/ntrace-profile.md)."""
