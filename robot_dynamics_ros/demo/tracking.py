"""Second act: a fast trajectory by the servo alone, with gravity compensation and feedforward."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes

from robot_dynamics_ros.control.trajectory import Trajectory
from robot_dynamics_ros.simulation.mujoco_model import JointData

from .client import LEAD, PARTS, Array, DemoClient, Phase
from .picture import BLUE, BROWN, GREEN, MANY, ORANGE, PURPLE, RED, legend_above
from .plan import units
from .verdict import Figure, JointRow

TAKES = {
    'servo_only': (RED, 'servo alone'),
    'with_gravity': (ORANGE, 'servo + gravity compensation'),
    'with_feedforward': (GREEN, 'servo + feedforward'),
}
_PARTS = {
    'gravity': (BLUE, 'gravity  g(q)'),
    'coriolis': (PURPLE, 'Coriolis  C(q, v) v'),
    'inertial': (BROWN, 'inertia  M(q) a'),
    'friction': ('#7f8c8d', 'friction'),
}


@dataclass(frozen=True)
class Tracking:
    """The takes: times (m,) since the trajectory began [s], and the position minus the reference.

    Attributes:
        joints: n of them.
        errors: times (m,) and errors (m, n) [rad or m] by the names of `TAKES`.
        times: (k,) of the torques of the last take [s].
        torques: the command `effort` and its parts, (k, n) each [N m or N].
    """

    joints: Sequence[JointData]
    errors: dict[str, tuple[Array, Array]]
    times: Array
    torques: dict[str, Array]

    @classmethod
    def of(
        cls, joints: Sequence[JointData], trajectory: Trajectory, takes: dict[str, Phase]
    ) -> Tracking:
        """Measure the errors at the stamps of the states."""
        names, errors = [joint.name for joint in joints], {}
        for name, phase in takes.items():
            times = phase.states.seconds(phase.start)
            reference = np.array([trajectory.at(time)[0] for time in times])
            errors[name] = times, phase.states.columns('position', names) - reference
        last = takes['with_feedforward']
        torques = {part: last.torques.columns(part, names) for part in ('effort', *PARTS)}
        return cls(joints, errors, last.torques.seconds(last.start), torques)

    def rows(self) -> list[JointRow]:
        """The root mean square of the errors of each joint."""
        rms = (np.sqrt((self.errors[name][1] ** 2).mean(axis=0)).tolist() for name in TAKES)
        return [
            JointRow(joint.name, units([joint]), *errors)
            for joint, *errors in zip(self.joints, *rms, strict=True)
        ]

    def figures(self) -> list[Figure]:
        """Each figure with its bound."""
        rows = self.rows()
        worst = max(rows, key=lambda row: row.ratio)
        with_feedforward = np.linalg.norm([row.with_feedforward for row in rows])
        overall = float(with_feedforward / np.linalg.norm([row.servo_only for row in rows]))
        label = 'tracking error with feedforward / of the servo alone'
        return [
            Figure('ratio', label, overall, 'x', at_most=0.2),
            Figure('worst_ratio', f'the same, worst joint ({worst.name})', worst.ratio, 'x',
                   at_most=0.4),
        ]  # fmt: skip

    def draw_errors(self, axes: Axes) -> None:
        """The errors of the joint whose torque varies most."""
        i = self._shown()
        for name, (colour, label) in TAKES.items():
            times, error = self.errors[name]
            axes.plot(times, 1e3 * error[:, i], color=colour, lw=1.8, label=label)
        axes.set_title('Tracking error on a fast trajectory')
        axes.set_xlabel('time since the fast trajectory began [s]')
        axes.set_ylabel(f'position - reference [m{units([self.joints[i]])}]')
        legend_above(axes, self.joints[i].name, columns=1)

    def draw_joints(self, axes: Axes) -> None:
        """The RMS error of each joint, on a logarithmic axis."""
        rows = self.rows()
        places = np.arange(len(rows))
        values = {name: 1e3 * np.array([getattr(row, name) for row in rows]) for name in TAKES}
        for k, (name, (colour, label)) in enumerate(TAKES.items()):
            label = label.removeprefix('servo ') if k else label
            axes.barh(places + 0.27 * (k - 1), values[name], 0.25, color=colour, label=label)
        for place, row in zip(places, rows, strict=True):
            if len(rows) <= MANY and row.ratio > 0:
                text = f'{1 / row.ratio:.0f} times less'
                at = 1.12e3 * row.with_feedforward, place + 0.27
                axes.text(*at, text, va='center', size=10, color=GREEN)
        axes.set_xscale('log')
        axes.set_xlim(left=min(part[part > 0].min(initial=1e3) for part in values.values()) / 5)
        axes.set_yticks(places, [row.name for row in rows])
        axes.invert_yaxis()
        axes.grid(axis='y', visible=False)
        axes.set_title('Tracking error of each joint')
        axes.set_xlabel(f'RMS tracking error, logarithmic [{units(self.joints, "m")}]')
        axes.legend(loc='upper center', bbox_to_anchor=(0.4, -0.13), ncols=3, columnspacing=1.2)

    def draw_torques(self, axes: Axes) -> None:
        """The feedforward torque of that joint, and its parts."""
        i, inside = self._shown(), self.times >= 0
        times, parts = self.times[inside], {k: v[inside] for k, v in self.torques.items()}
        axes.plot(times, parts['effort'][:, i], color='black', lw=3, label='commanded')
        for name, (colour, label) in _PARTS.items():
            if parts[name].any():
                axes.plot(times, parts[name][:, i], color=colour, lw=1.8, label=label)
        axes.set_title('Feedforward torque and its parts')
        axes.set_xlabel('time since the fast trajectory began [s]')
        axes.set_ylabel(f'feedforward torque [{units([self.joints[i]], effort=True)}]')
        legend_above(axes, self.joints[i].name, columns=2)

    def _shown(self) -> int:
        """The index of the joint whose torque varies most."""
        return int(np.ptp(self.torques['effort'], axis=0).argmax())


def track(
    client: DemoClient,
    joints: Sequence[str],
    trajectory: Trajectory,
    settle: float,
    *targets: str,
) -> Phase:
    """Let the arm follow a trajectory of these joints, that each target is sent."""
    client.reset_arm(servo=True)
    client.set_arm(brake=False)
    client.wait(settle)
    start = client.send_trajectory(trajectory, joints, *targets)
    client.wait(LEAD + trajectory.end + 0.1)
    phase = client.phase(start, start + int(trajectory.end * 1e9))
    client.set_arm(brake=True)
    return phase
