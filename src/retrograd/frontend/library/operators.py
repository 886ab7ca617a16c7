"""Python's operators on values: scalars to `scalars`, arrays to element-wise primitives."""

from __future__ import annotations

import ast

import numpy as np

from retrograd.frontend.library.complexes import (
    complex_binary,
    complex_compare,
    complex_in_place,
    complex_into_real,
    complex_negative,
)
from retrograd.frontend.library.instances import operate, special
from retrograd.frontend.library.list_comparisons import compare_lists
from retrograd.frontend.library.optional_operands import compare_options
from retrograd.frontend.library.plain.products import products_of_ints, products_of_stacks
from retrograd.frontend.library.sameness import same_object, same_static
from retrograd.frontend.library.texts import binary_text, compare_texts
from retrograd.frontend.values import large_ints, scalars
from retrograd.frontend.values.arrays import extent, read, value_atom, write
from retrograd.frontend.values.clocks import refuse_times
from retrograd.frontend.values.freezing import frozen
from retrograd.frontend.values.heads import same_head
from retrograd.frontend.values.kinds import (
    Applied,
    ArrayRef,
    Bound,
    Closure,
    ComplexValue,
    DictValue,
    Instance,
    Option,
    Scalar,
    Static,
    Text,
    Transform,
    TupleValue,
    Value,
    describe,
)  # fmt: skip
from retrograd.frontend.values.literals import static_int
from retrograd.frontend.values.members import as_number, combined
from retrograd.frontend.values.numbers import is_python, of_both
from retrograd.frontend.values.object_rows import same_rows
from retrograd.frontend.values.optional import sure, sure_pair
from retrograd.frontend.values.powers import array_power, power
from retrograd.frontend.values.records import compares_fields, held_by, is_record
from retrograd.frontend.values.scalars import convert, join_dtype
from retrograd.frontend.values.small_ints import in_range, inverted, plain_ints
from retrograd.frontend.values.tracer import NeedKinds, Tracer
from retrograd.frontend.values.zero_dimensional import changed_number
from retrograd.ir.terms import Atom, Lit, false, ilit, true
from retrograd.ir.types import BOOL, F64, DType

__all__ = [
    "augmented", "binary", "compare_values", "dtype_of", "elementwise", "in_place",
    "matmul", "negative", "sign_of", "symbol_of", "unary",
]  # fmt: skip

_BINARY: dict[type[ast.operator], str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.FloorDiv: "floordiv",
    ast.Mod: "mod", ast.Pow: "pow", ast.MatMult: "matmul", ast.BitAnd: "and", ast.BitOr: "or",
    ast.BitXor: "xor", ast.LShift: "shl", ast.RShift: "shr",
}  # fmt: skip
_BITS = ("and", "or", "xor", "shl", "shr")


def symbol_of(op: ast.operator) -> str:
    """The name by which `binary` knows an operator."""
    return _BINARY[type(op)]


def sign_of(op: ast.operator) -> str:
    """An operator as it is written."""
    return _TEXT[type(op)]


def dtype_of(atom: Atom) -> DType:
    """The element type of an atom."""
    return atom.type.dtype


def binary(t: Tracer, op: str, a: Value, b: Value) -> Value:
    """`a op b`."""
    a, b = sure_pair(t, op, a, b)
    if (flags := combined(op, a, b)) is not None:
        return flags
    a, b = as_number(a), as_number(b)
    if (found := large_ints.folded(t, op, a, b)) is not None:
        return found
    a, b = large_ints.as_operands(t, op, a, b)
    if isinstance(a, Scalar) and isinstance(b, Scalar):
        made = _scalar_binary(t, op, a, b)
        return in_range(t, of_both(made, a, b), a, b)
    if (text := binary_text(t, op, a, b)) is not None:
        return text
    if isinstance(a, ComplexValue) or isinstance(b, ComplexValue):
        found = operate(t, op, a, b)
        return complex_binary(t, op, a, b) if found is None else found
    if (found := _by_class(t, op, a, b)) is not None:
        return found
    plain = not any(isinstance(value, Instance) or is_record(value) for value in (a, b))
    if plain and (isinstance(a, TupleValue) or isinstance(b, TupleValue)):
        return _tuple_binary(t, op, a, b)
    if not isinstance(a, Scalar | ArrayRef) or not isinstance(b, Scalar | ArrayRef):
        found = operate(t, op, a, b)
        if found is not None:
            return found
        odd = any(isinstance(v, Static | Text) and _is_no_number(v) for v in (a, b))
        message = f"no operation on {describe(a)} and {describe(b)}"
        way_out = "take numbers or arrays of them: an item, an attribute, or np.array(...)"
        raise t.error("RG0110", message, way_out, python=TypeError if odd else None)
    if op == "matmul":
        return matmul(t, a, b)
    return t.new(elementwise(t, op, value_atom(t, a), value_atom(t, b)))


