"""Primitives on bundles in native code give, in each lane, what they give on floats."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from retrograd.errors import CompilerBug
from retrograd.ir.build import Builder
from retrograd.ir.names import NameSupply
from retrograd.ir.terms import Atom, Function, Prim, Program, Var, ilit
from retrograd.ir.types import F64, MAX_RANK, WIDTH, Type
from retrograd.prims import DEFAULT
from retrograd.prims.bundles import Bundle, by_lanes, unbundled
from retrograd.prims.core import Case, Primitive
from retrograd.prims.facts import Bundled
from tests.backends.llvm.native import Raised, compiled, native, reference, same
from tests.prims.harness import all_cases, case_name, draw

pytestmark = pytest.mark.thinned(2)

SUMS = frozenset(
    {"reduce_sum", "sum_like", "matmul", "accumulate", "add_slice", "lu_solve", "tri_solve"}
)
"""Sums of bundles are serial, those of floats in lanes or pairs."""


def flags(primitive: Primitive, case: Case) -> Iterator[tuple[bool, ...]]:
    """Which operands may be bundles."""
    floats = [k for k, t in enumerate(case.types) if t.is_float]
    if any(case.types[k].rank == MAX_RANK for k in floats):
        return
    for chosen in itertools.product((True, False), repeat=len(floats)):
        pattern = [False] * len(case.types)
        for k, flag in zip(floats, chosen, strict=True):
            pattern[k] = flag
        types = tuple(t.bundled if b else t for t, b in zip(case.types, pattern, strict=True))
        try:
            outs = DEFAULT.result_types(primitive.name, types, tuple(sorted(case.params)))
        except CompilerBug:
            continue
        if any(t.is_bundle for t in types) and all(t.rank < MAX_RANK for t in outs):
            yield tuple(pattern)


def _takes_bundles(primitive: Primitive) -> bool:
    return primitive.facts.bundled not in (Bundled.NEVER, Bundled.OWN)


def empty(primitive: Primitive, case: Case) -> bool:
    """Whether an operand has no elements; a bundle is made of elements here."""
    return any(np.size(v) == 0 for v in draw(primitive, case))


CASES = [
    pytest.param(primitive, case, pattern, id=f"{primitive.name}-{case_name(case)}-{k}")
    for primitive, case in all_cases()
    if _takes_bundles(primitive) and not empty(primitive, case)
    for k, pattern in enumerate(flags(primitive, case))
]


def bundle(b: Builder, x: Atom, shape: tuple[int, ...]) -> Atom:
    """A bundle, or an array of them, from an array whose last axis has the lanes."""
    made: list[Atom] = []
    for place in np.ndindex(*shape):
        total: Atom | None = None
        for lane in range(WIDTH):
            value = b.prim("index", x, *map(ilit, place), ilit(lane))
            term = b.prim("mul", b.prim("splat", value), b.prim("units", ilit(0), offset=lane))
            total = term if total is None else b.prim("add", total, term)
        assert total is not None
        made.append(total)
    return b.prim("array_of", *made, shape=shape) if shape else made[0]


def lanes(value: Any) -> Bundle:
    """Different finite values in each lane, none of them a zero."""
    return Bundle(tuple(value * (1.0 + lane / 4) + 0.125 for lane in range(WIDTH)))


@dataclass(frozen=True, slots=True)
class One:
    """A statement on given values, of which some are bundles."""

    primitive: Primitive
    case: Case
    pattern: tuple[bool, ...]

    def values(self) -> list[Any]:
        """Values of the operands; where they are bundles, different ones in each lane."""
        drawn = zip(self.pattern, draw(self.primitive, self.case), strict=True)
        return [lanes(v) if b else v for b, v in drawn]

    def add(self, b: Builder, names: NameSupply) -> tuple[list[Var], list[Atom]]:
        """The statement with parameters of its own, and its results unbundled."""
        params, operands = list[Var](), list[Atom]()
        drawn = draw(self.primitive, self.case)
        for type_, bundled, value in zip(self.case.types, self.pattern, drawn, strict=True):
            given = F64.with_rank(type_.rank + 1) if bundled else type_
            params.append(names.var("x", given))
            operands.append(bundle(b, params[-1], np.shape(value)) if bundled else params[-1])
        fixed = tuple(sorted(self.case.params))
        types = DEFAULT.result_types(self.primitive.name, tuple(a.type for a in operands), fixed)
        outs = b.bind(Prim(self.primitive.name, tuple(operands), fixed), types)
        return params, [b.prim("unbundle", o) if o.type.is_bundle else o for o in outs]

    def check(self, given: Sequence[Any], got: Sequence[Any]) -> str | None:
        """What is different in some lane."""
        want = by_lanes(self.primitive.eval, self.primitive.facts, given, self.case.params)
        want = list(map(unpacked, want))
        if self.primitive.name not in SUMS:
            return None if same(list(got), want) else f"{got} for {want}"
        room = 1e-13 * sum(float(np.sum(np.abs(np.asarray(unpacked(v))))) for v in given)
        close = (np.allclose(a, b, rtol=1e-13, atol=room) for a, b in zip(got, want, strict=True))
        return None if all(close) else f"{got} for {want}"


def unpacked(value: Any) -> Any:
    return unbundled(value) if isinstance(value, Bundle) else value


GROUP = 8
"""Statements that share a module, which is most of what a test takes."""

GROUPS = [
    pytest.param(CASES[k : k + GROUP], id=f"{CASES[k].id}-and-on")
    for k in range(0, len(CASES), GROUP)
]


@pytest.mark.thinned(12)
@pytest.mark.parametrize("cases", GROUPS)
def test_each_lane_is_the_primitive(cases: Sequence[Any]) -> None:
    names = NameSupply()
    b = Builder(names, DEFAULT.result_types)
    params, results, counts = list[Var](), list[Atom](), list[int]()
    given = [One(*case.values).values() for case in cases]
    for case in cases:
        mine, outs = One(*case.values).add(b, names)
        params += mine
        results += outs
        counts.append(len(outs))
    program = Program((Function("f", tuple(params), b.block(results)),), "f")
    got = native(compiled(program, level=3), [unpacked(v) for row in given for v in row])
    assert not isinstance(got, Raised)
    wrong, rest = {}, iter(got)
    for case, row, count in zip(cases, given, counts, strict=True):
        different = One(*case.values).check(row, list(itertools.islice(rest, count)))
        if different is not None:
            wrong[case.id] = different
    assert wrong == {}


def test_every_primitive_on_bundles_is_covered() -> None:
    assert {str(p.id).partition("-")[0] for p in CASES} == {
        p.name for p in DEFAULT.table.values() if _takes_bundles(p)
    } - {"push"}


def test_basis_vectors() -> None:
    cases = [(p, c) for p, c in all_cases() if p.name == "units"]
    assert cases
    for primitive, case in cases:
        names = NameSupply()
        b = Builder(names, DEFAULT.result_types)
        params = tuple(names.var("x", t) for t in case.types)
        if len(params) > MAX_RANK:
            continue
        made = b.prim("units", *params, **dict(case.params))
        program = Program((Function("f", params, b.block([b.prim("unbundle", made)])),), "f")
        args = draw(primitive, case)
        assert same(native(compiled(program), args), reference(program, args))


def test_splat_and_unbundle() -> None:
    names = NameSupply()
    b = Builder(names, DEFAULT.result_types)
    x, y = names.var("x", F64), names.var("y", Type(F64.dtype, 2))
    results = [b.prim("unbundle", b.prim("splat", v)) for v in (x, y)]
    program = Program((Function("f", (x, y), b.block(results)),), "f")
    values = np.arange(6.0).reshape(2, 3)
    first, second = native(compiled(program), [2.5, values])
    np.testing.assert_array_equal(first, np.full(WIDTH, 2.5))
    np.testing.assert_array_equal(second, np.repeat(values[:, :, None], WIDTH, axis=2))
