"""The identification of a robot: fit, judge, save.

>>> recording = Recording.read('monday/', parse_urdf(urdf))
>>> identified = Identifier(urdf, friction='auto').fit([recording])
>>> identified.judgement.verdict
>>> identified.save('identified/')
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal, get_args

import numpy as np

from robot_dynamics_ros.comparison import Compared, Comparison, Finding
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

from .effort_delay import EARLIEST, LARGEST, effort_delay
from .findings import (
    check_motion,
    delay_finding,
    difference_findings,
    load_findings,
    of_recordings,
    repetition_findings,
)
from .friction import FrictionChoice, chosen_friction
from .held_out import repeated_share
from .identified import Identified
from .identify import IdentifiedParameters, identify
from .judgement import Judgement, judge, locked_words
from .parameters import USUAL, JointTerm, Load
from .recorded_data import (
    Opens,
    Progress,
    RecordedData,
    Source,
    no_progress,
    still_open,
)

ASYMMETRIC: tuple[JointTerm, ...] = (
    'armature', 'viscous', 'coulomb', 'viscous_negative', 'coulomb_negative',
)  # fmt: skip
Recordings = Mapping[str, Recording | Opens] | Sequence[Recording]
Effort = Literal['torque', 'torque-sensor', 'current']
EFFORTS: tuple[Effort, ...] = get_args(Effort)


@dataclass(frozen=True)
class Identifier:
    """Identifies a robot from recordings of its joint states.

    Attributes:
        robot: text of the URDF, which `Identified.save` needs; or the model alone.
        friction: 'auto': viscous and Coulomb, and for each joint the terms and constants that
            predict other motion better, see `chosen_friction`; 'asymmetric': the same, each
            direction has coefficients of its own, and there is no offset; or viscous and Coulomb
            alone, with this v_0 of all joints [rad/s or m/s].
        effort: 'torque'; 'torque-sensor' behind the gears, where no rotor inertia is felt and
            none is fitted; or 'current', whose gains are estimated too.
        delay: of the efforts behind the states [s]; 'auto': it is found, and 0 if none is certain,
            or if recordings show different ones.
        gains: known ones of drives, by joint [N m/A or N/A].
        loads: each (link, mass [kg], name of the recording that has it).
        progress: shows how far each pass over the recordings is.
        gravity: (3,) in the axes of the root link [m/s^2].
    """

    robot: RobotModel | str
    friction: Literal['auto', 'asymmetric'] | float = 'auto'
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
        if delay != 'auto' and not (isinstance(delay, (int, float)) and abs(delay) <= LARGEST):
            raise ParameterError(
                f"delay is {delay!r}: 'auto' is needed, or {LARGEST:g} s at most to either side; "
                '0 shifts nothing'
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
        """Identify the robot, judge the result, and fit it to everything.

        The judged model is fitted to the first two thirds of each recording, or to those that
        are not held out. What is returned is fitted to all of them, with the same structure,
        weight of the prior, delay, smoothing and joints.

        Args:
            recordings: of the joints of the robot, or of those that were recorded: a sequence, or
                by name, open or what opens them: these are open one after another.
            held_out: recordings to judge by; None: the last third of each of the others.

        Raises:
            RecordingError: no recording can be used.
            ParameterError: the recordings show no motion, or a name comes twice.
            UnknownNameError: a setting names what does not exist.
        """
        fitted, held = _by_name(recordings), _by_name(held_out or ())
        if twice := sorted(set(fitted) & set(held)):
            raise ParameterError(f'{twice[0]} is fitted too: hold out another recording')
        comparison = Comparison(self.model, gravity=self.gravity)
        sources, seen, errors = self._surveyed({**fitted, **held}, held, comparison)
        data = self._prepared(sources, errors, held)
        compared = of_recordings(seen)
        # An effort that is not measured at all is no torque that a body could explain.
        silent = [one for one in compared if one.code == 'no_effort']
        unmeasured = [name for one in silent if one.value is None for name in one.joints]
        judged = self._chosen(replace(data, unmeasured=tuple(unmeasured)).read())
        everything = judged.data.all_fitted()
        final = identify(
            everything.equations,
            judged.found.base.structure,
            self._carried(data.model),
            prior_weight=judged.found.final.prior_weight,
            link_side=(),
        )
        # A finding about missing joints says the same, with a renaming.
        said = any(one.code == 'missing' for one in compared)
        remarks = () if said else [one.remark for one in seen.values() if one.remark]
        return Identified(
            self._judged(judged, final, everything, compared, errors),
            final,
            everything,
            self.robot if isinstance(self.robot, str) else '',
            comparison,
            judged.found.used,
            judged.found.failure or final.failure,
            tuple(dict.fromkeys(remarks)),
            judged.friction.gains if judged.friction else {},
        )

    def _surveyed(
        self, named: Mapping[str, Opens], held_out: Collection[str], comparison: Comparison
    ) -> tuple[list[Source], dict[str, Compared], dict[str, str]]:
        """The usable recordings beside the URDF, and why others are not; one open at a time."""
        errors: dict[str, str] = {}
        joints: dict[str, tuple[str, ...]] = {}
        # The joints of most of the samples: a short recording of a few others does not decide.
        sizes: Counter[tuple[str, ...]] = Counter()
        for name, opens in named.items():
            with _error_of(name, errors), opens() as recording:
                own = tuple(one for one in self.model.joint_names if one in recording.joints)
                joints[name] = own
                sizes[own] += recording.size or 1
        most = max(sizes, key=lambda own: sizes[own], default=())
        sources: list[Source] = []
        seen: dict[str, Compared] = {}
        for name, own in joints.items():
            if own != most:
                errors[name] = (
                    f'{name} has the joints {", ".join(own)}, others have {", ".join(most)}: '
                    'identify them apart'
                )
                continue
            opens = named[name]
            with _error_of(name, errors), opens() as recording:
                model = compared_model(self.model, recording.joints)
                source = Source.surveyed(name, opens, recording, model, self.progress)
                if held_out:
                    split = -np.inf if name in held_out else np.inf
                    source = replace(source, split=split)
                with self.progress(name, recording.size, 'states') as advance:
                    compared = comparison.of(recording, name, advance)
                if compared.error:
                    errors[name] = compared.error
                else:
                    sources.append(source)
                    seen[name] = compared
        return sources, seen, errors

    def _prepared(
        self,
        sources: Sequence[Source],
        errors: Mapping[str, str],
        held_out: Collection[str],
    ) -> RecordedData:
        """Recordings with what is known of their joints.

        Raises:
            RecordingError: none is left to fit, or to hold out where some are named.
            ParameterError: the recordings show no motion.
            UnknownNameError: a setting names what does not exist.
        """
        names = tuple(one.name for one in sources)
        for wanted in (False, True) if held_out else (False,):
            if not any((name in held_out) is wanted for name in names):
                texts = [text for name, text in errors.items() if (name in held_out) is wanted]
                raise RecordingError((*texts, 'there is no recording: name at least one')[0])
        model = compared_model(self.model, sources[0].joints)
        for joint in self.gains:
            if joint not in model.joint_names:
                raise UnknownNameError('joint', joint, model.joint_names)
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
            RobotDynamics(model, gravity=self.gravity),
            sources,
            (*terms, 'gain') if self.effort == 'current' else terms,
            loads,
            {f'{joint} gain': value for joint, value in self.gains.items()} | self._masses,
            progress=self.progress,
            constants={'smoothing': (float(self.friction),) * model.size} if given else {},
            tried=not given,
        )
        check_motion(model, data.survey)
        return data

    @property
    def _masses(self) -> dict[str, float]:
        """The declared masses of loads by the names of their parameters [kg]."""
        return {f'load {number} m': mass for number, (_, mass, _) in enumerate(self.loads, 1)}

    def _carried(self, model: RobotModel) -> Array:
        """(10 b,) what is fixed to the bodies by joints that were not recorded."""
        names, kept = ([joint.name for joint in one.joints] for one in (self.model, model))
        own = self.model.inertial_parameters().reshape(-1, 10)
        return model.inertial_parameters() - own[list(map(names.index, kept))].ravel()

    def _chosen(self, data: RecordedData) -> _Fitted:
        """The fit of what is not held out, with the delay and the friction law that it shows."""
        fitted = self._delayed(data)
        # After the delay, which makes friction near reversals look like that of another law. With
        # gains of drives the equations have no right-hand side whose residual could be compared.
        data, found = fitted.data, fitted.found
        # With the usual friction: that of another law could look like a delay.
        late = tuple(self._late(data, found))
        if not data.tried or self.effort == 'current':
            return replace(fitted, late=late)
        bodies = found.final.parameters[: data.layout.felt.shape[1]]
        data = replace(data, bodies=bodies)
        chosen = chosen_friction(data.equations, found.left_out, found.base.structure, found.final)
        if chosen.terms == data.layout.terms and not chosen.constants:
            return replace(fitted, late=late)
        known = {**data.known, **dict.fromkeys(chosen.missing, 0.0)}
        changed = replace(data, terms=chosen.terms, constants=chosen.constants, known=known)
        # The prior is worth as much: its weight was chosen before terms were tried on the folds.
        fitted = self._fitted(changed, found.final.prior_weight)
        return replace(fitted, friction=chosen, late=late)

    def _delayed(self, data: RecordedData) -> _Fitted:
        """The fit with the delay of the efforts that is given, or certain and the same in all."""
        if self.delay != 'auto':
            return self._fitted(replace(data, delay=self.delay))
        usual = self._fitted(data)
        # Without the motion of joints that are held: a few slow equations each.
        found = [effort_delay(one, usual.found) for one in usual.data.alone.values()]
        delays = [delay for delay, _ in found]
        interval = max(one.survey.interval for one in data.sources)
        # A driver has such delays, and they are more than a law of friction.
        usable = all(
            abs(delay) > interval and delay >= -EARLIEST * interval and not is_slow
            for delay, is_slow in found
        )
        if not usable or np.ptp(delays) > interval:
            return usual
        # With all rotors: friction that lags looks like a negative one.
        data = replace(usual.data, known=data.known, delay=float(np.mean(delays)))
        return self._fitted(data)

    def _late(self, data: RecordedData, found: IdentifiedParameters) -> Iterator[Finding]:
        """The delay that was found, and recordings whose efforts are late still."""
        if data.delay and self.delay == 'auto':
            what = 'They were shifted before the fit; a delay of 0 leaves them as they are.'
            yield delay_finding(data.delay, what)
        for name, equations in data.alone.items():
            if delay := effort_delay(equations, found)[0]:
                what = f'Those of {name} were not shifted by that: friction is wrong.'
                yield delay_finding(delay, what)

    def _fitted(self, data: RecordedData, prior_weight: float | None = None) -> _Fitted:
        """The fit, without the motion of joints whose few equations are jitter."""
        carried = self._carried(data.model)
        found = identify(data.equations, carried=carried, prior_weight=prior_weight)
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
                return self._fitted(data, prior_weight)
        return _Fitted(data, found)

    def _judged(
        self,
        judged: _Fitted,
        final: IdentifiedParameters,
        everything: RecordedData,
        compared: Sequence[Finding],
        errors: Mapping[str, str],
    ) -> Judgement:
        """The judgement, with what is wrong with the recordings."""
        data, found = judged.data, judged.found
        scaled = self.effort != 'current'
        torques = data.torques(data.layout.nominal(), found.final.parameters)
        findings = [*repetition_findings(repeated_share(torques)), *final.findings]
        if scaled and self.loads:
            weights = data.equations.outside(found.left_out)
            findings.extend(load_findings(data.equations, self._masses, weights))
        if scaled and len(data.alone) > 1:
            alone = {
                name: one.reduced(one.outside(found.left_out)) for name, one in data.alone.items()
            }
            findings.extend(difference_findings(alone, found.base.structure, found.unconstrained))
        locked = [name for name in self.model.joint_names if name not in data.model.joint_names]
        words = [locked_words(locked)] if locked else []
        return judge(
            data, torques, compared=compared, found=findings, late=judged.late, errors=errors,
            words=words,
        )  # fmt: skip


@dataclass(frozen=True)
class _Fitted:
    """A fit of what is not held out.

    Attributes:
        data: with all choices.
        found: the parameters.
        friction: the choice of its terms; None where none was made.
        late: what is said of the delay of the efforts.
    """

    data: RecordedData
    found: IdentifiedParameters
    friction: FrictionChoice | None = None
    late: tuple[Finding, ...] = ()


def _by_name(recordings: Recordings) -> dict[str, Opens]:
    """What opens each recording, by its name; one that is open stays so.

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
        name: still_open(one) if isinstance(one, Recording) else one
        for name, one in recordings.items()
    }


@contextmanager
def _error_of(name: str, errors: dict[str, str]) -> Iterator[None]:
    """Keep why a recording cannot be used."""
    try:
        yield
    except (RobotDynamicsError, OSError) as error:
        errors[name] = str(error)
