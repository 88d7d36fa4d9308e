"""Scores, rankings and tests that may mislead: messages about them."""
