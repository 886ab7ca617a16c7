"""Rotations in space as objects of the program: `scipy.spatial.transform.Rotation`.

E. Bernardes and S. Viollet, Quaternion to Euler angles conversion: a direct, general and
computationally efficient method, 2022; N. J. Higham, Computing the polar decomposition, 1986, for
matrices that are no rotations.
"""

from __future__ import annotations

from types import FunctionType
from typing import Any

import numpy

from retrograd.frontend.library.plain.told import refuse

__all__ = ["METHODS", "Rotated"]

np: Any = numpy

_DEGREE = 0.017453292519943295


def _units(q: Any) -> Any:
    """Quaternions of length one."""
    size = np.sqrt(np.sum(q * q, axis=-1, keepdims=True))
    if np.any(size == 0.0):
        raise ValueError("Found zero norm quaternions in `quat`.")
    return q / size


def _product(p: Any, q: Any) -> Any:
    a, b, c, d = p[..., 0], p[..., 1], p[..., 2], p[..., 3]
    e, f, g, h = q[..., 0], q[..., 1], q[..., 2], q[..., 3]
    parts = (
        d * e + a * h + b * g - c * f,
        d * f + b * h + c * e - a * g,
        d * g + c * h + a * f - b * e,
        d * h - a * e - b * f - c * g,
    )
    return np.stack(parts, axis=-1)


def _about(axis: Any, angle: Any) -> Any:
    """The quaternions of turns about one axis."""
    s, c = np.sin(0.5 * angle), np.cos(0.5 * angle)
    none = 0.0 * s
    parts = (s if axis == 0 else none, s if axis == 1 else none, s if axis == 2 else none, c)
    return np.stack(parts, axis=-1)


def _nearest(m: Any) -> Any:
    """The rotations that are nearest to matrices, by Newton's method: a matrix and the transpose of
    its inverse are averaged."""
    for _ in range(10):
        one, two, three = m[..., 0, :], m[..., 1, :], m[..., 2, :]
        first = np.cross(two, three)
        size = np.sum(one * first, axis=-1, keepdims=True)
        if np.any(size <= 0.0):
            raise ValueError(
                "Non-positive determinant (left-handed or null coordinate frame) in rotation matrix"
            )
        rows = (first / size, np.cross(three, one) / size, np.cross(one, two) / size)
        m = 0.5 * (m + np.stack(rows, axis=-2))
    return m


def from_matrix(matrix: Any, assume_valid: Any = False) -> Any:
    m = np.asarray(matrix) * 1.0
    if m.ndim not in (2, 3):
        raise ValueError("Expected `matrix` to have shape (3, 3) or (N, 3, 3)")
    m = _nearest(m)
    a, b, c = m[..., 0, 0], m[..., 1, 1], m[..., 2, 2]
    trace = a + b + c
    xy, yz = (m[..., 1, 0], m[..., 0, 1]), (m[..., 2, 1], m[..., 1, 2])
    zx = (m[..., 0, 2], m[..., 2, 0])
    ways = (
        np.stack((1.0 - trace + 2.0 * a, xy[0] + xy[1], zx[1] + zx[0], yz[0] - yz[1]), axis=-1),
        np.stack((xy[1] + xy[0], 1.0 - trace + 2.0 * b, yz[0] + yz[1], zx[0] - zx[1]), axis=-1),
        np.stack((zx[0] + zx[1], yz[1] + yz[0], 1.0 - trace + 2.0 * c, xy[0] - xy[1]), axis=-1),
        np.stack((yz[0] - yz[1], zx[0] - zx[1], xy[0] - xy[1], 1.0 + trace), axis=-1),
    )
    best = np.argmax(np.stack((a, b, c, trace), axis=-1), axis=-1)
    which = np.asarray(best)[..., None]
    rest = np.where(which == 2, ways[2], ways[3])
    q = np.where(which == 0, ways[0], np.where(which == 1, ways[1], rest))
    return Rotated(_units(q))


