"""A number that a method of an object of unknown class changes, and that is not put back, would be
restored wrong: the gradient of `f` was (4, 4). Nor may a result be put back in another order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import retrograd as rg

# pyright: reportUnknownParameterType=false, reportMissingParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false


class Simulation:
    @rg.reversible
    def step(self, a, b):
        a += b
        return a

    @rg.reversible
    def both(self, a, b):
        a += b
        b += a
        return b, a


@rg.reversible
def add(a, b):
    a += b
    return a


@rg.reversible
def lost(sim, x, y, z):
    sim.step(x, y)
    z += x * x
    return z


@rg.reversible
def kept(sim, x, y, z):
    x = sim.step(x, b=y)
    z += x * x
    return x, z


@rg.reversible
def out_of_order(sim, x, y, z):
    x = sim.step(b=y, a=x)
    z += x * x
    return x, z


@rg.reversible
def turned(sim, x, y, z):
    x, y = sim.both(x, y)
    z += x
    return x, y, z


@rg.reversible
def by_function(step, x, y, z):
    step(x, y)
    z += x * x
    return z


@rg.reversible
def by_result(step, x, y, z):
    x = step(x, y)
    z += x * x
    return x, z


REFUSED = ((lost, Simulation(), "'step' changes the number 'a', which is not put back"),
           (turned, Simulation(), "'both' returns b, a, which is put back to a, b"),
           (out_of_order, Simulation(), "has the parameters a, b, and is given b, a"),
           (by_function, add, "'add' changes the number 'a'"),
           (by_result, abs, "not? ?(no )?reversible"))  # fmt: skip


@pytest.mark.parametrize(
    ("f", "given", "message"), REFUSED, ids=lambda v: getattr(v, "__name__", "")
)
def test_results_that_are_lost(f: Any, given: Any, message: str) -> None:
    def loss(x, y):
        f(given, x, y, 0.0)
        return x

    for run in (loss, rg.grad(loss)):
        with pytest.raises(rg.UserError, match=message) as caught:
            run(2.0, 3.0)
        assert caught.value.code == "RG0509"


@pytest.mark.parametrize(("f", "given"), [(kept, Simulation()), (by_result, add)])
def test_results_that_are_put_back(f: Any, given: Any) -> None:
    def loss(x, y):
        x, z = f(given, x, y, 0.0)
        return x + z

    assert loss(2.0, 3.0) == 30.0
    assert rg.grad(loss, argnums=(0, 1))(2.0, 3.0) == (11.0, 11.0)


@pytest.mark.parametrize(("f", "given"), [(lost, Simulation()), (by_function, add)])
def test_arrays_need_not_be_put_back(f: Any, given: Any) -> None:
    def loss(x, y):
        x, z = x.copy(), np.zeros(1)
        f(given, x, y, z)
        return np.sum(x) + z[0]

    slopes = rg.grad(loss, argnums=(0, 1))(np.array([2.0]), np.array([3.0]))
    assert np.ravel(slopes).tolist() == [11.0, 11.0]
