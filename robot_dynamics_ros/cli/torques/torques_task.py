"""The torques along one recording, written to a file; a task that any process may execute."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from robot_dynamics_ros.comparison.comparison import TERMS
from robot_dynamics_ros.recordings import JointSamples, motions, open_recording
from robot_dynamics_ros.recordings.writers import TorqueOrigin, TorqueSamples, open_torque_file
from robot_dynamics_ros.written_file import written_file

from ..progress import ShowProgress, no_progress
from ..recorded_robot import model_torques, recorded_robot
from ..recording_options import RecordingOptions


def write_torques(
    options: RecordingOptions,
    name: str,
    files: tuple[Path, ...],
    target: Path,
    progress: ShowProgress = no_progress,
) -> dict[str, Any]:
    """Write the torques along a recording as a whole file.

    Args:
        options: of the recording.
        name: of the recording, for the bar.
        files: that together are the recording.
        target: to write; the ending decides what.
        progress: shows how far it is.

    Returns:
        What --json says of the recording, without its name.

    Raises:
        RecordingError: the recording cannot be used.
        ModelError: the description cannot be used.
        ParameterError: the robot has none of the recorded joints.
        OSError: the file cannot be written.
    """
    urdf, joints, locked = recorded_robot(options, files)
    torques = model_torques(urdf, joints)
    peaks = np.zeros(len(joints))
    samples, motion = 0, None
    with open_recording(
        files, topic=options.topic, rename=options.rename, joints=joints
    ) as recording:
        origin = TorqueOrigin(joints, recording.start, recording.topic, urdf)
        with (
            progress(name, recording.size, 'states') as advance,
            written_file(target) as new,
            open_torque_file(new, origin, lambda: _states(options, files, joints)) as file,
        ):
            for motion in motions(recording, cutoff=options.cutoff):
                parts = dict(zip(TERMS, torques.terms(motion), strict=True))
                torque = TorqueSamples(motion, parts)
                file.write(torque)
                peaks = np.maximum(peaks, np.abs(torque.torques).max(axis=0))
                samples += len(motion)
                advance(len(motion))
        assert motion is not None  # or `motions` has raised
        return {
            'robot': torques.model.name,
            'topic': recording.topic,
            'samples': samples,
            'rate': motion.rate,
            'cutoff': motion.cutoff,
            'joints': {
                joint: {'peak_torque': peak}
                for joint, peak in zip(joints, peaks.tolist(), strict=True)
            },
            'locked': list(locked),
            'quality': recording.quality.as_json(),
        }


def _states(
    options: RecordingOptions, files: tuple[Path, ...], joints: tuple[str, ...]
) -> Iterator[JointSamples]:
    """The states as they were recorded."""
    with open_recording(
        files, topic=options.topic, rename=options.rename, joints=joints
    ) as recording:
        yield from recording.chunks()
