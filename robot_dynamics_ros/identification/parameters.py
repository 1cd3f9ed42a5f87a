"""The parameters of a fitted robot, with intervals, and curves of friction."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core import JointFriction, RobotDynamics, RobotModel
from robot_dynamics_ros.core.algorithms.friction import CONSTANTS, KINDS, TERMS, constant_unit
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.friction import dead_bands
from robot_dynamics_ros.core.model.gravity import STANDARD_GRAVITY
from robot_dynamics_ros.core.model.tree import Joint
from robot_dynamics_ros.regression.bodies import BODY
from robot_dynamics_ros.regression.regressors import DISPLACEMENTS, States
from robot_dynamics_ros.regression.rows import Flags

from .base_parameters import base_parameters
from .friction_law import OTHERS, friction_columns, node_friction
from .recorded_rows import FittedRobot, RecordedRows, of_joints

# Of the variance of the prior: data that leave less determine a parameter.
DETERMINED = 0.25
# Half of the interval of a gain, of the gain: a wider one is unknown.
UNKNOWN_GAIN = 0.2
# Speeds of a curve of friction, in each direction.
SPEEDS = 12
# Of joints that turn, and of those that slide.
BOTH = False, True
UNITS: dict[str, tuple[str, ...]] = {
    **TERMS,
    **{name: tuple(constant_unit(name, slides=one) for one in BOTH) for name in CONSTANTS},
    **dict.fromkeys(('viscous_lower', 'viscous_negative_lower'), TERMS['viscous']),
    **dict.fromkeys(('offset', 'torque_offset'), ('N m', 'N')),
    'armature': ('kg m^2', 'kg'),
    'max_velocity': ('rad/s', 'm/s'),
    'gain': ('N m/A', 'N/A'),
}


@dataclass(frozen=True)
class ParameterRow:
    """One parameter of the URDF and of the identified model, with its 95 % interval."""

    name: str  #: such as 'panda_joint2 offset', or the sum that a base parameter is
    unit: str
    nominal: float  #: of the URDF
    value: float
    low: float = math.nan  #: NaN where the data do not determine the parameter
    high: float = math.nan

    @property
    def interval(self) -> str:
        """The interval as text; empty where the data do not determine the parameter."""
        known = math.isfinite(self.low) and math.isfinite(self.high)
        return f'{self.low:.4g} to {self.high:.4g}' if known else ''

    def __str__(self) -> str:
        """Value and interval in a line."""
        interval = f'95 % from {self.interval}' if self.interval else 'no interval'
        return f'{self.name}: {self.value:.3g} {self.unit}, {interval}'


@dataclass(frozen=True)
class FrictionCurve:
    """Friction of a joint after a long way with one velocity, over the speeds that occurred."""

    unit: str  #: of the torque
    load: float  #: magnitude of the torque that the joint transmits [unit]
    velocities: Array  #: (m,) [rad/s or m/s]
    torques: Array  #: (m,) of the law that is written [unit]
    low: Array  #: (m,) begins of 95 % intervals, whatever the law is [unit]
    high: Array  #: (m,) their ends [unit]


@dataclass(frozen=True, eq=False)
class IdentifiedModel:
    """A robot whose parameters were identified: bodies, rotors, friction, constant torques.

    Its torque is M(q) a + C(q, v) v + g(q) + f + b, with the rotors in M, the friction f of
    `core.algorithms.friction`, and a constant torque b. What a mimic joint has is part of the
    joint that it mimics.
    """

    model: RobotModel  #: with the identified bodies; its rotors and friction are not used
    values: Mapping[str, Array]  #: (n,) of independent joints, by the keys of friction.yaml
    gravity: Sequence[float] = STANDARD_GRAVITY  #: (3,) under which it was recorded [m/s^2]

    @cached_property
    def friction(self) -> JointFriction:
        """The friction of the joints; mimic joints have none."""
        given = {kind: self._by_joint(kind, CONSTANTS.get(kind, 0.0)) for kind in KINDS}
        return JointFriction(self.model, **given)

    @property
    def rotors(self) -> dict[str, float]:
        """Their inertia by joint [kg m^2 or kg]; mimic joints have none."""
        return self._by_joint('armature')

    @cached_property
    def dynamics(self) -> RobotDynamics:
        """The dynamics of bodies and rotors, compiled at the first use."""
        return RobotDynamics(self.model.with_armature(self.rotors), gravity=self.gravity)

    def inverse_dynamics(self, q: npt.ArrayLike, v: npt.ArrayLike, a: npt.ArrayLike) -> Array:
        """The torque (n,) of a state, or (N, n) of a batch, without pre-sliding [N m or N].

        Raises:
            StateError: q, v or a has another shape, or a value is not finite.
        """
        rigid = self.dynamics.inverse_dynamics(q, v, a)
        load = rigid - self.values['armature'] * np.asarray(a)
        return rigid + self.friction.torque(v, load=load) + self.values['torque_offset']

    def _by_joint(self, key: str, mimic: float = 0.0) -> dict[str, float]:
        given = dict.fromkeys((joint.name for joint in self.model.joints), mimic)
        return given | dict(zip(self.model.joint_names, self.values[key].tolist(), strict=True))


class Parameters:
    """What a fit says of a robot.

    Attributes:
        model: the robot with these parameters.
        base: its base parameters.
        joints: rows of rotors, offsets, gains and friction.
        bodies: rows of the bodies.
        sums: rows of the base parameters.
        curves: of the friction of joints that are fitted, by name.
    """

    def __init__(self, recorded: RecordedRows, found: FittedRobot) -> None:
        """Read the coefficients; intervals are those of a fit with the whole basis of friction."""
        robot = self._robot = recorded.robot
        self._rows, self._fit, model = recorded.whole, found.fitted, robot.model
        self._whole = robot.whole(self._rows, bounded=False)
        self._fitted: Flags = np.asarray(self._rows.used.any(axis=0))
        nominal, armature = model.inertial_parameters(), of_joints(model, 'armature')
        # A body that no row shows keeps the parameters of the URDF.
        shown = self._rows.shared[self._rows.used][:, self._rows.places('bodies')].any(axis=0)
        shown = np.repeat(shown.reshape(-1, BODY).any(axis=1), BODY)
        bodies = nominal + np.where(shown, self._fit.value('bodies'), 0.0)
        values = node_friction(model, self._fit, found.laws)
        for kind, name in (('damping', 'viscous'), ('friction', 'coulomb')):
            for term in (name, f'{name}_negative'):
                values[term] = np.where(self._fitted, values[term], of_joints(model, kind))
        rotors = armature + self._own('armature')
        speeds = np.abs(self._rows.moving * friction_columns(self._rows, 'viscous')).max(axis=0)
        values |= {
            'torque_offset': self._own('offset'),
            'armature': rotors,
            'max_velocity': np.where(self._fitted, speeds, np.nan),
            'gain': robot.scales / (1.0 + self._own('gain')),
        }
        self.base = base_parameters(robot.dynamics, rotors=robot.rotors)
        size, count = len(self.base.names), len(nominal)
        self._nominal = np.concatenate([nominal, armature])[:size]
        self._value = np.concatenate([bodies, rotors])[:size]
        each = self._combined(self.base.names, np.eye(size))
        self.bodies = each[:count]
        self.sums = self._combined(self.base.sentences, self.base.combination)
        self.curves, lower = {}, np.full(model.size, np.nan)
        for joint in np.flatnonzero(self._fitted).tolist():
            curve = self.curves[model.joint_names[joint]] = self._curve(joint, speeds[joint])
            slope = (curve.torques[-1] - curve.low[-1]) / curve.velocities[-1]
            lower[joint] = max(0.0, values['viscous'][joint] - slope)
        for term in ('viscous', 'viscous_negative'):
            values[f'{term}_lower'] = np.minimum(lower, values[term])
        self.model = IdentifiedModel(
            model.with_inertial_parameters(bodies, physical=False),
            values,
            tuple(robot.dynamics.gravity.tolist()),
        )
        self.joints: tuple[ParameterRow, ...] = ()
        for joint, one in enumerate(model.independent_joints):
            self.joints += *each[count:][joint : joint + 1], *self._joint_rows(joint, one)

    @property
    def determined(self) -> int:
        """How many base parameters the data determine."""
        return sum(bool(row.interval) for row in self.sums)

    @cached_property
    def condition(self) -> float:
        """That of the columns of determined base parameters, of unit length."""
        rows = self._rows
        columns = rows.shared[..., rows.places('bodies')]
        if self._robot.rotors:
            rotors = rows.own[..., rows.own_names.index('armature'), None]
            columns = np.concatenate([columns, rotors * np.eye(rotors.shape[1])], axis=2)
        known = np.array([bool(row.interval) for row in self.sums])
        base = columns[..., np.array(self.base.columns)[known]]
        used = (base / self._whole.noise[:, None])[rows.used]
        lengths = np.linalg.norm(used, axis=0)
        return float(np.linalg.cond(used / lengths)) if lengths.all() and used.size else math.inf

    def _own(self, name: str) -> Any:
        """Coefficients (n,) of a term; zero without one, or without rows."""
        return self._fitted * (self._fit.value(name) if name in self._rows.own_names else 0.0)

    def _combined(self, names: Sequence[str], combination: Array) -> tuple[ParameterRow, ...]:
        """Rows of combinations (k, p) of bodies and rotors."""
        whole, terms = self._whole, ('bodies', *['armature'] * self._robot.rotors)
        places = np.concatenate([whole.rows.places(name) for name in terms])
        slopes = combination @ whole.slopes[places]
        half, prior = whole.covariances.half_widths(slopes), whole.prior_half_widths(slopes)
        centre = combination @ (self._nominal + whole.theta[places])
        value, nominal = combination @ self._value, combination @ self._nominal
        known = half**2 < DETERMINED * prior**2
        low = np.where(known, np.minimum(centre - half, value), np.nan)
        high = np.where(known, np.maximum(centre + half, value), np.nan)
        units = [self.base.units[int(np.flatnonzero(row)[0])] for row in combination]
        columns = (one.tolist() for one in (nominal, value, low, high))
        return tuple(map(ParameterRow, names, units, *columns))

    def _joint_rows(self, joint: int, one: Joint) -> Iterator[ParameterRow]:
        """Coefficients of friction that are not zero, unusual constants, offset and gain."""
        values = {key: float(value[joint]) for key, value in self.model.values.items()}
        given = {**CONSTANTS, 'viscous': one.damping, 'coulomb': one.friction}
        slides = one.kind == 'prismatic'
        for kind, value in ((kind, values[kind]) for kind in KINDS):
            both = kind.removesuffix('_negative')
            nominal = given.get(both, 0.0)
            is_usual = value == nominal if kind in CONSTANTS else not (value or nominal)
            if not is_usual and (both == kind or value != values[both]):
                low = values['viscous_lower'] if kind == 'viscous' else math.nan
                yield ParameterRow(f'{one.name} {kind}', UNITS[kind][slides], nominal, value, low)
        scale, known = float(self._robot.scales[joint]), bool(self._fitted[joint])
        for name, key, nominal in (('offset', 'torque_offset', 0.0), ('gain', 'gain', scale)):
            if name not in self._rows.own_names:
                continue
            centre, half = (
                float(one(name)[joint]) for one in (self._whole.value, self._whole.half_widths)
            )
            ends = [centre - half, centre + half]
            if name == 'gain':
                known = (known or not self._robot.gains[joint]) and half <= UNKNOWN_GAIN
                ends = [scale / (1.0 + end) for end in ends if known]
            ends = [min(*ends, values[key]), max(*ends, values[key])] if known else []
            unit = UNITS[name][slides]
            yield ParameterRow(f'{one.name} {name}', unit, nominal, values[key], *ends)

    def _curve(self, joint: int, fastest: float) -> FrictionCurve:
        """Friction up to a speed, with the torque that the joint usually transmits."""
        rows, whole, model = self._rows, self._whole, self._robot.model
        torque = (rows.rigid + rows.torque)[rows.used[:, joint], joint]
        load = float(np.sqrt(np.mean(torque**2)))
        slowest = min(float(dead_bands(model)[joint]), fastest)
        steps = np.geomspace(slowest, fastest, SPEEDS)
        v = np.concatenate([-steps[::-1], steps])[:, None]
        # The contact has slipped; friction does not depend on positions and accelerations.
        zeros, slips = 0.0 * v, np.repeat(np.sign(v)[:, None], len(DISPLACEMENTS), axis=1)
        states = States(self._robot.dynamics, zeros, v, zeros, slips, zeros)
        slopes = np.column_stack([
            term.column(states) * (load if term.loaded else 1.0) * (term.name not in OTHERS)
            for term in rows.own_terms
        ])  # fmt: skip
        places = rows.place(joint)[rows.shared.shape[2] :]
        law, centre = slopes @ self._fit.theta[places], slopes @ whole.theta[places]
        half = whole.covariances.half_widths(slopes @ whole.slopes[places])
        low, high = np.minimum(centre - half, law), np.maximum(centre + half, law)
        return FrictionCurve(model.effort_units[joint], load, v[:, 0], law, low, high)
