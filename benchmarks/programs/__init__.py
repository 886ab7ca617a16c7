"""Programs that are run in processes of their own."""
