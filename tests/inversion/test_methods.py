"""Reversible methods: state in objects, methods that call others, and their classes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import retrograd as rg

# pyright: reportUnknownParameterType=false, reportMissingParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownLambdaType=false, reportOptionalMemberAccess=false

X, V = np.array([1.0, 2.0]), np.array([0.3, -0.5])


@dataclass
class Bodies:
    """State and parameters in one object."""

    x: np.ndarray
    v: np.ndarray
    k: float

    @rg.reversible
    def kick(self, dt):
        self.v -= dt * self.k * self.x

    @rg.reversible
    def drift(self, dt):
        self.x += dt * self.v

    @rg.reversible
    def step(self, dt):
        half = 0.5 * dt
        self.kick(half)
        self.drift(dt)
        self.kick(half)

    @rg.reversible
    def back(self, dt):
        rg.inverse(self.step)(dt)


class Cubic(Bodies):
    """Another drift."""

    @rg.reversible
    def drift(self, dt):
        self.x += dt * self.v**3


class Resting(Bodies):
    """No drift: it changes less than the one that it stands for."""

    @rg.reversible
    def drift(self, dt):
        pass


class Pendulum:
    """Parameters only; the state is given."""

    def __init__(self, k, mass):
        self.k, self.mass = k, mass

    def force(self, x):
        return -self.k * np.sin(x) / self.mass

    @rg.reversible
    def step(self, x, v, dt):
        v += dt * self.force(x)
        x += dt * v

    @rg.reversible
    def twice(self, x, v, dt):
        self.step(x, v, dt)
        self.step(x, v, dt)


@rg.reversible
def stepped(sim, x, v, dt):
    """A method of an object of which nothing is known."""
    sim.step(x, v, dt)


@rg.reversible
def observed(b: Bodies, total, dt):
    """A method of an object whose class is."""
    half = 0.5 * dt
    b.kick(half)
    b.drift(dt)
    b.kick(half)
    total += b.x


def by_object(cls, k, x, v, n):
    """A loss of the state in an object."""
    b = cls(x.copy(), v.copy(), k)
    for _ in range(n):
        b.step(0.1)
    return np.sum(b.x**2) + np.sum(b.v)


def bodies(k, x, v, n):
    return by_object(Bodies, k, x, v, n)


def cubic(k, x, v, n):
    return by_object(Cubic, k, x, v, n)


def resting(k, x, v, n):
    return by_object(Resting, k, x, v, n)


def annotated(k, x, v, n):
    """The same by a function outside of the class."""
    b, total = Bodies(x.copy(), v.copy(), k), np.zeros(2)
    for _ in range(n):
        observed(b, total, 0.1)
    return np.sum(b.x**2) + np.sum(b.v)


def plain_bodies(k, x, v, n, power=1):
    """The same without objects."""
    x, v = x.copy(), v.copy()
    for _ in range(n):
        v -= 0.05 * k * x
        x += 0.1 * v**power
        v -= 0.05 * k * x
    return np.sum(x**2) + np.sum(v)


def plain_cubic(k, x, v, n):
    return plain_bodies(k, x, v, n, 3)


def plain_resting(k, x, v, n):
    """The same, at rest."""
    v = v.copy()
    for _ in range(n):
        v -= 0.05 * k * x
        v -= 0.05 * k * x
    return np.sum(x**2) + np.sum(v)


def pendulum(k, x, v, n):
    """A loss of a state that is given to a method."""
    sim = Pendulum(k, np.array([1.0, 1.5]))
    x, v = x.copy(), v.copy()
    for _ in range(n):
        sim.step(x, v, 0.1)
    return np.sum(x**2) + np.sum(v)


def in_pairs(k, x, v, n):
    """Two steps at a time."""
    sim = Pendulum(k, np.array([1.0, 1.5]))
    x, v = x.copy(), v.copy()
    for _ in range(n // 2):
        sim.twice(x, v, 0.1)
    return np.sum(x**2) + np.sum(v)


def handed_on(k, x, v, n):
    """Steps of an object that is an argument."""
    sim = Pendulum(k, np.array([1.0, 1.5]))
    x, v = x.copy(), v.copy()
    for _ in range(n):
        stepped(sim, x, v, 0.1)
    return np.sum(x**2) + np.sum(v)


def plain_pendulum(k, x, v, n):
    """The same without objects."""
    mass = np.array([1.0, 1.5])
    x, v = x.copy(), v.copy()
    for _ in range(n):
        v += 0.1 * (-k * np.sin(x) / mass)
        x += 0.1 * v
    return np.sum(x**2) + np.sum(v)


@pytest.mark.thinned(2)
@pytest.mark.parametrize(
    ("f", "plain"),
    [
        (bodies, plain_bodies),
        (cubic, plain_cubic),
        (resting, plain_resting),
        (annotated, plain_bodies),
        (pendulum, plain_pendulum),
        (in_pairs, plain_pendulum),
        (handed_on, plain_pendulum),
    ],
)
def test_gradients_are_those_of_plain_text_in_constant_bytes(f, plain):
    gradient = rg.grad(f, argnums=(0, 1, 2))
    found = gradient(2.0, X, V, 10)
    kept = gradient.stats().tape_bytes
    expected = rg.grad(plain, argnums=(0, 1, 2))(2.0, X, V, 10)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-14)
    gradient(2.0, X, V, 40)
    assert gradient.stats().tape_bytes == kept
    assert rg.jit(f)(2.0, X, V, 10) == pytest.approx(plain(2.0, X, V, 10), rel=1e-14)


@pytest.mark.parametrize("cls", [Bodies, Cubic, Resting])
def test_methods_run_backwards(cls):
    b = cls(X.copy(), V.copy(), 2.0)
    b.step(0.1)
    assert not np.array_equal(b.v, V)
    rg.inverse(b.step)(0.1)
    np.testing.assert_allclose((b.x, b.v), (X, V), rtol=1e-14)
    b.step(0.1)
    b.back(0.1)
    np.testing.assert_allclose((b.x, b.v), (X, V), rtol=1e-14)


def restored(x, v):
    """Steps there and back, compiled."""
    sim = Pendulum(2.0, 1.5)
    x, v = x.copy(), v.copy()
    sim.twice(x, v, 0.1)
    rg.inverse(sim.twice)(x, v, 0.1)
    return x, v


def test_inverses_of_methods_are_compiled():
    np.testing.assert_allclose(rg.jit(restored)(X, V), (X, V), rtol=1e-14)


SIM = Pendulum(2.0, np.array([1.0, 1.5]))


@rg.reversible
def by_global(x, v):
    """A method of an object that is there when the function is read."""
    SIM.step(x, v, 0.1)


def with_global(x, v):
    """A loss of such steps."""
    x, v = x.copy(), v.copy()
    for _ in range(10):
        by_global(x, v)
    return np.sum(x**2) + np.sum(v)


def test_methods_of_objects_from_outside():
    expected = rg.grad(plain_pendulum, argnums=(1, 2))(2.0, X, V, 10)
    found = rg.grad(with_global, argnums=(0, 1))(X, V)
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    bound = rg.grad(lambda x, v: _run(SIM, x, v), argnums=(0, 1))(X, V)
    np.testing.assert_allclose(bound, expected, rtol=1e-12)


def _run(sim, x, v):
    x, v = x.copy(), v.copy()
    for _ in range(10):
        sim.step(x, v, 0.1)
    return np.sum(x**2) + np.sum(v)


class Growing(Bodies):
    """A kick that changes its argument, too."""

    @rg.reversible
    def kick(self, dt):
        self.v -= dt * self.k * self.x
        dt *= 2.0
        return dt


class Unmarked(Bodies):
    """A drift that is not reversible."""

    def drift(self, dt):
        self.x += dt * self.v


@rg.reversible
def unknown(b, dt):
    """Changes an object of which nothing is known."""
    b.kick(dt)


def run(cls):
    b = cls(X.copy(), V.copy(), 2.0)
    b.step(0.1)
    return b.x


def run_unknown():
    b = Bodies(X.copy(), V.copy(), 2.0)
    unknown(b, 0.1)
    return b.x


@pytest.mark.parametrize(
    ("f", "words"),
    [
        (lambda: run(Growing), "returns dt, not nothing"),
        (lambda: run(Unmarked), "decorate"),
        (run_unknown, "name the class of the object"),
        (lambda: rg.adjoint(SIM.step), "take it from the class"),
    ],
)
@pytest.mark.parametrize("compiled", [False, True])
def test_methods_that_are_others_are_refused(f, words, compiled):
    with pytest.raises(rg.UserError, match=words) as caught:
        (rg.jit(f) if compiled else f)()
    assert caught.value.code == "RG0509"
