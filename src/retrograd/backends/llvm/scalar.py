"""Scalar machine code of the elementwise primitives: one table from name to emitter.

No fast-math flag is ever emitted; `fma` is explicit; min and max are compare and select.
"""

from __future__ import annotations

from collections.abc import Callable

from retrograd.backends.llvm.special import DECLARATIONS, SPECIAL_OPS
from retrograd.backends.llvm.text import BUNDLE, FunctionText, float_text, llvm_scalar
from retrograd.ir.types import WIDTH, DType

__all__ = ["INTRINSICS", "MATH_OPS", "SCALAR_OPS", "emit_scalar", "in_library", "splat"]

Emitter = Callable[[FunctionText, list[str], DType], str]

MATH_OPS = frozenset(
    "exp log log1p expm1 log2 log10 sin cos tan arcsin arccos arctan sinh cosh tanh pow arctan2 "
    "hypot erf quantile".split()
)
"""Functions of our own library, called as `@rg_<op>`; on floats also `mod` and `floordiv`."""


def in_library(op: str, dtype: DType) -> bool:
    """Whether a primitive on operands of this type is a function of our own library."""
    return op in MATH_OPS or (op in ("mod", "floordiv") and dtype is DType.F64)


INTRINSICS = f"""
{DECLARATIONS}
declare i64 @llvm.fptosi.sat.i64.f64(double)
declare double @llvm.fma.f64(double, double, double)
declare <32 x double> @llvm.fma.v32f64(<32 x double>, <32 x double>, <32 x double>)
declare ptr @llvm.frameaddress.p0(i32)
declare void @llvm.experimental.noalias.scope.decl(metadata)
declare <{WIDTH} x double> @llvm.fma.v{WIDTH}f64({BUNDLE}, {BUNDLE}, {BUNDLE})
declare double @llvm.sqrt.f64(double)
declare double @llvm.fabs.f64(double)
declare double @llvm.floor.f64(double)
declare double @llvm.ceil.f64(double)
declare double @llvm.trunc.f64(double)
declare double @llvm.rint.f64(double)
declare i64 @llvm.lrint.i64.f64(double)
declare double @llvm.copysign.f64(double, double)
declare i64 @llvm.abs.i64(i64, i1)
declare i64 @llvm.smax.i64(i64, i64)
declare i64 @llvm.umin.i64(i64, i64)
declare i64 @llvm.smin.i64(i64, i64)
declare i64 @llvm.ctlz.i64(i64, i1)
declare {{i64, i1}} @llvm.sadd.with.overflow.i64(i64, i64)
declare {{i64, i1}} @llvm.ssub.with.overflow.i64(i64, i64)
declare {{i64, i1}} @llvm.smul.with.overflow.i64(i64, i64)
declare {{i64, i1}} @llvm.umul.with.overflow.i64(i64, i64)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)
"""


def _arith(float_op: str, int_op: str) -> Emitter:
    def emit(f: FunctionText, a: list[str], dtype: DType) -> str:
        op = f"{float_op} double" if dtype is DType.F64 else f"{int_op} i64"
        return f.value(f"{op} {', '.join(a)}")

    return emit


def _call(name: str) -> Emitter:
    def emit(f: FunctionText, a: list[str], dtype: DType) -> str:
        return f.call("double", name, [("double", v) for v in a])

    return emit


def _neg(f: FunctionText, a: list[str], dtype: DType) -> str:
    return f.value(f"fneg double {a[0]}" if dtype is DType.F64 else f"sub i64 0, {a[0]}")


def _ratio(f: FunctionText, a: list[str], dtype: DType) -> str:
    return _quotient(f, "double", a)


def _quotient(f: FunctionText, type_: str, a: list[str]) -> str:
    """A quotient, or the bundle of some; 0 where the numerator is."""
    return _unless_zero(f, type_, a, "fdiv", "0.0" if type_ == "double" else "zeroinitializer")


def _unless_zero(f: FunctionText, type_: str, a: list[str], operation: str, otherwise: str) -> str:
    """An operation on two numbers, or bundles of some; another value where the first is 0."""
    flags = "i1" if type_ == "double" else f"<{WIDTH} x i1>"
    zero = "0.0" if type_ == "double" else "zeroinitializer"
    nothing = f.value(f"fcmp oeq {type_} {a[0]}, {zero}")
    found = f.value(f"{operation} {type_} {a[0]}, {a[1]}")
    return f.value(f"select {flags} {nothing}, {type_} {otherwise}, {type_} {found}")


def _strong_mul(f: FunctionText, a: list[str], dtype: DType) -> str:
    return _strong_product(f, "double", a)


def _strong_product(f: FunctionText, type_: str, a: list[str]) -> str:
    """A product, or the bundle of some; its first factor where that is 0."""
    return _unless_zero(f, type_, a, "fmul", a[0])


