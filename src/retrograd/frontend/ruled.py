"""Calls of functions with a derivative rule of the user's (`custom_jvp`, `custom_vjp`).

Such a function becomes a function of the program, called by value: its parameters are the leaves of
its arguments, then the hidden arguments that it or its rule reads. The functions of its
`CustomRule` are wrappers around the user's: they put the arguments together, check that what comes
back fits, and flatten it. What a pullback reads that is hidden becomes a residual.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import FunctionType

from retrograd.frontend.core import Context, Frame, Hidden, NeedHidden, State, Tracer
from retrograd.frontend.fitting import Fitter, refuse
from retrograd.frontend.intrinsics import rebuild, separate
from retrograd.frontend.liveness import scope_of
from retrograd.frontend.pack import Packer, Unpacker, abstract_types
from retrograd.frontend.specs import ArgSpec, leaf_types
from retrograd.frontend.transformed import Ruled
from retrograd.frontend.values import ArrayRef, Scalar, Static, Value, parts
from retrograd.ir.build import Builder
from retrograd.ir.terms import Atom, Call, CustomRule, Function, Prov, Var
from retrograd.ir.types import Type

__all__ = ["call_ruled"]


@dataclass(frozen=True, slots=True)
class Known:
    """What callers need of a translated function with a rule.

    `shared` are results (by leaf) that are an argument's own array in Python (by packed location).
    """

    name: str
    output: ArgSpec
    shared: tuple[tuple[int, int], ...]
    uses: set[object]


@dataclass(frozen=True, slots=True)
class Plain:
    """Stands for `Known` while the result's type is found: calls are of the function itself."""

    uses: frozenset[object] = frozenset()


@dataclass(frozen=True, slots=True)
class Inputs:
    """Packed values that are the parameters of a wrapper."""

    values: tuple[Value, ...]
    contents: tuple[Value, ...]
    hidden: tuple[tuple[Hidden, Value], ...] = ()

    def types(self) -> list[Type]:
        """The types of the parameters."""
        every = (*self.values, *(value for _, value in self.hidden))
        return list(abstract_types(iter(every), self.contents))


@dataclass(slots=True)
class Wrapper:
    """A function of the program under construction, around one of the user's functions."""

    t: Tracer
    params: list[Var]
    args: tuple[Value, ...]
    locs: dict[int, int]
    initial: State
    fitter: Fitter

    @staticmethod
    def around(ctx: Context, fun: object, home: FunctionType, inputs: Inputs) -> Wrapper:
        """A wrapper with these parameters; what it refuses is at `fun`, or else at `home`."""
        shown = fun if isinstance(fun, FunctionType) else home
        source = ctx.sources.of(shown, None)
        frame = Frame(source, ctx.sources.home(shown), scope_of(source), {}, {}, ctx.fresh())
        t = Tracer(ctx, frame, Builder(ctx.names, ctx.prims.result_types), State())
        t.b.prov = Prov(source.span(source.node))
        params = [ctx.names.var("p", type_) for type_ in inputs.types()]
        unpack = Unpacker(t, inputs.contents, iter(params))
        args = tuple(unpack.unpack(value) for value in inputs.values)
        for hidden, value in inputs.hidden:
            frame.hidden[hidden.key] = unpack.unpack(value)
        frame.owned |= set(t.state.arrays)
        return Wrapper(t, params, args, unpack.locs, t.state.copy(), Fitter(t, source.name))

    def more(self, types: Sequence[Type]) -> list[Var]:
        """Further parameters."""
        added = [self.t.ctx.names.var("p", type_) for type_ in types]
        self.params += added
        return added

    def lend(self, value: Value) -> Value:
        """A value made of further parameters: its arrays are the caller's."""
        self.t.frame.owned |= {part.loc for part in leaves_of(value) if isinstance(part, ArrayRef)}
        return value

    def call(self, fun: object, args: Sequence[Value]) -> Value:
        """The result of the user's function; its arguments must be left as they are."""
        value = self.t.call(Static(fun), args, {})
        state = self.t.state
        same = all(state.arrays[loc] is atom for loc, atom in self.initial.arrays.items())
        same = same and all(state.cells[c] == held for c, held in self.initial.cells.items())
        if not same or self.initial.arrays.keys() & state.stale.keys():
            raise refuse(
                self.t, f"{self.fitter.name!r} has to do with a derivative rule and writes its arguments",
                "work on a copy: x = x.copy()",
            )  # fmt: skip
        return value

    def finish(self, name: str, results: Sequence[Atom], custom: CustomRule | None = None) -> None:
        """Adds the function to the program."""
        block, prov = self.t.b.block(results), self.t.b.prov
        self.t.ctx.functions[name] = Function(name, tuple(self.params), block, custom, prov)


def leaves_of(value: Value) -> Iterator[Scalar | ArrayRef]:
    """The numbers and arrays inside a value, in order."""
    if isinstance(value, Scalar | ArrayRef):
        yield value
    for part in parts(value):
        yield from leaves_of(part)


def call_ruled(t: Tracer, fun: Ruled, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    """A call of a function with a rule."""
    if fun.rule is None:
        raise refuse(
            t, f"{fun.__name__!r} has no derivative rule yet", f"give it one with def{fun.kind}"
        )
    given = _positional(t, fun, args, kwargs)
    ctx, before = t.ctx, set(t.state.arrays)
    own = [separate(t, value) for value in given]
    while True:
        packer = Packer(t)
        values = tuple(packer.pack(value) for value in own)
        base = (fun, values, tuple(packer.contents))
        needs = ctx.needs.get(base, {})
        hidden = tuple((h, packer.pack(_hidden(t, h))) for h in needs.values())
        inputs = Inputs(values, tuple(packer.contents), hidden)
        key = (base, tuple((h.key, value) for h, value in hidden))
        try:
            known = ctx.specs.get(key) or _translate(t, fun, key, inputs)
        except NeedHidden as need:
            ctx.needs.setdefault(base, {})[need.hidden.key] = need.hidden
            continue
        break
    if known is None or isinstance(known, Plain):
        return t.call(Static(fun.fun), given, {})
    atoms = tuple(packer.atoms)
    for loc in set(t.state.arrays) - before:
        del t.state.arrays[loc]
    if ctx.stack:
        ctx.stack[-1].uses |= known.uses
    outs = t.b.bind(Call(known.name, atoms), list(leaf_types(known.output)))
    value = rebuild(t, known.output, list(outs))
    _link(t, known, packer, list(zip(leaves_all(given), leaves_all(own), strict=True)), value)
    return value
