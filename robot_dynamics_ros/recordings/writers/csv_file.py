"""Torques as CSV."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..motion import Motion
from .torque_samples import TorqueOrigin, TorqueSamples
from .torque_table import columns_of

# Rows whose numbers are objects of Python at a time.
ROWS = 4096


@contextmanager
def csv_file(path: Path, origin: TorqueOrigin) -> Iterator[CsvFile]:
    """A file with one header row; compressed where its ending is `.gz`.

    Args:
        path: to write.
        origin: of the torques.
    """
    opened = gzip.open if path.suffix == '.gz' else open
    with opened(path, 'wt', encoding='utf-8', newline='') as text:
        yield CsvFile(csv.writer(text, lineterminator='\n'), origin)


class CsvFile:
    """See `TorqueFile`. Numbers have as many digits as they need to be read back to the bit."""

    def __init__(self, writer: Any, origin: TorqueOrigin) -> None:
        """Write nothing yet; `writer` is one of the module csv."""
        self._writer, self._origin = writer, origin
        self._has_header = not origin.begins

    def write(self, samples: TorqueSamples) -> None:
        """See `TorqueFile`."""
        for piece in samples.pieces(ROWS):
            columns = columns_of(self._origin, piece)
            if not self._has_header:
                self._writer.writerow(columns)
                self._has_header = True
            lists = (values.tolist() for values in columns.values())
            self._writer.writerows(zip(*lists, strict=True))

    def skip(self, motion: Motion) -> None:
        """See `TorqueFile`."""
