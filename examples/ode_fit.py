"""Rates of a differential equation from observations, by gradient descent through the solver.

Hares and lynxes (Lotka & Volterra) by a Runge-Kutta method written as loops; the gradient of the
misfit goes backwards through all steps. SciPy's optimiser needs nothing but value and gradient.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize

import retrograd as rg

STEPS = 200
DT = 0.1
TRUE = np.array([0.9, 0.4, 1.1, 0.35])


def rates(hares, lynxes, p):
    """Growth of the two populations."""
    return p[0] * hares - p[1] * hares * lynxes, p[3] * hares * lynxes - p[2] * lynxes


def orbit(p, steps, dt):
    """The populations after each step, one row per step."""
    out = np.zeros((steps, 2))
    hares = 3.0
    lynxes = 1.5
    for t in range(steps):
        a1, b1 = rates(hares, lynxes, p)
        a2, b2 = rates(hares + 0.5 * dt * a1, lynxes + 0.5 * dt * b1, p)
        a3, b3 = rates(hares + 0.5 * dt * a2, lynxes + 0.5 * dt * b2, p)
        a4, b4 = rates(hares + dt * a3, lynxes + dt * b3, p)
        hares += dt / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4)
        lynxes += dt / 6.0 * (b1 + 2.0 * b2 + 2.0 * b3 + b4)
        out[t, 0] = hares
        out[t, 1] = lynxes
    return out


def misfit(log_rates, observed, dt):
    """Mean squared miss; the rates are positive, so their logarithms are fitted."""
    found = orbit(np.exp(log_rates), observed.shape[0], dt)
    return np.mean((found - observed) ** 2)


def main() -> None:
    """Fits noisy observations and prints the rates."""
    noise = 0.02 * np.random.default_rng(2).normal(size=(STEPS, 2))
    observed = orbit(TRUE, STEPS, DT) + noise
    start = np.log(TRUE * np.array([1.15, 0.9, 0.9, 1.1]))
    found = minimize(
        rg.value_and_grad(misfit), start, args=(observed, DT), jac=True, method="L-BFGS-B"
    )
    fitted = np.exp(found.x)
    print(f"true rates   {np.array2string(TRUE, precision=4)}")
    print(f"fitted rates {np.array2string(fitted, precision=4)}   ({found.nfev} gradients)")
    assert np.allclose(fitted, TRUE, rtol=0.02)


if __name__ == "__main__":
    main()
