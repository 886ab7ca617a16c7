"""Four identities that the derivatives of a function satisfy, and a report of how well they do.

1. The tangent is the limit of difference quotients: it agrees with the central difference at two
   neighbouring step sizes. Two, because one step size can agree by luck, and because a wrong
   derivative agrees with neither.
2. The pullback is the adjoint of the tangent map: <y_bar, J x_dot> = <J^T y_bar, x_dot>.
3. Second derivatives agree: forward-over-reverse with the central difference of the gradient, and
   reverse-over-reverse with forward-over-reverse.
4. Differentiating changes nothing: values are those of plain Python, and arguments keep their bits.
"""

from __future__ import annotations

import linecache
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from retrograd.api import grad, jit, jvp, vjp
from retrograd.errors import UserError
from retrograd.testing.measure import cotangent, direction, magnitude, relative, relative_sum
from retrograd.testing.trees import (
    Tree,
    Vector,
    bits,
    copy,
    flat,
    inner,
    is_float,
    leaves,
    map_tree,
    paths,
    zero_tangent,
)  # fmt: skip
from retrograd.tracebacks import shows_user_frames

__all__ = ["GradientMismatch", "GradReport", "Identity", "check_grads"]

Function = Callable[..., Any]

ROUNDING = 1e-10
"""Relative error that rounding may cause in the dot-product identity and between nestings."""
VALUE = 1e-9
"""Relative error between plain Python's values and ours."""


@dataclass(frozen=True, slots=True)
class Identity:
    """One identity: its largest relative error on the data, and the error that is accepted."""

    name: str
    error: float
    tolerance: float

    @property
    def ok(self) -> bool:
        """False also where the error is not a number."""
        return self.error <= self.tolerance


@dataclass(frozen=True, slots=True)
class GradReport:
    """The identities that were checked, in order."""

    function: str
    rows: tuple[Identity, ...]

    @property
    def ok(self) -> bool:
        """Whether every identity holds."""
        return all(row.ok for row in self.rows)

    def __str__(self) -> str:
        width = max(len(row.name) for row in self.rows)
        return "\n".join(
            f"{row.name:<{width}}  error {row.error:8.1e}  accepted {row.tolerance:8.1e}  "
            f"{'ok' if row.ok else 'FAILED'}"
            for row in self.rows
        )


class GradientMismatch(UserError, AssertionError):
    """An identity that every derivative satisfies does not hold; `report` says which."""

    def __init__(self, report: GradReport) -> None:
        self.report = report
        super().__init__(
            "RG6003",
            f"the derivatives of {report.function} disagree\n{report}",
            way_out="check custom rules first; then kinks near the arguments, `eps` and `rtol`",
        )


@shows_user_frames
def check_grads(
    f: Function,
    args: Sequence[Any],
    order: int = 2,
    modes: Sequence[str] = ("fwd", "rev"),
    *,
    rtol: float = 1e-6,
    eps: float = 1e-5,
    seed: int = 0,
    raise_on_failure: bool = True,
) -> GradReport:
    """Checks the derivatives of `f` at `args` by the four identities of this module.

    Directions are random, in every floating-point number or array; others are held fixed.

    Args:
        f: a function as for `retrograd.jit`.
        args: where its derivatives are checked.
        order: 1, or 2 for second derivatives as well.
        modes: which of "fwd" and "rev"; second derivatives need "rev".
        rtol: the accepted error, relative to the largest entry of a result.
        eps: the step of the differences, relative to the data.
        seed: of the directions.
        raise_on_failure: whether an identity that fails is an exception.

    Returns:
        A `GradReport`: for each identity the error found and what is accepted, which `print` shows.

    Raises:
        GradientMismatch: an identity fails.
        UserError: `order` or `modes` are none of these, or the function is not accepted.

    Source: the four identities are in the description of this module.

    What it cannot see: an error that only appears elsewhere (another branch, other sizes, another
    trip count); an error smaller than `rtol` of the largest entry of a result; at a kink, which of
    the possible derivatives is taken. A function whose plain Python differs from its meaning here
    (see docs/semantics.md) is reported under values although its derivative may be right.

    >>> import math, retrograd as rg
    >>> rg.check_grads(lambda x: math.sin(x) * x, (0.7,), order=1).ok
    True
    """
    if order not in (1, 2) or not modes or not set(modes) <= {"fwd", "rev"}:
        raise UserError(
            "RG6001",
            f"order {order!r} and modes {tuple(modes)!r}",
            way_out='order is 1 or 2, and modes are "fwd" and "rev"',
        )
    setting = _Setting.of(f, tuple(args), rtol, eps, seed)
    rows = list(_first_order(setting, frozenset(modes)))
    if order == 2 and "rev" in modes:
        rows += _second_order(setting, "fwd" in modes)
    rows += _unchanged(setting, frozenset(modes))
    report = GradReport(_name(f), tuple(rows))
    if raise_on_failure and not report.ok:
        raise GradientMismatch(report)
    return report


