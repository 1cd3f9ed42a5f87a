"""The parameters of an identification: order, names, units, values of the URDF, magnitudes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core import JointFriction, ParameterError, RobotModel, UnknownNameError
from robot_dynamics_ros.core.algorithms import friction
from robot_dynamics_ros.core.algorithms.friction import CONSTANTS
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.model.inertial_parameters import PARAMETERS
from robot_dynamics_ros.regression.bodies import body_length, mean_mass

Flags = npt.NDArray[np.bool_]

BODY = len(PARAMETERS)
BODY_UNITS = ('kg', *3 * ('kg m',), *6 * ('kg m^2',))

# What a column holds, beside the terms of friction (`core.algorithms.friction`), of which those of
# positive velocity are of both directions unless there are negative ones too:
#   armature          a
#   offset            1
#   gain              minus the measured effort, a current [A]: its coefficient is in N m/A
JointTerm = Literal[
    'armature', 'viscous', 'coulomb', 'offset', 'viscous_negative', 'coulomb_negative', 'gradual',
    'stribeck', 'load', 'presliding', 'presliding_long', 'gain',
]  # fmt: skip
TERMS: tuple[JointTerm, ...] = get_args(JointTerm)
USUAL: tuple[JointTerm, ...] = ('armature', 'viscous', 'coulomb', 'offset')
# Terms that take energy, or store it.
NOT_NEGATIVE = ('armature', *friction.TERMS)
# Of joints that turn, and of those that slide.
TERM_UNITS: Mapping[str, tuple[str, str]] = {
    'armature': ('kg m^2', 'kg'),
    'offset': ('N m', 'N'),
    'gain': ('N m/A', 'N/A'),
    **friction.TERMS,
}
# A body whose description says less has this share of the mean mass.
LIGHTEST = 0.1
# [m/s^2]
GRAVITY = 9.81
# Of the torque of a joint: what friction may be at 1 rad/s or 1 m/s.
FRICTION = 0.5


@dataclass(frozen=True)
class Load:
    """A body of unknown or partly known inertia, fixed to a link during one recording.

    What is known of it is in `ParameterLayout.known`, such as {'brick m': 1.0}.

    Attributes:
        name: of the load; it begins the names of its ten parameters.
        frame: name of the link; the parameters are in its frame.
        recording: name of the one in which it is carried.
    """

    name: str
    frame: str
    recording: str


@dataclass(frozen=True)
class ParameterLayout:
    """The columns of the regressor: bodies, then loads, then the terms of the joints.

    Ten columns per moving body, in the order of `RobotModel.inertial_parameters`; ten per load, in
    the frame of its link; then for each term one column per independent joint, in the order of
    `model.joint_names`: what a mimic joint has is part of the joint that it mimics.

    Attributes:
        model: the robot; payloads that it has are part of its bodies.
        terms: of the joints.
        loads: bodies that it carries in some of the data, beside those.
        known: values of parameters by their names; the equations hold them on the right-hand
            side, and their columns are zero.
        constants: of the friction by joint (n,), see `core.algorithms.friction`; usual ones where
            none are given [rad/s, m/s; rad, m].
    """

    model: RobotModel
    terms: tuple[JointTerm, ...] = USUAL
    loads: tuple[Load, ...] = ()
    known: Mapping[str, float] = field(default_factory=dict)
    constants: Mapping[str, tuple[float, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse what does not exist, and what no data can tell apart.

        Raises:
            UnknownNameError: a term, a link or a known parameter does not exist.
            ParameterError: two terms act alike, a name comes twice, a link is fixed to
                the base, or a known value is not finite.
        """
        for term in self.terms:
            if term not in TERMS:
                raise UnknownNameError('term', term, TERMS)
        for term in ('viscous', 'coulomb'):
            if f'{term}_negative' in self.terms and term not in self.terms:
                raise ParameterError(f'{term}_negative needs {term}: add it to the terms')
        if {'coulomb_negative', 'offset'} <= set(self.terms):
            raise ParameterError(
                'offset and coulomb_negative cannot be distinguished: a joint that moves feels '
                'their sum; leave out one of the two terms'
            )
        for load in self.loads:
            self.model.moving_body(load.frame)
        if repeated := sorted({name for name in self.names if self.names.count(name) > 1}):
            raise ParameterError(
                f'{repeated[0]!r} is named twice: rename the load, or drop a term'
            )
        for name, value in self.known.items():
            if name not in self.names:
                raise UnknownNameError('parameter', name, self.names)
            if not np.isfinite(value):
                raise ParameterError(f'{name} is {value}, it must be finite')

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the independent joints (n,)."""
        return self.model.joint_names

    @cached_property
    def bodies(self) -> tuple[str, ...]:
        """Names of the moving bodies, each that of its first link, and of the loads."""
        names = {frame.body: frame.name for frame in reversed(self.model.frames)}
        moving = (names[body] for body in range(len(self.model.joints)))
        return (*moving, *(load.name for load in self.loads))

    def constant(self, name: str) -> Array:
        """One of the constants of friction of each joint (n,) [rad/s, m/s; rad, m]."""
        return np.array(self.constants.get(name, (CONSTANTS[name],) * len(self.joints)))

    @property
    def size(self) -> int:
        """p, the number of parameters."""
        return len(self.names)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Of the parameters (p,), such as 'panda_link3 Ixx' and 'panda_joint2 coulomb'."""
        inertial = [f'{body} {parameter}' for body in self.bodies for parameter in PARAMETERS]
        return (*inertial, *(f'{joint} {term}' for term in self.terms for joint in self.joints))

    @cached_property
    def units(self) -> tuple[str, ...]:
        """Of the parameters (p,)."""
        slides = [joint.kind == 'prismatic' for joint in self.model.independent_joints]
        terms = [TERM_UNITS[term][one] for term in self.terms for one in slides]
        return (*(len(self.bodies) * BODY_UNITS), *terms)

    def body_columns(self, body: int) -> slice:
        """Columns of the ten parameters of a body or load.

        Args:
            body: index in `bodies`.
        """
        return slice(BODY * body, BODY * body + BODY)

    def column(self, term: str, joint: str) -> int:
        """The column of a term of a joint, both of which there are."""
        return self.names.index(f'{joint} {term}')

    def columns(self, term: str) -> np.ndarray:
        """Columns of a term (n,), in the order of `joints`; none of a term that it lacks."""
        if term not in self.terms:
            return np.empty(0, int)
        first = BODY * len(self.bodies) + self.terms.index(term) * len(self.joints)
        return np.arange(first, first + len(self.joints))

    @cached_property
    def felt(self) -> Flags:
        """Which joint feels which inertial parameter (n, 10 bodies and loads): what it carries."""
        links = (*self.bodies[: len(self.model.joints)], *(load.frame for load in self.loads))
        felt = [np.isin(self.joints, self.model.joints_that_move(link)) for link in links]
        return np.transpose(felt).repeat(BODY, axis=1)

    def carrying(self, body: int) -> tuple[str, ...]:
        """Independent joints that move a body or a load, by its index in `bodies`."""
        return tuple(np.array(self.joints)[self.felt[:, BODY * body]].tolist())

    @cached_property
    def is_known(self) -> np.ndarray:
        """Which parameters (p,) are known, and so not estimated."""
        return np.array([name in self.known for name in self.names])

    @property
    def not_negative(self) -> list[int]:
        """Columns of the terms that take or store energy, in any order."""
        return np.concatenate([self.columns(term) for term in NOT_NEGATIVE]).tolist()

    @cached_property
    def unknown_gains(self) -> Mapping[int, int]:
        """Columns of the gains that are estimated, by the index of their joint."""
        gains = enumerate(self.columns('gain').tolist())
        return {joint: column for joint, column in gains if not self.is_known[column]}

    def nominal(self) -> Array:
        """The parameters (p,) of the description: inertias, rotors, damping, friction.

        Known values take their place. Loads are zero, gains one.
        """
        values = np.zeros(self.size)
        inertial = self.model.inertial_parameters()
        values[: len(inertial)] = inertial
        for term in self.terms:
            values[self.columns(term)] = self._described.get(term, 0.0)
        for name, value in self.known.items():
            values[self.names.index(name)] = value
        return values

    @cached_property
    def _described(self) -> Mapping[str, Array]:
        """What the description says of terms (n,), mimic joints included; nothing of others."""
        friction = JointFriction(self.model)
        coulomb, viscous = friction.bounds
        found = {'viscous': viscous, 'coulomb': coulomb}
        found |= {f'{term}_negative': values for term, values in found.items()}
        return found | {'armature': friction.rotors, 'gain': np.ones(len(self.joints))}


