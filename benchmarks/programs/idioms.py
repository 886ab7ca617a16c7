"""Whole-array programs as one writes them with NumPy: each gives an array, or a number."""

from __future__ import annotations

import numpy as np
from scipy.special import erf

__all__ = [
    "black_scholes", "cross_entropy", "distances", "horner", "laplacian", "layers", "log_sums",
    "masked", "moving_average", "unit_rows",
]  # fmt: skip


def unit_rows(x):
    """Rows of length one."""
    return x / np.sqrt(np.sum(x * x, axis=1, keepdims=True))


def distances(x, y):
    """From each row of one matrix to each of another."""
    apart = x[:, None, :] - y[None, :, :]
    return np.sqrt(np.sum(apart * apart, axis=2))


def cross_entropy(scores, targets):
    """Of softmax, with a distribution for each row."""
    shifted = scores - np.max(scores, axis=1, keepdims=True)
    logs = shifted - np.log(np.sum(np.exp(shifted), axis=1, keepdims=True))
    return -np.sum(targets * logs) / len(scores)


def horner(x, coefficients):
    """A polynomial at all elements."""
    total = np.zeros_like(x)
    for k in range(len(coefficients)):
        total = total * x + coefficients[k]
    return total


def moving_average(x):
    """Of 50 elements each, by differences of running sums."""
    sums = np.cumsum(x)
    return (sums[50:] - sums[:-50]) / 50.0


def masked(x):
    """Elements below zero are made smaller in place."""
    y = x * 1.5
    y[y < 0.0] *= 0.1
    return y


def layers(x, first, second):
    """Two products of matrices with an activation between them."""
    return np.tanh(x @ first) @ second


def laplacian(u):
    """The five-point stencil inside of a grid, by slices."""
    return u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4.0 * u[1:-1, 1:-1]


def black_scholes(spot, strike, years, rate, volatility):
    """The prices of European calls."""
    spread = volatility * np.sqrt(years)
    upper = (np.log(spot / strike) + (rate + 0.5 * volatility * volatility) * years) / spread
    lower = upper - spread
    paid = strike * np.exp(-rate * years)
    half = np.sqrt(0.5)
    return 0.5 * spot * (1.0 + erf(upper * half)) - 0.5 * paid * (1.0 + erf(lower * half))


def log_sums(x):
    """The logarithm of the sum of exponentials of each row."""
    top = np.max(x, axis=1, keepdims=True)
    return top[:, 0] + np.log(np.sum(np.exp(x - top), axis=1))
