"""Figures of reversible functions at small sizes: all there, and wrong numbers refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import retrograd as rg
from benchmarks import adapter, reversible
from benchmarks.figures import Bounds
from benchmarks.reversible import CASES, Variant
from benchmarks.validate import WrongGradient

KINDS = ["unchecked_over_plain", "unchecked_over_plain", "reversible_compile"]
RUNS = ["reversible_over_plain", "reversible_over_tape"]


def variant(number: int) -> Variant:
    case = CASES[number]
    return Variant(case, False, case.data(True), Bounds.load(), True)


@pytest.mark.slow
def test_all_figures() -> None:
    found = list(reversible.reversible(Bounds.load(), True))
    assert all(f.value is not None and f.value > 0 for f in found)
    names = {f.subject.split(",")[0].split()[0] for f in found if f.kind != "fixed_over_floats"}
    assert names == {case.name for case in CASES}
    barred = {f.subject for f in found if f.bar is not None and f.kind == "reversible_over_plain"}
    assert {"two_bodies", "nine_bodies", "wave", "wave, unchecked"} <= barred


def test_figures_of_a_program() -> None:
    one = variant(0)
    found = [*one.directions(), *one.gradients()]
    assert [f.kind for f in found] == KINDS + RUNS
    assert all(f.value is not None and f.value > 0 for f in found)
    assert [f.bar for f in found] == [1.1, 1.1, None, 2.5, 0.25]


def test_the_adjoint_of_a_product() -> None:
    (found,) = reversible.adjoint_alone(variant(4))
    assert (found.kind, found.subject) == ("adjoint_over_product", "csr, unchecked")
    assert found.bar == 2.0


@pytest.mark.slow
def test_numbers_in_fixed_point() -> None:
    one = Variant(CASES[0], True, CASES[0].data(True), Bounds.load(), True)
    found = list(reversible.fixed_point(one))
    assert [(f.kind, f.subject, f.bar) for f in found] == [
        ("fixed_over_floats", "run", 2.0), ("fixed_over_floats", "gradient", 2.0),
    ]  # fmt: skip
    assert all(f.value is not None and f.value > 0 for f in found)


def test_two_bodies_for_a_long_time() -> None:
    """The same gradients as with a tape, and the same bytes at any number of steps."""
    case = CASES[0]
    step: Any = adapter.reversible(case.program, True)

    def outside(x, v, mass, dt, steps):
        x, v = x.copy(), v.copy()
        for _ in range(steps):
            step(x, v, mass, dt, 1)
        return np.sum(x * x) + np.sum(v * v)

    def curvature(x, v, mass, dt, steps):
        return rg.hvp(lambda y: inside(y, v, mass, dt, steps), (x,), (v,))

    inside = case.loss(step)
    args = case.data(True)[:-1]
    taped = rg.grad(case.loss(case.program), case.argnums)(*args, 10_000)
    for loss in (inside, outside):
        found = rg.grad(loss, case.argnums)(*args, 10_000)
        for a, b in zip(found, taped, strict=True):
            size = float(np.max(np.abs(b)))
            np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12 * size)
    for run in (rg.grad(inside, case.argnums), rg.grad(outside, case.argnums), rg.jit(curvature)):
        sizes: set[int] = set()
        for steps in (1000, 100_000):
            run(*args, steps)
            assert run.stats() is not None
            sizes.add(run.stats().tape_bytes)
        assert len(sizes) == 1
        assert max(sizes) < 1000


def test_a_wrong_inverse_is_not_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adapter, "inverse", lambda function: function)
    with pytest.raises(WrongGradient, match="restored"):
        list(variant(4).directions())


def test_a_wrong_gradient_is_not_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    gradient = adapter.gradient
    monkeypatch.setattr(adapter, "gradient", lambda f, argnums: doubled(gradient(f, argnums), f))

    def doubled(compiled, loss):
        taped = loss.__closure__[0].cell_contents is CASES[4].program

        def both(*arguments):
            value, slopes = compiled(*arguments)
            return value, [slope * (2.0 if taped else 1.0) for slope in slopes]

        return both

    with pytest.raises(WrongGradient, match="gradient"):
        list(variant(4).gradients())


def test_data_are_the_same_each_time() -> None:
    for case in CASES:
        for one, other in zip(case.data(True), case.data(True), strict=True):
            np.testing.assert_array_equal(one, other)
