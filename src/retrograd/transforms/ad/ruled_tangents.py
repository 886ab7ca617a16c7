"""Forward mode of functions with rules of their own, by those rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from retrograd.errors import Limitation, Span
from retrograd.ir.build import Builder
from retrograd.ir.names import NameSupply
from retrograd.ir.terms import Atom, Call, CustomRule, Function, Prov, Var, Vjp
from retrograd.ir.types import Type
from retrograd.prims.core import PrimitiveSet
from retrograd.transforms.ad.inverse_tangents import adjoint_of_tangents, with_changed
from retrograd.transforms.analysis.linearity import is_linear

__all__ = ["Forward", "dot_hint", "rule_of_tangents", "tangents_by_rule"]

Active = tuple[bool, ...]


class Forward(Protocol):
    """The derivative functions of a program, as far as they are made (`jvp`)."""

    @property
    def names(self) -> NameSupply: ...
    @property
    def prims(self) -> PrimitiveSet: ...
    @property
    def table(self) -> Mapping[str, Function]: ...

    def builder(self, prov: Prov) -> Builder: ...
    def request(self, name: str, active: Active, span: Span | None) -> str: ...
    def results(self, name: str) -> tuple[Type, ...]: ...
    def copying_call(self, b: Builder, name: str, args: Sequence[Atom]) -> Call: ...
    def add(self, function: Function) -> None: ...


def tangents_by_rule(
    forward: Forward, source: Function, rule: CustomRule, active: Active, new: str
) -> Function:
    """The derivative of a function with a rule, named `new`.

    A function with an inverse has others for changed floats without tangents only: zeros are
    passed to the one that has all of them.
    """
    if rule.pullback is not None:
        return _transposed(forward, source, rule.rule, rule.pullback, active, new)
    if rule.kind == "inverse":
        every = with_changed([p.type for p in source.params], active, rule.changed)
        called = forward.request(source.name, every, source.prov.span)
    else:
        every, called = tuple(p.type.is_float for p in source.params), rule.rule
    b = forward.builder(source.prov.through("jvp"))
    dots = _dots(forward, source, active)
    passed = [dots[p] if p in dots else b.zeros_like(p)
              for p, on in zip(source.params, every, strict=True) if on]  # fmt: skip
    outs = b.bind(Call(called, (*source.params, *passed)), forward.results(new))
    return Function(new, (*source.params, *dots.values()), b.block(outs), prov=b.prov)


def rule_of_tangents(
    forward: Forward, source: Function, rule: CustomRule, active: Active, changed: tuple[int, ...]
) -> CustomRule:
    """The rule of the derivative of a function with an inverse, of which `changed` are changed."""
    b = forward.builder(source.prov.through("jvp"))
    floats = sum(p.type.is_float for p in source.params)
    lifted = forward.request(rule.rule, (*active, *(True,) * floats), source.prov.span)
    adjoint = adjoint_of_tangents(source, rule, active, lifted, b)
    forward.add(adjoint)
    return CustomRule("inverse", adjoint.name, None, changed, rule.atol)


def _dots(forward: Forward, source: Function, active: Active) -> dict[Var, Var]:
    return {p: forward.names.var(dot_hint(p), p.type)
            for p, on in zip(source.params, active, strict=True) if on}  # fmt: skip


def dot_hint(var: Var) -> str:
    """`x_3` -> `x_dot`."""
    head, _, tail = var.name.rpartition("_")
    return f"{head if head and tail.isdigit() else var.name}_dot"


def _transposed(
    forward: Forward, source: Function, rule: str, pullback: str, active: Active, new: str
) -> Function:
    """Forward mode by a pullback that is linear in its cotangents: their pullback, at zero."""
    b = forward.builder(source.prov.through("jvp"))
    outs = b.bind(forward.copying_call(b, rule, source.params), forward.results(rule))
    values, kept = outs[: len(source.result_types)], outs[len(source.result_types) :]
    bars = [b.zeros_like(value) for value in values if value.type.is_float]
    wrt = tuple(range(len(kept), len(kept) + len(bars)))
    if not is_linear(forward.table, pullback, wrt, forward.prims):
        raise Limitation(
            "RG2101",
            f"forward mode through the custom_vjp rule {pullback!r}, which is not linear",
            source.prov.span,
            "differentiate once, in reverse mode (grad, vjp), or give a custom_jvp rule",
        )
    floats = [p for p in source.params if p.type.is_float]
    dots = _dots(forward, source, active)
    node = Vjp(pullback, (*kept, *bars), tuple(dots.get(p) for p in floats), wrt)
    types = [*(p.type for p in floats), *(bar.type for bar in bars)]
    found = b.bind(node, types, "dot")[len(floats) :]
    params = (*source.params, *dots.values())
    return Function(new, params, b.block((*values, *found)), prov=b.prov)
