# SPDX-License-Identifier: Apache-2.0
"""Records in kernels: the same as objects and as arrays, with hash tables, a return stack and its undo."""

import random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from rvtrace.models.common import native
from rvtrace.models.common.records import Hash, Record
from rvtrace.models.common.walking import LOGGED, PLACE, REPEAT, bits, place
from tests.common import kernel_of_records as k
from tests.common.compiled import both, needs_compiler

DEPTH = 2 * LOGGED


def columns(compiled: bool) -> tuple[k.Columns, Any]:
    state, nodes, places = k.STATE.rows(2, 0), k.NODE.rows(3), Hash(PLACE, place)
    for index, row in enumerate(((2, 1, -1), (3, 2, 7), (1, 0, 8))):
        k.NODE.put(nodes, index, row)
    for key in range(0, 1000, 7):
        places.add(key, key + 1)
    m = k.Columns(state, nodes, places.rows, REPEAT.rows(2), [0] * DEPTH, [0] * 2 * DEPTH, [0] * (DEPTH + 1))
    if not compiled:
        return m, native.functions(k, False)
    places.compile()
    some = [k.STATE.array(state), k.NODE.array(nodes), places.rows, REPEAT.array(m.repeats)]
    return k.Columns(*some, *(np.array(each, np.int64) for each in m[4:])), native.functions(k, True)


@both
def test_a_walk(compiled):
    m, kernel = columns(compiled)
    assert kernel.run(m, 5) == 2 + 3 + 1 + 2 + 3
    s = k.STATE.at(m.state, 0)
    assert (s.node, s.count, s.deep) == (2, 11, 3) and isinstance(s.count, int)
    assert [kernel.back(m) for _ in range(4)] == [7, 8, 7, -1]
    s.node = 0
    assert kernel.run(m, 1) == 13


@both
def test_a_hash_table(compiled):
    m, kernel = columns(compiled)
    assert [kernel.at(m, key) for key in (0, 7, 994, 8)] == [1, 8, 995, -1]


@both
@pytest.mark.parametrize("pushes", [0, 1, LOGGED, LOGGED + 1, DEPTH + 3, 4 * DEPTH])
def test_what_is_undone(compiled, pushes):
    m, kernel = columns(compiled)
    rng = random.Random(pushes)
    for number in range(DEPTH + 20):
        kernel.call(m, number)
    before = list(m.calls)
    kernel.remember(m)
    kernel.keep(m)
    for number in range(pushes):
        if rng.random() < 0.3:
            kernel.back(m)
        kernel.call(m, 1000 + number)
    assert kernel.is_same(m) == (not pushes)
    kernel.restore(m)
    assert kernel.is_same(m) and list(m.calls) == before


@both
def test_turns(compiled):
    m, kernel = columns(compiled)
    kernel.run(m, 3)
    assert kernel.turn(m, 2, 10) and k.STATE.at(m.state, 0).count == 46
    assert REPEAT.get(m.repeats, 0) == (0, 4, 10)
    assert kernel.turn(m, 0, 0) and kernel.turn(m, 46, 1) and k.STATE.at(m.state, 0).repeats == 1
    assert kernel.turn(m, 45, 1) and not kernel.turn(m, 45, 1)


def test_rows_grow():
    for rows in (k.NODE.rows(2), k.NODE.array(k.NODE.rows(2))):
        k.NODE.put(rows, 1, (5, 6, 7))
        longer = k.NODE.longer(rows)
        assert [k.NODE.get(longer, at) for at in range(4)] == [(-1,) * 3, (5, 6, 7), (-1,) * 3, (-1,) * 3]
        assert k.NODE.listed(longer, 2) == [(-1,) * 3, (5, 6, 7)]
    table = Hash(PLACE, place)
    table.compile()
    for key in range(500):
        table.add(3 * key, key)
    assert table.used == 500 and len(table.rows) >= 2000
    assert repr(k.NODE.one(number=4)) == "Node(number=4, after=-1, back=-1)"
    assert Record("Pair", "one other").dtype.names == ("one", "other")


def test_bits():
    assert [bits(value) for value in (0, 1, 2, 255, 256, 1 << 62, (1 << 63) - 1)] == [0, 1, 2, 8, 9, 63, 63]


def test_what_was_compiled_of_other_sources_goes(tmp_path, monkeypatch):
    """Numba keeps code by the file of its function, and does not see a change of `walking`."""
    monkeypatch.setenv("XDG_CACHE_HOME", "/dev/null")  # no folder can be made there
    module: Any = SimpleNamespace(__name__="kernel", __file__=str(tmp_path / "kernel.py"), run=k.run, push=k.push)
    (tmp_path / "kernel.py").write_text("")
    (tmp_path / "__pycache__").mkdir()
    kept = tmp_path / "__pycache__" / "kernel.run-1.py311.nbi"
    kept.write_text("")
    native._keep(module)
    assert native.is_kept(module)
    changed = tmp_path / "walking.py"
    changed.write_text("changed")
    monkeypatch.setattr("rvtrace.models.common.walking.__file__", str(changed))
    assert not native.is_kept(module)
    native._discard(module)
    assert not kept.exists()


@needs_compiler
def test_compiled_code_refuses_an_array_of_another_kind():
    m, kernel = columns(compiled=True)
    for wrong in (m._replace(nodes=m.state), m._replace(calls=list(m.calls)), m._replace(log=m.log.astype(np.int32))):
        with pytest.raises(TypeError):
            kernel.run(wrong, 1)


@both
def test_a_block(compiled):
    """Records and columns in one row."""
    block = [k.BLOCK.one(state=k.STATE.one(0, count=4), states=k.STATE.rows(3), calls=list(range(8)))]
    rows = k.BLOCK.array(block[0]) if compiled else block
    assert native.functions(k, compiled).in_block(rows, 2) == 8
    state, states, calls = (k.BLOCK.at(rows, name) for name in k.BLOCK.parts)
    assert state.count == 5 and [k.STATE.at(states, index).count for index in range(3)] == [-1, -1, 5]
    assert list(calls) == [0, 1, 6, 3, 4, 5, 6, 7]
    state.count, calls[0] = 7, 9
    assert k.BLOCK.at(rows, "state").count == 7 and k.BLOCK.at(rows, "calls")[0] == 9
