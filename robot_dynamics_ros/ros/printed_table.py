"""A matrix as text, with the names of its rows and columns."""

from __future__ import annotations

from collections.abc import Sequence

from robot_dynamics_ros.core.checks import Array


def table(heading: str, matrix: Array, columns: Sequence[str], rows: Sequence[str]) -> str:
    """A matrix with the names of its columns and rows, below a heading.

    Args:
        heading: first line.
        matrix: (m, n).
        columns: n names.
        rows: m names.
    """
    cells = [[f'{value:.6g}' for value in row] for row in matrix.tolist()]
    width = max(len(text) for line in [list(columns), *cells] for text in line)
    first = max(map(len, rows))
    lines = [heading, ' '.join([' ' * first, *(f'{name:>{width}}' for name in columns)])]
    for name, line in zip(rows, cells, strict=True):
        lines.append(' '.join([f'{name:<{first}}', *(f'{text:>{width}}' for text in line)]))
    return '\n'.join(lines) + '\n\n'
