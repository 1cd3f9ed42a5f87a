"""The tasks of a comparison: one for a recording, several for the parts of a large one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from robot_dynamics_ros.comparison.evidence.evidence import Evidence
from robot_dynamics_ros.core.errors import RobotDynamicsError
from robot_dynamics_ros.recordings import open_recording, usual_cutoff
from robot_dynamics_ros.scheduling import Outcome, Task

from ..recording_files import recorded_bytes
from ..recording_options import RecordingOptions
from .compare_task import gather_evidence

# [B] of a part: some ten seconds of work.
LARGEST_PART = 1 << 28

# Tasks above which each of them gives little: some windows and samples of all are kept anyway.
MANY = 16

Files = Mapping[str, tuple[Path, ...]]


def compare_tasks(options: RecordingOptions, files: Files) -> dict[str, list[Task]]:
    """The tasks of each recording by its name; all parts of one have the same cutoff.

    Args:
        options: of the recordings.
        files: of each recording by its name.
    """
    # Other processes may have other working folders.
    absolute = {name: tuple(path.resolve() for path in paths) for name, paths in files.items()}
    counts = {
        name: max(1, -(-recorded_bytes(there) // LARGEST_PART)) for name, there in absolute.items()
    }
    many = sum(counts.values()) > MANY
    tasks = {}
    for name, there in absolute.items():
        count = counts[name]
        cutoff = _cutoff(options, there) if count > 1 else None
        tasks[name] = [
            Task(
                name if count == 1 else f'{name}, part {number + 1} of {count}',
                gather_evidence,
                (name, there, many, (number, count), cutoff),
                reads=there,
            )
            for number in range(count)
        ]
    return tasks


def joined_outcomes(
    tasks: Mapping[str, Sequence[Task]], outcomes: Sequence[Outcome]
) -> list[Outcome]:
    """One outcome for each recording: what its parts have given, or the first error."""
    found = {outcome.name: outcome for outcome in outcomes}
    return [_joined(name, [found[part.name] for part in parts]) for name, parts in tasks.items()]


def _joined(name: str, parts: list[Outcome]) -> Outcome:
    if len(parts) == 1:
        return parts[0]
    for part in parts:
        if part.error:
            return Outcome(name, error=part.error, traceback=part.traceback)
    evidence = Evidence.joined([part.result for part in parts])
    if not evidence.count:
        why = f'{name}: no segment without a gap is as long as the filter'
        doubt = evidence.quality.doubt if evidence.quality else ''
        return Outcome(name, error=f'{why}: {doubt}' if doubt else why)
    return Outcome(name, evidence, kept=all(part.kept for part in parts))


def _cutoff(options: RecordingOptions, files: tuple[Path, ...]) -> float | None:
    """That of the options, or what the whole recording would get; None where it has an error."""
    if options.cutoff is not None:
        return options.cutoff
    try:
        with open_recording(files, topic=options.topic, rename=options.rename) as recording:
            return usual_cutoff(recording)
    except (RobotDynamicsError, OSError):
        return None
