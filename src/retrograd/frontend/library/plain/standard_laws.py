"""What `statistics.NormalDist` calls that is not written in Python."""

from __future__ import annotations

from typing import Any

from retrograd.frontend.library import special_inverses as inverses

__all__ = ["quantile_of_normal"]


def quantile_of_normal(p: Any, mu: Any, sigma: Any) -> Any:
    return mu + inverses.normal_quantile(p - 0.5, p if p < 0.5 else 1.0 - p) * sigma
