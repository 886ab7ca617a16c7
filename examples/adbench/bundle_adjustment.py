"""ADBench's bundle adjustment: the residuals of a reconstruction, and their sparse Jacobian.

A camera has eleven parameters: a rotation (axis times angle), a centre, a focal length, a principal
point and two of radial distortion. Each observation is of one point by one camera, so a map of
Jacobians of two by fifteen numbers has all of the large one, which is stored by rows (CSR).
"""

from __future__ import annotations

import numpy as np
from rich.console import Console
from rich.table import Table

import retrograd as rg

__all__ = ["data", "jacobian", "residuals"]

CAMERA, POINT = 11, 3
UNKNOWNS = CAMERA + POINT + 1


def cross(a, b):
    """The vector product."""
    return np.array(
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    )


def rotate(rotation, point):
    """Rodrigues' formula."""
    square = np.sum(rotation**2)
    if square == 0.0:
        return point + cross(rotation, point)
    angle = np.sqrt(square)
    axis = rotation / angle
    along = axis * np.dot(axis, point) * (1.0 - np.cos(angle))
    return point * np.cos(angle) + cross(axis, point) * np.sin(angle) + along


def project(camera, point):
    """Where a camera sees a point."""
    seen = rotate(camera[:3], point - camera[3:6])
    flat = seen[:2] / seen[2]
    square = np.sum(flat**2)
    distorted = flat * (1.0 + camera[9] * square + camera[10] * square**2)
    return distorted * camera[6] + camera[7:9]


def miss(camera, point, weight, feature):
    """The weighted residual of one observation."""
    return weight * (project(camera, point) - feature)


def weight_miss(weight):
    """The residual that keeps a weight near one."""
    return 1.0 - weight**2


def residuals(cameras, points, weights, observations, features):
    """Those of the observations, and those of their weights."""

    def of_observation(pair, weight, feature):
        return miss(cameras[pair[0]], points[pair[1]], weight, feature)

    return rg.map(of_observation, observations, weights, features), rg.map(weight_miss, weights)


def columns(cameras, points, observations):
    """The columns of both rows of each observation: its camera's, its point's, its weight's."""

    def of_observation(k):
        camera = CAMERA * observations[k, 0] + np.arange(CAMERA)
        point = CAMERA * len(cameras) + POINT * observations[k, 1] + np.arange(POINT)
        weight = CAMERA * len(cameras) + POINT * len(points) + np.array([k])
        return np.concatenate((camera, point, weight, camera, point, weight))

    return rg.build(len(observations), of_observation)


def jacobian(cameras, points, weights, observations, features):
    """Row pointers, columns and values."""

    def block(pair, weight, feature):
        unknowns = np.concatenate((cameras[pair[0]], points[pair[1]], np.array([weight])))
        return rg.jacfwd(lambda u: miss(u[:CAMERA], u[CAMERA:-1], u[-1], feature))(unknowns)

    blocks = rg.map(block, observations, weights, features)
    slopes = rg.map(rg.grad(weight_miss), weights)
    values = np.concatenate((blocks.ravel(), slopes))
    count, width = len(weights), UNKNOWNS
    of_weights = CAMERA * len(cameras) + POINT * len(points) + np.arange(count)
    of_blocks = columns(cameras, points, observations).ravel()
    rows = np.concatenate((width * np.arange(2 * count), 2 * width * count + np.arange(count + 1)))
    return rows, np.concatenate((of_blocks, of_weights)), values


def data(n, m, p, rng):
    """Random cameras in front of random points; each point is observed at least once."""
    cameras = rng.normal(size=(n, CAMERA)) * np.repeat([0.3, 0.5, 20.0, 2.0, 0.05], [3, 3, 1, 2, 2])
    cameras[:, 5] -= 10.0
    cameras[:, 6] += 500.0
    points = rng.normal(size=(m, POINT))
    observations = np.stack((rng.integers(0, n, p), np.arange(p) % m), axis=1)
    features = 100.0 * rng.normal(size=(p, 2))
    return cameras, points, rng.uniform(0.5, 1.0, size=p), observations, features


def main() -> None:
    """Prints the objective and what its Jacobian has, and checks a product with it."""
    arguments = data(4, 30, 100, np.random.default_rng(1))
    errors, weight_errors = rg.jit(residuals)(*arguments)
    rows, cols, values = rg.jit(jacobian)(*arguments)
    table = Table("residuals", "squares", "unknowns", "nonzeros")
    unknowns = sum(a.size for a in arguments[:3])
    squares = np.sum(errors**2) + np.sum(weight_errors**2)
    table.add_row(f"{len(rows) - 1}", f"{squares:.6g}", f"{unknowns}", f"{len(values)}")
    Console().print(table)
    ones = tuple(np.ones_like(a) for a in arguments[:3])
    _, (errors_dot, weights_dot) = rg.jvp(
        lambda *at: residuals(*at, *arguments[3:]), arguments[:3], ones
    )
    sums = np.add.reduceat(values, rows[:-1])
    assert np.allclose(np.concatenate((errors_dot.ravel(), weights_dot)), sums, rtol=1e-9)
    assert cols.max() == unknowns - 1


if __name__ == "__main__":
    main()
