"""One primitive as a program: its data, its tangent and its pullback, run by the interpreter."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from retrograd.backends.interp.eval import run
from retrograd.ir.build import Builder
from retrograd.ir.check import check_program
from retrograd.ir.names import NameSupply
from retrograd.ir.terms import Atom, Function, Param, Params, Prim, Program
from retrograd.ir.types import DType, Type
from retrograd.prims import DEFAULT
from retrograd.prims.core import Case, Effect, Primitive, Unsupported, Zero

STEP = 1e-6
SHAPE = (2, 2, 3)


def all_cases(effects: Sequence[Effect] = (Effect.PURE, Effect.CHECK)) -> list[Any]:
    return [
        (primitive, case)
        for primitive in DEFAULT.table.values()
        if primitive.effect in effects
        for case in primitive.cases
    ]


def case_name(value: Any) -> str | None:
    if isinstance(value, Primitive):
        return value.name
    if isinstance(value, Case):
        return f"{','.join(map(str, value.types))};{value.params}"
    return None


def random_value(type_: Type, case: Case, rng: np.random.Generator) -> Any:
    shape = SHAPE[len(SHAPE) - type_.rank :]
    match type_.dtype:
        case DType.F64:
            return rng.uniform(case.low, case.high, shape)
        case DType.I64:
            return rng.integers(-4, 5, shape)[()]
        case DType.BOOL:
            return (rng.integers(0, 2, shape) == 1)[()]


def draw(primitive: Primitive, case: Case) -> list[Any]:
    rng = np.random.default_rng(zlib.crc32(repr((primitive.name, case.types)).encode()))
    if case.draw is not None:
        return list(case.draw(rng))
    values = [random_value(t, case, rng) for t in case.types]
    return [
        np.float64(v) if t == Type(DType.F64) else v
        for t, v in zip(case.types, values, strict=True)
    ]


def supply() -> NameSupply:
    return NameSupply()


def one_statement(primitive: Primitive, case: Case) -> Program:
    names = supply()
    params = tuple(names.var("x", t) for t in case.types)
    b = Builder(names, DEFAULT.result_types)
    fixed = tuple(sorted(case.params))
    types = primitive.type_rule(case.types, fixed)
    outs = b.bind(Prim(primitive.name, params, fixed), types)
    program = Program((Function("f", params, b.block(outs)),), "f")
    check_program(program, DEFAULT)
    return program


def float_results(program: Program, results: Sequence[Any]) -> list[Any]:
    types = program.main.result_types
    return [r for r, t in zip(results[: len(types)], types, strict=True) if t.is_float]


def evaluate(program: Program, args: Sequence[Any], entry: str | None = None) -> tuple[Any, ...]:
    return run(program, args, DEFAULT, entry=entry)


def central_difference(program: Program, args: Sequence[Any], dots: Sequence[Any]) -> list[Any]:
    ahead, behind = (
        evaluate(
            program,
            [a if d is None else a + sign * STEP * d for a, d in zip(args, dots, strict=True)],
        )
        for sign in (1.0, -1.0)
    )
    pairs = zip(float_results(program, ahead), float_results(program, behind), strict=True)
    return [(p - m) / (2 * STEP) for p, m in pairs]


@dataclass(slots=True)
class StraightPullback:
    """The `Pullback` protocol for one statement: contributions in order, sparse ones in place."""

    b: Builder
    args: tuple[Atom, ...]
    outs: tuple[Atom, ...]
    out_bars: tuple[Atom | None, ...]
    params: Params
    wanted: frozenset[int]
    bars: dict[int, Atom] = field(default_factory=dict)

    def wants(self, position: int) -> bool:
        return position in self.wanted

    def add(self, position: int, contribution: Atom) -> None:
        assert position in self.wanted
        assert contribution.type == self.args[position].type
        if position in self.bars:
            contribution = self.b.add(self.bars[position], contribution)
        self.bars[position] = contribution

    def into(self, position: int, op: str, *rest: Atom, **params: Param) -> None:
        assert position in self.wanted
        held = self.bars.get(position)
        bar = self.b.zeros_like(self.args[position]) if held is None else held
        self.bars[position] = self.b.prim(op, bar, *rest, **params)

    def total(self, position: int) -> Atom:
        held = self.bars.get(position)
        return self.b.zeros_like(self.args[position]) if held is None else held


def has_derivative(primitive: Primitive) -> bool:
    return not isinstance(primitive.vjp, Zero | Unsupported)


def pullback_program(primitive: Primitive, case: Case, wrt: frozenset[int]) -> Program:
    """Parameters, then a cotangent per float result -> cotangents of `wrt`."""
    assert not isinstance(primitive.vjp, Zero | Unsupported)
    names = supply()
    params = tuple(names.var("x", t) for t in case.types)
    b = Builder(names, DEFAULT.result_types)
    fixed = tuple(sorted(case.params))
    types = primitive.type_rule(case.types, fixed)
    bars = tuple(names.var("bar", t) if t.is_float else None for t in types)
    # The primal consumes copies, so that the rule may mention the arguments.
    own = tuple(
        b.prim("copy", p) if k in primitive.consumes and p.type.rank else p
        for k, p in enumerate(params)
    )
    outs = b.bind(Prim(primitive.name, own, fixed), types)
    pullback = StraightPullback(b, params, outs, bars, fixed, wrt)
    primitive.vjp(pullback)
    results = [pullback.total(k) for k in sorted(wrt)]
    given = (*params, *(bar for bar in bars if bar is not None))
    return Program((Function("pull", given, b.block(results)),), "pull")


def floats(case: Case) -> list[int]:
    return [k for k, t in enumerate(case.types) if t.is_float]


def like(value: Any, rng: np.random.Generator) -> Any:
    return rng.uniform(-1.0, 1.0, np.shape(value))[()]


def inner(a: Sequence[Any], b: Sequence[Any]) -> float:
    with np.errstate(all="ignore"):
        return float(sum(np.sum(np.multiply(x, y)) for x, y in zip(a, b, strict=True)))
