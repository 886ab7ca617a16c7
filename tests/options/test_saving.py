"""Policies as data: what each answers, and that its text says all of it."""

from __future__ import annotations

import pickle
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from retrograd.errors import UserError
from retrograd.options import checkpoint_policies as policies
from retrograd.options.saving import Answer, Decision, Policy, Residual, policy_named, policy_of

SAVE, RECOMPUTE, AUTO = Answer.SAVE, Answer.RECOMPUTE, Answer.AUTO

DOT, STACK = Residual("matmul"), Residual("matmul", batched=True)
PLAIN, H, K = Residual("sin"), Residual("sin", names=("h",)), Residual("matmul", names=("k",))
BOTH = Residual("exp", names=("k", "h"))
ABOUT = (DOT, STACK, PLAIN, H, K, BOTH)

OFFLOADED = policies.save_and_offload_only_these_names(
    names_which_can_be_saved=["h"], names_which_can_be_offloaded=["k"],
    offload_src="device", offload_dst="pinned_host",
)  # fmt: skip
MOVED = policies.Offloadable("device", "pinned_host")
ODD = 'h", "k\', [\\ é'

ANSWERS: dict[Policy, tuple[Decision, ...]] = {
    policies.everything_saveable: (AUTO,) * 6,
    policies.nothing_saveable: (RECOMPUTE,) * 6,
    policies.dots_saveable: (SAVE, SAVE, RECOMPUTE, RECOMPUTE, SAVE, RECOMPUTE),
    policies.dots_with_no_batch_dims_saveable: (
        SAVE, RECOMPUTE, RECOMPUTE, RECOMPUTE, SAVE, RECOMPUTE,
    ),
    policies.offload_dot_with_no_batch_dims("device", "pinned_host"): (
        MOVED, RECOMPUTE, RECOMPUTE, RECOMPUTE, MOVED, RECOMPUTE,
    ),
    policies.save_anything_except_these_names("h"): (
        AUTO, AUTO, AUTO, RECOMPUTE, AUTO, RECOMPUTE,
    ),
    policies.save_any_names_but_these("h"): (
        RECOMPUTE, RECOMPUTE, RECOMPUTE, RECOMPUTE, SAVE, SAVE,
    ),
    policies.save_only_these_names("h", "z"): (
        RECOMPUTE, RECOMPUTE, RECOMPUTE, SAVE, RECOMPUTE, SAVE,
    ),
    policies.save_from_both_policies(
        policies.dots_saveable, policies.save_only_these_names("h")
    ): (SAVE, SAVE, RECOMPUTE, SAVE, SAVE, SAVE),
    policies.save_from_both_policies(
        policies.nothing_saveable, policies.everything_saveable
    ): (AUTO,) * 6,
    OFFLOADED: (RECOMPUTE, RECOMPUTE, RECOMPUTE, SAVE, MOVED, SAVE),
    policies.save_from_both_policies(OFFLOADED, policies.dots_saveable): (
        SAVE, SAVE, RECOMPUTE, SAVE, SAVE, SAVE,
    ),
    policies.save_from_both_policies(policies.everything_saveable, OFFLOADED): (
        AUTO, AUTO, AUTO, SAVE, MOVED, SAVE,
    ),
}  # fmt: skip


@pytest.mark.parametrize("policy", ANSWERS, ids=lambda policy: policy.text[:40])
def test_answers_of_the_policies(policy: Policy) -> None:
    answers = ANSWERS[policy]
    assert tuple(map(policy, ABOUT)) == answers
    assert tuple(map(policy.answer, ABOUT)) == tuple(SAVE if a is MOVED else a for a in answers)
    assert {policy.folder(residual) for residual in ABOUT} == {None}


@pytest.mark.parametrize(
    "policy",
    [
        *ANSWERS, policies.save_only_these_names(ODD, "", "save"),
        policies.save_any_names_but_these(),
        policies.save_from_both_policies(
            OFFLOADED,
            policies.save_from_both_policies(
                policies.save_only_these_names(ODD), policies.dots_saveable
            ),
        ),
    ],
    ids=lambda policy: policy.text[:40],
)  # fmt: skip
def test_a_text_is_read_back(policy: Policy) -> None:
    assert policy_named(policy.text) == policy
    assert policy_named(policy.text).text == policy.text
    assert pickle.loads(pickle.dumps(policy)) == policy


def test_two_names_of_one_policy() -> None:
    assert policies.checkpoint_dots is policies.dots_saveable
    assert policies.checkpoint_dots_with_no_batch_dims is policies.dots_with_no_batch_dims_saveable
    but, excepted = (
        policies.save_anything_but_these_names, policies.save_anything_except_these_names,
    )  # fmt: skip
    assert but("a") == excepted("a")
    assert policy_of(None) == policies.nothing_saveable


