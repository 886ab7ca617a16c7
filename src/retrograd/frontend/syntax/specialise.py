"""Functions specialised on the types of their arguments, and calls of them.

A function is translated once for each combination of argument types, static arguments and sharing
between arguments (`pack`). What it returns may refer to an argument's array, and it may change
arrays and captured variables of the caller: its `Signature` says so, and the caller's state
follows. The signature of a recursive function is a fixpoint, begun on paths that do not recurse.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from retrograd.errors import Span, UserError
from retrograd.frontend.identity.source import FunctionSource
from retrograd.frontend.syntax.bending import bent_parameters
from retrograd.frontend.syntax.branches import branch
from retrograd.frontend.syntax.doubtful_writes import refuse_doubtful_writes
from retrograd.frontend.syntax.functions import Callee, defaults_of
from retrograd.frontend.syntax.trial import forget, with_literals
from retrograd.frontend.values.baked import bake
from retrograd.frontend.values.kinds import (
    NONE,
    UNBOUND,
    UNDEF,
    Closure,
    Instance,
    Maybe,
    Scalar,
    Undef,
    Value,
    is_settled,
    parts,
    with_parts,
)  # fmt: skip
from retrograd.frontend.values.literals import has_literals, known_float
from retrograd.frontend.values.liveness import NO_NAMES, scope_of
from retrograd.frontend.values.object_rows import add_tables
from retrograd.frontend.values.pack import Packer, Unpacker, abstract_types
from retrograd.frontend.values.rivals import keep_apart, link_results, links_of, list_links
from retrograd.frontend.values.scopes import assign_name, prescan
from retrograd.frontend.values.sizes import Extents
from retrograd.frontend.values.tracer import (
    Context,
    Frame,
    Hidden,
    NeedHidden,
    PathEnds,
    State,
    Tracer,
)
from retrograd.frontend.values.wider_rows import must_keep_rows
from retrograd.ir.build import Builder
from retrograd.ir.terms import Atom, Call, Function, Lit, Prov, Var, false, ilit
from retrograd.ir.types import Type

__all__ = ["Body", "Request", "Run", "call_function", "return_none", "translate_body"]

_ATTEMPTS = 12


@dataclass(frozen=True, slots=True)
class Signature:
    """What a call does to the caller.

    Locations and cells are numbered as in packing; those beyond the arguments' are new. `written`
    and `cells` are what the function changes; `links` which arrays (and `cell_links` which
    attributes, and `list_links` which lists with which arrays that hold them) may be aliases
    afterwards, and `apart` pairs that may not be, because of derivatives inside (see `Frame`).
    `extents` are those of what is written, in programs for certain ones, `globals` the names of
    modules that are assigned then. `put`: of what is written, the buffers of lists of which no item
    is changed in place. `stale` are arrays that were written to if they are what an array may be.
    """

    result: Value
    contents: tuple[Value, ...]
    cells: tuple[tuple[int, Value], ...]
    written: tuple[int, ...]
    links: frozenset[tuple[int, int]]
    cell_links: frozenset[tuple[int, int]] = frozenset()
    apart: frozenset[tuple[int, int]] = frozenset()
    extents: tuple[Extents, ...] = ()
    globals: Globals = ()
    list_links: frozenset[tuple[int, int]] = frozenset()
    put: frozenset[int] = frozenset()
    stale: tuple[tuple[int, Span | None], ...] = ()


Globals = tuple[tuple[tuple[int, str], Value], ...]


@dataclass(slots=True)
class Spec:
    """One specialised function, possibly still being translated.

    `uses` are the unfinished functions whose assumed signature it relies on; `literal` says that
    the ints among its arguments that are literals have stayed ones, `asks` that -1 has a meaning of
    its own for one of its ints.
    """

    key: Any
    name: str
    source: FunctionSource | None = None
    literal: bool = False
    asks: bool = False
    signature: Signature | None = None
    consulted: bool = False
    done: bool = False
    uses: set[Any] = field(default_factory=set[Any])


@dataclass(frozen=True, slots=True)
class Body:
    """A function's body, translated from its parameters to the final state."""

    t: Tracer
    params: tuple[Var, ...]
    args: tuple[Value, ...]
    locs: dict[int, int]
    cells: dict[int, int]
    initial: State

    @property
    def result(self) -> Value:
        """The value that is returned; UNDEF where the function never returns."""
        value = self.t.state.cells.get(self.t.frame.ret, UNDEF)
        return value.value if isinstance(value, Maybe) else value


