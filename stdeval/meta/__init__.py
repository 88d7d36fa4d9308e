"""Meta-evaluation: the papers' experiments, each a pure function of arrays."""
