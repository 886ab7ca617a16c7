"""Calls of native code with the user's values: what they may share, and where memory ends."""