Run = Callable[[Tracer, Value, tuple[Value, ...], Value], Value]


@dataclass(frozen=True, slots=True)
class Request:
    """What is to be translated: a callee, its abstract arguments, captured and hidden values.

    `objects`, `dicts`, `lists` and `standing` are those from outside, in an entry (see `Outside`).
    With `run` the body is not the callee's but what `run` does, given `fun`, the arguments and
    `extra`: so a transformed or a library function becomes a function of the program. `known` are
    the arguments where their literal ints and bools are to be known, though they are parameters.
    `globals` are the names of modules that are assigned where it is called. `tables`: it has tables
    of its own for objects that are rows.
    """

    callee: Callee
    names: tuple[str, ...]
    fun: Value
    values: tuple[Value, ...]
    contents: tuple[Value, ...]
    hidden: tuple[tuple[Hidden, Value], ...]
    run: Run | None = None
    extra: Value = NONE
    known: tuple[Value, ...] = ()
    objects: tuple[Instance, ...] | None = None
    dicts: tuple[Instance, ...] = ()
    lists: tuple[Instance, ...] = ()
    standing: tuple[Instance, ...] = ()
    globals: Globals = ()
    tables: bool = False


def translate_body(ctx: Context, request: Request) -> Body:
    """Translates a function's body on fresh parameters."""
    source = request.callee.source
    scope = NO_NAMES if request.run is not None else scope_of(source)
    frame = Frame(source, request.callee.origin, scope, {}, {}, ctx.fresh())
    frame.locals.update((name, ctx.fresh()) for name in sorted(scope.local))
    t = Tracer(ctx, frame, Builder(ctx.names, ctx.prims.result_types), State())
    t.b.prov = Prov(source.span(source.node))
    t.state.globals = dict(request.globals)
    hidden_values = tuple(value for _, value in request.hidden)
    packed = (request.fun, *request.values, *hidden_values, request.extra)
    types = list(abstract_types(iter(packed), request.contents))
    params = tuple(ctx.names.var("p", type_) for type_ in types)
    unpack = Unpacker(t, request.contents, iter(params))
    fun = unpack.unpack(request.fun)
    args = tuple(unpack.unpack(value) for value in request.values)
    if request.known:
        args = tuple(map(_known, args, request.known))
    for hidden, value in request.hidden:
        frame.hidden[hidden.key] = unpack.unpack(value)
        bake(t, hidden)
    frame.outer.update(fun.cells if isinstance(fun, Closure) else ())
    frame.owned |= set(t.state.arrays)
    frame.owned_cells |= set(t.state.cells)
    add_tables(t, ctx.tables_of if request.tables else {})
    if request.run is not None:
        initial = t.state.copy()
        try:
            value = request.run(t, fun, args, unpack.unpack(request.extra))
        except PathEnds as end:
            t.end_path(end.error)
        else:
            t.state.cells[frame.ret] = value
        refuse_doubtful_writes(t, request.objects is not None)
        return Body(t, params, args, unpack.locs, unpack.cells, initial)
    for name, value in zip(request.names, args, strict=True):
        assign_name(t, name, value)
    t.bending = bent_parameters(t, source, zip(request.names, args, strict=True))
    own = replace(request.callee, fun=fun)  # whose defaults are parameters here
    for name, value in defaults_of(t, own, request.names).items():
        assign_name(t, name, value)
    given = {hidden.key for hidden, _ in request.hidden}
    for hidden in prescan(ctx, frame, scope.free):
        if hidden.key not in given:
            raise NeedHidden(hidden)
    initial = t.state.copy()
    ctx.engine.block(t, source.body)
    if t.state.live != false:
        branch(t, t.state.live, lambda: return_none(t), lambda: None, ())
    refuse_doubtful_writes(t, request.objects is not None)
    return Body(t, params, args, unpack.locs, unpack.cells, initial)


