# SPDX-License-Identifier: Apache-2.0
"""Inner loops at the speed of the machine: one source, which Python runs as it is and Numba compiles.

A kernel is a module of functions on columns of integers and of records (`rvtrace.models.common.records`). `functions`
gives those to use: the module itself, or all its functions compiled, with those that it imports from the modules of
`SHARED`. Both do the same; the tests run both. Numba is imported by the first trace that is long enough to be worth it,
and what it makes is kept beside the module, or in the user's cache folder where that cannot be written. Numba keeps
what it compiles by the file of the function, and does not see that a function of another file has changed: what was
made of other sources is removed first.

`TYPES` of a kernel says what its arguments are, integers where it says nothing: "int64", or a `Record` or `Block`, an
array of which is given; several in a tuple, a tuple of arrays; a class of named tuples and the types of its fields,
that. `INLINED`, if a kernel has it, names functions that become a part of those that call them: a call passes seven
values for each array.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import importlib.util
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path
from types import FunctionType, ModuleType, SimpleNamespace
from typing import Any

from rvtrace.models.common.records import Block, Record

SHARED = ("rvtrace.models.common.walking",)  # modules whose functions kernels may import
WORTH_LOADING = 256 << 10  # bytes of trace: to load Numba and the code takes as long as Python takes for so many
WORTH_COMPILING = 4 << 20  # the same where the code has to be made first
VARIABLE = "RVTRACE_COMPILED"  # "0": never, "1": always, else where it is worth it
_compiled: dict[str, SimpleNamespace | None] = {}
_forced: list[bool] = []


@contextmanager
def using(compiled: bool) -> Iterator[None]:
    """Within it all kernels run compiled, or none does."""
    _forced.append(compiled)
    try:
        yield
    finally:
        _forced.pop()


def is_compiled(module: ModuleType, size: int) -> bool:
    """Whether a trace of `size` bytes (as far as is known) is worth the compiled functions of a kernel."""
    forced = _forced[-1] if _forced else {"0": False, "1": True}.get(os.environ.get(VARIABLE, ""))
    if forced is not None:
        return forced and compiled(module) is not None
    if module.__name__ in _compiled:
        return _compiled[module.__name__] is not None
    if size < WORTH_LOADING or importlib.util.find_spec("numba") is None:
        return False
    return (size >= WORTH_COMPILING or is_kept(module)) and compiled(module) is not None


def functions(module: ModuleType, use_compiled: bool) -> Any:
    """The functions of a kernel, by name."""
    return compiled(module) if use_compiled else module


def compiled(module: ModuleType) -> SimpleNamespace | None:
    """The functions of a kernel, compiled or taken from the cache; None without Numba."""
    name = module.__name__
    if name not in _compiled:
        if not _has_compiler():
            _compiled[name] = None
            return None
        if not is_kept(module):
            _discard(module)
            print(f"compiling {name.rpartition('rvtrace.')[2]} (once, some 20 s)", file=sys.stderr, flush=True)
        space, made = dict(vars(module)) | _shared(module), SimpleNamespace()
        for key, value in vars(module).items():
            if isinstance(value, FunctionType) and value.__module__ == name:
                if value.__code__.co_filename != module.__file__:  # of `Record.copier`
                    space[key] = _inlined(value, space)
                    continue
                copy = FunctionType(value.__code__, space, key)
                copy.__module__, copy.__doc__ = name, value.__doc__
                inlined = key in getattr(module, "INLINED", ())
                space[key] = _compile(copy, _signature(value, module), inlined)
                setattr(made, key, _entry(space[key]))
        _compiled[name] = made
        _keep(module)
    return _compiled[name]


def _shared(module: ModuleType) -> dict[str, Any]:
    """The functions that a kernel imports, compiled with each of those that call them."""
    found: dict[str, Any] = {}
    for name in {value.__module__ for value in vars(module).values() if isinstance(value, FunctionType)} & {*SHARED}:
        space = dict(vars(importlib.import_module(name)))
        for key, value in list(space.items()):
            if isinstance(value, FunctionType) and value.__module__ == name:
                space[key] = _inlined(value, space)
        found |= {key: space[value.__name__] for key, value in vars(module).items()
                  if isinstance(value, FunctionType) and value.__module__ == name}  # fmt: skip
    return found


def _inlined(function: FunctionType, space: dict[str, Any]) -> Any:
    """Compiled for the types that a caller gives, when that is compiled."""
    import numba

    copy = FunctionType(function.__code__, space, function.__name__, function.__defaults__)
    njit: Any = numba.njit
    return njit(_nrt=False)(copy)


def _has_compiler() -> bool:
    try:
        import numba
    except ImportError:
        return False
    return bool(numba.__version__)


def _compile(function: FunctionType, signature: Any, inlined: bool) -> Any:
    """Compiled, or from the cache; where there is no folder for a cache, compiled."""
    import numba

    njit: Any = numba.njit  # whose types do not know `_nrt`: nothing is allocated, so no references are counted
    try:
        return njit(signature, cache=True, _nrt=False, forceinline=inlined)(function)
    except RuntimeError as error:
        if "cache" not in str(error):
            raise
        return njit(signature, _nrt=False, forceinline=inlined)(function)


def _entry(function: Any) -> Any:
    """A compiled function for Python to call. Numba would look for the signature in each call, which takes ten times as
    long as the call where arguments are arrays of records. TypeError if an array has rows of another size.
    """
    (only,) = function.overloads.values()
    return only.entry_point


def _signature(function: FunctionType, module: ModuleType) -> Any:
    """One signature for each function, so that nothing is compiled twice: integers unless the module says otherwise."""
    from numba import types

    code, given = function.__code__, module.TYPES
    arguments = [_type(given[name]) if name in given else types.int64 for name in code.co_varnames[: code.co_argcount]]
    return (types.void if function.__annotations__["return"] == "None" else types.int64)(*arguments)


def _type(of: tuple[Any, ...]) -> Any:
    """The type of an argument. Bytes are read-only, but in a named tuple, of which Numba converts no part."""
    from numba import from_dtype, types

    named = of[0] if isinstance(of[0], type) else None
    arrays = [
        types.Array(from_dtype(each.dtype), 1, "C")
        if isinstance(each, (Record, Block))
        else types.Array(getattr(types, each), 1, "C", readonly=named is None and each == "uint8")
        for each in (of if named is None else of[1:])
    ]
    if named is not None:
        return types.NamedTuple(arrays, named)
    return arrays[0] if len(arrays) == 1 else types.Tuple(arrays)


def is_kept(module: ModuleType) -> bool:
    """Whether the code of a kernel as it is now has been compiled here, as far as can be seen without Numba."""
    mark, source = _mark(module)
    try:
        return mark.read_text() == source
    except OSError:
        return False


def _discard(module: ModuleType) -> None:
    """Remove what was compiled of other sources."""
    mark, _ = _mark(module)
    for kept in mark.parent.glob(f"{Path(module.__file__ or '').stem}.*.nb[ic]"):
        with contextlib.suppress(OSError):
            kept.unlink()


def _keep(module: ModuleType) -> None:
    mark, source = _mark(module)
    with contextlib.suppress(OSError):  # then Numba keeps its code elsewhere, or nowhere
        mark.parent.mkdir(exist_ok=True)
        mark.write_text(source)


def _mark(module: ModuleType) -> tuple[Path, str]:
    """A file beside the compiled code, and what it says: of which sources and by which Numba that was made."""
    path = Path(module.__file__ or "")
    used = {value.__module__ for value in vars(module).values() if isinstance(value, FunctionType)} & {*SHARED}
    files = [path, *(Path(sys.modules[name].__file__ or "") for name in sorted(used))]
    digest = hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()
    name = f"{path.stem}.{sys.implementation.cache_tag}.compiled"
    return path.parent / "__pycache__" / name, f"{digest} numba {metadata.version('numba')}\n"
