"""Random programs with dicts, of which the caller's are trees: as in Python, or refused for a
possible alias, or since a dict has other keys on another path."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError
from tests.frontend.harness import agree, same
from tests.random.files import imported
from tests.random.lines import inner, lines

_HELPERS = """
import numpy as np


def mix(a, b):
    a["x"] = 0.5 * a["x"] + 0.25 * b["y"]
    a["h"][0] += b["x"]
    return a["y"]


def made(a, s):
    return {"x": a["y"] * s, "y": a["x"], "h": a["h"] + s}


def pick(a, b, c):
    if c > 0:
        return a
    return b


def exchange(a, b):
    a["x"], b["y"] = b["y"], a["x"]


def put(o, a):
    o["in"] = a
    return o["in"]


def keyed(x, **more):
    more["x"] = x
    return sum(v for k, v in more.items() if k != "h") + np.sum(more["h"])


"""


def _statement(draw: random.Random, depth: int) -> list[str]:
    a, b = draw.choice("pqr"), draw.choice("pqr")
    k, m = draw.choice("xy"), draw.choice("xy")
    kinds = 21 if depth < 2 else 17
    match draw.randrange(kinds):
        case 0:
            return [f'{a} = {{"x": {b}["{k}"], "y": 0.5 * {a}["x"], "h": {b}["h"] * 0.5}}']
        case 1:
            return [f"{a} = {b}"]
        case 2:
            return [f'{a}["{k}"] = {b}["{m}"] * 0.75']
        case 3:
            return [f"s += mix({a}, {b})"]
        case 4:
            return [f"{a} = made({b}, 0.5)"]
        case 5:
            return [f'{a}["h"] = {a}["h"] * 0.5', f'{a}["h"][1] = {b}["x"]']
        case 6:
            return [f"{a} = dict({b})", f'{a}["{k}"] += 0.125']
        case 7:
            return [f'{a}["z"] = {b}["{k}"]', f's -= 0.5 * {a}.pop("z")']
        case 8:
            return [f"for name, value in {a}.items():", f'    s += np.sum(value) * {b}["{k}"]']
        case 9:
            return [f'{a} = {b} | {{"{k}": s}}', f's = {a}.get("w", 0.5) + {b}["{k}"]']
        case 10:
            return [f'o["in"] = {a}', f's += keyed(**o["in"]) + {b}["y"]']
        case 11:
            return [f"{a} = {{name: value * 0.5 for name, value in {b}.items()}}"]
        case 12:
            return [f"{a} = pick({a}, {b}, {draw.choice(['c', 's'])})"]
        case 13:
            return [f"exchange({a}, {b})"]
        case 14:
            return [f"{a} = put(o, {b})"]
        case 15:
            return [
                'for name in ("x", "y"):', f'    {a}[name] *= {b}["{k}"]', f'    if {a}[name] > c:',
                "        break",
            ]  # fmt: skip
        case 16:
            return [f's += (lambda v: {a}["{k}"] * v + {b}["h"][0])({b}["{m}"])']
        case 17:
            test = draw.choice(["c > 0", f'{a}["x"] > {b}["y"]', "s > 1.0"])
            return [f"if {test}:", *_inner(draw, depth), "else:", *_inner(draw, depth)]
        case 18:
            return [f"for k in range({draw.randrange(4)}):", *_inner(draw, depth)]
        case 19:
            found = (
                f'o.get("w", {a}["{k}"])' if draw.random() < 0.5 else 'o["w"] if "w" in o else s'
            )
            return [
                f'if {a}["{k}"] > c:',
                '    o["w"] = s',
                f"s += 0.5 * ({found}) + 0.01 * len(o)",
            ]
        case _:
            return ["for k in range(n):", *_inner(draw, depth)]


_inner = partial(inner, _statement)
_lines = partial(lines, _statement)


def _text(seed: int) -> str:
    draw = random.Random(seed)
    own = draw.choice(["t['p']", "dict(t['p'])", "{**t['p'], 'h': t['p']['h'] * 1.0}"])
    body = [
        f's, p, n = t["s"], {own}, t["n"]',
        'q = {"x": t["q"][0], "y": 1.5, "h": np.array([s, 1.0])}',
        'r = {"x": 0.25, "y": p["x"], "h": t["q"][1] * 2.0}',
        'o = {"in": q}',
        *_lines(draw, 0, 7),
        'return {"s": s + q["x"] * r["x"], "p": p, "o": o["in"]["h"], "n": n}',
    ]
    return _HELPERS + "def f(t, c):\n" + "".join(f"    {line}\n" for line in body)


def _program(seed: int, folder: Path) -> Callable[..., Any]:
    return imported(folder / f"random_dicts_{seed}.py", _text(seed)).f


def _tree() -> Any:
    parameters = {"x": 0.75, "h": np.array([0.5, -0.25]), "y": 0.3}
    return {"n": 3, "s": 0.4, "p": parameters, "q": (0.6, np.array([1.25, 0.2])), "none": None}


def _moved(tree: Any, direction: Any, size: float) -> Any:
    def move(x: Any, d: Any) -> Any:
        return x if isinstance(x, int) else x + size * d

    return rg.tree.map(move, tree, direction)


def _floats(tree: Any) -> Any:
    return np.concatenate([np.ravel(x) for x in rg.tree.leaves(tree) if not isinstance(x, int)])


def _tried(seed: int, folder: Path) -> bool:
    """Whether the program is accepted; what is accepted is right."""
    f = _program(seed, folder)
    draw = np.random.default_rng(seed)
    direction = rg.tree.map(lambda x: 0 if isinstance(x, int) else x * draw.normal(), _tree())
    accepted = 0
    for c in (1.0, -1.0):

        def of_tree(t: Any, c: float = c, f: Callable[..., Any] = f) -> Any:
            return f(t, c)

        try:
            agree(f, _tree(), c)
        except UserError as error:
            assert error.code in ("RG0106", "RG0104"), error  # noqa: PT017
        expected = of_tree(_tree())
        try:
            y, y_dot = rg.jvp(of_tree, (_tree(),), (direction,))
            _, pullback = rg.vjp(of_tree, _tree())
        except UserError as error:
            assert error.code in ("RG0106", "RG0104"), error  # noqa: PT017 - no other refusal
            continue
        accepted += 1
        same(y, expected)
        bar = rg.tree.map(lambda x: x if isinstance(x, int) else x * draw.normal(), y)
        (found,) = pullback(bar)
        less = rg.vjp(of_tree, _tree(), memory="20kB")[1](bar)
        assert repr(less) == repr((found,))
        forwards = float(_floats(bar) @ _floats({**y_dot, "n": 0}))
        backwards = float(_floats(found) @ _floats(direction))
        assert forwards == pytest.approx(backwards, rel=1e-9, abs=1e-12)
        size = 1e-6
        high, low = (_floats(of_tree(_moved(_tree(), direction, d))) for d in (size, -size))
        if np.max(np.abs(high - low)) > 1e-3 * (1 + np.max(np.abs(_floats({**y_dot, "n": 0})))):
            continue  # a branch is taken on one side only
        slope = _floats({**y_dot, "n": 0})
        assert slope == pytest.approx((high - low) / (2 * size), rel=1e-4, abs=1e-4)
    return accepted > 0


@pytest.mark.thinned(2)
@pytest.mark.parametrize("shard", range(2))
def test_random_programs_with_dicts(shard: int, tmp_path: Path) -> None:
    accepted = [_tried(seed, tmp_path) for seed in range(shard, 6, 2)]
    assert sum(accepted) >= len(accepted) // 4


@pytest.mark.slow
@pytest.mark.also_in_ci(2)
@pytest.mark.parametrize("shard", range(8))
def test_more_random_programs_with_dicts(shard: int, tmp_path: Path) -> None:
    accepted = [_tried(1000 + seed, tmp_path) for seed in range(shard, 200, 8)]
    assert sum(accepted) >= len(accepted) // 4
