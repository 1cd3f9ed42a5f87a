"""The identification of a robot: fit, validate, save.

>>> recording = Recording.read('monday/', parse_urdf(urdf))
>>> identified = Identifier(urdf, friction='auto').fit([recording])
>>> identified.summary
>>> identified.save('identified/')
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from typing import Literal, get_args

import numpy as np

from robot_dynamics_ros.comparison import Comparison
from robot_dynamics_ros.comparison.findings import conclude
from robot_dynamics_ros.comparison.recorded_joints import compared_model
from robot_dynamics_ros.core import (
    ParameterError,
    RobotDynamics,
    RobotModel,
    UnknownNameError,
    parse_urdf,
)
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import RecordingError, RobotDynamicsError
from robot_dynamics_ros.core.model.gravity import STANDARD_GRAVITY
from robot_dynamics_ros.recordings import Recording

from .findings import (
    CERTAIN,
    of_delay,
    of_loads,
    of_parameters,
    of_recordings,
    of_residuals,
    of_rows,
)
from .friction_law import Friction
from .identified import Identified
from .parameters import Parameters
from .recorded_rows import FEWEST, Load, Opens, Progress, RecordedRobot, RecordedRows, Source
from .validation import cross_validated, validated

Recordings = Mapping[str, Recording | Opens] | Sequence[Recording]
Effort = Literal['torque', 'torque-sensor', 'current']
EFFORTS: tuple[Effort, ...] = get_args(Effort)
# Largest delay that is found or given [s]: no driver delivers efforts later. It is certain from
# `CERTAIN` times the half width of its interval on: friction that lags behind a reversal looks
# like a small one. Rounds of shifts, and where they end [s].
LARGEST_DELAY, ROUNDS, SETTLED = 0.2, 4, 2e-4
# Rounds in which gains of drives are refined: columns are of the scaled efforts.
GAIN_ROUNDS = 3
LAWS = 'auto', 'asymmetric'
ALLOWED = {
    'friction': f'{", ".join(LAWS)}, or a speed above 0',
    'delay': f'auto, or less than {LARGEST_DELAY:g} s to either side',
    'effort': ', '.join(EFFORTS),
    'gains': 'numbers other than 0',
    'loads': 'masses above 0',
}


@dataclass(frozen=True)
class Identifier:
    """Identifies a robot from recordings of its joint states.

    Attributes:
        robot: text of the URDF, which `Identified.save` needs; or the model alone.
        friction: 'auto': of each joint the law that the node evaluates and that explains most, see
            `friction_law`; 'asymmetric': the same, each direction has coefficients of its own, and
            there is no offset; or viscous and Coulomb alone, with this v_0 of all joints [rad/s or
            m/s].
        effort: 'torque'; 'torque-sensor' behind the gears, where no rotor inertia acts and none is
            fitted; or 'current', whose gains are estimated too.
        delay: of the efforts behind the states [s]; 'auto': it is found, and 0 if none is certain.
        gains: known ones of drives, by joint [N m/A or N/A].
        loads: each (link, mass [kg], name of the recording that has it).
        progress: shows how far each pass over the recordings is.
        gravity: (3,) in the axes of the root link [m/s^2].
    """

    robot: RobotModel | str
    friction: Friction = 'auto'
    effort: Effort = 'torque'
    delay: Literal['auto'] | float = 'auto'
    gains: Mapping[str, float] = field(default_factory=dict)
    loads: Sequence[tuple[str, float, str]] = ()
    progress: Progress = RecordedRobot.progress
    gravity: Sequence[float] = STANDARD_GRAVITY

    def __post_init__(self) -> None:
        """Refuse what cannot be meant.

        Raises:
            ParameterError: a setting has another value, or the scale of currents cannot be known.
        """
        is_allowed = {
            'friction': self.friction in LAWS or _is_within(self.friction, 0.0, np.inf),
            'delay': self.delay == 'auto' or _is_within(self.delay, -LARGEST_DELAY, LARGEST_DELAY),
            'effort': self.effort in EFFORTS,
            # Negative: the sign of the effort is not that of the joint.
            'gains': all(np.isfinite(gain) and gain for gain in self.gains.values()),
            'loads': all(_is_within(mass, 0.0, np.inf) for _, mass, _ in self.loads),
        }
        for name, text in ALLOWED.items():
            if not is_allowed[name]:
                raise ParameterError(f'{name}: {getattr(self, name)!r}, allowed: {text}')
        if self.effort != 'current' and self.gains:
            raise ParameterError('gains are of efforts that are currents: give --effort current')
        if self.effort == 'current' and not (self.gains or self.loads):
            raise ParameterError(
                'currents alone do not fix the scale of masses and gains: give the gain of a '
                'drive, or a load of known mass in one of the recordings'
            )

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
        fitted, held = _by_name(recordings), _by_name(held_out or ())
        if twice := sorted(set(fitted) & set(held)):
            raise ParameterError(f'{twice[0]} is fitted too: hold out another recording')
        if not fitted:
            raise RecordingError('there is no recording: name at least one')
        sources, errors = self._compared(fitted, held)
        robot, recorded = self._scaled(*self._shifted(self._recorded(sources), sources))
        found, rows = robot.fit(recorded.whole), recorded.whole
        predicted, changed = cross_validated(robot, recorded, found)
        parameters = Parameters(robot, recorded, found)
        validation = validated(robot.model, rows, predicted)
        scaled = self.effort != 'current'
        findings = [
            *of_recordings(sources, scaled=scaled),
            *of_rows(robot, recorded, changed),
            *of_parameters(robot.model, parameters),
            *(of_delay(robot.delay) if self.delay == 'auto' else ()),
            *(of_loads(robot, rows) if scaled else ()),
            *(of_residuals(robot.model, rows, validation) if scaled else ()),
        ]
        names = robot.model.joint_names
        said = any(one.code == 'missing' for one in findings)
        remarks = [one.compared.remark for one in sources if one.compared.remark and not said]
        return Identified(
            robot,
            recorded,
            found,
            parameters,
            validation,
            predicted,
            conclude(findings, len(names)),
            errors,
            urdf=self.robot if isinstance(self.robot, str) else '',
            locked=tuple(name for name in self.model.joint_names if name not in names),
            remarks=tuple(dict.fromkeys(remarks)),
        )

    def _compared(self, *groups: Mapping[str, Opens]) -> tuple[list[Source], dict[str, str]]:
        """Recordings to fit and to hold out, beside the URDF; and why others cannot be used.

        Raises:
            RecordingError: none is left to fit, or to hold out where some are named.
        """
        comparison = Comparison(self.model, gravity=self.gravity)
        errors: dict[str, str] = {}
        sources: list[Source] = []
        for name, opens in chain.from_iterable(group.items() for group in groups):
            try:
                recording = opens()
                with self.progress(name, recording.size, 'states') as advance:
                    compared = comparison.of(recording, name, advance)
                errors[name] = compared.error
            except (RobotDynamicsError, OSError) as error:
                errors[name] = str(error)
            if not errors[name]:
                held_out = name in groups[1]
                sources.append(Source(name, opens, recording.name, compared, held_out))
        # A short recording of a few joints does not decide.
        longest = max(sources, key=lambda one: one.compared.samples, default=None)
        for one in sources:
            own, joints = list(one.compared.joints), list(longest.compared.joints)
            if own != joints:
                errors[one.name] = (
                    f'{one.name} has the joints {", ".join(own)}, others have '
                    f'{", ".join(joints)}: identify them apart'
                )
        errors = {name: text for name, text in errors.items() if text}
        for group in filter(None, groups):
            if group.keys() <= errors.keys():
                raise RecordingError(errors[next(iter(group))])
        return [one for one in sources if one.name not in errors], errors

    def _recorded(self, sources: Sequence[Source]) -> RecordedRobot:
        """How rows are made.

        Raises:
            UnknownNameError: a setting names what does not exist.
        """
        model = compared_model(self.model, tuple(sources[0].compared.joints))
        if self.effort == 'torque-sensor':
            model = model.with_armature({joint.name: 0.0 for joint in model.joints})
        known = np.zeros(model.size, bool)
        known[[model.index_of(joint) for joint in self.gains]] = True
        loads = [Load(*one, f'carried {number}') for number, one in enumerate(self.loads, 1)]
        names = tuple(one.name for one in sources)
        for one in loads:
            model.frame(one.link)
            if one.recording not in names:
                raise UnknownNameError('recording', one.recording, names)
        # An effort that is not measured at all is no torque that a body could explain.
        silent = {
            joint
            for one in sources
            for each in one.compared.findings
            if each.code == 'no_effort' and each.value is None
            for joint in each.joints
        }
        return RecordedRobot(
            RobotDynamics(model, gravity=self.gravity),
            self.friction,
            rotors=self.effort != 'torque-sensor',
            scales=np.array([self.gains.get(name, 1.0) for name in model.joint_names]),
            gains=~known & (self.effort == 'current'),
            measured=np.array([name not in silent for name in model.joint_names]),
            loads=loads,
            delay=0.0 if self.delay == 'auto' else self.delay,
            progress=self.progress,
        )

    def _shifted(
        self, robot: RecordedRobot, sources: Sequence[Source]
    ) -> tuple[RecordedRobot, RecordedRows]:
        """With the delay of the efforts that is given, or certain.

        The slope of the efforts is a regressor: its coefficient is minus the delay that is left.

        Raises:
            ParameterError: no joint moves with a measured effort.
        """
        usual = robot, robot.rows(sources)
        if not usual[1].whole.used.any():
            raise ParameterError(
                f'no joint has {FEWEST} rows with motion and a measured effort: record a motion '
                'of all joints, such as that of robot_dynamics excite, with efforts'
            )
        shifted, recorded = usual
        interval = max(1.0 / one.compared.rate for one in sources)
        for _ in range(ROUNDS if self.delay == 'auto' else 0):
            whole = robot.whole(recorded.whole, prior={'delay': _any_delay})
            left = -float(whole.value('delay')[0])
            delay = shifted.delay + left
            certain = CERTAIN * float(whole.half_widths('delay')[0])
            if not max(interval, certain) <= abs(delay) <= LARGEST_DELAY:
                return usual
            if abs(left) < SETTLED:
                break
            shifted = replace(robot, delay=delay)
            recorded = shifted.rows(sources)
        return shifted, recorded

    def _scaled(
        self, robot: RecordedRobot, recorded: RecordedRows
    ) -> tuple[RecordedRobot, RecordedRows]:
        """With efforts times the gains of drives that explain them; first, those of the URDF."""
        if not robot.gains.any():
            return robot, recorded
        rows = recorded.whole
        efforts, torques = rows.used * (rows.rigid + rows.torque), rows.used * rows.rigid
        products = np.sum(efforts * torques, axis=0)
        squares = np.maximum(np.sum(efforts**2, axis=0), np.finfo(float).tiny)
        factors = np.where(products != 0.0, products / squares, 1.0)
        for _ in range(GAIN_ROUNDS):
            robot = replace(robot, scales=robot.scales * np.where(robot.gains, factors, 1.0))
            recorded = robot.rows(recorded.sources)
            factors = 1.0 / (1.0 + robot.whole(recorded.whole).value('gain'))
        return robot, recorded


def _is_within(value: object, low: float, high: float) -> bool:
    return isinstance(value, (int, float)) and low < value < high


def _any_delay(delay: Array) -> Array:
    return np.full_like(delay, LARGEST_DELAY)


def _by_name(recordings: Recordings) -> dict[str, Opens]:
    """What reads each recording, by its name.

    Raises:
        ParameterError: two have one name.
    """
    if not isinstance(recordings, Mapping):
        for name, count in Counter(one.name for one in recordings).items():
            if count > 1:
                raise ParameterError(f'{name} is named twice: name each recording once')
        recordings = {one.name: one for one in recordings}
    return {
        name: (lambda one=one: one) if isinstance(one, Recording) else one
        for name, one in recordings.items()
    }
