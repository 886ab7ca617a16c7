"""Every operation says every fact, and what it says is so on its cases."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.ir.names import NameSupply
from retrograd.ir.terms import Lit, Prim, Var
from retrograd.ir.types import BOOL, F64, I64, WIDTH, DType, Type
from retrograd.prims import DEFAULT
from retrograd.prims.bundles import Bundle
from retrograd.prims.core import Case, Effect, Primitive, Unsupported
from retrograd.prims.facts import Access, Bundled, Exact, Facts, Held, Linear
from retrograd.prims.lengths import Along, Common, Length
from retrograd.transforms.optimise.algebra import fold
from tests.prims.harness import all_cases, case_name, draw, evaluate, floats, one_statement

ROOT = Path(__file__).resolve().parents[2]
PRIMITIVES = list(DEFAULT.table.values())

each_primitive = pytest.mark.parametrize("primitive", PRIMITIVES, ids=case_name)


def having(keep: Callable[[Primitive], object]) -> Any:
    found = [(p, c) for p, c in all_cases() if keep(p)]
    return pytest.mark.parametrize(("primitive", "case"), found, ids=case_name)


def evaluated(primitive: Primitive, case: Case, args: list[Any]) -> tuple[Any, ...]:
    return primitive.eval(args, tuple(sorted(case.params)))


def same(one: Any, two: Any) -> bool:
    """Equal to the bit, but for what a NaN carries."""
    a, b = np.asarray(one), np.asarray(two)
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype != np.float64:
        return bool(np.array_equal(a, b))
    return bool(np.all((a.view(np.int64) == b.view(np.int64)) | (np.isnan(a) & np.isnan(b))))


# Every operation and every fact.

SAID = {
    "shape": object, "linear_in": Linear | None, "shape_only": tuple, "access": Access | None,
    "view": bool, "cheap": bool, "exact": Exact, "commutative": bool, "bundled": Bundled,
    "fuses": bool, "held": Held | str, "lipschitz": bool, "own_slope": bool,
}  # fmt: skip


def test_every_fact_is_known_here() -> None:
    assert {f.name for f in fields(Facts)} == SAID.keys()


@each_primitive
def test_every_operation_says_every_fact(primitive: Primitive) -> None:
    for fact, kind in SAID.items():
        said = getattr(primitive.facts, fact)
        assert isinstance(said, kind), f"{primitive.name} does not say {fact}"
        assert fact != "shape" or callable(said)


@each_primitive
def test_facts_fit_together(primitive: Primitive) -> None:
    facts = primitive.facts
    arities = {len(case.types) for case in primitive.cases}
    assert not facts.commutative or arities == {2}
    assert not facts.writes or primitive.consumes == (0,)
    assert not (facts.view and primitive.consumes)
    assert not primitive.elementwise or (facts.fuses and facts.cheap)
    assert all(k < max(arities) for k in facts.shape_only)
    raises = primitive.effect is Effect.CHECK
    assert raises or facts.held is Held.SAME
    # The power of integers is the one that raises and has no version that does not.
    assert not raises or facts.held is not Held.SAME or primitive.name == "ipow"


def test_every_operation_is_in_the_manual() -> None:
    text = (ROOT / "docs" / "prims.md").read_text(encoding="utf-8")
    words = {w for span in text.split("`")[1::2] for w in span.replace("(", " ").split()}
    assert sorted(DEFAULT.table.keys() - words) == []


# What is said of shapes.


def extent(length: Length, values: list[Any], args: list[Var]) -> int:
    match length:
        case int():
            return length
        case Along(operand, axis):
            value = values[operand]
            return np.shape(value.lanes[0] if isinstance(value, Bundle) else value)[axis]
        case Common(lengths):
            found = {extent(n, values, args) for n in lengths}
            (longest,) = found - {1} or {1}
            return longest
        case Lit():
            return int(length.value)
        case Var():
            return int(values[args.index(length)])


@having(lambda _: True)
def test_the_shape_is_that_of_the_result(primitive: Primitive, case: Case) -> None:
    names = NameSupply()
    args = [names.var("x", t) for t in case.types]
    fixed = tuple(sorted(case.params))
    outs = primitive.type_rule(case.types, fixed)
    lengths = primitive.facts.shape(tuple(args), fixed)
    if len(outs) != 1:
        assert lengths is None
        return
    values = draw(primitive, case)
    (out,) = evaluated(primitive, case, values)
    value = out.lanes[0] if isinstance(out, Bundle) else out
    assert lengths is not None
    assert tuple(extent(n, values, args) for n in lengths) == np.shape(value)


def test_an_extent_of_one_is_stretched() -> None:
    names = NameSupply()
    args = (names.var("x", Type(DType.F64, 2)), names.var("y", Type(DType.F64, 1)))
    rule = DEFAULT["add"].facts.shape
    assert rule(args, ()) == (Along(0, 0), Common((Along(0, 1), Along(1, 0))))


@having(lambda p: p.facts.shape_only)
def test_of_some_operands_the_shape_alone_is_read(primitive: Primitive, case: Case) -> None:
    values = draw(primitive, case)
    others = [
        np.asarray(v)[()] * 0 + 7 if k in primitive.facts.shape_only else v
        for k, v in enumerate(values)
    ]
    one, two = (evaluated(primitive, case, vs) for vs in (values, others))
    assert len(one) == len(two)
    assert all(map(same, one, two))


# What is said of values.


@having(lambda p: p.facts.commutative)
def test_operands_change_places(primitive: Primitive, case: Case) -> None:
    a, b = draw(primitive, case)
    (one,), (two,) = evaluated(primitive, case, [a, b]), evaluated(primitive, case, [b, a])
    assert same(one, two)


def literal(value: Any, type_: Type) -> Lit:
    kinds = {F64: float, I64: int, BOOL: bool}
    return Lit(kinds[type_](value), type_)


@having(lambda p: p.facts.exact is not Exact.NEVER)
def test_folding_gives_what_evaluation_gives(primitive: Primitive, case: Case) -> None:
    values = draw(primitive, case)
    if not all(t in (F64, I64, BOOL) for t in case.types):
        return
    args = tuple(literal(v, t) for v, t in zip(values, case.types, strict=True))
    folded = fold(Prim(primitive.name, args, tuple(sorted(case.params))), DEFAULT)
    floats_ = primitive.facts.exact is Exact.INTEGERS and args[0].type.is_float
    if floats_:
        assert folded is None
        return
    found = evaluate(one_statement(primitive, case), values)
    assert folded is not None
    assert len(folded) == len(found)
    for one, two in zip(folded, found, strict=True):
        assert same(np.asarray(one.value), np.asarray(two))


def combined(a: float, x: Any, b: float, y: Any) -> Any:
    if isinstance(x, Bundle):
        return Bundle(tuple(combined(a, v, b, w) for v, w in zip(x.lanes, y.lanes, strict=True)))
    return np.asarray(a * x + b * y)[()]


def again(value: Any, rng: np.random.Generator) -> Any:
    if isinstance(value, Bundle):
        return Bundle(tuple(again(v, rng) for v in value.lanes))
    return rng.uniform(-1.0, 1.0, np.shape(value))[()]


def array(value: Any) -> Any:
    return np.stack([np.asarray(v) for v in value.lanes]) if isinstance(value, Bundle) else value


def mapped(primitive: Primitive, case: Case, chosen: set[int]) -> bool:
    """Whether f(a x + b y) = a f(x) + b f(y) for these operands, with the others fixed."""
    rng = np.random.default_rng(5)
    xs = draw(primitive, case)
    ys = [again(v, rng) if k in chosen else v for k, v in enumerate(xs)]
    a, b = 0.75, -1.25
    pairs = enumerate(zip(xs, ys, strict=True))
    both = [combined(a, x, b, y) if k in chosen else x for k, (x, y) in pairs]
    (fx,), (fy,), (fb,) = (evaluated(primitive, case, v) for v in (xs, ys, both))
    fx, fy, fb = map(array, (fx, fy, fb))
    with np.errstate(all="ignore"):
        return bool(np.allclose(fb, a * fx + b * fy, rtol=1e-9, atol=1e-9, equal_nan=True))


def float_case(primitive: Primitive, case: Case) -> bool:
    types = primitive.type_rule(case.types, tuple(sorted(case.params)))
    takes = any(t.is_float or t.is_bundle for t in case.types)
    return takes and case.smooth and len(types) == 1 and (types[0].is_float or types[0].is_bundle)


@having(lambda p: p.facts.linear_in is not None)
def test_it_is_linear_in_a_factor_of_each_product(primitive: Primitive, case: Case) -> None:
    if not float_case(primitive, case):
        return
    linear = primitive.facts.linear_in
    assert linear is not None
    for factors in itertools.product(*linear.terms(len(case.types))):
        assert all(case.types[k].is_float or case.types[k].is_bundle for k in factors)
        assert mapped(primitive, case, set(factors))


@pytest.mark.parametrize(
    "primitive",
    [p for p in PRIMITIVES if p.facts.linear_in is None and p.effect is not Effect.TAPE],
    ids=case_name,
)
def test_what_is_not_said_to_be_linear_is_not(primitive: Primitive) -> None:
    usual = [case for case in primitive.cases if float_case(primitive, case)]
    for position in {k for case in usual for k in floats(case)} - {*primitive.facts.shape_only}:
        good = [case for case in usual if position in floats(case)]
        # Its derivative is not that of its values.
        linear = primitive.name == "stop_gradient"
        assert all(mapped(primitive, case, {position}) for case in good) is linear


@pytest.mark.parametrize("name", [p.name for p in PRIMITIVES if p.facts.own_slope])
def test_slopes_of_their_own_are_those_of_the_value(name: str) -> None:
    """Where values are the same, so are slopes: at places that differ by less than roundings."""
    function = getattr(np, name)
    slope = rg.grad(lambda x: function(x))
    places = (0.0, 1e-320, 1e-17, -800.0, -900.0, 1.5)
    pairs = itertools.combinations(places, 2)
    same = [(x, other) for x, other in pairs if function(x) == function(other)]
    assert same
    assert all(slope(x) == slope(other) for x, other in same)
    assert slope(1.5) != slope(1.4)


@pytest.mark.parametrize(
    "primitive", [p for p in PRIMITIVES if p.facts.lipschitz], ids=lambda p: p.name
)
def test_slopes_that_are_said_to_be_bounded_are(primitive: Primitive) -> None:
    """Between neighbours at 0, far away, and where others have poles: by at most 1.2."""
    places = np.array([0.0, 1e-300, 0.5, 1.0, np.pi / 2, 3.0, 1e3, 1e8])
    places = np.concatenate([places, -places])
    count = next(len(case.types) for case in primitive.cases)
    for point in itertools.product(places, repeat=count):
        for k in range(count):
            step = 1e-6 * max(1.0, abs(point[k]))
            near = [x + step if j == k else x for j, x in enumerate(point)]
            ends = [primitive.eval([*map(np.float64, args)], ())[0] for args in (point, near)]
            jumps = primitive.name == "copysign" and np.signbit(point[k]) != np.signbit(near[k])
            assert abs(ends[1] - ends[0]) <= 1.2 * step or jumps


# What is said of memory.


@having(lambda p: p.facts.view)
def test_a_view_has_elements_of_its_operand_only(primitive: Primitive, case: Case) -> None:
    values = draw(primitive, case)
    (out,) = evaluated(primitive, case, values)
    assert np.isin(out, array(values[0])).all()


@having(lambda p: p.facts.access is not None)
def test_an_access_touches_its_part_only(primitive: Primitive, case: Case) -> None:
    access = primitive.facts.access
    assert access is not None
    x, *rest = draw(primitive, case)
    (out,) = evaluated(primitive, case, [x, *rest])
    places = [int(v) for v in rest[access.places - 1 :]]
    assert all(t == I64 for t in case.types[access.places :])
    if access.element:
        assert len(places) == np.ndim(x)
    if not access.writes:
        assert np.isin(out, x).all()
    elif access.element:
        left = np.ones(np.shape(x), bool)
        left[tuple(places)] = False
        assert same(out[left], x[left])
    else:
        part = DEFAULT["slice"].eval([x, *rest[1:]], tuple(sorted(case.params)))[0]
        assert np.sum(out != x) <= np.size(part)


@having(lambda p: p.facts.element)
def test_one_element_is_not_the_whole_array(primitive: Primitive, case: Case) -> None:
    names = NameSupply()
    assert primitive.facts.whole([names.var("x", t) for t in case.types]) == []


# What is said of bundles and checks.


@each_primitive
def test_bundles_are_refused_where_that_is_said(primitive: Primitive) -> None:
    if primitive.facts.bundled is not Bundled.NEVER:
        return
    for case in primitive.cases:
        types = tuple(t.bundled for t in case.types)
        if types != case.types and all(t.rank < 3 for t in types):
            with pytest.raises(Exception, match="does not apply"):
                DEFAULT.result_types(primitive.name, types, tuple(sorted(case.params)))


@having(lambda p: p.effect is Effect.CHECK)
def test_what_is_left_of_a_check_that_holds(primitive: Primitive, case: Case) -> None:
    values = draw(primitive, case)
    found = evaluated(primitive, case, values)
    match primitive.facts.held:
        case Held.SAME:
            assert primitive.name == "ipow"
        case Held.NOTHING:
            assert found == ()
        case Held.UNCHECKED:
            assert "checked" in dict(case.params)
            off = tuple((k, False if k == "checked" else v) for k, v in sorted(case.params))
            assert same(primitive.eval(values, off)[0], found[0])
        case name:
            assert DEFAULT[name].effect is Effect.PURE
            assert same(DEFAULT[name].eval(values, ())[0], found[0])


def test_a_bundle_is_as_wide_as_its_last_axis() -> None:
    rule = DEFAULT["unbundle"].facts.shape
    bundle = NameSupply().var("x", F64.bundled.with_rank(1))
    assert rule((bundle,), ()) == (Along(0, 0), WIDTH)
    assert isinstance(DEFAULT["unbundle"].vjp, Unsupported)