def _known(value: Value, given: Value) -> Value:
    """A parameter, with the ints and bools that the caller has as literals."""
    if isinstance(given, Scalar) and isinstance(given.atom, Lit) and not given.type.is_float:
        return given
    return with_parts(value, tuple(map(_known, parts(value), parts(given))))


def return_none(t: Tracer) -> None:
    """What the end of a function's body does."""
    t.resume()
    t.state.cells[t.frame.ret] = NONE
    t.leave()


def _finish(ctx: Context, spec: Spec, body: Body) -> Signature:
    """Packs the final state into a signature, and adds the function to the program."""
    t = body.t
    locs = {own: number for number, own in body.locs.items()}
    cells = {own: number for number, own in body.cells.items()}
    packer = Packer(
        t, dict(locs), dict(cells), known_cells=len(cells), literal_bools=True, literal_ints=True,
        having=(body.result, *(t.state.cells.get(own, UNBOUND) for own in cells)),
    )  # fmt: skip
    result = packer.pack(body.result)
    changed: list[tuple[int, Value]] = []
    for own, number in cells.items():
        now = t.state.cells.get(own, UNBOUND)
        before = body.initial.cells.get(own, UNBOUND)
        if not is_settled(now, before, t.state.sure):
            changed.append((number, packer.pack(now)))
    written: list[int] = []
    for own, number in locs.items():
        if t.state.arrays[own] is not body.initial.arrays[own]:
            written.append(number)
            packer.atoms.append(t.state.arrays[own])
    links, cell_links = links_of(t, packer.locs), links_of(t, packer.cells)
    apart = frozenset((locs[a], locs[b]) for a, b in t.frame.apart if a in locs and b in locs)
    block = t.b.block(packer.atoms)
    prov = Prov(t.frame.source.span(t.frame.source.node))
    ctx.functions[spec.name] = Function(spec.name, body.params, block, prov=prov)
    contents = tuple(packer.contents)
    sizes = ctx.sizes
    final = (t.state.arrays[own] for own, number in locs.items() if number in written)
    extents = () if sizes is None else tuple(map(sizes.of, final))
    return Signature(
        result, contents, tuple(changed), tuple(written), links, cell_links, apart, extents,
        tuple(t.state.globals.items()), list_links(t, packer),
        frozenset(number for own, number in locs.items() if own not in t.frame.stored),
        tuple((number, t.state.stale[own]) for own, number in locs.items() if own in t.state.stale),
    )  # fmt: skip


def _translate(ctx: Context, spec: Spec, request: Request) -> None:
    """Translates until the signature that recursive calls assume is the one that comes out.

    Functions that rely on another signature are translated again, beginning with the signature that
    they had: each of N functions that call each other would double the number of attempts else.
    """
    stack, pending, repeated = ctx.stack, len(ctx.pending), set[Any]()
    stack.append(spec)
    try:
        for _ in range(_ATTEMPTS):
            del ctx.pending[pending:]
            spec.consulted = False
            before = set(ctx.specs)
            found = _finish(ctx, spec, translate_body(ctx, request))
            if not spec.consulted or found == spec.signature:
                break
            spec.signature = found
            for key in [k for k in ctx.specs if k not in before and ctx.specs[k].uses]:
                old = ctx.specs.pop(key)
                if isinstance(old, Spec) and old.done:
                    ctx.assumed[key] = old.signature
                    repeated.add(key)
        else:
            raise _unsettled(request)
    finally:
        stack.pop()
        for key in repeated:
            ctx.assumed.pop(key, None)
    spec.uses.discard(spec.key)
    if spec.consulted and isinstance(found.result, Undef):
        if not spec.uses:
            raise _unknown(request)
        ctx.pending.append(_unknown(request))
    spec.signature, spec.done = found, True


