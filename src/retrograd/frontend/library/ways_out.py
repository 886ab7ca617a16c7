"""What to write in place of what is not there, where more can be said than that it is not."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["NO_MATRIX", "of_array_method", "of_masked_arrays", "of_solution"]

_METHODS: Mapping[str, str] = {
    "resize": "make another array: x = np.resize(x, shape), which repeats x, or np.pad(x, (0, n))",
    "view": "a view of another dtype shows the bits: x.astype(dtype) converts the numbers",
    "byteswap": "change the order of bytes before the call",
    "tobytes": "use it outside, of what the function returns",
    "setfield": "write x[..] = y",
    "getfield": "x.astype(dtype) converts the numbers",
    "flags": "leave it out: how an array lies in memory is not part of a program's meaning here",
    "strides": "x.shape has the extents; np.lib.stride_tricks.sliding_window_view has windows",
    "base": "compare arrays with np.shares_memory outside",
    "mask": "this array has no mask: np.ma.getmaskarray(x), or np.ma.array(x, mask=..)",
}
NO_MATRIX = (
    "use arrays of two axes: np.atleast_2d(x), A @ B for products, x.sum(axis=0, keepdims=True)"
)
"""In place of matrices whose `*` is a product, and which keep both axes."""
_MASKED = (
    "keep the mask as an array of bools: np.where(mask, np.nan, x) with np.nanmean and the like, "
    "or np.sum(x, where=~mask)"
)
_SOLVERS: Mapping[str, tuple[str, str]] = {
    "Optimum": ("minimize", "x, fun, jac, success, status and message"),
    "Ended": ("minimize", "x, fun, jac, success and status"),
    "Stopped": ("minimize", "x, fun, jac and success"),
    "Fit": ("least_squares", "x, cost, fun, jac, grad, optimality, success and message"),
    "Way": ("fsolve", "fvec"),
    "Zero": ("root", "x, fun, success, status and message"),
    "Minimum": ("minimize_scalar", "x, fun, success, nfev and nit"),
    "Root": ("root_scalar", "root, iterations, function_calls, converged and flag"),
}


def of_array_method(name: str) -> str:
    """The way out of a method of arrays that is not known."""
    return _METHODS.get(name, "use a NumPy function")


def of_masked_arrays(obj: object) -> str | None:
    """The way out where it is a function or class of `numpy.ma`; None of all else."""
    for one in (obj, type(obj)):
        if f"{getattr(one, '__module__', None)}.".startswith("numpy.ma."):
            return _MASKED
    return None


def of_solution(cls: type, name: str) -> tuple[str, str] | None:
    """The message and the way out for what a solver does not tell; None of other classes."""
    if (
        cls.__module__ != "retrograd.frontend.library.plain.outcomes"
        or cls.__name__ not in _SOLVERS
    ):
        return None
    solver, known = _SOLVERS[cls.__name__]
    return (
        f"{name!r} of what scipy.optimize.{solver} gives depends on SciPy's way to the solution, "
        "which is another one here", f"it has {known}; call SciPy outside for counts of steps",
    )  # fmt: skip
