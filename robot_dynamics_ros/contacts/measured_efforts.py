"""Which efforts of a recording count as measured, and where they are missing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from robot_dynamics_ros.control.external_forces.detection.threshold_floor import UNKNOWN_LIMIT
from robot_dynamics_ros.control.torque_text import torque_text
from robot_dynamics_ros.core import RobotModel
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.recordings import JointSamples, Recording

# Times the effort limit that no number of a drive reaches, in whatever unit: one in mN m reaches
# a thousand times its limit.
IMPLAUSIBLE = 1e4


class MeasuredEfforts:
    """Leaves out efforts that cannot have been measured, and counts what is missing.

    Attributes:
        states: that were read.
        missing: (n,) of these, states without the effort of each joint.
        largest: (n,) absolute effort that was measured [N m or N].
    """

    def __init__(self, model: RobotModel) -> None:
        """Have read nothing.

        Args:
            model: whose joints are those of the recording, n of them.
        """
        limits = model.effort_limits
        known = (limits > 0.0) & np.isfinite(limits)
        self._bounds = IMPLAUSIBLE * np.where(known, limits, UNKNOWN_LIMIT)
        self._names, self._units = model.joint_names, model.effort_units
        self.states = 0
        self.missing, self._implausible = np.zeros((2, model.size), int)
        self.largest, self._beyond = np.zeros((2, model.size))

    def of(self, samples: JointSamples) -> JointSamples:
        """The samples, with NaN for each effort that is implausible."""
        sizes: Array = abs(samples.efforts)
        beyond = sizes > self._bounds
        if beyond.any():
            self._implausible += np.count_nonzero(beyond, axis=0)
            self._beyond = np.fmax(self._beyond, np.fmax.reduce(np.where(beyond, sizes, 0.0)))
            samples = replace(samples, efforts=np.where(beyond, np.nan, samples.efforts))
            sizes = abs(samples.efforts)
        self.states += len(samples)
        self.missing += np.count_nonzero(~np.isfinite(sizes), axis=0)
        self.largest = np.fmax(self.largest, np.fmax.reduce(sizes, initial=0.0))
        return samples

    def remarks(self) -> Iterator[str]:
        """One line for each joint with implausible efforts."""
        for joint in np.flatnonzero(self._implausible).tolist():
            count, unit = int(self._implausible[joint]), self._units[joint]
            yield (
                f'{count} {"effort" if count == 1 else "efforts"} of {self._names[joint]} above '
                f'{torque_text(self._bounds[joint], unit)}, up to '
                f'{torque_text(self._beyond[joint], unit)}: taken as not measured, because it is '
                f'{IMPLAUSIBLE:g} times the effort limit'
            )

    def missing_text(self, joints: Array) -> str:
        """In how many states the effort of each joint is missing; empty where all are there.

        Args:
            joints: (k,) indices of those that are wanted.
        """
        return ', '.join(
            f'of {self._names[joint]} in {self.missing[joint]} of {self.states} states'
            for joint in joints[self.missing[joints] > 0].tolist()
        )


def varying_efforts(recording: Recording, efforts: MeasuredEfforts) -> np.ndarray:
    """Which joints (n,) have measured efforts that are not all the same.

    Args:
        recording: of n joints, which is read once.
        efforts: takes its efforts.

    Raises:
        RecordingError: the files are damaged.
    """
    least, largest = np.full((2, len(recording.joints)), np.nan)
    for samples in recording.chunks():
        measured = efforts.of(samples).efforts
        for extreme, values in ((np.fmin, least), (np.fmax, largest)):
            found = extreme.reduce(measured, axis=0)
            values[:] = extreme(values, found)
    return largest > least
