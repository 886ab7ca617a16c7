"""What derivatives save: counted before they run, and chosen by that within a budget."""
