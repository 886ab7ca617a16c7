"""The conductivity of a plate from temperatures, by sparse equations that SciPy's functions make.

Heat flows between the cells of a grid; what flows through an edge is its conductivity times the
difference. The derivative goes back through the solution of the sparse equations.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as spl
from scipy.optimize import minimize

import retrograd as rg

SIDE = 12


def differences(side: int) -> sp.csr_matrix:
    """The differences across all edges of a grid, as a matrix: a row for each edge."""
    line = sp.diags([-np.ones(side), np.ones(side - 1)], [0, 1], shape=(side - 1, side))
    across, along = sp.kron(sp.eye(side), line), sp.kron(line, sp.eye(side))
    return sp.vstack([across, along]).tocsr()


EDGES = differences(SIDE)
HEAT = np.zeros(SIDE * SIDE)
HEAT[SIDE * (SIDE // 3) + SIDE // 3] = 1.0


def temperatures(log_conductivity):
    """Where one cell is heated, and every cell loses a little to the air."""
    flow = EDGES.T @ sp.diags(np.exp(log_conductivity)) @ EDGES
    loss = 0.05 * sp.identity(len(HEAT))
    return spl.spsolve((flow + loss).tocsc(), HEAT)


def misfit(log_conductivity, measured):
    """How far the temperatures are off, relative to what was measured, and how rough the plate."""
    off = temperatures(log_conductivity) / measured - 1.0
    return np.mean(off**2) + 1e-3 * np.mean(log_conductivity**2)


def main() -> None:
    """Finds the conductivities of a plate that conducts worse in one half."""
    edges = EDGES.shape[0]
    true = np.where(np.arange(edges) % SIDE < SIDE // 2, 0.0, -1.0)
    measured = temperatures(true)
    start = np.zeros(edges)
    found = minimize(
        rg.value_and_grad(misfit), start, args=(measured,), jac=True, method="L-BFGS-B"
    )
    print(f"misfit {misfit(start, measured):.4f} -> {misfit(found.x, measured):.6f}")
    print(f"mean log conductivity: {np.mean(found.x[true == 0.0]):+.2f} where it is 0, "
          f"{np.mean(found.x[true < 0.0]):+.2f} where it is -1")  # fmt: skip
    assert misfit(found.x, measured) < 0.1 * misfit(start, measured)


if __name__ == "__main__":
    main()
