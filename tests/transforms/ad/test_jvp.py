"""Forward mode on every form of the language: against differences, and applied twice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from retrograd.backends.interp.eval import run
from retrograd.errors import Limitation, Span
from retrograd.ir.build import Builder
from retrograd.ir.check import check_program
from retrograd.ir.terms import (
    Atom,
    CustomRule,
    For,
    Jvp,
    Prim,
    Program,
    Prov,
    Var,
    Vjp,
    flit,
    ilit,
)
from retrograd.ir.traverse import stms_deep, supply_for
from retrograd.ir.types import BOOL, F64, Type
from retrograd.prims import DEFAULT
from retrograd.transforms.ad.jvp import expand_jvp_nodes, jvp_function
from tests.transforms import forms
from tests.transforms.forms import F1, Maker, call, loop, one
from tests.transforms.random_forms import random_program
from tests.transforms.straight import expand_straight_vjps

STEP = 1e-6


def value(program: Program, args: Sequence[Any], entry: str | None = None) -> tuple[Any, ...]:
    names = supply_for(program)
    return run(expand_straight_vjps(program, names), args, DEFAULT, entry=entry)


def lift(program: Program, active: Sequence[bool], entry: str | None = None) -> tuple[Program, str]:
    check_program(program, DEFAULT)
    names = supply_for(program)
    out, name = jvp_function(program, entry or program.entry, tuple(active), names, DEFAULT)
    check_program(out, DEFAULT)
    return out, name


def floats_of(program: Program, entry: str, results: Sequence[Any]) -> list[Any]:
    types = program.function(entry).result_types
    return [r for r, t in zip(results[: len(types)], types, strict=True) if t.is_float]


def directions(types: Sequence[Type], args: Sequence[Any], seed: int) -> list[Any]:
    rng = np.random.default_rng(seed)
    return [
        rng.uniform(-1.0, 1.0, np.shape(a))[()] if t.is_float else None
        for t, a in zip(types, args, strict=True)
    ]


def slopes(program: Program, entry: str, args: Sequence[Any], dots: Sequence[Any]) -> list[Any]:
    ends = [
        floats_of(
            program,
            entry,
            value(
                program,
                [a if d is None else a + h * d for a, d in zip(args, dots, strict=True)],
                entry,
            ),
        )
        for h in (STEP, -STEP)
    ]
    return [(p - m) / (2 * STEP) for p, m in zip(*ends, strict=True)]


def assert_derivative(
    program: Program, entry: str, args: Sequence[Any], active: Sequence[bool], seed: int
) -> tuple[Program, str, list[Any]]:
    """Values as before, tangents as differences; the lifted function and its arguments."""
    types = [p.type for p in program.function(entry).params]
    lifted, name = lift(program, active, entry)
    dots = [d if on else None for d, on in zip(directions(types, args, seed), active, strict=True)]
    given = [*args, *(d for d in dots if d is not None)]
    results = value(lifted, given, name)
    for before, now in zip(value(program, args, entry), results, strict=False):
        np.testing.assert_array_equal(before, now)
    count = len(program.function(entry).result_types)
    wanted = slopes(program, entry, args, dots)
    for dot, slope in zip(results[count:], wanted, strict=True):
        assert np.shape(dot) == np.shape(slope)
        np.testing.assert_allclose(dot, slope, rtol=3e-6, atol=3e-7)
    return lifted, name, given


def assert_derivatives(program: Program, *args: Any) -> None:
    """First order for each activity pattern, and the derivative of the derivative."""
    types = [p.type for p in program.main.params]
    everything = [t.is_float for t in types]
    for k, on in enumerate(everything):
        if on:
            alone = [j == k for j in range(len(types))]
            assert_derivative(program, program.entry, args, alone, k)
    lifted, name, given = assert_derivative(program, program.entry, args, everything, 11)
    second = [p.type.is_float for p in lifted.function(name).params]
    assert_derivative(lifted, name, given, second, 12)


VECTOR = np.array([0.3, -0.7, 1.1, 0.6])
OTHER = np.array([1.3, 0.2, -0.4, 0.9])

FORMS: list[tuple[Callable[[], Program], tuple[Any, ...]]] = [
    (forms.scalar_chain, (0.4, -0.3)),
    (forms.power_loop, (1.2,)),
    (forms.in_place, (VECTOR,)),
    (forms.aliases, (VECTOR,)),
    (forms.sums, (0.8,)),
    (forms.fixed_point, (0.6,)),
    (forms.branches, (0.7, VECTOR)),
    (forms.branches, (-0.7, VECTOR)),
    (forms.recursion, (0.9, np.int64(5))),
    (forms.recursion, (0.9, np.int64(0))),
    (forms.consuming_call, (VECTOR, 0.7)),
    (forms.mixed_types, (1.6, np.int64(3), np.True_)),
    (forms.carried_swap, (VECTOR, OTHER)),
    (forms.handed_on, (VECTOR, 0.4)),
]


@pytest.mark.parametrize(("make", "args"), FORMS)
def test_a_form_of_the_language(make: Callable[[], Program], args: tuple[Any, ...]) -> None:
    assert_derivatives(make(), *args)


RANDOM = [program for program in map(random_program, range(150)) if program is not None]


@pytest.mark.thinned(4)
@pytest.mark.parametrize("program", RANDOM)
def test_a_random_program(program: Program) -> None:
    assert_derivatives(program, VECTOR[:3], OTHER[:3], 0.6)


def test_results_are_primals_then_a_tangent_for_every_float() -> None:
    program = forms.mixed_types()
    lifted, name = lift(program, (True, False, False))
    assert [str(t) for t in lifted.function(name).result_types] == [
        "i64", "f64", "bool", "f64", "f64", "f64",
    ]  # fmt: skip
    assert value(lifted, [1.6, 3, True, 1.0], name)[4:] == (3.0, 0.0)


def test_nothing_active_gives_zeros() -> None:
    lifted, name = lift(forms.in_place(), (False,))
    _, _, y_dot, total_dot = value(lifted, [VECTOR], name)
    np.testing.assert_array_equal(y_dot, np.zeros(4))
    assert total_dot == 0.0


def test_a_function_is_made_once_per_pattern() -> None:
    program = forms.recursion()
    lifted, _ = lift(program, (True, False))
    assert [f.name for f in lifted.functions] == ["f", "g", "jvp_f_1", "jvp_g_1"]


def test_only_what_moves_is_carried_twice() -> None:
    def body(b: Builder, x: Var, y: Var) -> Sequence[Atom]:
        return loop(b, ilit(3), (x, y), lambda i, k, p, q: [i.mul(p, q), i.mul(q, q)])

    lifted, name = lift(one(body, F64, F64), (True, False))
    (node,) = (s.expr for s in lifted.function(name).body.stms if isinstance(s.expr, For))
    assert len(node.carried) == 3


def test_provenance_goes_through() -> None:
    place = Prov(Span("program.py", 2, 0, 2, 5))

    def body(b: Builder, x: Var) -> Sequence[Atom]:
        b.prov = place
        return [b.prim("exp", x)]

    lifted, name = lift(one(body, F64), (True,))
    primal, tangent = lifted.function(name).body.stms
    assert primal.prov == place
    assert tangent.prov == place.through("jvp")


def test_no_tangent_is_computed_for_a_dead_path() -> None:
    program = one(lambda b, x, y: [b.prim("sin", x), b.prim("exp", y)], F64, F64)
    lifted, name = lift(program, (True, False))
    exprs = [s.expr for s in lifted.function(name).body.stms]
    assert [e.op for e in exprs if isinstance(e, Prim)] == ["sin", "cos", "mul", "exp"]


# Rules of the user.


def with_custom(rule: CustomRule) -> Program:
    """g(a, b) = a * b with a rule whose tangent is 10 (a_dot + b_dot)."""
    maker = Maker()
    maker.function("g", (F64, F64), lambda b, x, y: [b.mul(x, y)], rule)

    def jvp_rule(b: Builder, x: Var, y: Var, x_dot: Var, y_dot: Var) -> Sequence[Atom]:
        return [b.mul(x, y), b.mul(flit(10.0), b.mul(x, b.add(x_dot, y_dot)))]

    maker.function("rule", (F64,) * 4, jvp_rule)
    maker.function("fwd", (F64, F64), lambda b, x, y: [b.mul(x, y), x])
    maker.function(
        "bwd", (F64, F64), lambda b, x, bar: [b.mul(b.mul(x, x), bar), b.mul(flit(5.0), bar)]
    )
    maker.function("f", (F64,), lambda b, x: call(b, "g", (x, flit(3.0)), (F64,)))
    return maker.program()


def test_custom_jvp_is_the_tangent() -> None:
    lifted, name = lift(with_custom(CustomRule("jvp", "rule")), (True,))
    assert value(lifted, [2.0, 1.0], name) == (6.0, 20.0)


def test_custom_jvp_is_differentiated_as_written() -> None:
    lifted, name = lift(with_custom(CustomRule("jvp", "rule")), (True,))
    twice, name = lift(lifted, (True, False), name)
    assert value(twice, [2.0, 1.0, 1.0], name) == (6.0, 20.0, 3.0, 10.0)


def test_a_linear_custom_vjp_is_transposed() -> None:
    lifted, name = lift(with_custom(CustomRule("vjp", "fwd", "bwd")), (True,))
    assert value(lifted, [2.0, 1.0], name) == (6.0, 4.0)


def test_another_custom_vjp_has_no_forward_mode() -> None:
    program = with_custom(CustomRule("vjp", "fwd", "square"))
    maker = Maker()
    maker.functions.extend(program.functions)
    maker.function("square", (F64, F64), lambda b, x, bar: [b.mul(bar, bar), b.mul(x, bar)])
    with pytest.raises(Limitation, match="not linear") as info:
        lift(maker.program(), (True,))
    assert info.value.code == "RG2101"
    assert info.value.way_out is not None


def test_the_pullback_of_custom_vjp_is_an_ordinary_program() -> None:
    program = with_custom(CustomRule("vjp", "fwd", "bwd"))
    maker = Maker()
    maker.functions.extend(program.functions)

    def gradient(b: Builder, x: Var) -> Sequence[Atom]:
        node = Vjp("g", (x, flit(3.0)), (flit(1.0),), (0,))
        return b.bind(node, (F64, F64))

    maker.function("h", (F64,), gradient)
    lifted, name = lift(maker.program("h"), (True,))
    assert value(lifted, [2.0, 1.0], name) == (6.0, 4.0, 3.0, 4.0)


# Derivatives inside the program.


def cube_slope() -> Program:
    """h(x) = derivative of y**3 at y = sin(x), as a node."""
    maker = Maker()
    maker.function("cube", (F64,), lambda b, y: [b.mul(y, b.mul(y, y))])

    def slope(b: Builder, x: Var) -> Sequence[Atom]:
        y = b.prim("sin", x)
        return [b.bind(Jvp("cube", (y,), (flit(1.0),)), (F64, F64))[1]]

    maker.function("h", (F64,), slope)
    return maker.program("h")


def without_nodes(program: Program) -> bool:
    return not any(isinstance(s.expr, Jvp) for f in program.functions for s in stms_deep(f.body))


def test_nodes_become_calls() -> None:
    program = cube_slope()
    expanded = expand_jvp_nodes(program, supply_for(program), DEFAULT)
    check_program(expanded, DEFAULT)
    assert without_nodes(expanded)
    assert value(expanded, [0.5])[0] == pytest.approx(3 * np.sin(0.5) ** 2, rel=1e-15)
    assert expand_jvp_nodes(expanded, supply_for(expanded), DEFAULT) is expanded


def test_the_derivative_of_a_node() -> None:
    program = cube_slope()
    lifted, name = lift(program, (True,))
    slope_dot = value(lifted_without_nodes(lifted), [0.5, 1.0], name)[1]
    assert slope_dot == pytest.approx(6 * np.sin(0.5) * np.cos(0.5), rel=1e-14)


def lifted_without_nodes(program: Program) -> Program:
    expanded = expand_jvp_nodes(program, supply_for(program), DEFAULT)
    check_program(expanded, DEFAULT)
    return expanded


def test_a_node_in_a_loop_of_a_node() -> None:
    """Newton's method on cos with its slope from a node, differentiated by its start."""
    maker = Maker()
    maker.function("cos", (F64,), lambda b, x: [b.prim("cos", x)])

    def newton(b: Builder, x: Var) -> Sequence[Atom]:
        def step(i: Builder, k: Var, y: Var) -> Sequence[Atom]:
            at, slope = i.bind(Jvp("cos", (y,), (flit(1.0),)), (F64, F64))
            return [i.sub(y, i.mul(flit(0.3), i.div(at, slope)))]

        return loop(b, ilit(4), (x,), step)

    maker.function("newton", (F64,), newton)

    def outer(b: Builder, x: Var, d: Var) -> Sequence[Atom]:
        return b.bind(Jvp("newton", (x,), (d,)), (F64, F64))

    maker.function("f", (F64, F64), outer)
    program = maker.program()
    expanded = lifted_without_nodes(program)
    assert without_nodes(expanded)
    ahead, behind = (value(expanded, [1.1 + h, 1.0])[0] for h in (STEP, -STEP))
    assert value(expanded, [1.1, 1.0])[1] == pytest.approx((ahead - behind) / (2 * STEP), rel=1e-7)
    assert_derivatives(expanded, 1.1, 0.8)


