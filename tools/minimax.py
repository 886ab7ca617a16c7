"""Makes `retrograd/backends/llvm/math/coefficients.py`: minimax polynomials by the Remez exchange.

Each fit minimises the largest *weighted* error over a grid of Chebyshev points, in 240-bit
arithmetic. The weight is chosen so that the error is the relative error of the final function. The
first coefficients are rounded to doubles one by one and the others fitted again, so that their
rounding is absorbed. Run it as `python tools/minimax.py > .../coefficients.py`; it takes a minute.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mpmath import acos, asin, atan, cos, cosh, erf, erfc, exp, lu_solve, matrix, mp, mpf, sin, sinh
from mpmath import log as ln

mp.prec = 240
Real = Callable[[mpf], mpf]


@dataclass(frozen=True, slots=True)
class Fit:
    """A polynomial of `degree` for `target` on [low, high], weighted."""

    name: str
    doc: str
    target: Real
    weight: Real
    low: mpf
    high: mpf
    degree: int


def _solve(points: Sequence[tuple[mpf, mpf, mpf]], first: int, degree: int) -> list[mpf]:
    """Coefficients of x^first.. with an alternating weighted error on degree-first+2 points."""
    size = degree - first + 2
    system, right = matrix(size, size), matrix(size, 1)
    for row, (x, g, w) in enumerate(points):
        for col in range(size - 1):
            system[row, col] = x ** (first + col)
        system[row, size - 1] = (-1) ** row / w
        right[row] = g
    return list(lu_solve(system, right))[:-1]


def _extrema(errors: Sequence[mpf], count: int) -> list[int]:
    """Indices of `count` alternating extrema, the largest error among them."""
    runs: list[int] = []
    for k, e in enumerate(errors):
        if runs and (errors[runs[-1]] > 0) == (e > 0):
            if abs(e) > abs(errors[runs[-1]]):
                runs[-1] = k
        else:
            runs.append(k)
    while len(runs) > count:
        runs.pop(0 if abs(errors[runs[0]]) < abs(errors[runs[-1]]) else -1)
    return runs


def _remez(grid: Sequence[tuple[mpf, mpf, mpf]], first: int, degree: int) -> tuple[list[mpf], mpf]:
    count = degree - first + 2
    chosen = [round(k * (len(grid) - 1) / (count - 1)) for k in range(count)]
    best: tuple[list[mpf], mpf] | None = None
    for _ in range(40):
        coefs = _solve([grid[k] for k in chosen], first, degree)
        errors = [
            w * (sum(c * x ** (first + j) for j, c in enumerate(coefs)) - g) for x, g, w in grid
        ]
        worst = max(abs(e) for e in errors)
        if best is None or worst < best[1]:
            best = coefs, worst
        runs = _extrema(errors, count)
        if len(runs) < count or runs == chosen:
            break
        chosen = runs
    assert best is not None
    return best


def _fit(fit: Fit) -> tuple[list[float], mpf]:
    """Doubles, and the largest weighted error that they leave."""
    size = 24 * (fit.degree + 2)
    middle, half = (fit.low + fit.high) / 2, (fit.high - fit.low) / 2
    xs = [middle - half * cos(mp.pi * (k + mpf(1) / 2) / size) for k in range(size)]
    grid = [(x, fit.target(x), fit.weight(x)) for x in xs]
    fixed: list[float] = []
    rest: list[mpf] = []
    for first in range(min(4, fit.degree)):
        residual = [(x, g - sum(mpf(c) * x**j for j, c in enumerate(fixed)), w) for x, g, w in grid]
        rest, _ = _remez(residual, first, fit.degree)
        fixed.append(float(rest[0]))
    coefs = [*fixed, *(float(c) for c in rest[1:])]
    worst = max(abs(w * (sum(mpf(c) * x**j for j, c in enumerate(coefs)) - g)) for x, g, w in grid)
    return coefs, worst


HALF_LN2 = ln(mpf(2)) / 2 * mpf("1.002")
QUARTER_PI = mp.pi / 4 * mpf("1.0005")
S_MAX = (mp.sqrt(2) - 1) / (mp.sqrt(2) + 1) * mpf("1.0001")
ERF_MAX = mpf(6)
TWO_OVER_SQRT_PI = 2 / mp.sqrt(mp.pi)


def _erf_x(t: mpf) -> mpf:
    return (t + 1) * ERF_MAX / 2


def _root(function: Real) -> Real:
    """`function` of the square root of its argument."""
    return lambda z: function(mp.sqrt(z))


FITS = (
    Fit("EXP", "(e^r - 1 - r) / r^2, for e^r",
        lambda r: (exp(r) - 1 - r) / r**2, lambda r: r**2 / exp(r), -HALF_LN2, HALF_LN2, 9),
    Fit("EXPM1", "(e^r - 1 - r) / r^2, for e^r - 1",
        lambda r: (exp(r) - 1 - r) / r**2, lambda r: abs(r**2 / (exp(r) - 1)),
        -HALF_LN2, HALF_LN2, 10),
    Fit("SINH", "(sinh r - r) / r^3 in z = r^2",
        _root(lambda r: (sinh(r) - r) / r**3), _root(lambda r: r**3 / sinh(r)),
        mpf(0), HALF_LN2**2, 4),
    Fit("COSH", "(cosh r - 1 - z/2) / z^2 in z = r^2",
        _root(lambda r: (cosh(r) - 1 - r**2 / 2) / r**4), _root(lambda r: r**4 / cosh(r)),
        mpf(0), HALF_LN2**2, 3),
    Fit("LOG", "(2 atanh s - 2 s) / s^3 in z = s^2",
        _root(lambda s: (ln((1 + s) / (1 - s)) - 2 * s) / s**3), _root(lambda s: s**2 / 2),
        mpf(0), S_MAX**2, 6),
    Fit("POW_LOG", "(2 atanh s - 2 s - 2/3 s^3) / s^5 in z = s^2",
        _root(lambda s: (ln((1 + s) / (1 - s)) - 2 * s - 2 * s**3 / 3) / s**5),
        _root(lambda s: s**4 / 2), mpf(0), S_MAX**2, 7),
    Fit("SIN", "(sin r - r) / r^3 in z = r^2",
        _root(lambda r: (sin(r) - r) / r**3), _root(lambda r: r**3 / sin(r)),
        mpf(0), QUARTER_PI**2, 5),
    Fit("COS", "(cos r - 1 + z/2) / z^2 in z = r^2",
        _root(lambda r: (cos(r) - 1 + r**2 / 2) / r**4), _root(lambda r: r**4 / cos(r)),
        mpf(0), QUARTER_PI**2, 5),
    Fit("ATAN", "(atan t - t) / t^3 in z = t^2",
        _root(lambda t: (atan(t) - t) / t**3), _root(lambda t: t**3 / atan(t)),
        mpf(0), mpf(1), 20),
    Fit("ASIN", "(asin x - x) / x^3 in z = x^2",
        _root(lambda x: (asin(x) - x) / x**3), _root(lambda x: x**3 / asin(x)),
        mpf(0), mpf(1) / 4, 11),
    Fit("ERF", "(-log erfc x - 2/sqrt(pi) x) / x^2 in t = x/3 - 1, 0 < x < 6",
        lambda t: (-ln(erfc(_erf_x(t))) - TWO_OVER_SQRT_PI * _erf_x(t)) / _erf_x(t) ** 2,
        lambda t: erfc(_erf_x(t)) * _erf_x(t) ** 2 / erf(_erf_x(t)), mpf(-1), mpf(1), 23),
)  # fmt: skip


def _short(value: mpf, bits: int) -> mpf:
    """`value` rounded to `bits` significant bits."""
    scale = mpf(2) ** (bits - 1 - mp.floor(ln(abs(value), 2)))
    return mp.nint(value * scale) / scale


def _parts(value: mpf, widths: Sequence[int]) -> list[float]:
    """An unevaluated sum of doubles, of the given numbers of significant bits."""
    parts: list[float] = []
    for width in widths:
        parts.append(float(_short(value - sum(map(mpf, parts), mpf(0)), width)))
    return parts


CONSTANTS = (
    ("LN2", "log 2; 42 bits in the first part, so that an exponent times it is exact",
     ln(mpf(2)), (42, 42, 53)),
    ("LOG10_2", "log10 2, the same way", ln(mpf(2)) / ln(mpf(10)), (42, 53)),
    ("INV_LN2", "1 / log 2", 1 / ln(mpf(2)), (53, 53)),
    ("INV_LN10", "1 / log 10", 1 / ln(mpf(10)), (53, 53)),
    ("HALF_PI", "pi / 2", acos(mpf(0)), (53, 53, 53)),
    ("TWO_OVER_PI", "2 / pi", 1 / acos(mpf(0)), (53,)),
    ("TWO_OVER_SQRT_PI", "2 / sqrt(pi)", TWO_OVER_SQRT_PI, (53, 53)),
    ("TWO_THIRDS", "2 / 3", mpf(2) / 3, (53, 53)),
)  # fmt: skip


def _two_over_pi_words() -> list[int]:
    """Binary digits of 2/pi, 64 a word, after one word of zeros."""
    words = 20
    with mp.workprec(64 * words + 64):
        digits = int(mp.floor(2 / mp.pi * mpf(2) ** (64 * words)))
    return [0, *((digits >> (64 * (words - 1 - k))) & (2**64 - 1) for k in range(words))]


def _tuple(name: str, doc: str, items: Sequence[str]) -> str:
    body = f"{items[0]}," if len(items) == 1 else "\n" + "".join(f"    {item},\n" for item in items)
    return f"# {doc}\n{name}: Final = ({body})\n"


def main() -> None:
    """Prints the module."""
    print('"""Polynomial coefficients and constants. Made by `tools/minimax.py`: do not edit.\n')
    print("Lowest order first. The figure after each fit is its largest weighted error.")
    print('"""\n\nfrom __future__ import annotations\n\nfrom typing import Final\n')
    for name, doc, value, widths in CONSTANTS:
        print(_tuple(name, doc, [repr(part) for part in _parts(value, widths)]))
    for fit in FITS:
        coefs, worst = _fit(fit)
        bits = f"2^{float(ln(worst, 2)):.1f}"
        print(_tuple(fit.name, f"{fit.doc}: {bits}", [repr(c) for c in coefs]))
    words = [f"0x{word:016X}" for word in _two_over_pi_words()]
    doc = "binary digits of 2/pi, after a word of zeros"
    print(_tuple("TWO_OVER_PI_WORDS", doc, words), end="")


if __name__ == "__main__":
    main()
