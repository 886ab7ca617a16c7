"""LLVM text in a form in which two modules are equal where they differ in symbols and order only.

Local values, labels, metadata and symbols of the module's own are numbered in the order in which
they are met on a walk that starts at the exported functions, and definitions stand in that order.
Names of other modules (`declare`) and exported names stay. What else there is stays as it is: an
order of functions that is written down as numbers in the code, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

__all__ = ["canonical"]

_TOKEN = re.compile(
    r"""(?P<local>%(?:"[^"]*"|[\w.$-]+))"""
    r"""|(?P<label>^(?:"[^"]*"|[\w.$-]+)(?=:))"""
    r"""|(?P<symbol>@(?:"[^"]*"|[\w.$-]+)|!\d+)"""
    r"""|(?P<text>"[^"]*")"""
    r"""|(?P<comment>[ ]*;[^\n]*)""",
    re.MULTILINE,
)
_OWN = re.compile(r"\b(?:internal|private|hidden)\b")
_SYMBOL = re.compile(r'@(?:"[^"]*"|[\w.$-]+)|!\d+')


@dataclass(frozen=True, slots=True)
class _Entity:
    """A definition: the text around the symbols that it refers to, and these."""

    parts: tuple[str, ...]
    symbols: tuple[str, ...]

    @property
    def shape(self) -> str:
        """What is the same whatever the symbols are."""
        return "\0".join(self.parts)


@lru_cache(4096)
def _entity(text: str) -> _Entity:
    locals_: dict[str, str] = {}
    parts, symbols, piece, end = list[str](), list[str](), list[str](), 0
    for found in _TOKEN.finditer(text):
        piece.append(text[end : found.start()])
        end = found.end()
        word = found.group()
        match found.lastgroup:
            case "local":
                piece.append("%" + locals_.setdefault(word[1:], f"v{len(locals_)}"))
            case "label":
                piece.append(locals_.setdefault(word, f"v{len(locals_)}"))
            case "symbol":
                parts.append("".join(piece))
                symbols.append(word)
                piece = []
            case "text":
                piece.append(word)
            case _:
                pass
    piece.append(text[end:])
    return _Entity((*parts, "".join(piece)), tuple(symbols))


def _definitions(text: str) -> Iterator[str]:
    """The top level of a module: functions, and everything else line by line."""
    lines = iter(text.splitlines())
    for line in lines:
        if line.startswith("define "):
            body = [line]
            while body[-1] != "}":
                body.append(next(lines))
            yield "\n".join(body)
        elif line.strip():
            yield line


class _Walk:
    """The definitions of a module by name, and the names that have been given so far."""

    def __init__(self, text: str) -> None:
        self.entities: dict[str, _Entity] = {}
        self.names: dict[str, str] = {}
        self.fixed: list[str] = []
        self.other: list[str] = []
        self.out: list[str] = []
        self.written: set[str] = set()
        for definition in _definitions(text):
            head = definition.split("\n", 1)[0]
            found = _SYMBOL.search(head)
            named = definition.startswith(("define ", "declare ", "@", "!")) and found is not None
            if not named or (head[0] == "!" and not head[1].isdigit()):
                self.other.append(definition)
                continue
            name = found.group()
            self.entities[name] = _entity(definition)
            if head[0] != "!" and not _OWN.search(head.split("(", 1)[0]):
                self.names[name] = name
                self.fixed.append(name)

    def name_of(self, symbol: str) -> str:
        """The name of a symbol, numbered where it is met first."""
        if symbol not in self.entities:
            return symbol
        return self.names.setdefault(symbol, f"{symbol[0]}{len(self.names)}")

    def write(self, first: str) -> None:
        """Writes a definition, and those that it refers to after it, in the order of its text."""
        waiting = [first]
        while waiting:
            name = waiting.pop()
            entity = self.entities.get(name)
            if entity is None or name in self.written:
                continue
            self.written.add(name)
            words = [self.name_of(symbol) for symbol in entity.symbols]
            pairs = zip(entity.parts, [*words, ""], strict=True)
            self.out.append("".join(part + word for part, word in pairs))
            waiting.extend(reversed(entity.symbols))

    def text(self) -> str:
        """The module: what is exported first, and what nothing refers to at the end."""
        for name in sorted(self.fixed):
            self.write(name)
        left = [name for name in self.entities if name not in self.written]
        for name in sorted(left, key=lambda name: self.entities[name].shape):
            self.write(name)
        return "\n".join((*sorted(self.other), *self.out, ""))


def canonical(text: str) -> str:
    """The text of a module with its own names and order left out."""
    return _Walk(text).text()
