"""Forward and reverse mode, and what makes the loops of derivatives fast."""