def from_quat(quat: Any, scalar_first: Any = False) -> Any:
    q = np.asarray(quat) * 1.0
    if q.ndim not in (1, 2):
        raise ValueError("Expected `quat` to have shape (4,) or (N, 4)")
    if scalar_first:
        q = np.concatenate((q[..., 1:], q[..., :1]), axis=-1)
    return Rotated(_units(q))


def from_rotvec(rotvec: Any, degrees: Any = False) -> Any:
    v = np.asarray(rotvec) * 1.0
    if v.ndim not in (1, 2):
        raise ValueError("Expected `rot_vec` to have shape (3,) or (N, 3)")
    if degrees:
        v = v * _DEGREE
    square = np.sum(v * v, axis=-1, keepdims=True)
    small = square <= 1e-6
    angle = np.sqrt(np.where(small, 1.0, square))
    near = 0.5 - square / 48.0 + square * square / 3840.0
    by = np.where(small, near, np.sin(0.5 * angle) / angle)
    flat = 1.0 - square / 8.0 + square * square / 384.0
    w = np.where(small, flat, np.cos(0.5 * angle))
    return Rotated(np.concatenate((v * by, w), axis=-1))


def _axis_of(letter: Any) -> Any:
    if letter not in ("x", "y", "z"):
        raise ValueError("Expected axes from `seq` to be from ['x', 'y', 'z'] or ['X', 'Y', 'Z']")
    return 0 if letter == "x" else 1 if letter == "y" else 2


def from_euler(seq: Any, angles: Any, degrees: Any = False) -> Any:
    given = np.asarray(angles) * (_DEGREE if degrees else 1.0)
    fixed, low = seq == seq.lower(), seq.lower()
    if not fixed and seq != seq.upper():
        raise ValueError("Expected axes from `seq` to be of one case")
    if len(low) == 1:
        if given.ndim > 0 and given.shape[-1] != 1:
            raise ValueError("Expected last dimension of `angles` to match number of axes")
        one = given[..., 0] if given.ndim > 0 else given
        return Rotated(_about(_axis_of(low), one))
    if given.ndim not in (1, 2):
        raise ValueError("Expected `angles` to have an angle for each axis")
    q = _about(_axis_of(low[0]), given[..., 0])
    for k in range(1, len(low)):
        other = _about(_axis_of(low[k]), given[..., k])
        q = _product(other, q) if fixed else _product(q, other)
    return Rotated(q)


def identity(num: Any = None) -> Any:
    one = np.array([0.0, 0.0, 0.0, 1.0])
    return Rotated(one if num is None else np.tile(one, (num, 1)))


