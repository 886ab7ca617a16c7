"""Calls of functions of each element, of reductions and of what makes arrays.

Lines as in `rows`; `math` is Python's module.
"""

from __future__ import annotations

__all__ = ["ELEMENTS"]

_SMOOTH = (
    "cbrt cos cosh deg2rad degrees exp exp2 expm1 fabs negative positive rad2deg radians "
    "sin sinh square tan tanh arctan arcsinh"
)
_OF_POSITIVE = "log log10 log1p log2 sqrt arcsin arccos arctanh"
_CONSTANT = "ceil rint sign signbit spacing isfinite isinf isnan trunc"
_OF_TWO = "arctan2 copysign divide float_power fmax fmin hypot logaddexp logaddexp2 heaviside power"
_COMPARING = (
    "equal greater greater_equal less less_equal not_equal logical_and logical_or logical_xor "
    "floor_divide"
)
_OF_MATH = (
    "asin asinh atan atanh cbrt cos cosh degrees erf erfc exp exp2 expm1 fabs gamma lgamma log "
    "log10 log1p log2 radians sin sinh sqrt tan tanh acos"
)
_CONSTANT_OF_MATH = "ceil floor trunc isfinite isinf isnan frexp modf ulp"

_OTHERS = """
np.concatenate([x, i], dtype=float) ? bools
np.median(a, axis=0, overwrite_input=True)
0 np.quantile(x, 0.3, overwrite_input=True) ? bools
0 np.can_cast(np.asarray(x).dtype, float)
0 np.isdtype(np.asarray(x).dtype, "real floating")
np.astype(x, float)
0 np.astype(i, float, copy=False)
0 np.round(i * 7 - 20, -1)
0 np.round(100.0 * x, n - 3)
1 np.arccosh(p + 1.5)
1 np.maximum(x, y)
1 np.minimum(a, w)
1 np.add(x, y)
1 np.subtract(a, w)
1 np.multiply(x, y)
1 np.fmod(x, y)
1 np.mod(x, y)
1 np.divmod(x, y)
1 np.modf(x)
1 np.frexp(x)[0]
0 np.frexp(x)
1 np.ldexp(x, i)
0 np.nextafter(x, y)
1 np.matmul(a, d) ? rank3
np.dot(a, d) ? rank3
1 np.conj(x) ! bools
0 np.logical_not(t)
0 np.bitwise_and(i, 2)
0 np.gcd(6 * i, 4)
0 np.lcm(i, 4)
0 len(np.seterr())
0 len(np.geterr())
0 np.bitwise_or(i, 2)
0 np.bitwise_xor(i, 3)
0 np.invert(i)
0 np.left_shift(i, 2)
0 np.right_shift(i, 1)
0 np.all(x > -3.0)
0 np.any(a > 1.0, axis=0) ? rank0
np.max(x)
1 np.max(a, axis=1)
np.min(x)
1 np.amax(a, axis=0) ? rank0
1 np.amin(a, axis=0, keepdims=True) ? rank0
np.sum(a)
1 np.sum(c, axis=(0, 2))
np.mean(x)
1 np.mean(a, axis=0)
np.prod(x)
0 np.arange(n)
1 np.arange(0.0, 1.0, 0.3) * s
np.array([s, s * s, 1.0])
1 np.asarray(a)
1 np.ascontiguousarray(a)
0 np.bincount(k) ? bools
1 np.bincount(k, v) ? bools ! empty
1 np.broadcast_to(s, ())
1 np.broadcast_to(v, (2, 3))
np.clip(x, -0.5, s)
np.copy(x)
0 np.empty((2, 0))
0 np.empty_like(a).shape
0 np.ones((2, 3))
0 np.ones_like(a)
0 np.zeros((2, 3))
0 np.zeros_like(a)
0 np.shape(a)
0 np.ndim(a)
1 np.reshape(a, (2, 6)) ? rank3
1 np.stack((x, y))
1 np.stack([[s, 1.0], [2.0, s]], axis=-1)
1 np.where([True, False], [s, 2.0], (s * s, s))
1 np.clip([s, 2.0], 0.25, [1.0, s + 2.0])
1 np.dstack([[s, 1.0], [2.0, s]])
1 np.stack([x, y], axis=1)
1 np.transpose(a)
0 np.bool_(s)
1 np.float64(s)
1 np.complex128(s).real
0 np.int64(n)
0 np.iscomplexobj(x)
0 np.isrealobj(x)
0 np.iscomplex(x)
0 np.isreal(x)
0 np.imag(x)
1 np.real(x)
1 np.real_if_close(x)
0 np.iterable(x)
0 np.issubdtype(x.dtype, np.floating) ! rank0
0 np.result_type(x, 1) == float
0 np.common_type(x, x) == float
0 np.promote_types(x.dtype, int) == float ! rank0 ints bools
1 np.divide(x, p, out=np.zeros_like(x), where=p > 0.3) ! ints bools one
1 np.add(x, y, np.zeros(6))
1 (z := x * 1.0, np.copyto(z, y), z)[2]
1 (z := x * 1.0, np.copyto(z, y, where=t), z)[2] ! rank0
1 (z := x * 1.0, np.putmask(z, t, y), z)[2] ! rank0
1 (z := x * 1.0, np.place(z, t, v), z)[2] ! rank0
1 (z := x * 1.0, np.put(z, [1, -1, 1], [s, 2.0]), z)[2] ! rank0 empty one norows nocolumns
1 (z := a * 1.0, np.put(z, [7, -9, 2], v * 2.0, mode="wrap"), z)[2] ! rank0 empty norows nocolumns
1 (z := a * 1.0, np.put(z, [70, -9, 2], s, "clip"), z)[2] ! rank0 empty norows nocolumns
1 (z := a * 1.0, np.put_along_axis(z, np.argmax(a, axis=1, keepdims=True), s, 1), z)[2] ! rank0
1 (z := m * 1.0, np.fill_diagonal(z, s), z)[2] ! rank0
1 sp.softplus(x)
0 sps.issparse(x)
1 np.multiply([1.0, s], (2.0, s))
1 np.log(x, out=np.full_like(x, s), where=x > 0) ? rank0 ! ints bools
0 np.zeros(6, dtype=np.dtype(int))
1 x[np.index_exp[1:3]]
1 math.acosh(s + 1.5)
1 math.atan2(s, 0.3)
1 math.copysign(s, -1.0)
1 math.dist((s, 1.0), (0.5, s))
0 math.comb(n + 3, n)
0 math.factorial(n)
1 math.fmod(s, 0.3)
1 math.fsum([s, 1.0, s * s])
0 math.gcd(n, 6)
math.hypot(s, 0.3)
0 math.isclose(s, 0.7)
0 math.isqrt(n + 7)
0 math.lcm(n, 3)
1 math.ldexp(s, 3)
0 math.nextafter(s, 1.0)
0 math.perm(n + 3, n)
math.pow(s, 2.5)
1 math.prod([s, 2.0, s])
1 math.remainder(s, 0.4)
"""


def _each(names: str, call: str, order: str) -> str:
    return "\n".join(f"{order}{call.format(name)}" for name in names.split())


ELEMENTS = "\n".join(
    (
        # Of bools NumPy computes in half precision.
        _each(_SMOOTH, "np.{}(x) ! bools", ""),
        "np.abs(a)",
        "1 np.reciprocal(a) ? ints ! bools",
        _each(_OF_POSITIVE, "np.{}(p) ! bools", ""),
        _each(_CONSTANT, "np.{}(x) ! bools", "0 "),
        _each(_OF_TWO, "np.{}(p, v[0]) ! bools", "1 "),
        _each(_COMPARING, "np.{}(x, y)", "0 "),
        _each(_OF_MATH, "math.{}(s)", ""),
        _each(_CONSTANT_OF_MATH, "math.{}(s)", "0 "),
        _each("cbrt exp2 expm1 log1p", "sp.{}(p)", ""),
        _OTHERS.strip(),
    )
)
