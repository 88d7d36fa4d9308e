"""Readers and writers of tables of scores and factors, and writers of everything else that is printed."""
