"""Reverse mode on every form of the language: the transpose of forward mode, once and twice."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from retrograd.ir.terms import Program
from tests.backends.llvm.native import bits, compiled, native
from tests.transforms import forms
from tests.transforms.ad.vjp.support import check_gradient, data, linear_programs, with_vjp

pytestmark = pytest.mark.thinned(2)

FORMS: tuple[Callable[[], Program], ...] = (
    forms.scalar_chain, forms.power_loop, forms.in_place, forms.aliases, forms.sums,
    forms.fixed_point, forms.branches, forms.recursion, forms.consuming_call, forms.mixed_types,
    forms.carried_swap, forms.handed_on,
)  # fmt: skip

each_form = pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)


@each_form
def test_the_sweep_is_the_transpose(form: Callable[[], Program]) -> None:
    rng = np.random.default_rng(7)
    for size in (2, 3):
        program = form()
        check_gradient(program, data(program, rng, size), rng)


@each_form
def test_each_argument_alone(form: Callable[[], Program]) -> None:
    rng = np.random.default_rng(8)
    program = form()
    args = data(program, rng)
    for k, param in enumerate(program.main.params):
        if param.type.is_float:
            check_gradient(program, args, rng, (k,))


@each_form
def test_the_sweep_of_the_sweep(form: Callable[[], Program]) -> None:
    rng = np.random.default_rng(9)
    program = with_vjp(form())
    check_gradient(program, data(program, rng), rng)


@pytest.mark.parametrize("program", linear_programs(0, 60))
def test_the_sweep_of_random_programs(program: Program) -> None:
    rng = np.random.default_rng(10)
    check_gradient(program, data(program, rng), rng)


@pytest.mark.parametrize("program", linear_programs(200, 12))
def test_the_sweep_of_the_sweep_of_random_programs(program: Program) -> None:
    rng = np.random.default_rng(11)
    program = with_vjp(program)
    check_gradient(program, data(program, rng), rng)


@each_form
def test_native_is_the_interpreter(form: Callable[[], Program]) -> None:
    agree_on_gradient(form(), level=3)


@pytest.mark.parametrize("program", linear_programs(100, 8))
def test_native_is_the_interpreter_on_random_programs(program: Program) -> None:
    agree_on_gradient(program)


def agree_on_gradient(program: Program, level: int = 1) -> None:
    """Native sweeps give the interpreter's numbers, the same bits every time, and leave nothing."""
    rng = np.random.default_rng(12)
    found = check_gradient(program, data(program, rng), rng)
    code = compiled(found.program, level=level)
    first, second = native(code, found.args), native(code, found.args)
    assert bits(first) == bits(second)
    for mine, theirs in zip(first, found.results, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-10, atol=1e-13)