def _by_class(t: Tracer, op: str, a: Value, b: Value) -> Value | None:
    """`a op b` where the class of a frozen dataclass or NamedTuple may say what it is."""
    own = (isinstance(v, TupleValue) and v.cls not in (tuple, list) for v in (a, b))
    return operate(t, op, a, b) if any(own) else None


def _compared_objects(t: Tracer, op: str, a: Value, b: Value) -> Value | None:
    """`a op b` where one is complex, or has a class of its own; None where that says nothing."""
    if (found := _by_fields(t, op, a, b)) is not None:
        return found
    if isinstance(a, ComplexValue) or isinstance(b, ComplexValue):
        found = operate(t, op, a, b)
        return complex_compare(t, op, a, b) if found is None else found
    if not isinstance(a, Instance) and not isinstance(b, Instance):
        found = _by_class(t, op, a, b)
        if found is None and op in ("eq", "ne") and is_record(a) != is_record(b):
            return Scalar(true if op == "ne" else false)
        return found
    found = operate(t, op, a, b)
    if found is None and op in ("eq", "ne"):
        if (same := same_rows(t, a, b)) is not None:
            return Scalar(same if op == "eq" else scalars.logical_not(t, same))
        return Scalar(true if same_object(t, a, b) == (op == "eq") else false)
    return found


def _by_fields(t: Tracer, op: str, a: Value, b: Value) -> Value | None:
    """What the comparison gives that `dataclass` has written: of one class, that of the fields."""
    names = compares_fields(a, "__eq__" if op == "ne" else f"__{op}__")
    if names is None or not isinstance(a, Instance | TupleValue):
        return None
    if not isinstance(b, Instance | TupleValue) or a.cls is not b.cls:
        found = operate(t, op, a, b)
        equality = Scalar(true if op == "ne" else false) if op in ("eq", "ne") else None
        return equality if found is None else found
    return _comparison_of_tuples(t, op, held_by(t, a, names), held_by(t, b, names))


def _is_no_number(value: Static | Text) -> bool:
    """Whether Python knows no arithmetic on it: None, or a text."""
    return isinstance(value, Text) or value.obj is None or isinstance(value.obj, str)


def _scalar_binary(t: Tracer, op: str, a: Scalar, b: Scalar) -> Value:
    if a.type == b.type == BOOL and op in ("add", "sub", "mul") and _truths(t, a, b):
        return Scalar(elementwise(t, op, a.atom, b.atom))
    if op == "pow":
        return power(t, a, b)
    if op in _BITS:
        return scalars.bits(t, op, a, b)
    if op == "matmul":
        raise t.error("RG0110", "`@` of two numbers", "write `*`")
    return scalars.arith(t, op, a, b)


def _truths(t: Tracer, *values: Scalar) -> bool:
    """Whether truth values are NumPy's; Python's are ints."""
    if any(value.numpy for value in values):
        return True
    if not t.ctx.way.kinds and not all(map(is_python, values)):
        raise NeedKinds
    return False


def _tuple_binary(t: Tracer, op: str, a: Value, b: Value) -> Value:
    if isinstance(a, TupleValue) and isinstance(b, TupleValue) and op == "add":
        return TupleValue((*a.items, *b.items), a.cls if a.cls is list else tuple)
    if isinstance(a, ArrayRef) or isinstance(b, ArrayRef):
        asarray = Static(np.asarray)
        return binary(t, op, t.call(asarray, (a,), {}), t.call(asarray, (b,), {}))
    for one, other in ((a, b), (b, a)):
        count = static_int(other)
        if op == "mul" and isinstance(one, TupleValue) and count is not None:
            return TupleValue(one.items * max(count, 0), one.cls if one.cls is list else tuple)
    raise t.error(
        "RG0110",
        f"no operation on {describe(a)} and {describe(b)}",
        "put the numbers into an array: np.array((a, b))",
    )


