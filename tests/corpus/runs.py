"""An entry of the table, tried in a process of its own."""

from __future__ import annotations

import multiprocessing
import os
import signal
import warnings
from contextlib import redirect_stdout
from io import StringIO
from multiprocessing.connection import Connection

from tests.corpus.measure import Outcome
from tests.corpus.table import Entry
from tests.corpus.trial import tried

__all__ = ["SECONDS", "outcome_of"]

SECONDS = 150
"""What a function may take, compilation included."""


def outcome_of(entry: Entry) -> Outcome:
    """How it ends, "slow" after `SECONDS` and "crash" if the process ends without an answer."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_child, args=(entry, sender))
    with warnings.catch_warnings():
        # Threads of BLAS: they wait, and the child has its own.
        warnings.simplefilter("ignore", DeprecationWarning)
        process.start()
    sender.close()
    try:
        if not receiver.poll(SECONDS):
            os.kill(process.pid or 0, signal.SIGKILL)
            return Outcome("slow", f"does not compile in {SECONDS} s")
        return receiver.recv()
    except EOFError:
        return Outcome("crash", "the process ended without an answer")
    finally:
        process.join()


def _child(entry: Entry, pipe: Connection) -> None:
    with redirect_stdout(StringIO()):
        pipe.send(tried(entry))
