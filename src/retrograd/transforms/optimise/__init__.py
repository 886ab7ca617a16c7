"""Passes that leave every value as it is, to the bit."""
