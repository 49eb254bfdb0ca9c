# SPDX-License-Identifier: Apache-2.0
"""pyuvm agents of the Trace Control Interface: the only modules that access signals."""
