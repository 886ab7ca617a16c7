"""Figures of reversible functions at small sizes: all there, and wrong numbers refused."""

from __future__ import annotations

import numpy as np
import pytest

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
    assert {f.subject.split(",")[0].split()[0] for f in found} == {case.name for case in CASES}
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
