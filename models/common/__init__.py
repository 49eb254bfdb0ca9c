# SPDX-License-Identifier: Apache-2.0
"""Model parts that several systems share."""
