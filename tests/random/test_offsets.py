"""Random loops whose indices begin somewhere that is known at run time only.

They may be in bounds, come round or leave the array; beside elements that are looked up, so that
the checks of a loop cannot all go before it.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from tests.random.test_torus import check


def index(draw: Random) -> str:
    """An index that moves by one from a place that is not known, or one that is looked up."""
    return draw.choice(
        ("i", "i + k - 2", "i - k", "k - i", "n - k + i", "k - n + i", "(3 * i) % n",
         "int(abs(v[i % k]) * n) % n")
    )  # fmt: skip


@pytest.mark.thinned(3)
@pytest.mark.parametrize("seed", range(9))
def test_offsets(seed: int, tmp_path: Path) -> None:
    check(seed, tmp_path, index)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(9, 150))
def test_many_offsets(seed: int, tmp_path: Path) -> None:
    check(seed, tmp_path, index)
