"""Whether definitions may be evaluated again where they are used, and updates undone.

Between a definition and each of its uses nothing may write what it was made of. An update may not
read what it writes: where that depends on indices, it is tested when the program runs.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from retrograd.errors import UserError
from retrograd.inversion.complaints import Complaints
from retrograd.inversion.facts import (
    blocks_of,
    bound_in,
    every,
    indices_of,
    read_by,
    used_by,
    written_by,
)
from retrograd.inversion.places import Meeting, meeting, names_read, reads, root_of, text
from retrograd.inversion.statements import (
    Ancilla,
    Block,
    Branch,
    CallStep,
    Change,
    Exchange,
    Loop,
    Outside,
    Pairs,
    Pure,
    Release,
    Since,
    Statement,
    Update,
)

__all__ = ["Illegal", "Judge", "Known"]


class Illegal(Exception):
    """A local that is no definition, but may be an ancilla; `error` says why it is none."""

    def __init__(self, name: str, error: UserError) -> None:
        super().__init__(name)
        self.name, self.error = name, error


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """A local that has been defined: by which statement, of which places.

    `spoiled` is the statement that has written one of these since.
    """

    node: ast.stmt
    sources: tuple[ast.expr, ...]
    spoiled: ast.stmt | None = None


@dataclass(slots=True)
class Judge:
    """Goes through the blocks of a function.

    `state` are the parameters and the ancillas, `fixed` the variables of loops around.
    """

    complaints: Complaints
    local: frozenset[str]
    state: frozenset[str]
    ancillas: frozenset[str]
    fixed: frozenset[str] = frozenset()
    released: dict[str, ast.stmt] = field(default_factory=dict[str, ast.stmt])

    def block(self, block: Block, known: Mapping[str, Known], live: frozenset[str]) -> Block:
        """The block, with the tests that its updates need at run time.

        Args:
            known: the definitions around the block.
            live: the ancillas around the block that are there now.

        Raises:
            Illegal: a local is used that could not be evaluated again.
            UserError: a statement cannot be undone.
        """
        now = dict(known)
        own: dict[str, Ancilla] = {}
        found: list[Statement] = []
        for position, stm in enumerate(block):
            self._uses(stm, now, live | own.keys(), block[position:])
            match stm:
                case Pure():
                    self._define(stm, now, known)
                case Ancilla():
                    if stm.name in live | own.keys() or stm.name in now:
                        raise self.complaints.error(
                            "RG0505", f"the ancilla {stm.name!r} is there already", stm.node,
                            f"release it before: rg.release({stm.name}, value)",
                        )  # fmt: skip
                    own[stm.name] = stm
                    now[stm.name] = Known(stm.node, self._sources(stm.value, now))
                case Release():
                    self._release(stm, own, now)
                case _:
                    stm = self._reversible(stm, now, live | own.keys())
            found.append(stm)
        return (*found, *self._ends(own, now))

    def _ends(self, own: Mapping[str, Ancilla], now: Mapping[str, Known]) -> list[Statement]:
        """The releases of what the block has not released itself: it is what it was at first."""
        found: list[Statement] = []
        for name, ancilla in reversed(list(own.items())):
            spoiler = now[name].spoiled
            if spoiler is not None:
                error = self.complaints.error(
                    "RG0503", f"the value that {name!r} had at first is not known at the end of "
                    f"its block: {self.complaints.told(spoiler)} has changed what it is made of",
                    ancilla.node, f"say what it is in the end: rg.release({name}, value)",
                )  # fmt: skip
                raise error
            found.append(Release(ancilla.node, name, ancilla.value))
        return found

    def _release(self, stm: Release, own: dict[str, Ancilla], now: dict[str, Known]) -> None:
        if stm.name not in own:
            if stm.name in self.released:
                why = f"it was released by {self.complaints.told(self.released[stm.name])}"
            elif stm.name in self.ancillas:
                why = "it belongs to another block"
            else:
                why = "it is no local that is updated"
            raise self.complaints.error(
                "RG0505", f"{stm.name!r} cannot be released here: {why}", stm.node,
                "release a local once, in the block that defines it",
            )  # fmt: skip
        del own[stm.name], now[stm.name]
        self.released[stm.name] = stm.node

    def _uses(
        self, stm: Statement, now: Mapping[str, Known], live: frozenset[str], rest: Block
    ) -> None:
        """Every local that is used is there, and can be evaluated again."""
        there = now.keys() | live | self.state - self.ancillas | self.fixed
        own = stm.writes if isinstance(stm, Pure) else frozenset[str]()
        for name in sorted(used_by(stm, self.local) - own):
            if name not in there:
                raise Illegal(name, self._not_there(name, stm, rest))
            if not isinstance(stm, Outside):
                self._whole(name, stm, now)
        if isinstance(stm, Pure):
            for name in sorted((stm.reads | stm.writes - stm.defines) & now.keys()):
                self._whole(name, stm, now)

    def _whole(self, name: str, stm: Statement, now: Mapping[str, Known]) -> None:
        if name in self.ancillas or name not in now:
            return
        spoiled = now[name].spoiled
        if spoiled is None:
            return
        told, defined = self.complaints.told, now[name].node
        if _begins(spoiled) >= _begins(stm.node):
            raise Illegal(name, self.complaints.error(
                "RG0503", f"{name!r}, defined by {told(defined)}, is carried from one iteration to "
                f"the next, in which {told(spoiled)} changes what it is made of", stm.node,
                f"define {name!r} at the head of the loop's body as well; or make it a parameter "
                f"that is updated: `{name} -= e` before the change and `{name} += e` after it, "
                f"where e is the value of {name!r}",
            ))  # fmt: skip
        raise Illegal(name, self.complaints.error(
            "RG0503", f"{name!r}, defined by {told(defined)}, is used after "
            f"{told(spoiled)} has changed what it is made of", stm.node,
            f"define {name!r} again before this statement, or use it before the other one",
        ))  # fmt: skip

    def _not_there(self, name: str, stm: Statement, rest: Block) -> UserError:
        if name in self.released:
            message = f"{name!r} is used after {self.complaints.told(self.released[name])}"
            way_out = "release it after its last use"
        elif any(name in bound_in(s) for s in rest):
            message = f"{name!r} is used before it is defined, or is carried from one iteration to "
            message += "the next"
            way_out = f"define {name!r} at the head of the block too"
        else:
            message = f"{name!r} is used outside of the branch or loop that defines it"
            way_out = f"define {name!r} before, or use it inside"
        return self.complaints.error("RG0505", message, stm.node, way_out)

    def _sources(self, node: ast.AST, now: Mapping[str, Known]) -> tuple[ast.expr, ...]:
        """The places of which an expression is made, those of definitions included."""
        found: dict[str, ast.expr] = {}
        for place in reads(node, self.local):
            name = root_of(place)
            if name is not None and name in now and name not in self.ancillas:
                found.update((text(source), source) for source in now[name].sources)
            else:
                found[text(place)] = place
        return tuple(found.values())

    def _define(self, stm: Pure, now: dict[str, Known], around: Mapping[str, Known]) -> None:
        for name in sorted(stm.writes & around.keys() & now.keys()):
            if now[name] is around[name]:
                raise Illegal(name, self.complaints.error(
                    "RG0505", f"{name!r}, defined by {self.complaints.told(around[name].node)}, is "
                    "changed inside of a block with statements that are to be undone", stm.node,
                    "define another local here, or build it up in a loop of its own",
                ))  # fmt: skip
        sources: dict[str, ast.expr] = {}
        for node in stm.body:
            sources.update((text(s), s) for s in self._sources(node, now))
        own = {k: s for k, s in sources.items() if root_of(s) not in stm.writes}
        for name in stm.writes:
            if name not in stm.defines and name in now:
                own.update((text(s), s) for s in now[name].sources)
        for name in stm.writes:
            now[name] = Known(stm.node, tuple(own.values()))

    def _reversible(self, stm: Statement, now: dict[str, Known], live: frozenset[str]) -> Statement:
        """A statement that changes state: with its blocks judged, and its tests."""
        if isinstance(stm, Update):
            stm = self._own_target(stm, now)
        elif isinstance(stm, Exchange | Change | CallStep):
            stm = replace(stm, apart=(*stm.apart, *self._own_targets(stm)))
        self._conditions(stm, now)
        writes = written_by(stm)
        used = used_by(stm, self.local)
        for name, definition in list(now.items()):
            hit = [(w, s) for w in writes for s in definition.sources if self._may_meet(w, s)]
            if not hit:
                continue
            writer = self._writer(stm, hit[0][1])
            if name in used and name not in self.ancillas and not isinstance(stm, Update):
                told = self.complaints.told
                raise Illegal(name, self.complaints.error(
                    "RG0503", f"{name!r}, defined by {told(definition.node)}, is used in a "
                    f"statement in which {told(writer)} changes what it is made of", stm.node,
                    f"define {name!r} inside, at the head of the block",
                ))  # fmt: skip
            if definition.spoiled is None:
                now[name] = replace(definition, spoiled=writer)
        return self._inner(stm, now, live)

    @staticmethod
    def _may_meet(one: ast.expr, other: ast.expr) -> bool:
        return meeting(one, other) is not Meeting.NEVER

    def _inner(self, stm: Statement, now: Mapping[str, Known], live: frozenset[str]) -> Statement:
        match stm:
            case Loop():
                inner = replace(self, fixed=self.fixed | {stm.target})
                return replace(stm, body=inner.block(stm.body, now, live))
            case Since():
                return replace(stm, body=self.block(stm.body, now, live))
            case Branch():
                then = self.block(stm.then, now, live)
                return replace(stm, then=then, orelse=self.block(stm.orelse, now, live))
            case _:
                return stm

    def _writer(self, stm: Statement, source: ast.expr) -> ast.stmt:
        """The innermost statement that writes a place."""
        for inner in every((stm,)):
            if not blocks_of(inner) and any(self._may_meet(w, source) for w in written_by(inner)):
                return inner.node
        return stm.node

    def _conditions(self, stm: Statement, now: Mapping[str, Known]) -> None:
        """What decides about a loop or a branch is the same before and after it."""
        match stm:
            case Loop():
                deciding, what = stm.bounds, "the range of a loop"
            case Branch() if stm.before is stm.after:
                deciding, what = (stm.before,), "a condition"
            case _:
                return
        sources = [s for node in deciding for s in self._sources(node, now)]
        for place in written_by(stm):
            for source in sources:
                if self._may_meet(place, source):
                    raise self._decided(stm, what, source, deciding)

    def _decided(
        self, stm: Statement, what: str, source: ast.expr, deciding: tuple[ast.expr, ...]
    ) -> UserError:
        writer = self._writer(stm, source)
        way_out = "take the bounds from what the body leaves alone"
        if isinstance(stm, Branch):
            shown = text(deciding[0])
            way_out = f"say what holds afterwards: if rg.when({shown}, <condition after it>):"
        return self.complaints.error(
            "RG0504", f"{what} reads {text(source)}, which {self.complaints.told(writer)} changes",
            stm.node, way_out,
        )  # fmt: skip

    def _own_target(self, stm: Update, now: Mapping[str, Known]) -> Update:
        """Refuses an update that reads what it writes; where that is open, it is tested."""
        apart: dict[str, ast.expr] = {}
        indices = [p for p in read_by(stm, self.local) if root_of(p) == root_of(stm.target)]
        for source in (*self._sources(stm.value, now), *indices):
            if root_of(source) != root_of(stm.target):
                continue
            met = meeting(stm.target, source)
            unknown = met is Meeting.PERHAPS and not _indexed(stm.target, source)
            if met is Meeting.ALWAYS or unknown:
                names = names_read(stm.value, self.local) & now.keys() - self.ancillas
                through = [n for n in sorted(names) if source in now[n].sources]
                by = f", through {through[0]!r}" if through else ""
                error = self.complaints.error(
                    "RG0502", f"`{text(stm.node)}` reads {text(source)}{by}, which it writes",
                    stm.node, "add it to another variable first, or split the arrays into parts "
                    "that are written and parts that are read",
                )  # fmt: skip
                raise Illegal(through[0], error) if through else error
            if met is Meeting.PERHAPS:
                apart[text(source)] = source
        return replace(stm, apart=tuple(apart.values()))

    def _own_targets(self, stm: Exchange | Change | CallStep) -> Pairs:
        """What it writes and what it reads besides, where that is open: these have to be two."""
        found: list[tuple[ast.expr, ast.expr]] = []
        for source in (p for node in _read_besides(stm) for p in reads(node, self.local)):
            for target in written_by(stm):
                match meeting(target, source):
                    case Meeting.PERHAPS if _indexed(target, source):
                        found.append((target, source))
                    case Meeting.NEVER:
                        pass
                    case _:
                        raise self.complaints.error(
                            "RG0502",
                            f"`{text(stm.node)}` reads {text(source)}, which it changes", stm.node,
                            "define a local with its value before, and change it afterwards",
                        )  # fmt: skip
        return tuple(found)


def _begins(node: ast.stmt) -> tuple[int, int]:
    """Where a statement begins: of two, the later one comes first only in the next iteration."""
    return node.lineno, node.col_offset


def _read_besides(stm: Exchange | Change | CallStep) -> list[ast.expr]:
    """The expressions of a statement that have to be the same when it is undone."""
    match stm:
        case Exchange():
            return [key for place in stm.targets for key in indices_of(place)]
        case Change():
            found = (
                stm.forward.args[len(stm.targets) :] if isinstance(stm.forward, ast.Call) else []
            )
            return [*found, *(key for place in stm.targets for key in indices_of(place))]
        case CallStep():
            args = [*stm.args, *(k.value for k in stm.keywords)]
            others = [arg for arg in args if root_of(arg) is None]
            own = [stm.function] if stm.receiver is None else []
            return [*own, *others, *(key for arg in args for key in indices_of(arg))]


def _indexed(one: ast.expr, other: ast.expr) -> bool:
    """Whether both are elements or slices of one array, so that their indices can be compared."""
    return (
        isinstance(one, ast.Subscript)
        and isinstance(other, ast.Subscript)
        and text(one.value) == text(other.value)
    )
