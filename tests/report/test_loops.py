"""Which loops are maps, reductions or serial, as `retrograd show --stage loops` says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import retrograd as rg
from retrograd.cli.main import main
from retrograd.report.loops import loops

X = np.array([0.5, 1.5, 2.5])
IX = np.array([0, 2, 0])


def squares(x: Any) -> Any:
    out = np.empty(len(x))
    for i in range(len(x)):
        out[i] = x[i] * x[i]
    return np.sum(out)


def in_place(x: Any) -> Any:
    y = x.copy()
    for i in range(len(y)):
        y[i] = y[i] * 2.0 if y[i] > 0.0 else y[i]
    return np.sum(y)


def rows(x: Any) -> Any:
    out = np.zeros((3, 3))
    for i in range(3):
        for j in range(len(x)):
            out[i, j] += x[i] * x[j]
    return np.sum(out)


def strided(x: Any) -> Any:
    out = np.zeros(2 * len(x))
    for i in range(len(x)):
        out[2 * i] = x[i]
        out[2 * i + 1] = -x[i]
    return np.sum(out)


def total(x: Any) -> Any:
    s = 1.0
    for i in range(len(x)):
        s -= x[i]
    return s


def nested_total(x: Any) -> Any:
    s = 0.0
    for i in range(len(x)):
        if x[i] > 1.0:
            for j in range(i):
                s += x[i] * x[j]
    return s


def product(x: Any) -> Any:
    p = 1.0
    for i in range(len(x)):
        p = x[i] * p
    return p


def least(x: Any) -> Any:
    best = 9.0
    for i in range(len(x)):
        if x[i] < best:
            best = x[i]
    return best


def histogram(x: Any) -> Any:
    h = np.zeros(3)
    for i in range(len(x)):
        h[IX[i]] += x[i]
    return np.sum(h * h)


def shifted(x: Any) -> Any:
    y = x.copy()
    for i in range(len(y) - 1):
        y[i] = y[i + 1] * 2.0
    return np.sum(y)


def running(x: Any) -> Any:
    y = x.copy()
    for i in range(1, len(y)):
        y[i] = y[i - 1] + y[i]
    return np.sum(y)


def swapped(x: Any) -> Any:
    u, v = x.copy(), np.zeros(3)
    for i in range(len(x)):
        v[i] = x[i] * 2.0
        u, v = v, u
    return np.sum(u * v)


def in_branches(x: Any) -> Any:
    u = np.zeros(3)
    for i in range(len(x)):
        if x[i] > 1.0:
            u[i] = x[i]
            for _ in range(2):
                u[i] = u[i] * x[i]
    return np.sum(u)


def used_besides(x: Any) -> Any:
    s, e = 0.0, 0.0
    for i in range(len(x)):
        s += x[i]
        e += s * s
    return e


def permuted(x: Any) -> Any:
    out = np.zeros(3)
    for i in range(len(x)):
        out[IX[i]] = x[i]
    return np.sum(out)


def recurrence(x: Any) -> Any:
    s = 0.0
    for i in range(len(x)):
        s = np.sin(s) + x[i]
    return s


def halving(x: Any) -> Any:
    s = x[0]
    while s > 0.1:
        s = s * 0.5
    return s


KINDS = {
    squares: ["map"], in_place: ["map"], rows: ["map", "map"], strided: ["map"],
    total: ["reduction"], nested_total: ["reduction", "reduction"], product: ["reduction"],
    least: ["reduction"], histogram: ["reduction"], shifted: ["serial"], running: ["serial"],
    swapped: ["serial"], in_branches: ["map", "reduction"],
    used_besides: ["serial"], permuted: ["serial"], recurrence: ["serial"], halving: ["serial"],
}  # fmt: skip


@pytest.mark.parametrize(("f", "kinds"), KINDS.items(), ids=[f.__name__ for f in KINDS])
def test_what_a_loop_is(f: Callable[..., Any], kinds: list[str]) -> None:
    found = loops(f, (X,))
    assert [one.kind.value for one in found] == kinds
    assert [one.depth for one in found] == list(range(len(kinds)))
    assert all(one.prov.span is not None and one.why for one in found)


def test_constructs_are_maps_of_reductions() -> None:
    found = loops(lambda x: np.sum(rg.map(lambda v: rg.reduce(min, 9.0, x * v), x)), (X,))
    assert {(one.kind.value, one.depth) for one in found} == {("map", 0), ("reduction", 1)}


def test_the_table(tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    path.write_text("def f(x):\n    for i in range(3):\n        x = x * x + i\n    return x\n")
    out = CliRunner().invoke(main, ["show", f"{path}:f", "--stage", "loops", "--arg", "x=0.5"])
    assert out.exit_code == 0
    for text in ("for i in range(3)", "serial", "x of the"):
        assert text in out.output
    path = tmp_path / "straight.py"
    path.write_text("def f(x):\n    return x\n")
    out = CliRunner().invoke(main, ["show", f"{path}:f", "--stage", "loops", "--arg", "x=0.5"])
    assert out.output == "there are no loops\n"
