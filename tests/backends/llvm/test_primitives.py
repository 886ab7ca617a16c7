"""Every primitive in native code gives what its reference evaluation gives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from retrograd.backends.llvm.scalar import MATH_OPS
from retrograd.backends.llvm.special import SPECIAL_OPS
from retrograd.ir.build import Builder
from retrograd.ir.names import NameSupply
from retrograd.ir.terms import Atom, Function, Prim, Program
from retrograd.prims import DEFAULT
from retrograd.prims.core import Case, Effect, Primitive
from tests.backends.llvm.native import Raised, compiled, native, reference, same
from tests.prims.harness import all_cases, case_name, draw

pytestmark = pytest.mark.thinned(2)

GROUP = 14

ULPS = {
    **dict.fromkeys((*MATH_OPS, *SPECIAL_OPS), 4),
    "matmul": 16,
    "lu": 256,
    "lu_solve": 256,
    "tri_solve": 256,
    "cholesky": 256,
    "eigh": 2**20,
    "eig": 2**20,
    "eigvals": 2**20,
    "svd": 2**20,
    "qr": 2**20,
    "gamma": 8,
    "lgamma": 256,
    "polygamma": 32,
}
"""Our own functions and the C library's against NumPy's; products whose order is a library's."""

One = tuple[Primitive, Case]


def grouped(cases: Sequence[One]) -> list[Any]:
    """Cases in groups that share a module, named after what they begin with."""
    parts = [cases[k : k + GROUP] for k in range(0, len(cases), GROUP)]
    return [pytest.param(part, id=f"{part[0][0].name}-{part[-1][0].name}") for part in parts]


def together(cases: Sequence[One]) -> tuple[Program, list[Any], list[int]]:
    """A program of one statement per case, its arguments, and how many results each has."""
    names = NameSupply()
    b = Builder(names, DEFAULT.result_types)
    params, args = [], list[Any]()
    results, counts = list[Atom](), list[int]()
    for primitive, case in cases:
        mine = tuple(names.var("x", t) for t in case.types)
        fixed = tuple(sorted(case.params))
        outs = b.bind(Prim(primitive.name, mine, fixed), primitive.type_rule(case.types, fixed))
        params += mine
        results += outs
        args += draw(primitive, case)
        counts.append(len(outs))
    return Program((Function("f", tuple(params), b.block(results)),), "f"), args, counts


def crossing(case: One) -> bool:
    """Whether operands and results may cross the border of native code, which bundles do not."""
    primitive, (types, params) = case[0], (case[1].types, tuple(sorted(case[1].params)))
    return not any(t.is_bundle for t in (*types, *primitive.type_rule(types, params)))


@pytest.mark.thinned(12)
@pytest.mark.parametrize("cases", grouped(list(filter(crossing, all_cases()))))
def test_native_is_the_reference(cases: Sequence[One]) -> None:
    program, args, counts = together(cases)
    got, want = native(compiled(program, level=3), args), reference(program, args)
    assert not isinstance(got, Raised)
    assert not isinstance(want, Raised)
    wrong = {}
    first = 0
    for (primitive, case), count in zip(cases, counts, strict=True):
        mine, theirs = got[first : first + count], want[first : first + count]
        first += count
        if not same(mine, theirs, ULPS.get(primitive.name, 0)):
            wrong[f"{primitive.name} {case_name(case)}"] = (mine, theirs)
    assert wrong == {}


def test_every_primitive_is_covered() -> None:
    """The tape has tests of its own, and so has what a program prints."""
    others = (Effect.TAPE, Effect.OUTPUT)
    elsewhere = {p.name for p in DEFAULT.table.values() if p.effect in others}
    assert {p.name for p, _ in all_cases()} | elsewhere == set(DEFAULT.table)
