"""The state of a translation: store, frame, builder, and the way the parts reach each other.

A `Tracer` walks one function. Its `State` is what differs between two paths of the program: what
the variables hold and which atom is the current version of each array. Branches and loops copy it
and join the copies (`merge`).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import CodeType
from typing import Any

from retrograd.errors import CompilerBug, Span, UserError
from retrograd.frontend.identity.class_attributes import Holder
from retrograd.frontend.identity.dict_rows import DictRow, DictSite, LateKey, ShuffledKey
from retrograd.frontend.identity.lookups import NUMBERS, Recorder
from retrograd.frontend.identity.source import FunctionSource, Sources
from retrograd.frontend.identity.surroundings import Guard, Hidden, HiddenKey, Numbers
from retrograd.frontend.identity.uneven_arrays import UnevenLists
from retrograd.frontend.values.jumps import (
    Region,
    Split,
    is_caught,
    jump,
    jumped,
    left,
    require,
    stay,
    with_demands,
)  # fmt: skip
from retrograd.frontend.values.kinds import (
    UNBOUND,
    UNDEF,
    ArrayRef,
    Failure,
    Instance,
    Maybe,
    Scalar,
    Static,
    TupleValue,
    Unbound,
    Undef,
    Value,
    certain,
    parts,
)  # fmt: skip
from retrograd.frontend.values.needs import (
    NeedHidden,
    NeedKind,
    NeedKinds,
    NeedLists,
    NeedModules,
    NeedNumber,
    NeedPartial,
    PathEnds,
)
from retrograd.frontend.values.seen import Seen
from retrograd.frontend.values.sizes import Sizes
from retrograd.frontend.values.state import Frame, State
from retrograd.frontend.values.ways import Way
from retrograd.ir.build import Builder
from retrograd.ir.names import NameSupply
from retrograd.ir.terms import Atom, Function, Param, Params, Prim, Prov, Var, false, true
from retrograd.options.saving import Policy
from retrograd.prims.core import PrimitiveSet
from retrograd.prims.extents import demand
from retrograd.records import quickly_made

__all__ = [
    "Context", "Engine", "Frame", "Guard", "Handler", "Hidden", "HiddenKey", "NeedHidden",
    "NeedKind", "NeedKinds", "NeedLists", "NeedModules", "NeedNumber", "NeedPartial", "PathEnds",
    "State", "Tracer",
]  # fmt: skip


Handler = Callable[["Tracer", Sequence[Value], Mapping[str, Value]], Value]


@dataclass(frozen=True, slots=True)
class Engine:
    """The mutually recursive parts, so that their files need not import each other.

    `held` gives values of several kinds as they are. `library` has handlers by the `id` of what
    they stand for, `intrinsics` by the qualified names of functions that import the frontend
    themselves.
    """

    expr: Callable[[Tracer, ast.expr], Value]
    held: Callable[[Tracer, ast.expr], Value]
    test: Callable[[Tracer, ast.expr], Atom]
    block: Callable[[Tracer, Sequence[ast.stmt]], None]
    call: Callable[[Tracer, Value, Sequence[Value], Mapping[str, Value]], Value]
    library: Mapping[int, Handler]
    intrinsics: Mapping[str, Handler]


Expansion = tuple[CodeType, Any, int, Var]


_NO_USERS = ("builtins", "retrograd.frontend.", "retrograd.inversion.")
"""Modules whose objects are not the user's."""


