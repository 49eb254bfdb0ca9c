# SPDX-License-Identifier: Apache-2.0
"""What the specifications say: a library of reference models that needs no simulator."""
