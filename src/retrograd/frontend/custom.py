"""Calls of functions that bring their own derivative rule (`custom_jvp`, `custom_vjp`).

Function, rule and pullback become functions of the program with the parameters that the language
asks for: the arguments, and the hidden arguments of all three, which get no derivative.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count

from retrograd.frontend.arrays import value_atom
from retrograd.frontend.core import Hidden, HiddenKey, NeedHidden, Tracer
from retrograd.frontend.functions import Callee, callee_of, defaults_of, match_arguments
from retrograd.frontend.intrinsics import rebuild, separate
from retrograd.frontend.pack import Packer
from retrograd.frontend.pure import Pure, flat_results, pure_function
from retrograd.frontend.scalars import convert
from retrograd.frontend.scopes import abstract_of_spec
from retrograd.frontend.specialise import Request
from retrograd.frontend.specs import ArgSpec, LeafSpec, StaticSpec, TupleSpec, leaf_types
from retrograd.frontend.transformed import CustomDerivative
from retrograd.frontend.values import (
    NONE,
    ArrayRef,
    Scalar,
    Static,
    TupleValue,
    Value,
    describe,
    hole,
    parts,
    with_parts,
)  # fmt: skip
from retrograd.ir.terms import Atom, Call, CustomRule
from retrograd.ir.types import Type

__all__ = ["call_custom"]


@dataclass(frozen=True, slots=True)
class Packed:
    """The common parameters of function and rule: arguments, then hidden ones; `atoms` go there."""

    request: Request
    atoms: tuple[Atom, ...]

    @property
    def types(self) -> list[Type]:
        return [atom.type for atom in self.atoms]

    def floats(self) -> TupleValue:
        """Abstract values of the float parameters, for the tangents."""
        numbers = count(10**6)
        found = [
            Scalar(hole(type_)) if type_.is_scalar else ArrayRef(next(numbers), type_)
            for type_ in self.types
            if type_.is_float
        ]
        return TupleValue(tuple(found))


def call_custom(
    t: Tracer, made: CustomDerivative, args: Sequence[Value], kwargs: Mapping[str, Value]
) -> Value:
    """The value of a call, with the rule attached to the called function."""
    callee = callee_of(t, Static(made.fun))
    functions = [made.fun, made.rule, *([made.pullback] if made.kind == "vjp" else [])]
    if any(f is None for f in functions):
        way_out = "define it with `.defjvp(rule)`, or `.defvjp(fwd, bwd)`, before the first call"
        raise t.error("RG0115", f"{made.__name__!r} has no derivative rule yet", way_out)
    for name in ("fun", "rule", "pullback"):
        t.ctx.guard(getattr(made, name), "attribute", made, name)
    given = match_arguments(t, callee, args, kwargs)
    given.update(defaults_of(t, callee, given))
    order = [a.arg for a in (*callee.source.node.args.posonlyargs, *callee.source.node.args.args)]
    values = [given[name] for name in order if name in given]
    before = set(t.state.arrays)
    whole = [separate(t, value) for value in values]
    funs = TupleValue(tuple(Static(f) for f in functions))
    needs: dict[HiddenKey, Hidden] = {}
    while True:
        packed = _packed(t, callee, funs, whole, needs)
        pending = len(t.ctx.pending)
        try:
            pure = _function(t, made, packed)
        except NeedHidden as need:
            del t.ctx.pending[pending:]
            needs[need.hidden.key] = need.hidden
            continue
        break
    for loc in set(t.state.arrays) - before:
        del t.state.arrays[loc]
    outs = t.b.bind(Call(pure.function.name, packed.atoms), pure.function.result_types)
    return rebuild(t, pure.output, list(outs))


def _packed(
    t: Tracer, callee: Callee, funs: Value, args: Sequence[Value], needs: dict[HiddenKey, Hidden]
) -> Packed:
    packer = Packer(t)
    fixed = packer.pack(funs)
    values = tuple(packer.pack(value) for value in args)
    hidden: list[tuple[Hidden, Value]] = []
    for need in needs.values():
        if need.key not in t.frame.hidden:
            raise NeedHidden(need)
        hidden.append((need, packer.pack(t.frame.hidden[need.key])))
    names = tuple(str(k) for k in range(len(values)))
    contents = tuple(packer.contents)
    request = Request(callee, names, fixed, values, contents, tuple(hidden))
    return Packed(request, tuple(packer.atoms))


def _part(fun: Value, position: int) -> Value:
    return parts(fun)[position]


def _function(t: Tracer, made: CustomDerivative, packed: Packed) -> Pure:
    """Translates the function, its rule and its pullback."""
    ctx = t.ctx
    name = ctx.names.name(made.__name__)

    def run(inner: Tracer, fun: Value, args: tuple[Value, ...], _: Value) -> Value:
        return inner.call(_part(fun, 0), args, {})

    plain = pure_function(ctx, name, replace(packed.request, run=run), write_back=False)
    if plain.written:
        way_out = "take a copy in it: x.copy()"
        raise t.error("RG0115", f"{made.__name__!r}, which has a rule, writes an argument", way_out)
    if made.kind == "jvp":
        rule = CustomRule("jvp", _jvp_rule(t, made, packed, plain))
    else:
        forward, spec = _forward_rule(t, made, packed, plain)
        rule = CustomRule("vjp", forward, _pullback(t, made, packed, plain, spec))
    function = replace(plain.function, custom=rule)
    ctx.functions[name] = function
    return replace(plain, function=function)


def _split(made: CustomDerivative, args: Sequence[Value]) -> tuple[list[Value], list[Value]]:
    """The arguments that are never differentiated, and the others."""
    fixed = {k % len(args) for k in made.nondiff_argnums} if args else set[int]()
    nondiff = [value for k, value in enumerate(args) if k in fixed]
    return nondiff, [value for k, value in enumerate(args) if k not in fixed]


def _tangent_tree(value: Value, tangents: list[Value]) -> Value:
    """Tangents structured like `value`, from the front of `tangents`; None where there are none."""
    match value:
        case Scalar() | ArrayRef():
            return tangents.pop(0) if value.type.is_float else NONE
        case _:
            return with_parts(value, tuple(_tangent_tree(p, tangents) for p in parts(value)))


def _jvp_rule(t: Tracer, made: CustomDerivative, packed: Packed, plain: Pure) -> str:
    def run(inner: Tracer, fun: Value, args: tuple[Value, ...], extra: Value) -> Value:
        tangents = list(parts(extra))
        trees = tuple(_tangent_tree(value, tangents) for value in args)
        nondiff, primals = _split(made, args)
        _, dots = _split(made, trees)
        pair = inner.call(
            _part(fun, 1), (*nondiff, TupleValue(tuple(primals)), TupleValue(tuple(dots))), {}
        )
        value, dot = _pair(inner, made, pair, "result and tangent")
        atoms = _results(inner, made, plain.output, value)
        return TupleValue((atoms, TupleValue(tuple(_wanted(inner, plain.output, dot)))))

    name = t.ctx.names.name(f"{made.__name__}_jvp")
    request = replace(packed.request, run=run, extra=packed.floats())
    pure_function(t.ctx, name, request, write_back=False)
    return name


def _pair(t: Tracer, made: CustomDerivative, value: Value, what: str) -> tuple[Value, Value]:
    items = parts(value)
    if isinstance(value, TupleValue) and len(items) == 2:
        return items[0], items[1]
    raise t.error("RG0115", f"the rule of {made.__name__!r} must return {what}", "return a pair")


def _results(t: Tracer, made: CustomDerivative, output: ArgSpec, value: Value) -> Value:
    """The results that the rule computes, checked against the function's."""
    atoms: list[Atom] = []
    spec = flat_results(t, value, atoms, set())
    if spec != output:
        raise t.error(
            "RG0115", f"the rule of {made.__name__!r} does not return what the function returns",
            "return results of the same kind",
        )  # fmt: skip
    return rebuild(t, spec, atoms)