@dataclass(slots=True)
class Context:
    """What lasts for one whole translation.

    `way` says how the program is translated, and what in here leads to another way (`Way`).
    `specs` are the specialised functions, `refused` the errors of those that cannot be, and
    `stack` those being translated (`specialise`); `assumed` are signatures to begin with, of those
    that are translated again; `variants` counts those with literal ints, by function; `needs`
    are the hidden arguments that each is known to read. `pending` are errors that stand only if the
    attempt in which they were met turns out to be the last. `recorder` notes what is looked up;
    `unnoted` notes nothing, for what library programs look up.
    `transformed` are the functions being translated for a derivative, `attributes` the cells that
    belong to objects. `compared`: objects were asked whether they are one.
    `stored_arrays` are arrays without axes that lists of run-time length have.
    `named` are the names by which policies know values, `all_names` all that there are, and
    `policies` those of checkpointed functions, each with a place where one is called.
    `sizes` are the known extents of arrays, where the program is for certain ones.
    `spaces` are the names of modules that are assigned to, by `id`.
    `divides`: the innermost short loop can be translated one iteration after the other, and is
    where a list has arrays that may differ in shape, which `divided` notes; `copies` is how often
    the statements that are translated are there by that.
    `seen` is what iterators may have read, by the cell of their items.
    `row_copies` are the buffers of lists that are, after two paths have met, one of several rows.
    `texts` are those that lists of run-time length hold, by number, `item_kinds` the kinds of
    items.
    `heaps` are the classes of lists that are held by lists, by where these are made, `tables_of`
    the attributes of classes of which objects are rows, both as `way` says.
    `expansions` are the library programs whose statements stand where they were called: for each
    which one, for what arguments, its statements and a variable of theirs.
    `bending` are parameters of functions that are given arrays of other extents each time.
    `made_by_iter` says where `iter` was called, by the cell of an iterator's items.
    `passable`: what is refused is where the program may never come.
    `undoing`: a reversible function is being translated, in which others are functions like all.
    """

    prims: PrimitiveSet
    engine: Engine
    recorder: Recorder
    way: Way
    names: NameSupply = field(default_factory=NameSupply)
    sources: Sources = field(default_factory=Sources)
    unnoted: Recorder = field(default_factory=Recorder.of_nothing)
    functions: dict[str, Function] = field(default_factory=dict[str, Function])
    specs: dict[Any, Any] = field(default_factory=dict[Any, Any])
    assumed: dict[Any, Any] = field(default_factory=dict[Any, Any])
    needs: dict[Any, dict[HiddenKey, Hidden]] = field(
        default_factory=dict[Any, dict[HiddenKey, Hidden]]
    )
    guards: dict[tuple[object, ...], Guard] = field(default_factory=dict[tuple[object, ...], Guard])
    pending: list[UserError] = field(default_factory=list[UserError])
    stack: list[Any] = field(default_factory=list[Any])
    transformed: list[FunctionSource] = field(default_factory=list[FunctionSource])
    attributes: set[int] = field(default_factory=set[int])
    refused: dict[Any, UserError] = field(default_factory=dict[Any, UserError])
    variants: dict[FunctionSource, int] = field(default_factory=dict[FunctionSource, int])
    counter: int = 0
    compared: bool = False
    undoing: bool = False
    passable: bool = False
    has_trees: bool = False
    openable: bool = False
    assigned: set[tuple[Holder, str]] = field(default_factory=set[tuple[Holder, str]])
    added: set[tuple[type, str]] = field(default_factory=set[tuple[type, str]])
    ordered: set[type] = field(default_factory=set[type])
    numbered: set[HiddenKey] = field(default_factory=set[HiddenKey])
    stored_arrays: set[int] = field(default_factory=set[int])
    named: dict[Var, list[str]] = field(default_factory=dict[Var, list[str]])
    all_names: set[str] = field(default_factory=set[str])
    policies: dict[Policy, Span | None] = field(default_factory=dict[Policy, Span | None])
    sizes: Sizes | None = None
    spaces: dict[int, dict[str, Any]] = field(default_factory=dict[int, dict[str, Any]])
    dropped: bool = False
    sunk: bool = False
    grown: bool = False
    pickable: bool = False
    stackable: bool = False
    divides: bool = False
    divided: bool = False
    copies: int = 1
    kept: bool = False
    keyed: set[Span] = field(default_factory=set[Span])
    dicts: set[DictSite] = field(default_factory=set[DictSite])
    later: set[LateKey] = field(default_factory=set[LateKey])
    shuffled: set[ShuffledKey] = field(default_factory=set[ShuffledKey])
    texts: list[str] = field(default_factory=list[str])
    item_kinds: dict[object, int] = field(default_factory=dict[object, int])
    mixed: bool = False
    lost: bool = False
    seen: dict[int, Seen] = field(default_factory=dict[int, Seen])
    heaps: Mapping[Span, type] = field(init=False)
    bending: set[tuple[FunctionSource, str]] = field(
        default_factory=set[tuple[FunctionSource, str]]
    )
    made_by_iter: dict[int, Span] = field(default_factory=dict[int, Span])
    stepped: set[Span] = field(default_factory=set[Span])
    heaped: set[frozenset[Span]] = field(default_factory=set[frozenset[Span]])
    uneven: set[UnevenLists] = field(default_factory=set[UnevenLists])
    row_copies: set[int] = field(default_factory=set[int])
    rivalry: bool = False
    peelable: bool = False
    crowded: dict[type, tuple[str, ...]] = field(default_factory=dict[type, tuple[str, ...]])
    tables_of: Mapping[type, tuple[str, ...]] = field(init=False)
    expansions: list[Expansion] = field(default_factory=list["Expansion"])

    def __post_init__(self) -> None:
        self.heaps, self.tables_of = self.way.heap_classes, self.way.tables_of

    def fresh(self) -> int:
        """A new number for a cell or a location."""
        self.counter += 1
        return self.counter

    def fresh_place(self, attributes: int) -> int:
        """A new number for an object, with those after it for its attributes."""
        place = self.fresh()
        self.attributes.add(place)
        for _ in range(attributes):
            self.attributes.add(self.fresh())
        return place

    def note_crowd(self, value: Instance) -> None:
        """Notes the class of an object that cannot be a variable of its own."""
        if value.cls.__module__.startswith(_NO_USERS) and not issubclass(value.cls, DictRow):
            self.rivalry = True
        else:
            self.crowded[value.cls] = value.names

    def guard(self, obj: object, kind: str = "direct", holder: Any = None, name: str = "") -> None:
        """Remembers that the program has baked `obj` in, and where it found it."""
        if kind == "direct":
            if getattr(obj, "__code__", None) is None:
                return
            self.recorder.require(obj)
        key = (kind, id(holder), name, id(obj))
        self.guards.setdefault(key, Guard.of(kind, holder, name, obj))

    def guard_numbers(self, hidden: Hidden, numbers: Numbers) -> None:
        """Remembers that the ints of a hidden argument are literals of the program."""
        kind, holder, name = hidden.kind, hidden.holder, hidden.name
        self.recorder.ask(kind, holder, name, NUMBERS)
        self.guards.setdefault(hidden.key, Guard.numbered(kind, holder, name, numbers))


