"""Calls of functions with a derivative rule of the user's (`custom_jvp`, `custom_vjp`).

Such a function becomes a function of the program, called by value: its parameters are the leaves of
its arguments, then the hidden arguments that it or its rule reads. The functions of its
`CustomRule` are wrappers around the user's: they put the arguments together, check that what comes
back fits, and flatten it. What a pullback reads that is hidden becomes a residual.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import FunctionType

from retrograd.errors import Span
from retrograd.frontend.derivatives.fitting import float_types, nothing, tangent_tree, tree_like
from retrograd.frontend.derivatives.intrinsics import rebuild, stopped
from retrograd.frontend.derivatives.leaves import separate
from retrograd.frontend.derivatives.results import Results
from retrograd.frontend.derivatives.wrappers import Inputs, Wrapper, leaves_of
from retrograd.frontend.identity.flattening import leaf_types
from retrograd.frontend.identity.specs import ArgSpec
from retrograd.frontend.identity.transformed import Ruled
from retrograd.frontend.syntax.functions import bind_arguments, callee_of, is_ours
from retrograd.frontend.syntax.specialise import Spec
from retrograd.frontend.syntax.trial import forget
from retrograd.frontend.values.complexes import is_about_complex
from retrograd.frontend.values.freezing import thawed
from retrograd.frontend.values.kinds import (
    ArrayRef,
    DictValue,
    Scalar,
    Static,
    TupleValue,
    Value,
)
from retrograd.frontend.values.object_rows import must_be_read
from retrograd.frontend.values.pack import Packer
from retrograd.frontend.values.rivals import keep_apart
from retrograd.frontend.values.tracer import (
    Context,
    Hidden,
    HiddenKey,
    NeedHidden,
    PathEnds,
    Tracer,
)
from retrograd.frontend.values.trees import opened
from retrograd.ir.terms import Atom, Call, CustomRule
from retrograd.ir.types import Type

__all__ = ["Plain", "call_ruled"]


Pairs = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Known:
    """What callers need of a translated function with a rule.

    `shared` are results (by leaf) that in Python are an argument's own array (by packed location);
    `uses` as in `specialise`. `apart` are the arguments, by packed location, that may not be one
    array (see `Frame`). `done`: what is given up is removed here, and not by `trial`.
    """

    name: str
    output: ArgSpec
    shared: tuple[tuple[int, int], ...]
    apart: tuple[tuple[int, int], ...]
    uses: set[object]
    done: bool = True


@dataclass(slots=True)
class Plain:
    """Stands for what is known of a function with a rule where calls are of the function itself."""

    uses: set[object] = field(default_factory=set[object])
    consulted: bool = False
    done: bool = True


def call_ruled(t: Tracer, fun: Ruled, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    """A call of a function with a rule."""
    given = [opened(t, value) for value in _positional(t, fun, args, kwargs)]
    ctx, before = t.ctx, set(t.state.arrays)
    own = [
        separate(t, stopped(t, value) if k in fun.nondiff else value)
        for k, value in enumerate(given)
    ]
    original = _originals(own, given)
    while True:
        packer = Packer(t)
        values = tuple(packer.pack(value) for value in own)
        contents = tuple(packer.contents)
        _no_captures(t, fun, (*(v for v in values if _is_function(v)), *contents))
        base = (fun, values, contents)
        needs = ctx.needs.get(base, {})
        hidden = tuple((h, packer.pack(_hidden(t, h))) for h in needs.values())
        inputs = Inputs(values, contents, hidden, _place(t, fun))
        key = (base, tuple((h.key, value) for h, value in hidden))
        try:
            known = ctx.specs[key] if key in ctx.specs else _translate(ctx, fun, key, inputs)
        except NeedHidden as need:
            ctx.needs.setdefault(base, {})[need.hidden.key] = need.hidden
            continue
        break
    for loc in set(t.state.arrays) - before:
        del t.state.arrays[loc]
    if not isinstance(known, Known):
        if isinstance(known, Plain):
            known.consulted = True
        return t.call(Static(fun.fun), [thawed(t, value) for value in given], {})
    if ctx.stack:
        ctx.stack[-1].uses |= known.uses
    before_packing = {number: original.get(loc, loc) for loc, number in packer.locs.items()}
    for one, other in known.apart:
        keep_apart(t, before_packing[one], before_packing[other])
    outs = t.b.bind(Call(known.name, tuple(packer.atoms)), list(leaf_types(known.output)))
    value = rebuild(t, known.output, list(outs))
    _link(t, known, before_packing, value)
    return thawed(t, value)


def _place(t: Tracer, fun: Ruled) -> Span | None:
    """The line that calls a function of ours: what happens in that is said of it."""
    ours = isinstance(fun.fun, FunctionType) and is_ours(fun.fun)
    return replace(t.span, shared=True) if ours and t.span is not None else None


def _originals(own: Sequence[Value], given: Sequence[Value]) -> dict[int, int]:
    """The locations of the caller's arrays, by those that they have been given for the call."""
    pairs = zip(
        (leaf for v in own for leaf in leaves_of(v)),
        (leaf for v in given for leaf in leaves_of(v)),
        strict=True,
    )
    return {a.loc: b.loc for a, b in pairs if isinstance(a, ArrayRef) and isinstance(b, ArrayRef)}


