# SPDX-License-Identifier: Apache-2.0
"""Thin command lines over the rest: run, capture, decode, check, report and their helpers."""
