"""The mixture of the demo as an ordinary program: its density, its layout, its clusters."""

from __future__ import annotations

import math

import numpy as np
import pytest

pytest.importorskip("sklearn")
pytest.importorskip("tqdm")

from examples.demo import wine
from examples.demo.mixture import Mixture, objective, start, unpack

K, D, N = 2, 3, 6


def problem() -> tuple[np.ndarray, np.ndarray]:
    draw = np.random.default_rng(0)
    size = K + K * D + K * D * (D + 1) // 2
    return 0.5 * draw.normal(size=size), draw.normal(size=(N, D))


def density(mixture: Mixture, x: np.ndarray) -> np.ndarray:
    """From the textbook formula, with covariances."""
    total = np.zeros(len(x))
    for weight, mean, covariance in zip(
        mixture.weights, mixture.means, mixture.covariances, strict=True
    ):
        away = x - mean
        square = np.einsum("pi,ij,pj->p", away, np.linalg.inv(covariance), away)
        norm = math.sqrt((2.0 * math.pi) ** D * np.linalg.det(covariance))
        total += weight * np.exp(-0.5 * square) / norm
    return total


def test_objective_is_the_mean_negative_log_density() -> None:
    theta, x = problem()
    expected = -np.mean(np.log(density(unpack(theta, K, D), x)))
    assert objective(theta, x, K, 0.0) == pytest.approx(expected, rel=1e-12)


def test_prior_grows_with_the_precision() -> None:
    theta, x = problem()
    sharp = theta.copy()
    sharp[-1] += 1.0
    plain = objective(theta, x, K, 2.0) - objective(theta, x, K, 0.0)
    assert objective(sharp, x, K, 2.0) - objective(sharp, x, K, 0.0) > plain > 0.0


def test_start_is_what_it_says() -> None:
    means = np.arange(K * D, dtype=float).reshape(K, D)
    mixture = unpack(start(means, 0.5), K, D)
    np.testing.assert_allclose(mixture.weights, 1.0 / K)
    np.testing.assert_array_equal(mixture.means, means)
    np.testing.assert_allclose(mixture.covariances, 0.25 * np.broadcast_to(np.eye(D), (K, D, D)))


def test_responsibilities_are_posterior_probabilities() -> None:
    theta, x = problem()
    mixture = unpack(theta, K, D)
    found = mixture.responsibilities(x)
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    one = Mixture(np.ones(1), mixture.means[:1], mixture.covariances[:1])
    expected = mixture.weights[0] * density(one, x) / density(mixture, x)
    np.testing.assert_allclose(found[:, 0], expected)


def test_clusters_are_named_after_the_cultivars_they_match() -> None:
    wines = wine.load()
    groups = [wines.x[wines.cultivar == c] for c in (2, 0, 1)]
    mixture = Mixture(
        np.full(3, 1 / 3),
        np.array([g.mean(axis=0) for g in groups]),
        np.array([np.cov(g.T) for g in groups]),
    )
    cluster, hits = wine.agreement(mixture, wines)
    assert hits == np.sum(cluster == wines.cultivar)
    assert hits >= 175
