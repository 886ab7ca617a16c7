"""Random programs with places that are not accepted, to which they come for some arguments only.

In Python such a place raises an exception that no handler catches. A program that is accepted has
to be refused there, and only there: what it does on its way, and for other arguments, is Python's.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import retrograd as rg
from retrograd.errors import UserError
from tests.random.files import imported
from tests.random.harness import Outcome, agree, outcome
from tests.random.shards import shards

_OURS = """
import numpy as np

def far(v):
    return np.lib.stride_tricks.as_strided(np.array([v]), (1,), (8,))[0]

def further(v):
    with open('nothing', 'rb') as file:
        return v + len(file.read())
"""
_PYTHONS = """
import numpy as np

def far(v):
    raise Far

further = far
"""
_FUNCTIONS = """
def guarded(v, n):
    if n > 1:
        return far(v)
    if v > 1.5:
        raise ValueError('too far')
    return v * v

def f(x, a, b, c):
    s, l, y = 0.1 * x, [x, 1.0], np.array([x, 2.0, 0.3])
"""


class Far(BaseException):
    """What Python raises at such a place."""


def _place(draw: random.Random) -> str:
    return draw.choice((
        "s = far(s)", "l.append(far(x))", "y[1] = further(s)", "s += further(x) * x",
        "return far(s)", "assert far(x) > 0.0", "y = y * far(s)", "l[0] = far(l[1])",
        "s += guarded(s, a + b)",
    ))  # fmt: skip


def _test(draw: random.Random) -> str:
    return draw.choice((
        "a > 0", "b > 1", "c > 0", "x > 1.0", "s > 0.5", "len(l) > 3", "y[0] > 1.0", "a + b > 2",
        "np.sum(y) < 2.0",
    ))  # fmt: skip


def _plain(draw: random.Random) -> str:
    return draw.choice((
        "s += 0.5 * x", "s = s * l[0] - x", "l.append(0.3 * s)", "l[-1] = l[0] + x", "y[0] += s",
        "y = y * 0.7 + x", "s += np.sum(y)", "s += guarded(0.9 * x, a)", "y[2] = l[-1]",
        "s += (far(x) if b > 1 else 0.2 * x)", "s += 0.1 if a > 0 or c > 0 else further(s)",
    ))  # fmt: skip


def _statement(draw: random.Random, depth: int) -> list[str]:
    match draw.randrange(14) if depth < 3 else 0:
        case 0 | 1 | 2 | 3 | 4:
            return [_plain(draw)]
        case 5 | 6 | 7 | 8:
            return [f"if {_test(draw)}:", f"    {_plain(draw)}", f"    {_place(draw)}"]
        case 9:
            ends = draw.choice(("break", "continue", _place(draw), _place(draw)))
            inside = [*_inner(draw, depth), f"    if {_test(draw)}:", f"        {ends}"]
            return [f"for k{depth} in range({draw.choice(('b', '2', 'a + 1'))}):", *inside]
        case 10:
            caught = draw.choice(("ValueError", "(ValueError, TypeError)", "Exception"))
            last = draw.choice((["else:", "    s = s + 0.1"], []))
            handler = [f"except {caught}:", f"    {_plain(draw)}"]
            return ["try:", *_inner(draw, depth), *handler, *last]
        case 11:
            return [f"if {_test(draw)}:", *_inner(draw, depth)]
        case _:
            return [f"if {_test(draw)}:", *_inner(draw, depth), "else:", *_inner(draw, depth)]


def _inner(draw: random.Random, depth: int) -> list[str]:
    lines = [line for _ in range(draw.randrange(1, 3)) for line in _statement(draw, depth + 1)]
    return [f"    {line}" for line in lines]


def _text(seed: int) -> str:
    draw = random.Random(seed)
    body = [line for _ in range(5) for line in _statement(draw, 0)]
    body.append("return s + sum(l) + np.sum(y * y)")
    return _FUNCTIONS + "".join(f"    {line}\n" for line in body)


def _of_python(f: Callable[..., Any], args: tuple[Any, ...]) -> Outcome:
    try:
        return outcome(f, args)
    except Far:
        return Outcome(error="Far")


def _of_ours(f: Callable[..., Any], args: tuple[Any, ...]) -> Outcome:
    try:
        found = outcome(f, args)
    except UserError:
        return Outcome(error="Far")
    return Outcome(error="Far") if found.error == "UserError" else found


def _right(ways: tuple[Callable[..., Any], ...], args: tuple[Any, ...]) -> None:
    """Asserts that there is one slope in all ways; that of differences, but for beside a branch."""
    f, full, within, forward = ways
    value, slope = full(*args)
    assert (value, slope) == within(*args)
    assert slope == pytest.approx(forward(*args), rel=1e-9, abs=1e-12)
    (x, *rest), d = args, 1e-6
    near = [_of_python(f, (x + k * d, *rest)).value for k in (-2, -1, 1, 2)]
    if None not in near and near[0] - 2 * near[1] == pytest.approx(near[3] - 2 * near[2], abs=1e-7):
        assert slope == pytest.approx((near[2] - near[1]) / (2 * d), rel=1e-4, abs=1e-4)


def _tried(seed: int, folder: Path) -> bool:
    """Whether a program that gets to such a place for some arguments is right for all of them."""
    text = _text(seed)
    f = imported(folder / f"random_places_{seed}.py", _OURS + text).f
    pythons = imported(folder / f"random_places_{seed}_python.py", _PYTHONS + text)
    vars(pythons)["Far"], python = Far, pythons.f
    cases = [(x, a, b, c) for x in (0.75, 1.3) for a in (0, 2) for b in (0, 2) for c in (0, 1)]
    wanted = [_of_python(python, args) for args in cases]
    compiled = rg.jit(f)
    found = [_of_ours(compiled, args) for args in cases]
    if all(one.error == "Far" for one in found):
        return False  # refused before it runs
    ways = (python, rg.value_and_grad(f), rg.value_and_grad(f, memory="40kB"), _tangent(f))
    for args, want, got in zip(cases, wanted, found, strict=True):
        assert agree(want, got, 1e-12) is None, (seed, args, want, got)
        if want.error is None:
            _right(ways, args)
        elif want.error == "Far":
            assert _of_ours(ways[1], args).error == "Far"
    return any(one.error == "Far" for one in wanted)


def _tangent(f: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x, *rest: rg.jvp(f, (x, *rest), (1.0, *(0 for _ in rest)))[1]


def test_random_programs_with_places_that_are_not_accepted(tmp_path: Path) -> None:
    assert sum(_tried(seed, tmp_path) for seed in range(3)) >= 1


@pytest.mark.parametrize("shard", shards(10, fast=1))
def test_more_random_programs_with_such_places(shard: int, tmp_path: Path) -> None:
    assert sum(_tried(1000 + seed, tmp_path) for seed in range(shard, 60, 10)) >= 2
