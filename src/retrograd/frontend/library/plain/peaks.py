"""Peaks of lines of numbers (`scipy.signal`), their prominences and widths."""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library.plain.axes import is_sequence
from retrograd.frontend.library.plain.told import constant, refuse

__all__ = [
    "argrelextrema", "argrelmax", "argrelmin", "find_peaks", "peak_prominences", "peak_widths",
]  # fmt: skip

np: Any = numpy


def argrelextrema(
    data: Any, comparator: Any, axis: Any = 0, order: Any = 1, mode: Any = "clip"
) -> Any:
    x = np.asarray(data)
    if x.ndim != 1:
        refuse("scipy.signal extrema of several lines", "write a loop over them")
    if mode not in ("clip", "wrap"):
        refuse(f"the mode {mode!r}", "mode='clip' and mode='wrap' are known")
    if order < 1:
        raise ValueError("Order must be an int >= 1")
    places, n = np.arange(len(x)), len(x)
    found = np.ones(n, dtype=bool)
    for shift in range(1, order + 1):
        after, before = places + shift, places - shift
        if mode == "clip":
            after, before = np.minimum(after, n - 1), np.maximum(before, 0)
        else:
            after, before = after % n, before % n
        found = found & comparator(x, x[after]) & comparator(x, x[before])
    return np.nonzero(found)


def argrelmax(data: Any, axis: Any = 0, order: Any = 1, mode: Any = "clip") -> Any:
    return argrelextrema(data, np.greater, axis, order, mode)


def argrelmin(data: Any, axis: Any = 0, order: Any = 1, mode: Any = "clip") -> Any:
    return argrelextrema(data, np.less, axis, order, mode)


def _line(x: Any) -> Any:
    x = np.asarray(x) * 1.0
    if x.ndim != 1:
        raise ValueError("`x` must be a 1-D array")
    return x