class Rotated:
    """Rotations, as quaternions of length one with the real part last."""

    def __init__(self, q: Any) -> None:
        self.q = q

    @property
    def single(self) -> Any:
        return self.q.ndim == 1

    def as_quat(self, canonical: Any = False, scalar_first: Any = False) -> Any:
        q = self.q
        if canonical:
            q = q * np.where(q[..., 3:] < 0.0, -1.0, 1.0)
        if scalar_first:
            q = np.concatenate((q[..., 3:], q[..., :3]), axis=-1)
        return q.copy()

    def as_matrix(self) -> Any:
        a, b, c, d = self.q[..., 0], self.q[..., 1], self.q[..., 2], self.q[..., 3]
        rows = (
            np.stack((a * a - b * b - c * c + d * d, 2.0 * (a * b - c * d),
                      2.0 * (a * c + b * d)), axis=-1),
            np.stack((2.0 * (a * b + c * d), b * b - a * a - c * c + d * d,
                      2.0 * (b * c - a * d)), axis=-1),
            np.stack((2.0 * (a * c - b * d), 2.0 * (b * c + a * d),
                      c * c - a * a - b * b + d * d), axis=-1),
        )  # fmt: skip
        return np.stack(rows, axis=-2)

    def as_rotvec(self, degrees: Any = False) -> Any:
        q = self.q * np.where(self.q[..., 3:] < 0.0, -1.0, 1.0)
        v, w = q[..., :3], q[..., 3:]
        square = np.sum(v * v, axis=-1, keepdims=True)
        small = square <= 2.5e-7
        size = np.sqrt(np.where(small, 1.0, square))
        ratio = np.where(small, square, 0.0) / np.where(small, w * w, 1.0)
        near = 2.0 * (1.0 - ratio / 3.0 + ratio * ratio / 5.0) / np.where(small, w, 1.0)
        found = v * np.where(small, near, 2.0 * np.arctan2(size, w) / size)
        return found / _DEGREE if degrees else found

    def as_euler(self, seq: Any, degrees: Any = False) -> Any:
        fixed, low = seq == seq.lower(), seq.lower()
        if len(low) != 3:
            raise ValueError("Expected 3 axes, got " + str(len(low)) + ".")
        order = (_axis_of(low[0]), _axis_of(low[1]), _axis_of(low[2]))
        i, j, k = order if fixed else (order[2], order[1], order[0])
        same = i == k
        last = 3 - i - j if same else k
        sign = (i - j) * (j - last) * (last - i) // 2 * 1.0
        q = self.q
        if same:
            a, b, c, d = q[..., 3], q[..., i], q[..., j], q[..., last] * sign
        else:
            a, b = q[..., 3] - q[..., j], q[..., i] + q[..., last] * sign
            c, d = q[..., j] + q[..., 3], q[..., last] * sign - q[..., i]
        middle = 2.0 * np.arctan2(np.hypot(c, d), np.hypot(a, b))
        half, other = np.arctan2(b, a), np.arctan2(d, c)
        flat, turned = np.abs(middle) <= 1e-7, np.abs(middle - np.pi) <= 1e-7
        aside = -2.0 * other if fixed else 2.0 * other
        alone = np.where(flat, 2.0 * half, aside)
        locked = np.logical_or(flat, turned)
        low_one, high_one = half - other, half + other
        if not same:
            high_one, middle = high_one * sign, middle - 0.5 * np.pi
        if fixed:
            first, third = np.where(locked, alone, low_one), np.where(locked, 0.0, high_one)
        else:
            alone = alone if same else alone * sign
            first, third = np.where(locked, alone, high_one), np.where(locked, 0.0, low_one)
        found = np.stack((_wrapped(first), _wrapped(middle), _wrapped(third)), axis=-1)
        return found / _DEGREE if degrees else found

    def apply(self, vectors: Any, inverse: Any = False) -> Any:
        x = np.asarray(vectors) * 1.0
        u, w = self.q[..., :3], self.q[..., 3:]
        if inverse:
            u = -u
        aside = 2.0 * np.cross(u + 0.0 * x, x + 0.0 * u)
        return x + w * aside + np.cross(u + 0.0 * x, aside)

    def inv(self) -> Any:
        return Rotated(self.q * np.array([-1.0, -1.0, -1.0, 1.0]))

    def magnitude(self) -> Any:
        size = np.sqrt(np.sum(self.q[..., :3] ** 2, axis=-1))
        return 2.0 * np.arctan2(size, np.abs(self.q[..., 3]))

    def __mul__(self, other: Any) -> Any:
        if not isinstance(other, Rotated):
            refuse("a rotation times what is none", "r.apply(vectors) turns vectors")
        return Rotated(_product(self.q, other.q))

    def __pow__(self, n: Any) -> Any:
        return from_rotvec(n * self.as_rotvec())

    def __len__(self) -> Any:
        if self.q.ndim == 1:
            raise TypeError("Single rotation has no len().")
        return len(self.q)

    def __getitem__(self, place: Any) -> Any:
        if self.q.ndim == 1:
            raise TypeError("Single rotation is not subscriptable.")
        return Rotated(self.q[place])


def _wrapped(angle: Any) -> Any:
    """An angle between minus and plus half a turn."""
    return np.where(
        angle < -np.pi, angle + 2.0 * np.pi, np.where(angle > np.pi, angle - 2.0 * np.pi, angle)
    )


METHODS: dict[str, FunctionType] = {
    "from_matrix": from_matrix, "from_quat": from_quat, "from_rotvec": from_rotvec,
    "from_euler": from_euler, "identity": identity,
}  # fmt: skip
"""How rotations are made, by the names of SciPy's class methods."""
