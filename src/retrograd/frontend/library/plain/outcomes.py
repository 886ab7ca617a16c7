"""What solvers tell besides the solution, as far as it is a number."""

from __future__ import annotations

from typing import Any, NamedTuple

__all__ = [
    "Box", "Ended", "Fit", "Minimum", "Optimum", "Root", "Solution", "Stopped", "Way", "Zero",
]  # fmt: skip


class Box(NamedTuple):
    """`scipy.optimize.Bounds`."""

    lb: Any
    ub: Any


class Root(NamedTuple):
    """`scipy.optimize.RootResults`."""

    root: Any
    iterations: Any
    function_calls: Any
    converged: Any
    flag: Any


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
    sol: Any
    t_events: Any
    y_events: Any
    message: Any
    njev: Any
    nlu: Any


class Way(NamedTuple):
    """What `full_output` of a solver tells of the way to the solution."""

    fvec: Any


class Zero(NamedTuple):
    """What `scipy.optimize.root` gives."""

    x: Any
    fun: Any
    success: Any
    status: Any
    message: Any


class Fit(NamedTuple):
    """What `scipy.optimize.least_squares` gives."""

    x: Any
    cost: Any
    fun: Any
    jac: Any
    grad: Any
    optimality: Any
    success: Any
    message: Any


class Optimum(NamedTuple):
    """What `scipy.optimize.minimize` gives."""

    x: Any
    fun: Any
    jac: Any
    success: Any
    status: Any
    message: Any


class Ended(NamedTuple):
    """The same by a method whose message says which of its tests has ended it."""

    x: Any
    fun: Any
    jac: Any
    success: Any
    status: Any


class Stopped(NamedTuple):
    """The same by a method whose status says so, too."""

    x: Any
    fun: Any
    jac: Any
    success: Any
