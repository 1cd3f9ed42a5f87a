"""A motion that tells as much as it can about the parameters of a robot."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from robot_dynamics_ros.core import RobotDynamics, RobotModel
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import ParameterError, StateError

from ..observability.excitation import LARGEST_CONDITION
from .candidate_motions import (
    Candidates,
    largest_allowed,
    random_motion,
    resting_poses,
)
from .clearance.clearance import Clearance
from .excitation_settings import POINTS, Band, ExcitationSettings
from .fourier_series import FourierSeries
from .information import Information, Merit
from .motion_effort import Effort
from .motion_limits import MotionLimits
from .optimisation import Optimisation
from .utilisation import Utilisation, utilisation
from .violation import MotionConstraints

# Programs of the robot that are needed.
QUANTITIES = ('regressor', 'inverse_dynamics', 'inverse_dynamics_derivatives', 'frame_poses')
# Random motions, with which the result is compared, and of which the best are optimised.
RANDOM = 12
STARTS = 2
# Random poses, at which it is seen which bodies are always near each other.
POSES = 300


@dataclass(frozen=True)
class Excitation:
    """The motion, and what it is worth.

    Attributes:
        model: the robot, with the joints that move.
        settings: that were asked for.
        band: of frequencies.
        series: the motion.
        limits: of the joints.
        information: what is computed of a motion.
        merit: of the motion, over all its periods.
        random: log det of random motions (k,).
        used: of the limits.
        effort: torques of motions.
        clearance: what is checked of the geometry.
    """

    model: RobotModel
    settings: ExcitationSettings
    band: Band
    series: FourierSeries
    limits: MotionLimits
    information: Information
    merit: Merit
    random: Array
    used: Utilisation
    effort: Effort
    clearance: Clearance

    @property
    def improvement(self) -> float:
        """How many times smaller standard deviations are than with the median random motion.

        The geometric mean over the base parameters.
        """
        gained = self.merit.log_det - float(np.median(self.random))
        return float(np.exp(gained / (2.0 * self.information.rank)))

    @property
    def doubts(self) -> list[str]:
        """Why the motion needs a second look before it is played, and what to change."""
        doubts = [self.advice] if self.advice else []
        if self.clearance.unread:
            links = ', '.join(self.clearance.unread)
            doubts.append(
                f'the collision geometry of {links} could not be used, so self-collision is not '
                'excluded: make its files available (source the workspace of the robot, or set '
                'ROS_PACKAGE_PATH), or look at the motion in a simulation with this geometry'
            )
        return doubts

    @property
    def advice(self) -> str:
        """What to change where some parameters are determined poorly; empty where none are."""
        if self.merit.condition <= LARGEST_CONDITION:
            return ''
        return (
            f'condition {self.merit.condition:.3g} is above {LARGEST_CONDITION:g}: some '
            'parameters are hardly determined. Try a larger --share, --steps or --frequency, '
            'another --seed, or --joints without those that are slow or have a short range'
        )

    @property
    def times(self) -> Array:
        """Of the points of the trajectory (m,), from 0 to the duration [s]."""
        count = POINTS * self.band.harmonics * self.band.periods
        return np.linspace(0.0, self.settings.duration, count + 1)


def excite(
    dynamics: RobotDynamics,
    urdf: str,
    folder: Path | None,
    settings: ExcitationSettings,
    advance: Callable[[int], None] = lambda done: None,
) -> Excitation:
    """Find a motion that maximises the information of the base parameters within the limits.

    Args:
        dynamics: of the robot, reduced to the joints that are to move.
        urdf: text of its description, for the collision geometry.
        folder: of the description, for meshes; None if it is from elsewhere.
        settings: what is asked for.
        advance: called with the number of steps that were done, `steps` of the settings in all.

    Raises:
        ParameterError: no motion is possible with these settings.
    """
    band = Band.of(settings)
    generator = np.random.default_rng(settings.seed)
    limits = MotionLimits.of(dynamics.model, settings.acceleration)
    constraints = _constraints(dynamics, urdf, folder, settings, limits, generator)
    start = _checked_start(dynamics.model, settings, constraints)
    candidates = Candidates(band, limits.velocity, limits.half, start)
    information = Information(dynamics)
    poses = resting_poses(constraints, generator) if start is None else start[None]
    motions = [random_motion(candidates, constraints, poses, generator) for _ in range(RANDOM)]
    values = [_merit(information, motion, candidates).log_det for motion in motions]
    motions = [motions[index] for index in np.argsort(values)[::-1]]
    series = _best(motions, candidates, information, constraints, settings.steps, advance)
    return Excitation(
        dynamics.model,
        settings,
        band,
        series,
        limits,
        information,
        _merit(information, series, candidates),
        np.array(values),
        utilisation(series, constraints, band),
        constraints.effort,
        constraints.clearance,
    )


def _constraints(
    dynamics: RobotDynamics,
    urdf: str,
    folder: Path | None,
    settings: ExcitationSettings,
    limits: MotionLimits,
    generator: np.random.Generator,
) -> MotionConstraints:
    poses = limits.middle + limits.half * generator.uniform(-1.0, 1.0, (POSES, len(limits.half)))
    clearance = Clearance(
        dynamics, urdf, folder, poses, distance=settings.distance, floor=settings.floor
    )
    return MotionConstraints(limits, settings.share, Effort(dynamics), clearance)


def _checked_start(
    model: RobotModel, settings: ExcitationSettings, constraints: MotionConstraints
) -> Array | None:
    """Where the motion starts (n,), if that was asked for."""
    if settings.start is None:
        return None
    start = np.array(settings.start)
    if len(start) != model.size:
        raise StateError(
            f'start has {len(start)} values, needed are {model.size}: '
            f'{", ".join(model.joint_names)}'
        )
    limits = constraints.limits
    beyond = np.abs(start - limits.middle) > constraints.share * limits.half
    if beyond.any():
        joint = int(np.argmax(beyond))
        low, high = (
            limits.middle[joint] + sign * constraints.share * limits.half[joint]
            for sign in (-1.0, 1.0)
        )
        raise ParameterError(
            f'start of {model.joint_names[joint]} is {start[joint]:g}, with '
            f'{constraints.share:.0%} '
            f'of its range allowed are {low:.4g} to {high:.4g}'
        )
    if constraints.resting_excess(start[None])[0] > 0.0:
        raise ParameterError(
            f'the robot may not rest at the start: {constraints.excess_at(start)}'
        )
    return start


def _merit(information: Information, series: FourierSeries, candidates: Candidates) -> Merit:
    """By all periods of a motion."""
    merit = information.of(*series.at(candidates.times))
    repeated = information.rank * np.log(candidates.band.periods)
    return Merit(merit.log_det + float(repeated), merit.condition)


def _best(
    motions: list[FourierSeries],
    candidates: Candidates,
    information: Information,
    constraints: MotionConstraints,
    steps: int,
    advance: Callable[[int], None],
) -> FourierSeries:
    """The best motion that keeps its limits.

    Args:
        motions: random ones, the best first.
        candidates: motions among which to search.
        information: of motions.
        constraints: what a motion may use.
        steps: of the optimisation.
        advance: called with the number of steps that were done.

    Raises:
        ParameterError: none keeps its limits.
    """

    def holds(series: FourierSeries) -> bool:
        far = 2.0 * constraints.clearance.distance
        return utilisation(series, constraints, candidates.band, far).within(constraints.share)

    usable = []
    for number, first in enumerate([*motions[:STARTS], motions[0]]):
        found = first
        if number < STARTS:
            part = steps * (number + 1) // STARTS - steps * number // STARTS
            search = Optimisation(candidates, information, constraints, part, advance)
            found = search.best(first, holds)
        # What is violated a little is shrunk towards its start, which rests.
        shrunk = largest_allowed(found.scaled, holds)
        if shrunk is not None:
            usable.append(shrunk)
    if not usable:
        raise ParameterError(
            'no motion was found within the limits: allow a larger --share, a smaller --distance, '
            'a lower --floor, or try another --seed'
        )
    return max(usable, key=lambda one: _merit(information, one, candidates).log_det)
