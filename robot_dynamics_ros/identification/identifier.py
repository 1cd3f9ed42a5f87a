"""The identification of a robot: fit, judge, save.

>>> recording = Recording.read('monday/', parse_urdf(urdf))
>>> identified = Identifier(urdf, friction='auto').fit([recording])
>>> identified.judgement.verdict
>>> identified.save('identified/')
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal, get_args

import numpy as np

from robot_dynamics_ros.comparison import Compared, Comparison, Finding
from robot_dynamics_ros.comparison.recorded_joints import compared_model, unused_joints
from robot_dynamics_ros.core import (
    ParameterError,
    RobotDynamics,
    RobotModel,
    UnknownNameError,
    parse_urdf,
)
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import RecordingError, RobotDynamicsError
from robot_dynamics_ros.recordings import Recording

from .data_findings import check_motion, delay_finding, driver_findings, repetition_findings
from .effort_delay import LARGEST, EffortDelay, effort_delay
from .friction import certain_smoothings, law_words
from .held_out import Torques
from .identified import Identified
from .identify import IdentifiedParameters, identify
from .judgement import JudgedRecording, Judgement, judge, locked_words
from .parameters import USUAL, JointTerm, Load
from .plausibility import difference_findings, load_findings
from .recorded_data import Progress, RecordedData, Source, no_progress
from .repeated_motion import repeated_share
from .structure import Structure

ASYMMETRIC: tuple[JointTerm, ...] = (
    'armature', 'viscous', 'coulomb', 'viscous_negative', 'coulomb_negative',
)  # fmt: skip
# Of a load: the whole recording.
Recordings = Mapping[str, Recording] | Sequence[Recording]
Effort = Literal['torque', 'torque-sensor', 'current']
EFFORTS: tuple[Effort, ...] = get_args(Effort)


@dataclass(frozen=True)
class Identifier:
    """Identifies a robot from recordings of its joint states.

    Attributes:
        robot: text of the URDF, which `Identified.save` needs; or the model alone.
        friction: 'auto': viscous and Coulomb, with the speed v_0 from which on Coulomb friction is
            full found for each joint; 'asymmetric': each direction has coefficients of its own,
            and there is no offset; or the v_0 of all joints [rad/s or m/s].
        effort: 'torque'; 'torque-sensor' behind the gears, where no rotor inertia is felt and
            none is fitted; or 'current', whose gains are estimated too.
        delay: of the efforts behind the states [s]; 'auto': it is found, and 0 if none is certain,
            or if recordings show different ones.
        gains: known ones of drives, by joint [N m/A or N/A].
        loads: each (link, mass [kg], name of the recording that has it).
        progress: shows how far each pass over the recordings is.
    """

    robot: RobotModel | str
    friction: Literal['auto', 'asymmetric'] | float = 'auto'
    effort: Effort = 'torque'
    delay: Literal['auto'] | float = 'auto'
    gains: Mapping[str, float] = field(default_factory=dict)
    loads: Sequence[tuple[str, float, str]] = ()
    progress: Progress = no_progress

    def __post_init__(self) -> None:
        """Refuse what cannot be meant.

        Raises:
            ParameterError: a setting has another value, or the scale of currents cannot be known.
        """
        friction, delay = self.friction, self.delay
        if friction not in ('auto', 'asymmetric') and not _is_between(friction, 0.0, np.inf):
            raise ParameterError(
                f"friction is {friction!r}: 'auto', 'asymmetric' or a speed above 0 is needed, in "
                'rad/s (m/s of joints that slide)'
            )
        if delay != 'auto' and not _is_between(delay, -LARGEST, LARGEST, ends=True):
            raise ParameterError(
                f"delay is {delay!r}: 'auto' is needed, or a number of seconds from {-LARGEST:g} "
                f'to {LARGEST:g}; 0 shifts nothing'
            )
        if self.effort not in EFFORTS:
            raise ParameterError(f'effort is {self.effort!r}, allowed are {", ".join(EFFORTS)}')
        for joint, gain in self.gains.items():
            # Negative: the sign of the effort is not that of the joint.
            if not (np.isfinite(gain) and gain != 0.0):
                raise ParameterError(f'gain of {joint} is {gain}: a number other than 0 is needed')
        for link, mass, name in self.loads:
            if not _is_between(mass, 0.0, np.inf):
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
        """Identify the robot, judge the result, and fit it to everything.

        The judged model is fitted to the first two thirds of each recording, or to those that
        are not held out. What is returned is fitted to all of them, with the same structure,
        weight of the prior, delay, smoothing and joints.

        Args:
            recordings: of the joints of the robot, or of those that were recorded: a sequence, or
                by name.
            held_out: recordings to judge by; None: the last third of each of the others.

        Raises:
            RecordingError: no recording can be used.
            ParameterError: the recordings show no motion, or a name comes twice.
            UnknownNameError: a setting names what does not exist.
        """
        fitted, held = _by_name(recordings), _by_name(held_out or ())
        if twice := sorted(set(fitted) & set(held)):
            raise ParameterError(f'{twice[0]} is fitted too: hold out another recording')
        data, errors = self._surveyed({**fitted, **held}, held)
        comparison = Comparison(self.model)
        beside = self._compared(comparison, data)
        wrong = {one.file: one.error for one in beside.recordings if one.error}
        if wrong:
            errors |= wrong
            kept = [one for one in data.sources if one.name not in wrong]
            _check_left(kept, errors, held)
            data = self._prepared(kept)
        compared = beside.findings
        # An effort that is not measured at all is no torque that a body could explain.
        silent = [one for one in compared if one.code == 'no_effort' and one.value is None]
        data = replace(data, unmeasured=tuple(name for one in silent for name in one.joints))
        judged = self._chosen(data.read())
        everything = judged.data.all_fitted()
        final = identify(
            everything.equations,
            judged.found.structure,
            self._carried(data.model),
            prior_weight=judged.found.final.prior_weight,
            link_side=(),
        )
        judgement = self._judged(judged, final, everything, compared, errors)
        # A finding about missing joints says the same, with a renaming.
        said = any(one.code == 'missing' for one in compared)
        unused = [unused_joints(self.model, one.recording.names) for one in data.sources]
        remarks = () if said else tuple(dict.fromkeys(filter(None, unused)))
        return Identified(
            judgement,
            final,
            everything,
            self.robot if isinstance(self.robot, str) else '',
            comparison,
            judged.found.used,
            judged.found.failure or final.failure,
            remarks,
        )

    def _surveyed(
        self, named: Mapping[str, Recording], held_out: Mapping[str, Recording]
    ) -> tuple[RecordedData, dict[str, str]]:
        """The usable recordings, and why others are not."""
        sources: list[Source] = []
        errors: dict[str, str] = {}
        # The joints of most of the samples: a short recording of a few others does not decide.
        sizes: Counter[tuple[str, ...]] = Counter()
        for recording in named.values():
            sizes[self._joints(recording)] += recording.size or 1
        joints = max(sizes, key=lambda own: sizes[own], default=())
        for name, recording in named.items():
            own = self._joints(recording)
            if own != joints:
                errors[name] = (
                    f'{name} has the joints {", ".join(own)}, others have {", ".join(joints)}: '
                    'identify them apart'
                )
                continue
            try:
                model = compared_model(self.model, recording.joints)
                source = Source.surveyed(name, recording, model, self.progress)
            except (RobotDynamicsError, OSError) as error:
                errors[name] = str(error)
                continue
            if held_out:
                source = replace(source, split=-np.inf if name in held_out else np.inf)
            sources.append(source)
        _check_left(sources, errors, held_out)
        return self._prepared(sources), errors

    def _joints(self, recording: Recording) -> tuple[str, ...]:
        """Joints of the robot that a recording has."""
        return tuple(joint for joint in self.model.joint_names if joint in recording.joints)

    def _prepared(self, sources: Sequence[Source]) -> RecordedData:
        """Recordings with what is known of their joints.

        Raises:
            ParameterError: the recordings show no motion.
            UnknownNameError: a setting names what does not exist.
        """
        model = compared_model(self.model, sources[0].recording.joints)
        for joint in self.gains:
            if joint not in model.joint_names:
                raise UnknownNameError('joint', joint, model.joint_names)
        names = tuple(one.name for one in sources)
        for link, _, name in self.loads:
            model.frame(link)
            if name not in names:
                raise UnknownNameError('recording', name, names)
        loads = tuple(
            Load(f'load {number}', link, name)
            for number, (link, _, name) in enumerate(self.loads, 1)
        )
        terms = ASYMMETRIC if self.friction == 'asymmetric' else USUAL
        if self.effort == 'torque-sensor':
            terms = tuple(term for term in terms if term != 'armature')
        given = not isinstance(self.friction, str)
        data = RecordedData(
            model,
            RobotDynamics(model),
            sources,
            (*terms, 'gain') if self.effort == 'current' else terms,
            loads,
            {f'{joint} gain': value for joint, value in self.gains.items()} | self._masses,
            progress=self.progress,
            smoothing=(float(self.friction),) * model.size if given else (),
        )
        check_motion(model, data.survey)
        return data

    @property
    def _masses(self) -> dict[str, float]:
        """The declared masses of loads by the names of their parameters [kg]."""
        return {f'load {number} m': mass for number, (_, mass, _) in enumerate(self.loads, 1)}

    def _compared(self, comparison: Comparison, data: RecordedData) -> Compared:
        """The recordings beside the URDF."""
        evidence = []
        for one in data.sources:
            with self.progress(one.name, one.recording.size, 'states') as advance:
                evidence.append(comparison.gathered(one.recording, one.name, advance))
        return comparison.conclude(evidence)

    def _carried(self, model: RobotModel) -> Array:
        """(10 b,) what is fixed to the bodies by joints that were not recorded."""
        names, kept = ([joint.name for joint in one.joints] for one in (self.model, model))
        own = self.model.inertial_parameters().reshape(-1, 10)
        carried: Array = model.inertial_parameters() - own[list(map(names.index, kept))].ravel()
        return carried

    def _chosen(self, data: RecordedData) -> _Fitted:
        """The fit of what is not held out, with the delay and the friction law that it shows."""
        fitted = self._delayed(data)
        # After the delay, which makes friction near reversals look like that of another law. With
        # gains of drives the equations have no right-hand side whose residual could be compared.
        found = fitted.found
        if data.smoothing or self.effort == 'current' or not found.other_friction:
            return fitted
        smoothing = certain_smoothings(
            fitted.data.equations, found.left_out, found.structure, found.inflation
        )
        if list(smoothing) == fitted.data.layout.smoothings.tolist():
            return fitted
        return self._fitted(replace(fitted.data, smoothing=smoothing))

    def _delayed(self, data: RecordedData) -> _Fitted:
        """The fit with the delay of the efforts that is given, or certain and the same in all."""
        if self.delay != 'auto':
            return self._fitted(replace(data, delay=self.delay))
        usual = self._fitted(data)
        # Without the motion of joints that are held: a few slow equations each.
        delays = [delay for _, delay in _delays(usual.data, usual.found)]
        values = [one.value for one in delays]
        interval = max(one.survey.interval for one in data.sources)
        if (
            not all(one.is_credible(interval) for one in delays)
            or max(values) - min(values) > interval
        ):
            return usual
        # With all rotors: friction that lags looks like a negative one.
        data = replace(usual.data, known=data.known, delay=float(np.mean(values)))
        return self._fitted(data)

    def _late(self, data: RecordedData, found: IdentifiedParameters) -> Iterator[Finding]:
        """The delay that was found, and recordings whose efforts are late still."""
        if data.delay and self.delay == 'auto':
            what = 'They were shifted before the fit; a delay of 0 leaves them as they are.'
            yield delay_finding(data.delay, what)
        for name, delay in _delays(data, found):
            if delay.value:
                what = f'Those of {name} were not shifted by that: friction is wrong.'
                yield delay_finding(delay.value, what)

    def _fitted(self, data: RecordedData, structure: Structure | None = None) -> _Fitted:
        """The fit, without the motion of joints whose few equations are jitter."""
        found = identify(data.equations, structure, self._carried(data.model))
        if found.link_side:
            rotors = {f'{name} armature': 0.0 for name in found.link_side}
            data = replace(data, known={**data.known, **rotors})
        still = tuple(name for name in found.numbers if name in found.still)
        moving = any(
            numbers['used'] for name, numbers in found.numbers.items() if name not in still
        )
        if still and moving and set(still) != set(data.still):
            # What is not fitted is not judged.
            data = replace(data, still=still)
            if any(found.numbers[name]['used'] for name in still):
                return self._fitted(data, found.structure)
        nominal = data.layout.nominal()
        return _Fitted(data, found, data.torques(nominal, found.final.parameters))

    def _judged(
        self,
        judged: _Fitted,
        final: IdentifiedParameters,
        everything: RecordedData,
        compared: Sequence[Finding],
        errors: Mapping[str, str],
    ) -> Judgement:
        """The judgement, with what is wrong with the recordings."""
        data = judged.data
        unscaled = self.effort == 'current'
        of_data = driver_findings(compared, data.model.joint_names, scaled=not unscaled)
        findings = [
            *final.left_out_findings(),
            *repetition_findings(repeated_share(judged.torques)),
            *of_data,
            *(
                ()
                if unscaled or not self.loads
                else load_findings(data.equations, self._masses, judged.found.left_out)
            ),
            *(() if unscaled else _difference_findings(judged)),
            *final.findings,
        ]
        locked = [name for name in self.model.joint_names if name not in data.model.joint_names]
        words = (
            locked_words(locked) if locked else '',
            law_words(final.other_friction) if final.other_friction else '',
        )
        recordings = data.judged_recordings(judged.torques)
        return judge(
            data.model,
            data.survey,
            judged.torques,
            [*recordings, *(JudgedRecording(name, error=text) for name, text in errors.items())],
            found=findings,
            currents=unscaled,
            still=data.still,
            late=[*self._late(everything, final)],
            empty=data.empty_names(),
            words=tuple(filter(None, words)),
        )


@dataclass(frozen=True)
class _Fitted:
    """A fit of what is not held out.

    Attributes:
        data: with all choices.
        found: the parameters.
        torques: of each recording.
    """

    data: RecordedData
    found: IdentifiedParameters
    torques: Sequence[Torques]


def _delays(data: RecordedData, found: IdentifiedParameters) -> list[tuple[str, EffortDelay]]:
    """Names of the recordings with equations, and by how much their efforts are late still."""
    names = [one.name for one in data.fitted_sources if one.name not in data.empty_names()]
    return [(name, effort_delay(data.alone(name).equations, found)) for name in names]


def _difference_findings(judged: _Fitted) -> Iterator[Finding]:
    """Recordings that do not show one robot."""
    data, found, equations = judged.data, judged.found, judged.data.equations
    empty = data.empty_names()
    names = [one.name for one in data.fitted_sources if one.name not in empty]
    if len(names) > 1:
        weights = equations.outside(found.left_out)
        alone = {name: equations.reduced(weights * equations.of(name)[:, None]) for name in names}
        yield from difference_findings(alone, found.structure, found.unconstrained)


def _is_between(value: object, low: float, high: float, *, ends: bool = False) -> bool:
    """Whether a setting is a number between two others."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return low < value < high or (ends and value in (low, high))


def _by_name(recordings: Recordings) -> dict[str, Recording]:
    """Recordings by name.

    Raises:
        ParameterError: two have one name.
    """
    if isinstance(recordings, Mapping):
        return dict(recordings)
    names = [one.name for one in recordings]
    for name in names:
        if names.count(name) > 1:
            raise ParameterError(f'{name} is named twice: name each recording once')
    return dict(zip(names, recordings, strict=True))


def _check_left(
    usable: Sequence[Source], errors: Mapping[str, str], held_out: Mapping[str, Recording]
) -> None:
    """Check that there is a recording to fit, and one to hold out where some are named."""
    for wanted in (False, True) if held_out else (False,):
        if not any((one.name in held_out) is wanted for one in usable):
            texts = [text for name, text in errors.items() if (name in held_out) is wanted]
            raise RecordingError((*texts, 'there is no recording: name at least one')[0])
