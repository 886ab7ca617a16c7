"""Roots of functions of one number (`scipy.optimize`), which are given their derivative as well."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from retrograd.frontend.library.args import bind, bind_given
from retrograd.frontend.library.plain import many_roots, minima, roots
from retrograd.frontend.library.quiet import called_quietly
from retrograd.frontend.library.system_solving import of_several
from retrograd.frontend.values.kinds import (
    NONE,
    ArrayRef,
    Scalar,
    Static,
    Transform,
    Value,
    describe,
)
from retrograd.frontend.values.scopes import literal
from retrograd.frontend.values.tracer import Handler, Tracer

__all__ = ["FINDERS", "SOLVERS", "of_scipy"]

_BRACKETS = "f a b args xtol rtol maxiter full_output disp"
_TOMS = "f a b args k xtol rtol maxiter full_output disp"
_FIXED = "func x0 args xtol maxiter method"
_NEWTON = "func x0 fprime args tol maxiter fprime2 x1 rtol full_output disp"


FINDERS = (
    "brentq", "brenth", "bisect", "ridder", "toms748", "newton", "fixed_point", "root_scalar",
    "minimize_scalar", "fminbound", "brent",
    "fsolve", "root", "curve_fit", "least_squares", "leastsq", "minimize", "Bounds",
)  # fmt: skip
"""Those that are compiled, and what they are given."""


def _finder(name: str, program: Callable[..., Any], words: str) -> Handler:
    needed = 3 if words in (_BRACKETS, _TOMS) else 2
    order = words.split()

    def handler(t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
        label = f"scipy.optimize.{name}"
        found = bind(t, label, args, kwargs, words, needed)
        given = {k: v for k, v in zip(order, found, strict=True) if v is not None}
        fun = given.pop(order[0])
        start = given[order[1]]
        if isinstance(start, ArrayRef) and program is roots.newton:
            return _of_arrays(t, label, fun, given)
        if not isinstance(start, Scalar):
            what = f"{label} from {describe(start)}"
            raise t.error("RG0108", what, "look for one root at a time, from a number")
        return _called(t, label, program, fun, given)

    return handler


def _called(
    t: Tracer, label: str, program: Callable[..., Any], fun: Value, given: Mapping[str, Value]
) -> Value:
    passed = {k: v for k, v in given.items() if v != NONE}
    both = Transform("value_and_grad", fun)
    return called_quietly(t, label, program, (fun, both), passed, "print the root")


def _of_arrays(t: Tracer, label: str, fun: Value, given: Mapping[str, Value]) -> Value:
    passed = {k: v for k, v in given.items() if v != NONE}
    slopes = Transform("grad", t.call(Static(many_roots.total_of), (fun,), {}))
    program = many_roots.newton_of_arrays
    return called_quietly(t, label, program, (fun, slopes), passed, "print the roots", "print")


def _root_scalar(t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    label = "scipy.optimize.root_scalar"
    words = "f args method bracket fprime fprime2 x0 x1 xtol rtol maxiter"
    given = bind_given(t, label, args, kwargs, words)
    fun, method = given.pop("f"), given.pop("method", None)
    name = method.obj if isinstance(method, Static) else None
    if name is None and method is not None:
        raise t.error("RG0113", f"the method of {label} must be a literal", "write its name")
    if name is None:
        name = _usual(given)
    if name in _BETWEEN and "bracket" in given:
        kept = ("bracket", "args", "xtol", "rtol", "maxiter")
        passed = {k: v for k, v in given.items() if k in kept} | {"method": Static(name)}
        return _called(t, label, roots.root_by_brackets, fun, passed)
    needed = _FROM.get(str(name))
    if needed is None or any(one not in given for one in needed):
        raise t.error(
            "RG0108", f"{label} by the method {name!r} with these arguments",
            "brentq, brenth, bisect and ridder need a bracket, secant x0 and x1, newton x0 and "
            "fprime, halley fprime2 besides",
        )  # fmt: skip
    kept = (*needed, "args", "xtol", "rtol", "maxiter")
    passed = {k: v for k, v in given.items() if k in kept}
    return _called(t, label, roots.root_by_starts, fun, passed)


_BETWEEN = ("brentq", "brenth", "bisect", "ridder")
_FROM = {
    "secant": ("x0", "x1"), "newton": ("x0", "fprime"), "halley": ("x0", "fprime", "fprime2"),
}  # fmt: skip
"""Methods of `root_scalar` that go from a number, with what they need."""


def _usual(given: Mapping[str, Value]) -> str:
    """The method that these arguments are for."""
    if "bracket" in given:
        return "brentq"
    if "fprime" in given:
        return "halley" if "fprime2" in given else "newton"
    return "secant" if "x1" in given else "newton"


def _minimize_scalar(t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    label = "scipy.optimize.minimize_scalar"
    found = bind(t, label, args, kwargs, "fun bracket bounds args method tol options")
    fun, bracket, bounds, others, method, tol, options = found
    none = bounds is None or bounds == NONE
    how = str(method.obj).lower() if isinstance(method, Static) and method != NONE else None
    if how is None:
        how = "brent" if none else "bounded"
    bad = bracket not in (None, NONE) if how == "bounded" else not none
    if how not in ("brent", "bounded", "golden") or bad or (how == "bounded" and none):
        raise t.error(
            "RG0108", f"{label} by the method {how!r} with these arguments",
            'give it bounds=(a, b) and method="bounded", or leave out both for method="brent"',
        )  # fmt: skip
    assert fun is not None
    passed = {"bounds": bounds, "bracket": bracket, "args": others, "tol": tol, "options": options}
    given = {k: v for k, v in passed.items() if v is not None and v != NONE}
    both = Transform("value_and_grad", Transform("grad", fun))
    program = minima.minimize_bounded if how == "bounded" else minima.minimize_anywhere
    return called_quietly(t, label, program, (fun, both), given, "print the minimum")


def _brent(t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    label = "scipy.optimize.brent"
    given = bind_given(t, label, args, kwargs, "func args brack tol full_output maxiter", 1)
    fun = given.pop("func")
    both = Transform("value_and_grad", Transform("grad", fun))
    passed = {k: v for k, v in given.items() if v != NONE}
    return called_quietly(t, label, minima.brent, (fun, both), passed, "print the minimum")


def _fminbound(t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    label = "scipy.optimize.fminbound"
    found = bind(t, label, args, kwargs, "func x1 x2 args xtol maxfun full_output disp", 3)
    fun, low, high, others, xtol, most, full, disp = found
    if full not in (None, literal(False)) or disp not in (None, literal(0), literal(1)):
        raise t.error(
            "RG0108", f"{label} with full_output, or with disp above 1",
            "use scipy.optimize.minimize_scalar(f, bounds=(a, b))",
        )  # fmt: skip
    assert fun is not None
    passed = {"x1": low, "x2": high, "args": others, "xtol": xtol, "maxfun": most}
    given = {k: v for k, v in passed.items() if v is not None and v != NONE}
    both = Transform("value_and_grad", Transform("grad", fun))
    return called_quietly(t, label, minima.fminbound, (fun, both), given, "print the minimum")


SOLVERS: Mapping[str, str] = dict.fromkeys(
    ("fmin", "fmin_bfgs", "fmin_cg", "fmin_l_bfgs_b", "basinhopping", "differential_evolution",
     "dual_annealing", "shgo"),
    "hessian(f)(x, p), rg.grad(f)(x, p)",
)  # fmt: skip
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
        **of_several(optimize),
        optimize.brentq: _finder("brentq", roots.brentq, _BRACKETS),
        optimize.bisect: _finder("bisect", roots.bisect, _BRACKETS),
        optimize.brenth: _finder("brenth", roots.brenth, _BRACKETS),
        optimize.ridder: _finder("ridder", roots.ridder, _BRACKETS),
        optimize.newton: _finder("newton", roots.newton, _NEWTON),
        optimize.root_scalar: _root_scalar,
        optimize.minimize_scalar: _minimize_scalar,
        optimize.fminbound: _fminbound,
        optimize.brent: _brent,
        optimize.toms748: _finder("toms748", roots.toms748, _TOMS),
        optimize.fixed_point: _finder("fixed_point", roots.fixed_point, _FIXED),
    }
