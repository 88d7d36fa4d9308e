"""Raw scores of runs."""
