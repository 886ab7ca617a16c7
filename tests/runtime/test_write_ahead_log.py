"""Answers on disk: found by their keys, whole or not at all."""

from __future__ import annotations

import errno
from io import FileIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from retrograd.runtime.files import Foreign
from retrograd.runtime.write_ahead_log import KEY, Journal

KEYS = [bytes([k]) * KEY for k in range(3)]
ANSWERS = [[np.arange(12.0).reshape(3, 4), 2.5], [True, 7, np.zeros(0)], [np.ones(2, np.int64)]]


def opened(path: Path) -> Journal:
    journal = Journal(path)
    journal.open()
    return journal


def kept(path: Path, which: range = range(3)) -> None:
    journal = opened(path)
    for k in which:
        journal.keep(KEYS[k], ANSWERS[k])
    journal.close()


def assert_there(journal: Journal, k: int) -> None:
    found = journal.found(KEYS[k])
    assert found is not None
    for one, want in zip(found, ANSWERS[k], strict=True):
        np.testing.assert_array_equal(one, want)
        assert type(one) is type(want)
        assert np.asarray(one).dtype == np.asarray(want).dtype


def test_what_was_kept_is_found_by_others(tmp_path: Path) -> None:
    path = tmp_path / "answers"
    assert opened(path).found(KEYS[0]) is None
    kept(path, range(2))
    kept(path, range(2, 3))
    journal = opened(path)
    for k in range(3):
        assert_there(journal, k)
    assert journal.found(b"?" * KEY) is None


@pytest.mark.parametrize("cut", [1, 39, 41, 100])
def test_half_an_answer_is_none(cut: int, tmp_path: Path) -> None:
    """What comes after it takes its place."""
    path = tmp_path / "answers"
    kept(path, range(2))
    whole = path.stat().st_size
    kept(path, range(2, 3))
    path.write_bytes(path.read_bytes()[: whole + cut])
    assert opened(path).found(KEYS[2]) is None
    kept(path, range(2, 3))
    for k in range(3):
        assert_there(opened(path), k)


def test_a_damaged_answer_is_none(tmp_path: Path) -> None:
    path = tmp_path / "answers"
    kept(path)
    data = bytearray(path.read_bytes())
    data[100] ^= 1
    path.write_bytes(data)
    journal = opened(path)
    assert journal.found(KEYS[0]) is None
    assert_there(journal, 1)


def test_cleared(tmp_path: Path) -> None:
    path = tmp_path / "answers"
    kept(path)
    journal = opened(path)
    journal.clear()
    assert journal.found(KEYS[0]) is None
    assert not path.exists()
    journal.keep(KEYS[1], ANSWERS[1])
    journal.close()
    again = opened(path)
    assert_there(again, 1)
    assert again.found(KEYS[0]) is None


@pytest.mark.parametrize("length", [0, 3, 8, 20])
def test_half_a_beginning_is_none(length: int, tmp_path: Path) -> None:
    path = tmp_path / "answers"
    kept(path)
    path.write_bytes(path.read_bytes()[:length])
    kept(path)
    assert_there(opened(path), 2)


def test_another_file_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "answers"
    path.write_text("what somebody else needs")
    with pytest.raises(Foreign):
        Journal(path).open()
    assert path.read_text() == "what somebody else needs"


class Full(FileIO):
    """A disk with no room left."""

    def write(self, data: Any, /) -> int:
        raise OSError(errno.ENOSPC, "no room")


def test_what_was_kept_before_the_disk_was_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "answers"
    journal = opened(path)
    journal.keep(KEYS[0], ANSWERS[0])
    journal.close()
    with monkeypatch.context() as patch:
        patch.setattr("retrograd.runtime.write_ahead_log.open", Full, raising=False)
        with pytest.raises(OSError, match="no room"):
            journal.keep(KEYS[1], ANSWERS[1])
    journal.keep(KEYS[2], ANSWERS[2])
    journal.close()
    again = opened(path)
    assert_there(again, 0)
    assert again.found(KEYS[1]) is None
    assert_there(again, 2)


def test_a_file_that_was_taken_away(tmp_path: Path) -> None:
    path = tmp_path / "answers"
    kept(path)
    journal = opened(path)
    path.unlink()
    assert journal.found(KEYS[0]) is None


def test_no_place_for_it(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "none" / "answers")
    journal.open()
    with pytest.raises(OSError, match="none"):
        journal.keep(KEYS[0], ANSWERS[0])
