"""First act: the arm released without torque, and held by gravity compensation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes

from robot_dynamics_ros.simulation.mujoco_model import JointData

from .client import Array, DemoClient, Phase
from .picture import MANY, legend_above, power
from .plan import units
from .verdict import Figure


@dataclass(frozen=True)
class Release:
    """Displacement (m, n) of each joint [rad or m] at times (m,) [s], without and with g(q)."""

    joints: Sequence[JointData]
    fall_times: Array
    fall: Array
    hold_times: Array
    hold: Array

    @classmethod
    def of(cls, joints: Sequence[JointData], fall: Phase, hold: Phase) -> Release:
        """Measure the displacement from the begin of each phase."""
        names = [joint.name for joint in joints]
        parts: list[Array] = []
        for phase in (fall, hold):
            position = phase.states.columns('position', names)
            parts += [phase.states.seconds(phase.start), position - position[0]]
        return cls(joints, *parts)

    @property
    def held_for(self) -> float:
        """How long it was held [s]."""
        return float(self.hold_times[-1])

    def figures(self) -> list[Figure]:
        """Each figure with its bound.

        They detect a wrong term: an error of one per cent in gravity lets a held UR5 drift by more
        than a radian.
        """
        unit = units(self.joints)
        fall, hold = (float(np.abs(part).max()) for part in (self.fall, self.hold))
        return [
            Figure('fall', 'released without torque: displacement', fall, unit, at_least=0.1),
            Figure('drift', f'held by gravity compensation: drift in {self.held_for:.2g} s', hold,
                   unit, at_most=0.001),
        ]  # fmt: skip

    def draw(self, axes: Axes) -> None:
        """The displacement of each joint, and that of the worst one that is held."""
        few = len(self.joints) <= MANY
        colours = mpl.colormaps['viridis'](np.linspace(0.0, 0.9, len(self.joints)))
        for i, (joint, colour) in enumerate(zip(self.joints, colours, strict=True)):
            label = joint.name if few else '' if i else 'every joint'
            axes.plot(self.fall_times, self.fall[:, i], color=colour, lw=1.8, label=label or None)
        worst = self.hold[:, np.abs(self.hold).max(axis=0).argmax()]
        axes.plot(self.hold_times, worst, color='black', lw=3.5)
        largest = float(np.abs(worst).max())
        drift = f'drift {power(largest)} {units(self.joints)}' if largest else 'no drift'
        axes.annotate(
            f'held by gravity compensation:\n{drift} in {self.held_for:.2g} s',
            (self.hold_times[-1], worst[-1]),
            (0, -10),
            textcoords='offset points',
            ha='right',
            va='top',
            size=10,
            weight='bold',
            bbox={'facecolor': 'white', 'edgecolor': 'none', 'alpha': 0.8, 'pad': 1.5},
        )
        axes.set_title('Released, without and with g(q)')
        axes.set_xlabel('time since the brake was released [s]')
        axes.set_ylabel(f'joint displacement [{units(self.joints)}]')
        legend_above(axes, 'without torque', columns=2 if few else 1)


def released(client: DemoClient, seconds: float) -> Phase:
    """Release the brake for some time; messages sent while it was on are not part of the phase."""
    client.reset_arm(servo=False)
    client.set_arm(brake=False)
    before, start = client.cpu_seconds(), client.now()
    client.wait(seconds)
    phase = client.phase(start, start + int(seconds * 1e9), before)
    client.set_arm(brake=True)
    return phase
