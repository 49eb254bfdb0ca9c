# SPDX-License-Identifier: Apache-2.0
"""pyuvm agents of all systems: the only modules that access signals."""
