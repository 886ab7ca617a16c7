"""A Gaussian mixture with full covariances, written as plain loops.

Each component's precision matrix is L^T L with L lower triangular and the logarithms of its
diagonal as parameters, so every parameter vector is a valid model and the determinant is a sum.
The parameters lie in one vector, as optimisers want them: k logits of the weights, k * d means, and
k triangles row by row, d * (d + 1) / 2 numbers each.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["Mixture", "objective", "start", "unpack"]

FloatArray = npt.NDArray[np.float64]


def log_sum_exp(a, n):
    """Of the first n elements, shifted by the largest so that nothing overflows."""
    top = a[0]
    for i in range(1, n):
        top = max(top, a[i])
    total = 0.0
    for i in range(n):
        total += math.exp(a[i] - top)
    return top + math.log(total)


def objective(theta, x, k, gamma):
    """Negative log posterior per point; gamma weighs a prior against collapsing covariances."""
    n, d = x.shape
    triangle = d * (d + 1) // 2
    means = k
    factors = k + k * d
    scale = np.empty((k, d))
    offset = np.empty(k)
    prior = 0.0
    # What depends on the component only: its diagonal, and its weight with the determinant.
    for c in range(k):
        log_det = 0.0
        at = factors + c * triangle
        for i in range(d):
            for j in range(i):
                prior += theta[at + j] * theta[at + j]
            log_det += theta[at + i]
            scale[c, i] = math.exp(theta[at + i])
            prior += scale[c, i] * scale[c, i]
            at += i + 1
        offset[c] = theta[c] + log_det
    # The points: |L (x - mean)|^2 for every component, then a log-sum-exp over components.
    score = np.empty(k)
    away = np.empty(d)
    likelihood = 0.0
    for p in range(n):
        for c in range(k):
            for j in range(d):
                away[j] = x[p, j] - theta[means + c * d + j]
            square = 0.0
            at = factors + c * triangle
            for i in range(d):
                z = scale[c, i] * away[i]
                for j in range(i):
                    z += theta[at + j] * away[j]
                square += z * z
                at += i + 1
            score[c] = offset[c] - 0.5 * square
        likelihood += log_sum_exp(score, k)
    # The weights are a softmax of the first k parameters.
    likelihood -= n * (log_sum_exp(theta, k) + 0.5 * d * math.log(2.0 * math.pi))
    return (0.5 * gamma * gamma * prior - likelihood) / n


@dataclass(frozen=True, slots=True)
class Mixture:
    """Weights (k), means (k, d) and covariances (k, d, d)."""

    weights: FloatArray
    means: FloatArray
    covariances: FloatArray

    def responsibilities(self, x: FloatArray) -> FloatArray:
        """Probability of each component (columns) for each point (rows)."""
        away = x[:, None, :] - self.means
        solved = np.linalg.solve(self.covariances, away[..., None])[..., 0]
        square = np.sum(away * solved, axis=2)
        log_det = np.linalg.slogdet(self.covariances).logabsdet
        score = np.log(self.weights) - 0.5 * (square + log_det)
        score = np.exp(score - score.max(axis=1, keepdims=True))
        return score / score.sum(axis=1, keepdims=True)


def unpack(theta: FloatArray, k: int, d: int) -> Mixture:
    """The model that a parameter vector stands for."""
    weights = np.exp(theta[:k] - theta[:k].max())
    means = theta[k : k + k * d].reshape(k, d)
    lower = np.zeros((k, d, d))
    rows, columns = np.tril_indices(d)
    lower[:, rows, columns] = theta[k + k * d :].reshape(k, -1)
    diagonal = np.arange(d)
    lower[:, diagonal, diagonal] = np.exp(lower[:, diagonal, diagonal])
    precision = np.swapaxes(lower, 1, 2) @ lower
    return Mixture(weights / weights.sum(), means, np.linalg.inv(precision))


def start(means: FloatArray, spread: float) -> FloatArray:
    """The parameters of equal weights, these means (k, d), and round covariances spread**2."""
    k, d = means.shape
    triangle = np.zeros(d * (d + 1) // 2)
    triangle[np.cumsum(np.arange(1, d + 1)) - 1] = -math.log(spread)
    return np.concatenate((np.zeros(k), means.ravel(), np.tile(triangle, k)))
