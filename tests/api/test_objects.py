"""Objects of plain classes from outside: arguments, globals, closures and methods."""

import copy
import functools
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError

X = np.random.default_rng(1).normal(size=(2, 3))
Y = np.ones((2, 1))


class Linear:
    def __init__(self, n, m, seed):
        self.w = np.random.default_rng(seed).normal(size=(n, m))
        self.b = np.zeros(m)
        self.act = np.tanh
        self.name = f"linear {seed}"

    def __call__(self, x):
        return self.act(x @ self.w + self.b)


class Model:
    def __init__(self, sizes):
        self.layers = [Linear(a, b, k) for k, (a, b) in enumerate(pairwise(sizes))]
        self.first = self.layers[0]
        self.rng = np.random.default_rng(0)
        self.calls = 0

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x

    def loss(self, x, y):
        self.calls += 1
        return np.mean((self(x) - y) ** 2)

    def drawn(self, x):
        return x + self.rng.normal()


class Part:
    def __init__(self, x, v):
        self.x = x
        self.v = v
        self.other = None

    def step(self, dt):
        self.v = self.v - dt * self.x
        self.x = self.x + dt * self.v
        return self

    def energy(self):
        return 0.5 * (self.x**2 + self.v**2)


class World:
    def __init__(self):
        self.parts = [Part(1.0, 0.0), Part(2.0, 1.0)]
        self.best = self.parts[0]
        self.table = np.zeros(3)
        self.spare = np.ones(3)
        self.time = 0

    def run(self, n):
        for _ in range(n):
            for part in self.parts:
                part.step(0.1)
            self.time += 1
        self.best = self.parts[1]
        self.table[1] = self.best.x
        self.table, self.spare = self.spare, self.table
        if n > 3:
            self.late = 1.0 * self.time
        self.new = Part(1.0 * self.time, 2.0)
        return self.best


class Stack:
    def __init__(self, n):
        self.n = n
        self.weights = [np.full(2, k + 1.0) for k in range(n)]
        self.axis = 0

    def loss(self, x):
        for k in range(self.n):
            x = x * self.weights[k]
        return np.sum(np.reshape(x, (2, 1)), axis=self.axis)[0]


@dataclass
class Config:
    rate: float
    steps: int = 3
    parts: list = field(default_factory=list)
    table: dict = field(default_factory=dict)


class Slots:
    __slots__ = ("a", "b")

    def __init__(self, a, b):
        self.a = a
        self.b = b


class Private:
    def __init__(self):
        self.__x = 3.0

    def get(self):
        return self.__x**2


class Inherits(Private):
    def __init__(self):
        super().__init__()
        self.__x = 5.0

    def both(self):
        return self.get() * self.__x


class Node:
    def __init__(self, value, left=None, right=None):
        self.value = value
        self.left = left
        self.right = right


def total(node):
    return 0.0 if node is None else node.value**2 + total(node.left) + total(node.right)


def loss(model, x, y):
    return model.loss(x, y)


GLOBAL = Model([3, 4, 1])


def by_global(x):
    return GLOBAL.loss(x, Y)


def _slope(change):
    """The central difference of the loss in a direction that `change(model, step)` takes."""
    ends = []
    for step in (1e-6, -1e-6):
        model = Model([3, 4, 1])
        change(model, step)
        ends.append(loss(model, X, Y))
    return (ends[0] - ends[1]) / 2e-6


def test_a_gradient_has_the_class_of_the_argument():
    model = Model([3, 4, 1])
    found = rg.grad(loss)(model, X, Y)
    assert type(found) is Model
    assert (found.rng, found.calls, found.layers[0].name, found.layers[0].act) == (None,) * 4
    assert found.first is found.layers[0]
    assert model.calls == 0

    def change(other, step):
        other.layers[0].w[1, 2] += step

    assert found.layers[0].w[1, 2] == pytest.approx(_slope(change), rel=1e-6)
    memory = rg.grad(loss, memory="50kB")(model, X, Y)
    assert np.array_equal(memory.layers[1].w, found.layers[1].w)


