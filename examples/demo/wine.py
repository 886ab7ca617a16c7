"""The mixture fitted to the wines that scikit-learn ships: 178 bottles, 13 measurements."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment, minimize
from sklearn.cluster import KMeans
from sklearn.datasets import load_wine
from tqdm import tqdm

from examples.demo.mixture import Mixture, start, unpack

__all__ = ["Fit", "Wines", "agreement", "difference_error", "fit", "load"]

FloatArray = npt.NDArray[np.float64]
ValueAndGradient = Callable[..., tuple[float, FloatArray]]

COMPONENTS = 3
GAMMA = 1.0
SPREAD = 0.7


@dataclass(frozen=True, slots=True)
class Wines:
    """Standardised measurements with what is needed to go back, and the true cultivars."""

    x: FloatArray
    centre: FloatArray
    spread: FloatArray
    features: tuple[str, ...]
    cultivar: npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Fit:
    """Where the optimiser stopped."""

    theta: FloatArray
    mixture: Mixture
    value: float
    first_value: float
    iterations: int
    evaluations: int
    seconds: float


def load() -> Wines:
    """The data, each column scaled to mean 0 and variance 1."""
    data, cultivar = load_wine(return_X_y=True)
    centre, spread = data.mean(axis=0), data.std(axis=0)
    names = tuple(load_wine().feature_names)
    x = np.ascontiguousarray((data - centre) / spread)
    return Wines(x, centre, spread, names, cultivar.astype(np.int64))


def fit(wines: Wines, value_and_gradient: ValueAndGradient, iterations: int = 200) -> Fit:
    """Minimises the objective by L-BFGS with a progress bar.

    `value_and_gradient` takes the arguments of `mixture.objective`.
    """
    # The likelihood has many local optima, so one starts at the centres of k-means, as is usual.
    centres = KMeans(COMPONENTS, n_init=10, random_state=0).fit(wines.x).cluster_centers_
    theta = start(centres, SPREAD)
    arguments = (wines.x, COMPONENTS, GAMMA)
    first_value = float(value_and_gradient(theta, *arguments)[0])
    clock = time.perf_counter()
    # disable=None: a bar on a terminal, nothing in a log.
    with tqdm(total=iterations, desc="L-BFGS", unit="it", leave=False, disable=None) as bar:

        def after(intermediate_result) -> None:
            bar.update()
            bar.set_postfix(objective=f"{intermediate_result.fun:.4f}", refresh=False)

        found = minimize(
            value_and_gradient, theta, arguments, method="L-BFGS-B", jac=True, callback=after,
            options={"maxiter": iterations, "maxfun": 10 * iterations},
        )  # fmt: skip
    return Fit(
        found.x, unpack(found.x, COMPONENTS, wines.x.shape[1]), float(found.fun), first_value,
        found.nit, found.nfev, time.perf_counter() - clock,
    )  # fmt: skip


def difference_error(
    value: Callable[..., float],
    gradient: FloatArray,
    theta: FloatArray,
    wines: Wines,
    coordinates: int = 8,
) -> float:
    """The gradient against central differences of fourth order in coordinates spread over all.

    Relative to the largest component of the gradient.
    """
    worst, h = 0.0, 1e-3
    for at in np.linspace(0, len(theta) - 1, coordinates).astype(int):

        def along(by: float, at: int = at) -> float:
            moved = theta.copy()
            moved[at] += by
            return float(value(moved, wines.x, COMPONENTS, GAMMA))

        near, far = along(h) - along(-h), along(2 * h) - along(-2 * h)
        worst = max(worst, abs((8.0 * near - far) / (12.0 * h) - gradient[at]))
    return worst / float(np.max(np.abs(gradient)))


def agreement(mixture: Mixture, wines: Wines) -> tuple[npt.NDArray[np.int64], int]:
    """For each bottle its cluster, numbered as the cultivar that it matches best; and the hits."""
    label = mixture.responsibilities(wines.x).argmax(axis=1)
    table = np.zeros((COMPONENTS, COMPONENTS), dtype=int)
    np.add.at(table, (label, wines.cultivar), 1)
    rows, columns = linear_sum_assignment(-table)
    renamed = np.empty(COMPONENTS, dtype=np.int64)
    renamed[rows] = columns
    return renamed[label], int(table[rows, columns].sum())
