# SPDX-License-Identifier: Apache-2.0
"""The public API of the models has one shape: `__all__` names what exists and is documented, with configuration, error
and model of each system.
"""

import importlib
import inspect
import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.common.there import there

_CODEC = {"Config", "ConfigError", "Decoder", "DecodedTrace", "Diagnostic", "Encoder", "EncodedTrace"}
_CODEC |= {"decode", "encode", "pack", "unpack"}
SHAPE = {
    "ntrace": _CODEC | {"Message"},
    "etrace": _CODEC | {"Packet"},
    "tandem": {"Config", "ConfigError", "encode", "decode", "Decoded", "Verifier", "Report"},
    "ctr": {"Config", "ConfigError", "Ctr", "Rows", "csr", "csrs"},
    "hpm": {"Config", "ConfigError", "Hpm", "Rows", "csr", "csrs"},
    "sbi_pmu": {"Config", "ConfigError", "SbiPmu", "Record", "FUNCTIONS"},
    "tci": {"Params", "ControlError", "RegisterModel", "components"},
}


@pytest.mark.parametrize("system", SHAPE)
def test_the_api_of_a_system_has_its_shape(system: str) -> None:
    package = importlib.import_module(f"rvtrace.models.{system}")
    assert set(package.__all__) >= SHAPE[system]
    assert list(package.__all__) == sorted(set(package.__all__))
    for name in package.__all__:
        assert getattr(package, name).__doc__, f"{system}.{name} has no docstring"
    assert "Error" in there(package.__doc__), "the package names the errors that it raises"


_BARE = re.compile(r"\b(dict|list|tuple|set|frozenset|Callable|Iterable|Iterator|Mapping|Sequence)\b(?!\[)")


def _functions(public: Any) -> Iterator[tuple[str, Any]]:
    """A public function, or the methods that a public class defines itself."""
    if inspect.isfunction(public):
        yield public.__name__, public
    elif inspect.isclass(public):
        for name, value in vars(public).items():
            function = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
            ours = inspect.isfunction(function) and function.__module__.startswith("rvtrace.")
            if ours and (name[:1] != "_" or name == "__init__"):
                yield f"{public.__name__}.{name}", function


def _missing(function: Any) -> list[str]:
    signature = inspect.signature(function)
    told = {name: one.annotation for name, one in signature.parameters.items() if name not in ("self", "cls")}
    told["return"] = signature.return_annotation
    return [name for name, text in told.items() if text is inspect.Signature.empty or _BARE.search(str(text))]


@pytest.mark.parametrize("system", SHAPE)
def test_the_api_of_a_system_is_typed_in_full(system: str) -> None:
    """Parameters and results have types, and generic ones their arguments: users see them, and check by them."""
    package = importlib.import_module(f"rvtrace.models.{system}")
    found = {
        where: missing
        for name in package.__all__
        for where, function in _functions(getattr(package, name))
        if (missing := _missing(function))
    }
    classes = [one for name in package.__all__ if inspect.isclass(one := getattr(package, name))]
    bare = [
        f"{one.__name__}.{name}: {text}"
        for one in classes
        for name, text in vars(one).get("__annotations__", {}).items()
        if _BARE.search(str(text))
    ]
    assert not found and not bare
