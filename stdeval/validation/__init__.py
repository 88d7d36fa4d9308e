"""All problems of a run, for `stdeval validate`."""
