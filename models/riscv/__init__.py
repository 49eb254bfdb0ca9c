# SPDX-License-Identifier: Apache-2.0
"""The hart's side: instructions, programs, retire streams and ingress blocks."""
