"""A term former that is added is handled, or refused with a CompilerBug, by every pass.

The trial former repeats its body, as a `For` without an index does. It has a record and nothing
else. What a pass makes of a program with it must mean, with a `For` in its place, what the program
meant before.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from retrograd.backends.cps.continuations import by_continuations
from retrograd.backends.cps.convert import by_segments
from retrograd.backends.cps.runs import primops
from retrograd.backends.interp.eval import run
from retrograd.backends.llvm.module import module_text
from retrograd.errors import CompilerBug
from retrograd.ir import formers
from retrograd.ir.check import check_program
from retrograd.ir.formers import Former, Runs
from retrograd.ir.print import print_program
from retrograd.ir.terms import Atom, Block, For, Function, Jvp, Program, Stm, Var, Vjp, flit
from retrograd.ir.traverse import map_exprs, stms_deep, supply_for
from retrograd.ir.types import F64, I64
from retrograd.prims import DEFAULT
from retrograd.prims.core import RaisedError
from retrograd.transforms import pipelines
from retrograd.transforms.ad.jvp import expand_jvp_nodes
from retrograd.transforms.ad.vjp.lower import lower_vjp_nodes
from retrograd.transforms.checkpoint.rematerialised_bodies import long_bodies_apart
from retrograd.transforms.checkpoint.upcalls import with_asks
from retrograd.transforms.passes import Pass, per_function
from retrograd.transforms.points.atomic_regions import with_units
from tests.transforms.support import program


@dataclass(frozen=True, slots=True)
class Repeat:
    """Runs `body` on `carried` for `times` times."""

    times: Atom
    carried: tuple[Var, ...]
    inits: tuple[Atom, ...]
    body: Block


RECORD = Former(
    atoms=lambda e: (e.times, *e.inits),
    with_atoms=lambda e, f: replace(e, times=f(e.times), inits=tuple(map(f, e.inits))),
    blocks=lambda e: (e.body,),
    with_blocks=lambda e, new: replace(e, body=new[0]),
    binders=lambda e: e.carried,
    with_binders=lambda e, new: replace(e, carried=new),
    owned=lambda e: (e.carried,),
    runs=Runs.AGAIN_AND_AGAIN,
)


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(formers.FORMERS, Repeat, RECORD)


def repeating(source: Program, loop: str) -> Program:
    """The program with the loop over that index as a `Repeat`."""

    def change(expr: Any) -> Any:
        if isinstance(expr, For) and expr.index.name == loop:
            return Repeat(expr.trips, expr.carried, expr.inits, expr.body)
        return expr

    return per_function(source, lambda f: replace(f, body=map_exprs(f.body, change)))


def with_for(source: Program) -> Program:
    """The program with a `For` in the place of each `Repeat`."""
    names = supply_for(source)

    def change(expr: Any) -> Any:
        if isinstance(expr, Repeat):
            index = names.var("i", I64)
            return For(index, expr.times, expr.carried, expr.inits, expr.body)
        return expr

    return per_function(source, lambda f: replace(f, body=map_exprs(f.body, change)))


PROGRAMS = {
    "captures": program(
        "(x: f64, n: i64) -> (f64)",
        """
        a: f64 = mul(x, 3.0)
        b: f64 = mul(a, a)
        y: f64 = for i < n with (s: f64 = x):
            t: f64 = add(s, b)
            yield t
        return y
        """,
    ),
    "raises": program(
        "(x: f64, n: i64) -> (f64)",
        """
        y: f64 = for i < n with (s: f64 = x):
            good: bool = lt(s, 2.0)
            check(good; kind="ValueError", message="large", span=none)
            t: f64 = mul(s, 1.5)
            yield t
        return x
        """,
    ),
    "fills an array": program(
        "(x: f64, n: i64) -> (f64)",
        """
        z: f64[1] = zeros(n; dtype="f64")
        w: f64[1], k: i64 = for i < n with (c: f64[1] = z, j: i64 = 0):
            u: f64[1] = update(c, x, j; checked=true, span=none)
            m: i64 = iadd(j, 1; span=none)
            yield u, m
        y: f64 = reduce_sum(w; axes=(0,), keepdims=false)
        return y
        """,
    ),
    "in a loop": program(
        "(x: f64, n: i64) -> (f64)",
        """
        y: f64 = for k < n with (r: f64 = x):
            half: f64 = mul(x, 0.5)
            q: f64 = for i < 3 with (s: f64 = r):
                two: f64 = mul(half, half)
                t: f64 = add(s, two)
                yield t
            yield q
        return y
        """,
    ),
    "calls": program(
        "(x: f64, n: i64) -> (f64)",
        """
        y: f64 = for i < n with (s: f64 = x):
            t: f64 = call(helper, s)
            yield t
        return y
        """.replace("call(helper, s)", "call helper(s)"),
        "function helper(s: f64) -> (f64):\n  t: f64 = mul(s, 0.5)\n  return t\n",
    ),
}

ARGS = [(0.7, 4), (1.3, 3), (0.2, 0)]
DATA = (np.float64(0.7), np.int64(4))


def outcome(source: Program, args: tuple[float, int]) -> Any:
    try:
        (y,) = run(source, (np.float64(args[0]), np.int64(args[1])), DEFAULT)
    except RaisedError as error:
        return error.kind, error.message
    return float(y)


ALL = {
    p.name: p.run
    for passes in (getattr(pipelines, name) for name in pipelines.__all__)
    for p in ((passes,) if isinstance(passes, Pass) else passes)
}
PASSES: dict[str, Callable[[Program], Program]] = {
    **{name: lambda s, r=r: r(s, supply_for(s), DEFAULT) for name, r in ALL.items()},
    "jvp": lambda s: expand_jvp_nodes(s, supply_for(s), DEFAULT),
    "vjp": lambda s: lower_vjp_nodes(s, supply_for(s), DEFAULT),
    "units": lambda s: with_units(s, supply_for(s), DEFAULT),
    "asks": lambda s: with_asks(s, supply_for(s), DEFAULT),
    "bodies": lambda s: long_bodies_apart(s, supply_for(s), DEFAULT, True),
}


def derived(source: Program, node: Callable[[tuple[Var, ...]], Vjp | Jvp]) -> Program:
    """A program whose entry gives the derivative of the entry of `source`."""
    main = replace(source.main, name="inner")
    others = tuple(f for f in source.functions if f.name != source.entry)
    params = (Var("x_0", F64), Var("n_0", I64))
    value, slope = Var("value", F64), Var("slope", F64)
    body = Block((Stm((value, slope), node(params)),), (slope,))
    return Program((Function("main", params, body), main, *others), "main")


NODES: dict[str, Callable[[tuple[Var, ...]], Vjp | Jvp]] = {
    "jvp": lambda params: Jvp("inner", params, (flit(1.0), None)),
    "vjp": lambda params: Vjp("inner", params, (flit(1.0),), (0,)),
}


def same_or_refused(source: Program, step: Callable[[Program], Program]) -> None:
    before = repeating(source, "i")
    assert any(isinstance(s.expr, Repeat) for f in before.functions for s in stms_deep(f.body))
    try:
        made = step(before)
    except CompilerBug as bug:
        if "Repeat" not in bug.message:
            raise
        return
    after = with_for(made)
    check_program(after, DEFAULT)
    for args in ARGS:
        assert outcome(after, args) == outcome(source, args)


@pytest.mark.parametrize("kind", PROGRAMS)
@pytest.mark.parametrize("step", PASSES)
def test_every_pass_handles_or_refuses_it(step: str, kind: str) -> None:
    same_or_refused(PROGRAMS[kind], PASSES[step])


@pytest.mark.parametrize("kind", PROGRAMS)
@pytest.mark.parametrize("mode", NODES)
def test_every_derivative_handles_or_refuses_it(mode: str, kind: str) -> None:
    same_or_refused(derived(PROGRAMS[kind], NODES[mode]), PASSES[mode])


BACKENDS: dict[str, Callable[[Program], object]] = {
    "checker": lambda s: check_program(s, DEFAULT),
    "printer": print_program,
    "interpreter": lambda s: outcome(s, ARGS[0]),
    "continuations": lambda s: primops(by_continuations(s, DEFAULT), DATA),
    "segments": lambda s: primops(by_segments(s, DEFAULT), DATA),
    "native": lambda s: module_text(s, DEFAULT),
}


@pytest.mark.parametrize("kind", PROGRAMS)
@pytest.mark.parametrize("backend", BACKENDS)
def test_what_needs_to_know_each_former_refuses_it(backend: str, kind: str) -> None:
    with pytest.raises(CompilerBug, match="Repeat"):
        BACKENDS[backend](repeating(PROGRAMS[kind], "i"))


def test_a_former_without_a_record_is_refused_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    before = repeating(PROGRAMS["captures"], "i")
    monkeypatch.delitem(formers.FORMERS, Repeat)
    with pytest.raises(CompilerBug, match="Repeat"):
        supply_for(before)
