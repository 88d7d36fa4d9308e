"""Names that other modules still import; all of them go."""