def _positional(
    t: Tracer, fun: Ruled, args: Sequence[Value], kwargs: Mapping[str, Value]
) -> list[Value]:
    """The arguments by position, defaults included."""
    if fun.rule is None:
        raise t.error(
            "RG0306", f"{fun.__name__!r} has no derivative rule yet", f"add one with def{fun.kind}"
        )
    callee = callee_of(t, Static(fun.fun))
    bound = bind_arguments(t, callee, args, kwargs)
    spec = callee.source.node.args
    if spec.kwonlyargs:
        raise t.error(
            "RG0306", f"{fun.__name__!r} has a derivative rule and keyword-only parameters",
            "make all its parameters positional",
        )  # fmt: skip
    found = [bound[a.arg] for a in (*spec.posonlyargs, *spec.args)]
    rest = bound[spec.vararg.arg] if spec.vararg is not None else None
    found += rest.items if isinstance(rest, TupleValue) else ()
    if any(k >= len(found) for k in fun.nondiff):
        raise t.error(
            "RG0306",
            f"nondiff_argnums={fun.nondiff}, but {fun.__name__!r} has {len(found)} arguments",
            "count positional arguments from 0",
        )  # fmt: skip
    return found


def _is_function(value: Value) -> bool:
    return not isinstance(value, Scalar | ArrayRef | TupleValue | DictValue)


def _no_captures(t: Tracer, fun: Ruled, values: Sequence[Value]) -> None:
    """Floats inside function arguments would have derivatives that no rule gives."""
    if is_about_complex(values):
        raise t.error(
            "RG0306", f"a complex number is an argument of {fun.__name__!r}, which has a rule",
            "pass its parts: z.real, z.imag",
        )  # fmt: skip
    if any(leaf.type.is_float for value in values for leaf in leaves_of(value)):
        raise t.error(
            "RG0306",
            f"a function that captures floats is an argument of {fun.__name__!r}, which has a rule",
            "pass what it captures as arguments",
        )


def _hidden(t: Tracer, hidden: Hidden) -> Value:
    must_be_read(t, hidden)
    if hidden.key not in t.frame.hidden:
        raise NeedHidden(hidden)
    return t.frame.hidden[hidden.key]


def _link(t: Tracer, known: Known, before_packing: Mapping[int, int], value: Value) -> None:
    """A result that in Python is an argument's own array may not be told from it after a write.

    `before_packing` are the locations of the caller's arrays, by their numbers.
    """
    results = list(leaves_of(value))
    for leaf, number in known.shared:
        result = results[leaf]
        if isinstance(result, ArrayRef):
            t.state.follow(result.loc, before_packing[number])


