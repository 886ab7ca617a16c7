"""Functions of `scipy.special`, as compositions of those that are primitives.

Where a branch is not taken, its argument is replaced, so that no derivative is 0 * inf.
"""

from __future__ import annotations

from typing import Any

import numpy
import scipy.special

from retrograd.frontend.library import special_inverses as inverses
from retrograd.frontend.library import special_kernels
from retrograd.frontend.library.plain.axes import counted_from_zero, is_sequence
from retrograd.frontend.library.plain.each_element import as_floats, of_each
from retrograd.frontend.library.plain.told import constant, refuse

__all__ = [
    "beta", "betainc", "betaln", "boxcox", "entr", "erfcinv", "erfinv", "expit",
    "factorial", "factorial2", "gammainc", "gammaincc", "kl_div", "lambertw", "log_expit",
    "log_ndtr", "log_softmax", "logit", "logsumexp", "ndtr", "ndtri", "rel_entr",
    "softmax", "softplus", "stdtr", "xlog1py", "xlogy",
]  # fmt: skip

np: Any = numpy
special: Any = scipy.special

_ROOT = 0.7071067811865476


def _down(x: Any) -> Any:
    """-|x|, with a derivative at zero."""
    return np.where(x >= 0.0, -x, x)


def expit(x: Any) -> Any:
    x = as_floats(x)
    e = np.exp(_down(x))
    return np.where(x >= 0.0, 1.0, e) / (1.0 + e)


def log_expit(x: Any) -> Any:
    x = as_floats(x)
    return np.where(x >= 0.0, 0.0, x) - np.log1p(np.exp(_down(x)))


def softplus(x: Any) -> Any:
    x = as_floats(x)
    return np.where(x >= 0.0, x, 0.0) + np.log1p(np.exp(_down(x)))


def logit(x: Any) -> Any:
    x = as_floats(x)
    near = np.logical_and(x > 0.3, x < 0.65)
    off = np.where(near, 2.0 * (x - 0.5), 0.0)
    away = np.where(near, 0.25, x)
    return np.where(near, np.log1p(off) - np.log1p(-off), np.log(away) - np.log1p(-away))


def _times_log(x: Any, bad: Any, log: Any, y: Any, instead: Any) -> Any:
    return np.where(bad, 0.0, x * log(np.where(bad, instead, y)))


def xlogy(x: Any, y: Any) -> Any:
    x, y = as_floats(x), as_floats(y)
    bad = np.logical_and(x == 0.0, np.logical_or(y <= 0.0, y == np.inf))
    return _times_log(x, bad, np.log, y, 1.0)


def xlog1py(x: Any, y: Any) -> Any:
    x, y = as_floats(x), as_floats(y)
    bad = np.logical_and(x == 0.0, np.logical_or(y <= -1.0, y == np.inf))
    return _times_log(x, bad, np.log1p, y, 0.0)


def entr(x: Any) -> Any:
    x = as_floats(x)
    inside = np.where(x > 0.0, x, 1.0)
    least = np.where(x < 0.0, -np.inf, np.where(x == 0.0, 0.0, x))
    return np.where(x > 0.0, -inside * np.log(inside), least)


def rel_entr(x: Any, y: Any) -> Any:
    x, y = as_floats(x), as_floats(y)
    both = np.logical_and(x > 0.0, y > 0.0)
    a, b = np.where(both, x, 1.0), np.where(both, y, 1.0)
    edge = np.where(np.logical_and(x == 0.0, y >= 0.0), 0.0, np.inf)
    rest = np.where(np.logical_or(np.isnan(x), np.isnan(y)), np.nan, edge)
    return np.where(both, a * np.log(a / b), rest)


def kl_div(x: Any, y: Any) -> Any:
    x, y = as_floats(x), as_floats(y)
    found = rel_entr(x, y)
    return np.where(np.isinf(found), found, found - x + y)


def boxcox(x: Any, lmbda: Any) -> Any:
    x, lmbda = as_floats(x), as_floats(lmbda)
    power = np.where(lmbda == 0.0, 1.0, lmbda)
    return np.where(lmbda == 0.0, np.log(x), np.expm1(power * np.log(x)) / power)


def _top(a: Any, axis: Any) -> Any:
    """The largest one, which is a constant: the result does not depend on it."""
    if a.size == 0:
        raise ValueError("zero-size array to reduction operation maximum which has no identity")
    top = np.max(constant(a), axis=axis, keepdims=True)
    return np.where(np.isfinite(top), top, 0.0)


def logsumexp(a: Any, axis: Any = None, b: Any = None, keepdims: Any = False) -> Any:
    a = as_floats(a)
    if a.ndim > 0 and axis is not None and not is_sequence(axis):
        axis = counted_from_zero(axis, a.ndim)
    if a.ndim == 0:
        return a if b is None else a + np.log(b)
    weights = as_floats(1.0 if b is None else b)
    if b is not None:
        a = np.where(weights == 0.0, -np.inf, a + 0.0 * weights)
    top = _top(a, axis)
    terms = np.exp(a - top) if b is None else weights * np.exp(a - top)
    total = np.sum(terms, axis=axis, keepdims=True)
    empty = total == 0.0  # every item is -inf: none has an influence
    found = np.where(empty, -np.inf, np.log(np.where(empty, 1.0, total)) + top)
    return found if keepdims else np.sum(found, axis=axis)


