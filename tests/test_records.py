"""Classes whose instances are made quickly are those that `dataclass` makes."""

from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError, dataclass, field, replace

import pytest

from retrograd.records import quickly_made


@quickly_made
@dataclass(frozen=True, slots=True)
class Quick:
    name: str
    size: int = 3
    found: dict[str, int] = field(default_factory=dict[str, int])

    def __post_init__(self) -> None:
        if self.size < 0:
            raise ValueError("a negative size")


@dataclass(frozen=True, slots=True)
class Plain:
    name: str
    size: int = 3
    found: dict[str, int] = field(default_factory=dict[str, int])


@pytest.mark.parametrize(
    ("args", "kwargs"),
    [(("a",), {}), (("a", 4), {}), (("a",), {"size": 5}), ((), {"name": "b", "found": {"c": 1}})],
)
def test_fields_are_those_of_a_dataclass(args, kwargs) -> None:
    one, other = Quick(*args, **kwargs), Plain(*args, **kwargs)
    assert repr(one) == repr(other).replace("Plain", "Quick")
    assert one == Quick(*args, **kwargs) == copy.copy(one) == pickle.loads(pickle.dumps(one))


def test_each_instance_has_its_own_container() -> None:
    one = Quick("a")
    one.found["k"] = 1
    assert Quick("b").found == {}


@pytest.mark.parametrize(("args", "kwargs"), [((), {}), (("a", 1, {}, 2), {}), (("a",), {"no": 1})])
def test_wrong_arguments(args, kwargs) -> None:
    with pytest.raises(TypeError, match="__init__"):
        Quick(*args, **kwargs)


def test_instances_stay_as_they_are_and_are_validated() -> None:
    one = Quick("a")
    with pytest.raises(FrozenInstanceError):
        one.size = 4
    assert replace(one, size=4).size == 4
    with pytest.raises(ValueError, match="negative"):
        Quick("a", -1)
