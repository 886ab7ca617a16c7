"""ADBench's hand tracking: a skinned mesh against data points, and a compressed Jacobian.

Twenty-six numbers are the pose: a rotation, a translation and four angles for each finger. They
give the bones their transforms, and each vertex follows some of the bones. A data point belongs to
a vertex, or to a place in a triangle; of that the two barycentric coordinates are unknown as well.
No two points share them, so two columns have the derivatives by all of them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table

import retrograd as rg

__all__ = [
    "Hand", "data", "jacobian", "jacobian_in_triangles", "residuals", "residuals_in_triangles",
]  # fmt: skip

POSE, FINGERS, BONES = 26, 5, 22


class Hand(NamedTuple):
    """Bones with their parents and transforms at rest; vertices with a weight for each bone."""

    parents: np.ndarray
    relatives: np.ndarray
    inverse_absolutes: np.ndarray
    positions: np.ndarray
    weights: np.ndarray
    triangles: np.ndarray


def rotation_by_axis(rotation):
    """The rotation around an axis by its length."""
    square = np.sum(rotation**2)
    if square < 1e-8:
        return np.eye(3)
    angle = np.sqrt(square)
    x, y, z = rotation / angle
    s, c = np.sin(angle), np.cos(angle)
    return np.array(
        [
            [x * x + (1 - x * x) * c, x * y * (1 - c) - z * s, x * z * (1 - c) + y * s],
            [x * y * (1 - c) + z * s, y * y + (1 - y * y) * c, y * z * (1 - c) - x * s],
            [x * z * (1 - c) - y * s, z * y * (1 - c) + x * s, z * z + (1 - z * z) * c],
        ]
    )


def rotation_by_angles(x, y, z):
    """A rotation around x, then around y, then around z, as a transform."""
    out = np.eye(4)
    around_x = np.array([[1, 0, 0], [0, np.cos(x), -np.sin(x)], [0, np.sin(x), np.cos(x)]])
    around_y = np.array([[np.cos(y), 0, np.sin(y)], [0, 1, 0], [-np.sin(y), 0, np.cos(y)]])
    around_z = np.array([[np.cos(z), -np.sin(z), 0], [np.sin(z), np.cos(z), 0], [0, 0, 1]])
    out[:3, :3] = around_z @ around_y @ around_x
    return out


def angles(theta):
    """Those of each bone around x, y and z: a finger bends in three joints, and turns in one."""
    out = np.zeros((BONES, 3))
    at = 6
    for finger in range(FINGERS):
        bone = 4 * finger + 2
        out[bone, 0] = theta[at]
        out[bone, 2] = theta[at + 1]
        out[bone + 1, 0] = theta[at + 2]
        out[bone + 2, 0] = theta[at + 3]
        at += 4
    return out


def transforms(theta, hand):
    """From rest to pose, for each bone."""
    bends = rg.map(lambda angle: rotation_by_angles(angle[0], angle[1], angle[2]), angles(theta))
    absolutes = np.zeros((BONES, 4, 4))
    for bone in range(BONES):
        relative = hand.relatives[bone] @ bends[bone]
        parent = hand.parents[bone]
        absolutes[bone] = relative if parent < 0 else absolutes[parent] @ relative
    return rg.map(np.matmul, absolutes, hand.inverse_absolutes)


def vertices(theta, hand):
    """Where they are in that pose."""
    moved = transforms(theta, hand)

    def skinned(position, weights):
        blended = np.zeros((3, 4))
        for bone in range(BONES):
            blended += weights[bone] * moved[bone, :3]
        return blended[:, :3] @ position + blended[:, 3]

    mesh = rg.map(skinned, hand.positions, hand.weights)
    return mesh @ rotation_by_axis(theta[:3]).T + theta[3:6]


def residuals(theta, hand, points, corresponding):
    """What the vertices that belong to the data points are off by."""
    mesh = vertices(theta, hand)
    return rg.map(lambda point, vertex: point - mesh[vertex], points, corresponding)


def residuals_in_triangles(theta, us, hand, points, corresponding):
    """The same for places in triangles."""
    mesh = vertices(theta, hand)

    def of_point(point, u, triangle):
        a, b, c = hand.triangles[triangle]
        return point - (u[0] * mesh[a] + u[1] * mesh[b] + (1.0 - u[0] - u[1]) * mesh[c])

    return rg.map(of_point, points, us, corresponding)


def jacobian(theta, hand, points, corresponding):
    """Three rows for each point, a column for each number of the pose."""
    found = rg.jacfwd(residuals)(theta, hand, points, corresponding)
    return found.reshape(-1, POSE)


def jacobian_in_triangles(theta, us, hand, points, corresponding):
    """Two columns more, before the others: those of the u of all points at once."""

    def moved_together(unknowns):
        return residuals_in_triangles(
            theta + unknowns[2:], us + unknowns[:2], hand, points, corresponding
        )

    return rg.jacfwd(moved_together)(np.zeros(2 + POSE)).reshape(-1, 2 + POSE)


def data(vertex_count, point_count, rng):
    """A random hand of the usual structure, a pose, and points near the mesh."""
    parents = np.array([-1] + [0 if b % 4 == 1 else b - 1 for b in range(1, BONES)])
    relatives = np.tile(np.eye(4), (BONES, 1, 1))
    relatives[:, :3, 3] = rng.normal(size=(BONES, 3))
    absolutes = relatives.copy()
    for bone in range(1, BONES):
        absolutes[bone] = absolutes[parents[bone]] @ relatives[bone]
    followed = rng.uniform(size=(vertex_count, BONES))
    followed[followed < np.sort(followed, axis=1)[:, -4:-3]] = 0.0
    hand = Hand(
        parents,
        relatives,
        np.linalg.inv(absolutes),
        rng.normal(size=(vertex_count, 3)),
        followed / followed.sum(axis=1, keepdims=True),
        rng.integers(0, vertex_count, (2 * vertex_count, 3)),
    )
    theta = 0.5 * rng.normal(size=POSE)
    us = rng.uniform(0.0, 0.5, (point_count, 2))
    points = rng.normal(size=(point_count, 3))
    return theta, us, hand, points, rng.integers(0, vertex_count, point_count)


def main() -> None:
    """Prints the sizes of both Jacobians, and checks a product with each."""
    theta, us, *rest = data(60, 10, np.random.default_rng(1))
    table = Table("residuals", "sum of squares", "columns", "norm of the Jacobian")
    for fun, matrix, given in (
        (residuals, jacobian, (theta,)),
        (residuals_in_triangles, jacobian_in_triangles, (theta, us)),
    ):
        errors, found = rg.jit(fun)(*given, *rest), rg.jit(matrix)(*given, *rest)
        ones = tuple(np.ones_like(a) for a in given)
        _, tangent = rg.jvp(lambda *at, fun=fun: fun(*at, *rest), given, ones)
        assert np.allclose(tangent.ravel(), found.sum(axis=1), rtol=1e-9)
        norm = np.linalg.norm(found)
        table.add_row(
            f"{errors.size}", f"{np.sum(errors**2):.6g}", f"{found.shape[1]}", f"{norm:.6g}"
        )
    Console().print(table)


if __name__ == "__main__":
    main()
