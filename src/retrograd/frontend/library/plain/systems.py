"""Roots of systems and minima of functions of several numbers (`scipy.optimize`).

M. J. D. Powell, A hybrid method for nonlinear equations, 1970; J. J. More, The Levenberg-Marquardt
algorithm, 1978; J. Nocedal, S. J. Wright, Numerical optimization, 2006, chapter 6; A. S. Lewis,
M. L. Overton, Nonsmooth optimization via quasi-Newton methods, 2013, has the search along a line.

Nothing is differentiated through iterations. Steps by a constant inverse of the Jacobian (or
Hessian) follow, from the solution as a constant; each makes the derivatives of one more order those
of the solution. So they are right to order four, and the numbers go to the solution itself, also
where SciPy's tolerances end before. What is at a bound moves with the bound.
"""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library.plain import constrained
from retrograd.frontend.library.plain.axes import as_tuple, is_sequence
from retrograd.frontend.library.plain.outcomes import Box, Ended, Fit, Optimum, Stopped, Way, Zero
from retrograd.frontend.library.plain.roots import with_slopes_of
from retrograd.frontend.library.plain.told import constant, gradient_of, jacobian_of, refuse
from retrograd.frontend.library.written_descent import descended, fitted, solved

__all__ = ["box", "curve_fit", "fsolve", "least_squares", "leastsq", "minimize", "root"]

np: Any = numpy

_STEPS = 4
_CONVERGED = "The solution converged."
_STUCK = (
    "The iteration is not making good progress, as measured by the \n improvement from the last "
    "ten iterations."
)
_FLAT = "`gtol` termination condition is satisfied."
_DONE = "Optimization terminated successfully."


def _start(x0: Any) -> Any:
    x = np.atleast_1d(np.array(x0) * 1.0)
    if x.ndim != 1:
        raise ValueError("`x0` must have at most one axis here")
    return x


def _zero(func: Any, x0: Any, args: Any) -> Any:
    more = as_tuple(args)

    def column(x: Any) -> Any:
        return np.ravel(np.array(func(x, *more)) * 1.0)

    jacobian = jacobian_of(column)
    x = constant(_start(x0))
    if len(column(x)) != len(x):
        raise TypeError("the function must give as many numbers as there are unknowns")
    x, success = solved(column, jacobian, x)
    return _moved(column, x, _regular(constant(jacobian(x))), success), success, column


def _moved(residual: Any, x: Any, inverse: Any, success: Any) -> Any:
    """The solution, with its derivatives."""
    y, inverse = constant(x), constant(inverse)
    for _ in range(_STEPS):
        y = y - inverse @ residual(y)
    near = np.max(np.abs(constant(y) - x)) <= 1e-2 * (1.0 + np.max(np.abs(x)))
    return with_slopes_of(np.where(success and near, constant(y), constant(x)), y)


def fsolve(func: Any, x0: Any, args: Any = (), full_output: Any = False) -> Any:
    x, success, column = _zero(func, x0, args)
    if full_output:
        return x, Way(column(x)), 1 if success else 5, _CONVERGED if success else _STUCK
    if not success:
        raise RuntimeError("fsolve: no root was found from here (SciPy warns, and gives a number)")
    return x


def root(fun: Any, x0: Any, args: Any = (), method: Any = "hybr", jac: Any = None) -> Any:
    if method not in ("hybr", "lm"):
        refuse(f"scipy.optimize.root by the method {method!r}", "'hybr' and 'lm' are compiled")
    if isinstance(jac, bool) and jac:
        refuse("scipy.optimize.root with jac=True", "return the function's values alone")
    x, success, column = _zero(fun, x0, args)
    message = _CONVERGED if success else _STUCK
    return Zero(x, column(x), success, 1 if success else 5, message)


def _limits(bounds: Any, n: Any) -> Any:
    """Bounds as arrays, from (lower, upper)."""
    if bounds is None:
        return np.full(n, -np.inf), np.full(n, np.inf)
    low, high = np.zeros(n) + np.asarray(bounds[0]), np.zeros(n) + np.asarray(bounds[1])
    if np.any(low >= high):
        raise ValueError("Each lower bound must be strictly less than each upper bound.")
    return low, high


