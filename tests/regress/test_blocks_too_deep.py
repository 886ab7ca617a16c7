"""A long row of early returns ended in Python's RecursionError, inside of the compiler."""

from __future__ import annotations

from pathlib import Path

import pytest

import retrograd as rg
from retrograd.errors import Limitation
from tests.random.files import imported


def test_it_is_a_declared_limit(tmp_path: Path) -> None:
    lines = ["def f(x):"]
    for k in range(500):
        lines += [f"    if x > {500 - k}.5:", f"        return x * {k}.0", "    x = x + 0.01"]
    f = imported(tmp_path / "rows_of_returns.py", "\n".join([*lines, "    return x\n"])).f
    for derived in (rg.jit(f), rg.grad(f), rg.grad(f, memory="10kB"), rg.jacfwd(f)):
        with pytest.raises(Limitation, match=r"(?s)RG2302.*return once"):
            derived(0.3)
    with pytest.raises(Limitation, match="RG2302"):
        rg.jvp(f, (0.3,), (1.0,))
