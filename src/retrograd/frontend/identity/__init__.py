"""Which function is meant: its source, the types it is specialised on, and what it depends on."""
