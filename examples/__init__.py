"""Small programs that use retrograd; each prints what it found and checks it."""
