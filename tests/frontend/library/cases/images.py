"""Calls of functions of `scipy.ndimage` (`sn`), in lines as in `rows`.

Sums of ints and bools are cut off in SciPy where they have fractions, which is refused here.
"""

from __future__ import annotations

__all__ = ["FILTERS", "SAMPLED"]

FILTERS = """
1 sn.correlate1d(x, v) ? ints bools
1 sn.correlate1d(a, [0.3, s], axis=0, mode="wrap") ? ints bools
1 sn.correlate1d(a, w, mode="constant", cval=s, origin=1) ? ints bools
1 sn.correlate1d(c, [1, -2, 1], axis=1, mode="mirror") ? bools
1 sn.convolve1d(x, v, mode="nearest") ? ints bools
1 sn.convolve1d(a, w, axis=0, origin=-1) ? ints bools
1 sn.convolve1d(v, x, mode="mirror") ? ints bools
1 sn.gaussian_filter(x, 1.2) ? ints bools
1 sn.gaussian_filter(a, (0.5, s), mode=("wrap", "nearest")) ? ints bools
1 sn.gaussian_filter(a, s, order=(0, 1), truncate=2.5) ? ints bools
1 sn.gaussian_filter(c, [0.0, 0.8, 0.6], mode="constant", cval=0.5) ? ints bools
1 sn.gaussian_filter(c, s, axes=(1,), radius=2) ? ints bools
1 sn.gaussian_filter1d(x, s, order=3, mode="mirror") ? ints bools
1 sn.gaussian_filter1d(a, 1.5, axis=0, radius=n) ? ints bools
1 sn.uniform_filter(a) ? bools
1 sn.uniform_filter(a, (2, 3), mode="constant", cval=s, origin=(-1, 1)) ? bools
1 sn.uniform_filter(c, n, mode="nearest", axes=(0, -1)) ? bools
1 sn.uniform_filter1d(x, 4, mode="wrap") ? bools
1 sn.uniform_filter1d(x, 15, mode="mirror", origin=2) ? bools
1 sn.sobel(a) ? bools
1 sn.sobel(c, 1, mode="nearest") ? bools
1 sn.prewitt(a, axis=0, mode="constant") ? bools
1 sn.laplace(x) ? bools
1 sn.laplace(c, mode="wrap", axes=(2, 0)) ? bools
1 sn.gaussian_laplace(a, s) ? ints bools
1 sn.gaussian_laplace(a, (0.8, s), mode="nearest", truncate=2.0) ? ints bools
1 sn.gaussian_gradient_magnitude(x, 0.8) ? ints bools
1 sn.gaussian_gradient_magnitude(a, 0.8, mode="wrap") ? ints bools
1 sn.maximum_filter1d(x, 3) ! special
1 sn.minimum_filter1d(a, n, axis=0, mode="constant", cval=-0.4, origin=-1) ! special bools
1 sn.maximum_filter(a, 3) ! special
1 sn.maximum_filter(a, size=(1, 3), mode="wrap", origin=(0, 1)) ! special
1 sn.minimum_filter(c, n, axes=(1, 2), mode="nearest") ! special
1 sn.minimum_filter(a, footprint=[[0, 1, 0], [1, 1, 1]]) ! special
1 sn.maximum_filter(x, footprint=np.array([1, 0, 1]), mode="constant") ! special
1 sn.correlate(x, v) ? ints bools
1 sn.correlate(a, q, mode="constant", cval=s) ? ints bools ! special
1 sn.correlate(a, e, mode="wrap", origin=(-1, 1)) ? ints bools ! special
1 sn.correlate(c, a, axes=(0, 2)) ? ints bools ! special
1 sn.convolve(a, q) ? ints bools ! special
1 sn.convolve(a, e, mode="mirror", origin=(0, -1)) ? ints bools ! special
1 sn.convolve(c, c, mode="nearest") ? ints bools ! special
1 sn.convolve(x, [1, -2, 1, 1]) ? bools
1 sn.convolve(a, v, axes=1) ? ints bools rank1 one ! special rank0
1 sn.median_filter(x, 3) ! special
1 sn.median_filter(a, (2, 3), mode="mirror") ! special
1 sn.rank_filter(a, -2, footprint=[[0, 1, 1], [1, 1, 1]], mode="nearest") ! special
1 sn.percentile_filter(a, 30, size=3) ! special
1 sn.percentile_filter(x, -20.0, size=4, mode="constant", cval=s) ! special
1 sn.generic_filter(a, lambda z: np.sum(z * z), size=(2, 3)) ? ints bools
1 sn.generic_filter(x, lambda z, p: z[0] * p + z[1], 3, extra_arguments=(s,)) ? ints bools
"""

