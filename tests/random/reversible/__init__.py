"""Random reversible functions as text, and what is checked of each."""
