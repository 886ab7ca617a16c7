"""Values and points at places that are on no grid, made in programs and outside of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import interpolate, spatial, special, stats

import retrograd as rg
from retrograd.errors import UserError

DRAW = np.random.default_rng(4)
POINTS, VALUES = DRAW.random((14, 2)), DRAW.normal(size=14)
WANTED = DRAW.random((5, 2))
LINE = np.linspace(0.0, 1.0, 9)
TREE = spatial.cKDTree(POINTS)
DENSITY = stats.gaussian_kde(POINTS.T, 0.4, np.abs(VALUES))
SMOOTH = interpolate.UnivariateSpline(LINE, np.sin(4.0 * LINE), s=0.01, ext=3)
EXACT = interpolate.InterpolatedUnivariateSpline(LINE, np.cos(LINE), k=2)
GRID = (np.array([0.0, 0.4, 1.0]), np.array([0.0, 0.3, 0.5, 1.0]))


def nearest(v: Any) -> Any:
    x, y = POINTS[:, 0], POINTS[:, 1]
    near = interpolate.NearestNDInterpolator(POINTS, v, rescale=True)
    return (
        interpolate.griddata(POINTS, v, WANTED, method="nearest"),
        interpolate.griddata((x, y), v, (WANTED[:, 0], WANTED[:, 1]), "nearest"),
        near(WANTED), near(0.2, 0.3), near(WANTED[:, 0], 0.4),
        interpolate.griddata(x, v, WANTED[:, 0], method="nearest"),
    )  # fmt: skip


def on_a_grid(v: Any) -> Any:
    table = np.reshape(v[:12], (3, 4))
    near = interpolate.RegularGridInterpolator(GRID, table, method="nearest")
    return (
        near(WANTED),
        near((0.2, 0.65)),
        interpolate.griddata(LINE, v[:9], [0.31, 1.2], fill_value=0.5),
    )


def trees(p: Any) -> Any:
    tree = spatial.KDTree(p)
    away, places = tree.query(WANTED, k=3, p=1)
    alone, first = tree.query(WANTED[0])
    some, few = tree.query(WANTED, k=[1, 3], distance_upper_bound=0.2)
    balls = np.zeros(len(WANTED))
    for k in range(len(WANTED)):
        for j in tree.query_ball_point(WANTED[k], 0.4):
            balls[k] += (j + 1.0) ** 2
    pairs = np.sort(tree.query_pairs(0.3, output_type="ndarray"), axis=0)
    counts = tree.query_ball_point(WANTED, 0.4, return_length=True)
    return away, places, alone, first, some, few, balls, pairs, counts, tree.n, tree.data[0]


def from_outside(x: Any) -> Any:
    away, places = TREE.query(x, k=2)
    curves = SMOOTH(x[:, 0] * 1.5), EXACT(x), EXACT.derivative()(x[0]), SMOOTH.integral(0.1, 0.7)
    return away, places, DENSITY(x.T), DENSITY.logpdf(x[0]), DENSITY.factor, *curves


def polynomials(x: Any) -> Any:
    total = np.zeros_like(x)
    for n in range(4):
        total += special.hermite(n)(x) * special.eval_legendre(n, x)
    third = special.legendre(3)
    return total, third.deriv()(x), third.order, third.coeffs, third(0.3)


@pytest.mark.thinned(2)
@pytest.mark.parametrize(
    ("f", "x"),
    [
        (nearest, VALUES), (on_a_grid, VALUES), (trees, POINTS), (from_outside, WANTED),
        (polynomials, VALUES * 0.3),
    ],
)  # fmt: skip
def test_they_are_scipys(f: Any, x: Any) -> None:
    for ours, theirs in zip(rg.jit(f)(x), f(x), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-13)


def test_derivatives() -> None:
    for f, x in ((nearest, VALUES), (on_a_grid, VALUES)):
        assert rg.check_grads(lambda x, f=f: sum(map(np.sum, f(x)[:3])), (x,), 1).ok
    assert rg.check_grads(lambda p: spatial.KDTree(p).query(WANTED, 2)[0], (POINTS,), 1).ok
    assert rg.check_grads(lambda x: DENSITY(x.T) * EXACT(x[:, 0]), (WANTED,), 1).ok
    assert rg.check_grads(lambda x: polynomials(x)[0], (VALUES * 0.3,), 2).ok


def in_a_matrix(v: Any) -> Any:
    return interpolate.griddata(POINTS[:, :1], v, WANTED[:, :1], method="nearest")


def triangles(v: Any) -> Any:
    return interpolate.griddata(POINTS, v, WANTED)


def balls(p: Any) -> Any:
    return spatial.KDTree(p).query_ball_point(WANTED, 0.3)


def halves(x: Any) -> Any:
    return special.eval_legendre(0.5, x)


def periodic(p: Any) -> Any:
    return spatial.KDTree(p, boxsize=1.0).query(WANTED)


@pytest.mark.parametrize(
    ("f", "x", "way_out"),
    [
        (in_a_matrix, VALUES, "points[:, 0]"), (triangles, VALUES, "method='nearest'"),
        (balls, POINTS, "one after the other"),
        (halves, VALUES, "hyp2f1"), (periodic, POINTS, "repeat the points"),
    ],
)  # fmt: skip
def test_what_there_is_not_is_refused(f: Any, x: Any, way_out: str) -> None:
    with pytest.raises(UserError) as caught:
        rg.jit(f)(x)
    assert way_out in (caught.value.way_out or "")


def test_bad_points_raise_as_in_scipy() -> None:
    with pytest.raises(ValueError, match="finite"):
        rg.jit(trees)(POINTS * np.inf)
    with pytest.raises(ValueError, match="more samples than dimensions"):
        rg.jit(lambda x: stats.gaussian_kde(x)(x))(POINTS[:2].T)
    with pytest.raises(ValueError, match="nonnegative"):
        rg.jit(lambda x, n: special.hermite(n)(x))(0.3, -1)