def test_methods_and_callable_objects():
    model = Model([3, 4, 1])
    plain = rg.grad(loss, argnums=1)(model, X, Y)
    assert np.array_equal(rg.grad(model.loss)(X, Y), plain)
    assert model.calls == 0  # derivatives write nothing
    assert rg.jit(model.loss)(X, Y) == pytest.approx(Model([3, 4, 1]).loss(X, Y), rel=1e-12)
    assert model.calls == 1
    assert rg.jacrev(model)(X[0]).shape == (1, 3)


def test_products_with_objects():
    part, dt = Part(1.0, 0.5), 0.1

    def after(one, dt):
        return one.step(dt).step(dt).energy()

    y, pullback = rg.vjp(after, part, dt)
    bars = pullback(1.0)
    assert (type(bars[0]), part.x) == (Part, 1.0)
    _, y_dot = rg.jvp(after, (part, dt), (bars[0], 2.0))
    assert y_dot == pytest.approx(bars[0].x ** 2 + bars[0].v ** 2 + 2.0 * bars[1], rel=1e-12)
    assert y == pytest.approx(after(copy.deepcopy(part), dt), rel=1e-12)
    assert rg.vjp(part.energy)[0] == rg.jvp(part.energy, (), ())[0] == part.energy()
    assert rg.grad(functools.partial(after, part))(dt) == pytest.approx(bars[1], rel=1e-12)
    assert rg.value_and_grad(after, argnums=1)(part, dt) == pytest.approx((y, bars[1]), rel=1e-12)


def test_globals_and_closures_are_read_at_every_call():
    f = rg.jit(by_global)
    first = f(X)
    GLOBAL.layers[1].b[0] += 1.0
    assert f(X) != first
    model = Part(2.0, 1.0)
    g = rg.jit(lambda x: model.x * x)
    assert g(3.0) == 6.0
    model.x = 5.0
    assert g(3.0) == 15.0
    model.x = np.array([1.0, 2.0])
    assert np.array_equal(g(3.0), np.array([3.0, 6.0]))


def test_one_program_for_many_objects_of_a_class():
    f = rg.jit(Part.energy)
    assert [f(Part(float(k), 1.0)) for k in range(5)] == [0.5 * (k * k + 1.0) for k in range(5)]
    assert len(f.made) == 1


def test_jit_leaves_the_attributes_that_python_leaves():
    ours, theirs = World(), World()
    arrays = ours.table, ours.spare
    for n in (5, 2):
        assert rg.jit(ours.run)(n) is ours.parts[1]
        theirs.run(n)
    assert ours.best is ours.parts[1]
    assert ours.table is arrays[0]
    assert ours.spare is arrays[1]
    for one, other in ((ours.table, theirs.table), (ours.spare, theirs.spare)):
        assert np.allclose(one, other, rtol=1e-12)
    assert (ours.time, ours.late, ours.new.x) == (theirs.time, theirs.late, theirs.new.x)
    for one, other in zip(ours.parts, theirs.parts, strict=True):
        assert (one.x, one.v) == pytest.approx((other.x, other.v), rel=1e-12)


def test_new_objects_as_results():
    found = rg.jit(lambda a: (Part(a, 2.0 * a), [Node(a, Node(2.0 * a))]))(3.0)
    assert (type(found[0]), found[0].x, found[0].v, found[0].other) == (Part, 3.0, 6.0, None)
    assert (found[1][0].left.value, found[1][0].right) == (6.0, None)


def test_an_object_that_is_changed_in_a_derivative_stays_as_it_was():
    part = Part(1.0, 0.5)

    def after(one, dt):
        for _ in range(20):
            one.step(dt)
        return one.energy()

    value, slope = rg.value_and_grad(after, argnums=1)(part, 0.1)
    assert (part.x, part.v) == (1.0, 0.5)
    ends = [after(copy.deepcopy(part), 0.1 + s) for s in (1e-6, -1e-6)]
    assert value == pytest.approx(after(copy.deepcopy(part), 0.1), rel=1e-12)
    assert slope == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-6)
    found = rg.grad(after, memory="10kB")(part, 0.1)
    assert (found.x, found.v) == (rg.grad(after)(part, 0.1).x, rg.grad(after)(part, 0.1).v)


