"""Sweeps that take turns have the bits of sweeps that do not, wherever the forward one is cut."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from retrograd.ir.terms import Program
from tests.backends.llvm.native import Raised, bits, compiled, native
from tests.backends.llvm.test_interrupt import numbered
from tests.backends.llvm.turning import LEAVES, in_turns, turning
from tests.transforms.ad.vjp.support import data, linear_programs, lowered, with_vjp
from tests.transforms.ad.vjp.test_identities import FORMS


def check(program: Program, cases: Sequence[Sequence[Any]], grain: int = 1) -> int:
    """Compares with the sweeps in one go; how often they took turns in all."""
    plain = compiled(program)
    made = turning(program, grain)
    if made is None:
        return 0
    leaves = 0
    for args in cases:
        want = native(plain, args)
        assert not isinstance(want, Raised)
        for leaf in LEAVES:
            got, count, _ = in_turns(made, args, leaf)
            leaves += count
            assert bits(got) == bits(want), (leaf, got, want)
    return leaves


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
def test_forms(form: Callable[[], Program]) -> None:
    program = lowered(numbered(with_vjp(form())))
    rng = np.random.default_rng(3)
    check(program, [data(program, rng), data(program, rng, 5)])


@pytest.mark.parametrize("program", linear_programs(0, 24))
def test_random_programs(program: Program) -> None:
    rng = np.random.default_rng(3)
    derivative = lowered(numbered(with_vjp(program)))
    check(derivative, [data(derivative, rng)])


def test_turns_are_taken() -> None:
    waits = {
        form.__name__: check(program, [data(program, np.random.default_rng(3), 70)], 32)
        for form in FORMS
        for program in (lowered(numbered(with_vjp(form()))),)
    }
    assert sum(waits.values()) > 30
    assert sum(count > 0 for count in waits.values()) > 3