def test_a_node_leaves_its_arguments_alone() -> None:
    program = forms.consuming_call()
    maker = Maker()
    maker.functions.extend(program.functions)

    def twice(b: Builder, x: Var) -> Sequence[Atom]:
        v, v_dot = b.bind(Jvp("fill", (x, flit(2.0)), (x, flit(1.0))), (F1, F1))
        return [b.add(v, x), b.add(v_dot, x)]

    maker.function("h", (F1,), twice)
    expanded = lifted_without_nodes(maker.program("h"))
    v, v_dot = value(expanded, [VECTOR])
    np.testing.assert_allclose(v, VECTOR + [0.3, 4.0, 1.1, 0.6])
    np.testing.assert_allclose(v_dot, VECTOR + [0.3, 4.0, 1.1, 0.6])


def test_a_derivative_of_itself_has_no_end() -> None:
    maker = Maker()

    def body(b: Builder, x: Var) -> Sequence[Atom]:
        return [b.bind(Jvp("f", (x,), (flit(1.0),)), (F64, F64))[1]]

    maker.function("f", (F64,), body)
    program = maker.program()
    with pytest.raises(Limitation, match="order"):
        expand_jvp_nodes(program, supply_for(program), DEFAULT)


# The nesting law.


def quadratic() -> Program:
    """g(v, a) = (sum a v^3, a^2); h(v, a, c) = Vjp of g with cotangents (c, None or 1)."""
    maker = Maker()

    def inner(b: Builder, v: Var, a: Var) -> Sequence[Atom]:
        cubes = b.mul(v, b.mul(v, b.mul(a, v)))
        total = b.prim("reduce_sum", cubes, axes=(0,), keepdims=False)
        return [total, b.prim("gt", a, flit(0.0)), b.mul(a, a)]

    maker.function("g", (F1, F64), inner)

    def node(wrt: tuple[int, ...], second: Atom | None) -> Callable[..., Sequence[Atom]]:
        def body(b: Builder, v: Var, a: Var, c: Var) -> Sequence[Atom]:
            types = (F64, BOOL, F64, *((F1, F64)[k] for k in wrt))
            own = b.prim("mul", v, flit(1.5))
            return b.bind(Vjp("g", (own, a), (c, None, second), wrt), types)

        return body

    maker.function("both", (F1, F64, F64), node((0, 1), flit(1.0)))
    maker.function("first", (F1, F64, F64), node((0,), None))
    maker.function("second", (F1, F64, F64), node((1,), flit(1.0)))
    return maker.program("both")


@pytest.mark.parametrize("entry", ["both", "first", "second"])
@pytest.mark.parametrize(
    "active", [(True, True, True), (True, False, False), (False, True, False), (False, False, True)]
)
def test_the_tangent_of_a_reverse_sweep(entry: str, active: tuple[bool, ...]) -> None:
    program = quadratic()
    args = (VECTOR, 0.8, 1.3)
    lifted, name, _ = assert_derivative(program, entry, args, active, 5)
    nodes = [s for s in lifted.function(name).body.stms if isinstance(s.expr, Vjp)]
    assert len(nodes) == 1


def test_the_tangent_of_the_tangent_of_a_reverse_sweep() -> None:
    program = quadratic()
    lifted, name, given = assert_derivative(
        program, "both", (VECTOR, 0.8, 1.3), (True, True, True), 5
    )
    assert_derivative(lifted, name, given, (True,) * len(given), 6)


def test_an_inactive_node_stays() -> None:
    lifted, name = lift(quadratic(), (False, False, False), "both")
    nodes = [s.expr for s in lifted.function(name).body.stms if isinstance(s.expr, Vjp)]
    assert [node.function for node in nodes] == ["g"]
