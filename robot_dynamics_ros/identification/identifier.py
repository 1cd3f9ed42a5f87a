"""The identification of a robot: fit, validate, save.

>>> recording = Recording.read('monday/', parse_urdf(urdf))
>>> identified = Identifier(urdf, friction='auto').fit([recording])
>>> identified.summary
>>> identified.save('identified/')
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Literal, get_args

import numpy as np

from robot_dynamics_ros.comparison import Comparison, Finding
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
from robot_dynamics_ros.regression.fit import Prior
from robot_dynamics_ros.regression.regressors import ARMATURE, BODIES, DELAY, GAIN, payload_on

from .findings import CERTAIN, of_loads, of_parameters, of_recordings, of_residuals, of_rows
from .friction_law import Friction, friction_terms
from .identified import Identified
from .parameters import Parameters
from .payload import plausible_payload
from .recorded_rows import (
    FEWEST,
    Load,
    Opens,
    Progress,
    RecordedRobot,
    RecordedRows,
    Source,
    no_progress,
)
from .robot_fit import RobotFit
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
    progress: Progress = no_progress
    gravity: Sequence[float] = STANDARD_GRAVITY

    def __post_init__(self) -> None:
        """Refuse what cannot be meant.

        Raises:
            ParameterError: a setting has another value, or the scale of currents cannot be known.
        """
        laws, current = ('auto', 'asymmetric'), self.effort == 'current'
        wrong = {
            f'friction is {self.friction!r}: {", ".join(laws)}, or a speed above 0 is needed': (
                self.friction not in laws and not _is_within(self.friction, 0.0, np.inf)
            ),
            f'delay is {self.delay!r}: auto, or less than {LARGEST_DELAY:g} s is needed': (
                self.delay != 'auto' and not _is_within(self.delay, -LARGEST_DELAY, LARGEST_DELAY)
            ),
            f'effort is {self.effort!r}, allowed are {", ".join(EFFORTS)}': (
                self.effort not in EFFORTS
            ),
            f'gains are {dict(self.gains)}: finite ones are needed, and none of 0': (
                # Negative: the sign of the effort is not that of the joint.
                not all(np.isfinite(gain) and gain for gain in self.gains.values())
            ),
            f'loads are {list(self.loads)}: masses above 0 are needed': (
                not all(_is_within(mass, 0.0, np.inf) for _, mass, _ in self.loads)
            ),
            'gains are of efforts that are currents: give --effort current': (
                bool(self.gains) and not current
            ),
            'the scale of masses and gains cannot be known from currents alone: give the gain of '
            'a drive, or a load of known mass in one of the recordings': (
                current and not (self.gains or self.loads)
            ),
        }
        for text, is_wrong in wrong.items():
            if is_wrong:
                raise ParameterError(text)

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
        sources, errors = self._compared({**fitted, **held}, held)
        robot, recorded = self._shifted(self._recorded(sources), sources)
        robot, recorded = self._scaled(robot, recorded)
        rows, fit = recorded.whole, self._fit(robot)
        found = fit(rows)
        predicted, changed = cross_validated(recorded, fit, found)
        parameters = Parameters(robot, recorded, found, fit.whole(rows, bounded=False))
        validation = validated(robot.model, rows, predicted)
        scaled = self.effort != 'current'
        findings = [
            *of_recordings(sources, scaled=scaled),
            *of_rows(robot, recorded, changed),
            *of_parameters(robot.model, parameters),
            *self._of_delay(robot.delay),
            *(of_loads(robot, rows, fit) if scaled else ()),
            *(of_residuals(robot.model, rows, validation) if scaled else ()),
        ]
        names = robot.model.joint_names
        said = any(one.code == 'missing' for one in findings)
        remarks = [one.compared.remark for one in sources]
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
            remarks=() if said else tuple(dict.fromkeys(filter(None, remarks))),
        )

    def _compared(
        self, named: Mapping[str, Opens], held_out: Collection[str]
    ) -> tuple[list[Source], dict[str, str]]:
        """The usable recordings beside the URDF, and why others are not; one at a time.

        Raises:
            RecordingError: none is left to fit, or to hold out where some are named.
        """
        comparison = Comparison(self.model, gravity=self.gravity)
        errors: dict[str, str] = {}
        sources: list[Source] = []
        for name, opens in named.items():
            try:
                recording = opens()
                with self.progress(name, recording.size, 'states') as advance:
                    compared = comparison.of(recording, name, advance)
            except (RobotDynamicsError, OSError) as error:
                errors[name] = str(error)
                continue
            if compared.error:
                errors[name] = compared.error
            else:
                sources.append(Source(name, opens, recording.name, compared, name in held_out))
        # The joints of most of the samples: a short recording of a few others does not decide.
        sizes: Counter[tuple[str, ...]] = Counter()
        for one in sources:
            sizes[tuple(one.compared.joints)] += one.compared.samples
        ((most, _),) = sizes.most_common(1) or [((), 0)]
        for one in sources:
            if (own := tuple(one.compared.joints)) != most:
                errors[one.name] = (
                    f'{one.name} has the joints {", ".join(own)}, others have '
                    f'{", ".join(most)}: identify them apart'
                )
        sources = [one for one in sources if one.name not in errors]
        for wanted in (False, True) if held_out else (False,):
            if not any(one.held_out is wanted for one in sources):
                texts = [text for name, text in errors.items() if (name in held_out) is wanted]
                raise RecordingError((*texts, 'there is no recording: name at least one')[0])
        return sources, errors

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
            if one.recording not in names:
                raise UnknownNameError('recording', one.recording, names)
        carried = [replace(payload_on(model, one.link), name=one.term) for one in loads]
        rotors = [ARMATURE] if self.effort != 'torque-sensor' else []
        gains = ~known & (self.effort == 'current')
        own = [*rotors, *friction_terms(self.friction), *([GAIN] if gains.any() else [])]
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
            [BODIES, DELAY, *carried, *own],
            np.array([self.gains.get(name, 1.0) for name in model.joint_names]),
            gains,
            np.array([name not in silent for name in model.joint_names]),
            loads,
            delay=0.0 if self.delay == 'auto' else self.delay,
            progress=self.progress,
        )

    def _fit(self, robot: RecordedRobot) -> RobotFit:
        """With what is known beside the bodies."""
        loads = {one.term: partial(_of_known_mass, one.mass) for one in robot.loads}
        prior: Prior = {'delay': np.zeros_like, **loads}
        return RobotFit(robot.model, self.friction, robot.gains, prior)

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
        (shifted, recorded), fit = usual, self._fit(robot)
        interval = max(1.0 / one.compared.rate for one in sources)
        for _ in range(ROUNDS if self.delay == 'auto' else 0):
            whole = fit.whole(recorded.whole, prior={'delay': _any_delay})
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
            factors = 1.0 / (1.0 + self._fit(robot).whole(recorded.whole).value('gain'))
        return robot, recorded

    def _of_delay(self, delay: float) -> list[Finding]:
        if not delay or self.delay != 'auto':
            return []
        late, early = ('efforts', 'states') if delay > 0.0 else ('states', 'efforts')
        text = f'{1e3 * abs(delay):.3g} ms: {late} come after {early}, and were shifted'
        return [Finding('delay', (), delay, text, 's')]


def _is_within(value: object, low: float, high: float) -> bool:
    return isinstance(value, (int, float)) and low < value < high


def _any_delay(delay: Array) -> Array:
    return np.full_like(delay, LARGEST_DELAY)


def _of_known_mass(mass: float, change: Array) -> Array:
    """Standard deviations (10,) of what the mass of a load does not say of it."""
    return np.append(0.0, plausible_payload(np.append(mass, change[1:]))[1:])


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