SAMPLED = """
1 sn.map_coordinates(a, [[0.3, 1.7, 2.0], [1.2, s, 3.0]], order=1) ? ints bools ! special
1 sn.map_coordinates(a, e[:, :2] * 3.0, order=1, mode="nearest") ? ints bools ! special
1 sn.map_coordinates(x, [p * 9.0 - 2.0], order=1, mode="reflect") ? ints bools ! special empty one
1 sn.map_coordinates(x, [x * 9.0], order=1, mode="mirror") ? ints bools ! special empty one
1 sn.map_coordinates(x, [y * 9.0], order=1, mode="wrap") ? ints bools ! special empty one
1 sn.map_coordinates(x, [y * 9.0], order=1, mode="grid-wrap") ? ints bools ! special empty one
1 sn.map_coordinates(x, [y * 5.0], order=1, mode="grid-constant") ? ints bools ! special empty
1 sn.map_coordinates(x, [y * 5.0], order=1, cval=s) ? ints bools ! special empty
1 sn.map_coordinates(c, np.stack((e, e + 0.5, e + 1.5)), order=1, mode="nearest") ! empty special
0 sn.map_coordinates(a, [[0.3, 1.7, 2.2], [1.2, 0.6, 2.9]], order=0) ! special
1 sn.map_coordinates(a, [[0.3, 1.7, 2.0], [1.2, s, 3.0]]) ? ints bools ! special
1 sn.map_coordinates(x, [y * 5.0], mode="nearest") ? ints bools ! special empty
1 sn.map_coordinates(x, [y * 5.0], mode="grid-constant", cval=s) ? ints bools ! special empty
1 sn.map_coordinates(np.tile((s, 1.0, -2.0), 6), [(4.2, s)], order=2, mode="reflect")
1 sn.map_coordinates(x, [y * 5.0], mode="mirror", prefilter=False) ? ints bools ! special empty one
1 sn.map_coordinates(x, [y * 5.0], mode="grid-wrap") ? ints bools ! special empty one
1 sn.shift(x, 1.3, order=1) ? ints bools ! special empty
1 sn.shift(a, (0.4, -s), order=1, mode="nearest") ? ints bools ! special empty norows nocolumns
1 sn.shift(x, s, mode="mirror") ? ints bools ! special empty one
0 sn.shift(a, 1, order=0, cval=2.0) ! special empty norows nocolumns
1 sn.zoom(x, 1.7, order=1) ? ints bools ! special empty
1 sn.zoom(a, (0.7, 2.0), order=1, mode="nearest") ? ints bools ! special empty norows nocolumns
1 sn.zoom(x, 2, mode="grid-constant", grid_mode=True) ? ints bools ! special empty
1 sn.zoom(np.tile((s, 1.0, -2.0), 6), 1.5, mode="reflect")
1 sn.spline_filter(a) ! special one
1 sn.spline_filter1d(np.tile((s, 1.0, -2.0), 6), 2, mode="reflect")
1 sn.spline_filter1d(c, axis=1) ! special
1 sn.spline_filter1d(a, mode="wrap") ! special
1 sn.center_of_mass(np.abs(a)) ! rank0 empty norows nocolumns
1 sn.center_of_mass(np.abs(x), i, 1) ! rank0 rank1 rank2 rank3 ints bools empty norows nocolumns one
1 sn.sum_labels(x, i, [1, 2, 5]) ! empty rank0
1 sn.sum_labels(x, i) ! empty rank0
1 sn.mean(x, i, np.array([3, 1])) ! empty rank0
1 sn.mean(a)
1 sn.sum(a, a > 0.3)
1 sn.variance(x, i, [1, 2]) ! empty rank0
1 sn.standard_deviation(x, labels=i, index=2) ! rank0
1 sn.maximum(x, i, [1, 2]) ! empty rank0 special
1 sn.minimum(x, i, [1, -7]) ! empty rank0 special
1 sn.minimum(a)
"""
