"""Metadata that all modules share: which memory never overlaps, and which branches are rare."""

from __future__ import annotations

from retrograd.ir.types import DType

__all__ = ["CONTEXT_TBAA", "LANES_TBAA", "PROFILE_TEXT", "TAPE_TBAA", "TBAA", "TBAA_TEXT"]

TBAA = {
    DType.F64: "!tbaa !3", DType.I64: "!tbaa !5", DType.BOOL: "!tbaa !7", DType.BUNDLE: "!tbaa !3",
}  # fmt: skip
"""Memory of different element types never overlaps; nor do arrays, context and tape.

Bundles are floats: `unbundle` reads them so.
"""
CONTEXT_TBAA = "!tbaa !9"
TAPE_TBAA = "!tbaa !11"
LANES_TBAA = "!tbaa !13"
TBAA_TEXT = """
!1 = !{!"retrograd"}
!2 = !{!"f64", !1}
!3 = !{!2, !2, i64 0}
!4 = !{!"i64", !1}
!5 = !{!4, !4, i64 0}
!6 = !{!"bool", !1}
!7 = !{!6, !6, i64 0}
!8 = !{!"context", !1}
!9 = !{!8, !8, i64 0}
!10 = !{!"tape", !1}
!11 = !{!10, !10, i64 0}
!12 = !{!"lanes", !1}
!13 = !{!12, !12, i64 0}
!14 = distinct !{!14, !15, !16}
!15 = !{!"llvm.loop.vectorize.enable", i1 false}
!16 = !{!"llvm.loop.unroll.disable"}
"""

PROFILE_TEXT = """\
!19 = !{!"branch_weights", i32 1, i32 1048576}
!20 = !{!"branch_weights", i32 1048576, i32 1}"""
