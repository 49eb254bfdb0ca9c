# SPDX-License-Identifier: Apache-2.0
"""Why a trace does not decode: one search over deviations from the specification, with a budget of CPU time."""