@dataclass(frozen=True, slots=True)
class _Setting:
    """A function, where it is differentiated, and in which direction."""

    f: Function
    args: tuple[Any, ...]
    argnums: tuple[int, ...]
    direction: tuple[Tree, ...]
    value: Tree
    rtol: float
    steps: tuple[float, float]
    rng: np.random.Generator

    @staticmethod
    def of(f: Function, args: tuple[Any, ...], rtol: float, eps: float, seed: int) -> _Setting:
        """Runs `f` once in plain Python and draws a direction."""
        parts = [leaves(a) for a in args]
        argnums = tuple(k for k, p in enumerate(parts) if any(map(is_float, p)))
        value = f(*copy(args))
        if not argnums or not any(map(is_float, leaves(value))):
            side = "result" if argnums else "argument"
            raise UserError(
                "RG6002",
                f"no {side} of {_name(f)} is floating-point, so there is nothing to check",
                way_out="pass 1.0 instead of 1, and float arrays; return a float",
            )
        rng = np.random.default_rng(seed)
        x_dot = tuple(direction(args[k], rng) for k in argnums)
        return _Setting(f, args, argnums, x_dot, value, rtol, (eps, eps / 2), rng)

    def tangents(self) -> tuple[Tree, ...]:
        """The direction as `jvp` takes it: zero in the arguments that are held fixed."""
        table = dict(zip(self.argnums, self.direction, strict=True))
        return tuple(
            table[k] if k in table else map_tree(zero_tangent, a) for k, a in enumerate(self.args)
        )

    def moved(self, step: float) -> tuple[Any, ...]:
        """The arguments, moved by `step` along the direction."""

        def move(x: Any, x_dot: Any) -> Any:
            return x + step * x_dot if is_float(x) else x

        args = list(copy(self.args))
        for k, d in zip(self.argnums, self.direction, strict=True):
            args[k] = map_tree(move, args[k], d)
        return tuple(args)

    def quotients(self, f: Function) -> Iterator[Vector]:
        """The central differences of `f` along the direction, one for each step size."""
        for step in self.steps:
            ahead, behind = flat(f(*self.moved(step))), flat(f(*self.moved(-step)))
            yield (ahead - behind) / (2 * step)


def _first_order(s: _Setting, modes: frozenset[str]) -> Iterator[Identity]:
    """Identities 1 and 2; with one mode only, that mode against the central difference."""
    quotients = list(s.quotients(jit(s.f)))
    size = magnitude(flat(s.value))
    y_dot: Vector | None = None
    if "fwd" in modes:
        y_dot = flat(jvp(s.f, s.args, s.tangents())[1], like=s.value)
        for step, quotient in zip(s.steps, quotients, strict=True):
            name = f"tangent = difference, step {step:.0e}"
            yield Identity(name, relative(y_dot, quotient, 1e-4 * size), s.rtol)
    if "rev" in modes:
        y_bar = cotangent(s.value, s.rng)
        x_bar = vjp(s.f, *s.args)[1](y_bar)
        pulled = inner([x_bar[k] for k in s.argnums], s.direction)
        weights = flat(y_bar, like=s.value)
        if y_dot is not None:
            pushed = weights * y_dot
            name, accepted = "<y_bar, J x_dot> = <J^T y_bar, x_dot>", ROUNDING
            yield Identity(name, relative_sum(pushed, pulled), accepted)
        else:
            for step, quotient in zip(s.steps, quotients, strict=True):
                name = f"pullback = difference, step {step:.0e}"
                error = relative_sum(weights * quotient, pulled, 1e-4 * size)
                yield Identity(name, error, s.rtol)


