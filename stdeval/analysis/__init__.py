"""Analyses of a table of scores: means, comparisons, conditions and difficult topics, as rows with named fields.

Each function does for a Python program what the command of its name does, and the commands build on it.
"""
