"""Random programs with small matrices that are factored, solved with and changed in place."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.frontend.harness import agree
from tests.random.files import imported
from tests.random.lines import inner, lines
from tests.random.slopes import right_in_a_direction

_STATEMENTS = (
    "v = np.linalg.solve({m}, v)",
    "v = np.linalg.solve({m}.T, {m}[1]) + 0.5 * v",
    "{m} = 0.3 * ({m} @ {o}) + 2.0 * np.eye(3)",
    "{m} = np.linalg.inv({m}) + {o}",
    "s += np.linalg.slogdet({m} @ {m}.T + np.eye(3))[1]",
    "s += 0.1 * np.linalg.det({m})",
    "{m} = np.linalg.cholesky({m} @ {m}.T + np.eye(3)) + 0.5 * np.eye(3)",
    "s += np.sum(np.linalg.eigvalsh({m} @ {m}.T) ** 2.0) * 0.1",
    "w, r = np.linalg.eigh({m} @ {m}.T + np.diag([1.0, 2.0, 3.0]))\n{m} = (r * np.sqrt(w)) @ r.T",
    "q, t = np.linalg.qr({m} + 2.0 * np.eye(3))\nv = q @ v\n{o} = 0.5 * t + np.eye(3)",
    "s += np.linalg.norm({m}, 'nuc') + np.linalg.norm({m}, 2)",
    "v = np.linalg.lstsq({m}[:, :2] + b[:, :2], v, rcond=None)[0][0] * v",
    "{m}[{i}, {j}] += 0.25 * np.sin(v[{i}])",
    "{m}[{i}] = {m}[{i}] + 0.1 * v",
    "v = 0.5 * (v + {m} @ v) / (1.0 + np.sum(v * v))",
)


def _statement(draw: random.Random, depth: int) -> list[str]:
    m, o = draw.sample("ab", 2)
    i, j = draw.randrange(3), draw.randrange(3)
    match draw.randrange(9 if depth < 2 else 7):
        case 7:
            test = draw.choice(["c > 0", "s > 1.0", f"{m}[0, 1] > v[{i}]"])
            return [f"if {test}:", *_inner(draw, depth), "else:", *_inner(draw, depth)]
        case 8:
            return [f"for k in range({draw.randrange(3)}):", *_inner(draw, depth)]
        case _:
            return draw.choice(_STATEMENTS).format(m=m, o=o, i=i, j=j).split("\n")


_inner = partial(inner, _statement)
_lines = partial(lines, _statement)


def _program(seed: int, folder: Path) -> Callable[..., Any]:
    draw = random.Random(seed)
    body = ["a, b, s = a.copy() + 2.0 * np.eye(3), 0.5 * a.T + np.eye(3), 0.0"]
    body += [*_lines(draw, 0, 5), "return s + np.sum(np.sin(v)) + np.sum(np.cos(a * b)) * 0.1"]
    text = "".join(f"    {line}\n" for line in body)
    text = f"import numpy as np\n\n\ndef f(a, v, c):\n{text}"
    return imported(folder / f"random_linalg_{seed}.py", text).f


def _tried(seed: int, folder: Path) -> bool:
    """Whether differences say anything about the program; what it gives is right."""
    f = _program(seed, folder)
    rng = np.random.default_rng(seed)
    a, v = rng.uniform(-1.0, 1.0, (3, 3)), rng.uniform(-1.0, 1.0, 3)
    a_dot, v_dot = rng.uniform(-1.0, 1.0, (3, 3)), rng.uniform(-1.0, 1.0, 3)
    agree(f, a, v, 1.0)
    return right_in_a_direction(f, (a, v), (a_dot, v_dot), 1.0, "40kB")


def test_random_programs_with_linear_algebra(tmp_path: Path) -> None:
    assert _tried(1, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("shard", range(8))
def test_more_random_programs_with_linear_algebra(shard: int, tmp_path: Path) -> None:
    said = [_tried(seed, tmp_path) for seed in range(100 + shard, 260, 8)]
    assert sum(said) > len(said) // 2
