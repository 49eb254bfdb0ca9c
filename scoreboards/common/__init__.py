# SPDX-License-Identifier: Apache-2.0
"""Clauses, verdicts and the parts of checks that several systems share."""
