# SPDX-License-Identifier: Apache-2.0
"""pyuvm agents of the subsystem with all five trace sources: the only modules that access signals."""
