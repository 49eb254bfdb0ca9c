# SPDX-License-Identifier: Apache-2.0
"""pyuvm agents of hardware performance counters: the only modules that access signals."""