def _in_box(slope: Any, x: Any, low: Any, high: Any) -> Any:
    """What is zero at a minimum in a box: slopes, or distances from the bounds that hold there;
    and which of the numbers are free."""
    here = constant(slope(x))
    down = np.logical_and(x <= constant(low), here > 0.0)
    up = np.logical_and(x >= constant(high), here < 0.0)
    free = np.logical_not(np.logical_or(down, up))

    def residual(y: Any) -> Any:
        held = np.where(down, y - np.where(down, low, 0.0), y - np.where(up, high, 0.0))
        return np.where(free, slope(y), held)

    return residual, free


def _inverse(matrix: Any, free: Any) -> Any:
    """That of the part that belongs to free numbers, and of ones."""
    both = np.logical_and(free[:, None], free[None, :])
    return _regular(np.where(both, constant(matrix), np.eye(len(free))))


def _regular(matrix: Any) -> Any:
    """The inverse; nan of a matrix that has none, since nothing says how the solution moves."""
    sizes = np.linalg.svdvals(matrix)
    singular = sizes[-1] <= 1e-14 * sizes[0]
    return np.where(singular, np.nan, np.linalg.pinv(matrix))


def _least(fun: Any, x0: Any, bounds: Any) -> Any:
    """The least sum of squares between bounds: the solution, its Jacobian and its residuals."""

    def column(x: Any) -> Any:
        return np.ravel(np.array(fun(x)) * 1.0)

    jacobian = jacobian_of(column)

    def slope(x: Any) -> Any:
        return jacobian(x).T @ column(x)

    x = constant(_start(x0))
    low, high = _limits(bounds, len(x))
    if np.any(x < low) or np.any(x > high):
        raise ValueError("`x0` is infeasible.")
    x, success = fitted(column, jacobian, x, constant(low), constant(high))
    if not success:
        raise RuntimeError("Optimal parameters not found: the sum of squares has no minimum here")
    residual, free = _in_box(slope, x, low, high)
    x = _moved(residual, x, _inverse(jacobian_of(slope)(x), free), success)
    return x, column(x), jacobian(x), success


def _of_first(fun: Any, args: Any) -> Any:
    more = as_tuple(args)

    def called(x: Any) -> Any:
        return fun(x, *more)

    return called


def least_squares(
    fun: Any, x0: Any, jac: Any = None, bounds: Any = None, method: Any = "trf",
    loss: Any = "linear", args: Any = (),
) -> Any:  # fmt: skip
    if loss != "linear":
        refuse(f"scipy.optimize.least_squares with loss={loss!r}", "loss='linear' is compiled")
    x, rest, slopes, success = _least(_of_first(fun, args), x0, bounds)
    slope = slopes.T @ rest
    size = np.max(np.abs(slope))
    cost = 0.5 * np.sum(rest * rest)
    return Fit(x, cost, rest, slopes, slope, size, success, _FLAT)


def leastsq(func: Any, x0: Any, args: Any = (), full_output: Any = False) -> Any:
    x, rest, slopes, _ = _least(_of_first(func, args), x0, None)
    if full_output:
        return x, np.linalg.inv(slopes.T @ slopes), Way(rest), _FLAT, 1
    return x, 1


def curve_fit(
    f: Any, xdata: Any, ydata: Any, p0: Any = None, sigma: Any = None, absolute_sigma: Any = False,
    bounds: Any = None, method: Any = None, jac: Any = None, places: Any = (),
    full_output: Any = False,
) -> Any:  # fmt: skip
    """`places` has as many items as there are parameters."""
    n, given = len(places), np.ravel(np.asarray(ydata) * 1.0)
    weights = None if sigma is None else np.asarray(sigma) * 1.0
    x = np.asarray(xdata) if is_sequence(xdata) else xdata
    if p0 is not None:
        if not is_sequence(p0) and np.ndim(p0) == 0:
            p0 = (p0,)
        if len(p0) != n:
            raise ValueError("`p0` has not as many numbers as there are parameters")

    def column(p: Any) -> Any:
        rest = (
            np.ravel(np.asarray(f(x, *tuple([p[k] for k, _ in enumerate(places)]))) * 1.0) - given
        )
        if weights is None:
            return rest
        if weights.ndim == 2:
            return np.linalg.solve(np.linalg.cholesky(weights), rest)
        return rest / weights

    low, high = _limits(bounds, n)
    begin = [_first(None if p0 is None else p0[k], constant(low[k]), constant(high[k]))
             for k, _ in enumerate(places)]  # fmt: skip
    if n > len(given):
        raise TypeError("there are more parameters than data points")
    p, rest, slopes, _ = _least(column, np.array(begin), bounds)
    spread = np.linalg.inv(slopes.T @ slopes)
    if not absolute_sigma:
        freedom = len(rest) - n
        spread = spread * (np.sum(rest * rest) / freedom if freedom > 0 else np.inf)
    return (p, spread, Way(rest), _FLAT, 1) if full_output else (p, spread)


