# SPDX-License-Identifier: Apache-2.0
"""pyuvm agents of control transfer records (Smctr/Ssctr): the only modules that access signals."""
