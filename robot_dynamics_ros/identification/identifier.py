"""Fit a robot to recordings, validate it, and say what the data leave open."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal, get_args

import numpy as np

from robot_dynamics_ros.comparison import Comparison
from robot_dynamics_ros.comparison.findings import conclude
from robot_dynamics_ros.comparison.recorded_joints import compared_model
from robot_dynamics_ros.core import ParameterError, RobotDynamics, RobotModel, parse_urdf
from robot_dynamics_ros.core.errors import RecordingError, RobotDynamicsError, UnknownNameError
from robot_dynamics_ros.core.model.gravity import STANDARD_GRAVITY
from robot_dynamics_ros.recordings import Recording
from robot_dynamics_ros.regression.fit import TINY

from . import findings
from .friction_law import Friction
from .identified import Identified
from .parameters import Parameters
from .recorded_rows import (
    MIN_ROWS,
    Load,
    Opens,
    Progress,
    RecordedRobot,
    RecordedRows,
    Source,
    opener,
)
from .validation import cross_validated, validated

Recordings = Mapping[str, Recording | Opens] | Sequence[Recording]
Named = list[tuple[str, Opens]]
Effort = Literal['torque', 'torque-sensor', 'current']
EFFORTS: tuple[Effort, ...] = get_args(Effort)
# Largest delay that is found or given [s]: no driver delivers efforts later. What it is at least
# [half intervals]: friction that lags behind a reversal looks like a small one. Rounds at most in
# which it is found, or gains of drives, and where they end [s].
MAX_DELAY, CERTAIN, ROUNDS, SETTLED = 0.2, 2.5, 4, 2e-4


@dataclass(frozen=True)
class Identifier:
    """Identifies a robot from recordings of its joint states.

    Friction is 'auto': of each joint the law that the node evaluates and that explains most, see
    `friction_law`; 'asymmetric': the same with coefficients for each direction, and no offset; or
    viscous and Coulomb alone, with this v_0 of all joints [rad/s or m/s]. Efforts are 'torque';
    'torque-sensor' behind the gears, where no rotor inertia acts and none is fitted; or 'current',
    whose gains are estimated too.

    Raises:
        ParameterError: a setting has another value, or the scale of currents cannot be known.
    """

    robot: RobotModel | str  #: text of the URDF, which `Identified.save` needs; or the model alone
    friction: Friction = 'auto'
    effort: Effort = 'torque'
    delay: Literal['auto'] | float = 'auto'  #: of efforts [s]; 'auto': 0 if none is certain
    gains: Mapping[str, float] = field(default_factory=dict)  #: known, by joint [N m/A or N/A]
    loads: Sequence[tuple[str, float, str]] = ()  #: (link, mass [kg], name of the recording)
    progress: Progress = RecordedRobot.progress  #: of each pass over the recordings
    gravity: Sequence[float] = STANDARD_GRAVITY  #: (3,) in the axes of the root link [m/s^2]

    def __post_init__(self) -> None:
        """Refuse what cannot be meant."""
        friction, limit, is_current = self.friction, MAX_DELAY, self.effort == 'current'
        is_law = friction in ('auto', 'asymmetric') or _is_within(friction, 0.0, np.inf)
        is_delay = self.delay == 'auto' or _is_within(self.delay, -limit, limit)
        # Currents alone do not fix the scale of masses and gains.
        is_scaled = not is_current or bool(self.gains or self.loads)
        # Negative: the sign of the effort is not that of the joint.
        are_gains = all(np.isfinite(one) and one for one in self.gains.values())
        settings = {
            'friction': (is_law, 'auto, asymmetric, or a speed above 0'),
            'delay': (is_delay, f'auto, or less than {limit:g} s'),
            'gains': (
                are_gains and (is_current or not self.gains),
                'not 0, with --effort current',
            ),
            'loads': (all(_is_within(mass, 0.0, np.inf) for _, mass, _ in self.loads), 'above 0'),
            'effort': (
                self.effort in EFFORTS and is_scaled,
                f'{", ".join(EFFORTS)}, with the gain of a drive or a load of known mass',
            ),
        }
        for name, (is_allowed, text) in settings.items():
            if not is_allowed:
                raise ParameterError(f'{name} is {getattr(self, name)!r}, allowed: {text}')

    @cached_property
    def model(self) -> RobotModel:
        """The whole robot."""
        return parse_urdf(self.robot) if isinstance(self.robot, str) else self.robot

    def fit(self, recordings: Recordings, held_out: Recordings | None = None) -> Identified:
        """Fit the robot to everything, and predict each part by models that have not seen it.

        Args:
            recordings: of the joints of the robot, or of those that were recorded: a sequence, or
                by name, read or what reads them: these are read one after another.
            held_out: recordings to validate by; None: blocks of time of the others, each of which
                is predicted by a model of the other blocks.

        Raises:
            RecordingError: no recording can be used.
            ParameterError: the recordings show no motion, or a name comes twice.
            UnknownNameError: a setting names what does not exist.
        """
        groups = [_named(recordings), _named(held_out or ())]
        names = [name for group in groups for name, _ in group]
        if twice := [name for name in names if names.count(name) > 1]:
            raise ParameterError(f'{twice[0]} is named twice: fit it once, or hold it out')
        if not groups[0]:
            raise RecordingError('there is no recording: name at least one')
        sources, errors = self._compared(*groups)
        for group in filter(None, groups):
            if all(name in errors for name, _ in group):
                raise RecordingError(errors[group[0][0]])
        recorded = self._scaled(self._shifted(self._robot(sources).rows(sources)))
        robot, found = recorded.robot, recorded.robot.fit(recorded.whole)
        predicted, changed = cross_validated(recorded, found)
        parameters = Parameters(recorded, found)
        validation = validated(robot.model, recorded.whole, predicted)
        scaled, joints = self.effort != 'current', robot.model.joint_names
        said = [
            *findings.of_recordings(sources, scaled=scaled),
            *findings.of_rows(recorded, changed),
            *findings.of_parameters(robot.model, parameters),
            *(findings.of_delay(robot.delay) if self.delay == 'auto' else ()),
            *(findings.of_residuals(recorded, validation) if scaled else ()),
        ]
        remarks = dict.fromkeys(one.compared.remark for one in sources)
        if any(one.code == 'missing' for one in said):
            remarks = {}
        return Identified(
            recorded,
            found,
            parameters,
            validation,
            predicted,
            conclude(said, len(joints)),
            errors,
            urdf=self.robot if isinstance(self.robot, str) else '',
            locked=tuple(name for name in self.model.joint_names if name not in joints),
            remarks=tuple(filter(None, remarks)),
        )

    def _compared(self, fitted: Named, held: Named) -> tuple[list[Source], dict[str, str]]:
        """Recordings beside the URDF, one at a time, and why others cannot be used."""
        comparison = Comparison(self.model, gravity=self.gravity)
        errors, sources, names = {}, [], [name for name, _ in held]
        for name, opens in [*fitted, *held]:
            try:
                recording = opens()
                with self.progress(name, recording.size, 'states') as advance:
                    compared = comparison.of(recording, name, advance)
                if compared.error:
                    raise RecordingError(compared.error)
                sources.append(Source(name, opens, recording.name, compared, name in names))
            except (RobotDynamicsError, OSError) as error:  # noqa: PERF203
                errors[name] = str(error)
        # A short recording of a few joints does not decide.
        longest = sorted(sources, key=lambda one: one.compared.samples)[-1:]
        joints = [name for one in longest for name in one.compared.joints]
        for one in sources:
            if (own := list(one.compared.joints)) != joints:
                text = f'has the joints {", ".join(own)}, others have {", ".join(joints)}'
                errors[one.name] = f'{one.name} {text}: identify them apart'
        return [one for one in sources if one.name not in errors], errors

    def _robot(self, sources: Sequence[Source]) -> RecordedRobot:
        """The robot of the joints that were recorded."""
        model = compared_model(self.model, tuple(sources[0].compared.joints))
        rotors, names = self.effort != 'torque-sensor', tuple(one.name for one in sources)
        if not rotors:
            model = model.with_armature({joint.name: 0.0 for joint in model.joints})
        known = np.isin(np.arange(model.size), [model.index_of(joint) for joint in self.gains])
        for link, _, name in self.loads:
            model.frame(link)
            if name not in names:
                raise UnknownNameError('recording', name, names)
        # An effort that is not measured at all is no torque that a body could explain.
        said = [each for one in sources for each in one.compared.findings if each.value is None]
        silent = [joint for each in said if each.code == 'no_effort' for joint in each.joints]
        return RecordedRobot(
            RobotDynamics(model, gravity=self.gravity),
            self.friction,
            rotors,
            scales=np.array([self.gains.get(name, 1.0) for name in model.joint_names]),
            gains=~known & (self.effort == 'current'),
            measured=~np.isin(model.joint_names, silent),
            loads=[Load(*one, f'carried {number}') for number, one in enumerate(self.loads, 1)],
            delay=0.0 if self.delay == 'auto' else self.delay,
            progress=self.progress,
        )

    def _shifted(self, usual: RecordedRows) -> RecordedRows:
        """With the delay of the efforts that is given, or certain.

        The slope of the efforts is a regressor: its coefficient is minus the delay that is left.
        """
        if not usual.whole.used.any():
            raise ParameterError(
                f'no joint has {MIN_ROWS} rows with motion and a measured effort: record a motion '
                'of all joints, such as that of robot_dynamics excite, with efforts'
            )
        recorded, interval = usual, max(1.0 / one.compared.rate for one in usual.sources)
        for _ in range(ROUNDS if self.delay == 'auto' else 0):
            whole = usual.robot.whole(recorded.whole, delay=MAX_DELAY)
            left = -float(whole.value('delay')[0])
            delay = recorded.robot.delay + left
            certain = CERTAIN * float(whole.half_widths('delay')[0])
            if not max(interval, certain) <= abs(delay) <= MAX_DELAY:
                return usual
            if abs(left) < SETTLED:
                break
            recorded = replace(usual.robot, delay=delay).rows(usual.sources)
        return recorded

    def _scaled(self, recorded: RecordedRows) -> RecordedRows:
        """With efforts times the gains of drives that explain them; first, those of the URDF."""
        robot, rows = recorded.robot, recorded.whole
        efforts, torques = rows.used * (rows.rigid + rows.torque), rows.used * rows.rigid
        products = np.sum(efforts * torques, axis=0)
        squares = np.maximum(np.sum(efforts**2, axis=0), TINY)
        factors = np.where(products != 0.0, products / squares, 1.0)
        for _ in range(ROUNDS if robot.gains.any() else 0):
            recorded = recorded.scaled(np.where(robot.gains, factors, 1.0))
            factors = 1.0 / (1.0 + robot.whole(recorded.whole).value('gain'))
        return recorded


def _is_within(value: object, low: float, high: float) -> bool:
    return isinstance(value, (int, float)) and low < value < high


def _named(recordings: Recordings) -> Named:
    """What opens recordings, with their names."""
    if isinstance(recordings, Mapping):
        return [(name, opener(one)) for name, one in recordings.items()]
    return [(one.name, opener(one)) for one in recordings]