def _unsettled(request: Request) -> UserError:
    """The error of a recursion whose result has more parts with each call, as a tree has."""
    source = request.callee.source
    return UserError(
        "RG0111",
        f"the result of the recursive function {source.name!r} has more parts the deeper it goes, "
        "and how deep that is is known at run time only",
        source.span(source.node),
        "give it a depth that is known when the program is compiled (static_argnums, or a literal "
        "where it is called), or keep the parts in a list",
    )


def _unknown(request: Request) -> UserError:
    source = request.callee.source
    return UserError(
        "RG0111",
        f"the result type of the recursive function {source.name!r} cannot be found",
        source.span(source.node),
        "add a path that returns without calling the function again",
    )


def call_function(
    t: Tracer, callee: Callee, names: Sequence[str], args: Sequence[Value], literals: bool = False
) -> Value:
    """Emits a call of a function of the program, translated for these arguments.

    Literal ints in them are numbers, unless the function needs or is to be given `literals`.
    """

    def run(literals: bool) -> tuple[Spec, Packer]:
        return _specialised(t, callee, names, args, literals)

    given = (*args, *_held(t, callee.fun))
    floats = any(has_literals(t, value, known_float) for value in given)
    t.ctx.sunk |= floats
    known = (floats and t.ctx.way.floats) or any(has_literals(t, value) for value in given)
    if literals or not known:
        return _emit_call(t, *run(literals))
    t.ctx.dropped = True
    return _emit_call(t, *with_literals(t, callee.source, run, first=t.ctx.way.keeps))


def _held(t: Tracer, fun: Value) -> Iterator[Value]:
    """What a function made in the program has captured, and its defaults."""
    if isinstance(fun, Closure):
        yield from fun.defaults
        yield from (t.state.cells.get(cell, UNBOUND) for _, cell in fun.cells)


def _specialised(
    t: Tracer, callee: Callee, names: Sequence[str], args: Sequence[Value], literals: bool
) -> tuple[Spec, Packer]:
    """A function for these arguments, and the atoms to give it; what was refused stays so."""
    ctx = t.ctx
    while True:
        having = (*t.state.cells.values(), *args)
        packer = Packer(t, literal_bools=True, literal_ints=literals, having=having)
        fun = packer.pack(callee.fun)
        values = tuple(packer.pack(value) for value in args)
        base = (
            callee.source, fun, values, tuple(packer.contents), tuple(t.state.globals.items())
        )  # fmt: skip
        needs = ctx.needs.get(base, {})
        hidden = tuple((h, packer.pack(_own_hidden(t, h))) for h in needs.values())
        own = tuple(packer.contents[len(base[3]) :])  # tables have other rows at each call
        key = (base, tuple((h.key, value) for h, value in hidden), own)
        if key in ctx.specs:
            return _not_of_minus_one(t, ctx.specs[key], packer)
        refused = (key, tuple(ctx.transformed))
        if refused in ctx.refused:
            raise ctx.refused[refused].with_traceback(None)
        spec = Spec(key, ctx.names.name(callee.source.name), callee.source, literals)
        spec.signature = ctx.assumed.get(key)
        ctx.specs[key] = spec
        contents = tuple(packer.contents)
        request = Request(callee, tuple(names), fun, values, contents, hidden, globals=base[-1])
        try:
            _translate(ctx, spec, request)
        except NeedHidden as need:
            forget(ctx, (key,))
            ctx.needs.setdefault(base, {})[need.hidden.key] = need.hidden
            continue
        except UserError as error:
            if spec.uses <= {key}:
                ctx.refused[refused] = error
            raise
        return _not_of_minus_one(t, spec, packer)


