# SPDX-License-Identifier: Apache-2.0
"""The E-Trace decoder: packets and program in, executed instructions out."""
