"""Classes of users with items by key or by place, and what else of `collections` there is."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from tests.frontend.harness import agree

X = np.array([0.5, -1.5, 2.5, -0.5])


class Fixed(Mapping[str, Any]):
    def __init__(self, x: Any) -> None:
        self.table = {"a": x[0], "b": x[1]}

    def __getitem__(self, key: str) -> Any:
        return self.table[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.table)

    def __len__(self) -> int:
        return len(self.table)


class Open(Fixed, MutableMapping[str, Any]):
    def __setitem__(self, key: str, value: Any) -> None:
        self.table[key] = value

    def __delitem__(self, key: str) -> None:
        del self.table[key]


class Own:
    def __init__(self, x: Any) -> None:
        self.table = {"a": x[0], "b": x[1]}

    def __getitem__(self, key: str) -> Any:
        return self.table[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self.table[key] = value

    def __contains__(self, key: str) -> bool:
        return key in self.table

    def keys(self) -> Any:
        return self.table.keys()


class Row(Sequence[Any]):
    def __init__(self, x: Any) -> None:
        self.x = x

    def __getitem__(self, index: Any) -> Any:
        return self.x[index]

    def __len__(self) -> int:
        return len(self.x)


def product(a: Any, b: Any) -> Any:
    return a * b


def looked_up(x: Any) -> Any:
    m = Fixed(x)
    return m["a"] * m.get("b") + m.get("z", 2.0) + ("a" in m) + ("z" in m) + len(m)


def gone_through(x: Any) -> Any:
    m = Fixed(x)
    return sum(k * v for k, (_, v) in enumerate(m.items())) + sum(m.values()) + len(list(m.keys()))


def changed(x: Any) -> Any:
    m = Open(x)
    m["c"] = x[2]
    m.update({"d": x[3]}, e=2.0)
    m.setdefault("a", 7.0)
    del m["b"]
    return m["c"] * m["d"] + m.pop("a") * m.pop("none", 3.0) + len(m)


def missing(x: Any) -> Any:
    return Open(x).pop("none")


def cleared(x: Any) -> Any:
    m = Open(x)
    m.clear()
    return x[0] * len(m)


def spread(x: Any) -> Any:
    m = Own(x)
    m["b"] = m["a"] * x[1]
    return product(**m) + sum(dict(m).values()) + ("b" in m)


def sequences(x: Any) -> Any:
    row, few = Row(x), Row([x[0], 2.0])
    s = sum(v * v for v in row) + row[1] * len(row)
    return s + (2.0 in few) + sum(k * v for k, v in enumerate(reversed(few)))


def ordered(x: Any) -> Any:
    d = OrderedDict([("a", x[0]), ("b", x[1])])
    d.move_to_end("a")
    d["c"] = 3.0
    d.move_to_end("c", last=False)
    return sum(k * v for k, v in enumerate(d.values())) + d.pop("b")


def arrays_of_deques(x: Any) -> Any:
    q: Any = deque(maxlen=3)
    for v in x:
        q.append(v)
    return np.sum(np.array(q) ** 2) * np.max(q) + np.dot(np.asarray(q), np.ones(3))


def deques(x: Any) -> Any:
    q = deque([x[0], x[1]]) + deque([x[2]])
    q += [x[3]]
    q.insert(1, 4.0)
    q.remove(4.0)
    del q[0]
    several = [1.0]
    several += q
    s = sum(k * v for k, v in enumerate(reversed(q))) + sum(several)
    return s + q[0] * q.index(x[2]) + sum(deque([x[0]]) * 2)


def not_in_a_deque(x: Any) -> Any:
    q = deque(x)
    q.remove(17.0)
    return q[0]


ALL = [
    looked_up, gone_through, changed, missing, cleared, spread, sequences, ordered,
    arrays_of_deques, deques, not_in_a_deque,
]  # fmt: skip


@pytest.mark.parametrize("f", ALL)
def test_values_are_those_of_python(f: Any) -> None:
    agree(f, X.copy())


def test_gradients_go_through_mappings() -> None:
    assert rg.check_grads(changed, (X,), 1).ok
    assert rg.check_grads(arrays_of_deques, (X,), 1).ok


def squeezed(x: Any) -> Any:
    return np.squeeze(x[None, :])[1] * x[:, None].squeeze()[2] + np.squeeze(x[:1])


def of_literal_lengths(x: Any) -> Any:
    return np.squeeze(np.array([[x[1]]])) + np.squeeze(np.zeros((1, 3, 1)) + x[0])[2]


@pytest.mark.parametrize("f", [squeezed, of_literal_lengths])
def test_squeeze_without_an_axis(f: Any) -> None:
    assert rg.jit(f)(X) == f(X)
    assert rg.check_grads(f, (X,), 1).ok
    columns = rg.jit(lambda x: np.squeeze(x[:, None] * x[None, :]))
    assert columns(X[:1]) == X[0] ** 2
    np.testing.assert_array_equal(columns(X[:2]), np.outer(X[:2], X[:2]))


def of_unknown_lengths(x: Any, n: Any) -> Any:
    column = x.reshape(-1, 1)
    chosen = np.squeeze(column[column[:, 0] > 0.5])
    places = np.squeeze(np.argwhere(x > 0.5))
    made = np.zeros((n, 1)).squeeze() + np.ones(np.array(x.shape))[0] * x[0]
    return np.sum(chosen**2) + np.sum(x[places]) + np.sum(made) * np.squeeze(x[None, :])[1]


def test_lengths_that_are_not_known_are_taken_for_others_than_one() -> None:
    both = rg.value_and_grad(of_unknown_lengths)
    for x in (np.linspace(0.0, 1.0, 6), np.linspace(0.0, 1.0, 500)):
        value, slope = both(x, 3)
        assert value == pytest.approx(of_unknown_lengths(x, 3), rel=1e-13)
        chosen = x > 0.5
        wanted = 2.0 * x * chosen + chosen
        wanted[0] += 3.0 * x[1]
        wanted[1] += 3.0 * x[0]
        assert np.allclose(slope, wanted)
        with pytest.raises(ValueError, match="which axes go"):
            both(x, 1)
    one = rg.jit(lambda x: np.sum(np.squeeze(x), axis=0))
    large = np.arange(200.0)
    assert one(large[:, None]) == one(large[None]) == 19900.0
    assert one(large.reshape(1, 2, 100)).shape == (100,)


def caught(x: Any, n: Any) -> Any:
    try:
        return np.sum(np.squeeze(np.zeros((n, 2)) + x[0]))
    except ValueError:
        return 7.0


def test_no_handler_takes_a_length_of_one_for_its_error() -> None:
    f = rg.jit(caught)
    assert f(np.ones(3), 2) == 4.0
    with pytest.raises(ValueError, match="which axes go"):
        f(np.ones(3), 1)