def _abs(f: FunctionText, a: list[str], dtype: DType) -> str:
    if dtype is DType.F64:
        return f.call("double", "llvm.fabs.f64", [("double", a[0])])
    return f.call("i64", "llvm.abs.i64", [("i64", a[0]), ("i1", "false")])


def _sign(f: FunctionText, a: list[str], dtype: DType) -> str:
    if dtype is DType.I64:
        up = f.value(f"icmp sgt i64 {a[0]}, 0")
        down = f.value(f"icmp slt i64 {a[0]}, 0")
        return f.value(
            f"sub i64 {f.value(f'zext i1 {up} to i64')}, {f.value(f'zext i1 {down} to i64')}"
        )
    up = f.value(f"fcmp ogt double {a[0]}, 0.0")
    down = f.value(f"fcmp olt double {a[0]}, 0.0")
    flat = f.value(f"fadd double {a[0]}, 0.0")  # a zero without its sign, or NaN
    inner = f.value(f"select i1 {down}, double -1.0, double {flat}")
    return f.value(f"select i1 {up}, double 1.0, double {inner}")


def _extreme(predicate: str, int_name: str) -> Emitter:
    """NumPy's maximum and minimum: a NaN in either operand comes out."""

    def emit(f: FunctionText, a: list[str], dtype: DType) -> str:
        if dtype is DType.I64:
            return f.call("i64", int_name, [("i64", a[0]), ("i64", a[1])])
        better = f.value(f"fcmp {predicate} double {a[0]}, {a[1]}")
        nan = f.value(f"fcmp uno double {a[0]}, {a[0]}")
        first = f.value(f"or i1 {better}, {nan}")
        return f.value(f"select i1 {first}, double {a[0]}, double {a[1]}")

    return emit


def _safe_divisor(f: FunctionText, divisor: str) -> tuple[str, str]:
    """A divisor that never traps (neither 0 nor -1), and whether the true one is usable as is."""
    zero = f.value(f"icmp eq i64 {divisor}, 0")
    minus = f.value(f"icmp eq i64 {divisor}, -1")
    special = f.value(f"or i1 {zero}, {minus}")
    return f.value(f"select i1 {special}, i64 1, i64 {divisor}"), special


def _floordiv(f: FunctionText, a: list[str], dtype: DType) -> str:
    if dtype is DType.F64:
        return _call("rg_floordiv")(f, a, dtype)
    safe, special = _safe_divisor(f, a[1])
    quotient = f.value(f"sdiv i64 {a[0]}, {safe}")
    rest = f.value(f"srem i64 {a[0]}, {safe}")
    inexact = f.value(f"icmp ne i64 {rest}, 0")
    signs = f.value(f"icmp slt i64 {f.value(f'xor i64 {rest}, {safe}')}, 0")
    lower = f.value(f"and i1 {inexact}, {signs}")
    plain = f.value(f"sub i64 {quotient}, {f.value(f'zext i1 {lower} to i64')}")
    negated = f.value(f"mul i64 {a[0]}, {a[1]}")
    return f.value(f"select i1 {special}, i64 {negated}, i64 {plain}")


def _mod(f: FunctionText, a: list[str], dtype: DType) -> str:
    if dtype is DType.F64:
        return _call("rg_mod")(f, a, dtype)
    safe, special = _safe_divisor(f, a[1])
    rest = f.value(f"srem i64 {a[0]}, {safe}")
    inexact = f.value(f"icmp ne i64 {rest}, 0")
    signs = f.value(f"icmp slt i64 {f.value(f'xor i64 {rest}, {safe}')}, 0")
    wrong = f.value(f"and i1 {inexact}, {signs}")
    plain = f.value(f"add i64 {rest}, {f.value(f'select i1 {wrong}, i64 {safe}, i64 0')}")
    return f.value(f"select i1 {special}, i64 0, i64 {plain}")


def _select(f: FunctionText, a: list[str], dtype: DType) -> str:
    kind = llvm_scalar(dtype)
    return f.value(f"select i1 {a[0]}, {kind} {a[1]}, {kind} {a[2]}")


def _compare(float_pred: str, int_pred: str) -> Emitter:
    def emit(f: FunctionText, a: list[str], dtype: DType) -> str:
        if dtype is DType.F64:
            return f.value(f"fcmp {float_pred} double {a[0]}, {a[1]}")
        kind = llvm_scalar(dtype)
        pred = int_pred if dtype is DType.I64 else int_pred.replace("s", "u", 1)
        return f.value(f"icmp {pred} {kind} {a[0]}, {a[1]}")

    return emit


def _bits(op: str) -> Emitter:
    def emit(f: FunctionText, a: list[str], dtype: DType) -> str:
        return f.value(f"{op} {llvm_scalar(dtype)} {a[0]}, {a[1]}")

    return emit


