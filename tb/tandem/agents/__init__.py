# SPDX-License-Identifier: Apache-2.0
"""pyuvm agents of tandem trace: the only modules that access signals."""
