"""What the efforts of a recording are: torques, or currents of drives with unknown gains."""

from __future__ import annotations

from collections.abc import Sequence

from robot_dynamics_ros.core import RobotModel, UnknownNameError
from robot_dynamics_ros.core.errors import ParameterError
from robot_dynamics_ros.identification.effort_delay import LARGEST
from robot_dynamics_ros.identification.parameters.joint_terms import USUAL, JointTerm
from robot_dynamics_ros.identification.parameters.load import Load
from robot_dynamics_ros.identification.regression.equation_options import Form

from .identify_setup import Equations

ASYMMETRIC: tuple[JointTerm, ...] = (
    'armature', 'viscous', 'coulomb', 'viscous_negative', 'coulomb_negative',
)  # fmt: skip
ALWAYS = (float('-inf'), float('inf'))


def equations_of(
    *,
    effort: str,
    gains: Sequence[str],
    loads: Sequence[str],
    asymmetric: bool,
    springs: bool,
    form: Form,
) -> Equations:
    """What is estimated, by the options of a command line.

    Args:
        effort: 'torque' or 'current'.
        gains: known ones, each `JOINT=VALUE` [N m/A or N/A].
        loads: each `FRAME=KG@RECORDING`: a load of known mass in one recording.
        asymmetric: whether friction differs between the directions.
        springs: whether joints have springs.
        form: of the equations.

    Raises:
        ParameterError: an option has another form, or the scale of currents cannot be known.
    """
    terms: tuple[JointTerm, ...] = ASYMMETRIC if asymmetric else USUAL
    if springs:
        terms = (*terms, 'stiffness')
    known_gains = [_gain(text) for text in gains]
    _check_once('--gain', [joint for joint, _ in known_gains])
    known = {f'{joint} gain': value for joint, value in known_gains}
    carried = [_load(number, text) for number, text in enumerate(loads, 1)]
    _check_once('--load', [f'{load.frame}@{load.periods[0][0]}' for load, _ in carried])
    for load, mass in carried:
        known[f'{load.name} m'] = mass
    if effort == 'torque' and gains:
        raise ParameterError('--gain is for efforts that are currents: add --effort current')
    if effort == 'current':
        if not gains and not loads:
            raise ParameterError(
                '--effort current: the scale of masses and gains cannot be known from currents '
                'alone: name the gains of drives, --gain JOINT=NM_PER_A, or a load of known '
                'mass in one of the recordings, --load FRAME=KG@BAG'
            )
        terms = (*terms, 'gain')
    return Equations(terms, form, tuple(load for load, _ in carried), known)


def effort_delay(text: str) -> float | None:
    """The delay of the efforts that a command line gives [s]; None: it is to be found.

    Args:
        text: 'auto', or a number of seconds.

    Raises:
        ParameterError: it is another word, or a delay that no driver has.
    """
    if text == 'auto':
        return None
    try:
        delay = float(text)
    except ValueError:
        delay = float('nan')
    if not abs(delay) <= LARGEST:
        raise ParameterError(
            f'--effort-delay {text}: auto is needed, or a number of seconds from {-LARGEST:g} to '
            f'{LARGEST:g}; 0 shifts nothing'
        )
    return delay


def friction_smoothing(text: str) -> float | None:
    """The smoothing of the friction that a command line gives; None: it is to be found.

    Args:
        text: 'auto', or a speed [rad/s or m/s].

    Raises:
        ParameterError: it is another word, or not a speed above 0.
    """
    if text == 'auto':
        return None
    try:
        smoothing = float(text)
    except ValueError:
        smoothing = float('nan')
    if not 0.0 < smoothing < float('inf'):
        raise ParameterError(
            f'--friction-smoothing {text}: auto is needed, or a speed above 0 in rad/s (m/s of '
            'joints that slide)'
        )
    return smoothing


def check_names(equations: Equations, model: RobotModel, recordings: Sequence[str]) -> None:
    """Check the joints, links and recordings that options name.

    Raises:
        UnknownNameError: one does not exist.
    """
    for name in equations.known:
        joint, _, term = name.rpartition(' ')
        if term == 'gain' and joint not in model.joint_names:
            raise UnknownNameError('joint', joint, model.joint_names)
    for load in equations.loads:
        model.frame(load.frame)
        for recording, _, _ in load.periods:
            if recording not in recordings:
                raise UnknownNameError('recording', recording, tuple(recordings))


def _check_once(option: str, names: Sequence[str]) -> None:
    """Check that an option names nothing twice: one of two values would be lost."""
    for name in names:
        if names.count(name) > 1:
            raise ParameterError(f'{option}: {name} is named twice: name it once')


def _gain(text: str) -> tuple[str, float]:
    joint, separator, value = text.partition('=')
    if not separator or not joint:
        raise ParameterError(f'--gain {text}: JOINT=VALUE is needed, in N m/A or N/A')
    # Negative: the sign of the effort is not that of the joint.
    return joint, _number('--gain', text, value, negative=True)


def _load(number: int, text: str) -> tuple[Load, float]:
    frame, separator, rest = text.partition('=')
    mass, at, recording = rest.partition('@')
    if not (separator and frame and at and recording):
        raise ParameterError(f'--load {text}: FRAME=KG@BAG is needed')
    load = Load(f'load {number}', frame, ((recording, *ALWAYS),))
    return load, _number('--load', text, mass)


def _number(option: str, text: str, value: str, *, negative: bool = False) -> float:
    """A number above 0, or other than 0 where it may be negative."""
    try:
        number = float(value)
    except ValueError:
        number = float('nan')
    size = abs(number) if negative else number
    if not 0.0 < size < float('inf'):
        allowed = 'other than 0' if negative else 'above 0'
        raise ParameterError(f'{option} {text}: {value!r} is not a number {allowed}')
    return number
