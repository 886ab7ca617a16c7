"""A figure, its bar from `bounds.toml`, and the verdict."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

__all__ = ["Bounds", "Figure", "as_json", "from_json"]


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured number.

    Attributes:
        kind: the section of `bounds.toml`, which is also the table it stands in.
        subject: the problem, or what was done.
        value: the number that the bar is about: a ratio, seconds or microseconds.
        ours: retrograd's absolute figure, where the value is a ratio.
        rival: the other program's.
        unit: of `ours` and `rival`, or of `value` where there is no ratio.
        bar: the value may not be above it; None where nothing was promised.
        note: why there is no value, or what the reader should know.
    """

    kind: str
    subject: str
    value: float | None
    ours: float | None = None
    rival: float | None = None
    unit: str = "ms"
    bar: float | None = None
    note: str = ""

    @property
    def verdict(self) -> str:
        """`ok`, `missed`, or nothing where there is no bar."""
        if self.bar is None:
            return ""
        return "ok" if self.value is not None and self.value <= self.bar else "missed"


@dataclass(frozen=True, slots=True)
class Bounds:
    """The bars: per kind, one for all subjects and exceptions by name."""

    table: Mapping[str, Mapping[str, Any]]

    @staticmethod
    def load(path: Path | None = None) -> Bounds:
        """Reads `bounds.toml` beside this file, or another."""
        source = path if path is not None else Path(__file__).with_name("bounds.toml")
        return Bounds(tomllib.loads(source.read_text()))

    def bar(self, kind: str, subject: str) -> float | None:
        """The bar of a subject; None where the kind has none for it."""
        section = self.table.get(kind, {})
        only = section.get("only")
        if only is not None and subject not in only:
            return None
        return section.get("bars", {}).get(subject, section.get("bar"))

    def title(self, kind: str) -> str:
        """What the kind is called in a table."""
        return self.table[kind]["title"]


def as_json(figures: list[Figure]) -> list[dict[str, Any]]:
    """The figures as plain data, verdict included."""
    return [asdict(f) | {"verdict": f.verdict} for f in figures]


def from_json(entries: Iterable[Mapping[str, Any]]) -> list[Figure]:
    """The figures that `as_json` wrote."""
    return [Figure(**{k: v for k, v in e.items() if k != "verdict"}) for e in entries]
