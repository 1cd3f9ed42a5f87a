"""The cutoffs of the two filters: of the motions, and of the equations."""

from __future__ import annotations

from dataclasses import dataclass

from robot_dynamics_ros.recordings import Recording, usual_cutoff
from robot_dynamics_ros.recordings.filtering.cutoff import MOST_OF_RATE, checked_cutoff

# The filter of the motions passes all that the filter of the equations passes. What it distorts
# falls with their ratio: parameters are off by 1e-5 at 8, and by 1e-2 at 1, where both sides have
# the filter of the motions alone. Noise of accelerations enters linearly: the second filter damps
# it.
WIDER = 8.0


@dataclass(frozen=True)
class Cutoffs:
    """Cutoffs of the low passes.

    Attributes:
        motions: for `recordings.motions` [Hz].
        equations: for `EquationOptions` [Hz].
    """

    motions: float
    equations: float

    @classmethod
    def of(cls, recording: Recording, wanted: float | None = None) -> Cutoffs:
        """Those for a recording.

        Args:
            recording: whose first samples are read.
            wanted: of the equations [Hz]; None: up to where the velocities are more than noise.

        Raises:
            RecordingError: the files are damaged, samples come too slowly, or the cutoff is above
                a quarter of the rate.
        """
        rate = 1.0 / recording.interval
        lowest = usual_cutoff(recording) if wanted is None else checked_cutoff(wanted, rate)
        return cls(min(WIDER * lowest, MOST_OF_RATE * rate), lowest)
