"""Warnings, until nobody calls them."""

from __future__ import annotations


def refuse_unused_gains(*_: object) -> None:
    """Do nothing."""


report_levels = warn_of_judgments_and_options = refuse_unused_gains
