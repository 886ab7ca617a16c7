"""Objects of plain classes, made inside of a program: aliases, joins, loops, derivatives."""

from dataclasses import dataclass, field

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError
from retrograd.prims.core import RaisedError
from tests.frontend.harness import agree, interpreted, traced


class Vec:
    def __init__(self, x, y):
        self.x = x
        self.y = y

    def __add__(self, other):
        if not isinstance(other, Vec):
            return NotImplemented
        return Vec(self.x + other.x, self.y + other.y)

    def __mul__(self, s):
        return Vec(self.x * s, self.y * s)

    __rmul__ = __mul__

    def __neg__(self):
        return Vec(-self.x, -self.y)

    def __iadd__(self, other):
        self.x += other.x
        self.y += other.y
        return self

    def __eq__(self, other):
        return self.x == other.x and self.y == other.y

    def __getitem__(self, k):
        return self.x if k == 0 else self.y

    def __len__(self):
        return 2

    def __call__(self, t):
        return self.x + t * self.y

    @property
    def norm(self):
        return np.sqrt(self.x * self.x + self.y * self.y)

    @norm.setter
    def norm(self, value):
        scale = value / np.sqrt(self.x * self.x + self.y * self.y)
        self.x *= scale
        self.y *= scale

    @staticmethod
    def unit(k):
        return Vec(1.0, 0.0) if k == 0 else Vec(0.0, 1.0)

    @classmethod
    def diagonal(cls, a):
        return cls(a, a)


class Filter:
    gain = 2.0

    def __init__(self, n, a):
        self.h = np.zeros(n)
        self.a = a
        self.t = 0

    def step(self, x):
        self.h[1:] = self.h[:-1]
        self.h[0] = x
        self.t += 1
        self.last = x
        return self.gain * np.sum(self.h) * self.a


class Leaky(Filter):
    def __init__(self, n, a, leak):
        super().__init__(n, a)
        self.leak = leak

    def step(self, x):
        return self.leak * super().step(x)


@dataclass
class Body:
    mass: float
    x: float = 1.0
    history: tuple = field(default_factory=tuple)
    v: float = field(default=0.5, kw_only=True)

    def kick(self, f):
        self.v += f / self.mass

    def __post_init__(self):
        self.energy = 0.5 * self.mass


class Empty:
    pass


def arithmetic(a, b):
    v = Vec(a, b)
    for _ in range(5):
        v = v + 0.1 * Vec(v.y, -v.x)
    w = -v
    w += Vec.diagonal(a)
    return w.norm + w[0] * len(w) + w(2.0) + Vec.unit(1).y


def setter(a):
    v = Vec(a, 2.0)
    v.norm = 3.0
    return v.x, v.y, v == Vec(v.x, v.y), v is v, v is not Vec(1.0, 2.0)


def filtered(a, xs):
    one = Filter(4, a)
    total = 0.0
    for k in range(len(xs)):
        total += one.step(xs[k]) ** 2
    return total + one.last * one.t


def inherited(a, xs):
    one = Leaky(3, a, 0.5)
    for x in xs:
        one.step(x)
    return one.step(1.0) + one.h[2]


def two_names(a):
    v = Vec(a, 1.0)
    w = v
    w.x = 5.0 * a
    return v.x


def joined(a, c):
    v, u = Vec(a, 1.0), Vec(2.0 * a, 3.0)
    w = v if c > 0 else u
    return w.x * w.y


def joined_arrays(a, c):
    one, two = Filter(3, a), Filter(3, 2.0 * a)
    one.step(1.0)
    which = one if c > 0 else two
    return which.h[0] + which.a + (which.t if c > 0 else 0)


def joined_and_written(a, c):
    v, u = Vec(a, 1.0), Vec(2.0 * a, 3.0)
    w = v if c > 0 else u
    w.x = 5.0 * a
    return v.x


def changed_then_read_under_the_joined_name(a, c):
    v, u = Vec(a, 1.0), Vec(2.0 * a, 3.0)
    w = v if c > 0 else u
    v.x = 5.0 * a
    return w.x


def in_a_callee(a):
    def move(one, by):
        one.x = one.x + by

    v = Vec(a, 1.0)
    move(v, 2.0 * a)
    move(v, 3.0)
    return v.x


def twice_in_a_call(a):
    def swap(one, two):
        one.x = 2.0 * two.x
        return two.x

    v = Vec(a, 1.0)
    return swap(v, v) + v.x


def attribute_in_one_branch(a, c):
    e = Filter(2, a)
    if c > 0:
        e.step(a)
    return e.last


def nested(a):
    outer = Vec(Vec(a, 2.0), Vec(3.0, a))
    outer.x.y = outer.y.y * 2.0
    keep = outer.x
    outer.x = outer.y
    return outer.x.x + keep.y


def in_a_loop_by_turns(a, n):
    one, two = Vec(a, 1.0), Vec(1.0, a)
    for _ in range(n):
        one, two = two, Vec(one.x + two.x, one.y)
    return one.x * two.y + two.x


def state_machine(a):
    v = Vec(a, 0.0)
    n = 0
    while v.norm > 0.1:
        v = 0.5 * v
        n += 1
        if n > 50:
            break
    return v.x, n


def replaced_in_a_loop(a, n):
    holder = Vec(Vec(a, 1.0), 0.0)
    for k in range(n):
        holder.x = Vec(holder.x.y, holder.x.x * 1.5)
        holder.y += holder.x.x * k
    return holder.y


