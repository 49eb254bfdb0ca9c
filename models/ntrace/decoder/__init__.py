# SPDX-License-Identifier: Apache-2.0
"""The N-Trace decoder: bytes and program in, executed instructions out (chapter 11)."""
