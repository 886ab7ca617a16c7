"""Whether what a user's derivative rule returns fits its function, and its leaves.

Types are checked here, shapes by checks in the program, where the rule runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from retrograd.errors import UserError
from retrograd.frontend.derivatives.results import Results
from retrograd.frontend.identity.flattening import leaf_types
from retrograd.frontend.identity.specs import ArgSpec, DictSpec, LeafSpec, StaticSpec, TupleSpec
from retrograd.frontend.values.arrays import value_atom
from retrograd.frontend.values.kinds import (
    NONE,
    ArrayRef,
    DictValue,
    Scalar,
    Static,
    TupleValue,
    Value,
    describe,
    with_parts,
)  # fmt: skip
from retrograd.frontend.values.literals import static_int
from retrograd.frontend.values.scalars import convert
from retrograd.frontend.values.tracer import Tracer
from retrograd.frontend.values.trees import aligned, of_spec
from retrograd.ir.terms import Atom, Lit, false, flit, ilit
from retrograd.ir.types import F64, I64, DType, Type

__all__ = ["Fitter", "float_types", "nothing", "tangent_tree", "tree_like"]


def nothing(t: Tracer, type_: Type) -> Atom:
    """A value of that type that nobody reads: its arrays are empty."""
    if not type_.is_scalar:
        return t.prim("zeros", *([ilit(0)] * type_.rank), dtype=type_.dtype.value)
    return flit(0.0) if type_ == F64 else ilit(0) if type_ == I64 else false


def tree_like(t: Tracer, value: Value, dots: Mapping[Atom, Atom]) -> Value:
    """The tangents of an argument: those in `dots` for its float leaves, 0.0 for other numbers."""
    match value:
        case Scalar() | ArrayRef() if value.type.is_float:
            return t.new(dots[value_atom(t, value)])
        case Scalar() | ArrayRef():
            return Scalar(flit(0.0))
        case TupleValue() | DictValue():
            return with_parts(value, tuple(tree_like(t, item, dots) for item in value.items))
        case _:
            return NONE


def tangent_tree(t: Tracer, spec: ArgSpec, atoms: Iterator[Atom]) -> Value:
    """As `tree_like`, for something of that spec."""
    match spec:
        case LeafSpec():
            return t.new(next(atoms)) if spec.type.is_float else Scalar(flit(0.0))
        case TupleSpec() | DictSpec():
            return of_spec(spec, tuple(tangent_tree(t, s, atoms) for s in spec.items))
        case _:
            return NONE


def float_types(spec: ArgSpec) -> list[Type]:
    """The types of the leaves that have tangents."""
    return [type_ for type_ in leaf_types(spec) if type_.is_float]


def _is_zero(value: Value) -> bool:
    return value == NONE or static_int(value) == 0


def _words(type_: Type) -> str:
    """A type as `describe` puts it."""
    return describe(Scalar(Lit(0, type_)) if type_.is_scalar else ArrayRef(0, type_))


@dataclass(slots=True)
class Fitter:
    """Collects the leaves of what the user's function `name` returns.

    `seen` are the arrays that are already results. A leaf is of the type that it must have, or
    becomes it: an int becomes a float silently, as it does in the program.
    """

    t: Tracer
    name: str
    atoms: list[Atom] = field(default_factory=list[Atom])
    seen: set[int] = field(default_factory=set[int])

    def refuse(self, does: str, way_out: str) -> UserError:
        """The error about a function that does not fit."""
        return self.t.error(
            "RG0306", f"{self.name!r} belongs to a derivative rule and {does}", way_out
        )

    def misfit(self, what: str, value: Value, wanted: str) -> UserError:
        """The error about a part of a result."""
        does = f"returns {describe(value)} as {what}, which must be {wanted}"
        return self.refuse(
            does, "return what the arguments and the result of the function are made of"
        )

    def pair(self, value: Value, what: str) -> tuple[Value, Value]:
        """The two parts of a rule's result."""
        if isinstance(value, TupleValue) and len(value.items) == 2:
            return value.items[0], value.items[1]
        raise self.refuse(f"returns {describe(value)}", f"return a pair: {what}")

    def each(self, value: Value, count: int) -> tuple[Value, ...]:
        """The cotangents, one for each argument."""
        if isinstance(value, TupleValue) and len(value.items) == count:
            return value.items
        way_out = f"return a tuple of {count}, one cotangent for each argument"
        raise self.refuse(f"returns {describe(value)}", way_out)

    def result(self, value: Value, spec: ArgSpec, what: str = "the value") -> None:
        """A result of the tree and types of the function's own."""
        match spec:
            case LeafSpec():
                self.leaf(value, spec.type, what)
            case TupleSpec() | DictSpec():
                for item, inner in zip(self.items(value, spec, what), spec.items, strict=True):
                    self.result(item, inner, what)
            case _:
                known = spec if isinstance(spec, StaticSpec) else StaticSpec(None)
                if not isinstance(value, Static) or StaticSpec(value.obj) != known:
                    raise self.misfit(what, value, repr(known.obj))

    def items(self, value: Value, spec: TupleSpec | DictSpec, what: str) -> tuple[Value, ...]:
        """The parts of a value that must be such a tuple or dict."""
        found = aligned(value, spec)
        if found is not None:
            return found
        wanted = describe(of_spec(spec, (NONE,) * len(spec.items)))
        raise self.misfit(what, value, wanted)

    def leaf(self, value: Value, type_: Type, what: str) -> None:
        """One number or array."""
        if not isinstance(value, Scalar | ArrayRef) or value.type.rank != type_.rank:
            raise self.misfit(what, value, _words(type_))
        if value.type == type_:
            Results(self.t, atoms=self.atoms, seen=self.seen).flat(value)
        elif type_.is_float:
            self.atoms.append(convert(self.t, value_atom(self.t, value), DType.F64))
        else:
            raise self.misfit(what, value, _words(type_))

    def derivative(self, value: Value, type_: Type, dims: Sequence[Atom], what: str) -> None:
        """A tangent or cotangent of something of that type and shape; None and 0 are zero."""
        if _is_zero(value):
            zeros = flit(0.0) if type_.is_scalar else self.t.prim("zeros", *dims, dtype="f64")
            self.atoms.append(zeros)
            return
        self.leaf(value, type_, what)
        found = self.atoms[-1]
        for axis, size in enumerate(dims):
            same = self.t.prim("eq", self.t.prim("dim", found, axis=axis), size)
            text = f"{self.name!r} returns {what} of another shape than what it belongs to"
            self.t.check(same, "ValueError", text)

    def tangents(self, value: Value, spec: ArgSpec, primals: Iterator[Atom]) -> None:
        """The tangent of a result whose float leaves are `primals`."""
        match spec:
            case LeafSpec() if spec.type.is_float:
                primal = next(primals)
                dims = [self.t.prim("dim", primal, axis=k) for k in range(primal.type.rank)]
                self.derivative(value, spec.type, dims, "the tangent")
            case TupleSpec() | DictSpec():
                zero = (value,) * len(spec.items)
                items = zero if _is_zero(value) else self.items(value, spec, "the tangent")
                for item, inner in zip(items, spec.items, strict=True):
                    self.tangents(item, inner, primals)
            case _:
                pass

    def cotangents(self, value: Value, like: Value, dims: Iterator[Atom], what: str) -> None:
        """The cotangent of an argument `like`; `dims` are the extents of its float arrays."""
        match like:
            case Scalar() | ArrayRef() if like.type.is_float:
                own = [next(dims) for _ in range(like.type.rank)]
                self.derivative(value, like.type, own, what)
            case TupleValue() | DictValue():
                zero = (value,) * len(like.items)
                items = zero if _is_zero(value) else aligned(value, like)
                if items is None:
                    raise self.misfit(what, value, describe(like))
                for item, inner in zip(items, like.items, strict=True):
                    self.cotangents(item, inner, dims, what)
            case _:
                pass
