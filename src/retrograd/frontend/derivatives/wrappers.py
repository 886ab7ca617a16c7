"""Functions of the program that are made around one of the user's: parameters in, leaves out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import FunctionType

from retrograd.errors import Span
from retrograd.frontend.derivatives.fitting import Fitter
from retrograd.frontend.identity.surroundings import package_of
from retrograd.frontend.values.freezing import thawed
from retrograd.frontend.values.kinds import ArrayRef, Scalar, Static, Value, parts
from retrograd.frontend.values.liveness import scope_of
from retrograd.frontend.values.pack import Unpacker, abstract_types
from retrograd.frontend.values.tracer import Context, Frame, Hidden, State, Tracer
from retrograd.frontend.values.trees import opened
from retrograd.ir.build import Builder
from retrograd.ir.terms import Atom, CustomRule, Function, Prov, Var
from retrograd.ir.types import Type

__all__ = ["Inputs", "Wrapper", "leaves_of"]


def leaves_of(value: Value) -> Iterator[Scalar | ArrayRef]:
    """The numbers and arrays inside a value, in order."""
    if isinstance(value, Scalar | ArrayRef):
        yield value
    for part in parts(value):
        yield from leaves_of(part)


@dataclass(frozen=True, slots=True)
class Inputs:
    """Packed values that are the parameters of a wrapper.

    `place` is the first line that calls a function of ours, of which there is one for all lines.
    """

    values: tuple[Value, ...] = ()
    contents: tuple[Value, ...] = ()
    hidden: tuple[tuple[Hidden, Value], ...] = ()
    place: Span | None = None

    def types(self) -> list[Type]:
        """The types of the parameters."""
        every = (*self.values, *(value for _, value in self.hidden))
        return list(abstract_types(iter(every), self.contents))


@dataclass(slots=True)
class Wrapper:
    """Such a function, under construction.

    `initial` is the state at its beginning, `locs` maps packed locations to its own.
    """

    t: Tracer
    params: list[Var]
    args: tuple[Value, ...]
    locs: dict[int, int]
    initial: State
    fitter: Fitter

    @staticmethod
    def around(ctx: Context, fun: object, home: FunctionType, inputs: Inputs) -> Wrapper:
        """A wrapper with these parameters; what it refuses is at `fun`, or else at `home`."""
        own = isinstance(fun, FunctionType) and package_of(fun) is None
        shown = fun if isinstance(fun, FunctionType) and own else home
        source = ctx.sources.of_ours(shown, inputs.place)
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
        self.t.frame.owned |= {leaf.loc for leaf in leaves_of(value) if isinstance(leaf, ArrayRef)}
        return value

    def call(self, fun: object, args: Sequence[Value]) -> Value:
        """The result of the user's function; dicts go in, and come out, as what they hold."""
        before = set(self.t.state.cells)
        given = [thawed(self.t, value) for value in args]
        made = self.t.state.cells.keys() - before
        self.initial.cells.update({cell: self.t.state.cells[cell] for cell in made})
        return opened(self.t, self.t.call(Static(fun), given, {}))

    def untouched(self) -> None:
        """Refuses a function that has written its arguments: with a rule, it is a pure one."""
        state, initial = self.t.state, self.initial
        same = all(state.arrays[loc] is atom for loc, atom in initial.arrays.items())
        same = same and all(state.cells[cell] == held for cell, held in initial.cells.items())
        if not same or initial.arrays.keys() & state.stale.keys():
            raise self.fitter.refuse("writes to its arguments", "work on a copy: x = x.copy()")

    def finish(self, name: str, results: Sequence[Atom], custom: CustomRule | None = None) -> None:
        """Adds the function to the program."""
        block, prov = self.t.b.block(results), self.t.b.prov
        self.t.ctx.functions[name] = Function(name, tuple(self.params), block, custom, prov)