def dataclass_fields(a):
    b = Body(2.0 * a, v=a)
    for _ in range(3):
        b.kick(a)
    b.x += b.v
    return b.x + b.energy + len(b.history)


def closure_over_an_object(a):
    v = Vec(a, 2.0)

    def bump(k):
        v.x += k
        return v.x

    return bump(1.0) + bump(a) * v.y


def empty():
    one, two = Empty(), Empty()
    return one is two, one is one, one == two, isinstance(one, Empty)


def of_tuples(a):
    pair = (Vec(a, 1.0), Vec(2.0, a))
    for v in pair:
        v.x += 1.0
    return pair[0].x * pair[1].x


def recursion(v, n):
    if n == 0:
        return v.x
    return recursion(Vec(v.y, v.x + 1.0), n - 1)


def recursive(a, n):
    return recursion(Vec(a, 2.0), n)


class Bag:
    def __init__(self, n, x):
        self.n = n
        self.x = x

    def __len__(self):
        return self.n


class Switch(Bag):
    def __bool__(self):
        return self.x > 1.0


@dataclass(frozen=True)
class Nothing:
    pass


def truth_of_objects(a, n):
    total = a if Bag(n, a) else 2.0
    total += 3.0 * a if Switch(0, a) else 4.0
    return total + (a * a if Nothing() and not Bag(0, a) else 0.0)


CASES = [
    (truth_of_objects, (1.5, 0)), (truth_of_objects, (0.5, 2)),
    (arithmetic, (1.0, 2.0)), (setter, (1.5,)), (filtered, (0.5, np.arange(6.0))),
    (inherited, (0.5, np.arange(4.0))), (two_names, (2.0,)), (joined, (1.5, 1.0)),
    (joined, (1.5, -1.0)), (joined_arrays, (1.5, 1.0)), (joined_arrays, (1.5, -1.0)),
    (in_a_callee, (1.0,)), (twice_in_a_call, (3.0,)), (attribute_in_one_branch, (2.0, 1.0)),
    (nested, (1.5,)), (in_a_loop_by_turns, (1.5, 7)), (in_a_loop_by_turns, (1.5, 0)),
    (state_machine, (3.0,)), (replaced_in_a_loop, (1.5, 4)), (dataclass_fields, (2.0,)),
    (closure_over_an_object, (1.5,)), (empty, ()), (of_tuples, (3.0,)), (recursive, (1.0, 5)),
]  # fmt: skip


@pytest.mark.parametrize(("f", "args"), CASES, ids=lambda v: getattr(v, "__name__", ""))
def test_as_in_python(f, args):
    agree(f, *args)


@pytest.mark.thinned(4)
@pytest.mark.parametrize(
    ("f", "args"),
    [(f, args) for f, args in CASES if args and f not in (setter, state_machine)],
    ids=lambda v: getattr(v, "__name__", ""),
)
def test_derivatives(f, args):
    plain = rg.value_and_grad(f)(*args)
    step = 1e-6
    up, down = (f(args[0] + s, *args[1:]) for s in (step, -step))
    assert plain[1] == pytest.approx((up - down) / (2 * step), rel=1e-6, abs=1e-7)
    rg.check_grads(lambda a: f(a, *args[1:]), (args[0],), order=2)


@pytest.mark.parametrize(
    ("f", "args"), [(filtered, (0.5, np.arange(40.0))), (in_a_loop_by_turns, (0.1, 60))]
)
def test_in_a_budget(f, args):
    assert rg.value_and_grad(f, memory="2kB")(*args) == rg.value_and_grad(f)(*args)


def test_an_unassigned_attribute_is_an_attribute_error():
    with pytest.raises(RaisedError) as caught:
        interpreted(attribute_in_one_branch, 2.0, -1.0)
    assert caught.value.kind == "AttributeError"


@pytest.mark.parametrize("f", [joined_and_written, changed_then_read_under_the_joined_name])
def test_one_of_two_objects_changes_under_either_name(f):
    agree(f, 1.0, 1.0)
    agree(f, 1.0, -1.0)


def missing_attribute(a):
    return Vec(a, 1.0).z


class Meta(type):
    pass


class OfMeta(metaclass=Meta):
    pass


def of_metaclass(a):
    OfMeta()
    return a


def returned(a):
    return Vec(a, 1.0)


def too_many(a):
    return Vec(a, 1.0, 2.0).x


def no_operator(a):
    return (Body(a) + 1.0).x


def called(a):
    return Body(a)(1.0)


def grown(a, n):
    v = Vec(a, None)
    for _ in range(n):
        v = Vec(a, v)
    return v.x


def test_objects_that_have_each_other_as_often_as_the_run_says():
    agree(grown, 1.0, 3)


@pytest.mark.parametrize(
    ("f", "args", "code", "words"),
    [
        (missing_attribute, (1.0,), "RG0107", "has no attribute 'z'"),
        (of_metaclass, (1.0,), "RG0101", "metaclass"),
        (too_many, (1.0,), "RG0108", "takes"),
        (no_operator, (1.0,), "RG0110", "no operation on an object of class 'Body'"),
        (called, (1.0,), "RG0107", "__call__"),
    ],
)
def test_refusals(f, args, code, words):
    with pytest.raises(UserError) as caught:
        traced(f, *args)
    assert caught.value.code == code
    assert words in str(caught.value)
    assert caught.value.span is not None
