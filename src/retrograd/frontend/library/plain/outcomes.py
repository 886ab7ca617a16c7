"""What solvers tell besides the solution, as far as it is a number."""

from __future__ import annotations

from typing import Any, NamedTuple

__all__ = ["Minimum", "Root", "Solution"]


class Root(NamedTuple):
    """`scipy.optimize.RootResults`."""

    root: Any
    iterations: Any
    function_calls: Any
    converged: Any


class Minimum(NamedTuple):
    """What `scipy.optimize.minimize_scalar` gives."""

    x: Any
    fun: Any
    success: Any
    nfev: Any
    nit: Any


class Solution(NamedTuple):
    """What `scipy.integrate.solve_ivp` gives."""

    t: Any
    y: Any
    nfev: Any
    status: Any
    success: Any
