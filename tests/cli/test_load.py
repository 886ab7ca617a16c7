"""Words of a command line become a function and its arguments, or a usage message."""

from __future__ import annotations

import math
from pathlib import Path

import click
import numpy as np
import pytest

from retrograd.cli.load import bind_arguments, load_function, parse_value


def model(weights, rate=0.5, *, verbose=False):
    return weights, rate, verbose


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3", 3),
        ("-2.5e-3", -2.5e-3),
        ("True", True),
        ("inf", math.inf),
        ("(1,2.0)", (1, 2.0)),
        ("(1,(2.0,False))", (1, (2.0, False))),
    ],
)
def test_numbers_and_tuples_keep_their_types(text: str, value: object) -> None:
    parsed = parse_value(text)
    assert parsed == value
    assert type(parsed) is type(value)


def test_nan_is_a_float() -> None:
    assert math.isnan(parse_value("nan"))


@pytest.mark.parametrize(
    ("text", "shape"), [("[1,2,3]", (3,)), ("[]", (0,)), ("[[1],[2]]", (2, 1))]
)
def test_lists_are_float_arrays(text: str, shape: tuple[int, ...]) -> None:
    array = parse_value(text)
    assert array.dtype == np.float64
    assert array.shape == shape


def test_a_list_inside_a_tuple_is_an_array() -> None:
    number, array = parse_value("(1,[2,3])")
    assert number == 1
    np.testing.assert_array_equal(array, [2.0, 3.0])


def test_arrays_from_disk_keep_dtype(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.arange(3))
    np.savez(tmp_path / "b.npz", x=np.ones((2, 2)))
    assert parse_value(f"{tmp_path}/a.npy").dtype == np.int64
    assert parse_value(f"{tmp_path}/b.npz:x").shape == (2, 2)


def test_objects_on_disk_are_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "evil.npy", np.array([print], dtype=object), allow_pickle=True)
    with pytest.raises(click.BadParameter, match="evil.npy"):
        parse_value(f"{tmp_path}/evil.npy")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("abc", "neither a number"),
        ("'abc'", "not a number"),
        ("{1: 2}", "not a number"),
        ("[[1],[2,3]]", "rows of one length"),
        ("['a']", "rows of one length"),
        ("missing.npy", "No such file"),
        ("data.npz", "say which array"),
    ],
)
def test_other_words_are_explained(text: str, message: str) -> None:
    with pytest.raises(click.BadParameter, match=message):
        parse_value(text)


def test_a_missing_key_is_named(tmp_path: Path) -> None:
    np.savez(tmp_path / "b.npz", x=1.0)
    with pytest.raises(click.BadParameter, match="holds no array 'y'"):
        parse_value(f"{tmp_path}/b.npz:y")


def test_arguments_come_in_the_order_of_the_parameters() -> None:
    assert bind_arguments(model, ["rate=2.0", "weights=1"]) == (1, 2.0)
    assert bind_arguments(model, ["weights=1"]) == (1, 0.5)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "'weights' has no value"),
        (["weights"], "not of the form name=value"),
        (["weights=1", "weights=2"], "given twice"),
        (["weights=1", "speed=2"], "no parameter 'speed'"),
        (["weights=1", "verbose=True"], "not a positional"),
    ],
)
def test_arguments_that_do_not_fit_are_named(words: list[str], message: str) -> None:
    with pytest.raises(click.BadParameter, match=message):
        bind_arguments(model, words)


def test_a_function_is_found_beside_its_helpers(tmp_path: Path) -> None:
    (tmp_path / "helper_of_load.py").write_text("def twice(x):\n    return 2 * x\n")
    (tmp_path / "model_of_load.py").write_text(
        "from helper_of_load import twice\n\n\ndef f(x):\n    return twice(x)\n\n\nn = 3\n"
    )
    assert load_function(f"{tmp_path}/model_of_load.py:f")(4) == 8
    with pytest.raises(click.BadParameter, match="not a function"):
        load_function(f"{tmp_path}/model_of_load.py:n")
    with pytest.raises(click.BadParameter, match="defines no 'g'"):
        load_function(f"{tmp_path}/model_of_load.py:g")


def test_a_file_that_is_no_python_is_explained(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("def f(:\n")
    with pytest.raises(click.BadParameter, match="broken.py:1"):
        load_function(f"{tmp_path}/broken.py:f")
    with pytest.raises(click.BadParameter, match="no file"):
        load_function("nowhere.py:f")
    with pytest.raises(click.BadParameter, match=r"FILE.py:FUNC"):
        load_function("nowhere.py")
