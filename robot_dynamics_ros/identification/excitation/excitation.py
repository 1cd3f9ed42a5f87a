"""A trajectory that excites the parameters of a robot as much as its limits allow."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from robot_dynamics_ros.core import RobotDynamics, RobotModel
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import UnknownNameError

from ..findings import LARGEST_CONDITION
from .clearance import Clearance, Nearness
from .constraints import Constraints, MotionLimits
from .information import Information
from .motion import POINTS, ExcitationSettings, FourierSeries
from .optimisation import SEARCHES, Optimisation

__all__ = ['PROGRAMS', 'SEARCHES', 'Excitation', 'excite']

# Programs of the robot that are needed.
PROGRAMS = ('regressor', 'inverse_dynamics', 'inverse_dynamics_derivatives', 'frame_poses')
# Random poses, which show what bodies are always near each other.
POSES = 300
# Digits behind the point of positions, and of velocities and accelerations: rounding changes the
# accelerations between points by less than 1e-3 rad/s^2.
DIGITS = (7, 6, 6)


@dataclass(frozen=True)
class Excitation:
    """The trajectory, and what it determines.

    Attributes:
        model: the robot, with the joints that move.
        settings: that were asked for.
        series: the motion.
        information: what is computed of a motion.
        log_det: of the information of all periods.
        condition: of the weighted regressor of the base parameters, columns of unit length.
        random: log det of random motions (k,).
        constraints: limits and distances that it keeps.
        shares: (4, n) largest shares that it uses of the limits of position (of half the range,
            from its middle), velocity, acceleration and effort; 0 of an infinite one.
        near: how near bodies come; distances up to 0.5 m.
    """

    model: RobotModel
    settings: ExcitationSettings
    series: FourierSeries
    information: Information
    log_det: float
    condition: float
    random: Array
    constraints: Constraints
    shares: Array
    near: Nearness

    @property
    def improvement(self) -> float:
        """How many times smaller standard deviations are than with the median random motion.

        The geometric mean over the base parameters.
        """
        gained = self.log_det - float(np.median(self.random))
        return float(np.exp(gained / (2.0 * self.information.rank)))

    @property
    def doubts(self) -> list[str]:
        """Why the motion needs a second look before it is played, and what to change."""
        doubts = []
        if self.condition > LARGEST_CONDITION:
            doubts.append(
                f'condition {self.condition:.3g} is above {LARGEST_CONDITION:g}: some parameters '
                'are hardly determined. Try a larger --share or --frequency, another --seed, or '
                '--joints without those that are slow or have a short range'
            )
        if unread := self.constraints.clearance.geometry.unread:
            doubts.append(
                f'the collision geometry of {", ".join(unread)} could not be used, so '
                'self-collision is not excluded: make its files available (source the workspace '
                'of the robot, or set ROS_PACKAGE_PATH), or look at the motion in a simulation '
                'with this geometry'
            )
        return doubts

    @property
    def times(self) -> Array:
        """Of the points of the trajectory (m,), from 0 to the duration [s]."""
        return self.settings.band.times(POINTS, self.settings.band.periods)

    def trajectory_text(self, remarks: Sequence[str] = ()) -> str:
        """The trajectory as YAML of a trajectory_msgs/JointTrajectory.

        In braces, as `ros2 topic pub` takes it, and within those of a goal of
        FollowJointTrajectory too.
        """
        points = []
        for time, *states in zip(self.times, *self.series.at(self.times), strict=True):
            # Adding zero makes 0.0 of -0.0.
            q, v, a = (
                ', '.join(f'{round(float(x), digits) + 0.0:.{digits}f}' for x in state)
                for state, digits in zip(states, DIGITS, strict=True)
            )
            seconds, nanoseconds = divmod(round(1e9 * time), 10**9)
            points.append(
                f'  {{positions: [{q}], velocities: [{v}], accelerations: [{a}], '
                f'time_from_start: {{sec: {seconds}, nanosec: {nanoseconds}}}}},'
            )
        names = json.dumps(self.model.joint_names, ensure_ascii=False)
        comments = (f'# {" ".join(remark.split())}' for remark in remarks)
        lines = [*comments, f'{{joint_names: {names},', ' points: [', *points, ' ]', '}']
        return '\n'.join(lines) + '\n'


def excite(
    dynamics: RobotDynamics,
    urdf: str,
    folder: Path | None,
    settings: ExcitationSettings,
    advance: Callable[[int], object] = lambda done: None,
) -> Excitation:
    """Find a trajectory that maximises the information of the base parameters within the limits.

    Args:
        dynamics: of the robot, reduced to the joints that are to move.
        urdf: text of the URDF, for the collision geometry.
        folder: of its file, for meshes; None if it is from elsewhere.
        settings: what is asked for.
        advance: called with the number of stages that were done, `SEARCHES` in all.

    Raises:
        ParameterError: no trajectory is possible with these settings.
        UnknownNameError: the start names a joint that does not move.
    """
    model, band = dynamics.model, settings.band
    for name in settings.start:
        if name not in model.joint_names:
            raise UnknownNameError('joint of the start', name, model.joint_names)
    generator = np.random.default_rng(settings.seed)
    limits = MotionLimits.of(model, settings.acceleration)
    clearance = Clearance(
        dynamics, urdf, folder, limits.drawn(generator, POSES), distance=settings.distance,
        floor=settings.floor,
    )  # fmt: skip
    constraints = Constraints(dynamics, limits, settings.share, clearance)
    information = Information(dynamics)
    start = None
    if settings.start:
        start = limits.home()
        start[[*map(model.joint_names.index, settings.start)]] = [*settings.start.values()]
    search = Optimisation(band, information, constraints, start, generator)
    series, random = search.best(settings.iterations, advance)
    merit = information.of(*series.at(search.times))
    log_dets = np.array([merit.log_det, *random]) + information.rank * np.log(band.periods)
    return Excitation(
        model,
        settings,
        series,
        information,
        float(log_dets[0]),
        merit.condition,
        log_dets[1:],
        constraints,
        *constraints.used(series),
    )
