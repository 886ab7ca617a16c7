"""Series and powers in fixed-point and logarithmic numbers, and a force with its own slope."""

from __future__ import annotations

import numpy as np
import pytest

import retrograd as rg
from examples.reversible.taylor import (
    Series,
    exp_and_back,
    exp_of,
    force,
    log_of_power,
    main,
    plainly_swung,
    series,
    swung,
)

X = np.array([0.5, 1.0, 3.5])


@pytest.mark.parametrize("one", series(), ids=lambda one: one.name)
def test_values_and_slopes(one: Series) -> None:
    values, slopes = one.errors(X)
    assert values < 1e-12
    assert slopes < 1e-12
    for run in (one.function, rg.jit(one.function)):
        np.testing.assert_allclose(run(X), one.values(X), rtol=1e-13, atol=1e-12)
    if one.back is not None:
        units = one.back(X), rg.jit(one.back)(X)
        assert max(units) <= (0 if one.back is exp_and_back else 2)


def test_numbers_of_the_cases() -> None:
    assert exp_of(np.array([3.5]))[0] == pytest.approx(33.1154519587, abs=1e-10)
    bessel = series()[1]
    assert bessel.function(np.ones(1))[0] == pytest.approx(0.11490348493190047, abs=1e-12)
    slope = rg.grad(lambda x: bessel.function(x)[0])(np.ones(1))
    assert slope[0] == pytest.approx(0.21024361588113258, abs=1e-12)
    assert log_of_power(np.array([10.0]))[0] > np.log(1e308)


def test_a_force_that_solves_an_equation() -> None:
    y = -force(X)
    np.testing.assert_allclose(y + y**3, X, rtol=1e-14)
    args = np.array([1.0, -0.5]), np.array([0.0, 0.4]), 0.05
    ours, plain = (rg.grad(f, argnums=(0, 1, 2)) for f in (swung, plainly_swung))
    for one, other in zip(ours(*args, 30), plain(*args, 30), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-11, atol=1e-13)
    few = ours.stats().tape_bytes
    ours(*args, 300)
    assert ours.stats().tape_bytes == few


@pytest.mark.slow
def test_the_text(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--quick"])
    assert "restored" in capsys.readouterr().out
