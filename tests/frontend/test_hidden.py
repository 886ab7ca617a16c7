"""Globals and captured values: read at every call; functions and modules baked in and guarded."""

import numpy as np
import pytest

from retrograd.backends.interp.eval import run
from retrograd.errors import UserError
from retrograd.prims import DEFAULT
from tests.frontend import other_module
from tests.frontend.harness import agree, traced

SCALE = 2.0
TABLE = np.array([1.0, 2.0, 3.0])
PAIR = (1.5, 2)
STEPS = 3


def uses_globals(x):
    s = x * SCALE
    for i in range(STEPS):
        s += TABLE[i] * PAIR[0]
    return s + PAIR[1]


def calls_user_of_globals(x):
    def inner(v):
        return uses_globals(v) + uses_globals(v * 2)

    return inner(x) + SCALE


def deep_recursion(n):
    return SCALE if n == 0 else deep_recursion(n - 1) + TABLE[0]


def writes_global(x):
    TABLE[0] = x
    return TABLE[0] + TABLE[1]


def uses_other_module(x):
    return x + other_module.SHIFT


def plain(x):
    return x + 1


def uses_plain(x):
    return plain(x)


@pytest.mark.parametrize("f", [uses_globals, calls_user_of_globals, uses_other_module])
def test_same_as_python(f):
    agree(f, 1.5)


def test_recursion_reads_globals():
    agree(deep_recursion, 3)


def test_values_are_read_at_every_call():
    factor = 2.0
    weights = np.array([1.0, 2.0])

    def f(x):
        return x * factor + weights[1]

    found = traced(f, 1.0)
    assert [h.kind for h in found.hidden] == ["cell", "cell"]
    assert found.unflatten(run(found.program, found.flatten((1.0,)), DEFAULT)) == 4.0
    factor = 3.0
    weights[1] = 10.0
    assert found.unflatten(run(found.program, found.flatten((1.0,)), DEFAULT)) == 13.0


def test_written_globals_are_reported():
    found = traced(writes_global, 5.0)
    flat = found.flatten((5.0,))
    results = run(found.program, flat, DEFAULT)
    assert found.unflatten(results) == 7.0
    (position,) = found.written
    assert flat[position] is TABLE
    assert results[found.results][0] == 5.0


def test_arguments_written_only_where_they_are():
    def f(a, b):
        b[0] = a[0]
        return a[0]

    found = traced(f, np.ones(2), np.ones(2))
    assert found.written == (1,)


def test_guards_fail_when_a_function_changes():
    def local(x):
        return x + 1

    def f(x):
        return local(x)

    found = traced(f, 1.0)
    assert found.holds()
    local.__code__ = (lambda x: x + 2).__code__
    assert not found.holds()


def test_guards_fail_when_a_name_is_bound_anew(monkeypatch):
    found = traced(uses_plain, 1.0)
    assert found.holds()
    monkeypatch.setitem(uses_plain.__globals__, "plain", lambda x: x + 2)
    assert not found.holds()


def test_attributes_of_numpy_are_looked_at_together():
    def f(x):
        return np.sin(x) + np.cos(x)

    watch = traced(f, 1.0).watch
    assert len(watch.others) == 1  # f itself
    assert len(watch.spaces) == 2  # the module's globals and NumPy's


def test_outer_functions_are_not_assigned():
    def total():
        return 0.0

    def f(x):
        nonlocal total
        total = x
        return x

    with pytest.raises(UserError) as caught:
        traced(f, 1.0)
    assert caught.value.code == "RG0101"