def elementwise(t: Tracer, op: str, x: Atom, y: Atom) -> Atom:
    """An arithmetic or bit operation of which at least one operand is an array."""
    joined = join_dtype(dtype_of(x), dtype_of(y))
    if op in _BITS:
        return _bitwise(t, op, x, y, joined)
    if joined is DType.BOOL:
        if op in ("add", "mul"):
            return t.prim("or_" if op == "add" else "and_", x, y)
        if op == "sub":
            raise t.error("RG0110", "`-` of two arrays of bools", "write `^`")
        joined = DType.I64
    if op == "div":
        joined = DType.F64
    if op == "pow":
        return array_power(t, x, y, joined)
    return t.prim(op, convert(t, x, joined), convert(t, y, joined))


def _bitwise(t: Tracer, op: str, x: Atom, y: Atom, joined: DType) -> Atom:
    if joined is DType.F64:
        raise t.error("RG0110", "a bit operation on floats", "convert to int first")
    if joined is DType.BOOL and op in ("and", "or", "xor"):
        return t.prim("xor" if op == "xor" else f"{op}_", x, y)
    name = op if op in ("shl", "shr") else f"bit_{op}"
    return t.prim(name, convert(t, x, DType.I64), convert(t, y, DType.I64))


def matmul(t: Tracer, a: Value, b: Value) -> Value:
    """`a @ b` for arrays."""
    x, y = value_atom(t, a), value_atom(t, b)
    if 0 in (x.type.rank, y.type.rank):
        raise t.error("RG0110", "`@` with a number", "write `*`")
    joined = join_dtype(dtype_of(x), dtype_of(y))
    if joined is DType.BOOL:
        raise t.error("RG0110", "`@` of bools", "convert one of them: x.astype(float)")
    if joined is DType.I64:
        return t.call(Static(products_of_ints), (t.new(x), t.new(y)), {})
    x, y = convert(t, x, DType.F64), convert(t, y, DType.F64)
    if x.type.rank > 2 or y.type.rank > 2:
        return t.call(Static(products_of_stacks), (t.new(x), t.new(y)), {})
    return t.new(t.prim("matmul", x, y, span=t.span))


def negative(t: Tracer, value: Value) -> Value:
    """`-value`."""
    if isinstance(value, Scalar):
        if value.type == BOOL and value.numpy:
            raise t.error("RG0110", "`-` of a truth value of NumPy's", "write `not b`", TypeError)
        if isinstance(value.atom, Lit) and value.type == F64:
            return Scalar(Lit(-float(value.atom.value), F64))
        if value.type != F64:
            if isinstance(value.atom, Lit) and int(value.atom.value) > -(2**63):
                return Scalar(ilit(-int(value.atom.value)))
            return Scalar(t.prim("ineg", convert(t, value.atom, DType.I64), span=t.span))
    atom = value_atom(t, value, "the operand")
    if dtype_of(atom) is DType.BOOL:
        raise t.error("RG0110", "`-` of an array of bools", "write `~`")
    return t.new(t.prim("neg", atom))


_UNARY: dict[type[ast.unaryop], str] = {
    ast.USub: "__neg__", ast.UAdd: "__pos__", ast.Invert: "__invert__",
}  # fmt: skip


def unary(t: Tracer, op: ast.unaryop, value: Value) -> Value:
    """`-a`, `+a`, `not a`, `~a`."""
    match op:
        case ast.Not():
            return Scalar(scalars.logical_not(t, scalars.truth(t, value)))
        case _ if isinstance(value, Option):
            sign = _SIGNS[type(op)]
            text = f"bad operand type for unary {sign}: 'NoneType'"
            return unary(t, op, sure(t, value, text))
        case ast.USub() | ast.UAdd() if (large := large_ints.large_int(value)) is not None:
            return large_ints.of_int(-large if isinstance(op, ast.USub) else large)
        case _ if (found := special(t, _UNARY[type(op)], value)) is not None:
            return found
        case _ if isinstance(value, TupleValue | Instance):
            message = f"bad operand type for unary {_SIGNS[type(op)]}: '{value.cls.__name__}'"
            raise t.error("RG0110", message, "make an array: np.array(..)", TypeError)
        case ast.USub() if isinstance(value, ComplexValue):
            return complex_negative(t, value)
        case ast.USub():
            made = negative(t, value)
            if not isinstance(value, Scalar):
                return made
            return in_range(t, of_both(made, value, value), value, value)
        case ast.UAdd():
            if isinstance(value, ComplexValue):
                return t.call(Static(np.copy), (value,), {})
            if isinstance(value, Scalar):
                return Scalar(convert(t, value.atom, DType.I64)) if value.type == BOOL else value
            return t.new(t.prim("copy", value_atom(t, value, "the operand")))
        case _:
            return _inverted(t, value)