def _wanted(t: Tracer, spec: ArgSpec, value: Value) -> list[Value]:
    """The tangents (or cotangents) of the float leaves of a spec, checked."""
    match spec:
        case LeafSpec() if not spec.type.is_float:
            return []
        case LeafSpec():
            if not isinstance(value, Scalar | ArrayRef) or value.type.rank != spec.type.rank:
                raise t.error(
                    "RG0115", f"the derivative {describe(value)} belongs to {_kind(spec)}",
                    "return one of the same type and shape",
                )  # fmt: skip
            return [t.new(convert(t, value_atom(t, value), spec.type))]
        case TupleSpec():
            items = parts(value)
            if len(items) != len(spec.items):
                raise t.error("RG0115", "the derivative is not structured like the result")
            pairs = zip(spec.items, items, strict=True)
            return [atom for s, v in pairs for atom in _wanted(t, s, v)]
        case StaticSpec():
            return []


def _kind(spec: LeafSpec) -> str:
    return describe(Scalar(hole(spec.type)) if spec.type.is_scalar else ArrayRef(0, spec.type))


def _forward_rule(
    t: Tracer, made: CustomDerivative, packed: Packed, plain: Pure
) -> tuple[str, ArgSpec]:
    """`rule(*params) -> (*results, *residuals, *args, *hidden)`."""
    spec: list[ArgSpec] = []

    def run(inner: Tracer, fun: Value, args: tuple[Value, ...], _: Value) -> Value:
        pair = inner.call(_part(fun, 1), args, {})
        value, residuals = _pair(inner, made, pair, "result and residuals")
        results = _results(inner, made, plain.output, value)
        atoms: list[Atom] = []
        spec[:] = [flat_results(inner, residuals, atoms, set())]
        kept = rebuild(inner, spec[0], atoms)
        hidden = TupleValue(tuple(inner.frame.hidden.values()))
        return TupleValue((results, kept, TupleValue(args), hidden))

    name = t.ctx.names.name(f"{made.__name__}_fwd")
    pure_function(t.ctx, name, replace(packed.request, run=run), write_back=False)
    return name, spec[0]


