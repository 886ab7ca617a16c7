"""Functions of installed packages, differentiated unchanged: none gives a wrong number."""

from __future__ import annotations

import numpy as np
import pytest

from tests.corpus.arguments import is_variable, read, written
from tests.corpus.runs import outcome_of
from tests.corpus.table import entries
from tests.corpus.trial import tried

ENTRIES = entries()
QUICK = (
    "matplotlib.bezier:get_normal_points",
    "scipy.optimize._lsq.common:update_tr_radius",
    "scipy.signal._wavelets:_ricker",
    "scipy.stats._sampling:invgauss_pdf",
)


def test_halves_are_equal_and_names_are_there_once() -> None:
    halves = [entry.half for entry in ENTRIES]
    assert abs(halves.count("open") - halves.count("held out")) <= 1
    assert len({entry.label for entry in ENTRIES}) == len(ENTRIES) > 200


def test_arguments_are_read_as_they_were_written() -> None:
    value = ([0.1, [2, 3.5]], {"mode": "fast", "x": np.array([[0.1, 0.2]])}, (None, True))
    found = read(written(value))
    assert found[0] == value[0]
    assert found[2] == value[2]
    np.testing.assert_array_equal(found[1]["x"], value[1]["x"])
    assert is_variable((1.0, [2.0]))
    assert not is_variable((1.0, 2))
    assert not is_variable(True)
    with pytest.raises(ValueError, match="object"):
        written(object())


@pytest.mark.parametrize("label", QUICK)
def test_functions_of_packages_that_are_here_anyhow(label: str) -> None:
    entry = next(entry for entry in ENTRIES if entry.label == label)
    if not entry.installed():
        pytest.skip(f"{entry.distribution}=={entry.release} is not installed")
    outcome = tried(entry)
    assert outcome.kind == "works", outcome


@pytest.mark.slow
@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.label)
def test_no_function_gives_a_wrong_number_or_a_crash(entry) -> None:
    if not entry.installed():
        pytest.skip(f"{entry.distribution}=={entry.release} is not installed")
    outcome = outcome_of(entry)
    assert outcome.kind not in ("wrong", "crash"), outcome
