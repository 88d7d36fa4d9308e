"""Random changes of the package, to see which of them the tests notice."""
