"""Torques as Parquet."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet

from .torque_samples import TorqueOrigin, TorqueSamples
from .torque_table import columns_of

# Of a group, at least.
ROWS = 65536


@contextmanager
def parquet_file(path: Path, origin: TorqueOrigin) -> Iterator[ParquetFile]:
    """A file whose metadata hold the URDF (`urdf`) and the start (`start_ns`).

    Args:
        path: to write.
        origin: of the torques.
    """
    file = ParquetFile(path, origin)
    try:
        yield file
        file.flush()
    finally:
        file.close()


class ParquetFile:
    """See `TorqueFile`. Short segments are collected to groups of rows of some size."""

    def __init__(self, path: Path, origin: TorqueOrigin) -> None:
        """Write nothing yet; see `parquet_file` for the arguments."""
        self._path, self._origin = path, origin
        self._writer: Any = None
        self._tables: list[Any] = []

    def write(self, samples: TorqueSamples) -> None:
        """See `TorqueFile`."""
        for piece in samples.pieces(ROWS):
            self._tables.append(pyarrow.table(dict(columns_of(self._origin, piece))))
            if sum(table.num_rows for table in self._tables) >= ROWS:
                self.flush()

    def flush(self) -> None:
        """Write what has been collected."""
        if not self._tables:
            return
        table = pyarrow.concat_tables(self._tables)
        self._tables.clear()
        if self._writer is None:
            metadata = {'urdf': self._origin.urdf, 'start_ns': str(self._origin.start)}
            schema = table.schema.with_metadata(metadata)
            self._writer = pyarrow.parquet.ParquetWriter(self._path, schema)
        self._writer.write_table(table.replace_schema_metadata(None).cast(self._writer.schema))

    def close(self) -> None:
        """Close the file."""
        if self._writer is not None:
            self._writer.close()
