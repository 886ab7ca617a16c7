"""Derivatives inside programs: `grad` and its like become `Jvp` and `Vjp` nodes.

The api registers a `Handler` for each of its own functions, by identity; those here serve for the
transformations that JAX users write inside a function. A function that is differentiated is
translated with results by value (`pure`), and everything that it captures becomes an argument.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import FunctionType

from retrograd.errors import Limitation, UserError
from retrograd.frontend.derivatives.arguments import (
    Target,
    by_position,
    numbered,
    positions,
    which_of,
)
from retrograd.frontend.derivatives.leaves import (
    changed_once,
    complex_in_derivatives,
    like,
    no_objects,
    separate,
)
from retrograd.frontend.derivatives.loud import say_first
from retrograd.frontend.derivatives.pure import Pure, pure_function
from retrograd.frontend.derivatives.wrappers import leaves_of
from retrograd.frontend.identity.flattening import has_complex
from retrograd.frontend.identity.specs import ArgSpec, DictSpec, LeafSpec, StaticSpec, TupleSpec
from retrograd.frontend.identity.transformed import Rerun, Ruled, Transformed, Vectorised
from retrograd.frontend.library.args import bind, flag
from retrograd.frontend.syntax.functions import Callee, callee_of, match_arguments
from retrograd.frontend.syntax.specialise import Request
from retrograd.frontend.syntax.trial import with_literals
from retrograd.frontend.values.arrays import value_atom
from retrograd.frontend.values.baked import known_int
from retrograd.frontend.values.freezing import thawed
from retrograd.frontend.values.kinds import (
    NONE,
    Applied,
    ArrayRef,
    Bound,
    Closure,
    DictValue,
    Instance,
    Scalar,
    Static,
    Transform,
    TupleValue,
    Value,
    describe,
    parts,
    with_parts,
)  # fmt: skip
from retrograd.frontend.values.pack import Packer
from retrograd.frontend.values.rivals import keep_apart
from retrograd.frontend.values.tracer import Handler, Hidden, HiddenKey, NeedHidden, Tracer
from retrograd.frontend.values.trees import aligned, of_spec
from retrograd.ir.terms import Atom, Jvp, Var, Vjp, flit
from retrograd.ir.types import F64
from retrograd.options.checkpointing import Checkpointing, policy_name
from retrograd.options.memory import chosen

__all__ = [
    "apply_transform",
    "jvp",
    "normal",
    "pair_of",
    "rebuild",
    "stop_gradient",
    "target",
    "transform",
    "way_of",
]


def normal(t: Tracer, fun: Value) -> Value:
    """A function value with the transformations of the api made `Transform`s."""
    match fun:
        case Static(obj=Transformed() as made):
            if made.checkpointing is not None and made.checkpointing.resume is not None:
                raise Limitation(
                    "RG2301", "resume= inside of a program", t.span,
                    "give it to the outermost derivative; inner ones are parts of it",
                )  # fmt: skip
            inner = normal(t, Static(made.fun))
            return Transform(made.kind, inner, made.argnums, made.has_aux, made.checkpointing)
        case Static(obj=Vectorised() as made):
            inner = normal(t, Static(made.fun))
            return Transform("vmap", inner, axes=(made.in_axes, made.out_axes))
        case Static(obj=Rerun() as made):
            return Transform("checkpoint", normal(t, Static(made.fun)), policy=made.policy)
        case Transform():
            return replace(fun, fun=normal(t, fun.fun))
        case _:
            return fun


def _callee(t: Tracer, fun: Value) -> tuple[Callee, bool]:
    """What to translate for a function value, and whether by applying it."""
    match fun:
        case Static(obj=FunctionType() as known) if id(known) in t.ctx.engine.library:
            pass
        case Closure() | Static(obj=FunctionType()):
            return callee_of(t, fun), False
        case Transform():
            inner, _ = _callee(t, fun.fun)
            return replace(inner, fun=fun), True
        case Static() if callable(fun.obj) or isinstance(fun.obj, Ruled):
            pass
        case Applied() | Bound() | Instance():
            pass
        case _:
            raise t.error("RG0107", f"{describe(fun)} is differentiated", "give it a function")
    return Callee(t.frame.source, t.frame.origin, fun), True


def apply(t: Tracer, fun: Value, args: tuple[Value, ...], _: Value) -> Value:
    """The body of a function that only calls another function value."""
    return t.call(fun, args, {})


_DEEPEST = 8
"""Derivatives of one function inside one another, beyond which there is no end to them."""


def target(
    t: Tracer,
    fun: Value,
    args: Sequence[Value],
    kwargs: Mapping[str, Value] | None = None,
    objects: bool = False,
) -> Target:
    """Translates `fun` for these arguments, with results by value; `objects` says whether they may
    be objects."""
    ctx = t.ctx
    callee, applied = _callee(t, normal(t, fun))
    before, cells = set(t.state.arrays), set(t.state.cells)
    origins: dict[int, int] = {}
    no_objects(t, args)
    own = [thawed(t, separate(t, value, origins)) for value in args]
    if applied:
        if kwargs:
            raise t.error("RG0108", "keyword arguments of this function", "pass them by position")
        bound = {str(k): value for k, value in enumerate(own)}
    else:
        bound = match_arguments(t, callee, own, kwargs or {})
    if ctx.transformed.count(callee.source) >= _DEEPEST:
        raise t.error(
            "RG0115", f"{callee.source.name} differentiates itself, without end",
            "write one function for each level of derivatives",
        )  # fmt: skip
    name = ctx.names.name(callee.source.name)

    def run(literals: bool) -> tuple[Packer, Pure, list[tuple[int, ...]]]:
        return _translated(t, callee, name, bound, applied, literals)

    packer, pure, positions = with_literals(t, callee.source, run)
    _keep_apart(t, pure, {k: origins.get(loc, loc) for loc, k in packer.places.items()})
    if pure.changes:
        changed_once(t, callee.fun, args)
    for loc in set(t.state.arrays) - before:
        del t.state.arrays[loc]
    for cell in set(t.state.cells) - cells:
        del t.state.cells[cell]
    return Target(name, tuple(packer.atoms), pure, tuple(positions[: len(args)]))


def _translated(
    t: Tracer, callee: Callee, name: str, bound: Mapping[str, Value], applied: bool, literals: bool
) -> tuple[Packer, Pure, list[tuple[int, ...]]]:
    """The function with these arguments; `literals`: whose ints and bools it knows.

    Arguments are parameters all the same, so positions count every one of them.
    """
    vararg = None if applied else callee.source.node.args.vararg
    rest = "" if vararg is None else vararg.arg
    needs: dict[HiddenKey, Hidden] = {}
    while True:
        packer = Packer(t, literal_bools=literals, literal_ints=literals)
        fixed = packer.pack(callee.fun)
        packer.literal_bools = packer.literal_ints = False
        values, positions = _packed(packer, bound, rest)
        hidden: list[tuple[Hidden, Value]] = []
        for need in needs.values():
            if need.key not in t.frame.hidden:
                raise NeedHidden(need)
            hidden.append((need, packer.pack(t.frame.hidden[need.key])))
        request = Request(
            callee, tuple(bound), fixed, tuple(values), tuple(packer.contents), tuple(hidden),
            apply if applied else None, known=tuple(bound.values()) if literals else (),
            globals=tuple(t.state.globals.items()),
        )  # fmt: skip
        t.ctx.transformed.append(callee.source)
        try:
            pure = pure_function(t.ctx, name, request, write_back=False)
            if has_complex(pure.output):
                raise complex_in_derivatives(t, "the result")
        except NeedHidden as need:
            needs[need.hidden.key] = need.hidden
            continue
        finally:
            t.ctx.transformed.pop()
        return packer, pure, positions


def _packed(
    packer: Packer, bound: Mapping[str, Value], rest: str
) -> tuple[list[Value], list[tuple[int, ...]]]:
    """The arguments packed, and the positions of the atoms of each; `*rest` is several."""
    values: list[Value] = []
    positions: list[tuple[int, ...]] = []
    for name, value in bound.items():
        several = name == rest
        items: list[Value] = []
        for item in parts(value) if several else (value,):
            first = len(packer.atoms)
            items.append(packer.pack(item))
            positions.append(tuple(range(first, len(packer.atoms))))
        values.append(with_parts(value, tuple(items)) if several else items[0])
    return values, positions


def _keep_apart(t: Tracer, pure: Pure, places: Mapping[int, int]) -> None:
    """Refuses arguments of which one is written and another may be the same array.

    `places` are the locations that the arrays had before, by position.
    """
    pairs = {(one, other) for one in pure.written for other in places if one != other}
    for one, other in sorted(pairs | set(pure.apart)):
        keep_apart(t, places[one], places[other])


def rebuild(t: Tracer, spec: ArgSpec, atoms: list[Atom]) -> Value:
    """The value of that spec from the front of `atoms`."""
    match spec:
        case LeafSpec():
            return t.new(atoms.pop(0))
        case TupleSpec() | DictSpec():
            return of_spec(spec, tuple(rebuild(t, s, atoms) for s in spec.items))
        case _:
            return Static(spec.obj if isinstance(spec, StaticSpec) else None)


def transform(kind: str, parameters: str = "argnums has_aux memory checkpointing") -> Handler:
    """The handler of `grad(fun, argnums, has_aux)` and its like: a function value."""
    names = ["argnames"] if parameters else []
    order = ["fun", *parameters.split(), *names, "static_argnums", "static_argnames"]

    def handler(t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
        found = bind(t, kind, args, kwargs, " ".join(order))
        given = dict(zip(order, found, strict=True))
        fun, argnums, argnames = found[0], given.get("argnums"), given.get("argnames")
        assert fun is not None
        has_aux, memory, checkpointing = (
            given.get(name) for name in ("has_aux", "memory", "checkpointing")
        )
        which = which_of(t, argnums, argnames)
        way = way_of(t, memory, checkpointing)
        return Transform(kind, fun, which, flag(t, has_aux, "has_aux"), way)

    return handler


def way_of(t: Tracer, memory: Value | None, checkpointing: Value | None) -> Checkpointing | None:
    """How a derivative is paid for; UserError at the place in the program where that is unclear."""
    given: list[object] = []
    for name, value in (("memory", memory), ("checkpointing", checkpointing)):
        number = None if value is None else known_int(t, value)
        if number is None and value is not None and not isinstance(value, Static):
            raise t.error(
                "RG4003", f"{name}= is only known when the program runs",
                "write it down, or make the derivative outside of the program",
            )  # fmt: skip
        given.append(value.obj if isinstance(value, Static) else number)
    try:
        return chosen(given[0], given[1], None)
    except UserError as error:
        raise t.error(error.code, error.message, error.way_out or "") from None


def apply_transform(
    t: Tracer, fun: Transform, args: Sequence[Value], kwargs: Mapping[str, Value]
) -> Value:
    """A call of a transformed function."""
    if fun.kind not in ("grad", "value_and_grad"):
        raise t.error("RG0107", f"{describe(fun)} is not known inside a program", "call it outside")
    args, kwargs = by_position(fun, args, kwargs)
    argnums = numbered(t, fun, args)
    found = target(t, fun.fun, args, kwargs)
    wrt = positions(t, fun, found, argnums, args)
    results = found.pure.function.result_types
    scalar = _first(found.pure.output, fun.has_aux)
    if scalar != LeafSpec(F64):
        raise t.error(
            "RG0115", f"{fun.kind} of a function that does not return one float",
            "return a number, for instance np.sum(y)",
        )  # fmt: skip
    bars: tuple[Atom | None, ...] = (flit(1.0), *([None] * (len(results) - 1)))
    gradients = [found.atoms[p].type for p in wrt]
    say_first(t, found.name, found.atoms)
    node = Vjp(found.name, found.atoms, bars, tuple(wrt), policy_name(fun.way))
    outs: list[Atom] = list(t.b.bind(node, [*results, *gradients], "bar"))
    value = rebuild(t, found.pure.output, outs)
    gained = iter(outs)
    parts_ = tuple(like(t, args[k], gained) for k in argnums)
    gradient = TupleValue(parts_) if isinstance(fun.argnums, tuple) else parts_[0]
    return _result(fun, value, gradient)


def _first(output: ArgSpec, has_aux: bool) -> ArgSpec:
    if not has_aux:
        return output
    pair = isinstance(output, TupleSpec) and len(output.items) == 2
    return output.items[0] if isinstance(output, TupleSpec) and pair else StaticSpec(None)


def _result(fun: Transform, value: Value, gradient: Value) -> Value:
    if fun.kind == "value_and_grad":
        return TupleValue((value, gradient))
    if fun.has_aux and isinstance(value, TupleValue):
        return TupleValue((gradient, value.items[1]))
    return gradient


def _float_leaves(t: Tracer, value: Value, wanted: Value) -> list[Atom | None]:
    """The tangents of an argument, None for leaves that are not floats."""
    match wanted:
        case Scalar() | ArrayRef():
            if not wanted.type.is_float:
                return [None]
            atom = value_atom(t, value, "a tangent")
            if atom.type != wanted.type:
                raise t.error(
                    "RG0115", f"the tangent is {describe(value)}, not {describe(wanted)}",
                    "give each float argument a tangent of its own type",
                )  # fmt: skip
            primal = value_atom(t, wanted)
            for axis in range(atom.type.rank):
                sizes = (t.prim("dim", a, axis=axis) for a in (atom, primal))
                text = "a tangent has another shape than its argument"
                t.check(t.prim("eq", *sizes), "ValueError", text)
            return [atom]
        case TupleValue() | DictValue():
            items = aligned(value, wanted)
            if items is None:
                raise t.error(
                    "RG0115",
                    "the tangents are not structured like the arguments",
                    "give each argument a tangent of its structure: np.zeros(x.shape) for an array",
                )
            pairs = zip(items, wanted.items, strict=True)
            return [atom for a, b in pairs for atom in _float_leaves(t, a, b)]
        case Instance() if wanted.cls is not dict:
            if not isinstance(value, Instance) or value.names != wanted.names:
                raise t.error(
                    "RG0115", f"the tangent is {describe(value)}, not {describe(wanted)}",
                    "give an object a tangent of its class",
                )  # fmt: skip
            every = [[t.content(cell) for cell in one.cells] for one in (value, wanted)]
            return [atom for a, b in zip(*every, strict=True) for atom in _float_leaves(t, a, b)]
        case _:  # a function, of which default values do not move
            return [None for _ in leaves_of(wanted)]


def jvp(t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    """The handler of `jvp(fun, primals, tangents)`: the pair of result and tangent."""
    fun, primals, tangents, aux = bind(t, "jvp", args, kwargs, "fun primals tangents has_aux", 3)
    if not isinstance(primals, TupleValue) or not isinstance(tangents, TupleValue):
        raise t.error(
            "RG0115",
            "jvp needs a tuple of primals and a tuple of tangents",
            "write rg.jvp(f, (x, y), (x_dot, y_dot))",
        )
    if len(primals.items) != len(tangents.items):
        raise t.error(
            "RG0115",
            "jvp needs one tangent for each primal",
            "write rg.jvp(f, (x, y), (x_dot, y_dot)), with 0.0 or zeros for what does not move",
        )
    assert fun is not None
    found = target(t, fun, primals.items)
    dots: list[Atom | None] = [None] * len(found.atoms)
    for leaves, value, dot in zip(found.leaves, primals.items, tangents.items, strict=True):
        for position, atom in zip(leaves, _float_leaves(t, dot, value), strict=True):
            dots[position] = atom
    results = found.pure.function.result_types
    floats = [type_ for type_ in results if type_.is_float]
    say_first(t, found.name, found.atoms)
    node = Jvp(found.name, found.atoms, tuple(dots))
    outs: list[Var] = list(t.b.bind(node, [*results, *floats], "dot"))
    values: list[Atom] = list(outs[: len(results)])
    tangents_out: list[Atom] = list(outs[len(results) :])
    value = rebuild(t, found.pure.output, values)
    dot = _tangent_tree(t, found.pure.output, tangents_out)
    if not flag(t, aux, "has_aux"):
        return TupleValue((value, dot))
    y, rest = pair_of(t, value)
    return TupleValue((y, pair_of(t, dot)[0], rest))


def pair_of(t: Tracer, value: Value) -> tuple[Value, Value]:
    """The two parts of what a function returns with `has_aux`."""
    if not isinstance(value, TupleValue) or len(value.items) != 2:
        raise t.error(
            "RG0115", f"with has_aux=True a function returns {describe(value)}",
            "return a pair (value, aux), what is differentiated first",
        )  # fmt: skip
    return value.items[0], value.items[1]


def _tangent_tree(t: Tracer, spec: ArgSpec, atoms: list[Atom]) -> Value:
    match spec:
        case LeafSpec() if not spec.type.is_float:
            return NONE
        case TupleSpec() | DictSpec():
            return of_spec(spec, tuple(_tangent_tree(t, s, atoms) for s in spec.items))
        case _:
            return rebuild(t, spec, atoms)


def stop_gradient(t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    """The handler of `stop_gradient(x)`: the same value, without derivative."""
    (value,) = bind(t, "stop_gradient", args, kwargs, "x")
    assert value is not None
    return stopped(t, value, linked=True)


def stopped(t: Tracer, value: Value, linked: bool = False) -> Value:
    """The same value, its numbers and arrays without derivative.

    They are copies; `linked`: of arrays that in Python are the same ones, so neither may be written
    while the other is read.
    """
    if isinstance(value, Scalar | ArrayRef) and value.type.is_float:
        made = t.new(t.prim("stop_gradient", value_atom(t, value)))
        if linked and isinstance(made, ArrayRef) and isinstance(value, ArrayRef):
            t.state.follow(made.loc, value.loc)
        return made
    return with_parts(value, tuple(stopped(t, part, linked) for part in parts(value)))
