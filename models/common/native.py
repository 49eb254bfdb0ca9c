# SPDX-License-Identifier: Apache-2.0
"""Inner loops at the speed of the machine: one source, which Python runs as it is and Numba compiles.

A kernel is a module of functions on columns of integers and of records (`rvtrace.models.common.records`). `functions`
gives those to use: the module itself, or all its functions compiled, with those that it imports from the modules of
`SHARED`. Both do the same; the tests run both. Numba is imported by the first trace that is long enough to be worth it,
and what it makes is kept in the cache folder of this user for all checkouts, in a folder of its own for each content
of the sources, compiler and its version; beside the module where that folder cannot be written. Numba keeps what it
compiles by the file of the function, and does not see that a function of another file has changed: beside the module,
what was made of other sources is removed first.

`TYPES` of a kernel says what its arguments are, integers where it says nothing: "int64", or a `Record` or `Block`, an
array of which is given; several in a tuple, a tuple of arrays; a class of named tuples and the types of its fields,
that. `INLINED`, if a kernel has it, names functions that become a part of those that call them: a call passes seven
values for each array.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import importlib
import importlib.util
import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path
from types import FunctionType, ModuleType, SimpleNamespace
from typing import Any

from rvtrace.models.common import records, user_cache
from rvtrace.models.common.records import Block, Record

SHARED = ("rvtrace.models.common.walking",)  # modules whose functions kernels may import
WORTH_LOADING = 256 << 10  # bytes of trace: to load Numba and the code takes as long as Python takes for so many
WORTH_COMPILING = 4 << 20  # the same where the code has to be made first
VARIABLE = "RVTRACE_COMPILED"  # "0": never, "1": always, else where it is worth it
_KEPT = 4  # folders of one kernel: checkouts of other revisions
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
        with _held(module):
            _compiled[name] = _made(module)
    return _compiled[name]


def _made(module: ModuleType) -> SimpleNamespace:
    """The functions, while no other process makes them."""
    name = module.__name__
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
            space[key] = _compile(copy, _signature(value, module), inlined, module)
            setattr(made, key, _entry(space[key]))
    _keep(module)
    return made


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


def _compile(function: FunctionType, signature: Any, inlined: bool, module: ModuleType) -> Any:
    """Compiled, or from the cache; where there is no folder for a cache, compiled. What is damaged there, such as by a
    full disk, is made again.
    """
    import numba

    njit: Any = numba.njit  # whose types do not know `_nrt`: nothing is allocated, so no references are counted
    _locate(module)
    for cached in (True, True, False):
        try:
            return njit(signature, cache=cached, _nrt=False, forceinline=inlined)(function)
        except Exception:  # of a damaged file, whatever its bytes make of it; of no folder, a RuntimeError
            if not cached:
                raise
            stem = Path(module.__file__ or "").stem
            for kept in _mark(module)[0].parent.glob(f"{stem}.{function.__name__}-*.nb[ic]"):
                with contextlib.suppress(OSError):
                    kept.unlink()
    raise AssertionError("the last one is not cached")


def _locate(module: ModuleType) -> None:
    """Numba looks for the functions of this module in its folder of the user's cache; where it is another Numba than
    the one that we know, beside the module.
    """
    folder = _folder(module)
    try:
        from numba.core import caching

        class Ours(caching._CacheLocator):  # pyright: ignore[reportPrivateUsage]
            """The folder, whose name says what it is made of: there is no other stamp."""

            of = module.__file__

            def get_cache_path(self) -> str:
                return str(folder)

            def get_source_stamp(self) -> str:
                return folder.name if folder is not None else ""

            def get_disambiguator(self) -> str:
                return ""

            @classmethod
            def from_function(cls, py_func: Any, py_file: str) -> Any:
                return cls() if folder is not None and py_file == cls.of else None

        known = [one for one in caching.CacheImpl._locator_classes if getattr(one, "of", None) != module.__file__]
        caching.CacheImpl._locator_classes = [Ours, *known]
    except (ImportError, AttributeError):
        return


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
        mark.parent.mkdir(parents=True, exist_ok=True)
        part = mark.with_name(f"{mark.name}.{os.getpid()}")
        part.write_text(source)
        part.replace(mark)
    if (folder := _folder(module)) is not None:
        _prune(folder)


def _prune(folder: Path) -> None:
    """Remove the oldest folders of the same kernel."""
    alike = folder.name.rpartition("-")[0]
    with contextlib.suppress(OSError):
        found = [one for one in folder.parent.glob(f"{alike}-*") if one != folder and one.is_dir()]
        for old in sorted(found, key=lambda one: one.stat().st_mtime)[: -_KEPT + 1]:
            shutil.rmtree(old, ignore_errors=True)


@contextmanager
def _held(module: ModuleType) -> Iterator[None]:
    """One process at a time makes the code of a kernel; the others wait, and find it."""
    folder = _folder(module)
    try:
        lock = open(folder.with_name(f"{folder.name}.lock"), "w") if folder is not None else None  # noqa: SIM115
    except OSError:
        lock = None
    if lock is None:
        yield
        return
    with lock:
        with contextlib.suppress(OSError):  # a file system without locks: two may make the same
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _folder(module: ModuleType) -> Path | None:
    """The folder of a kernel in the cache of this user; None where there can be none."""
    place = user_cache.home() / "kernels"
    name = module.__name__.rpartition("rvtrace.")[2]
    folder = place / f"{name}-{hashlib.sha256(_source(module).encode()).hexdigest()[:20]}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError:
        return None


def _mark(module: ModuleType) -> tuple[Path, str]:
    """A file beside the compiled code, and what it says: of which sources and by which Numba that was made."""
    path, folder = Path(module.__file__ or ""), _folder(module)
    name = f"{path.stem}.{sys.implementation.cache_tag}.compiled"
    return (path.parent / "__pycache__" if folder is None else folder) / name, _source(module)


def _source(module: ModuleType) -> str:
    """A digest of the sources, and what they are compiled with and for."""
    used = {value.__module__ for value in vars(module).values() if isinstance(value, FunctionType)} & {*SHARED}
    paths = [module.__file__, records.__file__, *(sys.modules[name].__file__ for name in sorted(used))]
    digest = hashlib.sha256(b"".join(Path(path or "").read_bytes() for path in paths)).hexdigest()
    versions = " ".join(f"{name} {_version(name)}" for name in ("numba", "llvmlite"))
    return f"{digest} {versions} {sys.implementation.cache_tag} {platform.machine()}\n"


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "-"
