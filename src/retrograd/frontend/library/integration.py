"""Integrals of functions (`scipy.integrate`), and solvers of differential equations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from retrograd.frontend.library.args import bind, bind_given
from retrograd.frontend.library.plain import initial_values, quadrature
from retrograd.frontend.library.quiet import called_quietly
from retrograd.frontend.values.kinds import (
    NONE,
    Bound,
    Closure,
    Instance,
    Scalar,
    Static,
    Transform,
    TupleValue,
    Value,
    describe,
)
from retrograd.frontend.values.scopes import literal
from retrograd.frontend.values.tracer import Handler, Tracer
from retrograd.ir.terms import false, ilit

__all__ = ["SOLVERS", "of_scipy"]

_QUAD = (
    "func a b args full_output epsabs epsrel limit points weight wvar wopts maxp1 limlst "
    "complex_func"
)
_LEFT_OUT = ("full_output", "weight", "wvar", "wopts", "maxp1", "limlst", "complex_func")


def _integral(name: str, program: Callable[..., Any], words: str, needed: int) -> Handler:
    order = words.split()

    def handler(t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
        label = f"scipy.integrate.{name}"
        found = bind(t, label, args, kwargs, words, needed)
        given = {k: v for k, v in zip(order, found, strict=True) if v is not None}
        for word in _LEFT_OUT:
            if given.pop(word, NONE) not in (NONE, Scalar(false)):
                raise t.error("RG0108", f"{label} with {word!r}", "leave it out")
        return called_quietly(t, label, program, (), given, "print the integral")

    return handler


_OF_SEVERAL = ("nquad", "tplquad", "quad_vec")
SOLVERS = ("solve_bvp", *_OF_SEVERAL)
"""Functions that are not compiled."""


def _refused(name: str) -> Handler:
    def handler(t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
        way_out = (
            "call scipy.integrate.quad for one variable in the other"
            if name in _OF_SEVERAL
            else "call scipy.integrate.solve_ivp, which is compiled with its methods RK45 and RK23"
        )
        raise t.error("RG0107", f"scipy.integrate.{name} is not compiled", way_out)

    return handler


_METHODS = ("RK45", "RK23", "DOP853", "Radau", "BDF", "LSODA")


def _events(t: Tracer, value: Value | None) -> dict[str, Value]:
    """Functions that tell events, with what their attributes say."""
    if value is None:
        return {}
    if not isinstance(value, Static | Closure | Bound | Transform | TupleValue):
        raise t.error(
            "RG0108", f"scipy.integrate.solve_ivp with {describe(value)} as events",
            "give a function, or a list of functions that is written out",
        )  # fmt: skip
    functions = value.items if isinstance(value, TupleValue) else (value,)
    directions = tuple(_told(t, one, "direction", literal(0.0)) for one in functions)
    ends = tuple(_told(t, one, "terminal", literal(False)) for one in functions)
    return {
        "events": TupleValue(functions), "directions": TupleValue(directions),
        "terminal": TupleValue(ends),
    }  # fmt: skip


def _told(t: Tracer, function: Value, name: str, default: Value) -> Value:
    """An attribute of a function, or of that of a method."""
    if isinstance(function, Bound) and isinstance(function.receiver, Instance):
        function = Static(getattr(function.receiver.cls, function.name))
    found = t.call(Static(getattr), (function, Static(name), default), {})
    return default if found == NONE else found


def _solve_ivp(t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    words = (
        "fun t_span y0 method t_eval dense_output events vectorized args rtol atol max_step "
        "first_step jac"
    )
    label = "scipy.integrate.solve_ivp"
    given = bind_given(t, label, args, kwargs, words, 3)
    if given.pop("vectorized", Scalar(false)) != Scalar(false):
        raise t.error("RG0108", f"{label} with 'vectorized'", "leave it out")
    method = given.get("method")
    if method is not None and not (isinstance(method, Static) and method.obj in _METHODS):
        raise t.error("RG0108", f"{label} by {describe(method)}", f"write one of {_METHODS}")
    given |= _events(t, given.pop("events", None))
    return t.call(Static(initial_values.solve_ivp), (), given)


def _odeint(t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    words = (
        "func y0 t args Dfun col_deriv full_output ml mu rtol atol tcrit h0 hmax hmin ixpr mxstep "
        "mxhnil mxordn mxords printmessg tfirst"
    )
    label = "scipy.integrate.odeint"
    given = bind_given(t, label, args, kwargs, words, 3)
    if given.pop("full_output", Scalar(false)) not in (Scalar(false), Scalar(ilit(0))):
        raise t.error("RG0108", f"{label} with 'full_output'", "leave it out")
    kept = ("func", "y0", "t", "args", "rtol", "atol", "tfirst")
    passed = {k: v for k, v in given.items() if k in kept}
    return called_quietly(t, label, initial_values.odeint, (), passed, "print the solution")


def of_scipy(integrate: Any) -> Mapping[object, Handler]:
    """The table of `scipy.integrate`."""
    return {
        **{getattr(integrate, name): _refused(name) for name in SOLVERS},
        integrate.solve_ivp: _solve_ivp,
        integrate.odeint: _odeint,
        integrate.quad: _integral("quad", quadrature.quad, _QUAD, 3),
        integrate.dblquad: _integral(
            "dblquad", quadrature.dblquad, "func a b gfun hfun args epsabs epsrel", 5
        ),
        integrate.fixed_quad: _integral("fixed_quad", quadrature.fixed_quad, "func a b args n", 3),
    }
