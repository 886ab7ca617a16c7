"""Of branches inside of branches, each was gone through for every one around it, and again for each
array that it changes: 80 of them took eight seconds."""

from __future__ import annotations

import linecache
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.backends.llvm.plan import Planner
from retrograd.ir.terms import Stm, Var


def chain(count: int) -> Any:
    """A function with so many branches after `else`, which write into one of two arrays."""
    lines = ["def chosen(a):", "    b, c, x = a * 1.0, a * 2.0, a[0]"]
    for k in range(count):
        test = f"    {'elif' if k else 'if'} x < {k}.0:"
        lines += [test, f"        {'bc'[k % 2]}[{k % 4}] = a[{k % 3}] * {k}.5"]
    name, text = f"<chain of {count}>", "\n".join([*lines, "    return (b * c).sum()"]) + "\n"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    scope: dict[str, Any] = {"np": np}
    exec(compile(text, name, "exec"), scope)
    return scope["chosen"]


def test_each_is_planned_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Stm] = []
    consumed_by = Planner.consumed_by

    def counted(planner: Planner, stm: Stm) -> set[Var]:
        calls.append(stm)
        return consumed_by(planner, stm)

    monkeypatch.setattr(Planner, "consumed_by", counted)
    counts: list[int] = []
    for count in (10, 30):
        f, x = chain(count), np.array([7.25, 1.0, 2.0, 3.0])
        calls.clear()
        value, slopes = rg.value_and_grad(f)(x)
        assert value == f(x.copy())
        step = np.array([0.0, 1.0, 0.0, 0.0])
        assert abs((f(x + step) - f(x - step)) / 2 - slopes[1]) < 1e-9
        counts.append(len(calls))
    assert counts[1] < 4 * counts[0]
