"""`vjp` inside programs: the value, and a pullback that is a function value.

A pullback holds copies of the arguments, as they were, and the extents of the results, which its
cotangents are checked against. Each call of it is a `Vjp` node.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from retrograd.frontend.derivatives.intrinsics import jvp, pair_of, rebuild, target, way_of
from retrograd.frontend.derivatives.leaves import copied, like, no_objects
from retrograd.frontend.derivatives.loud import say_first
from retrograd.frontend.identity.flattening import leaf_types
from retrograd.frontend.identity.specs import ArgSpec, DictSpec, LeafSpec, TupleSpec
from retrograd.frontend.library.args import flag
from retrograd.frontend.values.arrays import value_atom
from retrograd.frontend.values.kinds import (
    NONE,
    Scalar,
    Static,
    Transform,
    TupleValue,
    Value,
    describe,
    parts,
)  # fmt: skip
from retrograd.frontend.values.tracer import Tracer
from retrograd.frontend.values.trees import aligned
from retrograd.ir.terms import Atom, Vjp
from retrograd.options.checkpointing import policy_name

__all__ = ["apply_linear", "apply_pullback", "cotangents", "linearize", "vjp"]


def _valued(t: Tracer, args: Sequence[Value]) -> tuple[Value, list[Atom], Value, TupleValue]:
    """The value of a function and its leaves, the function, and its arguments as they are now."""
    fun, *primals = args
    no_objects(t, primals)
    kept = TupleValue(tuple(copied(t, value) for value in primals))
    found = target(t, fun, primals)
    results = found.pure.function.result_types
    say_first(t, found.name, found.atoms)
    node = Vjp(found.name, found.atoms, (None,) * len(results), ())
    outs: list[Atom] = list(t.b.bind(node, results, "y"))
    return rebuild(t, found.pure.output, list(outs)), outs, fun, kept


def vjp(t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    """The handler of `vjp(fun, *primals)`: the pair of value and pullback."""
    if not args or kwargs.keys() - {"has_aux", "memory", "checkpointing"}:
        raise t.error(
            "RG0115",
            "vjp takes a function and its arguments, by position",
            "write y, pullback = rg.vjp(f, x, y)",
        )
    y, outs, fun, kept = _valued(t, args)
    sizes: list[Value] = [
        Scalar(t.prim("dim", out, axis=axis)) for out in outs for axis in range(out.type.rank)
    ]
    way = way_of(t, kwargs.get("memory"), kwargs.get("checkpointing"))
    aux = flag(t, kwargs.get("has_aux"), "has_aux")
    pullback = Transform("pullback", TupleValue((fun, kept, *sizes)), has_aux=aux, way=way)
    if not aux:
        return TupleValue((y, pullback))
    first, rest = pair_of(t, y)
    return TupleValue((first, pullback, rest))


def linearize(t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    """The handler of `linearize(fun, *primals)`: the pair of value and derivative."""
    if not args or kwargs:
        raise t.error(
            "RG0115",
            "linearize takes a function and its arguments, by position",
            "write y, f_dot = rg.linearize(f, x, y)",
        )
    y, _, fun, kept = _valued(t, args)
    return TupleValue((y, Transform("linear", TupleValue((fun, kept)))))


def apply_linear(t: Tracer, linear: Transform, args: Sequence[Value]) -> Value:
    """A call of what `linearize` has made: the tangent of the result."""
    fun, kept = parts(linear.fun)
    return parts(jvp(t, (fun, kept, TupleValue(tuple(args))), {}))[1]


def apply_pullback(t: Tracer, pullback: Transform, args: Sequence[Value]) -> Value:
    """A call of a pullback: the cotangents of the arguments, None for what is no float."""
    fun, kept, *sizes = parts(pullback.fun)
    if len(args) != 1:
        raise t.error(
            "RG0115",
            "a pullback takes one argument, the cotangent of the result",
            "write pullback(y_bar); of several results, pullback((a_bar, b_bar))",
        )
    found = target(t, fun, parts(kept))
    extents = iter([size.atom for size in sizes if isinstance(size, Scalar)])
    output, cotangent = found.pure.output, args[0]
    if pullback.has_aux:
        assert isinstance(output, TupleSpec)
        bars = [*_bars(t, output.items[0], cotangent, extents)]
        bars += [None] * len(list(leaf_types(output.items[1])))
    else:
        bars = [*_bars(t, output, cotangent, extents)]
    wrt = tuple(k for own in found.leaves for k in own if found.atoms[k].type.is_float)
    results = found.pure.function.result_types
    node = Vjp(found.name, found.atoms, tuple(bars), wrt, policy_name(pullback.way))
    outs = t.b.bind(node, [*results, *(found.atoms[k].type for k in wrt)], "bar")
    return _gradients(
        t, found.leaves, parts(kept), dict(zip(wrt, outs[len(results) :], strict=True))
    )


def cotangents(t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    """The handler of `cotangents(fun, primals, bar)` in generated text: those of the arguments.

    Unlike a pullback it is of the arguments as they are now, so that nothing is copied, and its
    cotangent has the shape of the result.
    """
    fun, primals, bar = args
    given = parts(primals)
    found = target(t, fun, given)
    bars = [*_fitting(t, found.pure.output, bar)]
    wrt = tuple(k for own in found.leaves for k in own if found.atoms[k].type.is_float)
    results = found.pure.function.result_types
    node = Vjp(found.name, found.atoms, tuple(bars), wrt)
    outs = t.b.bind(node, [*results, *(found.atoms[k].type for k in wrt)], "bar")
    return _gradients(t, found.leaves, given, dict(zip(wrt, outs[len(results) :], strict=True)))


def _gradients(
    t: Tracer, leaves: Sequence[Sequence[int]], given: Sequence[Value], bars: Mapping[int, Atom]
) -> TupleValue:
    """The gradients of arguments, of which each has leaves at these positions."""
    own = [iter([bars[k] for k in positions if k in bars]) for positions in leaves]
    return TupleValue(tuple(like(t, v, atoms) for v, atoms in zip(given, own, strict=True)))


def _fitting(t: Tracer, spec: ArgSpec, value: Value) -> Iterator[Atom | None]:
    """The cotangents of a result's leaves, which are as they have to be; None for none."""
    match spec:
        case LeafSpec():
            none = isinstance(value, Static) and value.obj is None
            yield None if none or not spec.type.is_float else value_atom(t, value, "a cotangent")
        case TupleSpec() | DictSpec():
            items = aligned(value, spec)
            for inner, item in zip(spec.items, items or [NONE] * len(spec.items), strict=True):
                yield from _fitting(t, inner, item)
        case _:
            pass


def _bars(t: Tracer, spec: ArgSpec, value: Value, extents: Iterator[Atom]) -> Iterator[Atom | None]:
    """The cotangents of a result's leaves, of the right types and shapes."""
    match spec:
        case LeafSpec():
            dims = [next(extents) for _ in range(spec.type.rank)]
            if not spec.type.is_float:
                yield None
                return
            atom = value_atom(t, value, "a cotangent")
            if atom.type != spec.type:
                raise t.error(
                    "RG0115", f"the cotangent is {describe(value)} and belongs to {spec.type}",
                    "give it the type and shape of the result",
                )  # fmt: skip
            for axis, size in enumerate(dims):
                same = t.prim("eq", t.prim("dim", atom, axis=axis), size)
                t.check(same, "ValueError", "the cotangent has another shape than the result")
            yield atom
        case TupleSpec() | DictSpec():
            items = aligned(value, spec)
            if items is None:
                raise t.error(
                    "RG0115",
                    "the cotangent is not structured like the result",
                    "give it the structure of what f returns",
                )
            for inner, item in zip(spec.items, items, strict=True):
                yield from _bars(t, inner, item, extents)
        case _:
            pass
