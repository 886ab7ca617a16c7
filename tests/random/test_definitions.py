"""Random definitions in reversible functions: gradients are those of the plain text."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError
from retrograd.prims.core import RaisedError
from tests.random.calculus import Interpreted
from tests.random.files import imported

_U = np.array([0.5, -0.7, 1.3])
_NAMES = ("s", "t", "a", "b", "d")


class _Writer:
    """Statements that define locals, build them up, and now and then update the parameter."""

    def __init__(self, draw: random.Random) -> None:
        self.draw = draw
        self.lines: list[str] = []
        self.loops: list[str] = []

    def place(self) -> str:
        index = self.draw.choice(self.loops) if self.loops else str(self.draw.randrange(3))
        return f"{index} % 3" if self.draw.random() < 0.6 else str(self.draw.randrange(3))

    def atom(self) -> str:
        return self.draw.choice([
            f"u[{self.place()}]", f"u[{self.place()}]", f"v[{self.place()}]", "0.75",
            *self.draw.sample(_NAMES, 3),
        ])  # fmt: skip

    def expr(self) -> str:
        one, other = self.atom(), self.atom()
        return self.draw.choice([
            f"{one} * {other}", f"{one} + 0.5 * {other}", f"np.sin({one}) * {other}", one,
        ])  # fmt: skip

    def test(self) -> str:
        own = [f"{self.loops[-1]} > 0"] if self.loops else []
        return self.draw.choice(["n > 1", f"u[{self.draw.randrange(3)}] > 0.0", "n > 5", *own])

    def block(self, depth: int, size: int) -> None:
        for _ in range(size):
            self.statement(depth)

    def inner(self, head: str, depth: int) -> None:
        self.lines.append("    " * depth + head)
        self.block(depth + 1, self.draw.randint(1, 3))

    def statement(self, depth: int) -> None:
        kind, indent = self.draw.random(), "    " * depth
        if kind < 0.06:
            self.lines.append(f"{indent}c = c + {self.expr()}")
        elif kind < 0.3 or (depth > 2 and kind > 0.66):
            target = self.draw.choice(_NAMES[1:])
            self.lines.append(f"{indent}{target} = {self.expr()}")
        elif kind < 0.55:
            target, op = self.draw.choice(("s", "s", "t", "a")), self.draw.choice(("+=", "-="))
            self.lines.append(f"{indent}{target} {op} {self.expr()}")
        elif kind < 0.66:
            op = self.draw.choice(("=", "+="))
            self.lines.append(f"{indent}v[{self.place()}] {op} {self.expr()}")
        elif kind < 0.85:
            index = self.draw.choice("ijk")
            self.loops.append(index)
            self.inner(f"for {index} in range({self.draw.choice(('n', '2', 'n'))}):", depth)
            self.loops.pop()
        else:
            self.inner(f"if {self.test()}:", depth)
            if self.draw.random() < 0.5:
                self.inner("else:", depth)


def _program(draw: random.Random) -> str:
    writer = _Writer(draw)
    writer.lines.append("    v = np.zeros(3)")
    for name in _NAMES:
        if name == "s" or draw.random() < 0.8:
            writer.lines.append(f"    {name} = {draw.choice(('0.0', 'u[0] * u[1]', '1.0'))}")
    for _ in range(draw.randint(1, 2)):
        writer.block(1, draw.randint(2, 5))
        used = draw.choice(("s", "(s + t)", "a * s", "(b + s)", "v[0] * s", "(v[1] + s)", "d"))
        writer.lines.append(f"    c = c + {used}")
    body = "\n".join(writer.lines)
    return f"import numpy as np\n\n\ndef f(c, u, n):\n{body}\n    return c\n"


def _gradient(call: Any, n: int) -> tuple[Any, ...]:
    def loss(c: Any, u: Any) -> Any:
        after = call(c, u, n)
        return after * after

    value, pullback = Interpreted().vjp(loss, (1.5, _U.copy()))
    return value, *pullback(1.0)


def _tried(seed: int, folder: Path) -> bool:
    """Compares a program; whether it is accepted and runs."""
    draw = random.Random(seed)
    text, n = _program(draw), draw.randrange(4)
    f = imported(folder / f"definitions_{seed}.py", text).f
    try:
        f(1.5, _U.copy(), n)
        wanted = _gradient(f, n)
        made = rg.reversible(f)
        found = _gradient(made, n)
    except (NameError, UserError, RaisedError):
        return False
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(one, other, 1e-9, 1e-9, err_msg=f"seed {seed}, n={n}\n{text}")
    return True


@pytest.mark.thinned(2)
@pytest.mark.parametrize("shard", range(4))
def test_gradients(shard: int, tmp_path: Path) -> None:
    assert sum(_tried(seed, tmp_path) for seed in range(30 * shard, 30 * shard + 30)) > 8


@pytest.mark.slow
@pytest.mark.parametrize("shard", range(20))
def test_many_gradients(shard: int, tmp_path: Path) -> None:
    seeds = range(1000 + 100 * shard, 1100 + 100 * shard)
    assert sum(_tried(seed, tmp_path) for seed in seeds) > 20
