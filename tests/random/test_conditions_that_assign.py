"""Random loops whose conditions assign, with `break`, `continue`, `return` and `else`."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.random.files import imported
from tests.random.lines import function, inner, lines
from tests.random.slopes import Slopes, accepted


def _statement(draw: random.Random, depth: int) -> list[str]:
    k, test = f"k{depth}", draw.choice(("s > 2.0", "n % 2", "s * a < 0.3", "n > 2", "h[0] > h[1]"))
    match draw.randrange(9 if depth < 3 else 4):
        case 0:
            return [f"s = 0.7 * s + {draw.choice(('a', 'c', 'h[1]', 'a * s'))}"]
        case 1:
            return [f"h[{draw.randrange(2)}] += 0.25 * s"]
        case 2:
            return [f"if {test}:", f"    s = {draw.choice(('c', 'a * a', 'h[0] - s'))}"]
        case 3:
            return [f"s = (t := 0.5 * s) + a * t if {test} else s"]
        case 4:
            return [f"if {test}:", *_inner(draw, 3), f"    {_way_out(draw, depth)}"]
        case _:
            start, head = draw.choice((
                (f"{k} = {draw.choice(('-1', '0', 'n - 4'))}", f"({k} := {k} + 1) < {_MOST}"),
                (f"{k} = n", f"({k} := {k} - 1) > 0"),
                (f"{k} = 0", f"({k} := {k} + 1) < n and (s := 0.9 * s) < 4.0"),
                (f"{k} = 4.0 + c", f"({k} := {k} - 1.0) > 0.0"),
            ))  # fmt: skip
            loop = [start, f"while {head}:", *_inner(draw, depth, 3)]
            if draw.randrange(3):
                loop += ["else:", *_inner(draw, 3)]
            return loop


_MOST = 4


def _way_out(draw: random.Random, depth: int) -> str:
    words = ("break", "break", "continue") if depth else ()
    return draw.choice((*words, f"return s + {depth}.5 * a"))


_inner = partial(inner, _statement)
_lines = partial(lines, _statement)


def _program(seed: int, folder: Path) -> Callable[..., Any]:
    draw = random.Random(seed)
    body = ["s, h, t = 0.5 * a, [a, c], a", *_lines(draw, 0, 4), "return s + h[0] * h[1] - t"]
    text = function("a, c, n", body)
    return imported(folder / f"random_conditions_that_assign_{seed}.py", text).f


def _tried(seed: int, folder: Path) -> bool:
    """Whether the program is accepted; what is accepted is right."""
    f = _program(seed, folder)
    return accepted(f, [(0.75, 0.6, 3), (0.4, 1.3, 0)], ("RG0104",), Slopes(f, "40kB"))


def test_a_random_program_with_conditions_that_assign(tmp_path):
    assert _tried(7, tmp_path)


@pytest.mark.slow
@pytest.mark.also_in_ci(1)
@pytest.mark.parametrize("shard", range(8))
def test_more_random_programs_with_conditions_that_assign(shard, tmp_path):
    accepted = [_tried(1000 + seed, tmp_path) for seed in range(shard, 96, 8)]
    assert sum(accepted) >= len(accepted) // 2
