"""A gradient through the method of Gauss and Seidel, which overwrites its unknowns in place.

Each update reads all unknowns and overwrites one of them. The reverse sweep needs the unknowns as
they were at every update; the tape has the overwritten values only, and going back restores them.
"""

from __future__ import annotations

import numpy as np

import retrograd as rg


def solution(a, b, sweeps):
    """The first unknown of a x = b."""
    n = len(b)
    x = np.zeros(n)
    for _ in range(sweeps):
        for i in range(n):
            rest = b[i]
            for j in range(n):
                if j != i:
                    rest -= a[i, j] * x[j]
            x[i] = rest / a[i, i]
    return x[0]


def main() -> None:
    """Prints the gradient's error against the exact one, and the length of the tape."""
    n, sweeps = 40, 30
    rng = np.random.default_rng(0)
    a, b = rng.uniform(-1.0, 1.0, (n, n)) + n * np.eye(n), rng.uniform(-1.0, 1.0, n)
    gradient = rg.value_and_grad(solution, argnums=(0, 1))
    value, (a_bar, b_bar) = gradient(a, b, sweeps)
    x, first_row = np.linalg.solve(a, b), np.linalg.inv(a)[0]
    assert np.isclose(value, x[0], rtol=1e-12)
    errors = np.abs(a_bar + np.outer(first_row, x)).max(), np.abs(b_bar - first_row).max()
    updates, reads = sweeps * n, sweeps * n * (n - 1)
    words = gradient.stats().tape_bytes // 8
    print(f"errors of the gradients: {errors[0]:.0e} (matrix), {errors[1]:.0e} (right side)")
    print(f"{updates} updates, {reads} reads: {words} words on the tape")
    assert max(errors) < 1e-12
    assert words < 1.1 * updates


if __name__ == "__main__":
    main()
