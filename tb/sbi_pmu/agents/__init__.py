# SPDX-License-Identifier: Apache-2.0
"""pyuvm agents of the SBI PMU extension: the only modules that access signals."""
