"""Roots of systems, fits and minima (`scipy.optimize`): which arguments they are given."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import FunctionType
from typing import Any

from retrograd.frontend.library.args import bind_given
from retrograd.frontend.library.plain import systems
from retrograd.frontend.library.quiet import called_quietly
from retrograd.frontend.values.kinds import (
    NONE,
    Closure,
    DictValue,
    Static,
    TupleValue,
    Value,
    describe,
)
from retrograd.frontend.values.tracer import Handler, PathEnds, Tracer

__all__ = ["of_several"]

_NOT_NEEDED = frozenset({
    "Dfun", "check_finite", "col_deriv", "diff_step", "epsfcn", "factor", "fprime", "ftol", "gtol",
    "hess", "hessp", "max_nfev", "maxfev", "options", "tol", "tr_solver", "verbose", "x_scale",
    "xtol",
})  # fmt: skip
"""What says how a solution is looked for, and does not matter to the solution."""


def _solver(name: str, program: Callable[..., Any], words: str, needed: int = 2) -> Handler:
    """The calls of a solver; `words` are SciPy's names, of which `program` takes some."""
    taken = program.__code__.co_varnames[: program.__code__.co_argcount]
    label = f"scipy.optimize.{name}"

    def handler(t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
        given = bind_given(t, label, args, kwargs, words, needed)
        for word in [word for word in given if word not in taken or word in _NOT_NEEDED]:
            if word not in _NOT_NEEDED and not _is_nothing(given[word]):
                raise t.error("RG0108", f"{label} with {word!r}", "leave it out")
            del given[word]
        if name == "curve_fit":
            given["places"] = _places(t, given)
        if "constraints" in given:
            given["constraints"] = _constraints(t, given["constraints"])
        return called_quietly(t, label, program, (), given, "print the solution")

    return handler


def _constraints(t: Tracer, value: Value) -> TupleValue:
    """The kind, the function and further arguments of each constraint."""
    found: list[Value] = []
    for one in value.items if isinstance(value, TupleValue) else (value,):
        known = dict(zip(one.keys, one.items, strict=True)) if isinstance(one, DictValue) else {}
        kind = known.get("type")
        if "fun" not in known or not isinstance(kind, Static):
            raise t.error(
                "RG0108", f"a constraint of scipy.optimize.minimize that is {describe(one)}",
                "give a dict: {'type': 'eq', 'fun': f}, or 'ineq'",
            )  # fmt: skip
        if kind.obj not in ("eq", "ineq"):
            t.stop("ValueError", f"Unknown constraint type '{kind.obj}'.")
            raise PathEnds
        more = known.get("args", TupleValue((), tuple))
        found.append(TupleValue((kind, known["fun"], more), tuple))
    return TupleValue(tuple(found), tuple)


def _is_nothing(value: Value) -> bool:
    """Whether an argument is False, zero or empty, which are as if it were left out."""
    match value:
        case TupleValue():
            return not value.items
        case _:
            return str(getattr(getattr(value, "atom", None), "value", "")) in ("False", "0")


def _places(t: Tracer, given: Mapping[str, Value]) -> TupleValue:
    """As many items as the function that is fitted has parameters."""
    match given["f"]:
        case Static(obj=FunctionType(__code__=code)) if not code.co_flags & 0x04:
            count = code.co_argcount - 1
        case Closure(source=source) if source.node.args.vararg is None:
            args = source.node.args
            count = len(args.posonlyargs) + len(args.args) - 1
        case fun:
            start = given.get("p0")
            if not isinstance(start, TupleValue):
                raise t.error(
                    "RG0108", f"scipy.optimize.curve_fit of {describe(fun)} without p0",
                    "give p0=(..), with a number for each parameter",
                )  # fmt: skip
            count = len(start.items)
    return TupleValue((NONE,) * count, tuple)


def _box(t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    return t.call(Static(systems.box), args, kwargs)


def of_several(optimize: Any) -> Mapping[object, Handler]:
    """The table of solvers of `scipy.optimize` for several numbers."""
    return {
        optimize.Bounds: _box,
        optimize.fsolve: _solver(
            "fsolve", systems.fsolve,
            "func x0 args fprime full_output col_deriv xtol maxfev band epsfcn factor diag",
        ),
        optimize.root: _solver("root", systems.root, "fun x0 args method jac tol callback options"),
        optimize.least_squares: _solver(
            "least_squares", systems.least_squares,
            "fun x0 jac bounds method ftol xtol gtol x_scale loss f_scale diff_step tr_solver "
            "tr_options jac_sparsity max_nfev verbose args kwargs",
        ),
        optimize.leastsq: _solver(
            "leastsq", systems.leastsq,
            "func x0 args Dfun full_output col_deriv ftol xtol gtol maxfev epsfcn factor diag",
        ),
        optimize.curve_fit: _solver(
            "curve_fit", systems.curve_fit,
            "f xdata ydata p0 sigma absolute_sigma check_finite bounds method jac full_output "
            "nan_policy ftol xtol gtol maxfev max_nfev epsfcn factor diag x_scale diff_step", 3,
        ),
        optimize.minimize: _solver(
            "minimize", systems.minimize,
            "fun x0 args method jac hess hessp bounds constraints tol callback options",
        ),
    }  # fmt: skip