def _shift(op: str) -> Emitter:
    """Shifts by 64 and more give what repeated shifting gives, not LLVM's poison."""

    def emit(f: FunctionText, a: list[str], dtype: DType) -> str:
        large = f.value(f"icmp ugt i64 {a[1]}, 63")
        capped = f.value(f"select i1 {large}, i64 63, i64 {a[1]}")
        shifted = f.value(f"{op} i64 {a[0]}, {capped}")
        if op == "ashr":
            return shifted
        return f.value(f"select i1 {large}, i64 0, i64 {shifted}")

    return emit


def _bit_length(f: FunctionText, a: list[str], dtype: DType) -> str:
    size = f.call("i64", "llvm.abs.i64", [("i64", a[0]), ("i1", "false")])
    zeros = f.call("i64", "llvm.ctlz.i64", [("i64", size), ("i1", "false")])
    return f.value(f"sub i64 64, {zeros}")


def _isinf(f: FunctionText, a: list[str], dtype: DType) -> str:
    size = f.call("double", "llvm.fabs.f64", [("double", a[0])])
    return f.value(f"fcmp oeq double {size}, {float_text(float('inf'))}")


def _isfinite(f: FunctionText, a: list[str], dtype: DType) -> str:
    size = f.call("double", "llvm.fabs.f64", [("double", a[0])])
    return f.value(f"fcmp olt double {size}, {float_text(float('inf'))}")


def _wrap(f: FunctionText, a: list[str], dtype: DType) -> str:
    negative = f.value(f"icmp slt i64 {a[0]}, 0")
    return f.value(f"select i1 {negative}, i64 {f.value(f'add i64 {a[0]}, {a[1]}')}, i64 {a[0]}")


def _range_len(f: FunctionText, a: list[str], dtype: DType) -> str:
    """Unsigned, so that no difference overflows."""
    start, stop, step = a
    up = f.value(f"icmp sgt i64 {step}, 0")
    low = f.value(f"select i1 {up}, i64 {start}, i64 {stop}")
    high = f.value(f"select i1 {up}, i64 {stop}, i64 {start}")
    still = f.value(f"icmp eq i64 {step}, 0")
    size = f.value(f"select i1 {up}, i64 {step}, i64 {f.value(f'sub i64 0, {step}')}")
    size = f.value(f"select i1 {still}, i64 1, i64 {size}")
    room = f.value(f"sub i64 {f.value(f'sub i64 {high}, {low}')}, 1")
    more = f.value(f"udiv i64 {room}, {size}")
    more = f.call("i64", "llvm.umin.i64", [("i64", more), ("i64", str(2**63 - 2))])
    none = f.value(f"icmp sge i64 {low}, {high}")
    none = f.value(f"or i1 {none}, {still}")
    return f.value(f"select i1 {none}, i64 0, i64 {f.value(f'add i64 {more}, 1')}")


def _mixed(op: str) -> Emitter:
    """An int against a float: as floats, and where these are equal, as ints."""

    def emit(f: FunctionText, a: list[str], dtype: DType) -> str:
        n, x = a
        near = f.value(f"sitofp i64 {n} to double")
        same = f.value(f"fcmp oeq double {near}, {x}")
        back = f.call("i64", "llvm.fptosi.sat.i64.f64", [("double", near)])
        # The one float that is near an int and no int of 64 bits itself is above all of them.
        above = f.value(f"fcmp oge double {near}, {float_text(2.0**63)}")
        if op in ("eq", "ne"):
            equal = f.value(f"icmp eq i64 {n}, {back}")
            below = f.value(f"xor i1 {above}, true")
            found = f.value(f"and i1 {same}, {f.value(f'and i1 {equal}, {below}')}")
            return found if op == "eq" else f.value(f"xor i1 {found}, true")
        apart = f.value(f"fcmp o{op[:1]}t double {near}, {x}")
        whole = f.value(f"icmp s{op} i64 {n}, {back}")
        if op in ("lt", "le"):
            tie = f.value(f"or i1 {whole}, {above}")
        else:
            tie = f.value(f"and i1 {whole}, {f.value(f'xor i1 {above}, true')}")
        return f.value(f"or i1 {apart}, {f.value(f'and i1 {same}, {tie}')}")

    return emit


