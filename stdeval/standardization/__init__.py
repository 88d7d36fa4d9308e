"""Factors, schemes, and standardized scores."""
