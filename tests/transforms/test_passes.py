"""What a pass leaves as it is stays itself, so that nothing is found out about it twice."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from retrograd.ir.names import NameSupply
from retrograd.ir.print import print_program
from retrograd.ir.terms import Function, Program
from retrograd.ir.traverse import supply_for
from retrograd.ir.types import F64
from retrograd.prims import DEFAULT
from retrograd.transforms.analysis import shapes_again
from retrograd.transforms.analysis.shape_equality import agreed_shapes
from retrograd.transforms.cleanup import SIMPLIFY
from retrograd.transforms.passes import Pass, run_pipeline, unless_settled
from retrograd.transforms.pipelines import OPTIMISE
from tests.transforms.random_programs import random_program
from tests.transforms.support import program

SQUARE = "y: f64 = mul(x, x)\nreturn y"
HELPER = """
function helper(m: f64[1]) -> (i64):
  n: i64 = dim(m; axis=0)
  return n
"""
CALLS = """
m: f64[1] = zeros({size}; dtype="f64")
r: i64 = call helper(m)
return r"""


def again(function: Function) -> Function:
    """The same function, of which nothing is known."""
    return replace(function, body=replace(function.body))


def test_equal_functions_are_the_old_ones() -> None:
    source = program("(x: f64) -> (f64)", SQUARE)
    seen: list[Program] = []
    step = Pass(
        "same", "", lambda p, names, prims: Program(tuple(map(again, p.functions)), p.entry)
    )
    run_pipeline((step,), source, DEFAULT, check=True, listener=lambda _, p: seen.append(p))
    assert seen[0] is source


def test_what_is_settled_is_not_changed_again() -> None:
    source, names, asked = program("(x: f64) -> (f64)", SQUARE).main, NameSupply(), list[str]()

    def change(function: Function) -> Function:
        asked.append(function.name)
        return again(function)

    for key in ("one", "one", "other"):
        assert unless_settled(source, names, key, change) is source
    assert len(asked) == 2


def test_who_has_taken_a_name_is_asked_again() -> None:
    source, names, asked = program("(x: f64) -> (f64)", SQUARE).main, NameSupply(), list[str]()

    def change(function: Function) -> Function:
        asked.append(names.var("unused", F64).name)
        return function

    assert all(unless_settled(source, names, "key", change) is source for _ in range(2))
    assert asked == ["unused_1", "unused_2"]


def test_compiling_once_more_gives_the_same_text() -> None:
    for seed in range(12):
        source = random_program(Random(seed))
        fresh = Program(tuple(map(again, source.functions)), source.entry)
        texts = [
            print_program(run_pipeline(OPTIMISE, p, DEFAULT, check=False))
            for p in (source, source, fresh)
        ]
        assert texts[0] == texts[1] == texts[2]


def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The functions that are walked over for their extents, from now on."""
    walked: list[str] = []
    among = shapes_again.shapes_among

    def noted(function, *args, **kwargs):
        walked.append(function.name)
        return among(function, *args, **kwargs)

    monkeypatch.setattr(shapes_again, "shapes_among", noted)
    return walked


def test_only_what_has_changed_is_walked_over(monkeypatch: pytest.MonkeyPatch) -> None:
    source = program("(n: i64) -> (i64)", CALLS.format(size="n"), HELPER)
    walked = counted(monkeypatch)
    old = agreed_shapes(source, DEFAULT)
    assert sorted(walked) == ["helper", "main"]
    walked.clear()
    helper, main = source.function("helper"), source.main
    new = agreed_shapes(Program((again(main), helper), source.entry), DEFAULT)
    assert walked == ["main"]
    assert new["helper"] is old["helper"]


def test_other_answers_are_those_of_a_new_walk(monkeypatch: pytest.MonkeyPatch) -> None:
    source = program("(n: i64) -> (i64)", CALLS.format(size="n"), HELPER)
    other = program("(n: i64) -> (i64)", CALLS.format(size="3"), HELPER)
    agreed_shapes(source, DEFAULT)
    mixed = Program((other.main, source.function("helper")), source.entry)
    walked = counted(monkeypatch)
    found = agreed_shapes(mixed, DEFAULT)
    assert "helper" in walked
    assert found["helper"].arrays["m"] == (3,)


def test_a_walk_with_changed_answers_goes_on_from_there() -> None:
    """Over and over, programs of which a function has been replaced by an equal one, or by another
    program's: always what is found of functions of which nothing is known."""
    for seed in range(20):
        source = random_program(Random(seed))
        agreed_shapes(source, DEFAULT)
        done = SIMPLIFY.run(source, supply_for(source), DEFAULT)
        fresh = Program(tuple(map(again, done.functions)), done.entry)
        one, two = agreed_shapes(done, DEFAULT), agreed_shapes(fresh, DEFAULT)
        assert {k: (v.arrays, v.scalars) for k, v in one.items()} == {
            k: (v.arrays, v.scalars) for k, v in two.items()
        }