SCALAR_OPS: dict[str, Emitter] = {
    "add": _arith("fadd", "add"),
    "sub": _arith("fsub", "sub"),
    "mul": _arith("fmul", "mul"),
    "div": _arith("fdiv", "sdiv"),
    "ratio": _ratio,
    "strong_mul": _strong_mul,
    "neg": _neg,
    "abs": _abs,
    "fma": _call("llvm.fma.f64"),
    "floordiv": _floordiv,
    "mod": _mod,
    "sign": _sign,
    "maximum": _extreme("ogt", "llvm.smax.i64"),
    "minimum": _extreme("olt", "llvm.smin.i64"),
    "imax": _extreme("ogt", "llvm.smax.i64"),
    "imin": _extreme("olt", "llvm.smin.i64"),
    "select": _select,
    "floor": _call("llvm.floor.f64"),
    "ceil": _call("llvm.ceil.f64"),
    "trunc": _call("llvm.trunc.f64"),
    "rint": _call("llvm.rint.f64"),
    "nearest": lambda f, a, dtype: f.call("i64", "llvm.lrint.i64.f64", [("double", a[0])]),
    "copysign": _call("llvm.copysign.f64"),
    "sqrt": _call("llvm.sqrt.f64"),
    "rounded": lambda f, a, dtype: a[0],
    "stop_gradient": lambda f, a, dtype: a[0],
    "tied": lambda f, a, dtype: a[0],
    "lt": _compare("olt", "slt"),
    "le": _compare("ole", "sle"),
    "gt": _compare("ogt", "sgt"),
    "ge": _compare("oge", "sge"),
    "eq": _compare("oeq", "eq"),
    "ne": _compare("une", "ne"),
    **{f"mixed_{op}": _mixed(op) for op in ("lt", "le", "gt", "ge", "eq", "ne")},
    "and_": _bits("and"),
    "or_": _bits("or"),
    "xor": _bits("xor"),
    "not_": lambda f, a, dtype: f.value(f"xor i1 {a[0]}, true"),
    "bit_and": _bits("and"),
    "bit_or": _bits("or"),
    "bit_xor": _bits("xor"),
    "bit_not": lambda f, a, dtype: f.value(f"xor i64 {a[0]}, -1"),
    "shl": _shift("shl"),
    "shr": _shift("ashr"),
    "bit_length": _bit_length,
    "isnan": lambda f, a, dtype: f.value(f"fcmp uno double {a[0]}, {a[0]}"),
    "isinf": _isinf,
    "isfinite": _isfinite,
    "wrap": _wrap,
    "range_len": _range_len,
    **{op: _call(f"rg_{op}") for op in MATH_OPS},
    **SPECIAL_OPS,
}


def _convert(f: FunctionText, value: str, source: DType, target: DType) -> str:
    match source, target:
        case (DType.F64, DType.I64):
            # Saturating, so that no float gives undefined bits; NaN gives 0.
            return f.call("i64", "llvm.fptosi.sat.i64.f64", [("double", value)])
        case (DType.I64, DType.F64):
            return f.value(f"sitofp i64 {value} to double")
        case (DType.BOOL, DType.F64):
            return f.value(f"uitofp i1 {value} to double")
        case (DType.BOOL, DType.I64):
            return f.value(f"zext i1 {value} to i64")
        case (DType.F64, DType.BOOL):
            return f.value(f"fcmp une double {value}, 0.0")
        case (DType.I64, DType.BOOL):
            return f.value(f"icmp ne i64 {value}, 0")
        case _:
            return value


def splat(f: FunctionText, value: str) -> str:
    """A float in all lanes of a bundle."""
    one = f.value(f"insertelement {BUNDLE} poison, double {value}, i64 0")
    places = f"<{WIDTH} x i32> zeroinitializer"
    return f.value(f"shufflevector {BUNDLE} {one}, {BUNDLE} poison, {places}")


_BUNDLED = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv"}


def _bundled(f: FunctionText, op: str, a: list[str]) -> str:
    """Machine code of a primitive on bundles."""
    match op:
        case "splat":
            return splat(f, a[0])
        case "neg":
            return f.value(f"fneg {BUNDLE} {a[0]}")
        case "ratio":
            return _quotient(f, BUNDLE, a)
        case "strong_mul":
            return _strong_product(f, BUNDLE, a)
        case "fma":
            return f.call(BUNDLE, f"llvm.fma.v{WIDTH}f64", [(BUNDLE, v) for v in a])
        case "select":
            return f.value(f"select i1 {a[0]}, {BUNDLE} {a[1]}, {BUNDLE} {a[2]}")
        case _:
            return f.value(f"{_BUNDLED[op]} {BUNDLE} {a[0]}, {a[1]}")


def emit_scalar(
    f: FunctionText, op: str, args: list[str], dtypes: list[DType], target: DType
) -> str:
    """Machine code of one elementwise primitive on registers.

    `dtypes` are those of the arguments, `target` that of the result.
    """
    if target is DType.BUNDLE:
        return _bundled(f, op, args)
    if op == "convert":
        return _convert(f, args[0], dtypes[0], target)
    # `select` is typed by its branches, everything else by its first operand.
    return SCALAR_OPS[op](f, args, dtypes[-1] if op == "select" else dtypes[0])
