"""Facts about programs that transformations ask for; nothing is changed here."""