def _second_order(s: _Setting, forward: bool) -> Iterator[Identity]:
    """Identity 3, on a random combination of the results."""
    gradient = grad(_scalarised(s), argnums=s.argnums)
    size = magnitude(flat(gradient(*copy(s.args))))
    quotients = list(s.quotients(gradient))
    pulled = vjp(gradient, *s.args)[1](s.direction)
    backward = flat(tuple(pulled[k] for k in s.argnums))
    if not forward:
        for step, quotient in zip(s.steps, quotients, strict=True):
            name = f"reverse over reverse = difference, step {step:.0e}"
            yield Identity(name, relative(backward, quotient, 1e-4 * size), s.rtol)
        return
    pushed = flat(jvp(gradient, s.args, s.tangents())[1])
    for step, quotient in zip(s.steps, quotients, strict=True):
        name = f"forward over reverse = difference, step {step:.0e}"
        yield Identity(name, relative(pushed, quotient, 1e-4 * size), s.rtol)
    name = "reverse over reverse = forward over reverse"
    yield Identity(name, relative(backward, pushed, 1e-4 * size), 10 * ROUNDING)


def _unchanged(s: _Setting, modes: frozenset[str]) -> Iterator[Identity]:
    """Identity 4: values against plain Python, and the bits of the arguments."""
    before = [bits(x) for x in leaves(s.args)]
    values = [jit(s.f)(*copy(s.args))]
    if "fwd" in modes:
        values.append(jvp(s.f, s.args, s.tangents())[0])
    if "rev" in modes:
        y, pullback = vjp(s.f, *s.args)
        pullback(cotangent(y, s.rng))
        values.append(y)
    plain = flat(s.value, floats_only=False)
    errors = [relative(flat(v, floats_only=False), plain) for v in values]
    yield Identity("values are those of plain Python", float(np.max(errors)), VALUE)
    changed = sum(bits(x) != b for x, b in zip(leaves(s.args), before, strict=True))
    yield Identity("arguments keep their bits", float(changed), 0.0)


def _scalarised(s: _Setting) -> Function:
    """A function of the same arguments whose result is a random combination of the results of `f`.

    It is made as source text, because its number of arguments is that of `f` and because retrograd
    reads the source of what it compiles.
    """
    places = zip(paths(s.value, "y"), leaves(s.value), strict=True)
    used = [(path, leaf) for path, leaf in places if is_float(leaf)]
    if [path for path, _ in used] == ["y"] and np.ndim(s.value) == 0:
        return s.f
    scope: dict[str, Any] = {"f": s.f, "np": np}
    terms: list[str] = []
    for k, (path, leaf) in enumerate(used):
        scope[f"w{k}"] = cotangent(leaf, s.rng)
        terms.append(f"np.sum(w{k} * {path})" if np.ndim(leaf) else f"w{k} * {path}")
    names = ", ".join(f"a{k}" for k in range(len(s.args)))
    total = " + ".join(terms)
    text = f"def scalarised({names}):\n    y = f({names})\n    return {total}\n"
    file = f"<scalarised {_name(s.f)}({names}): {total}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    exec(compile(text, file, "exec"), scope)
    return scope["scalarised"]


def _name(f: Function) -> str:
    return getattr(f, "__name__", type(f).__name__)
