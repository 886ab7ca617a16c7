"""Random programs with complex numbers and arrays of them: values, and slopes of a real result.

Bits are compared with the interpreter, so they call no elementary functions.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.frontend.harness import agree
from tests.random.files import imported
from tests.random.slopes import Slopes

_BEGIN = """
import numpy as np


def turned(z, x):
    if x > 0.3:
        return z * 1j + x
    return z.conjugate() - x * 0.5


def parts(a):
    return a.real, a.imag


def f(u, c):
    z, w, x = complex(u, 0.5), 0.25 - 0.5j, u * 0.5
    a = np.array([u, 1.0 + 2j * u, 0.5j, w])
    b = np.array([u, 0.5, -0.25, c])
    pairs = [z, w]
"""

_END = """
    total = np.sum(a * np.conj(a)).real + z.real - 0.5 * w.imag + x + np.sum(b)
    return total + sum(p.real * 0.125 + p.imag for p in pairs)
"""


def _number(draw: random.Random) -> str:
    simple = ("z", "w", "x", "u", "a[1]", "a[k % 4]", "0.5j", "0.5 + 0.25j", "b[2]", "pairs[0]")
    one, other = draw.choice(simple), draw.choice(simple)
    return draw.choice((
        one, f"{one} * {other}", f"{one} + {other}", f"{one} - {other}", f"{one} / (2.5 + {other})",
        f"({one}) ** 2", f"turned(0j + {one}, {draw.choice(('x', 'u', 'c'))})", f"complex({one})",
        "np.sum(a)", "np.vdot(a, b)", "np.dot(a, a)", "np.prod(a[:2])", "a.mean()", f"1j * {one}",
        f"({one}) ** 3 * 0.125", f"-{one}",
    ))  # fmt: skip


def _array(draw: random.Random) -> str:
    one, other = draw.choice(("a", "b", "a[::-1]", "1j * b")), draw.choice(("a", "b", "z", "w"))
    return draw.choice((
        f"{one} * {other}", f"{one} + {other}", f"{other} - {one}", f"{one} / (3.0 + {other})",
        f"np.where(b > 0.1, {one}, {other})", f"np.roll({one} + 0j, 1)", f"np.conj({one}) * 0.5",
        f"np.concatenate(({one}, 0.5 * a))[2:6]", f"np.cumsum({one} * 0.5j)", f"{one} ** 2 * 0.25",
        f"np.outer({one}, b)[1] + 0j", f"a[np.array([3, 0, 1, 1])] * {other}", "a @ np.diag(b)",
    ))  # fmt: skip


def _statement(draw: random.Random, depth: int) -> list[str]:
    kind = draw.randrange(13)
    if kind < 2:
        return [f"z = 0j + {_number(draw)}"]
    if kind == 2:
        return [f"w = 0.5 * ({_number(draw)}) + 0j"]
    if kind == 3:
        return [f"x = ({_number(draw)} + 0j).{draw.choice(('real', 'imag'))} * 0.5"]
    if kind == 4:
        return [f"a = 0j + {_array(draw)}"]
    if kind == 5:
        return [f"a[{draw.choice(('0', 'k % 4', '1:3', 'b > 0.2'))}] = {_number(draw)}"]
    if kind == 6:
        place = draw.choice(("a[2]", "a[1:]", "a", "a[k % 4]", "a[[0, 2]]"))
        return [f"{place} {draw.choice(('+=', '*=', '-='))} 0.5 * ({_number(draw)})"]
    if kind == 7:
        return [draw.choice(("a.real[1] = x", "a.imag[:] = b", "b = parts(a)[0] * 0.5",
                             "a.real = a.imag * 0.5", "a[1:] = a[:-1]"))]  # fmt: skip
    if kind == 8:
        return [draw.choice(("pairs.append(z)", "pairs[0] = w", "pairs = pairs[:2] + [z]"))]
    if kind == 9 or depth > 1:
        return [f"z, w = w, 0.5 * ({_number(draw)} + 0j)"]
    inner = [line for _ in range(2) for line in _statement(draw, depth + 1)]
    body = [f"    {line}" for line in inner]
    if kind == 10:
        return [f"for k in range({draw.randrange(1, 4)}):", *body]
    if kind == 11:
        other = [f"    {line}" for line in _statement(draw, depth + 1)]
        return [
            f"if {draw.choice(('c > 0.0', 'x > 0.1', 'w.real > 0.0'))}:",
            *body,
            "else:",
            *other,
        ]
    return ["for one in list(b):", *body, "    z = z * 0.5 + one"]


def _program(seed: int, folder: Path) -> Callable[..., Any]:
    draw = random.Random(seed)
    lines = [line for _ in range(draw.randrange(5, 10)) for line in _statement(draw, 0)]
    text = _BEGIN + "    k = 1\n" + "".join(f"    {line}\n" for line in lines) + _END
    return imported(folder / f"complex_{seed}.py", text).f


def _tried(seed: int, folder: Path) -> bool:
    """Whether the program has a slope that was compared with differences; all of it is right."""
    f = _program(seed, folder)
    slopes = Slopes(f, "64kB")
    compared = 0
    for c in (1.0, -1.0):
        agree(f, 0.75, c)
        compared += slopes.right(0.75, (c,))
    return compared > 0


def test_random_programs_with_complex_numbers(tmp_path: Path) -> None:
    for seed in range(20):
        agree(_program(seed, tmp_path), 0.75, 1.0)
    assert any([_tried(seed, tmp_path) for seed in (2, 7)])


@pytest.mark.slow
@pytest.mark.parametrize("shard", range(4))
def test_more_random_programs_with_complex_numbers(shard: int, tmp_path: Path) -> None:
    assert any([_tried(1000 + seed, tmp_path) for seed in range(shard, 60, 4)])
