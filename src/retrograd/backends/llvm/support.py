"""What native modules need and no program changes: compiled once, and linked to each of them.

A module declares what it calls.
"""

from __future__ import annotations

from retrograd.backends.llvm.driver import FRAMES_TEXT
from retrograd.backends.llvm.metadata import PROFILE_TEXT, TBAA_TEXT
from retrograd.backends.llvm.runtime_text import RUNTIME_TEXT, SHARED_TEXT
from retrograd.backends.llvm.scalar import INTRINSICS
from retrograd.backends.llvm.snapshots import SNAPSHOT_TEXT

__all__ = ["CALLED", "FRAMES", "PLAIN", "TURNS"]

_ALLOC = """\
declare noalias ptr @rg_alloc(ptr nocapture, i64) nounwind
declare noalias ptr @rg_alloc_1(ptr nocapture, i64, i64) nounwind
declare noalias ptr @rg_alloc_2(ptr nocapture, i64, i64, i64) nounwind
declare void @rg_clear(ptr nocapture writeonly, i64) nounwind memory(argmem: write)
"""
_DROP_FRAMES = "declare void @rg_drop_frames(ptr nocapture) nounwind\n"
_BUSY = """\
declare void @rg_enter(ptr nocapture) nounwind
declare void @rg_leave(ptr nocapture) nounwind
"""

CALLED = f"""
declare i64 @llvm.umax.i64(i64, i64)
{_ALLOC}\
declare void @rg_free(ptr nocapture, ptr) nounwind
declare noalias ptr @rg_frame(ptr nocapture, i64) nounwind
declare void @rg_drop_frame(ptr nocapture, ptr nocapture) nounwind
{_BUSY}{_DROP_FRAMES}"""
"""What the functions of modules call."""


def _module(*texts: str) -> str:
    return "\n".join((INTRINSICS, *texts, TBAA_TEXT, PROFILE_TEXT))


_SYSTEM = """
declare ptr @malloc(i64)
declare void @free(ptr)
declare i64 @llvm.umax.i64(i64, i64)
"""

FRAMES = _module(_SYSTEM, _ALLOC, _BUSY, FRAMES_TEXT, SNAPSHOT_TEXT)
"""Frames and snapshots of interruptible code."""

PLAIN = _module(RUNTIME_TEXT)
"""The allocator of a run."""

TURNS = _module(_DROP_FRAMES, SHARED_TEXT)
"""The allocator of two sweeps that share a context."""
