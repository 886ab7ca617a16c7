"""Random programs with `try`, `raise`, what raises by itself, and `print`: as in plain Python."""

from __future__ import annotations

import contextlib
import io
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError
from tests.frontend.harness import agree
from tests.random.files import imported

_BEGIN = """
import numpy as np


class Own(ValueError):
    def __init__(self, code, x):
        super().__init__(f"code {code}: {x:.3f}")


class P:
    def __init__(self, a):
        self.a = a

    def push(self, d, n):
        print("push", n)
        self.a += d
        if n == 2:
            raise Own(n, d)
        return self.a


class Context:
    def __init__(self):
        self.depth = 0
        self.weight = 1.0

    def __enter__(self):
        self.depth += 1
        return self

    def __exit__(self, *_):
        self.weight = self.weight * 0.5 + self.depth
        self.depth -= 1


def g(d, n, k):
    if n == k:
        raise Own(n, d)
    if n > 4:
        return d
    return d * (6 // (n - 3))


"""
_CLASSES = ("ZeroDivisionError", "IndexError", "ValueError", "Own", "KeyError", "LookupError",
            "(KeyError, ZeroDivisionError)", "Exception", "ArithmeticError")  # fmt: skip


def _expression(draw: random.Random) -> str:
    name, n = draw.choice("xyz"), draw.choice(["n", "m", "n + m", "m - n"])
    return draw.choice([
        f"{name} * 0.5", f"{name} * (3 // ({n} - {draw.randrange(4)}))", f"v[{n}]",
        f"g({name}, {n}, {draw.randrange(4)})",
        f"({name} if {n} > 1 else {name} * (2 // ({n})))", f"o.push({name}, {n})", f"w[{n} - 1]",
        f"(v[{n}] * 0.5 if {n} < 3 and v[{n} - 2] > 0.2 else 0.25)",
    ])  # fmt: skip


def _statement(draw: random.Random, depth: int, loops: bool, tries: int) -> list[str]:
    a = draw.choice("xyz")
    match draw.randrange(-1, 11 if depth < 3 else 6):
        case -1:
            return [f"print('{draw.randrange(100)}', n, m, x > y)"]
        case 0 | 1:
            return [f"{a} = {_expression(draw)}"]
        case 2:
            return [f"{a} += {_expression(draw)} * 0.25"]
        case 3:
            return [f"v[{draw.choice(['n', 'm', 'n - m'])}] = {_expression(draw)}"]
        case 4:
            kind = draw.choice(["ValueError('a')", "KeyError(n)", "Own(m, x)", "IndexError"])
            stop = [f"raise {kind}", "return x * y"]
            stop += ["break", "continue"] if loops else []
            return [f"if {draw.choice('nm')} == {draw.randrange(4)}:", f"    {draw.choice(stop)}"]
        case 5:
            return [f"w.append({_expression(draw)})"]
        case 6:
            head = [f"if {draw.choice(['x > y', 'n > m', 'm == 1'])}:"]
            return [
                *head,
                *_inner(draw, depth, loops, tries),
                "else:",
                *_inner(draw, depth, loops, tries),
            ]
        case 7:
            return [f"for m in range({draw.randrange(1, 5)}):", *_inner(draw, depth, True, tries)]
        case 8:
            name = draw.choice(["c", "Context()"])
            kept = [f"    c.weight += {a}"] if draw.random() < 0.5 else []
            return [f"with {name} as k:", *_inner(draw, depth, loops, tries), *kept]
        case _:
            return _try(draw, depth, loops, tries)


def _try(draw: random.Random, depth: int, loops: bool, tries: int) -> list[str]:
    found = ["try:", *_inner(draw, depth, loops, tries + 1)]
    for _ in range(draw.randrange(1, 3)):
        name, cls = draw.choice(["", "", " as e"]), draw.choice(_CLASSES)
        found += [f"except {cls}{name}:", *_inner(draw, depth, loops, tries)]
        if draw.random() < 0.15:
            found.append("    raise")
    if draw.random() < 0.1:
        found += ["except:", *_inner(draw, depth, loops, tries)]
    if draw.random() < 0.3:
        found += ["else:", *_inner(draw, depth, loops, tries)]
    if draw.random() < 0.2 and not any("return" in line for line in found) and not tries:
        found += ["finally:", f"    z = z * {draw.choice([0.5, 1.25])}"]
    return found