def _first(value: Any, low: Any, high: Any) -> Any:
    """Where a parameter begins: in the middle of its bounds, if it has none."""
    if value is not None:
        return value * 1.0
    if np.isinf(low) and np.isinf(high):
        return 1.0
    if np.isinf(low):
        return high - 1.0
    return low + 1.0 if np.isinf(high) else 0.5 * (low + high)


def minimize(
    fun: Any, x0: Any, args: Any = (), method: Any = None, jac: Any = None, bounds: Any = None,
    constraints: Any = (),
) -> Any:  # fmt: skip
    more, pairs = as_tuple(args), isinstance(jac, bool) and jac
    x = constant(_start(x0))

    def value(y: Any) -> Any:
        found = np.asarray(fun(y, *more)[0] if pairs else fun(y, *more)) * 1.0
        if found.size != 1:
            raise ValueError("The user-provided objective function must return a scalar value.")
        return np.sum(found)

    slope = gradient_of(value)
    low, high = _box(bounds, len(x))
    if len(constraints) > 0:
        x = _under(value, x, low, high, constraints)
        by = "SLSQP" if method is None else method
        return _told(x, value(x), gradient_of(value)(x), True, by)
    x, success = descended(value, slope, x, constant(low), constant(high))
    if not success:
        raise RuntimeError("minimize: no place was found where the gradient is zero")
    residual, free = _in_box(slope, x, low, high)
    x = _moved(residual, x, _inverse(jacobian_of(slope)(x), free), success)
    usual = "BFGS" if bounds is None else "L-BFGS-B"
    return _told(x, value(x), slope(x), success, usual if method is None else method)


def _told(x: Any, fun: Any, jac: Any, success: Any, method: Any) -> Any:
    """What SciPy tells of a minimum that it has found by a method."""
    name = method.lower()
    if name in ("tnc", "cobyla", "cobyqa", "trust-constr"):
        return Stopped(x, fun, jac, success)
    if name == "l-bfgs-b":
        return Ended(x, fun, jac, success, 0)
    return Optimum(x, fun, jac, success, 0, _DONE[:-1] if name == "slsqp" else _DONE)


def _under(value: Any, x: Any, low: Any, high: Any, group: Any) -> Any:
    """The least value between bounds under constraints."""
    n = len(x)
    at = constrained.least_under(value, x, constant(low), constant(high), group)
    residual = constrained.conditions(value, group, at, low, high)
    z = np.concatenate(at)
    z = _moved(residual, z, _regular(constant(jacobian_of(residual)(z))), True)
    off = np.max(np.abs(constant(residual(z))))
    if not off < 1e-6 * (1.0 + np.max(np.abs(constant(z)))):
        raise RuntimeError("minimize: no minimum was found that satisfies the constraints")
    if np.any(constant(constrained.values_of(group, "ineq", z[:n])) < -1e-7):
        raise RuntimeError("minimize: no minimum was found that satisfies the constraints")
    return z[:n].copy()


def box(lb: Any = -np.inf, ub: Any = np.inf, keep_feasible: Any = False) -> Any:
    return Box(lb, ub)


def _box(bounds: Any, n: Any) -> Any:
    if bounds is None:
        return np.full(n, -np.inf), np.full(n, np.inf)
    if isinstance(bounds, Box):
        low, high = np.zeros(n) + np.asarray(bounds.lb), np.zeros(n) + np.asarray(bounds.ub)
        if np.any(low > high):
            raise ValueError("An upper bound is less than the corresponding lower bound.")
        return low, high
    if len(bounds) != n:
        raise ValueError("The number of bounds is not compatible with the length of `x0`.")
    low = np.array([-np.inf if pair[0] is None else pair[0] * 1.0 for pair in bounds])
    high = np.array([np.inf if pair[1] is None else pair[1] * 1.0 for pair in bounds])
    if np.any(low > high):
        raise ValueError("An upper bound is less than the corresponding lower bound.")
    return low, high
