"""Conditions of `stdeval check`, and their outcomes."""