def test_all_policies_of_jax_are_there() -> None:
    expected = {
        "everything_saveable", "nothing_saveable", "dots_saveable", "checkpoint_dots",
        "dots_with_no_batch_dims_saveable", "checkpoint_dots_with_no_batch_dims",
        "offload_dot_with_no_batch_dims", "save_anything_except_these_names",
        "save_any_names_but_these", "save_only_these_names", "save_from_both_policies",
        "save_and_offload_only_these_names",
    }  # fmt: skip
    assert expected <= set(policies.__all__)


def test_answers_of_a_policy_of_ones_own() -> None:
    answers = {
        "a": True, "b": False, "c": policies.Saveable, "d": policies.Recompute, "e": policies.AUTO,
        "f": policies.Offloadable("device", "pinned_host"), "g": np.bool_(True),
    }  # fmt: skip
    policy = policy_of(lambda residual: answers[residual.primitive])
    found = [policy(Residual(kind)) for kind in answers]
    assert found == [SAVE, RECOMPUTE, SAVE, RECOMPUTE, AUTO, MOVED, SAVE]
    assert policy_named(policy.text) is policy


@pytest.mark.parametrize("dst", ["/scratch", Path("/scratch")])
def test_what_is_no_kind_of_memory_is_a_folder(dst: str | Path) -> None:
    own = policy_of(lambda _: policies.Offloadable("device", dst))
    dots = policies.offload_dot_with_no_batch_dims("device", dst)
    named = policies.save_and_offload_only_these_names(
        names_which_can_be_saved=[], names_which_can_be_offloaded=["k"], offload_src="device",
        offload_dst=dst,
    )  # fmt: skip
    for policy in (own, dots, named, policies.save_from_both_policies(dots, named)):
        assert policy.folder(K) == "/scratch"
        assert policy.answer(K) is SAVE
        assert policy_named(policy.text).folder(K) == "/scratch"
    kinds = ("device", "pinned_host", "unpinned_host")
    assert [policies.Offloadable("device", kind).folder for kind in kinds] == [None] * 3


@pytest.mark.parametrize("dst", [None, 3, b"/scratch"])
def test_what_is_no_place(dst: Any) -> None:
    with pytest.raises(UserError, match="RG4102.*are no places"):
        policies.offload_dot_with_no_batch_dims("device", dst)
    with pytest.raises(UserError, match="RG4101.*answers Offloadable"):
        policy_of(lambda _: policies.Offloadable("device", dst))(K)


def test_a_policy_of_ones_own_is_asked_twice_and_then_never_again() -> None:
    asked: list[Residual] = []

    def own(residual: Residual) -> bool:
        asked.append(residual)
        return residual.primitive == "sin"

    policy = policy_of(own)
    assert policy_of(own) is policy
    for _ in range(3):
        assert policy(PLAIN) is SAVE
        assert policy(DOT) is RECOMPUTE
    assert asked == [PLAIN, PLAIN, DOT, DOT]
    both = policies.save_from_both_policies(own, policies.nothing_saveable)
    assert both(PLAIN) is SAVE
    assert policy_named(both.text) == both


@pytest.mark.parametrize("answer", [None, 1, "Saveable", 0.0])
def test_no_answer(answer: object) -> None:
    def own(_: Residual) -> object:
        return answer

    with pytest.raises(UserError, match="RG4101.*'own' answers") as caught:
        policy_of(own)(PLAIN)
    assert "True or False" in str(caught.value)


def test_a_policy_that_answers_differently() -> None:
    numbers = count()
    with pytest.raises(UserError, match="RG4101.*differently"):
        policy_of(lambda _: next(numbers) % 2 == 0)(PLAIN)


def test_a_policy_that_raises() -> None:
    with pytest.raises(TypeError, match="NoneType"):
        policy_of(lambda residual: residual.bytes > 3)(PLAIN)


@pytest.mark.parametrize("given", [3, "dots_saveable", ["a"], {}])
def test_no_policy(given: object) -> None:
    with pytest.raises(UserError, match="RG4102.*is no policy"):
        policy_of(given)


def test_names_that_are_none() -> None:
    with pytest.raises(UserError, match="RG4102: 3 is no name"):
        policies.save_only_these_names("a", 3)  # pyright: ignore[reportArgumentType]
    with pytest.raises(UserError, match="RG4102.*'h' is one to save and one to offload"):
        policies.save_and_offload_only_these_names(
            names_which_can_be_saved=["h"], names_which_can_be_offloaded=["h", "k"],
            offload_src="device", offload_dst="pinned_host",
        )  # fmt: skip
