"""The body of a loop was gone through once for each number that the loop carries."""

from __future__ import annotations

import linecache
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.backends.llvm import blocks
from retrograd.ir.terms import Expr
from retrograd.transforms.ad import scalar_replacement


def carrying(count: int) -> Callable[..., Any]:
    """A loop that carries so many numbers, each of which becomes the next one and a bit."""
    names = [f"v{k}" for k in range(count)]
    turned = ", ".join(f"{name} + 0.5 * x[i]" for name in (*names[1:], names[0]))
    lines = ["def carried(x):", *(f"    {n} = {k}.5 * x[0]" for k, n in enumerate(names))]
    lines += ["    for i in range(3):", f"        {', '.join(names)} = {turned}"]
    name, text = f"<{count} numbers>", "\n".join([*lines, "    return v0 * v1"]) + "\n"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    scope: dict[str, Any] = {}
    exec(compile(text, name, "exec"), scope)
    return scope["carried"]


def test_statements_are_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Expr] = []
    for module in (blocks, scalar_replacement):
        free: Callable[[Expr], Any] = vars(module)["free_vars_expr"]

        def counted(expr: Expr, free: Callable[[Expr], Any] = free) -> Any:
            calls.append(expr)
            return free(expr)

        monkeypatch.setattr(module, "free_vars_expr", counted)
    counts: list[int] = []
    for count in (8, 32):
        f, x = carrying(count), np.array([1.5, 2.0, 3.0])
        calls.clear()
        value, slopes = rg.value_and_grad(f)(x)
        assert value == f(x)
        step = np.array([0.0, 0.25, 0.0])
        assert abs((f(x + step) - f(x - step)) / 0.5 - slopes[1]) < 1e-12
        counts.append(len(calls))
    assert counts[1] < 6 * counts[0]
