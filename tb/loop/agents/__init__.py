# SPDX-License-Identifier: Apache-2.0
"""pyuvm agents of counters and control transfer records on one hart: the only modules that access signals."""