def _plateaus(x: Any) -> Any:
    """The middles, first and last places of what is higher than both sides."""
    n = len(x)
    found, count, i = np.zeros((3, n // 2 + 1), dtype=int), 0, 1
    while i < n - 1:
        if x[i - 1] < x[i]:
            ahead = i + 1
            while ahead < n - 1 and x[ahead] == x[i]:
                ahead += 1
            if x[ahead] < x[i]:
                found[0, count], found[1, count] = (i + ahead - 1) // 2, i
                found[2, count] = ahead - 1
                count += 1
                i = ahead
        i += 1
    return found[:, :count].copy()


def _within(values: Any, limits: Any) -> Any:
    """Which of them a condition, a least number or a pair, keeps."""
    low, high = (limits[0], limits[1]) if is_sequence(limits) else (limits, None)
    keep = np.ones(len(values), dtype=bool)
    if low is not None:
        keep = keep & (low <= values)
    return keep if high is None else keep & (values <= high)


def _apart(peaks: Any, heights: Any, distance: Any) -> Any:
    """The highest peaks first, without those that are nearer than a distance."""
    least, order = int(np.ceil(distance)), np.argsort(heights)
    keep = np.ones(len(peaks), dtype=bool)
    for k in range(len(peaks)):
        j = order[len(peaks) - 1 - k]
        if keep[j]:
            i = j - 1
            while i >= 0 and peaks[j] - peaks[i] < least:
                keep[i] = False
                i -= 1
            i = j + 1
            while i < len(peaks) and peaks[i] - peaks[j] < least:
                keep[i] = False
                i += 1
    return keep


def _chosen(keep: Any, peaks: Any, told: Any) -> Any:
    return peaks[keep], {key: values[keep] for key, values in told.items()}


def find_peaks(
    x: Any, height: Any = None, threshold: Any = None, distance: Any = None, prominence: Any = None,
    width: Any = None, wlen: Any = None, rel_height: Any = 0.5, plateau_size: Any = None,
) -> Any:  # fmt: skip
    x = _line(x)
    if distance is not None and distance < 1:
        raise ValueError("`distance` must be greater or equal to 1")
    middles = _plateaus(constant(x))
    told: Any = {}
    peaks = middles[0]
    if plateau_size is not None:
        sizes = middles[2] - middles[1] + 1
        told = {"plateau_sizes": sizes, "left_edges": middles[1], "right_edges": middles[2]}
        peaks, told = _chosen(_within(sizes, plateau_size), peaks, told)
    if height is not None:
        told = {**told, "peak_heights": x[peaks]}
        peaks, told = _chosen(_within(x[peaks], height), peaks, told)
    if threshold is not None:
        left, right = x[peaks] - x[peaks - 1], x[peaks] - x[peaks + 1]
        told = {**told, "left_thresholds": left, "right_thresholds": right}
        low, high = threshold if is_sequence(threshold) else (threshold, None)
        keep = _within(np.minimum(left, right), (low, None))
        keep = keep & _within(np.maximum(left, right), (None, high))
        peaks, told = _chosen(keep, peaks, told)
    if distance is not None:
        peaks, told = _chosen(_apart(peaks, constant(x)[peaks], distance), peaks, told)
    if prominence is not None or width is not None:
        found = peak_prominences(x, peaks, wlen)
        told = {**told, "prominences": found[0], "left_bases": found[1], "right_bases": found[2]}
        if prominence is not None:
            peaks, told = _chosen(_within(found[0], prominence), peaks, told)
    if width is not None:
        bases = (told["prominences"], told["left_bases"], told["right_bases"])
        wide = peak_widths(x, peaks, rel_height, bases)
        told = {**told, "widths": wide[0], "width_heights": wide[1], "left_ips": wide[2],
                "right_ips": wide[3]}  # fmt: skip
        peaks, told = _chosen(_within(wide[0], width), peaks, told)
    return peaks, told


def _window(wlen: Any, n: Any) -> Any:
    """How far bases are looked for on both sides."""
    if wlen is None:
        return n
    if wlen <= 1:
        raise ValueError(f"`wlen` must be larger than 1, was {wlen}")
    return int(np.ceil(wlen)) // 2


def _checked(x: Any, peaks: Any) -> Any:
    peaks = np.asarray(peaks)
    if peaks.ndim != 1:
        raise ValueError("`peaks` must be a 1-D array")
    if np.any(peaks < 0) or np.any(peaks >= len(x)):
        raise ValueError("a peak is not a valid index for `x`")
    return peaks


def peak_prominences(x: Any, peaks: Any, wlen: Any = None) -> Any:
    x = _line(x)
    peaks, reach, n = _checked(x, peaks), _window(wlen, len(x)), len(x)
    bases = np.zeros((2, len(peaks)), dtype=int)
    for k in range(len(peaks)):
        peak = peaks[k]
        low, i = peak, peak
        while i >= max(peak - reach, 0) and x[i] <= x[peak]:
            if x[i] < x[low]:
                low = i
            i -= 1
        bases[0, k], low, i = low, peak, peak
        while i <= min(peak + reach, n - 1) and x[i] <= x[peak]:
            if x[i] < x[low]:
                low = i
            i += 1
        bases[1, k] = low
    left, right = bases[0].copy(), bases[1].copy()
    return x[peaks] - np.maximum(x[left], x[right]), left, right


def peak_widths(
    x: Any, peaks: Any, rel_height: Any = 0.5, prominence_data: Any = None, wlen: Any = None
) -> Any:
    x = _line(x)
    peaks = _checked(x, peaks)
    if rel_height < 0:
        raise ValueError("`rel_height` must be greater or equal to 0.0")
    bases = peak_prominences(x, peaks, wlen) if prominence_data is None else prominence_data
    prominences, lefts, rights = bases
    heights = x[peaks] - prominences * rel_height
    ends = np.zeros((2, len(peaks)))
    for k in range(len(peaks)):
        i = peaks[k]
        while lefts[k] < i and heights[k] < x[i]:
            i -= 1
        place = i * 1.0
        if x[i] < heights[k]:
            place += (heights[k] - x[i]) / (x[i + 1] - x[i])
        ends[0, k] = place
        i = peaks[k]
        while i < rights[k] and heights[k] < x[i]:
            i += 1
        place = i * 1.0
        if x[i] < heights[k]:
            place -= (heights[k] - x[i]) / (x[i - 1] - x[i])
        ends[1, k] = place
    return ends[1] - ends[0], heights, ends[0].copy(), ends[1].copy()
