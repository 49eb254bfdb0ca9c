# SPDX-License-Identifier: Apache-2.0
"""Reports and listings made from results."""
