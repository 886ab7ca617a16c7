"""Where a run can stop, what a step costs, and what is done without stopping."""