@quickly_made
@dataclass(frozen=True, slots=True)
class _At:
    """`Tracer.at`; a generator would take three times as long, and each expression has one."""

    tracer: Tracer
    builder: Builder
    saved: Prov
    node: ast.AST

    def __enter__(self) -> None:
        span = self.tracer.frame.source.span(self.node)
        self.builder.prov = Prov(span, checkpoints=self.saved.checkpoints)

    def __exit__(self, *_: object) -> None:
        self.builder.prov = self.tracer.b.prov = self.saved


@quickly_made
@dataclass(slots=True)
class Tracer:
    """Translates one function: the operations that every part needs.

    `regions` are the bodies of `try` statements around, `splits` the paths that have parted since
    the block began (`jumps`), `handling` the exceptions whose handlers these are, and `inlined` the
    functions that are translated where they are called. `kinds_known` counts the values of which it
    is assumed of which kind they are, and `kind_errors` are what Python raises there. `indices` are
    those of the loops around, with the builders of their bodies, what they carry, and those
    of it that are arrays with other extents after each iteration; `bending` are such parameters.
    `ahead` has what iterators have read that a loop is about to run over. `conditional` counts the
    sides of branches around this.
    """

    ctx: Context
    frame: Frame
    b: Builder
    state: State
    regions: list[Region] = field(default_factory=list[Region])
    splits: list[Split] = field(default_factory=list[Split])
    handling: list[Value] = field(default_factory=list[Value])
    inlined: list[FunctionSource] = field(default_factory=list[FunctionSource])
    consumed: tuple[ast.AST | None, object] = (None, None)
    ahead: list[Seen] | None = None
    kinds_known: int = 0
    kind_errors: list[UserError] = field(default_factory=list[UserError])
    indices: list[tuple[Var, Builder, frozenset[Var], frozenset[Var]]] = field(
        default_factory=list[tuple[Var, Builder, frozenset[Var], frozenset[Var]]]
    )
    bending: frozenset[Var] = frozenset()
    conditional: int = 0

    # Places and errors.

    def at(self, node: ast.AST) -> _At:
        """What is emitted inside has the place of `node`."""
        return _At(self, self.b, self.b.prov, node)

    @property
    def span(self) -> Span | None:
        return self.b.prov.span

    def error(
        self, code: str, message: str, way_out: str,
        python: type[Exception] | None = None,
    ) -> UserError:  # fmt: skip
        """A user's error at the present place.

        `way_out` says what to write; `python` is what Python raises there, if it does.
        """
        found = UserError(code, message, self.span, way_out)
        found.python = python
        return found

    # Surroundings.

    @property
    def recorder(self) -> Recorder:
        """What notes the questions of this function."""
        return self.ctx.unnoted if self.frame.origin.ours else self.ctx.recorder

    def guard(self, obj: object, kind: str = "direct", holder: Any = None, name: str = "") -> None:
        """`Context.guard`, but of what a library program finds."""
        if not self.frame.origin.ours:
            self.ctx.guard(obj, kind, holder, name)

    # Evaluation.

    def eval(self, node: ast.expr) -> Value:
        """The value of an expression."""
        return self.ctx.engine.expr(self, node)

    def held(self, node: ast.expr) -> Value:
        """The value of an expression, of which it need not be known of which kind it is."""
        return self.ctx.engine.held(self, node)

    def test(self, node: ast.expr) -> Atom:
        """The truth of an expression, whose `and` and `or` need no common kind of value."""
        return self.ctx.engine.test(self, node)

    def call(self, fun: Value, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
        """The value of a call."""
        return self.ctx.engine.call(self, fun, args, kwargs)

    # Emission.

    def prim(self, op: str, *args: Atom, **params: Param) -> Atom:
        """Applies a primitive with one result, after checks of what it demands."""
        fixed: Params = tuple(sorted(params.items()))
        sizes = self.ctx.sizes
        known = None if sizes is None else sizes.decide(self.ctx.prims, op, args, fixed)
        if known is not None:
            return known
        if not self.regions:
            demand(self.b, self.ctx.prims, op, args, fixed)
        elif not with_demands(self, op, args, fixed):
            raise PathEnds
        types = self.b.typer(op, tuple(a.type for a in args), fixed)
        out = self.b.bind(Prim(op, args, fixed), types)[0]
        if sizes is not None:
            sizes.follow(self.ctx.prims, op, args, fixed, out)
        return out

    def check(self, cond: Atom, kind: str, message: str) -> None:
        """Emits a run-time check."""
        if cond == true:
            return
        if is_caught(self, kind):
            if not require(self, cond, kind, Failure(ValueError, (Static(message),))):
                raise PathEnds
        else:
            self.b.effect("check", cond, kind=kind, message=message, span=self.span)
        self.state.sure |= {cond}

    # Arrays.

    def new(self, atom: Atom) -> Value:
        """The value of a fresh atom: a scalar, or a new location that holds this array."""
        if atom.type.is_scalar:
            return Scalar(atom)
        if any(held is atom for held in self.state.arrays.values()):
            atom = self.prim("copy", atom)
        loc = self.ctx.fresh()
        self.state.arrays[loc] = atom
        return ArrayRef(loc, atom.type)

    def base(self, loc: int) -> Atom:
        """The current version of the array at a location; refused if it may have changed."""
        if loc in self.state.stale:
            self.ctx.heaped.update(self.state.sites_of_rows(loc))
            way_out = "take a copy where the two names meet: x.copy()"
            raise self._changed("array", self.state.stale[loc], way_out)
        if loc not in self.state.arrays:
            raise CompilerBug("an array is read that a loop has taken over", self.span)
        return self.state.arrays[loc]

    def _changed(self, what: str, where: Span | None, way_out: str) -> UserError:
        line = f" in line {where.line}" if where else ""
        message = f"this {what} may be another name of one that was changed{line}"
        return self.error("RG0106", message, way_out)

    def store(self, loc: int, atom: Atom) -> None:
        """Makes `atom` the current version of a location; possible aliases become stale."""
        self.state.arrays[loc] = atom
        self.frame.stored.add(loc)
        for other in self.state.links.get(loc, frozenset()):
            self.state.stale.setdefault(other, self.span)

    # Attributes of objects.

    def content(self, cell: int) -> Value:
        """What an attribute holds; refused if it may have changed under another name."""
        if cell in self.state.stale:
            self.note_owner(cell)
            way_out = "make a new object where the two names meet"
            raise self._changed("object", self.state.stale[cell], way_out)
        return self.state.cells.get(cell, UNBOUND)

    def note_owner(self, cell: int) -> None:
        """Notes the class of the object whose attribute may be that of another one."""
        pending = [certain(held) for held in self.state.cells.values()]
        while pending:
            value = pending.pop()
            if not isinstance(value, Instance):
                pending += map(certain, parts(value))
            elif cell in value.cells:
                self.ctx.note_crowd(value)
                self.note_list(self.state.cells.get(cell))

    def note_list(self, content: Value | None) -> None:
        """Notes where a list is made that holds these items, as it has to be one of its own."""
        held = None if content is None else certain(content)
        if isinstance(held, TupleValue) and held.sites:
            self.ctx.heaped.add(held.sites)

    def set_content(self, cell: int, value: Value) -> None:
        """Assigns to an attribute; those that may be the same one become stale."""
        self.state.cells[cell] = value
        self.state.stale.pop(cell, None)
        for other in self.state.links.get(cell, frozenset()):
            self.state.stale.setdefault(other, self.span)

    # Paths.

    def leave(self) -> None:
        """This path returns: its variables are of no use to what follows."""
        self.state.live = false
        for _, cell in self.frame.plain_cells():
            self.state.cells[cell] = UNDEF

    def end_path(self, error: UserError | None = None) -> None:
        """This path ends in an exception, or in what is not known yet."""
        if jumped(self):
            return
        if error is not None:
            self.ctx.pending.append(error)
        self.leave()
        self.state.raised = True
        self.state.cells.setdefault(self.frame.ret, UNDEF)

    def stop(
        self, kind: str, message: Param, numbers: Sequence[Atom] = (),
        failure: Failure | None = None,
    ) -> None:  # fmt: skip
        """Emits an exception that is always raised, and ends the path.

        `message` is its text, or its arguments, which show the `numbers` (`retrograd.messages`).
        """
        if jump(self, kind, failure, str(message)):
            return
        self.b.effect("check", false, *numbers, kind=kind, message=message, span=self.span)
        self.end_path()

    def returned(self) -> Atom:
        """Whether the function has already returned here, or jumped to a handler."""
        gone = left(self, self.state) if self.regions else false
        match self.state.cells.get(self.frame.ret):
            case None | Unbound() | Undef():
                return gone
            case Maybe() as value:
                return value.flag if gone == false else self.prim("or_", value.flag, gone)
            case _:
                return true

    def resume(self) -> None:
        """Records that no `return`, `break` or `continue` has happened on this path."""
        self.state.live = true
        self.state.cells.pop(self.frame.ret, None)
        for cell in self.frame.brk:
            if cell in self.state.cells:
                self.state.cells[cell] = Scalar(false)
        stay(self)