def _pullback(t: Tracer, made: CustomDerivative, packed: Packed, plain: Pure, spec: ArgSpec) -> str:
    """`pullback(*residuals, *args, *hidden, *cotangents)` gives the bar of each float parameter."""
    base = packed.request
    numbers = count(2 * 10**6)
    kept = abstract_of_spec(t.ctx, spec, numbers)
    bars = [LeafSpec(type_) for type_ in leaf_types(plain.output) if type_.is_float]
    extra = abstract_of_spec(t.ctx, TupleSpec(tuple(bars)), numbers)

    def run(inner: Tracer, fun: Value, args: tuple[Value, ...], extra: Value) -> Value:
        residuals, own = args[0], args[1:]
        nondiff, primals = _split(made, own)
        given = list(parts(extra))
        y_bar = _bar_tree(plain.output, given)
        found = inner.call(_part(fun, 2), (*nondiff, residuals, y_bar), {})
        items = parts(found)
        if not isinstance(found, TupleValue) or len(items) != len(primals):
            raise inner.error(
                "RG0115", f"the pullback of {made.__name__!r} must return a tuple with one "
                f"cotangent for each of {len(primals)} arguments", "return a tuple",
            )  # fmt: skip
        by_position = iter(items)
        fixed = {k % len(own) for k in made.nondiff_argnums} if own else set[int]()
        chosen = [NONE if k in fixed else next(by_position) for k in range(len(own))]
        bars_ = [b for a, v in zip(own, chosen, strict=True) for b in _bars(inner, a, v)]
        hidden = [b for v in inner.frame.hidden.values() for b in _bars(inner, v, NONE)]
        return TupleValue((*bars_, *hidden))

    name = t.ctx.names.name(f"{made.__name__}_bwd")
    names = ("residuals", *base.names)
    request = replace(base, run=run, names=names, values=(kept, *base.values), extra=extra)
    pure_function(t.ctx, name, request, write_back=False)
    return name


def _bar_tree(spec: ArgSpec, bars: list[Value]) -> Value:
    match spec:
        case LeafSpec():
            return bars.pop(0) if spec.type.is_float else NONE
        case TupleSpec():
            return TupleValue(tuple(_bar_tree(s, bars) for s in spec.items), spec.cls)
        case StaticSpec():
            return Static(spec.obj)


def _bars(t: Tracer, value: Value, bar: Value) -> list[Value]:
    """The cotangents of the float leaves of an argument; zeros where the rule gives None."""
    if isinstance(value, Scalar | ArrayRef):
        if not value.type.is_float:
            return []
        if bar == NONE:
            return [t.new(t.b.zeros_like(value_atom(t, value)))]
        return _wanted(t, LeafSpec(value.type), bar)
    items = parts(value)
    bars = parts(bar) if bar != NONE else (NONE,) * len(items)
    if len(bars) != len(items):
        raise t.error("RG0115", "the cotangent is not structured like the argument")
    return [b for v, c in zip(items, bars, strict=True) for b in _bars(t, v, c)]