def parameter_scales(layout: ParameterLayout, torques: Array) -> Array:
    """Plausible magnitudes of the parameters (p,), in their units.

    Args:
        layout: of the parameters.
        torques: (n,) usual magnitude of the torque of each joint [N m or N].
    """
    model = layout.model
    own = _masses(layout, torques)
    masses = np.concatenate([own, np.full(len(layout.loads), own.mean())])
    length = body_length(model)
    per_mass = np.array([1.0, *3 * (length,), *6 * (length**2,)])
    terms = [_of_term(layout, term, torques, length) for term in layout.terms]
    scales = np.concatenate([np.outer(masses, per_mass).reshape(-1), *terms])
    return np.maximum(scales, np.abs(layout.nominal()))


def _of_term(layout: ParameterLayout, term: JointTerm, torques: Array, length: float) -> Array:
    """Those of a term (n,)."""
    if term == 'armature':
        # Gears match the inertia of the rotor to what the joint carries.
        slides = [joint.kind == 'prismatic' for joint in layout.model.independent_joints]
        masses = _masses(layout, torques)
        carried = layout.felt[:, ::BODY][:, : len(masses)] @ masses
        return carried * np.where(slides, 1.0, length**2)
    if term == 'load':
        return np.full(len(torques), FRICTION)
    return np.ones(len(torques)) if term == 'gain' else FRICTION * torques


def _masses(layout: ParameterLayout, torques: Array) -> Array:
    """Plausible masses (bodies,) of the moving bodies [kg].

    Where the description gives none, each may be the one that loads the strongest joint.
    """
    model = layout.model
    described = np.array([joint.inertia.mass for joint in model.joints])
    least = LIGHTEST * mean_mass(model)
    if not described.any():
        least = max(least, float(torques.max()) / (GRAVITY * body_length(model)))
    return np.maximum(described, least)
