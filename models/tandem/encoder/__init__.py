# SPDX-License-Identifier: Apache-2.0
"""The tandem-trace encoder model, and the sources of its rows."""
