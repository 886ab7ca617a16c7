"""Densities estimated from samples, as objects of the program: `scipy.stats.gaussian_kde`."""

from __future__ import annotations

import math
from typing import Any

import numpy

__all__ = ["Density"]

np: Any = numpy

_ROOT_OF_TURN = 2.5066282746310002


class Density:
    """`scipy.stats.gaussian_kde`: a bell around each of the samples."""

    def __init__(self, dataset: Any, weights: Any, scaling: Any) -> None:
        self.dataset = dataset
        self.d, self.n = dataset.shape
        self.weights, self.scaling = weights, scaling
        self.neff = 1.0 / np.sum(weights * weights)
        if self.n <= self.d or self.n < 2:
            raise ValueError("`dataset` input should have more samples than dimensions.")
        off = dataset - (dataset @ weights)[:, None]
        spread = (off * weights) @ off.T / (1.0 - np.sum(weights * weights))
        self.factor = self.covariance_factor()
        self.covariance = spread * self.factor**2
        self.lower = np.linalg.cholesky(self.covariance)

    def scotts_factor(self) -> Any:
        return self.neff ** (-1.0 / (self.d + 4.0))

    def silverman_factor(self) -> Any:
        return (self.neff * (self.d + 2.0) / 4.0) ** (-1.0 / (self.d + 4.0))

    def covariance_factor(self) -> Any:
        if callable(self.scaling):
            return self.scaling(self)
        if not isinstance(self.scaling, str):
            return self.scaling * 1.0
        return self.silverman_factor() if self.scaling == "silverman" else self.scotts_factor()

    def _places(self, points: Any) -> Any:
        given = np.atleast_2d(np.asarray(points) * 1.0)
        if given.shape[0] == self.d:
            return given
        if given.shape[0] == 1 and given.shape[1] == self.d:
            return np.reshape(given, (self.d, 1))
        raise ValueError("points have another dimension than the dataset")

    def _distances(self, points: Any) -> Any:
        """Half the squared distances of samples from each place, and the logarithm of the norm."""
        given = self._places(points)
        samples = np.linalg.solve(self.lower, self.dataset)
        places = np.linalg.solve(self.lower, given)
        found = np.zeros((given.shape[1], self.n))
        for k in range(given.shape[1]):
            off = samples - places[:, k : k + 1]
            found[k] = 0.5 * np.sum(off * off, axis=0)
        return found, np.sum(np.log(np.diag(self.lower) * _ROOT_OF_TURN))

    def evaluate(self, points: Any) -> Any:
        distances, norm = self._distances(points)
        return np.exp(-distances) @ self.weights / np.exp(norm)

    def __call__(self, points: Any) -> Any:
        return self.evaluate(points)

    def pdf(self, x: Any) -> Any:
        return self.evaluate(x)

    def logpdf(self, x: Any) -> Any:
        distances, norm = self._distances(x)
        least = np.min(distances, axis=1)
        rest = np.exp(least[:, None] - distances) @ self.weights
        return np.log(rest) - least - norm

    def integrate_box_1d(self, low: Any, high: Any) -> Any:
        if self.d != 1:
            raise ValueError("integrate_box_1d() only handles 1D pdfs")
        width = self.lower[0, 0]
        total = 0.0
        for k in range(self.n):
            first = (low - self.dataset[0, k]) / width
            last = (high - self.dataset[0, k]) / width
            total += self.weights[k] * 0.5 * (math.erfc(-last / _ROOT) - math.erfc(-first / _ROOT))
        return total


_ROOT = 1.4142135623730951
