# SPDX-License-Identifier: Apache-2.0
"""Real programs of others: built from an installed package, recorded, measured."""
