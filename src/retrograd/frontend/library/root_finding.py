"""Roots of functions of one number (`scipy.optimize`), which are given their derivative as well."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from retrograd.frontend.library.args import bind
from retrograd.frontend.library.plain import roots
from retrograd.frontend.library.quiet import called_quietly
from retrograd.frontend.values.kinds import NONE, Scalar, Transform, Value, describe
from retrograd.frontend.values.tracer import Handler, Tracer
from retrograd.ir.terms import false

__all__ = ["SOLVERS", "of_scipy"]

_BRACKETS = "f a b args xtol rtol maxiter full_output disp"
_NEWTON = "func x0 fprime args tol maxiter fprime2 x1 rtol full_output disp"


def _finder(name: str, program: Callable[..., Any], words: str) -> Handler:
    needed = 3 if words is _BRACKETS else 2
    order = words.split()

    def handler(t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
        label = f"scipy.optimize.{name}"
        found = bind(t, label, args, kwargs, words, needed)
        given = {k: v for k, v in zip(order, found, strict=True) if v is not None}
        if given.pop("full_output", Scalar(false)) != Scalar(false):
            raise t.error("RG0108", f"{label} with full_output", "leave it out")
        fun = given.pop(order[0])
        start = given[order[1]]
        if not isinstance(start, Scalar):
            what = f"{label} from {describe(start)}"
            raise t.error("RG0108", what, "look for one root at a time, from a number")
        passed = {k: v for k, v in given.items() if v != NONE}
        both = Transform("value_and_grad", fun)
        return called_quietly(t, label, program, (fun, both), passed, "print the root")

    return handler


SOLVERS: Mapping[str, str] = {
    **dict.fromkeys(("fsolve", "root"), "jacfwd(f)(x, p), f(x, p)"),
    **dict.fromkeys(
        ("minimize", "minimize_scalar", "fmin", "fmin_bfgs", "fmin_cg", "fmin_l_bfgs_b",
         "least_squares", "leastsq", "basinhopping", "differential_evolution", "dual_annealing",
         "shgo"),
        "hessian(f)(x, p), rg.grad(f)(x, p)",
    ),
}  # fmt: skip
"""Solvers that are not compiled, with the system of the Newton step that has the derivatives."""


def _refused(name: str, system: str) -> Handler:
    def handler(t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
        step = f"x = x - np.linalg.solve(rg.{system})"
        raise t.error(
            "RG0107", f"scipy.optimize.{name} is not compiled",
            "call it outside, pass what it gives, and take one Newton step from there, which has "
            f"the derivatives of the solution: {step} (docs/language.md, Solvers)",
        )  # fmt: skip

    return handler


def of_scipy(optimize: Any) -> Mapping[object, Handler]:
    """The table of `scipy.optimize`."""
    return {
        **{getattr(optimize, name): _refused(name, of) for name, of in SOLVERS.items()},
        optimize.brentq: _finder("brentq", roots.brentq, _BRACKETS),
        optimize.bisect: _finder("bisect", roots.bisect, _BRACKETS),
        optimize.newton: _finder("newton", roots.newton, _NEWTON),
    }
