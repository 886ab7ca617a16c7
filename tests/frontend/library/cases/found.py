"""Calls of functions that match, connect, resample and tell parts of images apart: SciPy's modules.

Lines as in `rows`.
"""

from __future__ import annotations

__all__ = ["FOUND"]

FOUND = """
0 so.linear_sum_assignment(m)[1]
0 so.linear_sum_assignment(a, maximize=True)[1]
0 so.linear_sum_assignment(d)[0]
0 sg.connected_components(m > 0.5, connection="strong")[1]
0 sg.connected_components(q < 0.3, True, "strong", False)
1 sg.dijkstra(np.abs(m), indices=1)
0 sg.dijkstra(np.abs(m), limit=0.7)
1 sg.bellman_ford(np.abs(m))
1 sg.johnson(np.abs(m))
1 si.cumulative_simpson(x, dx=0.3)
1 si.cumulative_simpson(y, x=xs)
1 si.cumulative_simpson(a, axis=0, initial=s)
1 si.romb(x[:5], 0.3) ! bools
1 si.romb(d[:3], axis=0) ! bools
1 ss.upfirdn(v, x, 2, 3) ! special
1 ss.upfirdn([1.0, s], a, up=3, axis=0) ! empty special nocolumns norows rank3
1 ss.resample_poly(x, 3, 2) ! nocolumns rank3
1 ss.resample_poly(a, 1, 2, axis=1) ! empty norows rank3
1 ss.resample_poly(x, 2, 1, window=v) ! nocolumns rank3
1 ss.decimate(np.tile(x, 6), 2)
1 ss.decimate(np.tile(x, 6), 3, n=4, zero_phase=False) ! empty nocolumns
1 ss.lombscargle(xs, x, p) ! rank0
1 ss.lombscargle(xs, x, p, normalize=True, weights=np.abs(y)) ! rank0
1 ss.lombscargle(xs, x, p, floating_mean=True) ! rank0
1 ss.deconvolve(x, v)[0] ! empty rank0 one
1 ss.deconvolve(x, w)[1] ! empty bools
0 ss.correlation_lags(5, 3, "same")
0 ss.correlation_lags(3, 5, "valid")
0 ss.unit_impulse(5, 2)
0 ss.unit_impulse((3, 4), "mid")
1 ss.medfilt2d(a, 3) ! special ints
1 ss.wiener(x, 3) ! empty nocolumns norows rank3
1 ss.wiener(m, (3, 3), 0.1) ! empty nocolumns norows
0 sn.label(a > 0.2)[0] ! rank0
0 sn.label(c > 0.0, np.ones((3, 3, 3)))[1]
0 sn.binary_dilation(a > 0.7) ! rank0
0 sn.binary_dilation(x > 0.7, iterations=2, border_value=1) ! rank0
0 sn.binary_erosion(a > -0.7, np.eye(3))
0 sn.binary_erosion(c > -0.7) ! rank0
0 sn.binary_opening(a > 0.0) ! rank0
0 sn.binary_closing(m > 0.0) ! rank0
0 sn.binary_fill_holes(m > 0.3) ! rank0
0 sn.binary_propagation(a > 1.0, mask=a > 0.0) ! rank0
0 sn.distance_transform_edt(a > 0.0) ! empty rank0 nocolumns norows
0 sn.distance_transform_edt(m > 0.0, (1, 0.5)) ! empty rank1 one nocolumns norows rank3 bools
0 sn.generate_binary_structure(3, 2)
1 sn.grey_dilation(a, size=(3, 3))
1 sn.grey_erosion(x, 3, mode="nearest")
1 sn.grey_opening(a, (2, 3)) ! special reversed strided rank2
1 sn.grey_closing(x, 3)
0 sn.maximum_position(a) ! special
0 sn.minimum_position(c) ! special
1 sn.extrema(a)[1] ! special
"""
