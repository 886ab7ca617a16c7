"""Arrays of complex numbers: what NumPy gives, views and writes, derivatives, and refusals."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import RetrogradError
from tests.frontend.harness import agree

pytestmark = pytest.mark.thinned(2)

Z = np.array([0.3 + 0.4j, -1.0 + 0.2j, 2.0 - 1.0j, 0.5j])
W = np.array([1.0 - 1.0j, 0.2 + 2.0j, -0.3 - 0.4j, 1.5 + 0.0j])
X = np.array([0.5, 1.5, -0.7, 2.0])
A = np.outer(Z, W) + np.diag(X)


def arithmetic(z: Any, w: Any, x: Any, a: Any) -> tuple[Any, ...]:
    return (
        z + w, z * x, x * z, z / w, z / x, x / z, x - z, z**2, z**3, z**-2, z**0.5, 2.0**z, z**w,
        w[0] ** np.arange(4), -z, +z, 1j * a, x + 1j, z[:, None] * z[None, :], z[:, None] + x[None],
        x[:, None] + z[0], z.real, z.imag, z.conj(), np.conj(z), a.conj().T, a @ z, z @ a, a @ a,
        a.real @ z, np.dot(z, w), np.vdot(z, w), np.vdot(z, x), np.vecdot(z, w), np.inner(z, w),
        np.outer(x, z), np.kron(z, w), np.tensordot(a, a, 1), np.einsum("ij,j->i", a, z),
        np.einsum("ij,jk,kl->il", a, a.real, a), np.convolve(z, x), np.correlate(z, w),
        np.add(z, x), np.power(z, 2), z == w, z != w, np.true_divide(1.0, z), sum(z),
    )  # fmt: skip


def reductions(z: Any, w: Any, x: Any, a: Any) -> tuple[Any, ...]:
    return (
        np.sum(z), np.sum(a, axis=0), np.sum(a, axis=1, keepdims=True), a.sum(axis=1), z.mean(),
        np.prod(z), np.prod(a, axis=1), np.cumsum(z), np.cumprod(z), np.var(z), np.std(a, axis=0),
        np.abs(z), np.angle(z), np.exp(1j * x), np.sqrt(z), np.log(z), np.sin(a), np.all(z),
        np.linalg.norm(z), np.linalg.norm(a, axis=1), np.linalg.norm(z, 1), np.isnan(z),
        np.linalg.norm(a), np.isclose(z, w), np.allclose(z, z + 1e-12), np.array_equal(z, w),
        np.iscomplex(z), np.iscomplexobj(z), np.average(z, weights=x), np.trapezoid(z, x),
        np.polyval(z, 0.5), np.polyval([1.0, 2.0], z), np.interp(0.3, np.sort(x), z), len(z),
        z.shape, z.size, a.ndim, z.dtype == complex, isinstance(z, np.ndarray), np.diff(z),
        sum(p * q for p, q in zip(z, x, strict=True)),
        np.gradient(z), np.count_nonzero(z),
    )  # fmt: skip


def without_nan(z: Any, w: Any, x: Any, a: Any) -> tuple[Any, ...]:
    gaps = np.where(np.abs(a) > 2.0, np.nan, a)
    return (
        np.nansum(gaps), np.nansum(gaps, axis=0), np.nanmean(gaps, axis=1, keepdims=True),
        np.nanprod(gaps, axis=1), np.nancumsum(gaps), np.nancumprod(gaps, axis=0),
        np.nanvar(gaps, axis=0, ddof=1), np.nanstd(gaps), np.nanmean(z),
    )  # fmt: skip


def lists(z: Any, w: Any, x: Any, a: Any) -> Any:
    made = [k * p for k, p in enumerate(z)]
    made.append(1j)
    made[0] = 2.0 * made[1]
    return made, made[3], sum(made), np.array(made)


def listed(z: Any, w: Any, x: Any, a: Any) -> Any:
    return list(z)


def shapes(z: Any, w: Any, x: Any, a: Any) -> tuple[Any, ...]:
    return (
        z[1], z[1:3], z[::-1], a[1], a[:, 0], a[1, 2], z[np.array([0, 2])], z[x > 1.0],
        z[..., None], np.concatenate([z, x]), np.stack([z, w]), np.vstack([z, w]),
        np.hstack([z, w]), a.ravel(), a.reshape(-1), np.reshape(a, (2, 8)), a.reshape(2, 8),
        a.flatten(), a.T, a.transpose(1, 0),
        np.where(x > 1.0, z, w), np.where(x > 1.0, z, 0.0), np.zeros(3, dtype=complex),
        np.zeros((2, 3), complex), np.ones(3, dtype=np.complex128), np.zeros_like(z),
        np.ones_like(z), np.full(3, 1j), np.full(3, 2.0, dtype=complex), np.full_like(z, 1.0),
        np.eye(3, dtype=complex), np.linspace(0, 1j, 4), np.arange(3, dtype="complex"),
        np.array([1 + 2j, x[0]]), np.array([[1, 1j], [-1j, 1]]), np.array(x, dtype=complex),
        np.asarray(z), x.astype(complex), z.astype(complex), z.copy(), np.roll(z, 1), np.flip(z),
        np.diag(a), np.diag(z), np.trace(a), np.tile(z, 2), np.repeat(z, 2), np.split(z, 2),
        np.append(z, 1.0), np.take(z, [0, 1]), np.moveaxis(a, 0, 1), np.broadcast_to(z, (2, 4)),
        np.triu(a), np.round(z, 2), np.real(a), np.imag(a), np.expand_dims(z, 0),
        np.block([[z], [w]]), np.delete(z, 0), np.select([x > 1.0], [z], 0.0), np.nan_to_num(z),
        np.rot90(a),
        np.array([z, w]), np.complex128(x), np.sum(z).item(),
    )  # fmt: skip


@pytest.mark.parametrize("f", [arithmetic, reductions, without_nan, shapes, lists, listed])
def test_arrays_are_those_of_numpy(f: Any) -> None:
    agree(f, Z, W, X, A)


def written(z: Any, x: Any) -> Any:
    """Writes through views, to elements, rows, masks and parts."""
    a = np.zeros((3, 4), dtype=complex)
    a[0] = z
    a[1, 1:3] = 2.0 - 1j
    a[2, ...] = x
    row = a[1]
    row[0] = z[1]
    row += 1j * x
    a[0, 0] += 2.0
    a[0, 1] *= 1j
    a[:, 3] -= z[:3]
    a[2][x[:4] > 1.0] = 1j
    a[:, 0].real = x[:3]
    a.imag[2] += 0.5
    a.real[1, 1] = 7.0
    b = a.real
    a[1:] = a[:-1].copy()
    a *= 0.5 + x[0] * 1j
    a /= 2.0
    a **= 2
    a[[0, 2]] = a[[2, 0]]
    a[0, [1, 1]] += 1.0
    a[1] = b[0] + 1j * a[1].imag
    for k in range(4):
        a[0, k] = a[1, k] * k
    for one in a:
        one[0] = one[1].conjugate()
    return a, b, np.sum(np.abs(a) ** 2)


def test_writes_and_views_are_those_of_numpy() -> None:
    agree(written, Z, X)


@pytest.mark.slow
def test_slopes_go_through_writes() -> None:
    def loss(x: Any) -> Any:
        return written(Z, x)[2]

    _check_slopes(loss, X)


def scaled(z: Any, factor: float) -> Any:
    z *= factor
    z[0] = 1j
    return z.sum()


def test_arguments_are_written_through_and_results_are_complex() -> None:
    agree(scaled, Z.copy(), 2.0)
    twice = rg.jit(lambda z: 2.0 * z)
    assert np.array_equal(twice(Z), 2.0 * Z)
    assert np.array_equal(twice(W), 2.0 * W)  # not the first call: nothing is asked again
    ours = np.zeros((4, 2), dtype=complex)
    ours[:, 0] = Z
    rg.jit(scaled)(ours[:, 0], 2.0)  # a view with a stride
    np.testing.assert_allclose(ours[1:, 0], 2.0 * Z[1:])
    assert ours[0, 0] == 1j


TABLE = np.array([1.0 + 1j, 2.0 - 1j])
PHASE = 0.3 + 0.1j


def of_globals(x: Any) -> Any:
    return np.sum(np.abs(TABLE * x[:2] + PHASE) ** 2)


def _check_slopes(loss: Callable[..., Any], x: Any) -> None:
    slope = rg.grad(loss)(x)
    moved = [loss(x + h) - loss(x - h) for h in 1e-6 * np.eye(len(x))]
    np.testing.assert_allclose(slope, np.array(moved) / 2e-6, rtol=2e-6, atol=1e-6)
    direction = np.cos(np.arange(len(x)))
    assert rg.jvp(loss, (x,), (direction,))[1] == pytest.approx(slope @ direction, rel=1e-11)
    assert np.array_equal(rg.grad(loss, memory="2MB")(x), slope)


def mixed_loss(x: Any) -> Any:
    """A wave that begins real, a loop of products, and a list of states."""
    psi, seen = x * 0.5, []
    for k in range(3):
        psi = (0.3 + 1j * k) * psi + 0.1 * np.roll(psi, 1)
        seen.append(np.vdot(Z, psi))
    return np.abs(seen[0] * np.dot(Z, psi)) ** 2 + np.abs(seen[1]) + np.prod(psi).real


def test_slopes_of_losses_with_complex_arrays_and_globals() -> None:
    assert rg.grad(of_globals)(X)[1] == pytest.approx(2.0 * (5.0 * X[1] + 0.6 - 0.1))
    _check_slopes(mixed_loss, X)


def test_second_derivatives_are_those_of_differences() -> None:
    def loss(x: Any) -> Any:
        return abs(np.sum(np.exp(1j * x) * Z)) ** 2

    direction, step = np.cos(np.arange(4.0)), 1e-6 * np.cos(np.arange(4.0))
    second = rg.hvp(loss, (X,), (direction,))
    near = (rg.grad(loss)(X + step) - rg.grad(loss)(X - step)) / 2e-6
    np.testing.assert_allclose(second, near, rtol=1e-6, atol=1e-6)


def test_a_tangent_of_a_complex_result_is_complex() -> None:
    value, tangent = rg.jvp(lambda x: np.exp(1j * x) * Z, (X,), (np.ones(4),))
    np.testing.assert_allclose(value, np.exp(1j * X) * Z)
    np.testing.assert_allclose(tangent, 1j * np.exp(1j * X) * Z)
    _, tangent = rg.jvp(lambda z: z * z, (Z,), (1j * W,))
    np.testing.assert_allclose(tangent, 2j * Z * W)


def _into_floats(x: Any) -> Any:
    y = np.zeros(4)
    y[0] = 1j * x[0]
    return y[0]


def _in_place(x: Any) -> Any:
    y = x * 1.0
    y += 1j
    return y[0]


def _out(x: Any) -> Any:
    return np.sort(1j * x)[0].real


def _cast(x: Any) -> Any:
    return (1j * x).astype(float)[0]


def _inner(x: Any) -> Any:
    return rg.grad(lambda y, z: np.abs(np.sum(z * y)))(x, 1j * x)[0]


@rg.custom_jvp
def _ruled(z: Any) -> Any:
    return z * z


_ruled.defjvp(lambda p, t: (p[0] * p[0], 2.0 * p[0] * t[0]))


@pytest.mark.parametrize(
    ("f", "says"),
    [
        (lambda x: _ruled(1j * x[0]).real, "z.real, z.imag"),
        (_into_floats, "dtype=complex"), (_in_place, "z.real"), (_out, "a + 1j * b"),
        (_cast, "z.real"), (_inner, "close over it"), (lambda x: np.sum(1j * x), "the result"),
    ],
)  # fmt: skip
def test_what_is_not_there_is_refused_with_a_way_out(f: Callable[..., Any], says: str) -> None:
    with pytest.raises(RetrogradError, match=re.escape(says)) as caught:
        rg.grad(f)(X)
    assert caught.value.span is not None


def test_an_argument_that_is_differentiated_is_not_complex() -> None:
    for derive in (rg.grad, lambda f: lambda z: rg.vjp(f, z)):
        with pytest.raises(RetrogradError, match="argument 0 is of type complex"):
            derive(lambda z: np.sum(np.abs(z)))(Z)
    assert rg.grad(lambda x, z: np.sum(np.abs(z) * x))(X, Z) == pytest.approx(np.abs(Z))
