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


@quickly_made
@dataclass(slots=True)
class Changing:
    name: str
    found: dict[str, int] = field(default_factory=dict[str, int])
    length: int = field(init=False)
    known: list[int] = field(default_factory=list[int], init=False, repr=False)
    kind: str = field(default="plain", init=False)

    def __post_init__(self) -> None:
        self.length = len(self.name)


def test_those_that_change_are_made_quickly_as_well() -> None:
    one, other = Changing("ab"), Changing("ab", {"k": 1})
    assert (one.length, one.known, one.kind) == (2, [], "plain")
    assert one.known is not other.known
    one.name, one.found = "c", other.found
    assert (one.name, one.found, one.length) == ("c", {"k": 1}, 2)
    with pytest.raises(TypeError, match="__init__"):
        Changing("ab", {}, 3)
