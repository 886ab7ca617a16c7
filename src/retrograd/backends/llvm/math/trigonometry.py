"""sin, cos and tan.

Up to 2^30 in magnitude, x - n pi/2 comes from pi/2 in three parts: the first fma is exact because
pi/2's first part and x are multiples of 2^-53; the rest is kept as a sum of two doubles. Beyond, a
scalar routine multiplies by the binary digits of 2/pi that matter. It runs only for such arguments.
"""

from __future__ import annotations

from typing import Final

import retrograd.backends.llvm.math.coefficients as co
from retrograd.backends.llvm.math.builder import Body, Bool, Float, Int
from retrograd.backends.llvm.math.exponential import round_scaled

__all__ = [
    "HUGE_QUADRANT", "cos", "huge_cos", "huge_quadrant", "huge_sin", "huge_tan", "is_huge", "sin",
    "tan",
]  # fmt: skip

LIMIT: Final = 2.0**30
HUGE_QUADRANT: Final = "rg_huge_quadrant"
DIGITS: Final = "rg_two_over_pi"
TRIPLE: Final = "{ double, double, i64 }"


def is_huge(b: Body, x: Float) -> Bool:
    """Whether x needs the scalar routine: infinities do, NaN does not."""
    return abs(x).gt(LIMIT)


def _reduced(b: Body, x: Float) -> tuple[Float, Float, Int]:
    """(r, low, n) with x = n pi/2 + r + low; n modulo 4 is in the low bits."""
    n, quadrant = round_scaled(b, x, co.TWO_OVER_PI[0])
    first = b.fma(n, -co.HALF_PI[0], x)
    product, product_low = b.two_prod(n, -co.HALF_PI[1])
    r, error = b.two_sum(first, product)
    return r, b.fma(n, -co.HALF_PI[2], error + product_low), quadrant


def _huge(b: Body, x: Float) -> tuple[Float, Float, Int]:
    triple = b.emit(f"call {TRIPLE} @{HUGE_QUADRANT}(double {x.text})")
    r, low, quadrant = (b.emit(f"extractvalue {TRIPLE} {triple}, {k}") for k in range(3))
    return Float(b, r), Float(b, low), Int(b, quadrant)


def _parts(b: Body, r: Float, low: Float) -> tuple[Float, Float, Float]:
    """(s, w, c) with sin(r + low) = r + s and cos(r + low) = w + c."""
    z = r * r
    half = z * 0.5
    w = 1.0 - half
    s = b.fma(r * z, b.poly(z, co.SIN), low * w)
    c = b.fma(z * z, b.poly(z, co.COS), b.fma(-r, low, (1.0 - w) - half))
    return s, w, c


def _wave(b: Body, x: Float, reduced: tuple[Float, Float, Int], quarter_turns: int) -> Float:
    """sin(x + quarter_turns * pi/2)."""
    r, low, n = reduced
    s, w, c = _parts(b, r, low)
    turned = n + quarter_turns if quarter_turns else n
    magnitude = b.select((turned & 1).nonzero(), w + c, r + s)
    return (magnitude.bits() ^ ((turned & 2) << 62)).as_float()


def _slope(b: Body, x: Float, reduced: tuple[Float, Float, Int]) -> Float:
    r, low, n = reduced
    s, w, c = _parts(b, r, low)
    sine, sine_low = b.fast_two_sum(r, s)
    cosine, cosine_low = b.fast_two_sum(w, c)
    odd = (n & 1).nonzero()
    ratio = b.quotient(
        b.select(odd, cosine, sine), b.select(odd, cosine_low, sine_low),
        b.select(odd, sine, cosine), b.select(odd, sine_low, cosine_low),
    )  # fmt: skip
    signed = (ratio.bits() ^ (n << 63)).as_float()
    return b.select(x.eq_or_nan(0.0), x, signed)


def sin(b: Body, x: Float) -> Float:
    """The sine of |x| <= 2^30; 0 keeps its sign."""
    return b.select(x.eq_or_nan(0.0), x, _wave(b, x, _reduced(b, x), 0))


def cos(b: Body, x: Float) -> Float:
    """The cosine of |x| <= 2^30."""
    return _wave(b, x, _reduced(b, x), 1)


def tan(b: Body, x: Float) -> Float:
    """The tangent of |x| <= 2^30: sine over cosine as sums of two doubles."""
    return _slope(b, x, _reduced(b, x))


def huge_sin(b: Body, x: Float) -> Float:
    """The sine of |x| > 2^30, one lane."""
    return _wave(b, x, _huge(b, x), 0)


def huge_cos(b: Body, x: Float) -> Float:
    """The cosine of |x| > 2^30, one lane."""
    return _wave(b, x, _huge(b, x), 1)


def huge_tan(b: Body, x: Float) -> Float:
    """The tangent of |x| > 2^30, one lane."""
    return _slope(b, x, _huge(b, x))


