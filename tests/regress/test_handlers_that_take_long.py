"""A handler of a signal that took longer than 25 ms was the last that a call of native code ran.

The timer rested, since Python was running, and nobody set it again. Where the handler had put
another in its place, Ctrl-C was no longer answered then.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

_PROGRAM = """
import math, os, signal, threading, time
import retrograd as rg

def pendulum(x, n):
    v = 0.0
    for _ in range(n):
        v -= 0.0001 * math.sin(x)
        x += 0.0001 * v
    return x

def interrupt():
    os.kill(os.getpid(), signal.SIGINT)

def slow(number, frame):
    time.sleep(0.1)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Timer(0.2, interrupt).start()

compiled = rg.jit(pendulum)
compiled(0.5, 10)
signal.signal(signal.SIGINT, slow)
threading.Timer(0.2, interrupt).start()
try:
    compiled(0.5, 10**15)
except KeyboardInterrupt:
    print("answered")
"""


def test_another_signal_is_answered_after_one_that_took_long(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(_PROGRAM)
    ran = subprocess.run(
        [sys.executable, str(program)], capture_output=True, text=True, timeout=60, check=True
    )
    assert ran.stdout == "answered\n"
