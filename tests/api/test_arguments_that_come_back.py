"""A compiled function that returns an argument returns that array, as Python does."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import retrograd as rg

TABLE = np.array([1.0, 2.0])


def same(x: Any) -> Any:
    return x


def filled(x: Any, out: Any) -> Any:
    for k in range(len(x)):
        out[k] = 2.0 * x[k]
    return out


def several(x: Any, p: Any) -> Any:
    p["w"][0] += 1.0
    return x, {"again": p["w"], "part": x[1:], "sum": np.sum(x)}, [p["w"] * 1.0, TABLE]


def one_or_the_other(x: Any, y: Any, flag: bool) -> Any:
    return x if flag else y


def other_names(x: Any) -> Any:
    y = x
    y[0] = 5.0
    z = x.copy()
    return y, z


def test_whole_arguments_are_themselves() -> None:
    x, out = np.array([1.0, 2.0, 3.0]), np.zeros(3)
    for _ in range(2):
        assert rg.jit(same)(x) is x
        assert rg.jit(filled)(x, out) is out
        np.testing.assert_array_equal(out, [2.0, 4.0, 6.0])
    w = np.array([1.0, 1.0])
    first, tree, (fresh, table) = rg.jit(several)(x, {"w": w})
    assert first is x
    assert tree["again"] is w
    assert table is TABLE
    assert not np.shares_memory(tree["part"], x)
    assert not np.shares_memory(fresh, w)
    np.testing.assert_array_equal(w, [2.0, 1.0])
    np.testing.assert_array_equal(tree["part"], [2.0, 3.0])
    np.testing.assert_array_equal(fresh, w)
    y, z = rg.jit(other_names)(x)
    assert y is x
    assert z is not x
    np.testing.assert_array_equal(z, [5.0, 2.0, 3.0])
    view = np.arange(12.0).reshape(3, 4).T
    assert rg.jit(same)(view) is view
    nothing = np.zeros((0, 2))
    assert rg.jit(same)(nothing) is nothing
    z = np.array([1.0 + 2.0j])
    np.testing.assert_array_equal(rg.jit(same)(z), z)


@pytest.mark.parametrize("flag", [True, False])
def test_what_is_chosen_at_run_time_is_a_copy_of_it(flag: bool) -> None:
    x, y = np.array([1.0]), np.array([2.0])
    found = rg.jit(one_or_the_other)(x, y, flag)
    np.testing.assert_array_equal(found, x if flag else y)


def test_derivatives_give_copies() -> None:
    x, out = np.array([1.0, 2.0]), np.array([9.0, 9.0])

    def loss(x: Any, out: Any) -> Any:
        filled(x, out)
        return np.sum(out), (x, out)

    (_, (given, written)), slopes = rg.value_and_grad(loss, has_aux=True)(x, out)
    assert not np.shares_memory(given, x)
    np.testing.assert_array_equal(written, [2.0, 4.0])
    np.testing.assert_array_equal(out, [9.0, 9.0])
    np.testing.assert_array_equal(slopes, [2.0, 2.0])
    primal, tangent = rg.jvp(same, (x,), (np.array([1.0, 0.0]),))
    assert primal is not x
    np.testing.assert_array_equal(tangent, [1.0, 0.0])


def test_objects_get_the_arrays_that_are_there() -> None:
    def give(held: Any, x: Any) -> Any:
        held.pair = (x, held.w)
        return held

    class Plain:
        def __init__(self, w: Any) -> None:
            self.w = w
            self.pair: Any = (w, w)

    held, x = Plain(np.array([1.0])), np.array([3.0])
    assert rg.jit(give)(held, x) is held
    assert held.pair[0] is x
    assert held.pair[1] is held.w


SCRIPT = """
import numpy as np, retrograd as rg
from model import filled
f = rg.jit(filled)
x, out = np.array([1.0, 2.0]), np.zeros(2)
assert f(x, out) is out and out[1] == 4.0
"""


def test_programs_on_disk_know_it(tmp_path: Path) -> None:
    text = "def filled(x, out):\n    for k in range(len(x)):\n        out[k] = 2.0 * x[k]\n"
    (tmp_path / "model.py").write_text(text + "    return out\n")
    (tmp_path / "main.py").write_text(SCRIPT)
    for _ in range(2):
        subprocess.run([sys.executable, "main.py"], cwd=tmp_path, check=True, timeout=120)
    f = pickle.loads(pickle.dumps(rg.jit(same)))
    assert f(TABLE) is TABLE
