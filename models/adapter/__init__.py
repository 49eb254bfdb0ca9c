# SPDX-License-Identifier: Apache-2.0
"""What the adapters of rtl/adapters are given and give: RVFI, the trap port, and the hart port that follows."""
