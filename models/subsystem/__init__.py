# SPDX-License-Identifier: Apache-2.0
"""One hart with five trace sources: N-Trace, E-Trace, tandem trace, control transfer records and counters.
Configuration and events.
"""
