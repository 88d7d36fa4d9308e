"""The conditions of `stdeval check`, and their outcomes."""
