"""A sum of many terms, as computer algebra writes them, was refused as nested too deep (RG2302)."""

from __future__ import annotations

import retrograd as rg


def test_terms_are_no_levels():
    terms = " + ".join(f"{k}.5 * x" for k in range(1200))
    text = f"def f(x):\n    return {terms}\n"
    space: dict[str, object] = {}
    exec(text, space)
    gradient = rg.grad(rg.jit(space["f"], source=text))
    assert gradient(0.3) == sum(k + 0.5 for k in range(1200))
