"""Files of torques of the parts of a recording, joined in their order to one file."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

# Bytes that are copied at a time.
PIECE = 1 << 20


def join_torque_files(files: Sequence[Path], path: Path) -> None:
    """Join files of one ending, each written for a part (`TorqueOrigin.part`), and remove them.

    Args:
        files: in the order of the recording; one without torques may be empty.
        path: to write, with the same ending; there is no file of that name.

    Raises:
        RecordingError: a file is of another kind.
        OSError: a file cannot be read, or not written.
    """
    if path.suffix == '.mcap':
        _join_mcap(files, path)
    elif path.suffix == '.parquet':
        from .parquet_file import join_parquet  # needs pyarrow

        join_parquet(files, path)
    else:
        _join_csv(files, path)


def _join_csv(files: Sequence[Path], path: Path) -> None:
    """Also compressed ones, which may follow each other in one file."""
    with path.open('wb') as target:
        for file in files:
            with file.open('rb') as source:
                shutil.copyfileobj(source, target, PIECE)
            file.unlink()


def _join_mcap(files: Sequence[Path], path: Path) -> None:
    from .mcap_joiner import McapJoiner

    with path.open('wb') as target:
        joiner = McapJoiner(target)
        for file in files:
            with file.open('rb') as source:
                joiner.add(source)
            file.unlink()
        joiner.finish()
