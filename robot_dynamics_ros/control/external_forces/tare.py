"""What is taken off the external torques of an arm at rest that nothing touches."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from robot_dynamics_ros.core.checks import Array


class Tare:
    """Keeps what was taken off, and what has changed since then.

    It is the error of one model and of one source of torques: of another one, it tells less or
    nothing.

    Attributes:
        torque: (k,) what is taken off [N m or N].
        remark: what has changed since it was measured and what to do, for log and diagnostics;
            empty for nothing.
    """

    def __init__(self, size: int) -> None:
        """Nothing is taken off.

        Args:
            size: number of joints, k.
        """
        self.torque, self.remark = np.zeros(size), ''
        self._settings: dict[str, Array] = {}

    def add(self, torque: Array, settings: Mapping[str, Array]) -> None:
        """Take more off.

        Args:
            torque: (k,) as measured now [N m or N].
            settings: of the model, by name: the torque is the error of a model with these.
        """
        self.torque, self.remark = self.torque + torque, ''
        self._settings = {name: value.copy() for name, value in settings.items()}

    def compare(self, settings: Mapping[str, Array]) -> None:
        """Say which settings are others than when it was measured; as for `add`."""
        for name, before in self._settings.items():
            if not np.array_equal(before, settings[name]):
                self.doubt(name)

    def drop(self, changed: str) -> None:
        """Take nothing off any more.

        Args:
            changed: what has changed, as a noun.
        """
        if self.torque.any():
            self.remark = (
                f'{changed} was changed: what ~/zero_external had taken off was the error of '
                'another source, and is not taken off any more'
            )
        self.torque, self._settings = np.zeros_like(self.torque), {}

    def doubt(self, changed: str) -> None:
        """Say that it was measured with another model.

        Args:
            changed: what has changed, as a noun.
        """
        if self.torque.any():
            self.remark = (
                f'{changed} was changed after ~/zero_external: call it again at rest, what it has '
                'taken off is the error of the model before'
            )
