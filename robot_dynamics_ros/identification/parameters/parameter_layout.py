"""The columns of the regressor, and what the description says of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from robot_dynamics_ros.core import ParameterError, RobotModel, UnknownNameError
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.model.friction import SMOOTHING
from robot_dynamics_ros.core.model.inertial_parameters import PARAMETERS

from .joint_terms import PRISMATIC_UNITS, REVOLUTE_UNITS, TERMS, USUAL, JointTerm
from .load import Load

BODY = len(PARAMETERS)
BODY_UNITS = ('kg', *3 * ('kg m',), *6 * ('kg m^2',))


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
        smoothing: v_0 of the smooth sign of Coulomb friction by joint (n,), see
            `core.model.friction` [rad/s or m/s]; empty for the usual one.
    """

    model: RobotModel
    terms: tuple[JointTerm, ...] = USUAL
    loads: tuple[Load, ...] = ()
    known: Mapping[str, float] = field(default_factory=dict)
    smoothing: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        """Refuse what does not exist, and what no data can tell apart.

        Raises:
            UnknownNameError: a term, a link or a known parameter does not exist.
            ParameterError: two terms act alike, a name comes twice, a link is fixed to
                the base, a known value is not finite, or a smoothing not positive.
        """
        for term in self.terms:
            if term not in TERMS:
                raise UnknownNameError('term', term, TERMS)
        if len(set(self.terms)) < len(self.terms):
            raise ParameterError(f'terms are named twice: {", ".join(self.terms)}')
        for term in ('viscous', 'coulomb'):
            if f'{term}_negative' in self.terms and term not in self.terms:
                raise ParameterError(f'{term}_negative needs {term}: add it to the terms')
        if {'coulomb_negative', 'offset'} <= set(self.terms):
            raise ParameterError(
                'offset and coulomb_negative cannot be distinguished: a joint that moves feels '
                'their sum; leave out one of the two terms'
            )
        for load in self.loads:
            if self.model.frame(load.frame).body < 0:
                raise ParameterError(
                    f'load {load.name!r}: link {load.frame!r} is fixed to the base; name a link '
                    'that moves'
                )
        if repeated := sorted({name for name in self.names if self.names.count(name) > 1}):
            raise ParameterError(f'two parameters are named {repeated[0]!r}: rename the load')
        for name, value in self.known.items():
            if name not in self.names:
                raise UnknownNameError('parameter', name, self.names)
            if not np.isfinite(value):
                raise ParameterError(f'{name} is {value}, it must be finite')
        if len(self.smoothings) != len(self.joints):
            raise ParameterError(
                f'smoothing has {len(self.smoothings)} values, {len(self.joints)} are needed, one '
                f'for each of {", ".join(self.joints)}'
            )
        for joint, value in zip(self.joints, self.smoothings.tolist(), strict=True):
            if not (np.isfinite(value) and value > 0.0):
                raise ParameterError(
                    f'smoothing of {joint} is {value}, it must be positive and finite'
                )

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the independent joints (n,)."""
        return self.model.joint_names

    @cached_property
    def bodies(self) -> tuple[str, ...]:
        """Names of the moving bodies, each that of its first link, and of the loads."""
        names = {frame.body: frame.name for frame in reversed(self.model.frames)}
        moving = [names.get(i, joint.name) for i, joint in enumerate(self.model.joints)]
        return (*moving, *(load.name for load in self.loads))

    @cached_property
    def smoothings(self) -> Array:
        """The smoothing of each joint (n,) [rad/s or m/s]."""
        return np.array(self.smoothing or (SMOOTHING,) * len(self.joints))

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
        kinds = [joint.kind for joint in self.model.independent_joints]
        tables = [PRISMATIC_UNITS if kind == 'prismatic' else REVOLUTE_UNITS for kind in kinds]
        terms = [table[term] for term in self.terms for table in tables]
        return (*(len(self.bodies) * BODY_UNITS), *terms)

    def body_columns(self, body: int) -> slice:
        """Columns of the ten parameters of a body or load.

        Args:
            body: index in `bodies`.
        """
        return slice(BODY * body, BODY * body + BODY)

    def column(self, term: JointTerm, joint: str) -> int:
        """The column of a term of a joint.

        Raises:
            UnknownNameError: the layout has no such term, or the robot no such joint.
        """
        return int(self.columns(term)[self.model.index_of(joint)])

    def columns(self, term: JointTerm) -> np.ndarray:
        """Columns of a term (n,), in the order of `joints`.

        Raises:
            UnknownNameError: the layout has no such term.
        """
        if term not in self.terms:
            raise UnknownNameError('term', term, self.terms)
        first = BODY * len(self.bodies) + self.terms.index(term) * len(self.joints)
        return np.arange(first, first + len(self.joints))

    @cached_property
    def is_known(self) -> np.ndarray:
        """Which parameters (p,) are known, and so not estimated."""
        return np.array([name in self.known for name in self.names])

    def nominal(self) -> Array:
        """The parameters (p,) of the description: inertias, rotors, damping, friction.

        Known values take their place. Loads and springs are zero, gains one.
        """
        values = np.zeros(self.size)
        inertial = self.model.inertial_parameters()
        values[: len(inertial)] = inertial
        for term in self.terms:
            values[self.columns(term)] = self._described(term)
        for name, value in self.known.items():
            values[self.names.index(name)] = value
        return values

    def _described(self, term: JointTerm) -> Array:
        """What the description says of a term (n,)."""
        values = np.zeros(len(self.joints))
        for joint in self.model.joints:
            index, multiplier = joint.coordinate.index, abs(joint.coordinate.multiplier)
            if term == 'armature':
                values[index] += multiplier**2 * joint.armature
            elif term in ('viscous', 'viscous_negative'):
                values[index] += multiplier**2 * joint.damping
            elif term in ('coulomb', 'coulomb_negative'):
                values[index] += multiplier * joint.friction
        return np.ones(len(self.joints)) if term == 'gain' else values
