"""Loops over the elementary functions are vectorised, and vectors have the bits of scalars."""

from __future__ import annotations

import platform
import re
import subprocess
import sys
from pathlib import Path

import llvmlite.binding as llvm
import numpy as np
import pytest

from retrograd.backends.llvm.math import coefficients, emit, emit_parts, math_functions
from retrograd.backends.llvm.math.kernels import KERNELS
from retrograd.errors import CompilerBug
from tests.backends.llvm.math_harness import Array, Compiled, compiled

NAMES = list(KERNELS)
MODES = [(True, 256), (True, 512), (False, 256), (False, 512)]
ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(
    scope="module", params=MODES, ids=lambda m: f"{'inline' if m[0] else 'calls'}{m[1]}"
)
def library(request: pytest.FixtureRequest) -> Compiled:
    inline, width = request.param
    return compiled(NAMES, inline=inline, width=width)


def data(name: str, n: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Ordinary arguments, with special, huge and tiny ones strewn in."""
    domain = {"log1p": (-0.9, 9.0), "arcsin": (-1.0, 1.0), "arccos": (-1.0, 1.0)}
    positive = name in ("log", "log2", "log10", "pow")
    low, high = (0.01, 9.0) if positive else domain.get(name, (-9.0, 9.0))
    x, y = rng.uniform(low, high, n), rng.uniform(-3.0, 3.0, n)
    strewn = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1e300, -3e9, 5e-324, 1e-310, 1.0])
    for array in (x, y):
        where = rng.random(n) < 0.15
        array[where] = rng.choice(strewn, int(where.sum()))
    return x, y


def same_bits(a: Array, b: Array) -> bool:
    """Equality of bits; NaN equals NaN."""
    both_nan = np.isnan(a) & np.isnan(b)
    return bool(np.all(both_nan | (a.view(np.int64) == b.view(np.int64))))


@pytest.mark.thinned(3)
@pytest.mark.parametrize("name", NAMES)
def test_every_length_has_the_bits_of_single_calls(
    name: str, library: Compiled, rng: np.random.Generator
) -> None:
    for n in range(1, 78):
        args = data(name, n, rng)[: KERNELS[name].arity]
        assert same_bits(library.over(name, *args), library.each(name, *args)), n


@pytest.mark.parametrize("name", NAMES)
def test_loops_are_vectorised(name: str, library: Compiled) -> None:
    loop = library.loop_ir(name)
    steps = re.findall(rf"@(?:llvm\.fma\.v|rg_{name}_)([248])", loop)
    assert steps, loop
    if platform.machine() == "x86_64":
        assert max(map(int, steps)) >= 4


@pytest.mark.parametrize("name", NAMES)
def test_no_contraction_and_no_fast_math(name: str) -> None:
    text = emit([name], inline=False)
    assert not re.search(r"\b(fast|contract|reassoc|nnan|ninf|nsz|arcp|afn|fmuladd)\b", text)


@pytest.mark.skipif(
    not llvm.get_host_cpu_features().get("avx2", False), reason="needs AVX2 to run the plainer code"
)
def test_modes_and_processors_give_the_same_bits(rng: np.random.Generator) -> None:
    host, *others = (
        compiled(NAMES),
        compiled(NAMES, inline=False, width=512),
        compiled(NAMES, cpu="x86-64-v3"),
        compiled(NAMES, cpu="x86-64-v3", inline=False),
    )
    for name in NAMES:
        args = data(name, 3000, rng)[: KERNELS[name].arity]
        expected = host.over(name, *args)
        assert all(same_bits(expected, other.over(name, *args)) for other in others), name


def test_emission_holds_what_was_asked_for_and_no_more() -> None:
    parts = emit_parts(["exp", "log", "exp"])
    assert len(parts.definitions) == 2
    assert all(line.startswith("declare ") and "\n" not in line for line in parts.declarations)
    assert "rg_two_over_pi" not in emit(["exp"])
    assert "rg_two_over_pi" in emit(["cos", "tan"])
    assert emit([]).strip() == ""


def test_functions_keep_their_names_in_both_modes() -> None:
    for inline in (True, False):
        module = llvm.parse_assembly(emit(NAMES, inline=inline, widths=(4,)))
        module.verify()
        defined = {f.name for f in module.functions if not f.is_declaration}
        assert set(math_functions().values()) <= defined
        assert not any(name.endswith("_8") for name in defined)


def test_an_unknown_function_is_our_fault() -> None:
    with pytest.raises(CompilerBug, match="gamma"):
        emit(["gamma"])


@pytest.mark.slow
def test_the_coefficients_are_reproducible() -> None:
    made = subprocess.run(
        [sys.executable, str(ROOT / "tools" / "minimax.py")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert made.stdout == Path(coefficients.__file__).read_text()
