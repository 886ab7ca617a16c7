"""The marks of checkpointed functions and of names, as the frontend makes them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import retrograd as rg
from retrograd.api.compile.intrinsics import HANDLERS
from retrograd.frontend.identity.specs import specs_of
from retrograd.frontend.trace import trace_function
from retrograd.ir.check import check_program
from retrograd.ir.parse import parse_program
from retrograd.ir.print import print_program
from retrograd.ir.terms import Call, Prim, Program, Stm
from retrograd.ir.traverse import stms_deep
from retrograd.prims import DEFAULT

policies = rg.checkpoint_policies
W, X = np.ones((2, 2)), np.ones(2)


def typed(f: Callable[..., Any], *args: Any) -> Program:
    """The program of the frontend, which is read back from its text."""
    specs = specs_of(args)
    program = trace_function(f, specs, intrinsics=HANDLERS, write_back=False).program
    check_program(program, DEFAULT)
    text = print_program(program)
    assert print_program(parse_program(text)) == text
    return program


def applied(stm: Stm) -> str:
    """The primitive, the function or the construct of a statement."""
    match stm.expr:
        case Prim(op):
            return op
        case Call(function):
            return function.rpartition("_")[0]
        case other:
            return type(other).__name__


def marks(f: Callable[..., Any], *args: Any) -> list[tuple[str, ...]]:
    """Of each marked statement the policies of the executions, and what it applies."""
    found: list[tuple[str, ...]] = []
    executions: dict[str, str] = {}
    for stm in every(typed(f, *args)):
        for one in stm.prov.checkpoints:
            assert executions.setdefault(one.name, one.policy) == one.policy
        if stm.prov.checkpoints:
            found.append((*(one.policy for one in stm.prov.checkpoints), applied(stm)))
    return found


def names(f: Callable[..., Any], *args: Any) -> list[tuple[str, ...]]:
    """Of each statement with names these, all of its first result, and what it applies."""
    found: list[tuple[str, ...]] = []
    for stm in every(typed(f, *args)):
        if stm.prov.names:
            assert {position for position, _ in stm.prov.names} == {0}
            found.append((*(name for _, name in stm.prov.names), applied(stm)))
    return found


def every(program: Program) -> Iterator[Stm]:
    for function in program.functions:
        yield from stms_deep(function.body)


def layer(w: Any, x: Any) -> Any:
    return np.sin(w @ x)


NOTHING, DOTS = "nothing_saveable", "dots_saveable"


def test_a_call_is_marked_and_nothing_else() -> None:
    around = rg.checkpoint(layer)

    def f(w: Any, x: Any) -> Any:
        return np.cos(around(w, around(w, np.exp(x))))

    assert marks(f, W, X) == [(NOTHING, "layer"), (NOTHING, "layer")]
    executions = {one.name for stm in every(typed(f, W, X)) for one in stm.prov.checkpoints}
    assert len(executions) == 2


def test_the_whole_function_is_one_execution() -> None:
    assert marks(rg.checkpoint(layer, policy=policies.dots_saveable), W, X) == [(DOTS, "layer")]


def test_what_is_translated_in_place_is_marked_statement_by_statement() -> None:
    assert marks(lambda x: np.exp(rg.checkpoint(np.sin)(x)), X) == [(NOTHING, "sin")]


def raising(x: Any) -> Any:
    if x > 1.0:
        raise ValueError("too large")
    return x * 2.0


def test_a_body_whose_exception_is_caught() -> None:
    def f(x: Any) -> Any:
        try:
            y = rg.checkpoint(raising)(x)
        except ValueError:
            y = 0.0
        return y + 1.0

    found = marks(f, 0.5)
    assert {line[0] for line in found} == {NOTHING}
    assert {"gt", "mul"} <= {line[-1] for line in found}
    assert "add" not in {line[-1] for line in found}


def test_executions_in_one_another() -> None:
    dots = policies.dots_saveable
    twice = rg.checkpoint(rg.checkpoint(np.cos, policy=dots))
    assert marks(twice, X) == [(NOTHING, DOTS, "cos")]
    around = rg.checkpoint(np.sin)
    within = rg.checkpoint(lambda y: np.exp(around(y)), policy=dots)
    assert [line[:-1] for line in marks(lambda x: within(x), X)] == [(DOTS,), (NOTHING,)]


def test_a_map_inside_is_marked_and_one_outside_is_not() -> None:
    inside = marks(rg.checkpoint(rg.vmap(lambda v: v * np.sin(v))), X)
    assert {line[:-1] for line in inside} == {(NOTHING,)}
    assert "For" in {line[-1] for line in inside}
    outside = marks(rg.vmap(rg.checkpoint(lambda v: v * np.sin(v))), X)
    assert len(outside) == 1


def test_names_are_at_what_defines_the_value() -> None:
    def f(w: Any, x: Any) -> Any:
        y = np.exp(w @ x)
        z = rg.checkpoint_name(y, "y") + 1.0
        return rg.checkpoint_name(rg.checkpoint_name(z, "z"), "also z")

    assert names(f, W, X) == [("y", "exp"), ("z", "also z", "add")]


def named(value: Any, name: str) -> Any:
    return rg.checkpoint_name(value, name)


def test_names_by_way_of_a_function_a_view_a_tree_and_a_branch() -> None:
    def f(w: Any, x: Any) -> Any:
        y = named(np.exp(x), "y")
        rg.checkpoint_name(w[0], "an argument")
        v = rg.checkpoint_name(np.tanh(x)[1:], "v")
        pair = rg.checkpoint_name({"a": [np.sin(y), 1.0]}, "pair")
        c = np.cos(x)
        if y[0] > 0.0:
            c = rg.checkpoint_name(c, "c")
        return np.sum(pair["a"][0]) + np.sum(v) + np.sum(c)

    assert names(f, W, X) == [("y", "exp"), ("v", "tanh"), ("pair", "sin"), ("c", "cos")]


def test_names_of_what_loops_carry() -> None:
    def f(x: Any, n: Any) -> Any:
        y = np.exp(x)
        for _ in range(n):
            y = rg.checkpoint_name(y, "y")
            y = np.sin(y)
        return rg.checkpoint_name(y, "last")

    assert sorted(names(f, X, 3)) == [("last", "For"), ("y", "exp"), ("y", "last", "sin")]


def test_names_and_policies_with_quotes() -> None:
    odd = 'h", "k\''
    policy = policies.save_only_these_names(odd)

    def f(x: Any) -> Any:
        return rg.checkpoint(lambda y: rg.checkpoint_name(np.sin(y), odd), policy=policy)(x)

    assert [line[0] for line in marks(f, X)] == [policy.text]
    assert names(f, X) == [(odd, "sin")]
    assert typed(f, X) == typed(f, X)