def _not_of_minus_one(t: Tracer, spec: Spec, packer: Packer) -> tuple[Spec, Packer]:
    """Refuses a literal -1 that the function would have as a number, where it has to be known."""
    if spec.asks and ilit(-1) in packer.atoms:
        way_out = "write -1 where the array is reshaped"
        raise t.error("RG0113", "an extent that may be -1 is not known", way_out)
    return spec, packer


def _own_hidden(t: Tracer, hidden: Hidden) -> Value:
    if hidden.key not in t.frame.hidden:
        raise NeedHidden(hidden)
    return t.frame.hidden[hidden.key]


def _emit_call(t: Tracer, spec: Spec, packer: Packer) -> Value:
    ctx = t.ctx
    if ctx.stack:
        ctx.stack[-1].uses |= spec.uses
        ctx.stack[-1].asks |= spec.asks
        if not spec.done:
            spec.consulted = True
            ctx.stack[-1].uses.add(spec.key)
    signature = spec.signature
    if signature is None:
        message = f"the result of the recursive call of {spec.name!r} is not known"
        raise PathEnds(t.error("RG0111", message, "add a path that returns without a call"))
    written = {number: own for own, number in packer.locs.items()}
    own_cells = {number: own for own, number in packer.cells.items()}
    _no_aliases(t, signature, written, own_cells)
    types = _result_types(signature, packer, written)
    outs = t.b.bind(Call(spec.name, tuple(packer.atoms)), types)
    back = Unpacker(
        t,
        signature.contents,
        iter(outs),
        dict(written),
        dict(own_cells),
        len(packer.cells),
    )
    t.state.globals = dict(signature.globals)
    result = back.unpack(signature.result)
    for number, content in signature.cells:
        must_keep_rows(t, back.cells[number], back.unpack(content))
    rest: list[Atom] = list(back.atoms)
    for number, atom in zip(signature.written, rest, strict=True):
        if number in signature.put:
            t.state.arrays[written[number]] = atom
        else:
            t.store(written[number], atom)
    if ctx.sizes is not None:
        for atom, known in zip(rest, signature.extents, strict=True):
            ctx.sizes.note(atom, known)
    for number, span in signature.stale:
        t.state.outdate(written[number], span)
    link_results(t, signature.links, back.locs, written)
    link_results(t, signature.cell_links, back.cells, own_cells)
    for cell, loc in sorted(signature.list_links):
        t.state.follow(back.locs[loc], back.cells[cell])
    if isinstance(result, Undef):
        raise PathEnds
    return result


def _no_aliases(
    t: Tracer, signature: Signature, own: dict[int, int], cells: dict[int, int]
) -> None:
    """Refuses a call whose callee would take for two arrays, or objects, what may be one.

    `own` are the locations by number, `cells` the variables.
    """
    for a, b in signature.apart:
        keep_apart(t, own[a], own[b])
    given = held = frozenset((*own.values(), *cells.values()))
    for number in sorted({*signature.written} - signature.put):
        if not given.isdisjoint(t.state.links.get(own[number], ())):
            t.ctx.heaped.update(t.state.sites_of_rows(own[number]))
            raise t.error(
                "RG0106",
                "the function writes to an array of which another argument may be another name",
                "take a copy where the two names meet: x.copy()",
            )
    changed = {cells[number] for number, _ in signature.cells if number in cells}
    for cell in sorted(changed):
        if not held.isdisjoint(t.state.links.get(cell, ())):
            t.note_owner(cell)
            raise t.error(
                "RG0106",
                "the function changes an object of which another argument may be another name",
                "make a new object where the two names meet",
            )


def _result_types(signature: Signature, packer: Packer, written: dict[int, int]) -> list[Type]:
    values = [signature.result, *(content for _, content in signature.cells)]
    known = len(packer.locs), len(packer.cells)
    types = list(abstract_types(iter(values), signature.contents, *known))
    return types + [packer.t.state.arrays[written[n]].type for n in signature.written]