def test_ints_of_objects_are_literals_where_they_have_to_be():
    stack = Stack(3)
    f = rg.jit(stack.loss)
    assert f(np.ones(2)) == 12.0
    stack.n = 2
    assert f(np.ones(2)) == 4.0
    found = rg.grad(Stack.loss)(stack, np.ones(2))
    assert (found.n, found.axis, found.weights[2].tolist()) == (None, None, [0.0, 0.0])
    assert rg.jvp(stack.loss, (np.ones(2),), (np.ones(2),)) == (4.0, 4.0)


def test_kinds_of_classes():
    config = Config(0.5, 2, [1.0, 2.0], {"a": 1.0})
    found = rg.grad(lambda c: c.rate * sum(c.parts) * c.table["a"] * c.steps)(config)
    assert found == Config(6.0, None, [1.0, 1.0], {"a": 3.0})
    slots = rg.grad(lambda s: s.a * s.b)(Slots(2.0, 3.0))
    assert (type(slots), slots.a, slots.b) == (Slots, 3.0, 2.0)
    assert vars(rg.grad(Inherits.both)(Inherits())) == {
        "_Private__x": 30.0, "_Inherits__x": 9.0,
    }  # fmt: skip
    tree = Node(1.0, Node(2.0, None, Node(3.0)), Node(4.0))
    assert rg.jit(total)(tree) == 30.0
    assert rg.grad(total)(tree).left.right.value == 6.0


def test_cycles_and_objects_that_are_there_twice():
    ring = Part(2.0, 3.0)
    ring.other = ring
    found = rg.grad(lambda one: one.other.other.x * one.v)(ring)
    assert found.other is found
    assert (found.x, found.v) == (3.0, 2.0)

    def write(one, other):
        one.x = 5.0
        return other.x

    both = rg.grad(lambda pair: pair[0].x * pair[1].v)((ring, ring))
    assert both[0] is both[1]
    assert rg.jit(write)(ring, ring) == 5.0
    assert ring.x == 5.0
    assert rg.jit(lambda a, b: a is b)(ring, ring) is True
    assert rg.jit(lambda a, b: a is b)(ring, Part(1.0, 1.0)) is False


def chosen(one, a):
    return one if a > 0.0 else Part(a, a)


def test_a_result_that_may_be_the_callers_object_is_refused():
    with pytest.raises(UserError) as caught:
        rg.jit(chosen)(Part(1.0, 2.0), 1.0)
    assert caught.value.code == "RG0106"
    assert rg.jit(lambda one, a: chosen(one, a).x)(Part(1.0, 2.0), 1.0) == 1.0


SHARED = Part(1.0, 2.0)


def writes_and_reads_the_global(one):
    one.x = 7.0
    return SHARED.x


def test_an_object_found_in_two_ways_is_refused_where_it_is_changed():
    with pytest.raises(UserError) as caught:
        rg.jit(writes_and_reads_the_global)(SHARED)
    assert caught.value.code == "RG0307"
    assert SHARED.x == 1.0


def test_an_attribute_that_is_no_number_is_refused_where_it_is_read():
    with pytest.raises(UserError) as caught:
        rg.grad(Model([3, 4, 1]).drawn)(1.0)
    assert caught.value.code == "RG0124"
    assert "a Generator" in caught.value.message
    assert caught.value.span is not None


class Positive:
    def __get__(self, one, owner=None):
        return 1.0


class Described:
    value = Positive()


class Own(np.ndarray):
    pass


class Lazily:
    def __init__(self, x):
        self.x = x

    @functools.cached_property
    def square(self):
        return self.x * self.x

    def twice(self, a):
        first = self.square * a
        self.x = 10.0
        return first + self.square


@pytest.mark.parametrize(
    ("f", "arg", "words"),
    [
        (lambda one: one.value, Described(), "use a property"),
        (lambda x: x[0], np.ones(2).view(Own), "np.asarray"),
    ],
)
def test_classes_that_are_refused(f, arg, words):
    with pytest.raises(UserError) as caught:
        rg.jit(f)(arg)
    assert words in (caught.value.way_out or "")


def test_a_property_that_is_calculated_once():
    ours, theirs = Lazily(3.0), Lazily(3.0)
    assert rg.jit(ours.twice)(2.0) == theirs.twice(2.0) == 27.0
    assert vars(ours) == vars(theirs)
    assert rg.grad(Lazily.twice)(Lazily(3.0), 2.0).x == 18.0
