"""The four objectives of ADBench, as one first writes them; each prints what it found."""
