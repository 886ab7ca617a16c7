"""What a primitive is: one record with all its facts, and the set that transformations consult."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Protocol

from retrograd.errors import CompilerBug, Span
from retrograd.ir.build import Builder
from retrograd.ir.terms import Atom, Param, Params
from retrograd.ir.types import DType, Type
from retrograd.prims.bundles import bundled_types
from retrograd.prims.costs import Costs
from retrograd.prims.facts import Bundled, Facts

__all__ = [
    "Case", "DemandRule", "Effect", "EvalRule", "JvpRule", "Primitive", "PrimitiveSet", "Pullback",
    "RaisedError", "TypeRule", "Unsupported", "VjpRule", "ZERO", "Zero", "param",
]  # fmt: skip

TypeRule = Callable[[tuple[Type, ...], Params], tuple[Type, ...]]
EvalRule = Callable[[Sequence[Any], Params], tuple[Any, ...]]


class Effect(Enum):
    """PURE may be dropped, shared and repeated; CHECK may raise, once; TAPE is in stack order.

    OUTPUT is seen outside: it happens as often as in the program, and in this order.
    """

    PURE = "pure"
    CHECK = "check"
    TAPE = "tape"
    OUTPUT = "output"


@dataclass(frozen=True, slots=True)
class Zero:
    """The primitive has no derivative: its results do not depend smoothly on anything."""


ZERO = Zero()


@dataclass(frozen=True, slots=True)
class Unsupported:
    """The rule does not exist, on purpose; `reason` is shown to the user."""

    reason: str


class RaisedError(Exception):
    """A Python exception that the *program* raises: kind ("IndexError"), message, place."""

    def __init__(self, kind: str, message: str, span: Span | None = None) -> None:
        self.kind = kind
        self.message = message
        self.span = span
        super().__init__(kind, message, span)


class Pullback(Protocol):
    """What the reverse transformation hands to a primitive's `vjp` rule.

    Statements that the rule emits into `b` run in the reverse sweep. They may mention `args` and
    `outs` freely: whatever is still mentioned after dead-code elimination is recomputed or
    recorded.
    """

    @property
    def b(self) -> Builder: ...
    @property
    def args(self) -> tuple[Atom, ...]: ...
    @property
    def outs(self) -> tuple[Atom, ...]: ...
    @property
    def out_bars(self) -> tuple[Atom | None, ...]:
        """Cotangents of the results; None where zero. At least one is not None."""
        ...

    @property
    def params(self) -> Params: ...
    def wants(self, position: int) -> bool:
        """Whether argument `position` is active; contributions to others are dropped."""
        ...

    def add(self, position: int, contribution: Atom) -> None:
        """Adds a cotangent of the type *and shape* of the argument; it may be an `out_bar`."""
        ...

    def into(self, position: int, op: str, *rest: Atom, **params: Param) -> None:
        """Replaces the argument's cotangent array x_bar by `op(x_bar, *rest)`, in place.

        For sparse contributions (`add_at`, `add_slice`); x_bar starts as zeros.
        """
        ...


JvpRule = Callable[
    [Builder, tuple[Atom, ...], tuple[Atom, ...], tuple[Atom | None, ...], Params],
    tuple[Atom | None, ...],
]
"""(b, args, outs, tangents, params) -> tangents of the results; None is zero."""

VjpRule = Callable[[Pullback], None]

DemandRule = Callable[[Builder, tuple[Atom, ...], Params], None]
"""(b, args, params): emits checks of what has to hold of the operands' extents."""


@dataclass(frozen=True, slots=True)
class Case:
    """A test case of a primitive.

    `types` are argument types; `low` and `high` bound the float data; `draw` overrides how
    arguments are made (from a NumPy generator). `smooth` says that central differences apply.
    """

    types: tuple[Type, ...]
    params: Params = ()
    low: float = -2.0
    high: float = 2.0
    smooth: bool = True
    draw: Callable[[Any], Sequence[Any]] | None = None


@dataclass(frozen=True, slots=True)
class Primitive:
    """All facts of one primitive but its machine code.

    `cost` is in units of one floating-point addition per element. `consumes` are the argument
    positions whose array the primitive takes over and updates in place. `elementwise` primitives
    broadcast as NumPy does. `demands` emits the checks of operands that are made before the
    primitive where the user's program applies it; of elementwise ones that they broadcast. `facts`
    are what transformations take for granted of it.
    """

    name: str
    type_rule: TypeRule
    eval: EvalRule
    jvp: JvpRule | Zero | Unsupported
    vjp: VjpRule | Zero | Unsupported
    cases: tuple[Case, ...]
    facts: Facts
    cost: float = 1.0
    effect: Effect = Effect.PURE
    consumes: tuple[int, ...] = ()
    elementwise: bool = False
    demands: DemandRule | None = None


@dataclass(frozen=True, slots=True)
class PrimitiveSet:
    """The primitives that a compilation knows, and the costs by which it chooses."""

    table: Mapping[str, Primitive] = field(default_factory=dict[str, Primitive])
    costs: Costs = field(default_factory=Costs)

    @staticmethod
    def of(families: Iterable[Iterable[Primitive]]) -> PrimitiveSet:
        """Assembles families; two primitives of one name are a bug."""
        table: dict[str, Primitive] = {}
        for family in families:
            for primitive in family:
                if primitive.name in table:
                    raise CompilerBug(f"two primitives named {primitive.name!r}")
                table[primitive.name] = primitive
        return PrimitiveSet(table)

    def __getitem__(self, name: str) -> Primitive:
        found = self.table.get(name)
        if found is None:
            raise CompilerBug(f"no primitive named {name!r}")
        return found

    def result_types(self, name: str, types: tuple[Type, ...], params: Params) -> tuple[Type, ...]:
        """The `Typer` of the builder."""
        primitive = self[name]
        for type_ in types:
            if type_.dtype is DType.BUNDLE and primitive.facts.bundled is not Bundled.OWN:
                return bundled_types(name, primitive.facts, primitive.type_rule, types, params)
        return primitive.type_rule(types, params)


def param(params: Params, name: str) -> Param:
    """One static parameter; a missing one is a bug."""
    for key, value in params:
        if key == name:
            return value
    raise CompilerBug(f"missing parameter {name!r}")
