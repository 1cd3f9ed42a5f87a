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
from robot_dynamics_ros.regression.rows import Rows

from .findings import check_motion, of_parameters, of_recordings, of_residuals, of_rows
from .friction_law import Friction, friction_terms
from .identified import Identified
from .parameters import Parameters
from .payload import plausible_payload
from .recorded_rows import (
    LARGEST_DELAY,
    Load,
    Opens,
    Progress,
    RecordedRobot,
    RecordedRows,
    Source,
    already,
    no_progress,
)
from .robot_fit import RobotFit
from .validation import cross_validated, validated

Recordings = Mapping[str, Recording | Opens] | Sequence[Recording]
Effort = Literal['torque', 'torque-sensor', 'current']
EFFORTS: tuple[Effort, ...] = get_args(Effort)
# Times the half width of the 95 % interval of a delay, from where on efforts are shifted: friction
# that lags behind a reversal looks like a small one. Rounds of shifts, and where they end [s].
CERTAIN, ROUNDS, SETTLED = 2.5, 4, 2e-4
# A load whose mass the data contradict by more than this share, and certainly.
WRONG_LOAD = 0.2
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
        effort: 'torque'; 'torque-sensor' behind the gears, where no rotor inertia is felt and
            none is fitted; or 'current', whose gains are estimated too.
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
        friction, delay = self.friction, self.delay
        if friction not in ('auto', 'asymmetric') and not (
            isinstance(friction, (int, float)) and 0.0 < friction < np.inf
        ):
            raise ParameterError(
                f"friction is {friction!r}: 'auto', 'asymmetric' or a speed above 0 is needed, in "
                'rad/s (m/s of joints that slide)'
            )
        if delay != 'auto' and not (
            isinstance(delay, (int, float)) and abs(delay) <= LARGEST_DELAY
        ):
            raise ParameterError(
                f"delay is {delay!r}: 'auto' is needed, or {LARGEST_DELAY:g} s at most to either "
                'side; 0 shifts nothing'
            )
        if self.effort not in EFFORTS:
            raise ParameterError(f'effort is {self.effort!r}, allowed are {", ".join(EFFORTS)}')
        for joint, gain in self.gains.items():
            # Negative: the sign of the effort is not that of the joint.
            if not (np.isfinite(gain) and gain != 0.0):
                raise ParameterError(f'gain of {joint} is {gain}: a number other than 0 is needed')
        for link, mass, name in self.loads:
            if not (isinstance(mass, (int, float)) and 0.0 < mass < np.inf):
                raise ParameterError(f'load {link} of {name} is {mass}: a mass above 0 is needed')
        if self.effort != 'current' and self.gains:
            raise ParameterError(
                "gains are of efforts that are currents: set effort='current', --effort current"
            )
        if self.effort == 'current' and not (self.gains or self.loads):
            raise ParameterError(
                'effort is current: the scale of masses and gains cannot be known from currents '
                'alone: name the gain of a drive, or a load of known mass in one of the recordings'
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
        comparison = Comparison(self.model, gravity=self.gravity)
        sources, errors = self._compared({**fitted, **held}, held, comparison)
        robot = self._recorded(sources)
        robot, recorded = self._scaled(*self._shifted(robot, sources))
        rows, fit = recorded.whole, self._fit(robot)
        prediction = cross_validated(recorded, rows, fit)
        found = fit(rows)
        whole = fit.whole(rows, bounded=False)
        parameters = Parameters(robot.dynamics, rows, found, whole, robot.scales, recorded.speeds)
        predicted = prediction.blocks >= 0
        validation = validated(robot.model, rows, predicted, prediction.torque)
        scaled = self.effort != 'current'
        findings = [
            *of_recordings(sources, scaled=scaled),
            *of_rows(robot, recorded, prediction.changed(rows, found.fitted.predicted(rows))),
            *of_parameters(robot.model, parameters),
            *self._of_delay(robot.delay),
            *(self._of_loads(robot, rows, fit) if scaled else ()),
            *(of_residuals(robot.model, rows, validation) if scaled else ()),
        ]
        names = robot.model.joint_names
        said = any(one.code == 'missing' for one in findings)
        remarks = [one.compared.remark for one in sources if one.compared.remark and not said]
        return Identified(
            robot, recorded, found, parameters, validation,
            np.where(predicted[:, None], prediction.torque, np.nan),
            conclude(findings, len(names)), errors,
            self.robot if isinstance(self.robot, str) else '',
            tuple(name for name in self.model.joint_names if name not in names),
            tuple(dict.fromkeys(remarks)),
        )  # fmt: skip

    def _compared(
        self, named: Mapping[str, Opens], held_out: Collection[str], comparison: Comparison
    ) -> tuple[list[Source], dict[str, str]]:
        """The usable recordings beside the URDF, and why others are not; one at a time.

        Raises:
            RecordingError: none is left to fit, or to hold out where some are named.
        """
        errors: dict[str, str] = {}
        found: list[tuple[Source, tuple[str, ...]]] = []
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
                continue
            joints = tuple(one for one in self.model.joint_names if one in recording.joints)
            source = Source(name, opens, recording.name, compared, name in held_out)
            found.append((source, joints))
        # The joints of most of the samples: a short recording of a few others does not decide.
        sizes: Counter[tuple[str, ...]] = Counter()
        for source, own in found:
            sizes[own] += source.compared.samples
        most = max(sizes, key=lambda own: sizes[own], default=())
        for source, own in found:
            if own != most:
                errors[source.name] = (
                    f'{source.name} has the joints {", ".join(own)}, others have '
                    f'{", ".join(most)}: identify them apart'
                )
        sources = [source for source, own in found if own == most]
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
        rotors = self.effort != 'torque-sensor'
        if not rotors:
            model = model.with_armature({joint.name: 0.0 for joint in model.joints})
        for joint in self.gains:
            if joint not in model.joint_names:
                raise UnknownNameError('joint', joint, model.joint_names)
        names = tuple(one.name for one in sources)
        for link, _, name in self.loads:
            model.frame(link)
            if name not in names:
                raise UnknownNameError('recording', name, names)
        known = np.isin(model.joint_names, list(self.gains))
        # An effort that is not measured at all is no torque that a body could explain.
        silent = [
            joint
            for one in sources
            for each in one.compared.findings
            if each.code == 'no_effort' and each.value is None
            for joint in each.joints
        ]
        return RecordedRobot(
            RobotDynamics(model, gravity=self.gravity),
            friction_terms(self.friction),
            rotors,
            np.array([self.gains.get(name, 1.0) for name in model.joint_names]),
            ~known & (self.effort == 'current'),
            [
                Load(link, mass, name, f'carried {number}')
                for number, (link, mass, name) in enumerate(self.loads, 1)
            ],
            tuple(dict.fromkeys(silent)),
            progress=self.progress,
        )

    def _fit(self, robot: RecordedRobot) -> RobotFit:
        """With what is known beside the bodies."""
        loads = {one.term: partial(_of_known_mass, one.mass) for one in robot.loads}
        prior: Prior = {'delay': np.zeros_like, **loads}
        return RobotFit(robot.model, self.friction, robot.gains, prior)

    def _shifted(
        self, robot: RecordedRobot, sources: Sequence[Source]
    ) -> tuple[RecordedRobot, Sequence[Source], RecordedRows]:
        """With the delay of the efforts that is given, or certain.

        The slope of the efforts is a regressor: its coefficient is minus the delay that is left.
        """
        if self.delay != 'auto':
            robot = replace(robot, delay=self.delay)
        usual = robot.rows(sources)
        check_motion(usual.whole)
        if self.delay != 'auto':
            return robot, sources, usual
        shifted, recorded = robot, usual
        interval = max(1.0 / one.compared.rate for one in sources)
        for _ in range(ROUNDS):
            whole = self._fit(robot).whole(recorded.whole, prior={'delay': _any_delay})
            left = -float(whole.value('delay')[0])
            delay = shifted.delay + left
            certain = CERTAIN * float(whole.half_widths('delay')[0])
            if abs(delay) < max(interval, certain) or abs(delay) > LARGEST_DELAY:
                return robot, sources, usual
            if abs(left) < SETTLED:
                break
            shifted = replace(robot, delay=delay)
            recorded = shifted.rows(sources)
        return shifted, sources, recorded

    def _scaled(
        self, robot: RecordedRobot, sources: Sequence[Source], recorded: RecordedRows
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
            scales = np.where(robot.gains, robot.scales * factors, robot.scales)
            robot = replace(robot, scales=scales)
            recorded = robot.rows(sources)
            found = self._fit(robot).whole(recorded.whole)
            factors = 1.0 / (1.0 + found.value('gain'))
        return robot, recorded

    def _of_delay(self, delay: float) -> list[Finding]:
        if not delay or self.delay != 'auto':
            return []
        late, early = ('efforts', 'states') if delay > 0.0 else ('states', 'efforts')
        text = f'{1e3 * abs(delay):.3g} ms: {late} come after {early}, and were shifted'
        return [Finding('delay', (), delay, text, 's')]

    def _of_loads(self, robot: RecordedRobot, rows: Rows, fit: RobotFit) -> list[Finding]:
        """Loads whose mass the data contradict."""
        free: Prior = {one.term: plausible_payload for one in robot.loads}
        if not free:
            return []
        found, findings = fit.whole(rows, prior=free), []
        for one in robot.loads:
            mass = one.mass + float(found.value(one.term)[0])
            half = float(found.half_widths(one.term)[0])
            if abs(mass - one.mass) > max(WRONG_LOAD * one.mass, CERTAIN * half):
                where = f'{one.recording}: {mass:.3g} +- {half:.2g} kg on {one.link}'
                text = f'{where}, not {one.mass:g}'
                joints = robot.model.joints_that_move(one.link)
                findings.append(Finding('payload', joints, mass, text, 'kg', half))
        return findings


def _any_delay(delay: Array) -> Array:
    return np.full_like(delay, LARGEST_DELAY)


def _of_known_mass(mass: float, change: Array) -> Array:
    """Standard deviations (10,) of what the mass of a load does not say of it."""
    found = plausible_payload(np.array([mass, *change[1:]]))
    found[0] = 0.0
    return found


def _by_name(recordings: Recordings) -> dict[str, Opens]:
    """What reads each recording, by its name.

    Raises:
        ParameterError: two have one name.
    """
    if not isinstance(recordings, Mapping):
        names = [one.name for one in recordings]
        for name in names:
            if names.count(name) > 1:
                raise ParameterError(f'{name} is named twice: name each recording once')
        recordings = dict(zip(names, recordings, strict=True))
    return {
        name: already(one) if isinstance(one, Recording) else one
        for name, one in recordings.items()
    }
