"""Torques as Parquet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet

from ..motion import Motion
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


def join_parquet(files: Sequence[Path], path: Path) -> None:
    """Join files of one schema, and remove them.

    Args:
        files: empty ones are left out; one at least is not.
        path: to write.
    """
    filled = [file for file in files if file.stat().st_size]
    schema = pyarrow.parquet.read_schema(filled[0])
    with pyarrow.parquet.ParquetWriter(path, schema) as writer:
        for file in filled:
            with pyarrow.parquet.ParquetFile(file) as source:
                for number in range(source.num_row_groups):
                    writer.write_table(source.read_row_group(number).cast(schema))
            file.unlink()


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

    def skip(self, motion: Motion) -> None:
        """See `TorqueFile`."""

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
        """Close the file; that of a part without torques is empty."""
        if self._writer is None:
            self._path.touch()
        else:
            self._writer.close()