def _translate(ctx: Context, fun: Ruled, key: object, inputs: Inputs) -> Known | None:
    """Translates a function and its rule; None where it never returns."""
    spec = Spec(key, fun.__name__)
    spec.uses.add(key)
    ctx.stack.append(spec)
    known: Known | None = None
    done = False
    try:
        found = _explore(ctx, fun, key, inputs)
        if found is not None:
            name = ctx.names.name(ctx.sources.of(fun.fun, None).name)
            known = ctx.specs[key] = Known(name, *found, spec.uses)
            rule = _jvp_rule if fun.kind == "jvp" else _vjp_rule
            _primal(ctx, fun, known, inputs, rule(ctx, fun, known, inputs))
        done = True
    finally:
        ctx.stack.pop()
        if not done:
            forget(ctx, (key,))
    spec.uses.discard(key)
    return known


def _explore(
    ctx: Context, fun: Ruled, key: object, inputs: Inputs
) -> tuple[ArgSpec, Pairs, Pairs] | None:
    """The tree of the result, which of its arrays are arguments, and which arguments may not be one
    array; None without a result.

    Calls of the function by itself are plain here. If there are any, what was translated is
    forgotten again.
    """
    saved, pending, plain = dict(ctx.specs), len(ctx.pending), Plain()
    ctx.specs[key] = plain
    try:
        wrapper = Wrapper.around(ctx, fun.fun, fun.fun, inputs)
        value = wrapper.call(fun.fun, wrapper.args)
        output = Results(wrapper.t).flat(value)
    except PathEnds as end:
        if end.error is not None:
            raise
        return None
    finally:
        if plain.consulted:
            ctx.specs.clear()
            ctx.specs.update(saved)
        ctx.specs.pop(key, None)
        del ctx.pending[pending:]
    numbers = {loc: number for number, loc in wrapper.locs.items()}
    links = wrapper.t.state.links
    shared = tuple(
        (k, numbers[loc])
        for k, leaf in enumerate(leaves_of(value))
        if isinstance(leaf, ArrayRef)
        for loc in sorted({leaf.loc, *links.get(leaf.loc, ())})
        if loc in numbers
    )
    made = wrapper.t.frame.apart
    apart = {(numbers[a], numbers[b]) for a, b in made if a in numbers and b in numbers}
    return output, shared, tuple(sorted(apart))


def _primal(ctx: Context, fun: Ruled, known: Known, inputs: Inputs, custom: CustomRule) -> None:
    wrapper = Wrapper.around(ctx, fun.fun, fun.fun, inputs)
    value = wrapper.call(fun.fun, wrapper.args)
    wrapper.untouched()
    wrapper.fitter.result(value, known.output)
    wrapper.finish(known.name, wrapper.fitter.atoms, custom)


def _jvp_rule(ctx: Context, fun: Ruled, known: Known, inputs: Inputs) -> CustomRule:
    wrapper = Wrapper.around(ctx, fun.rule, fun.fun, inputs)
    t, fitter = wrapper.t, wrapper.fitter
    floats = [p for p in wrapper.params if p.type.is_float]
    dots: dict[Atom, Atom] = dict(zip(floats, wrapper.more([p.type for p in floats]), strict=True))
    primals = [value for k, value in enumerate(wrapper.args) if k not in fun.nondiff]
    tangents = TupleValue(tuple(tree_like(t, value, dots) for value in primals))
    fixed = [wrapper.args[k] for k in fun.nondiff]
    try:
        args = [*fixed, TupleValue(tuple(primals)), wrapper.lend(tangents)]
        value = wrapper.call(fun.rule, args)
        wrapper.untouched()
        y, y_dot = fitter.pair(value, "the value and its tangent")
        fitter.result(y, known.output)
        fitter.tangents(y_dot, known.output, iter([a for a in fitter.atoms if a.type.is_float]))
    except PathEnds as end:
        _never(wrapper, end, [*leaf_types(known.output), *float_types(known.output)])
    name = ctx.names.name(f"{known.name}_jvp")
    wrapper.finish(name, fitter.atoms)
    return CustomRule("jvp", name)


def _never(wrapper: Wrapper, end: PathEnds, types: Sequence[Type]) -> None:
    """A rule that always raises: its results are never seen."""
    if end.error is not None:
        raise end
    wrapper.fitter.atoms = [nothing(wrapper.t, type_) for type_ in types]


