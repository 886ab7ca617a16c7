"""Machine code of the special functions: calls of the C library, and polygamma as our own text.

A call is never vectorised, so that an element has the same bits wherever it is computed.
"""

from __future__ import annotations

from collections.abc import Callable

from retrograd.backends.llvm.text import FunctionText, float_text
from retrograd.ir.types import DType
from retrograd.prims.special import BERNOULLI, LOWEST, SHIFT

__all__ = ["DECLARATIONS", "POLYGAMMA_TEXT", "SPECIAL_OPS"]

_C_NAMES = {
    "arcsinh": "asinh", "arccosh": "acosh", "arctanh": "atanh", "cbrt": "cbrt", "exp2": "exp2",
    "erfc": "erfc", "gamma": "tgamma", "lgamma": "lgamma", "nextafter": "nextafter",
}  # fmt: skip
_PURE = "nounwind willreturn memory(none)"


def _library(op: str, args: list[str]) -> str:
    parts = ", ".join(f"double {a}" for a in args)
    return f"call double @{_C_NAMES[op]}({parts}) nobuiltin {_PURE}"


def _emit_ldexp(f: FunctionText, args: list[str]) -> str:
    low = f.call("i64", "llvm.smax.i64", [("i64", args[1]), ("i64", "-5000")])
    capped = f.call("i64", "llvm.smin.i64", [("i64", low), ("i64", "5000")])
    exponent = f.value(f"trunc i64 {capped} to i32")
    return f.value(f"call double @ldexp(double {args[0]}, i32 {exponent}) nobuiltin {_PURE}")


def _emit_exponent(f: FunctionText, args: list[str]) -> str:
    """That of the fraction in [1/2, 1); 0 for zeros, infinities and NaN."""
    size = f.call("double", "llvm.fabs.f64", [("double", args[0])])
    finite = f.value(f"fcmp olt double {size}, {float_text(float('inf'))}")
    usable = f.value(f"and i1 {finite}, {f.value(f'fcmp ogt double {size}, 0.0')}")
    safe = f.value(f"select i1 {usable}, double {size}, double 0.5")
    power = f.value(f"call i32 @ilogb(double {safe}) nobuiltin {_PURE}")
    return f.value(f"sitofp i32 {f.value(f'add i32 {power}, 1')} to double")


def _emitter(op: str) -> Callable[[FunctionText, list[str], DType], str]:
    def emit(f: FunctionText, args: list[str], dtype: DType) -> str:
        match op:
            case "polygamma":
                pair = f"i64 {args[0]}, double {args[1]}"
                return f.value(f"call double @rg_polygamma({pair}) {_PURE}")
            case "ldexp":
                return _emit_ldexp(f, args)
            case "exponent":
                return _emit_exponent(f, args)
            case _:
                return f.value(_library(op, args))

    return emit


SPECIAL_OPS = {op: _emitter(op) for op in (*_C_NAMES, "polygamma", "ldexp", "exponent")}

DECLARATIONS = "\n".join(
    [
        *(
            f"declare double @{name}(double{', double' if op == 'nextafter' else ''})"
            for op, name in _C_NAMES.items()
        ),
        "declare double @ldexp(double, i32)",
        "declare i32 @ilogb(double)",
        "declare double @log(double)",
    ]
)


def _series() -> str:
    """The sum of the Bernoulli terms, unrolled."""
    lines = ["  %total0 = fadd double %headed, %halved"]
    for j, coefficient in enumerate(BERNOULLI, 1):
        lines.append(f"  %part{j} = fmul double {float_text(coefficient)}, %factor{j}")
        lines.append(f"  %total{j} = fadd double %total{j - 1}, %part{j}")
        lines.append(f"  %first{j} = fadd double %order, {float_text(2.0 * j)}")
        lines.append(f"  %second{j} = fadd double %order, {float_text(2.0 * j + 1.0)}")
        lines.append(f"  %grown{j} = fmul double %first{j}, %second{j}")
        lines.append(f"  %scaled{j} = fmul double %grown{j}, %ww")
        lines.append(f"  %factor{j + 1} = fmul double %factor{j}, %scaled{j}")
    return "\n".join(lines)


POLYGAMMA_TEXT = f"""
define internal double @rg_power(double %base, i32 %n) {_PURE} {{
entry:
  br label %head
head:
  %k = phi i32 [0, %entry], [%k1, %body]
  %product = phi double [1.0, %entry], [%product1, %body]
  %more = icmp slt i32 %k, %n
  br i1 %more, label %body, label %done
body:
  %product1 = fmul double %product, %base
  %k1 = add i32 %k, 1
  br label %head
done:
  ret double %product
}}

define internal double @rg_polygamma(i64 %which, double %x) noinline {_PURE} {{
entry:
  %n = trunc i64 %which to i32
  %order = sitofp i64 %which to double
  %s = add i32 %n, 1
  %floor = call double @llvm.floor.f64(double %x)
  %whole = fcmp oeq double %floor, %x
  %below = fcmp ole double %x, 0.0
  %pole = and i1 %whole, %below
  %far = fcmp ult double %x, {float_text(LOWEST)}
  %bad = or i1 %pole, %far
  %limit = fadd double %order, {float_text(SHIFT)}
  br i1 %bad, label %nan, label %shift
nan:
  ret double 0x7FF8000000000000
shift:
  %y = phi double [%x, %entry], [%y1, %term]
  %sum = phi double [0.0, %entry], [%sum1, %term]
  %small = fcmp olt double %y, %limit
  br i1 %small, label %term, label %tail
term:
  %yy = call double @rg_power(double %y, i32 %s)
  %inverse = fdiv double 1.0, %yy
  %sum1 = fadd double %sum, %inverse
  %y1 = fadd double %y, 1.0
  br label %shift
tail:
  %w = fdiv double 1.0, %y
  %ww = fmul double %w, %w
  %wn = call double @rg_power(double %w, i32 %n)
  %zeroth = icmp eq i32 %n, 0
  %divisor = select i1 %zeroth, double 1.0, double %order
  %power = fdiv double %wn, %divisor
  %log = call double @log(double %y) nobuiltin {_PURE}
  %minuslog = fneg double %log
  %head = select i1 %zeroth, double %minuslog, double %power
  %headed = fadd double %sum, %head
  %ws = fmul double %wn, %w
  %halved = fmul double 0.5, %ws
  %order1 = fadd double %order, 1.0
  %ws1 = fmul double %ws, %w
  %factor1 = fmul double %order1, %ws1
{_series()}
  br label %factorial
factorial:
  %i = phi double [1.0, %tail], [%i1, %times]
  %product = phi double [-1.0, %tail], [%product1, %times]
  %more = fcmp ole double %i, %order
  br i1 %more, label %times, label %done
times:
  %signed = fneg double %i
  %product1 = fmul double %product, %signed
  %i1 = fadd double %i, 1.0
  br label %factorial
done:
  %result = fmul double %product, %total{len(BERNOULLI)}
  ret double %result
}}
"""
"""The algorithm of `retrograd.prims.special.polygamma`; the product is (-1)^(n+1) n!."""
