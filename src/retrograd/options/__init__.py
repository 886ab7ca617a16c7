"""What users choose about how a derivative is calculated, as data."""

from __future__ import annotations

from retrograd.options import checkpointing
from retrograd.options.durability import durable

__all__ = ["checkpointing", "durable"]
