"""Messages about scores, rankings and tests that may mislead."""
