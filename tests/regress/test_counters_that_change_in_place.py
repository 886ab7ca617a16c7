"""`counter += other` changes the counter itself, and views stay those of the dict."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.frontend.harness import agree


def added(x: Any) -> Any:
    p = Counter("xxy")
    q = p
    p += Counter("xz")
    return x[0] * q["x"] + q["z"] + len(q)


def taken(x: Any) -> Any:
    p = Counter("xxy")
    q = p
    p -= Counter("xy")
    return x[0] * q["x"] + q["y"] + len(q)


def both(x: Any) -> Any:
    p = Counter(a=3, b=-1, c=2)
    q = p
    p &= Counter(a=1, c=5)
    p |= Counter(d=4)
    return x[0] * q["a"] + 10 * q["c"] + 100 * len(q) + q["d"]


def cleared(x: Any) -> Any:
    p = OrderedDict(a=x[0], b=x[1])
    values = p.values()
    p.clear()
    p["c"] = 5.0
    return sum((k + 1) * v for k, v in enumerate(values))


def moved(x: Any) -> Any:
    p = OrderedDict(a=x[0], b=x[1])
    values = p.values()
    p.move_to_end("b", last=False)
    return sum((k + 1) * v for k, v in enumerate(values)) + p.popitem(last=False)[1]


def merged(x: Any) -> Any:
    p = defaultdict(float, a=x[0])
    q = p
    p |= {"b": x[1]}
    return q["b"] * q.pop("a") + len(p | {"c": 1.0}) + len(p)


@pytest.mark.parametrize("f", [added, taken, both, cleared, moved, merged])
def test_other_names_see_it(f: Callable[[Any], Any]) -> None:
    agree(f, np.array([0.5, 2.0]))
