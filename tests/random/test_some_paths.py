"""Random programs whose names, keys and attributes are there on some paths only.

What is assigned is a number, a function, a text or None, from few of each, so that the same one is
often assigned again on another path: that a name has the value that it had says nothing then of
whether it has been assigned.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

import retrograd as rg
from retrograd.errors import RetrogradError
from retrograd.prims.core import RaisedError
from tests.random.calculus import Interpreted
from tests.random.files import imported
from tests.random.harness import Outcome, agree, outcome
from tests.random.slopes import Slopes

_FUNCTIONS = """
def square(x):
    return x * x


def half(x):
    return 0.5 * x


class Held:
    def __init__(self):
        self.way = None


def f(x, a, b, c):
    o, m, s = Held(), {}, 0.1
    p = None

    def put(again):
        nonlocal p
        if again > 0:
            p = square

    if c > 0:
        p, q, t = half, square, 'short'
"""
_FUNCTIONS_NAMED = ("square", "half")
_TEXTS = ("'short'", "'long'")


def _value(draw: random.Random) -> str:
    return draw.choice((*_FUNCTIONS_NAMED, "square"))


def _test(draw: random.Random, depth: int) -> str:
    index = [f"{draw.choice('abc')} > k{d}" for d in range(depth)][-1:]
    return draw.choice((
        f"{draw.choice('abc')} > 0", f"{draw.choice('abc')} > 0", "p is None", "p is not None",
        "o.way is not None", "'a' in m", "'b' not in m", f"{draw.choice('abc')} + x > 1.0", *index,
    ))  # fmt: skip


def _statement(draw: random.Random, depth: int, loops: int) -> list[str]:
    match draw.randrange(16 if depth < 3 else 10):
        case 0 | 1:
            return [f"p = {draw.choice((_value(draw), _value(draw), 'None'))}"]
        case 2:
            return [f"q = {_value(draw)}"]
        case 3:
            return [f"m['{draw.choice('ab')}'] = {_value(draw)}"]
        case 4:
            return [f"o.way = {draw.choice((_value(draw), _value(draw), 'None'))}"]
        case 5:
            return [f"t = {draw.choice(_TEXTS)}"]
        case 6:
            return [f"put({draw.choice('abc')})"]
        case 7:
            return [f"s += m.get('{draw.choice('ab')}', half)(x)"]
        case 8:
            return [draw.choice(("s += q(x)", "s += p(x)", "s += m['a'](x)", "s += len(t)"))]
        case 9:
            return [draw.choice((
                "s += 0.3 * x if p is None else p(x)", "s += o.way(x) if o.way else x",
                "s += 2.0 * x if 'b' in m else x", "s += x if p is square else 0.7 * x",
            ))]  # fmt: skip
        case 10 | 11:
            head = f"for k{loops} in range({draw.choice(('2', 'b', '3'))}):"
            inside = _inner(draw, depth, loops + 1)
            if draw.random() < 0.3:
                inside.append(f"    if {_test(draw, loops + 1)}:")
                inside.append(f"        {draw.choice(('break', 'continue'))}")
            return [head, *inside, *_inner(draw, depth, loops + 1)]
        case _:
            found = [f"if {_test(draw, loops)}:", *_inner(draw, depth, loops)]
            return found if draw.random() < 0.6 else [*found, "else:", *_inner(draw, depth, loops)]


def _inner(draw: random.Random, depth: int, loops: int) -> list[str]:
    count = draw.randrange(1, 3)
    lines = [line for _ in range(count) for line in _statement(draw, depth + 1, loops)]
    return [f"    {line}" for line in lines]


def _text(seed: int) -> str:
    draw = random.Random(seed)
    body = [line for _ in range(7) for line in _statement(draw, 0, 0)]
    body.append(draw.choice(("return s + q(x)", "return s + len(t)", "return s")))
    return _FUNCTIONS + "".join(f"    {line}\n" for line in body)


def _interpreted(calculus: Interpreted, f: Any, args: tuple[Any, ...]) -> Outcome:
    try:
        return Outcome(calculus.call(f, args))
    except RaisedError as error:
        return Outcome(error=error.kind, message=str(error))


def _tried(seed: int, folder: Path, native: bool) -> int:
    """How many calls give a value, or Python's exception; what is refused gives none."""
    f = imported(folder / f"random_paths_{seed}.py", _text(seed)).f
    calculus, compiled, right = Interpreted(), rg.jit(f), 0
    slopes = Slopes(f, "40kB") if native else None
    for args in [(0.75, a, b, c) for a in (-1, 1) for b in (0, 2) for c in (0, 1)]:
        want = outcome(f, args)
        try:
            found = outcome(compiled, args) if native else _interpreted(calculus, rg.jit(f), args)
        except RetrogradError:
            return right
        if found.error in ("UserError", "Limitation"):
            return right
        assert agree(want, found, 1e-12) is None, (seed, args, want, found)
        if slopes is not None and want.error is None and args[1] == args[3]:
            slopes.right(args[0], args[1:])
        right += 1
    return right


def test_random_programs_with_names_on_some_paths(tmp_path: Path) -> None:
    assert sum(_tried(seed, tmp_path, False) > 0 for seed in range(5)) >= 3
    assert _tried(100, tmp_path, True) > 0


@pytest.mark.slow
@pytest.mark.also_in_ci(1)
@pytest.mark.parametrize("shard", range(10))
def test_more_random_programs_with_names_on_some_paths(shard: int, tmp_path: Path) -> None:
    interpreted = [_tried(1000 + seed, tmp_path, False) for seed in range(shard, 300, 10)]
    assert sum(n > 0 for n in interpreted) >= 15
    assert sum(_tried(2000 + seed, tmp_path, True) > 0 for seed in range(shard, 40, 10)) >= 2