def _inverted(t: Tracer, value: Value) -> Value:
    """`~value`: a truth value of NumPy's becomes the other one, Python's -1 or -2."""
    if isinstance(value, Scalar) and value.small is not None:
        return inverted(t, value)
    if not isinstance(value, Scalar) or value.type != BOOL:
        atom = value_atom(t, value, "the operand")
        if dtype_of(atom) is DType.BOOL:
            return t.new(t.prim("not_", atom))
        if dtype_of(atom) is DType.F64:
            raise t.error("RG0110", "`~` of floats", "use it on ints or bools")
        return t.new(t.prim("bit_not", convert(t, atom, DType.I64)))
    if _truths(t, value):
        return Scalar(scalars.logical_not(t, value.atom), numpy=True)
    if isinstance(value.atom, Lit):
        return Scalar(ilit(~int(value.atom.value)))
    if is_python(value):
        return Scalar(t.prim("bit_not", convert(t, value.atom, DType.I64)), numpy=False)
    raise t.error(
        "RG0123", "`~` of a truth value is another one if it is NumPy's, and an int if Python's",
        "write `not b`, or np.logical_not(b)",
    )  # fmt: skip


_SIGNS: dict[type[ast.unaryop], str] = {ast.USub: "-", ast.UAdd: "+", ast.Invert: "~"}


_FUNCTIONS = Static | Closure | Bound | Transform | Applied


def compare_values(t: Tracer, op: str, a: Value, b: Value) -> Value:
    """`a op b` for `lt le gt ge eq ne`."""
    refuse_times(t, a, b)
    if op not in ("eq", "ne"):
        a, b = sure_pair(t, op, a, b)
    elif isinstance(a, Option) or isinstance(b, Option):
        return compare_options(t, op, a, b)
    if (said := compare_lists(t, op, a, b)) is not None:
        return said
    a, b = frozen(t, as_number(a)), frozen(t, as_number(b))
    if (said := large_ints.compared(op, a, b)) is not None:
        return said
    a, b = large_ints.as_float_if_large(t, a), large_ints.as_float_if_large(t, b)
    if isinstance(a, Scalar) and isinstance(b, Scalar):
        made = scalars.compare(t, op, a, b)
        return of_both(made, a, b)
    if (said := _compared_objects(t, op, a, b)) is not None:
        return said
    if isinstance(a, TupleValue) and isinstance(b, TupleValue) and _have_order(op, a, b):
        return _comparison_of_tuples(t, op, a, b)
    if isinstance(a, DictValue) and isinstance(b, DictValue) and op in ("eq", "ne"):
        return _compare_dicts(t, op, a, b)
    if (texts := compare_texts(t, op, a, b)) is not None:
        return texts
    if isinstance(a, _FUNCTIONS) or isinstance(b, _FUNCTIONS):
        arrays = isinstance(a, ArrayRef) or isinstance(b, ArrayRef)
        if op in ("eq", "ne") and not arrays:
            return Scalar(true if same_static(a, b) == (op == "eq") else false)
        message = f"no comparison of {describe(a)} with {describe(b)}"
        raise t.error("RG0110", message, "compare with `is None`, or compare numbers")
    x, y = value_atom(t, a, "an operand"), value_atom(t, b, "an operand")
    joined = join_dtype(join_dtype(dtype_of(x), dtype_of(y)), DType.I64)
    return t.new(t.prim(op, convert(t, x, joined), convert(t, y, joined)))


