"""What libraries raise about a file, as one class of errors in one line that names the file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from robot_dynamics_ros.core.errors import RecordingError

REPAIRS = {'.mcap': ': try `mcap recover FILE -o OUT`', '.bag': ': try `rosbag reindex FILE`'}
# Characters of a message: pyarrow shows whole cells.
SHOWN = 200


@contextmanager
def errors_of(file: Path, columns: Sequence[str] = ()) -> Iterator[None]:
    """Raise a RecordingError for what is raised; names of columns stand for their numbers."""
    try:
        yield
    except RecordingError as error:
        raise RecordingError(f'{file}: {error}') from None
    # Libraries document no class of exception for damaged files; some are of their libraries.
    except Exception as error:
        if isinstance(error, OSError) and error.filename is not None:
            raise
        why = ' '.join(str(error).split()) or type(error).__name__
        for number, name in enumerate(columns):
            why = why.replace(f'CSV column #{number}:', f'column {name!r}:')
        more, advice = '...' * (len(why) > SHOWN), REPAIRS.get(file.suffix, '')
        raise RecordingError(f'{file} is damaged: {why[:SHOWN]}{more}{advice}') from None
