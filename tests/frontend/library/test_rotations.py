"""Rotations of `scipy.spatial.transform` as objects: values and derivatives are SciPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import retrograd as rg
from retrograd.errors import UserError
from retrograd.frontend.library import written_rotations as written

pytestmark = pytest.mark.thinned(2)

X = np.array([0.3, 1.2, -0.4])
P = np.array([[0.2, 0.5, 1.0], [1.0, -0.3, 0.7]])


def turned(x: Any) -> Any:
    r = Rotation.from_euler("xyz", x) * Rotation.from_rotvec(x).inv()
    s = Rotation.from_euler("z", 30.0 * x[0], degrees=True)
    angles = r.as_euler("ZYX", degrees=True)
    return np.sum(r.apply(P) * P) + angles @ x + r.magnitude() + np.sum(s.as_matrix()[0])


def of_matrices(x: Any) -> Any:
    m = np.stack((np.eye(3) + 0.1 * np.outer(x, x), np.eye(3)))
    r = Rotation.from_matrix(m)
    return np.sum(r.as_quat()[:, :3] @ x) + np.sum(r[0].as_rotvec() * x) + len(r)


@pytest.mark.parametrize("f", [turned, of_matrices])
def test_derivatives(f: Any) -> None:
    value, slope = rg.value_and_grad(f)(X)
    assert value == pytest.approx(f(X), rel=1e-12)
    d = np.array([0.3, -0.5, 0.2])
    assert slope @ d == pytest.approx((f(X + 1e-5 * d) - f(X - 1e-5 * d)) / 2e-5, rel=1e-7)
    assert rg.jvp(f, (X,), (d,))[1] == pytest.approx(slope @ d, rel=1e-9)


def test_no_turn_has_derivatives() -> None:
    def f(x: Any) -> Any:
        return Rotation.from_rotvec(x).as_rotvec() @ np.array([1.0, 2.0, 3.0])

    np.testing.assert_allclose(rg.grad(f)(np.zeros(3)), [1.0, 2.0, 3.0], rtol=1e-12)
    np.testing.assert_array_equal(rg.grad(f, memory="64kB")(X), rg.grad(f)(X))
    hessian = rg.hessian(lambda x: Rotation.from_rotvec(x).as_quat()[3])(np.zeros(3))
    np.testing.assert_allclose(hessian, -0.25 * np.eye(3), atol=1e-12)


@pytest.mark.parametrize("seq", ["xyz", "ZYX", "zxz", "XYX", "yxz"])
def test_angles_without_compiling(seq: str) -> None:
    draws = np.random.default_rng(3)
    for shape in ((4,), (5, 4)):
        q = draws.normal(size=shape)
        real, own = Rotation.from_quat(q), written.from_quat(q)
        np.testing.assert_allclose(own.as_euler(seq), real.as_euler(seq), atol=1e-12)
        np.testing.assert_allclose(own.as_matrix(), real.as_matrix(), atol=1e-13)
        angles = draws.normal(size=(*shape[:-1], 3))
        np.testing.assert_allclose(
            written.from_euler(seq, angles).as_matrix(),
            Rotation.from_euler(seq, angles).as_matrix(),
            atol=1e-13,
        )
        m = real.as_matrix() + 0.1 * draws.normal(size=(*shape[:-1], 3, 3))
        expected = Rotation.from_matrix(m).as_quat(canonical=True)
        np.testing.assert_allclose(written.from_matrix(m).as_quat(True), expected, atol=1e-12)


def test_bad_input() -> None:
    with pytest.raises(ValueError, match="zero norm"):
        rg.jit(lambda x: Rotation.from_quat(0.0 * x).as_matrix())(np.ones(4))
    with pytest.raises(ValueError, match="Non-positive determinant"):
        rg.jit(lambda x: Rotation.from_matrix(-x).as_quat())(np.eye(3))
    with pytest.raises(UserError, match="'from_mrp'"):
        rg.jit(lambda x: Rotation.from_mrp(x).as_quat())(X)