def softmax(x: Any, axis: Any = None) -> Any:
    x = as_floats(x)
    if x.ndim == 0:
        return np.exp(x - constant(x))
    e = np.exp(x - np.max(constant(x), axis=axis, keepdims=True))
    return e / np.sum(e, axis=axis, keepdims=True)


def log_softmax(x: Any, axis: Any = None) -> Any:
    x = as_floats(x)
    if x.ndim == 0:
        return x - constant(x)
    off = x - _top(x, axis)
    return off - np.log(np.sum(np.exp(off), axis=axis, keepdims=True))


def betaln(a: Any, b: Any) -> Any:
    a, b = as_floats(a), as_floats(b)
    return special.gammaln(a) + special.gammaln(b) - special.gammaln(a + b)


def _sign_of_gamma(x: Any) -> Any:
    return np.where(np.logical_or(x > 0.0, np.floor(x) % 2.0 == 0.0), 1.0, -1.0)


def beta(a: Any, b: Any) -> Any:
    a, b = as_floats(a), as_floats(b)
    sign = _sign_of_gamma(a) * _sign_of_gamma(b) * _sign_of_gamma(a + b)
    return sign * np.exp(betaln(a, b))


def factorial(n: Any) -> Any:
    n = np.asarray(n)
    return np.where(n < 0, 0.0, special.gamma(np.where(n < 0, 0.0, n * 1.0) + 1.0))


def factorial2(n: Any, exact: Any = False) -> Any:
    n = np.asarray(n)
    if n.dtype != np.int64:
        raise ValueError("n!! is of ints")
    if exact:
        return _product_of_every_second(n)
    m = np.maximum(n, 0)
    r = m % 2
    half = special.gamma(m / 2.0 + 1.0) / np.where(r == 1, 0.8862269254527580, 1.0)
    return np.where(n < 0, 0.0, np.where(m < 2, 1.0, 2.0 ** ((m - r) / 2.0) * half))


def _product_of_every_second(n: Any) -> Any:
    found, k = np.where(n < 0, 0, 1), 2
    while np.any(n >= k):
        found = found * np.where(np.logical_and(n >= k, (n - k) % 2 == 0), k, 1)
        k = k + 1
    return found


def ndtri(y: Any) -> Any:
    y = as_floats(y)
    return inverses.normal_quantile(y - 0.5, np.where(y < 0.5, y, 1.0 - y))


def erfinv(y: Any) -> Any:
    y = as_floats(y)
    return inverses.normal_quantile(0.5 * y, 0.5 - 0.5 * np.where(y < 0.0, -y, y)) * _ROOT


def erfcinv(y: Any) -> Any:
    y = as_floats(y)
    return -inverses.normal_quantile(0.5 * y - 0.5, 0.5 * np.where(y < 1.0, y, 2.0 - y)) * _ROOT


def ndtr(a: Any) -> Any:
    return 0.5 * special.erfc(-_ROOT * as_floats(a))


def log_ndtr(a: Any) -> Any:
    x = as_floats(a)
    up = np.where(x > 0.0, x, 0.0)
    down = np.where(np.logical_and(x <= 0.0, x > -20.0), x, 0.0)
    far = np.where(x <= -20.0, x, -20.0)
    u = 1.0 / (far * far)
    series = 1.0 - u * (1.0 - 3.0 * u * (1.0 - 5.0 * u * (1.0 - 7.0 * u * (1.0 - 9.0 * u * (
        1.0 - 11.0 * u * (1.0 - 13.0 * u * (1.0 - 15.0 * u)))))))  # fmt: skip
    below = -0.5 * far * far - np.log(-far) - 0.9189385332046728 + np.log(series)
    low = np.where(x <= -20.0, below, np.log(0.5 * special.erfc(-_ROOT * down)))
    found = np.where(x > 0.0, np.log1p(-0.5 * special.erfc(_ROOT * up)), low)
    return np.where(np.isnan(x), x, found)


def lambertw(z: Any, k: Any = 0) -> Any:
    """The real branches: NaN where the function is complex."""
    if k != 0 and k != -1:
        refuse("this branch of lambertw", "the real ones are 0 and -1")
    return (
        inverses.upper_lambertw(as_floats(z)) if k == 0 else inverses.lower_lambertw(as_floats(z))
    )


def gammainc(a: Any, x: Any) -> Any:
    return of_each(special_kernels.lower_gamma, special_kernels.every_lower_gamma, a, x)


def gammaincc(a: Any, x: Any) -> Any:
    return of_each(special_kernels.upper_gamma, special_kernels.every_upper_gamma, a, x)


def betainc(a: Any, b: Any, x: Any) -> Any:
    return of_each(special_kernels.part_of_beta, special_kernels.every_part_of_beta, a, b, x)


def stdtr(df: Any, t: Any) -> Any:
    return of_each(special_kernels.student, special_kernels.every_student, df, t)
