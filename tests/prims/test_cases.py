"""Every primitive on every one of its cases: types, evaluation, and both derivatives."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

from retrograd.errors import CompilerBug
from retrograd.ir.traverse import supply_for
from retrograd.ir.types import WIDTH, DType, Type
from retrograd.prims import DEFAULT
from retrograd.prims.bundles import Bundle
from retrograd.prims.core import Case, Effect, Primitive, Unsupported, Zero
from retrograd.transforms.ad.jvp import jvp_function
from tests.prims.harness import (
    all_cases,
    case_name,
    central_difference,
    draw,
    evaluate,
    float_results,
    floats,
    has_derivative,
    inner,
    like,
    one_statement,
    pullback_program,
)

each_case = pytest.mark.parametrize(("primitive", "case"), all_cases(), ids=case_name)
differentiable = pytest.mark.parametrize(
    ("primitive", "case"),
    [
        (primitive, case)
        for primitive, case in all_cases()
        if has_derivative(primitive) and floats(case)
    ],
    ids=case_name,
)
each_primitive = pytest.mark.parametrize("primitive", DEFAULT.table.values(), ids=case_name)


def test_every_primitive_has_cases() -> None:
    assert [p.name for p in DEFAULT.table.values() if not p.cases] == []


@each_primitive
def test_a_float_function_has_float_cases(primitive: Primitive) -> None:
    # `tied` has equal operands, and is not what it stands for beside them.
    if has_derivative(primitive) and primitive.name != "tied":
        assert any(case.smooth and floats(case) for case in primitive.cases)


@each_primitive
def test_both_modes_agree_on_what_is_differentiable(primitive: Primitive) -> None:
    assert isinstance(primitive.jvp, Zero) == isinstance(primitive.vjp, Zero)
    for rule in (primitive.jvp, primitive.vjp):
        assert not isinstance(rule, Unsupported) or rule.reason


@each_primitive
def test_ill_typed_use_is_a_bug(primitive: Primitive) -> None:
    if primitive.name == "push":
        assert primitive.type_rule((), ()) == ()
        return
    with pytest.raises(CompilerBug):
        primitive.type_rule((Type(DType.BOOL, 3),) * 9, primitive.cases[0].params)


def type_of(value: Any) -> Type:
    if isinstance(value, Bundle):
        assert len(value.lanes) == WIDTH
        assert len({type_of(lane) for lane in value.lanes}) == 1
        return type_of(value.lanes[0]).bundled
    names = {"f": DType.F64, "i": DType.I64, "b": DType.BOOL}
    return Type(names[np.asarray(value).dtype.kind], np.ndim(value))


@each_case
def test_evaluation_has_the_type_and_leaves_its_arguments(primitive: Primitive, case: Case) -> None:
    args = draw(primitive, case)
    assert tuple(map(type_of, args)) == case.types
    before = copy.deepcopy(args)
    results = primitive.eval(args, case.params)
    assert tuple(map(type_of, results)) == primitive.type_rule(case.types, case.params)
    for old, now in zip(before, args, strict=True):
        np.testing.assert_array_equal(values(old), values(now))
    for result in results:
        if isinstance(result, Bundle):
            continue
        if isinstance(result, np.ndarray):
            assert result.flags.c_contiguous
            assert not any(np.shares_memory(result, a) for a in args)
        else:
            assert isinstance(result, np.generic)


def values(value: Any) -> Any:
    return np.stack(value.lanes) if isinstance(value, Bundle) else value


def patterns(case: Case) -> list[tuple[bool, ...]]:
    """All floats active, and each one alone."""
    everything = tuple(t.is_float for t in case.types)
    alone = [tuple(j == k for j in range(len(case.types))) for k in floats(case)]
    return [everything] if len(alone) < 2 else [everything, *alone]


@differentiable
def test_tangents_are_central_differences(primitive: Primitive, case: Case) -> None:
    program = one_statement(primitive, case)
    args = draw(primitive, case)
    rng = np.random.default_rng(1)
    for active in patterns(case):
        lifted, name = jvp_function(program, "f", active, supply_for(program), DEFAULT)
        dots = [like(a, rng) if on else None for a, on in zip(args, active, strict=True)]
        results = evaluate(lifted, [*args, *(d for d in dots if d is not None)], name)
        count = len(program.main.result_types)
        for value, out in zip(evaluate(program, args), results[:count], strict=True):
            np.testing.assert_array_equal(value, out)
        for dot, out in zip(results[count:], float_results(program, results), strict=True):
            assert np.shape(dot) == np.shape(out)
        # The factors that `lu_solve` is given belong to its matrix: see tests/prims/test_solve.py.
        if case.smooth and primitive.name != "lu_solve":
            slopes = central_difference(program, args, dots)
            for dot, slope in zip(results[count:], slopes, strict=True):
                np.testing.assert_allclose(dot, slope, rtol=2e-6, atol=2e-7)


@pytest.mark.thinned(2)
@differentiable
def test_the_pullback_is_the_transpose(primitive: Primitive, case: Case) -> None:
    program = one_statement(primitive, case)
    args = draw(primitive, case)
    rng = np.random.default_rng(2)
    count = len(program.main.result_types)
    for active in patterns(case):
        wrt = frozenset(k for k, on in enumerate(active) if on)
        pull = pullback_program(primitive, case, wrt)
        lifted, name = jvp_function(program, "f", active, supply_for(program), DEFAULT)
        dots = [like(args[k], rng) for k in sorted(wrt)]
        out_dots = evaluate(lifted, [*args, *dots], name)[count:]
        bars = [like(v, rng) for v in float_results(program, evaluate(program, args))]
        arg_bars = evaluate(pull, [*args, *bars])
        for bar, k in zip(arg_bars, sorted(wrt), strict=True):
            assert np.shape(bar) == np.shape(args[k])
        forward, backward = inner(bars, out_dots), inner(arg_bars, dots)
        if np.isfinite(forward):
            assert forward == pytest.approx(backward, rel=1e-12, abs=1e-12)
        else:
            assert not np.isfinite(backward)


@pytest.mark.parametrize(("primitive", "case"), all_cases((Effect.TAPE,)), ids=case_name)
def test_the_tape_belongs_to_the_evaluator(primitive: Primitive, case: Case) -> None:
    with pytest.raises(CompilerBug):
        primitive.eval(case.types, case.params)
