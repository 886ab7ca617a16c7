"""Whether what a user's derivative rule returns fits its function, and its leaves.

Types are checked here, shapes by checks in the program, where the rule runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from retrograd.errors import UserError
from retrograd.frontend.core import Tracer
from retrograd.frontend.pure import flat_results
from retrograd.frontend.scalars import convert
from retrograd.frontend.specs import ArgSpec, LeafSpec, StaticSpec, TupleSpec, leaf_types
from retrograd.frontend.values import (
    NONE,
    ArrayRef,
    Scalar,
    Static,
    TupleValue,
    Value,
    describe,
    static_int,
)  # fmt: skip
from retrograd.ir.terms import Atom, Lit, flit, ilit
from retrograd.ir.types import BOOL, F64, DType, Type

__all__ = ["Fitter", "nothing", "refuse", "tree_like"]


def refuse(t: Tracer, message: str, way_out: str) -> UserError:
    """The error about a rule that does not fit, at the rule."""
    return t.error("RG0306", message, way_out)


def nothing(t: Tracer, type_: Type) -> Atom:
    """A value of that type that nobody reads: its arrays are empty."""
    if type_.is_scalar:
        return flit(0.0) if type_ == F64 else Lit(False, BOOL) if type_ == BOOL else ilit(0)
    return t.prim("zeros", *([ilit(0)] * type_.rank), dtype=type_.dtype.value)


def tree_like(t: Tracer, value: Value, atoms: Iterator[Atom]) -> Value:
    """Tangents for an argument: float leaves from `atoms`, 0.0 for other numbers."""
    match value:
        case Scalar() | ArrayRef():
            return t.new(next(atoms)) if value.type.is_float else Scalar(flit(0.0))
        case TupleValue():
            items = tuple(tree_like(t, item, atoms) for item in value.items)
            return TupleValue(items, value.cls)
        case _:
            return NONE


class Fitter:
    """Collects the leaves of what the rule `name` returns.

    `seen` are the arrays that are already results. A leaf is of a spec's type or becomes it; an int
    becomes a float silently, as it does in the program.
    """

    __slots__ = ("atoms", "name", "seen", "t")

    def __init__(self, t: Tracer, name: str) -> None:
        self.t = t
        self.name = name
        self.atoms: list[Atom] = []
        self.seen: set[int] = set()

    def error(self, what: str, value: Value, wanted: str) -> UserError:
        """The refusal of a part of a result."""
        return refuse(
            self.t, f"{what} of {self.name!r} is {describe(value)} and must be {wanted}",
            "return what the function's own arguments and result are made of",
        )  # fmt: skip

    def pair(self, value: Value, what: str) -> tuple[Value, Value]:
        """The two parts of a rule's result."""
        if isinstance(value, TupleValue) and len(value.items) == 2:
            return value.items[0], value.items[1]
        raise self.error("the result", value, f"a pair: {what}")

    def result(self, value: Value, spec: ArgSpec, what: str = "the value") -> None:
        """A result of the tree and types of the function's own."""
        match spec:
            case LeafSpec():
                self.leaf(value, spec.type, what)
            case TupleSpec():
                for item, inner in zip(self.items(value, spec, what), spec.items, strict=True):
                    self.result(item, inner, what)
            case StaticSpec():
                if not isinstance(value, Static) or value.obj is not spec.obj:
                    raise self.error(what, value, repr(spec.obj))

    def items(self, value: Value, spec: TupleSpec, what: str) -> tuple[Value, ...]:
        """The parts of a value that must be such a tuple."""
        if isinstance(value, TupleValue) and len(value.items) == len(spec.items):
            return value.items
        raise self.error(what, value, f"a {spec.cls.__name__} of {len(spec.items)}")

    def leaf(self, value: Value, type_: Type, what: str) -> None:
        """One number or array, converted where it is an int for a float."""
        if not isinstance(value, Scalar | ArrayRef) or value.type.rank != type_.rank:
            raise self.error(what, value, self.words(type_))
        if value.type != type_:
            if type_.dtype is not DType.F64:
                raise self.error(what, value, self.words(type_))
            held: list[Atom] = []
            flat_results(self.t, value, held, set())
            self.atoms.append(convert(self.t, held[0], DType.F64))
        else:
            flat_results(self.t, value, self.atoms, self.seen)

    def words(self, type_: Type) -> str:
        """A type as `describe` puts it."""
        return describe(Scalar(Lit(0, type_)) if type_.is_scalar else ArrayRef(0, type_))

    def derivative(self, value: Value, type_: Type, dims: Sequence[Atom], what: str) -> None:
        """A tangent or cotangent of something of that type and shape; None and 0 are zero."""
        if value == NONE or static_int(value) == 0:
            zeros = flit(0.0) if type_.is_scalar else self.t.prim("zeros", *dims, dtype="f64")
            self.atoms.append(zeros)
            return
        self.leaf(value, type_, what)
        found = self.atoms[-1]
        for axis, size in enumerate(dims):
            same = self.t.prim("eq", self.t.prim("dim", found, axis=axis), size)
            text = f"{what} of {self.name!r} has another shape than what it belongs to"
            self.t.check(same, "ValueError", text)

    def tangents(self, value: Value, spec: ArgSpec, primals: Iterator[Atom], what: str) -> None:
        """Tangents of a result whose float leaves are `primals`."""
        match spec:
            case LeafSpec() if spec.type.is_float:
                of = next(primals)
                dims = [self.t.prim("dim", of, axis=k) for k in range(of.type.rank)]
                self.derivative(value, spec.type, dims, what)
            case TupleSpec() if value == NONE or static_int(value) == 0:
                for inner in spec.items:
                    self.tangents(value, inner, primals, what)
            case TupleSpec():
                for item, inner in zip(self.items(value, spec, what), spec.items, strict=True):
                    self.tangents(item, inner, primals, what)
            case _:
                pass

    def cotangents(self, value: Value, like: Value, dims: Iterator[Atom], what: str) -> None:
        """Cotangents of an argument; `like` is the argument, `dims` the extents of its floats."""
        match like:
            case Scalar() | ArrayRef():
                if like.type.is_float:
                    own = [next(dims) for _ in range(like.type.rank)]
                    self.derivative(value, like.type, own, what)
            case TupleValue():
                zero = value == NONE or static_int(value) == 0
                if not zero and not (
                    isinstance(value, TupleValue) and len(value.items) == len(like.items)
                ):
                    raise self.error(what, value, describe(like))
                items = value.items if isinstance(value, TupleValue) else (NONE,) * len(like.items)
                for item, inner in zip(items, like.items, strict=True):
                    self.cotangents(item, inner, dims, what)
            case _:
                pass


def float_types(spec: ArgSpec) -> list[Type]:
    """The types of the leaves that have tangents."""
    return [type_ for type_ in leaf_types(spec) if type_.is_float]
