# SPDX-License-Identifier: Apache-2.0
"""A value in dut.toml that becomes SystemVerilog: an expression, and nothing that does something."""

from __future__ import annotations

import re
from typing import Any

# Functions that depend on their argument alone.
FUNCTIONS = ("$clog2", "$signed", "$unsigned", "$bits", "$countones", "$onehot", "$onehot0", "$isunknown")
_TEXT = re.compile(r'"(?:[^"\\]|\\.)*"')
_SYSTEM = re.compile(r"(?<![\w$])\$\w+")


class ExpressionError(ValueError):
    """A value that is no expression; the text says where, what was found and what to do."""


def expression(where: str, value: Any) -> str:
    """A SystemVerilog expression: text, or a number or switch as TOML has it; ExpressionError if it is none, or could
    do more than give a value.
    """
    if isinstance(value, bool):
        return "1'b1" if value else "1'b0"
    if isinstance(value, int):
        return str(value)
    if not isinstance(value, str) or not value.strip():
        raise ExpressionError(
            f'{where} = {value!r} is no expression; write SystemVerilog in quotes, such as "1\'b0" or "name[7:0]"'
        )
    bare = _TEXT.sub('""', value)
    for name in _SYSTEM.findall(bare):
        if name not in FUNCTIONS:
            raise ExpressionError(
                f'{where} = "{value}" calls {name}, and an expression only connects signals: of the system functions it'
                f" may use {', '.join(FUNCTIONS)}; write a wrapper.sv for anything else"
            )
    for mark, what in ((";", "the end of a statement"), ("//", "a comment"), ("/*", "a comment")):
        if mark in bare:
            raise ExpressionError(f'{where} = "{value}" has {what}; write one expression')
    return " ".join(value.split())
