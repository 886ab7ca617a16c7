"""Integrals of functions (`scipy.integrate`), and solvers of differential equations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from retrograd.frontend.library.args import bind
from retrograd.frontend.library.plain import quadrature
from retrograd.frontend.library.quiet import called_quietly
from retrograd.frontend.values.kinds import NONE, Scalar, Value
from retrograd.frontend.values.tracer import Handler, Tracer
from retrograd.ir.terms import false

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
SOLVERS = ("solve_ivp", "odeint", "solve_bvp", *_OF_SEVERAL)
"""Functions that are not compiled."""


def _refused(name: str) -> Handler:
    def handler(t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
        way_out = (
            "call scipy.integrate.quad for one variable in the other"
            if name in _OF_SEVERAL
            else "write the steps of a method out (Euler, Runge-Kutta): a loop over "
            "`k1 = f(t, y); k2 = f(t + h / 2, y + h / 2 * k1)`, .."
        )
        raise t.error("RG0107", f"scipy.integrate.{name} is not compiled", way_out)

    return handler


def of_scipy(integrate: Any) -> Mapping[object, Handler]:
    """The table of `scipy.integrate`."""
    return {
        **{getattr(integrate, name): _refused(name) for name in SOLVERS},
        integrate.quad: _integral("quad", quadrature.quad, _QUAD, 3),
        integrate.dblquad: _integral(
            "dblquad", quadrature.dblquad, "func a b gfun hfun args epsabs epsrel", 5
        ),
        integrate.fixed_quad: _integral("fixed_quad", quadrature.fixed_quad, "func a b args n", 3),
    }
