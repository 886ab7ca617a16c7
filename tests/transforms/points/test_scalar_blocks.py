"""Straight-line code with points: what is cut, that nothing else changes, that parts stay apart."""

from __future__ import annotations

import numpy as np
import pytest

from retrograd.ir.check import check_program
from retrograd.ir.terms import For, Program
from retrograd.ir.traverse import stms_deep, supply_for
from retrograd.prims import DEFAULT
from retrograd.transforms.cleanup import HOIST, SIMPLIFY
from retrograd.transforms.passes import Pass
from retrograd.transforms.pipelines import POINTS
from retrograd.transforms.points.safepoints import number_points
from tests.backends.llvm.native import agree
from tests.random.costs import costs, short_parts
from tests.transforms.support import after, program, renamed

LONG, PART = costs().straight_least, costs().straight_part
CHAIN = """
a_0: f64 = index(x, 0; checked=true, span=none)
{lines}
return a_{last}"""
HEAD = "(x: f64[1], n: i64) -> (f64)"


def chain(count: int) -> Program:
    """One element of an array, and so many statements less one with what came before."""
    lines = [f"a_{k}: f64 = sub({k}.5, a_{k - 1})" for k in range(1, count)]
    return program(HEAD, CHAIN.format(lines="\n".join(lines), last=count - 1))


def parts(source: Program) -> list[int]:
    """How many statements each loop of one iteration has."""
    loops = (s.expr for f in source.functions for s in stms_deep(f.body))
    return [len(e.body.stms) for e in loops if isinstance(e, For)]


@pytest.mark.parametrize(
    ("count", "found"),
    [
        (LONG - 1, []),
        (LONG, [PART] * (LONG // PART)),
        (LONG + 3, [*[PART] * (LONG // PART), 3]),
    ],
)
def test_long_runs_of_scalars_are_cut(count: int, found: list[int]) -> None:
    source = chain(count)
    numbered = number_points(source, supply_for(source), DEFAULT)
    check_program(numbered, DEFAULT)
    assert parts(numbered) == found
    points = [s.expr.point for s in numbered.main.body.stms if isinstance(s.expr, For)]
    assert points == list(range(len(found)))
    args = (np.array([0.25]), 3)
    assert agree(renamed(numbered), args) == agree(renamed(source), args)


def test_parts_are_neither_joined_nor_emptied_by_later_passes() -> None:
    done = after(chain(LONG), *POINTS, SIMPLIFY, HOIST, SIMPLIFY)
    assert parts(done) == [PART] * (LONG // PART)


ARRAYS = """
a: f64 = index(x, 0; checked=true, span=none)
b: f64 = add(a, 1.0)
c: f64 = add(b, 1.0)
y: f64[1] = update(x, c, 0; checked=true, span=none)
d: f64 = index(y, 0; checked=true, span=none)
e: f64 = add(d, a)
f: f64 = add(e, b)
g: f64 = add(f, f)
return f"""


def test_what_makes_arrays_is_no_part_and_what_is_not_read_later_is_not_carried(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    short_parts(monkeypatch)
    done = after(program(HEAD, ARRAYS), Pass("points", "", number_points))
    loops = [s for s in done.main.body.stms if isinstance(s.expr, For)]
    assert [len(s.expr.body.stms) for s in loops if isinstance(s.expr, For)] == [3, 3]
    assert [[v.name for v in s.outs] for s in loops] == [["a", "b", "c"], ["f"]]
    assert agree(renamed(done), (np.array([2.0]), 1)) == [9.0]