def _vjp_rule(ctx: Context, fun: Ruled, known: Known, inputs: Inputs) -> CustomRule:
    names = ctx.names.name(f"{known.name}_fwd"), ctx.names.name(f"{known.name}_bwd")
    pulled: dict[HiddenKey, Hidden] = {}
    while True:
        residuals = _forward(ctx, fun, known, inputs, names[0], tuple(pulled.values()))
        try:
            _pullback(ctx, fun, known, inputs, names[1], residuals)
        except NeedHidden as need:
            pulled[need.hidden.key] = need.hidden
            continue
        return CustomRule("vjp", *names)


def _forward(
    ctx: Context, fun: Ruled, known: Known, inputs: Inputs, name: str, pulled: Sequence[Hidden]
) -> Inputs | None:
    """The function that leaves residuals; gives what they are, None if it never returns.

    They are the user's, the arguments without derivative, the extents of the others (to check
    cotangents with) and hidden arguments.
    """
    wrapper = Wrapper.around(ctx, fun.rule, fun.fun, inputs)
    t, fitter = wrapper.t, wrapper.fitter
    packer = Packer(t)
    try:
        value = wrapper.call(fun.rule, wrapper.args)
        wrapper.untouched()
        y, own = fitter.pair(value, "the value and the residuals")
        fitter.result(y, known.output)
        kept = [own, *(wrapper.args[k] for k in fun.nondiff), *_extents(wrapper, fun)]
        values = tuple(packer.pack(separate(t, value)) for value in kept)
    except PathEnds as end:
        _never(wrapper, end, list(leaf_types(known.output)))
        wrapper.finish(name, fitter.atoms)
        return None
    hidden = tuple((h, packer.pack(_hidden(t, h))) for h in pulled)
    taken: set[Atom] = {*wrapper.params, *fitter.atoms}
    for atom in packer.atoms:
        fresh = t.prim("copy", atom) if atom in taken and not atom.type.is_scalar else atom
        taken.add(fresh)
        fitter.atoms.append(fresh)
    wrapper.finish(name, fitter.atoms)
    return Inputs(values, tuple(packer.contents), hidden, inputs.place)


def _extents(wrapper: Wrapper, fun: Ruled) -> list[Value]:
    return [
        Scalar(wrapper.t.prim("dim", wrapper.t.base(leaf.loc), axis=axis), nonneg=True)
        for k, value in enumerate(wrapper.args)
        if k not in fun.nondiff
        for leaf in leaves_of(value)
        if isinstance(leaf, ArrayRef) and leaf.type.is_float
        for axis in range(leaf.type.rank)
    ]


def _pullback(
    ctx: Context, fun: Ruled, known: Known, inputs: Inputs, name: str, residuals: Inputs | None
) -> None:
    wrapper = Wrapper.around(ctx, fun.pullback, fun.fun, residuals or Inputs(place=inputs.place))
    t, fitter = wrapper.t, wrapper.fitter
    bars = iter(wrapper.more(float_types(known.output)))
    floats = [leaf for v in inputs.values for leaf in leaves_of(v) if leaf.type.is_float]
    floats += [leaf for _, v in inputs.hidden for leaf in leaves_of(v) if leaf.type.is_float]
    try:
        if residuals is None:
            raise PathEnds
        own, *rest = wrapper.args
        fixed, extents = rest[: len(fun.nondiff)], rest[len(fun.nondiff) :]
        y_bar = wrapper.lend(tangent_tree(t, known.output, bars))
        value = wrapper.call(fun.pullback, [*fixed, own, y_bar])
        active = [k for k in range(len(inputs.values)) if k not in fun.nondiff]
        found = dict(zip(active, fitter.each(value, len(active)), strict=True))
        dims = iter([size.atom for size in extents if isinstance(size, Scalar)])
        for k, like in enumerate(inputs.values):
            if k in found:
                fitter.cotangents(found[k], like, dims, f"the cotangent of argument {k}")
            else:
                fitter.atoms += [nothing(t, x.type) for x in leaves_of(like) if x.type.is_float]
        fitter.atoms += [nothing(t, leaf.type) for leaf in floats[len(fitter.atoms) :]]
    except PathEnds as end:
        _never(wrapper, end, [leaf.type for leaf in floats])
    wrapper.finish(name, fitter.atoms)
