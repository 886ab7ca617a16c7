"""Objects in lists of run-time length, in each other, and under names that may be another."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError
from tests.frontend.harness import agree


class Node:
    def __init__(self, v):
        self.v = v
        self.next = None


def linked(x, n):
    head = None
    for i in range(n):
        node = Node(x * i)
        node.next = head
        head = node
    before = None
    while head is not None:  # turned round
        after = head.next
        head.next = before
        before, head = head, after
    s, k, at = 0.0, 1, before
    while at is not None:
        s += k * at.v * at.v
        k += 1
        at = at.next
    return s


class Tree:
    def __init__(self, key):
        self.key = key
        self.left = None
        self.right = None
        self.count = 1


def insert(root, key):
    if root is None:
        return Tree(key)
    if key < root.key:
        root.left = insert(root.left, key)
    elif key > root.key:
        root.right = insert(root.right, key)
    else:
        root.count += 1
    return root


def total(node, depth):
    if node is None:
        return 0.0
    below = total(node.left, depth + 1) + total(node.right, depth + 1)
    return node.count * node.key * depth + below


def searched(x, n):
    root, s = None, 5
    for _ in range(n):
        s = (s * 17 + 3) % 23
        root = insert(root, x * s)
    return total(root, 1)


class Particle:
    def __init__(self, x, v):
        self.x = np.array([x, 0.0])
        self.v = v

    def kick(self, f):
        self.v += f

    def move(self, dt):
        self.x += dt * np.array([self.v, 1.0])
        self.x[1] *= 0.9


def particles(x, n):
    every = []
    for i in range(n):
        every.append(Particle(x * i, 1.0))
    for _ in range(3):
        for p in every:
            for q in every:
                if p is not q:
                    d = p.x - q.x
                    p.kick(0.01 * d[0] / (d @ d + 0.1))
        for p in every:
            p.move(0.1)
    best = max(every, key=lambda p: p.v)
    every.sort(key=lambda p: -p.v)
    count = len([p for p in every if p.x[0] > 0.5])
    return sum(p.x.sum() * p.v for p in every) + best.x[0] + every[0].v + count


@dataclass
class Job:
    duration: float
    priority: int = 0
    done: bool = False
    worker: Any = None


def jobs(x, n):
    every = [Job(x * (i % 3 + 1), i % 4) for i in range(n)]
    free = [0.0, 0.0]
    for job in sorted(every, key=lambda j: (j.priority, j.duration)):
        k = 0 if free[0] <= free[1] else 1
        free[k] += job.duration
        job.done, job.worker = True, k
    return max(free) + sum(1.0 for j in every if j.done and j.worker == 1) * x


class Account:
    def __init__(self, b):
        self.b = b

    def __add__(self, other):
        return Account(self.b + other.b)

    def __lt__(self, other):
        return self.b < other.b

    def __eq__(self, other):
        return self.b == other.b

    __hash__ = None

    @property
    def double(self):
        return 2.0 * self.b

    @double.setter
    def double(self, v):
        self.b = v / 2.0


def accounts(x, n):
    every = [Account(x * ((i * 7) % 5)) for i in range(n)]
    s = Account(0.0)
    for one in every:
        s = s + one
    every[n // 2].double = 3.0 * x
    most = every[0]
    for one in every:
        if most < one:
            most = one
    most.b += 1.0
    same = 1.0 if every[0] == every[n - 1] else 0.0
    return s.b + most.b + sum(one.double for one in every) + same


def other_names(x, n):
    every = []
    for i in range(n):
        every.append(Node(x * i))
    a, b = every[0], every[n - 2]
    m = a if x > 0.0 else b
    m.v = 5.0 * x * x
    d = {"k": a}
    d["k"].v += x
    m.next = b
    return a.v + b.v * 3.0 + every[0].v * 7.0 + m.v + a.next.v


def loss(x, n):
    every = [Node(x * i) for i in range(n)]
    return sum(one.v**2 for one in every)


def with_a_derivative(x, n):
    every = [Node(x * i) for i in range(n)]
    return rg.grad(loss)(x, n) + every[1].v


PROGRAMS = [
    linked,
    other_names,
    *(
        pytest.param(f, marks=pytest.mark.slow)
        for f in (searched, particles, jobs, accounts, with_a_derivative)
    ),
]


@pytest.mark.parametrize("f", PROGRAMS)
def test_they_are_what_python_has(f):
    n = 6
    if f is not with_a_derivative:
        agree(f, 0.7, n)
    value, bar = rg.value_and_grad(f)(0.7, n)
    assert value == pytest.approx(f(0.7, n), rel=1e-14)
    assert bar == pytest.approx((f(0.7 + 1e-6, n) - f(0.7 - 1e-6, n)) / 2e-6, rel=1e-5)
    assert rg.grad(f, memory="100kB")(0.7, n) == bar
    assert rg.jvp(f, (0.7, n), (1.0, 0))[1] == pytest.approx(bar, rel=1e-12)


class Partly:
    def __init__(self):
        self.a = None

    def put(self, a):
        self.a = a

    def also(self):
        self.b = 3.0


def attributes_of_some(x, n, k):
    every = [Partly() for _ in range(n)]
    for i, one in enumerate(every):
        if i % 2:
            one.put(x * i)
            one.also()
    s = 0.0
    for one in every:
        s = s * x + (one.a if one.a is not None else -1.0)
    return s + every[k].b


def test_attributes_that_not_all_of_them_have():
    agree(attributes_of_some, 0.7, 4, 1)
    agree(attributes_of_some, 0.7, 4, 2)  # AttributeError


class Registered:
    def __init__(self, x, every):
        self.x = x
        every.append(self)


class Window:
    def __init__(self):
        self.h = np.zeros(3)

    def push(self, v):
        self.h[1:] = self.h[:-1].copy()
        self.h[0] = v


def in_its_init(x, n):
    every = []
    for i in range(n):
        Registered(x * i, every)
    return every[0].x


def as_a_result(x, n):
    return [Node(x * i) for i in range(n)]


def as_an_array(x, n):
    every = [Node(x * i) for i in range(n)]
    return np.array(every)


def in_a_derivative(x, n):
    every = [Node(x * i) for i in range(n)]
    return rg.grad(lambda k: sum(one.v * k for one in every))(x)


def copied(x, n):
    every = [Node(x * i) for i in range(n)]
    return copy.copy(every[0]).v


def an_array_under_another_name(x, n):
    s, every = 0.0, [Window() for _ in range(n)]
    for one in every:
        h = one.h
        one.push(x)
        s += h.sum()
    return s


@pytest.mark.parametrize(
    ("f", "code", "text"),
    [
        (in_its_init, "RG0101", "hands on the object"),
        (as_a_result, "RG0110", "whose length is known at run time"),
        (as_an_array, "RG0110", "objects as an array"),
        (in_a_derivative, "RG0110", "whose length is known at run time"),
        (copied, "RG0107", "a copy of an object"),
        (an_array_under_another_name, "RG0106", "may be another name"),
    ],
)
def test_what_is_refused(f, code, text):
    with pytest.raises(UserError, match=text) as caught:
        rg.jit(f)(0.7, 4)
    assert caught.value.code == code
    assert caught.value.way_out


class Walker:
    def __init__(self, rng, x):
        self.rng = rng
        self.x = x

    def step(self):
        self.x += 0.1 * self.x * self.rng.normal()


def drawing(x, n):
    rng, own = rg.random.default_rng(3), [rg.random.default_rng(k) for k in range(n)]
    walkers = [Walker(rng if k % 2 else own[k], x * k) for k in range(n)]
    for _ in range(3):
        for one in walkers:
            one.step()
    return sum(one.x for one in walkers) + rng.random() + own[1].random()


def test_objects_in_rows_share_generators_of_random_numbers():
    assert abs(rg.jit(drawing)(0.7, 5) - drawing(0.7, 5)) < 1e-12
    slope = (drawing(0.7 + 1e-6, 5) - drawing(0.7 - 1e-6, 5)) / 2e-6
    assert abs(rg.grad(drawing)(0.7, 5) - slope) < 1e-7