def _inner(draw: random.Random, depth: int, loops: bool, tries: int) -> list[str]:
    return [f"    {line}" for line in _lines(draw, depth + 1, draw.randrange(1, 4), loops, tries)]


def _lines(draw: random.Random, depth: int, count: int, loops: bool, tries: int) -> list[str]:
    return [line for _ in range(count) for line in _statement(draw, depth, loops, tries)]


def _text(seed: int) -> str:
    draw = random.Random(seed)
    body = [
        "x, y, z, m, o, c = u, 1.5 * u, 0.75, 1, P(u), Context()",
        "v, w = np.array([u, 0.5, u * u]), [u, 1.0]",
        "if n > 9:",
        "    return x + y",
        *_try(draw, 0, False, 0), *_lines(draw, 0, 2, False, 0), *_try(draw, 0, False, 0),
        "return x + y * z + o.a + np.sum(v) + sum(w) + c.weight * (c.depth + 1)",
    ]  # fmt: skip
    return _BEGIN + "def f(u, n):\n" + "".join(f"    {line}\n" for line in body)


def _program(seed: int, folder: Path) -> Callable[..., Any]:
    name = f"random_exceptions_{seed}"
    module = sys.modules[name] = imported(folder / f"{name}.py", _text(seed))
    return module.f


_RAISED = (ArithmeticError, LookupError, ValueError, TypeError)


def _outcome(f: Callable[..., Any], *args: Any) -> Any:
    """What a call returns or raises, and the lines that it has printed."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        try:
            found = f(*args)
        except _RAISED as error:
            found = type(error).__name__, str(error)
    return found, out.getvalue()


def check_seed(seed: int, folder: Path) -> None:
    """What the program gives, or raises, is Python's; so are its derivatives."""
    f = _program(seed, folder)
    gradient, within = rg.grad(f), rg.grad(f, memory="4kB")
    compiled = rg.jit(f)
    for n in range(5):
        with contextlib.redirect_stdout(io.StringIO()):
            agree(f, 0.75, n)
        value, lines = _outcome(f, 0.75, n)
        found = _outcome(compiled, 0.75, n)
        near = pytest.approx(value, rel=1e-12) if isinstance(value, float) else value
        assert found == (near, lines)
        slope, again = _outcome(gradient, 0.75, n)
        assert _outcome(within, 0.75, n) == (slope, again)
        assert again == lines
        if not isinstance(value, float):
            assert slope == value
            continue
        (_, tangent), once = _outcome(lambda n=n: rg.jvp(f, (0.75, n), (1.0, 0)))
        assert slope == pytest.approx(tangent, rel=1e-9, nan_ok=True)
        assert once == lines
        ends = [_outcome(f, 0.75 + d, n)[0] for d in (1e-6, -1e-6)]
        if not all(isinstance(end, float) for end in ends):
            continue
        if not np.abs(ends[0] - ends[1]) <= 1e-3 * (1 + np.abs(value) + np.abs(slope)):
            continue  # a branch is taken on one side only
        near = (ends[0] - ends[1]) / 2e-6
        assert slope == pytest.approx(near, rel=1e-4, abs=1e-4 * (1 + np.abs(value)))


def accepted(seed: int, folder: Path) -> bool:
    """Whether a program is accepted: a handler may look at one kind of exception only."""
    try:
        check_seed(seed, folder)
    except UserError as error:
        assert error.code in ("RG0126", "RG0127"), error  # noqa: PT017
        return False
    return True


def test_random_programs_with_exceptions(tmp_path):
    assert sum(accepted(seed, tmp_path) for seed in range(2)) >= 1


@pytest.mark.slow
@pytest.mark.parametrize("shard", range(20))
def test_more_random_programs_with_exceptions(shard, tmp_path):
    assert sum(accepted(1000 + seed, tmp_path) for seed in range(shard, 200, 20)) >= 4