def _compare_tuples(t: Tracer, op: str, a: TupleValue, b: TupleValue) -> Value:
    tuples = issubclass(a.cls, tuple) and issubclass(b.cls, tuple)
    alike = len(a.items) == len(b.items) if tuples else same_head(a, b)
    result: Atom = true if alike else false
    if result == true:
        for one, two in zip(a.items, b.items, strict=True):
            equal = scalars.truth(t, compare_values(t, "eq", one, two))
            result = equal if result == true else t.prim("and_", result, equal)
    return Scalar(result if op == "eq" else scalars.logical_not(t, result))


def _have_order(op: str, a: TupleValue, b: TupleValue) -> bool:
    """Whether Python compares the two: it knows no order of a tuple and a list."""
    return op in ("eq", "ne") or any(
        issubclass(a.cls, cls) and issubclass(b.cls, cls) for cls in (tuple, list)
    )


def _comparison_of_tuples(t: Tracer, op: str, a: TupleValue, b: TupleValue) -> Value:
    """That of the first items that are different, or that of the lengths where there are none."""
    if op in ("eq", "ne"):
        return _compare_tuples(t, op, a, b)
    steps: list[tuple[Atom, Atom]] = []
    for one, two in zip(a.items, b.items, strict=False):
        equal = scalars.truth(t, compare_values(t, "eq", one, two))
        if equal != true:
            steps.append((equal, scalars.truth(t, compare_values(t, op, one, two))))
        if equal == false:
            break
    lengths = (Scalar(ilit(len(value.items))) for value in (a, b))
    found = scalars.compare(t, op, *lengths).atom
    for equal, ordered in reversed(steps):
        found = ordered if equal == false else t.prim("select", equal, found, ordered)
    return Scalar(found)


def _compare_dicts(t: Tracer, op: str, a: DictValue, b: DictValue) -> Value:
    """Whether two dicts have equal items under the same keys, in whatever order."""
    known = dict(zip(b.keys, b.items, strict=True))
    if len(a.keys) != len(b.keys) or any(key not in known for key in a.keys):
        return Scalar(true if op == "ne" else false)
    others = TupleValue(tuple(known[key] for key in a.keys))
    return _compare_tuples(t, op, TupleValue(a.items), others)


def augmented(t: Tracer, op: str, old: Value, operand: Value) -> Value:
    """The new value of a name after `name op= operand`, which is no array."""
    found = special(t, f"__i{_METHOD.get(op, op)}__", old, operand)
    return changed_number(t, old, binary(t, op, old, operand)) if found is None else found


_METHOD = {"div": "truediv"}


def in_place(t: Tracer, op: str, target: ArrayRef | ComplexValue, value: Value) -> None:
    """`target op= value` for an array: the array itself changes, so its shape and dtype stay."""
    if isinstance(target, ComplexValue):
        complex_in_place(t, op, target, value)
        return
    if op == "matmul":
        raise t.error("RG0110", "`@=` on an array", "write `x = x @ y`")
    if isinstance(value, ComplexValue):
        raise complex_into_real(t, target)
    value = plain_ints(value)
    if isinstance(value, TupleValue):
        value = t.call(Static(np.asarray), (value,), {})
    old = read(t, target)
    operand = value_atom(t, value)
    if operand.type.rank > old.type.rank:
        raise t.error(
            "RG0110", f"{describe(value)} does not fit into {describe(target)}",
            "write `x = x + y` to make a new array",
        )  # fmt: skip
    new = elementwise(t, op, old, operand)
    if dtype_of(new) is not dtype_of(old):
        raise t.error(
            "RG0110",
            f"the result of this operation does not fit into {describe(target)}",
            f"write `x = x {_sign(op)} y`, or convert the operand",
        )
    if target.view is not None:
        write(t, target, new)
        return
    if operand.type.rank > 0 and operand is not old:
        for axis in range(operand.type.rank):
            offset = old.type.rank - operand.type.rank
            one = t.prim("dim", new, axis=axis + offset)
            same = t.prim("eq", one, extent(t, target, axis + offset))
            t.check(same, "ValueError", "non-broadcastable output operand")
    t.store(target.loc, new)


def _sign(op: str) -> str:
    signs = {name: _TEXT[kind] for kind, name in _BINARY.items()}
    return signs[op]


_TEXT: dict[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%",
    ast.Pow: "**", ast.MatMult: "@", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^",
    ast.LShift: "<<", ast.RShift: ">>",
}  # fmt: skip
