"""What runs programs: the interpreter, which is the meaning, and native code."""
