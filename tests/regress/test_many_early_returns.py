"""A program of many tests with a return each, which are nested in one another once translated."""

from __future__ import annotations

import linecache

import retrograd as rg


def test_as_many_as_a_search_that_has_been_unrolled() -> None:
    lines = ["def found(x):", "    y = x"]
    for k in range(110):
        lines += [f"    y = y * 0.97 + {k} / 1000.0", f"    if y > {60 + k}.0:", "        return y"]
    text = "\n".join([*lines, "    return y"]) + "\n"
    linecache.cache["<found>"] = (len(text), None, text.splitlines(keepends=True), "<found>")
    scope: dict[str, object] = {}
    exec(compile(text, "<found>", "exec"), scope)
    found = scope["found"]
    assert callable(found)
    value, slope = rg.value_and_grad(found)(1.5)
    assert abs(value - found(1.5)) < 1e-12
    assert abs(slope - 0.97**110) < 1e-12