def _window(b: Body, start: Int) -> tuple[Int, Int, Int]:
    """192 binary digits of 2/pi from bit `start` of the table, most significant word first."""
    count = len(co.TWO_OVER_PI_WORDS)
    table = f"[{count} x i64]"
    b.declarations.add("declare i64 @llvm.fshl.i64(i64, i64, i64)")
    first = start >> 6
    words: list[str] = []
    for k in range(4):
        place = b.emit(f"getelementptr {table}, ptr @{DIGITS}, i64 0, i64 {(first + k).text}")
        words.append(b.emit(f"load i64, ptr {place}"))
    shift = (start & 63).text
    top, middle, bottom = (
        Int(b, b.emit(f"call i64 @llvm.fshl.i64(i64 {words[k]}, i64 {words[k + 1]}, i64 {shift})"))
        for k in range(3)
    )
    return top, middle, bottom


def _turns(b: Body, x: Float) -> tuple[Int, Int, Int]:
    """|x| * 2/pi modulo 4 as a 192-bit number whose top two bits are the integer part."""
    bits = x.bits()
    # digit k of 2/pi is bit 63 + k of the table and has weight 2^(exponent - k); multiples of 4 are
    # dropped, as the mantissa is an integer
    exponent = ((bits >> 52) & 0x7FF) - 1075
    mantissa = (bits & ((1 << 52) - 1)) | (1 << 52)
    top, middle, bottom = _window(b, exponent + 62)
    wide = [b.emit(f"zext i64 {part.text} to i128") for part in (mantissa, bottom, middle)]
    low = b.emit(f"mul i128 {wide[0]}, {wide[1]}")
    carry = b.emit(f"lshr i128 {low}, 64")
    mid = b.emit(f"mul i128 {wide[0]}, {wide[2]}")
    mid_sum = b.emit(f"add i128 {mid}, {carry}")
    mid_carry = b.emit(f"lshr i128 {mid_sum}, 64")
    low_word, mid_word, overflow = (
        Int(b, b.emit(f"trunc i128 {text} to i64")) for text in (low, mid_sum, mid_carry)
    )
    product = Int(b, b.emit(f"mul i64 {mantissa.text}, {top.text}"))
    return product + overflow, mid_word, low_word


def _fraction(b: Body, high: Int, mid: Int, low: Int) -> tuple[Float, Float]:
    """The signed 192-bit number over 2^190 as a sum of two doubles."""
    signed = b.emit(f"ashr i64 {high.text}, 32")
    pieces = [Float(b, b.emit(f"sitofp i64 {signed} to double"))]
    for word in (high & 0xFFFFFFFF, mid >> 32, mid & 0xFFFFFFFF, low >> 32):
        pieces.append(Float(b, b.emit(f"uitofp i64 {word.text} to double")))
    total = pieces[0] * 2.0**-30
    errors: list[Float] = []
    for k, piece in enumerate(pieces[1:]):
        total, error = b.two_sum(total, piece * 2.0 ** (-62 - 32 * k))
        errors.append(error)
    rest = errors[0] + (errors[1] + (errors[2] + errors[3]))
    return b.fast_two_sum(total, rest)


def huge_quadrant() -> tuple[str, frozenset[str]]:
    """The text of the routine behind the `huge_` functions, and what it declares."""
    b = Body()
    x = Float(b, "%x")
    high, mid, low = _turns(b, x)
    rounded = high + (1 << 61)
    quadrant = rounded >> 62
    turn, turn_low = _fraction(b, (rounded & ((1 << 62) - 1)) - (1 << 61), mid, low)
    r, product_low = b.two_prod(turn, co.HALF_PI[0])
    r_low = b.fma(turn, co.HALF_PI[1], b.fma(turn_low, co.HALF_PI[0], product_low))
    finite = abs(x).lt(float("inf"))
    negative = x.lt(0.0)
    signed = b.select(negative, -r, r)
    fields = (
        f"double {b.select(finite, signed, float('nan')).text}",
        f"double {b.select(negative, -r_low, r_low).text}",
        f"i64 {b.select_int(negative, b.int(0) - quadrant, quadrant).text}",
    )
    triple = "poison"
    for k, item in enumerate(fields):
        triple = b.emit(f"insertvalue {TRIPLE} {triple}, {item}, {k}")
    words = ", ".join(f"i64 {b.int(word).text}" for word in co.TWO_OVER_PI_WORDS)
    text = "\n".join([
        f"@{DIGITS} = internal constant [{len(co.TWO_OVER_PI_WORDS)} x i64] [{words}]",
        f"define internal {TRIPLE} @{HUGE_QUADRANT}(double %x) cold noinline nounwind willreturn "
        "memory(none) {",
        *b.lines,
        f"  ret {TRIPLE} {triple}",
        "}",
    ])  # fmt: skip
    return text, frozenset(b.declarations)
