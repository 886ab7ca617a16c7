"""Translations that are tried: what is refused leaves nothing behind, and is done another way."""

from __future__ import annotations

from collections.abc import Callable, Collection

from retrograd.errors import UserError
from retrograd.frontend.values.tracer import Tracer

__all__ = ["tried"]


def tried(t: Tracer, run: Callable[[], None], codes: Collection[str]) -> UserError | None:
    """Translates a part of the program; gives the error where it is refused with one of `codes`.

    Then the state, the statements and the unfinished functions are those of before.
    """
    ctx, frame = t.ctx, t.frame
    saved = t.state.copy()
    statements, pending, stack = len(t.b.stms), len(ctx.pending), len(ctx.stack)
    owned, names, builder = set(frame.owned), dict(frame.locals), t.b
    flags, roots = list(frame.brk), list(frame.roots)
    try:
        run()
    except UserError as error:
        if error.code not in codes:
            raise
        del builder.stms[statements:], ctx.pending[pending:], ctx.stack[stack:]
        t.b, t.state = builder, saved
        frame.owned, frame.brk, frame.roots = owned, flags, roots
        frame.locals.clear()
        frame.locals.update(names)
        known = {id(spec) for spec in ctx.stack}
        for key in [k for k, spec in ctx.specs.items() if not spec.done and id(spec) not in known]:
            del ctx.specs[key]
        return error
    return None
