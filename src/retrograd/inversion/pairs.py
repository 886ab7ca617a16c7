"""`inverse_pair`: two ordinary functions that undo each other, as one reversible function."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any

from retrograd.errors import UserError
from retrograd.frontend.identity.source import Sources
from retrograd.frontend.identity.transformed import BARS, Reduced, Reversible
from retrograd.inversion import support
from retrograd.inversion.functions import inverse
from retrograd.inversion.generated import function_of
from retrograd.inversion.leaving import leaving
from retrograd.tracebacks import USER_FRAMES, shows_user_frames

__all__ = ["Pair", "inverse_pair"]


@dataclass(slots=True, eq=False)
class Pair(Reversible):
    """Two functions that undo each other; made by `inverse_pair`."""

    back: Any = field(default=None, kw_only=True)
    count: int = field(default=1, kw_only=True)
    other: Pair | None = field(default=None, kw_only=True, compare=False)
    made: dict[str, FunctionType] = field(
        default_factory=dict[str, FunctionType], kw_only=True, compare=False
    )

    def __call__(self, *args: Any) -> Any:
        with USER_FRAMES:
            return self.forward(*args)

    def made_anew(self) -> Reduced:
        if self.inverted:
            return inverse, (self.partner,)
        return inverse_pair, (self.fun, self.back)

    @property
    def inverse(self) -> Pair:
        """The function that undoes this one."""
        return self.partner

    @property
    def partner(self) -> Pair:
        if self.other is None:
            self.other = Pair(
                "inverse", self.back, inverted=not self.inverted, options=self.options,
                back=self.fun, count=self.count, other=self,
            )  # fmt: skip
        return self.other

    @property
    def tolerance(self) -> float | None:
        return 1e-8

    @property
    def parameters(self) -> tuple[str, ...]:
        return self.fun.__code__.co_varnames[: self.fun.__code__.co_argcount]

    @property
    def changed(self) -> tuple[str, ...]:
        return self.parameters[: self.count]

    @property
    def returned(self) -> tuple[str, ...] | None:
        return self.changed

    @property
    def single(self) -> bool:
        return self.count == 1

    @property
    def forward(self) -> FunctionType:
        own = ", ".join(self.parameters)
        kept = ", ".join(f"rg_put({n}, rg_new[{k}])" for k, n in enumerate(self.changed))
        new = f"({_call('rg_fun', own)},)" if self.single else _call("rg_fun", own)
        return self._text(
            "forward", f"def rg_forward({own}):\n    rg_new = {new}\n    return {kept}\n"
        )

    @property
    def adjoint(self) -> FunctionType:
        own, names = ", ".join(self.parameters), self.parameters
        bars = [f"rg_{name}_bar" for name in names]
        target = bars[0] if self.single else f"({', '.join(bars[: self.count])})"
        old = f"({_call('rg_back', own)},)" if self.single else _call("rg_back", own)
        lines = [
            f"def rg_adjoint({own}, *, {BARS}):",
            f"    {', '.join(bars)}, = {BARS}",
            f"    rg_old = {old}",
            *(f"    {n} = rg_put({n}, rg_old[{k}])" for k, n in enumerate(self.changed)),
            f"    rg_gained = rg_cotangents(rg_fun, ({own},), {target})",
        ]
        for k, bar in enumerate(bars):
            new = f"rg_put({bar}, rg_gained[{k}])" if k < self.count else f"{bar} + rg_gained[{k}]"
            lines += [f"    if rg_gained[{k}] is not None:", f"        {bar} = {new}"]
        lines.append(f"    return ({own},), ({', '.join(bars)},)")
        return self._text("adjoint", "\n".join(lines))

    @property
    def adjoint_of_objects(self) -> FunctionType:
        return self.adjoint

    def _text(self, what: str, text: str) -> FunctionType:
        if what not in self.made:
            node = ast.parse(text).body[0]
            assert isinstance(node, ast.FunctionDef)
            place = Sources().of(self.fun, None).node
            for inner in ast.walk(node):
                if "lineno" in inner._attributes:
                    ast.copy_location(inner, place)
            inserted = {
                "rg_fun": self.fun, "rg_back": self.back, "rg_put": support.put,
                "rg_cotangents": support.cotangents,
            }  # fmt: skip
            self.made[what] = function_of(node, self.fun, inserted, defaults=False)
        return self.made[what]


def _call(name: str, args: str) -> str:
    return f"{name}({args})"


@shows_user_frames
def inverse_pair(fun: Callable[..., Any], back: Callable[..., Any]) -> Pair:
    """Two ordinary functions that undo each other, as a reversible function.

    The adjoint restores the arguments by `back` and follows the derivative of `fun` there.

    Args:
        fun: a function that returns the new values of its first arguments: of the first one, or of
            as many as the tuple at its end has. It leaves its arguments as they are. It is called
            in reversible functions as `x = f(x, ..)`, or `f(x, ..)` where x is an array.
        back: a function of the same parameters that returns what these arguments were. That it does
            is for `rg.check_inverse` to see.

    Raises:
        UserError: they are no functions of the same parameters (RG0509).

    >>> import math, retrograd as rg
    >>> squash = rg.inverse_pair(lambda x: math.tanh(x), lambda x: math.atanh(x))
    >>> @rg.reversible
    ... def f(x, y):
    ...     x = squash(x)
    ...     x += y
    ...     return x
    >>> rg.adjoint(f)(1.0, 1.0, 1.0, 0.0)
    ((0.0, 1.0), (1.0, 1.0))
    """
    for one in (fun, back):
        if not isinstance(one, FunctionType):
            raise UserError(
                "RG0509", f"inverse_pair needs Python functions, not {type(one).__name__}",
                way_out="give it two functions that are defined with `def` or `lambda`",
            )  # fmt: skip
    ends, count = _parameters(fun), _results(fun)
    if ends != _parameters(back) or not 0 < count <= len(ends) or count != _results(back):
        raise UserError(
            "RG0509", f"{fun.__name__!r} and {back.__name__!r} do not have the same parameters and "
            "results", way_out="give both the same parameters; each returns the first of them anew",
        )  # fmt: skip
    return Pair("inverse", fun, options="pair", back=back, count=count)


def _parameters(fun: Any) -> tuple[str, ...]:
    """The names of the parameters; none where there are others than plain ones."""
    code = fun.__code__
    plain = not code.co_kwonlyargcount and not code.co_flags & 0x0C and not fun.__defaults__
    return code.co_varnames[: code.co_argcount] if plain else ()


def _results(fun: Any) -> int:
    """How many values a function returns; none where no statement of it returns one."""
    body = Sources().of(fun, None).body
    last = body[-1]
    value = last.value if isinstance(last, ast.Return) else None
    if isinstance(value, ast.Tuple):
        return len(value.elts)
    ends = (n for stm in body for n in leaving(stm) if isinstance(n, ast.Return))
    return int(any(end.value is not None for end in ends))
