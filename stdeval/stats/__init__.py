"""Statistics: pure functions of arrays, without files or printing."""
