# SPDX-License-Identifier: Apache-2.0
"""The instruction set simulators of the tandem verifier."""
