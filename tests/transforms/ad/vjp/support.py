"""Programs with a reverse sweep, and the identities that it must satisfy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from retrograd.backends.interp.eval import run
from retrograd.backends.interp.tape import Tape
from retrograd.ir.check import check_program
from retrograd.ir.terms import Block, Function, Jvp, Program, Stm, Vjp
from retrograd.ir.traverse import stms_deep, supply_for
from retrograd.prims import DEFAULT
from retrograd.transforms.ad.jvp import expand_jvp_nodes, jvp_function
from retrograd.transforms.ad.vjp import lower_vjp_nodes
from retrograd.transforms.passes import run_pipeline
from retrograd.transforms.pipelines import UNNEEDED
from tests.transforms.random_forms import random_program

__all__ = [
    "Gradient", "check_gradient", "data", "floats", "like", "linear_programs", "lowered",
    "pushed_words", "tangents", "with_vjp",
]  # fmt: skip


@dataclass(frozen=True)
class Gradient:
    """A program without derivative nodes, its arguments, and what the interpreter gives."""

    program: Program
    args: list[Any]
    results: tuple[Any, ...]


def floats(program: Program) -> tuple[int, ...]:
    return tuple(k for k, p in enumerate(program.main.params) if p.type.is_float)


def like(value: Any, rng: np.random.Generator) -> Any:
    return rng.uniform(-1.0, 1.0, np.shape(value))[()]


def data(program: Program, rng: np.random.Generator, size: int = 3) -> list[Any]:
    """Random arguments: arrays of `size` elements along each axis, and the number 3."""
    args: list[Any] = []
    for param in program.main.params:
        if param.type.is_float:
            args.append(rng.uniform(-1.0, 1.0, (size,) * param.type.rank)[()])
        else:
            args.append(True if param.type.dtype.value == "bool" else 3)
    return args


def linear_programs(first: int, count: int) -> list[Any]:
    """Random programs that the checker accepts."""
    found: list[Any] = []
    seed = first
    while len(found) < count:
        program = random_program(seed)
        if program is not None:
            found.append(pytest.param(program, id=str(seed)))
        seed += 1
    return found


def with_vjp(program: Program, wrt: Sequence[int] | None = None) -> Program:
    """`entry(*args, *result cotangents) -> (*results, *cotangents of wrt)`; nests."""
    main, names = program.main, supply_for(program)
    places = floats(program) if wrt is None else tuple(wrt)
    params = tuple(names.var("a", p.type) for p in main.params)
    bars = tuple(names.var("a_bar", t) if t.is_float else None for t in main.result_types)
    types = (*main.result_types, *(main.params[k].type for k in places))
    outs = tuple(names.var("r", t) for t in types)
    body = Block((Stm(outs, Vjp(program.entry, params, bars, places)),), outs)
    given = (*params, *(bar for bar in bars if bar is not None))
    entry = Function(names.name("entry"), given, body)
    return Program((*program.functions, entry), entry.name)


def lowered(program: Program) -> Program:
    """Without derivative nodes, checked."""
    check_program(program, DEFAULT)
    stms = [s.expr for f in program.functions for s in stms_deep(f.body)]
    if any(isinstance(e, Jvp) for e in stms):
        program = expand_jvp_nodes(program, supply_for(program), DEFAULT)
    program = lower_vjp_nodes(program, supply_for(program), DEFAULT)
    check_program(program, DEFAULT)
    assert not any(
        isinstance(s.expr, Jvp | Vjp) for f in program.functions for s in stms_deep(f.body)
    )
    return program


def evaluate(program: Program, args: Sequence[Any], entry: str | None = None) -> tuple[Any, ...]:
    """Results under the interpreter, which leaves the tape empty."""
    tape = Tape()
    results = run(program, args, DEFAULT, tape=tape, entry=entry)
    assert tape.entries == []
    return results


def tangents(
    program: Program, args: Sequence[Any], dots: Sequence[Any], wrt: Sequence[int]
) -> list[Any]:
    """Tangents of the float results by forward mode."""
    active = tuple(k in wrt for k in range(len(program.main.params)))
    lifted, name = jvp_function(program, program.entry, active, supply_for(program), DEFAULT)
    count = len(program.main.result_types)
    return list(evaluate(lowered(Program(lifted.functions, name)), [*args, *dots])[count:])


def check_gradient(
    program: Program,
    args: Sequence[Any],
    rng: np.random.Generator,
    wrt: Sequence[int] | None = None,
) -> Gradient:
    """The reverse sweep is the transpose of forward mode, and its values are the program's."""
    places = floats(program) if wrt is None else tuple(wrt)
    back = lowered(with_vjp(program, places))
    count = len(program.main.result_types)
    values = evaluate(lowered(program), args)
    outs = [v for v, t in zip(values, program.main.result_types, strict=True) if t.is_float]
    bars = [like(v, rng) for v in outs]
    dots = [like(args[k], rng) for k in places]
    before = [np.array(a) for a in (*args, *bars)]
    results = evaluate(back, [*args, *bars])
    for old, now in zip(before, (*args, *bars), strict=True):
        np.testing.assert_array_equal(old, now)
    for value, result in zip(values, results[:count], strict=True):
        np.testing.assert_array_equal(value, result)
    for bar, k in zip(results[count:], places, strict=True):
        assert np.shape(bar) == np.shape(args[k])
    forward = products(bars, tangents(program, args, dots, places))
    backward = products(results[count:], dots)
    less = run_pipeline((UNNEEDED,), back, DEFAULT, check=True)
    for result, again in zip(results, evaluate(less, [*args, *bars]), strict=True):
        np.testing.assert_array_equal(result, again)
    scale = np.sum(np.abs(forward)) + np.sum(np.abs(backward)) + 1e-3
    assert abs(np.sum(forward) - np.sum(backward)) <= 1e-11 * scale
    return Gradient(back, [*args, *bars], results)


def products(one: Sequence[Any], two: Sequence[Any]) -> np.ndarray:
    parts = [np.ravel(np.multiply(a, b)) for a, b in zip(one, two, strict=True)]
    return np.concatenate([np.zeros(0), *parts])


def pushed_words(program: Program, args: Sequence[Any]) -> int:
    """How many numbers the entry leaves on the tape when it is run; arrays count their elements."""
    tape = _Counting()
    run(program, args, DEFAULT, tape=tape)
    return tape.count[0]


class _Counting(Tape):
    """A tape that counts what is pushed, also inside blocks, which have tapes of their own."""

    def __init__(self) -> None:
        super().__init__()
        self.count = [0]

    def push(self, values: tuple[Any, ...]) -> None:
        self.count[0] += sum(np.size(v) for v in values)
        super().push(values)

    def push_block(self, block: dict[int, Tape]) -> None:
        frames = [f for t in block.values() for f in t.entries if not isinstance(f, dict)]
        self.count[0] += sum(np.size(v) for frame in frames for v in frame)
        super().push_block(block)
