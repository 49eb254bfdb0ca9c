# SPDX-License-Identifier: Apache-2.0
"""The check of CSR accesses of any block: outcomes by the rules of access (`rules`), values by the table (`check`)."""
