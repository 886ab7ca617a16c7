"""Calls of functions that sort, take what is there once, and index diagonals and triangles.

Lines as in `rows`.
"""

from __future__ import annotations

__all__ = ["ORDERS"]

ORDERS = """
np.sort(x)
np.sort(a)
np.sort(c, axis=1) ? rank0
np.sort(a, axis=None) ? rank0
0 np.argsort(a, axis=0)
0 np.argsort(c)
0 np.argmax(a, axis=1)
0 np.argmin(c, axis=1, keepdims=True)
0 np.argmin(a)
np.unique(x) ? bools
0 np.unique(i, return_index=True, return_inverse=True, return_counts=True) ? bools
np.unique(np.round(a), return_counts=True)[0] ? bools
np.union1d(x, v) ? bools
np.intersect1d(x, x[2:]) ? bools
np.setdiff1d(x, x[2:]) ? bools
0 np.lexsort((x, i)) ! rank0
0 np.tril_indices(3, -1, 4)
0 np.triu_indices(3)
0 np.triu_indices_from(m, 1) ! nocolumns norows
0 np.tril_indices_from(m) ! nocolumns norows
0 np.diag_indices(4)
0 np.diag_indices_from(m)
np.take_along_axis(x, i, 0)
np.take_along_axis(a, np.argsort(a, axis=1), axis=1) ? rank0
np.take_along_axis(x, k, axis=None)
0 np.ravel_multi_index((k, k), (3, 4))
np.cumulative_sum(x)
np.cumulative_sum(a, axis=1, include_initial=True)
np.vecdot(a, b)
np.vecdot(c, c, axis=0) ? bools
np.matrix_transpose(a)
np.linalg.vector_norm(a) ! special
np.linalg.vector_norm(a, axis=1)
np.linalg.vector_norm(x, ord=1)
np.require(x)
np.asarray_chkfinite(a)
0 np.broadcast_shapes((3, 1), (1, 4), (4,))
0 np.broadcast(m, v).shape
np.block([x, v])
np.block([[m, m * m], [m, m]])
np.block([[a, d.T], [w, w]])
a.reshape((2, 6), order="F") ? rank3 ! rank0
np.ravel(a, order="F")
a.flatten() ! rank0
x.imag + x.real
np.array(x, ndmin=2) ? rank3
np.full((2, 6), x)
np.full_like(a, s)
0 np.asarray(x, order="C", copy=True)
np.concatenate(a)
np.concatenate([r * 2.0 for r in a], axis=-1)
1 np.concatenate(c, axis=1)
1 np.concatenate(a, axis=None)
1 np.concatenate([r[..., None] for r in a], axis=-1) ? rank3
1 np.concatenate([r[..., None] for r in x], axis=0) ? rank3
np.stack(a, axis=1)
1 np.stack([r * r for r in c], axis=-1)
1 np.vstack([r * r for r in a])
1 np.column_stack(list(a))
np.delete(a, [0, -1], axis=1)
np.delete(x, t)
np.delete(x, slice(1, 4))
np.insert(x, [1, 4, -1], v)
np.insert(x, [2], y)
np.choose(k, (v, 2.0 * v, v[0]))
np.apply_over_axes(np.sum, c, (0, 2))
0 np.zeros_like(x, shape=(2, 3))
0 np.ones_like(x, shape=4)
0 np.full_like(x, 1.5, shape=(2, 2))
np.sum(x, where=t, initial=0.5)
np.prod(x, where=t, initial=2.0)
np.max(x, where=t, initial=-3.0)
np.min(a, axis=1, initial=0.1)
np.max(a[:0], axis=0, initial=0.1)
1 np.kaiser(5, s)
0 np.any(t, where=x > 0.0)
0 np.all(x > 0.0, where=t)
np.mean(a, axis=0, where=a > 0.0)
"""
