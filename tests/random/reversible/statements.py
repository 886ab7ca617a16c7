"""Random statements of reversible functions, as lines of text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from random import Random

from tests.random.reversible.scope import SIZE, Scope, Writing

__all__ = ["Body", "Signature"]

Lines = list[str]
NONE = frozenset[str]()


@dataclass(frozen=True)
class Signature:
    """A reversible function that may be called: parameters, their kinds, and what it returns."""

    name: str
    kinds: tuple[tuple[str, str], ...]
    returned: tuple[str, ...]


def indented(lines: Lines) -> Lines:
    """The lines of a block."""
    return [f"    {line}" for line in lines] or ["    pass"]


@dataclass
class Body:
    """Writes blocks of one function.

    `changed` are the variables that the statements written so far have changed, `words` whether
    there are words without a meaning in an ordinary function.
    """

    write: Writing
    callees: tuple[Signature, ...] = ()
    words: bool = True
    arrays_move: bool = False
    changed: set[str] = field(default_factory=set[str])
    made: int = 0

    @property
    def draw(self) -> Random:
        return self.write.draw

    def name(self, hint: str) -> str:
        """A new local."""
        self.made += 1
        return f"{hint}{self.made}"

    def block(self, scope: Scope, count: int) -> Lines:
        """Some statements."""
        lines: Lines = []
        for _ in range(count):
            before = set(self.changed)
            self.changed = set()
            more, scope = self.statement(scope)
            lines += more
            if self.changed and not self.write.chance(self.write.reckless):
                scope = scope.without(self.changed)
            self.changed |= before
        return lines

    def statement(self, scope: Scope) -> tuple[Lines, Scope]:
        """One statement, and the scope after it."""
        updates = (self.float_update, self.element, self.slice, self.vector, self.matrix, self.int)
        simple = (*updates, *updates, self.scaled, self.swap, self.rotation, self.sign, self.view)
        around = (self.loop, self.loop, self.branch, self.since, self.temporary, self.ancilla)
        kinds: list[Callable[[Scope], Lines]] = [*simple]
        if scope.depth < 2:
            kinds += around
        kinds += [self.call] * (2 * bool(self.callees)) + [self.pushed] * (2 * bool(scope.stacks))
        defining = (self.definition, self.definition, self.built_up, self.vector_definition)
        if self.write.chance(0.25):
            return self.draw.choice(defining)(scope)
        for _ in range(8):
            if lines := self.draw.choice(kinds)(scope):
                return lines, scope
        return [], scope

    # -- updates ----------------------------------------------------------------------------------

    def target(self, names: tuple[str, ...]) -> str | None:
        if not names:
            return None
        name = self.draw.choice(names)
        self.changed.add(name)
        return name

    def float_update(self, scope: Scope) -> Lines:
        s = self.target(scope.floats)
        if s is None:
            return []
        value = self.write.scalar(scope, frozenset((s,)))
        return [self.draw.choice((f"{s} += {value}", f"{s} -= {value}", f"{s} = {s} + {value}",
                                  f"{s} = {value} + {s}", f"{s} = {s} - ({value})"))]  # fmt: skip

    def element_of(self, scope: Scope) -> tuple[str, str] | None:
        """The array and the text of an element that changes."""
        if scope.matrices and self.write.chance(0.3):
            m = self.target(scope.matrices)
            one, other = self.write.index(scope), self.write.index(scope)
            return f"{m}", self.draw.choice((f"{m}[{one}, {other}]", f"{m}[{one}][{other}]"))
        x = self.target(scope.vectors)
        return None if x is None else (x, f"{x}[{self.write.index(scope)}]")

    def element(self, scope: Scope) -> Lines:
        found = self.element_of(scope)
        if found is None:
            return []
        array, place = found
        value = self.write.bounded(scope, frozenset((array,)))
        if self.write.chance(0.25):
            value = f"0.5 * {array}[{self.write.index(scope)}{', 1' * (array == 'm')}]"
        return [f"{place} {self.draw.choice('+-')}= {value}"]

    def slice(self, scope: Scope) -> Lines:
        x = self.target(scope.vectors)
        if x is None:
            return []
        avoid = frozenset((x,))
        part = self.draw.choice(
            ("[1:]", "[:2]", "[::2]", "[::-1]", "[-2:]", "[:-1]", "[p]", "[:0]")
        )
        if self.write.chance(0.2):
            return [f"{x}[1:] += 0.5 * {x}[:1]"]
        vector = self.write.vector(scope, avoid) if self.write.chance(0.6) else None
        value = self.write.bounded(scope, avoid) if vector is None else f"({vector}){part}"
        return [f"{x}{part} {self.draw.choice('+-')}= {value}"]

    def vector(self, scope: Scope) -> Lines:
        x = self.target(scope.vectors)
        if x is None:
            return []
        avoid = frozenset((x,))
        value = self.write.vector(scope, avoid) or self.write.bounded(scope, avoid)
        return [f"{x} {self.draw.choice('+-')}= {value}"]

    def matrix(self, scope: Scope) -> Lines:
        m = self.target(scope.matrices)
        if m is None:
            return []
        avoid, i = frozenset((m,)), self.write.index(scope)
        value = self.write.vector(scope, avoid) or self.write.bounded(scope, avoid)
        targets = (f"{m}[{i}]", f"{m}[:, {i}]", f"{m}[{i}, :]", f"{m}.T[{i}]", m, f"{m}[{i}, ::-1]")
        return [f"{self.draw.choice(targets)} {self.draw.choice('+-')}= 0.5 * ({value})"]

    def int(self, scope: Scope) -> Lines:
        if scope.counts and self.write.chance(0.4):
            q = self.target(scope.counts)
            value = self.write.whole(scope, frozenset((q or "",)))
            place = self.draw.choice((f"{q}", f"{q}[{self.write.index(scope)}]", f"{q}[1:]"))
            return [f"{place} {self.draw.choice('+-^')}= {value}"]
        c = self.target(scope.ints)
        if c is None:
            return []
        value = self.write.whole(scope, frozenset((c,)))
        return [self.draw.choice((f"{c} += {value}", f"{c} -= {value}", f"{c} ^= {value}",
                                  f"{c} = ~{c}", f"{c} = rg.rotl({c}, {value})"))]  # fmt: skip

    def scaled(self, scope: Scope) -> Lines:
        found = self.element_of(scope) if self.write.chance(0.5) else None
        name = self.target(scope.floats if self.write.chance(0.5) else scope.vectors)
        array, place = found or (name or "", name or "")
        if not place:
            return []
        factor = f"1.5 + 0.5 * np.cos({self.write.scalar(scope, frozenset((array,)), 1)})"
        return [f"{place} {self.draw.choice('*/')}= {factor}"]

    # -- changes of places ------------------------------------------------------------------------

    def swap(self, scope: Scope) -> Lines:
        if self.arrays_move and len(scope.vectors) > 1 and self.write.chance(0.4):
            self.changed |= {"x", "y"}
            return ["x, y = y, x"]
        return self.exchanged(scope, lambda one, other: f"{one}, {other} = {other}, {one}")

    def rotation(self, scope: Scope) -> Lines:
        if self.write.chance(0.5):
            return self.exchanged(scope, lambda a, b: f"{a}, {b} = rg.hadamard({a}, {b})")
        before = set(self.changed)
        self.changed = set()
        found = self.exchanged(scope, lambda a, b: f"{a}, {b} = rg.rotate({a}, {b}, ANGLE)")
        angle = self.write.scalar(scope, frozenset(self.changed), 1)
        self.changed |= before
        return [line.replace("ANGLE", angle) for line in found]

    def exchanged(self, scope: Scope, shape: Callable[[str, str], str]) -> Lines:
        """Two different places, in a statement that changes both."""
        places: list[str] = []
        for _ in range(2):
            if scope.floats and self.write.chance(0.4):
                places.append(self.target(scope.floats) or "")
            elif found := self.element_of(scope):
                places.append(found[1])
        if len(places) < 2 or places[0] == places[1]:
            return []
        return [shape(*places)]

    def sign(self, scope: Scope) -> Lines:
        s = self.target(scope.floats)
        found = self.element_of(scope)
        place = s if found is None or (s is not None and self.write.chance(0.4)) else found[1]
        if place is None:
            return []
        return [self.draw.choice((f"{place} = -{place}", f"{place} *= -1.0"))]

    def view(self, scope: Scope) -> Lines:
        x = self.target(scope.matrices if self.write.chance(0.5) else scope.vectors)
        if x is None:
            return []
        b = self.name("b")
        part = f"[{self.write.index(scope)}, :]" if x in scope.matrices else "[:]"
        value = self.write.vector(scope, frozenset((x,))) or "0.5"
        return [f"{b} = {x}{part}", f"{b} += {value}"]

    # -- definitions ------------------------------------------------------------------------------

    def defined(self, scope: Scope, name: str, kind: str) -> Scope:
        """The scope with a definition, made of what has been seen."""
        made_of = {**scope.made_of, name: frozenset(self.write.seen)}
        self.write.seen = set()
        if kind == "float":
            return replace(scope, read_floats=(*scope.read_floats, name), made_of=made_of)
        return replace(scope, read_vectors=(*scope.read_vectors, name), made_of=made_of)

    def definition(self, scope: Scope) -> tuple[Lines, Scope]:
        self.write.seen = set()
        value = self.write.scalar(scope, NONE, 3)
        old = [n for n in scope.read_floats if n.startswith("a")]
        name = self.draw.choice(old) if old and self.write.chance(0.3) else self.name("a")
        return [f"{name} = {value}"], self.defined(scope, name, "float")

    def vector_definition(self, scope: Scope) -> tuple[Lines, Scope]:
        self.write.seen = set()
        value = self.write.vector(scope, NONE)
        if value is None:
            return [], scope
        name = self.name("v")
        kept = self.draw.choice(("{}", "{}", "({}).copy()", "1.0 * ({})"))
        return [f"{name} = {kept.format(value)}"], self.defined(scope, name, "vector")

    def built_up(self, scope: Scope) -> tuple[Lines, Scope]:
        """A local that several statements define."""
        self.write.seen = set()
        i = self.name("i")
        inner = scope.deeper(i)
        value, other = self.write.scalar(inner, NONE), self.write.scalar(scope, NONE, 1)
        over = f"for {i} in range({SIZE}):"
        match self.draw.randrange(6):
            case 0:
                name = self.name("a")
                lines = [f"{name} = {other}", over, f"    {name} += {value}"]
            case 1:
                name = self.name("v")
                lines = [f"{name} = np.empty({SIZE})", over, f"    {name}[{i}] = {value}"]
                return lines, self.defined(scope, name, "vector")
            case 2:
                name = self.name("v")
                lines = [f"{name} = np.zeros({SIZE})", f"{name}[1:] += {other}", over]
                lines += [f"    {name}[{i}] -= {value} * {name}[0]"]
                return lines, self.defined(scope, name, "vector")
            case 3:
                name, test = self.name("a"), self.write.condition(scope, NONE)
                lines = [
                    f"if {test}:",
                    f"    {name} = {other}",
                    "else:",
                    f"    {name} = {other} * 0.5",
                ]
                lines = lines if self.write.chance(0.7) else [f"{name} = 0.5", *lines[:2]]
            case 4:
                name = self.name("a")
                lines = [f"{i} = 0", f"{name} = 1.0", f"while {i} < {SIZE}:"]
                lines += [f"    {name} = 0.5 * {name} + {value}", f"    {i} += 1"]
            case _:
                name = self.name("a")
                lines = [
                    f"{name} = {other}",
                    f"{name} = {name} * {name}",
                    f"{name} -= 0.25 * {name}",
                ]
        return lines, self.defined(scope, name, "float")

    # -- blocks -----------------------------------------------------------------------------------

    def loop(self, scope: Scope) -> Lines:
        i = self.name("i")
        heads: list[tuple[str, Scope]] = [(h.format(i), scope.deeper(i)) for h in (
            "for {} in range(3):", "for {} in range(2, -1, -1):", "for {} in reversed(range(3)):",
            "for {} in range(0, 3, 2):", "for {} in range(1, 1):", "for {} in p:",
            "for {} in range(len(p)):",
        )]  # fmt: skip
        if vectors := [n for n in scope.read_vectors if n == "w"]:
            value = self.name("a")
            made_of = {**scope.made_of, value: frozenset(vectors)}
            inner = replace(scope, read_floats=(*scope.read_floats, value), made_of=made_of)
            heads.append((f"for {i}, {value} in enumerate({vectors[0]}):", inner.deeper(i)))
            heads.append((f"for {i}, {value} in zip(p, {vectors[0]}):", inner.deeper(i)))
        head, inner = self.draw.choice(heads)
        return [head, *indented(self.block(inner, self.draw.randrange(1, 4)))]

    def branch(self, scope: Scope) -> Lines:
        self.write.seen = set()
        test = self.write.condition(scope, NONE)
        seen = frozenset(self.write.seen)
        kept = self.protected(scope, seen)
        lines = [f"if {test}:", *indented(self.block(kept, self.draw.randrange(1, 3)))]
        if self.write.chance(0.3):
            lines += [f"elif {self.write.condition(kept, NONE)}:", *indented(self.block(kept, 1))]
        if self.write.chance(0.5):
            lines += ["else:", *indented(self.block(kept, self.draw.randrange(1, 3)))]
        return lines

    def protected(self, scope: Scope, roots: frozenset[str]) -> Scope:
        """A block in which some variables are only read, as a rule."""
        if self.write.chance(self.write.reckless):
            return scope.deeper()
        return replace(
            scope.deeper(),
            floats=tuple(n for n in scope.floats if n not in roots),
            vectors=tuple(n for n in scope.vectors if n not in roots),
            matrices=tuple(n for n in scope.matrices if n not in roots),
            ints=tuple(n for n in scope.ints if n not in roots),
            counts=tuple(n for n in scope.counts if n not in roots),
            stacks=tuple(n for n in scope.stacks if n not in roots),
            read_stacks=(*scope.read_stacks, *(n for n in scope.stacks if n in roots)),
            read_floats=(*scope.read_floats, *(n for n in scope.floats if n in roots)),
            read_vectors=(*scope.read_vectors, *(n for n in scope.vectors if n in roots)),
        )

    def since(self, scope: Scope) -> Lines:
        n, last = self.name("n"), self.draw.randrange(1, 4)
        if scope.ints and self.write.chance(0.3):
            c = self.target(scope.ints)
            inner = self.block(self.protected(scope, frozenset((c or "",))), 1)
            return [f"if rg.when({c} < 3, {c} < 5):", f"    {c} += 2", *indented(inner)]
        body = self.block(self.protected(scope, NONE), self.draw.randrange(1, 3))
        return [f"{n} = 0", f"while rg.since({n} == 0, {n} < {last}):", *indented(body),
                f"    {n} += 1", f"rg.release({n}, {last})"]  # fmt: skip

    def temporary(self, scope: Scope) -> Lines:
        if not self.words:
            return []
        before = set(self.changed)
        self.changed = set()
        lines = ["with rg.temporarily():", *indented(self.block(scope.deeper(), 2))]
        kept = self.protected(scope, frozenset(self.changed))
        self.changed |= before
        test = self.write.condition(kept, NONE)
        return [f"if {test}:", *indented([*lines, *self.block(kept, 1)])]

    def ancilla(self, scope: Scope) -> Lines:
        self.write.seen = set()
        name, value = self.name("a"), self.write.scalar(scope, NONE, 1)
        roots = frozenset(self.write.seen)
        kept = self.protected(scope, roots)
        inner = replace(kept, read_floats=(*kept.read_floats, name))
        lines = [f"{name} = 0.5", f"{name} += {value}", *self.block(inner, 2), f"{name} -= {value}"]
        return lines + [f"rg.release({name}, 0.5)"] * self.write.chance(0.6)

    def pushed(self, scope: Scope) -> Lines:
        """A value that is moved to a stack, for good or for a while, or a copy of one."""
        u = self.target(scope.stacks)
        if self.write.chance(0.3):
            name, value = self.name("a"), self.write.scalar(scope, frozenset((u or "",)), 1)
            return [f"{name} = 0.0", f"{name} += {value}", f"{name} = rg.push({u}, {name})"]
        found = self.element_of(scope) if self.write.chance(0.5) else None
        array, place = found or (self.target(scope.floats) or "",) * 2
        if not place:
            return []
        push = f"{place} = rg.push({u}, {place})"
        if self.write.chance(0.4):
            return [push]
        if self.words and self.write.chance(0.3):
            return [
                "if True:",
                "    with rg.temporarily():",
                f"        {push}",
                *indented(self.block(self.protected(scope, frozenset((array, u or ""))), 2)),
            ]
        inner = self.protected(scope, frozenset((array, u or "")))
        return [push, *self.block(inner, 2), f"{place} = rg.pop({u}, {place})"]

    def call(self, scope: Scope) -> Lines:
        callee = self.draw.choice(self.callees)
        places: dict[str, str] = {}
        taken: set[str] = set()
        for name, kind in callee.kinds:
            place = self.argument(scope, kind, frozenset(taken))
            if place is None:
                return []
            places[name] = place
            taken.add(place.partition("[")[0])
        given = [places[name] for name, _ in callee.kinds]
        ways = [callee.name]
        if self.words:
            ways += [f"rg.inverse({callee.name})", f"{callee.name}.inverse"]
        called = f"{self.draw.choice(ways)}({', '.join(given)})"
        back = ", ".join(places[name] for name in callee.returned)
        return [f"{back} = {called}" if back else called]

    def argument(self, scope: Scope, kind: str, taken: frozenset[str]) -> str | None:
        """A place, or a value, for a parameter of a kind."""
        match kind:
            case "read float":
                return self.write.scalar(scope, taken, 1)
            case "read vector":
                return (
                    self.write.some((*scope.read_vectors, *scope.vectors), scope, taken) or "TABLE"
                )
            case "indices":
                return "p"
            case "count":
                return str(self.draw.randrange(3))
            case "float":
                found = [n for n in scope.floats if n not in taken]
                if found and self.write.chance(0.7):
                    return self.target(tuple(found))
                element = self.element_of(scope)
                return element[1] if element and element[0] not in taken else None
            case "vector":
                found = tuple(n for n in scope.vectors if n not in taken)
                row = [n for n in scope.matrices if n not in taken]
                if row and self.write.chance(0.3):
                    m = self.target(tuple(row))
                    return f"{m}[{self.write.index(scope)}]"
                return self.target(found)
            case _:
                names = {"matrix": scope.matrices, "int": scope.ints, "counts": scope.counts,
                         "stack": scope.stacks}  # fmt: skip
                return self.target(tuple(n for n in names[kind] if n not in taken))
