"""The time to translate N functions that call each other in a ring doubled with each of them.

What a function returns is found by translating it until what its recursive calls assume comes out;
each attempt began the attempts of all functions inside of it anew.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from retrograd.frontend.identity.specs import spec_of
from retrograd.frontend.syntax import specialise
from retrograd.frontend.trace import trace_function
from tests.frontend.harness import agree
from tests.random.files import imported


def ring(folder: Path, count: int) -> Any:
    """The first of functions that each call the next, with an int at their ends or a float."""
    lines = ["import math", ""]
    for i in range(count):
        lines += [f"def f{i}(x, k):", "    if k == 0:", f"        return {i or 'x'}"]
        lines += [f"    y = f{(i + 1) % count}(math.sin(x), k - 1)"]
        lines += [f"    return y * f{i}(x, k - 1) + x", ""]
    return imported(folder / f"ring_of_{count}.py", "\n".join(lines)).f0


def bodies(count: int, folder: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many bodies of functions are translated for a ring of so many."""
    seen: list[str] = []
    translate = specialise.translate_body

    def counted(ctx: Any, request: specialise.Request) -> specialise.Body:
        seen.append(request.callee.source.name)
        return translate(ctx, request)

    with monkeypatch.context() as patch:
        patch.setattr(specialise, "translate_body", counted)
        trace_function(ring(folder, count), [spec_of(0.3), spec_of(3)], {})
    return len(seen)


def test_each_function_is_translated_a_few_times(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few, many = (bodies(count, tmp_path, monkeypatch) for count in (4, 9))
    assert 4 < few < many
    assert many <= 3 * 9 * 9


@pytest.mark.parametrize("count", [2, 3, 5])
def test_they_mean_what_python_means(tmp_path: Path, count: int) -> None:
    for depth in (0, 1, count, 6):
        agree(ring(tmp_path, count), 0.3, depth)
