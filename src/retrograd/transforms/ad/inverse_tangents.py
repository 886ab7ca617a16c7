"""The tangents of functions with inverses, which have inverses again.

With F the function and A its adjoint, the derivative `jvp F` changes what F changes, and its
tangents. The adjoint of that is `jvp A` with two roles swapped. In `jvp F` the cotangent of x_dot
goes back as that of x does in F, so it takes the place of the cotangent in A; that of x is its
derivative in the direction of x_dot, plus what the cotangent of x itself gives, in which A is
linear. So the cotangents of x are the tangents there. `jvp A` restores x and, as the tangent of
that, x_dot.
"""

from __future__ import annotations

from collections.abc import Sequence

from retrograd.ir.build import Builder
from retrograd.ir.terms import Atom, Call, CustomRule, Function, Var
from retrograd.ir.types import Type

__all__ = ["adjoint_of_tangents", "changed_with_tangents", "with_changed"]


def with_changed(
    params: Sequence[Type], active: tuple[bool, ...], changed: Sequence[int]
) -> tuple[bool, ...]:
    """The parameters that have tangents where `active` do: floats that change as well."""
    return tuple(on or (k in changed and t.is_float)
                 for k, (t, on) in enumerate(zip(params, active, strict=True)))  # fmt: skip


def changed_with_tangents(
    params: Sequence[Type], active: tuple[bool, ...], changed: Sequence[int]
) -> tuple[int, ...]:
    """The parameters that `jvp F` changes, of the parameters of F and their tangents."""
    if not changed or active != with_changed(params, active, changed):
        return ()
    present = [k for k, on in enumerate(active) if on]
    tangents = (len(params) + present.index(k) for k in changed if params[k].is_float)
    return (*changed, *tangents)


def adjoint_of_tangents(
    source: Function, rule: CustomRule, active: tuple[bool, ...], lifted: str, b: Builder
) -> Function:
    """The adjoint of `jvp F`.

    Args:
        source: F.
        rule: its rule.
        active: which of its parameters have tangents.
        lifted: the name of `jvp A`, with tangents for these parameters and for all cotangents.
        b: a builder for it.
    """
    params = source.params
    floats = [k for k, p in enumerate(params) if p.type.is_float]
    values = tuple(b.names.var(p.name, p.type) for p in params)

    def fresh(hint: str) -> dict[int, Var]:
        return {k: b.names.var(hint, params[k].type) for k in floats}

    dots = {k: dot for k, dot in fresh("dot").items() if active[k]}
    bars = fresh("bar")
    dot_bars = {k: bar for k, bar in fresh("dot_bar").items() if active[k]}
    seeds = [dot_bars[k] if active[k] else b.zeros_like(values[k]) for k in floats]
    changed = [params[k].type for k in rule.changed]
    restored = [t for t in changed if t.is_float]
    types = [*changed, *(params[k].type for k in floats)]
    types += [*restored, *(params[k].type for k in floats)]
    given: tuple[Atom, ...] = (*values, *seeds, *dots.values(), *bars.values())
    outs = b.bind(Call(lifted, given), types)
    first, second = len(changed), len(changed) + len(floats)
    third = second + len(restored)
    back = [out for k, out in zip(floats, outs[first:second], strict=True) if active[k]]
    results = (*outs[:first], *outs[second:third], *outs[third:], *back)
    taken = (*values, *dots.values(), *bars.values(), *dot_bars.values())
    name = b.names.name(f"{lifted}_swapped")
    return Function(name, taken, b.block(results), prov=b.prov)
