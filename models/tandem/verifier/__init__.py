# SPDX-License-Identifier: Apache-2.0
"""The tandem verifier (chapter 3): a decoded trace against an instruction set simulator."""
