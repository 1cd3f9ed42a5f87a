"""How certain the mass of a load is, from how much parts of the recordings disagree.

What a model leaves of real torques is correlated in time: the least-squares standard deviation is
too small. Estimates from parts that are longer than the correlation show it (batch means).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from robot_dynamics_ros.core.checks import Array

from ..evidence.excerpts import Window
from .estimates import best_load
from .explanation import Explanation
from .judge import Judge
from .observations import Observations

# Numbers of parts: whichever shows the larger deviation counts.
PARTS = (2, 4)
SIGNALS = ('positions', 'velocities', 'accelerations', 'efforts')


class LoadCertainty:
    """Estimates loads anew from parts of the recordings.

    Attributes:
        judge: of all windows.
    """

    def __init__(self, judge: Judge) -> None:
        """Divide nothing yet: that is done for the first load."""
        self.judge = judge
        self._parts: list[list[Judge]] = []

    def mass_deviation(self, given: Explanation, body: int) -> float:
        """Standard deviation of a mass [kg]; infinite where parts have masses of either sign.

        It does not contain errors that all parts share, such as those of the description.

        Args:
            given: explanation whose other parts hold.
            body: index of the joint that carries the load.
        """
        if not self._parts:
            self._parts = [self._divided(count) for count in PARTS]
        _, white = best_load(self.judge, given, body)
        groups = [_masses(judges, given, body) for judges in self._parts]
        if len(groups[0]) < 2 or any(np.ptp(np.sign(masses)) > 0.0 for masses in groups):
            return float('inf')
        known = [masses for masses in groups if len(masses) > 1]
        return max(white, *(float(np.std(one, ddof=1)) / len(one) ** 0.5 for one in known))

    def _divided(self, count: int) -> list[Judge]:
        """Judges of so many parts, in the order of time."""
        seen = self.judge.observations
        pieces = [half for window in seen.windows for half in _halves(window)]
        groups = np.array_split(np.arange(len(pieces)), count)
        parts = [Observations(seen.torques, [pieces[i] for i in group]) for group in groups]
        return [Judge(part) for part in parts if part.windows]


def _masses(judges: list[Judge], given: Explanation, body: int) -> Array:
    """The masses [kg] that parts give, those that determine one."""
    found = [best_load(judge, given, body) for judge in judges if judge.judged.any()]
    return np.array([one.load[0] for one, deviation in found if np.isfinite(deviation)])


def _halves(window: Window) -> list[Window]:
    middle = len(window.efforts) // 2
    spans = slice(None, middle), slice(middle, None)
    return [
        replace(window, **{name: getattr(window, name)[span] for name in SIGNALS})
        for span in spans
    ]
