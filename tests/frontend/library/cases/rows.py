"""Calls of library functions, one a line: what is tried of each function.

The names are arguments (`ARGUMENTS`). A line may begin with the order up to which it is
differentiated (2 if it is not said). `? kinds` at its end are generated inputs that are refused,
where the real function takes them, and `! kinds` those where what it gives means nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tests.frontend.library.cases.elements import ELEMENTS
from tests.frontend.library.cases.found import FOUND
from tests.frontend.library.cases.hypotheses import HYPOTHESES
from tests.frontend.library.cases.images import FILTERS, SAMPLED
from tests.frontend.library.cases.integrals import INTEGRALS
from tests.frontend.library.cases.laws import FURTHER
from tests.frontend.library.cases.linalg import LINALG
from tests.frontend.library.cases.orders import ORDERS
from tests.frontend.library.cases.places import NEAR, POLYNOMIALS
from tests.frontend.library.cases.quantiles import QUANTILES
from tests.frontend.library.cases.samples import SAMPLES, SERIES, SIGNALS, STATS
from tests.frontend.library.cases.special import SPECIAL
from tests.frontend.library.cases.summaries import COUNTING, DISTANCES, GROUPS, LAWS, SUMMARIES

__all__ = ["ARGUMENTS", "ROWS", "Row"]

_DATA = np.random.default_rng(5)


def _draw(*shape: int) -> np.ndarray:
    return _DATA.uniform(0.2, 2.0, shape) * _DATA.choice((-1.0, 1.0), shape)


_H = np.random.default_rng(6).normal(size=(4, 4))

ARGUMENTS: dict[str, object] = {
    "s": 0.7, "x": _draw(6), "y": _draw(6), "v": _draw(3), "a": _draw(3, 4), "b": _draw(3, 4),
    "m": _draw(4, 4), "c": _draw(2, 3, 4), "w": _draw(4), "d": _draw(4, 3), "e": _draw(2, 3),
    "xs": np.array([-1.3, -0.8, 0.1, 0.4, 1.1, 1.9]), "p": np.abs(_draw(6)) * 0.4,
    "i": np.array([2, 0, 1, 3, 1, 2]),
    "k": np.array([1, 0, 2]), "t": np.array([True, False, True, True, False, True]), "n": 2,
    "q": _draw(3, 3), "g": np.round(_draw(4, 4), 3) + 3.0 * np.eye(4), "gs": _draw(2, 3, 3),
    "h": _H @ _H.T + np.eye(4),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Row:
    """A call as text, its arguments by name, and what is expected of it."""

    text: str
    order: int
    refused: tuple[str, ...]
    meaningless: tuple[str, ...]

    @property
    def function(self) -> str:
        """The name of the function that is tried."""
        return self.text.partition("(")[0]


def _row(line: str) -> Row:
    line, _, meaningless = line.partition(" ! ")
    text, _, refused = line.partition(" ? ")
    order = 2
    if text[0].isdigit():
        order, text = int(text[0]), text[2:]
    return Row(text.strip(), order, tuple(refused.split()), tuple(meaningless.split()))


_TEXT = """
np.roll(x, 2)
np.roll(x, n)
np.roll(a, -1)
np.roll(a, 3, axis=1)
np.roll(c, (1, -2), axis=(0, 2))
np.flip(x)
np.flip(a)
np.flip(a, axis=1)
np.flip(c, (0, 2))
np.flipud(a)
np.fliplr(a)
np.diff(x)
np.diff(a, axis=0)
np.diff(x, n=2)
np.diff(a, prepend=0.0)
np.diff(x, 1, -1, y, 2.0)
0 np.diff(t)
0 np.diff(i)
np.hstack((x, y))
np.hstack((a, b))
np.hstack([s, x, 2])
np.vstack((x, y))
np.vstack([a, w])
np.dstack((a, b))
np.dstack((x, y))
np.column_stack((x, y))
np.column_stack([a, v])
np.tile(x, 2)
np.tile(x, (2, 3))
np.tile(a, n)
np.tile(a, (2, 1))
np.tile(c, (1, 2, 2))
np.repeat(x, 3)
np.repeat(a, n, axis=1)
np.repeat(a, 2)
np.repeat(v, k)
np.repeat(a, k, axis=0)
np.repeat(s, 3)
np.append(x, s)
np.append(x, y)
np.append(a, b)
np.append(a, b, axis=1)
np.append(x, [1.0, 2.0])
np.cross(v, q[0])
np.cross(q, v)
np.cross(e, e[::-1])
np.cross(d, d * d)
np.cross(a, b, axis=0) ? rank3
np.diag(x)
np.diag(x, 2)
np.diag(x, -1)
np.diag(a)
np.diag(a, 1)
np.diag(a, -2)
np.diag(d, n)
np.diagonal(a, -1)
np.diagonal(c, 1, 0, 2)
np.diagonal(c)
np.diagflat(a, 1)
np.interp(s, xs, y) ! special
np.interp(p, xs, y)
np.interp(a, xs, y, left=-1.0)
np.interp(a, xs, y, 0.0, s)
np.interp(p, xs, y, period=3.0)
np.trapezoid(x)
np.trapezoid(x, xs)
np.trapezoid(a, dx=0.5, axis=0)
np.trapezoid(a, v, axis=0)
np.trapezoid(a, b)
np.convolve(x, v)
np.convolve(v, x)
np.convolve(x, v, mode="same")
np.convolve(v, x, "same")
np.convolve(x, w, "same")
np.convolve(x, w, "valid")
np.convolve(v, x, "valid")
0 np.convolve(i, k)
np.correlate(x, v)
np.correlate(x, v, "full")
np.correlate(v, x, "full")
np.correlate(x, w, "same")
np.correlate(w, x, "same")
np.gradient(x)
np.gradient(x, 0.5)
np.gradient(x, xs) ! bools
np.gradient(a)
np.gradient(a, axis=0)
np.gradient(a, 0.5, 2.0)
np.gradient(x, xs, edge_order=2) ! bools
np.gradient(x, edge_order=2)
np.gradient(a, v, w)
0 np.isclose(x, x + 1e-9 * y)
0 np.isclose(x, y, atol=1.0)
0 np.isclose(x, y, equal_nan=True)
0 np.allclose(x, x * (1.0 + 1e-7))
0 np.allclose(x, y)
0 np.array_equal(x, y)
0 np.array_equal(x, x.copy()) ! rank0
0 np.array_equal(x, a)
np.expand_dims(x, 0) ? rank3
np.expand_dims(a, -1) ? rank3
np.expand_dims(x, (0, 2)) ? rank3 rank2 nocolumns norows ints
np.squeeze(x[None], axis=0) ? rank3 ! rank0
np.squeeze(a[:, None, :1], axis=(1, 2)) ? rank3
np.moveaxis(c, 0, -1)
np.moveaxis(c, 2, 1)
np.moveaxis(c, (0, 1), (-1, 0)) ! rank2
np.moveaxis(c, [2, 0], [0, 1]) ! rank2
c.transpose(1, 0, 2)
c.transpose() ! rank0
np.concatenate((a, x), axis=None)
np.trace(m, 1)
np.trace(c, axis1=1, axis2=2)
np.swapaxes(c, 0, 1)
np.rot90(a)
np.rot90(a, 2)
np.rot90(a, -1)
np.atleast_1d(s)
np.atleast_1d(x, s)
np.atleast_2d(x)
np.atleast_3d(a)
np.split(x, 3)
np.split(x, [2, 3])
np.split(x, (n, 5))
np.array_split(x, 4)
np.hsplit(a, 2)
np.vsplit(a, 3)
np.dsplit(c, 2)
0 np.tri(3)
0 np.tri(3, 4, 1, dtype=int)
np.tril(m)
np.tril(a, -1)
np.triu(a, 1)
np.triu(c)
0 np.ediff1d(i)
np.ediff1d(x, to_begin=y, to_end=0.5)
np.outer(x, v)
np.outer(a, v)
np.inner(x, y)
np.inner(a, b)
np.inner(a, w)
np.vdot(a, b)
np.tensordot(a, d, 1)
np.tensordot(a, b)
np.tensordot(c, d, axes=([2], [0]))
np.tensordot(c, d, axes=(2, 0))
np.tensordot(c, a, axes=([1, 2], [0, 1]))
np.tensordot(v, w, 0) ? rank3
np.kron(x, v) ? rank3
np.kron(a, q) ? rank3
np.kron(x, q) ? rank3
np.meshgrid(x, v)
np.meshgrid(x, v, w, x)
np.lib.stride_tricks.sliding_window_view(x, 2)
np.meshgrid(x, v, w, indexing="ij")
np.meshgrid(x, v, w)
np.meshgrid(x, v, sparse=True)
np.polyval(v, x)
np.polyval([1.0, s, 2.0], x)
np.polyval(v, s) ? rank2 rank3 nocolumns norows ints
np.polyder(x)
np.polyder(x, 2)
np.polyint(x)
np.polyadd(x, v)
np.polysub(v, x)
np.vander(x)
np.vander(x, 3, increasing=True)
np.linalg.norm(x) ! special
np.linalg.norm(a, axis=1)
np.linalg.norm(a, 1, axis=0)
np.linalg.norm(x, np.inf)
np.linalg.norm(x, 3)
np.linalg.norm(a, "fro")
np.linalg.norm(a, axis=0, keepdims=True)
np.linalg.norm(a, np.inf)
np.linalg.norm(a, 1)
np.average(x)
np.average(a, axis=1) ! empty norows
np.average(a, axis=0, weights=v * v)
np.average(a, weights=b * b)
np.average(x, weights=p, returned=True)
np.median(x)
np.median(a)
np.median(a, axis=0)
np.median(c, axis=1, keepdims=True)
0 np.median(i)
np.quantile(x, 0.3)
np.quantile(a, 0.7, axis=1)
np.quantile(a, [0.2, 0.6], axis=1, method="hazen")
np.quantile(x, 0.45, method="averaged_inverted_cdf")
0 np.quantile(i, 0.3, method="lower") ! rank0
np.percentile(x, 30.0)
np.percentile(x, [10, 50, 95])
np.percentile(a, [25.0, 75.0], axis=0)
np.percentile(a, 50, axis=1, keepdims=True)
np.ptp(a, axis=1)
np.cov(a)
np.cov(x, y) ! norows nocolumns empty
np.cov(x)
np.cov(a, rowvar=False)
np.cov(a, bias=True)
np.cov(a, ddof=0)
np.corrcoef(a)
np.corrcoef(x, y) ! norows nocolumns empty
0 np.histogram(x)
0 np.histogram(x, 4, (-1.0, 1.0))
0 np.histogram(x, bins=xs)
np.histogram(x, 3, weights=y)
0 np.histogram(x, 3, density=True)
0 np.count_nonzero(x > 0.0)
0 np.count_nonzero(a, axis=0) ? rank0
np.nansum(x)
np.nansum(a, axis=0) ? rank0
np.nanprod(x)
np.nancumsum(x)
np.nancumprod(x)
np.nanmean(x)
np.nanmean(a, axis=1, keepdims=True)
np.nanvar(x)
np.nanstd(a, axis=0, ddof=1) ? rank0
np.nanmax(x)
np.nanmin(a, axis=1)
np.nanmedian(x)
np.nanmedian(a, axis=0)
np.nan_to_num(x)
np.nan_to_num(x, nan=1.0, posinf=2.0)
np.sinc(x)
0 np.angle(x)
0 np.angle(a - 0.5, deg=True)
np.clip(x, min=0.2, max=0.7)
np.clip(x, 0.5, max=None)
0 np.isposinf(x)
0 np.isneginf(x)
0 np.fix(x)
0 np.round(x, 1)
0 np.round(x) ? bools
0 np.around(a, 2)
0 np.select([x > 1.0, x > 0.0], [1, 2], 3)
np.select([x > 1.0, x > 0.0], [x, x * x])
np.select([x > 1.0, x > 0.0], [x, y], default=s)
0 np.digitize(x, xs)
0 np.digitize(x, xs, right=True)
0 np.digitize(x, xs[::-1])
np.pad(x, 2)
np.pad(x, (1, 2), constant_values=s)
np.pad(a, 1)
np.pad(a, ((1, 2), (0, 3)))
np.pad(a, ((1, 2), (0, 3)), mode="edge")
np.pad(x, 2, "edge")
np.pad(x, (2, 3), mode="reflect")
np.pad(a, 2, mode="symmetric")
np.pad(x, n, mode="wrap")
np.pad(v, 7, mode="reflect")
np.pad(v, 7, mode="symmetric")
0 np.eye(3)
0 np.eye(3, 4, 1)
0 np.eye(n, k=-1, dtype=int)
0 np.identity(3)
np.linspace(s, 2.0, 5)
np.linspace(0.0, s, 5, endpoint=False)
0 np.linspace(-3.0, 4.0, 9, dtype=int)
np.fromiter([s, 2.0 * s, 3.0], float)
np.fromiter((z * s for z in x), float, count=2)
np.linspace(0.0, s, n, retstep=True)
np.logspace(s, 2.0, 5)
np.logspace(0.0, 1.0, 3, base=s)
np.geomspace(s, 8.0, 4)
np.geomspace(-s, -8.0, 4)
0 np.hanning(5)
0 np.hamming(n)
0 np.blackman(6)
0 np.bartlett(5)
np.var(x, ddof=1)
np.var(a, axis=1, ddof=1, where=a > -1.0, keepdims=True) ! bools
np.std(x, where=t) ! bools
np.std(a, axis=0, ddof=1)
a.std(axis=1, ddof=n)
0 np.sum(t, dtype=float)
np.add.outer(x, v) ? rank3
np.subtract.outer(x, v) ? rank3
np.multiply.outer(a, w) ? rank3
np.add.reduce(a) ? rank0
np.multiply.reduce(a, axis=1)
np.maximum.reduce(a, axis=1)
np.add.accumulate(a, axis=1) ! rank0 rank1 one bools
np.multiply.accumulate(x)
np.maximum.accumulate(x) ! bools
np.minimum.accumulate(a) ! bools
np.r_[x, s, v]
np.r_[0.0, x, 1:n]
np.c_[x, y]
np.c_[a, v]
x[np.s_[1:4]]
a[np.s_[1:, ::2]]
a[slice(0, n), 1]
0 np.isscalar(x)
0 np.isscalar(s)
0 np.size(a)
0 np.size(a, 1)
np.finfo(float).eps * x
0 np.iinfo(int).max
np.asanyarray(x)
0 np.ndarray((2, 3)).shape
a[:1].squeeze(axis=0)
a.swapaxes(0, 1) ! rank0
a.cumsum(axis=0) ! rank0
x.repeat(2) ! rank0
m.diagonal() ! rank0
0 x.argmax() ! rank0
np.einsum("ij,kj->ik", a, b)
np.einsum("ij,j->i", a, w)
np.einsum("ij->", a)
0 np.einsum("ij->ji", a)
np.einsum("ii->i", m) ! empty norows
np.einsum("ii", m)
np.einsum("i,i", x, y) ! one
np.einsum("i,j", x, v)
np.einsum("...j,j->...", c, w) ! one
np.einsum("ij,jk,kl", a, m, d)
np.einsum("ij,ij->i", a, b)
np.einsum("kij,ij->k", c, a)
np.einsum("kij,kjl->kil", c, c.transpose(0, 2, 1))
np.einsum("ki,kij->kj", e, c.transpose(0, 1, 2))
np.einsum("ij,i->ij", a, v)
np.einsum("i,ij,j->", v, a, w) ! one
np.einsum("k,kij->ij", e[:, 0], c, optimize=True)
np.einsum(",i->i", s, x)
np.vectorize(lambda z: z * z if z > 0.5 else 0.5 * z)(x) ! bools
np.vectorize(lambda z, other: z * other)(a, s)
np.vectorize(lambda z: z * s, otypes=[float])(x) ! empty nocolumns norows
np.apply_along_axis(np.sum, 0, a)
np.apply_along_axis(lambda row, k, n=1: row[:n] * k, 1, c, s, n=2)
np.apply_along_axis(lambda row: np.outer(row, row), 0, a)
np.apply_along_axis(lambda row: row * np.sum(row), 1, c)
np.piecewise(x, [x < 0.5, x >= 0.5], [lambda z: z * z, lambda z: 3.0 * z]) ! ints
np.piecewise(x, [x < 0.5], [lambda z: np.exp(z), 2.0]) ! ints bools
np.nanquantile(x, 0.3) ! bools
np.nanquantile(a, 0.35, axis=0, method="closest_observation") ! bools
np.nanpercentile(a, 40.0, axis=1)
0 np.nanargmax(x) ? bools rank0
0 np.nanargmin(a, axis=0) ? rank0 rank3
np.broadcast_arrays(x[:, None], v)
np.rollaxis(c, 2)
np.delete(x, 2)
np.delete(a, n, axis=1)
np.insert(x, 2, s)
np.insert(a, 1, w, axis=0)
np.unwrap(x * 3.0)
np.unwrap(a * 2.0, axis=0, period=1.5)
0 np.indices((2, 3))
0 np.indices((2, 3, 1))
0 np.mgrid[0:2, 1:7:2]
0 np.mgrid[0:1:5j, -1.0:1:0.5]
0 np.ogrid[0:2, 1:7:2]
0 np.ogrid[0:1:5j]
np.fromfunction(lambda row, column: row + column * s, (2, 3))
0 np.unravel_index(n, (2, 3))
0 np.unravel_index(i, (2, 3)) ! bools
0 np.isin(i, k)
np.polymul(x, v) ! empty
np.poly(v) ! empty
np.polynomial.polynomial.polyval(x, v)
2 np.sinc(np.array([0.0, 1e-9, 0.0099, 0.0101, 2.0]) * s)
np.cumsum(x)
np.cumsum(c, axis=1)
np.cumprod(a, axis=-1) ? rank0
0 np.cumsum(t, dtype=float)
0 np.floor(i)
0 np.trunc(x)
0 np.searchsorted(xs, x)
0 x.round(1) ! bools rank0
0 np.nonzero(a > 0.4)
0 np.where(x) ? rank0
0 np.flatnonzero(a > 0.4)
0 np.argwhere(c > 0.4) ? rank0
np.compress([True, False, True], a, axis=0)
np.extract(x > 0.4, x)
0 np.ix_(i, k)
np.take(a, i - 3, axis=1)
"""

_TEXTS = (
    _TEXT, ORDERS, SPECIAL, STATS, LINALG, SAMPLES, ELEMENTS, SUMMARIES, DISTANCES, COUNTING,
    FILTERS, SAMPLED, LAWS, SERIES, SIGNALS, GROUPS, QUANTILES, FURTHER, POLYNOMIALS, NEAR,
    HYPOTHESES, FOUND, INTEGRALS,
)  # fmt: skip
ROWS = tuple(_row(line) for text in _TEXTS for line in text.strip().splitlines())
