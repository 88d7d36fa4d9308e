"""Find all problems of a run, for `stdeval validate`."""
