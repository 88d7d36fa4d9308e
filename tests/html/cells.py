"""The texts of the tables of a report."""

from __future__ import annotations

from stdeval.html.tables import Cell, Table


def texts(table: Table) -> list[list[str]]:
    """Return the texts of the header and of all rows."""
    return [
        [column.title for column in table.columns],
        *([text(cell) for cell in row.cells] for row in table.rows),
    ]


def text(cell: Cell) -> str:
    return ", ".join(name + after for name, after in cell.names) + cell.text + cell.interval
