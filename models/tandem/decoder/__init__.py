# SPDX-License-Identifier: Apache-2.0
"""The tandem-trace decoder: bytes in, sections and the shadow state out."""
