"""`make demo`: derivatives of ordinary Python programs, checked, used and timed."""
