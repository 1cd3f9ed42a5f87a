"""The tasks of torques: one for a recording, several for the parts of a large one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from robot_dynamics_ros.recordings.writers import join_torque_files
from robot_dynamics_ros.scheduling import Task
from robot_dynamics_ros.written_file import staging_folder, written_file

from ..fleet_options import Fleet
from ..recording_files import recorded_bytes
from .torques_task import write_torques

# [B] of a part: some seconds of work, of which the start of a process is a small part.
LARGEST_PART = 1 << 25
# Parquet is written six times as fast.
LARGEST_OF_PARQUET = 1 << 28
# Each part reads the recording from the start, which takes some 3 % of the time of one process: 8
# parts take 10 % more time together, 32 half as much again. More than 8 are worth it only where
# there are more workers.
USUAL_PARTS, MOST_PARTS = 8, 32


@contextmanager
def torques_tasks(
    files: Mapping[str, tuple[Path, ...]], targets: Sequence[Path], fleet: Fleet
) -> Iterator[list[Task]]:
    """The task of each recording; that of a large one is divided.

    Files of parts are in hidden folders beside the targets, which are removed at the end of the
    block.

    Args:
        files: of each recording by its name.
        targets: file of each recording.
        fleet: where they are computed.
    """
    with ExitStack() as stack:
        tasks = []
        for (name, paths), target in zip(files.items(), targets, strict=True):
            # Other processes may have other working folders.
            there, whole = tuple(path.resolve() for path in paths), target.resolve()
            count = _part_count(there, whole, len(files), fleet)
            task = Task(name, write_torques, (name, there, whole), reads=there, writes=(whole,))
            if count > 1 and (whole.is_file() or not whole.exists()):
                staging = staging_folder(whole.parent, whole.name, named=target)
                task = _divided(task, stack.enter_context(staging), count)
            tasks.append(task)
        yield tasks


def _part_count(files: Sequence[Path], target: Path, recordings: int, fleet: Fleet) -> int:
    """How many parts a recording is to have: with many recordings, one each."""
    if fleet.scheduler is None and fleet.workers == 1:
        return 1
    largest = LARGEST_OF_PARQUET if target.suffix == '.parquet' else LARGEST_PART
    count = -(-recorded_bytes(files) // largest)
    if count * recordings > USUAL_PARTS:
        most = min(max(USUAL_PARTS, fleet.workers), MOST_PARTS)
        count = min(count, most // recordings)
    return max(1, count)


def _divided(task: Task, folder: Path, count: int) -> Task:
    """The task of a recording in parts, which write their files into a folder."""
    name, files, target = task.arguments
    written = tuple(folder / f'{number}_{target.name}' for number in range(count))
    parts = tuple(
        Task(
            f'{name}, part {number + 1} of {count}',
            write_torques,
            (name, files, file, (number, count)),
            reads=files,
            writes=(file,),
        )
        for number, file in enumerate(written)
    )
    return replace(task, parts=parts, join=partial(_joined, files=written, target=target))


def _joined(
    results: Sequence[Mapping[str, Any]], files: Sequence[Path], target: Path
) -> dict[str, Any]:
    """Make one whole file of those of all parts; what --json says of the recording.

    Args:
        results: of the parts, in their order.
        files: of the parts.
        target: to write.

    Raises:
        OSError: a file cannot be read, or not written.
    """
    with written_file(target) as new:
        join_torque_files(files, new)
    filled = [result for result in results if result['samples']]
    peaks = {
        joint: {'peak_torque': max(result['joints'][joint]['peak_torque'] for result in filled)}
        for joint in filled[0]['joints']
    }
    samples = sum(result['samples'] for result in filled)
    # The last part has read the whole recording.
    last = {key: results[-1][key] for key in ('findings', 'quality', 'remarks')}
    return {**filled[0], 'samples': samples, 'joints': peaks, **last}
