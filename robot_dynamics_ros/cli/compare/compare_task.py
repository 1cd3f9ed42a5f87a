"""What is kept of one recording for a comparison; a task that any process may execute."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from robot_dynamics_ros.comparison.compare import gather
from robot_dynamics_ros.comparison.evidence.evidence import Evidence
from robot_dynamics_ros.recordings import Motion, motions, open_recording
from robot_dynamics_ros.recordings.recording import WHOLE, Part
from robot_dynamics_ros.scheduling.plain_data import fingerprint

from ..progress import Advance, ShowProgress, no_progress
from ..recorded_robot import model_torques, recorded_robot
from ..recording_options import RecordingOptions


def gather_evidence(
    options: RecordingOptions,
    name: str,
    files: tuple[Path, ...],
    one_of_many: bool = False,
    part: Part = WHOLE,
    cutoff: float | None = None,
    progress: ShowProgress = no_progress,
) -> Evidence:
    """Compare one recording with the model, and keep what conclusions need.

    Args:
        options: of the recording.
        name: of the recording in results.
        files: that together are the recording.
        one_of_many: whether to keep little, see `Evidence.as_one_of_many`.
        part: of the recording, see `open_recording`.
        cutoff: of all parts [Hz]; None: that of the options.
        progress: shows how far it is.

    Raises:
        RecordingError: the recording cannot be used.
        ModelError: the description cannot be used.
        ParameterError: the robot has no moving joint.
    """
    urdf, joints, _ = recorded_robot(options, files)
    torques = model_torques(urdf, joints, options.parameters)
    with (
        open_recording(
            files, topic=options.topic, rename=options.rename, joints=joints, part=part
        ) as recording,
        progress(name, recording.size, 'states') as advance,
    ):
        recording.judge_efforts(torques.model)
        parts = _counted(motions(recording, cutoff=cutoff or options.cutoff), advance)
        evidence = gather(torques, parts, file=name, topic=recording.topic)
        evidence.quality = recording.quality
    evidence.robot = fingerprint(torques.model)
    return evidence.as_one_of_many() if one_of_many else evidence


def _counted(parts: Iterator[Motion], advance: Advance) -> Iterator[Motion]:
    for part in parts:
        yield part
        advance(len(part))
