"""The parameters of a fitted robot, with intervals, and curves of friction."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import starmap

import numpy as np

from robot_dynamics_ros.core.algorithms.friction import CONSTANTS, TERMS, constant_unit
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.friction import dead_bands
from robot_dynamics_ros.core.model.tree import Joint
from robot_dynamics_ros.regression.bodies import BODY
from robot_dynamics_ros.regression.fit import Fit

from .base_parameters import base_parameters
from .friction_law import curve_slopes, node_friction, own_names
from .identified_model import IdentifiedModel
from .recorded_rows import Flags, RecordedRobot, RecordedRows
from .robot_fit import FittedRobot

# Of the variance of the prior: data that leave less determine a parameter.
DETERMINED = 0.25
# Half of the interval of a gain, of the gain: a wider one is unknown.
UNKNOWN_GAIN = 0.2
# Speeds of a curve of friction, in each direction.
SPEEDS = 12
# Of joints that turn, and of those that slide.
UNITS = {
    **TERMS,
    **{
        name: tuple(constant_unit(name, slides=one) for one in (False, True)) for name in CONSTANTS
    },
    'offset': ('N m', 'N'),
    'gain': ('N m/A', 'N/A'),
}


@dataclass(frozen=True)
class ParameterRow:
    """One parameter, before and after.

    Attributes:
        name: such as 'panda_joint2 offset', or the sum that a base parameter is.
        unit: of the values.
        nominal: of the description.
        value: of the identified model.
        low: begin of the 95 % interval; NaN where the data do not determine the parameter.
        high: its end.
    """

    name: str
    unit: str
    nominal: float
    value: float
    low: float = math.nan
    high: float = math.nan

    @property
    def has_interval(self) -> bool:
        """Whether the data determine the parameter."""
        return math.isfinite(self.low) and math.isfinite(self.high)

    def __str__(self) -> str:
        """Value and interval in a line."""
        interval = f'95 % from {self.low:.3g} to {self.high:.3g}'
        known = interval if self.has_interval else 'no interval'
        return f'{self.name}: {self.value:.3g} {self.unit}, {known}'


@dataclass(frozen=True)
class FrictionCurve:
    """Friction of a joint after a long way with one velocity, over the speeds that occurred.

    Attributes:
        unit: of the torque.
        load: magnitude of the torque that the joint transmits [N m or N].
        velocities: (m,) [rad/s or m/s].
        torques: (m,) of the law that is written [N m or N].
        low: (m,) begins of 95 % intervals, whatever the law is [N m or N].
        high: (m,) their ends.
    """

    unit: str
    load: float
    velocities: Array
    torques: Array
    low: Array
    high: Array


class Parameters:
    """What a fit says of a robot.

    Attributes:
        model: the robot with these parameters.
        base: its base parameters.
        joints: rows of rotors, offsets, gains and friction.
        bodies: rows of the bodies.
        sums: rows of the base parameters.
        curves: of the friction of joints that are fitted, by name.
        viscous_lower: (n,) what viscous friction is at least [N m s/rad or N s/m].
    """

    def __init__(
        self, robot: RecordedRobot, recorded: RecordedRows, found: FittedRobot, whole: Fit
    ) -> None:
        """Read the coefficients.

        Args:
            robot: of the URDF.
            recorded: rows that were fitted.
            found: with the law of each joint.
            whole: with the whole basis, without bounds: intervals are of it.
        """
        self._robot, self._rows, self._whole = robot, recorded.whole, whole
        self._fit, self._names = found.fitted, own_names(recorded.whole)
        self._fitted = self._rows.used.any(axis=0)
        joints = robot.model.independent_joints
        nominal, armature = robot.model.inertial_parameters(), self._given('armature')
        rotors, count = 'armature' in self._names, len(nominal)
        # A body that no row shows keeps the parameters of the URDF.
        shown = self._rows.shared[self._rows.used][:, self._rows.places('bodies')].any(axis=0)
        shown = np.repeat(shown.reshape(-1, BODY).any(axis=1), BODY)
        bodies = nominal + np.where(shown, self._fit.value('bodies'), 0.0)
        kinds = node_friction(robot.model, self._fit, found.laws)
        for kind, name in (('damping', 'viscous'), ('friction', 'coulomb')):
            for term in (name, f'{name}_negative'):
                kinds[term] = np.where(self._fitted, kinds[term], self._given(kind))
        self.model = IdentifiedModel(
            robot.model.with_inertial_parameters(bodies, physical=False),
            armature + self._own('armature'),
            self._own('offset'),
            robot.scales / (1.0 + self._own('gain')),
            kinds,
            tuple(robot.dynamics.gravity.tolist()),
        )
        self.base = base_parameters(robot.dynamics, rotors=rotors)
        self._nominal, self._value = nominal, bodies
        if rotors:
            self._nominal = np.concatenate([nominal, armature])
            self._value = np.concatenate([bodies, self.model.armature])
        names, each = self.base.names, np.eye(len(self._value))
        self.bodies = self._combined(names[:count], each[:count])
        self.sums = self._combined(self.base.sentences, self.base.combination)
        self.curves, self.viscous_lower = {}, self.model.kinds['viscous'].copy()
        for joint in np.flatnonzero(self._fitted):
            curve = self._curve(joint, float(recorded.speeds[joint]))
            self.curves[joints[joint].name] = curve
            slope = (curve.torques[-1] - curve.low[-1]) / curve.velocities[-1]
            self.viscous_lower[joint] = max(0.0, self.viscous_lower[joint] - slope)
        armatures = self._combined(names[count:], each[count:]) if rotors else ()
        offsets, gains = self._coefficients('offset'), self._coefficients('gain')
        self.joints = tuple(
            row
            for joint, one in enumerate(joints)
            for own in (slice(joint, joint + 1),)
            for row in (*armatures[own], *self._friction(joint, one), *offsets[own], *gains[own])
        )

    @property
    def determined(self) -> int:
        """How many base parameters the data determine."""
        return sum(row.has_interval for row in self.sums)

    @cached_property
    def condition(self) -> float:
        """Largest to smallest singular value of the columns of determined base parameters.

        Of unit length.
        """
        rows, n = self._rows, self._robot.model.size
        columns = rows.shared[..., rows.places('bodies')]
        if 'armature' in self._names:
            rotors = rows.own[..., self._names.index('armature'), None] * np.eye(n)
            columns = np.concatenate([columns, rotors], axis=2)
        known = [
            one for one, row in zip(self.base.columns, self.sums, strict=True) if row.has_interval
        ]
        used = (columns[..., known] / self._whole.noise[:, None])[rows.used]
        lengths = np.linalg.norm(used, axis=0)
        return float(np.linalg.cond(used / lengths)) if lengths.all() and used.size else math.inf

    @property
    def unknown_gains(self) -> tuple[str, ...]:
        """Joints whose drive gain the recordings do not fix."""
        if 'gain' not in self._names:
            return ()
        unknown = self._whole.half_widths('gain') > UNKNOWN_GAIN
        return tuple(np.array(self._robot.model.joint_names)[unknown].tolist())

    def _given(self, name: str) -> Array:
        """A value (n,) of the joints in the URDF."""
        return np.array([getattr(one, name) for one in self._robot.model.independent_joints])

    def _own(self, name: str) -> Array:
        """Coefficients (n,) of a term; zero without one, or without rows."""
        return self._fitted * self._fit.value(name) if name in self._names else 0.0 * self._fitted

    def _combined(self, names: Sequence[str], combination: Array) -> tuple[ParameterRow, ...]:
        """Rows of combinations (k, p) of bodies and rotors."""
        whole = self._whole
        terms = [name for name in ('bodies', 'armature') if name in ('bodies', *self._names)]
        places = np.concatenate([whole.rows.places(name) for name in terms])
        slopes = combination @ whole.slopes[places]
        half, prior = whole.covariances.half_widths(slopes), whole.prior_half_widths(slopes)
        centre = combination @ (self._nominal + whole.theta[places])
        value, nominal = combination @ self._value, combination @ self._nominal
        units = [self.base.units[int(np.flatnonzero(row)[0])] for row in combination]
        known = half**2 < DETERMINED * prior**2
        return _rows(names, units, nominal, value, centre - half, centre + half, known)

    def _coefficients(self, name: str) -> tuple[ParameterRow, ...]:
        """Rows of offsets or gains of all joints."""
        if name not in self._names:
            return ()
        model, whole, scales = self._robot.model, self._whole, self._robot.scales
        half, centre, known = whole.half_widths(name), whole.value(name), self._fitted
        ends, nominal = np.stack([centre - half, centre + half]), np.zeros(model.size)
        if name == 'gain':
            known, nominal = known & (half <= UNKNOWN_GAIN), scales
            ends = np.sort(scales / (1.0 + ends), axis=0)
        names = [f'{joint} {name}' for joint in model.joint_names]
        units = [UNITS[name][slides] for slides in model.sliding.tolist()]
        return _rows(names, units, nominal, getattr(self.model, name), *ends, known)

    def _friction(self, joint: int, one: Joint) -> Iterator[ParameterRow]:
        """Rows of coefficients that are not zero, and of unusual constants."""
        values = {kind: float(value[joint]) for kind, value in self.model.kinds.items()}
        given = {**CONSTANTS, 'viscous': one.damping, 'coulomb': one.friction}
        for kind, value in values.items():
            both = kind.removesuffix('_negative')
            nominal = given.get(both, 0.0)
            is_usual = value == nominal if kind in CONSTANTS else not (value or nominal)
            if not is_usual and (both == kind or value != values[both]):
                low = float(self.viscous_lower[joint]) if kind == 'viscous' else math.nan
                unit = UNITS[kind][one.kind == 'prismatic']
                yield ParameterRow(f'{one.name} {kind}', unit, nominal, value, low)

    def _curve(self, joint: int, fastest: float) -> FrictionCurve:
        """Friction up to a speed, with the torque that the joint usually transmits."""
        rows, whole, model = self._rows, self._whole, self._robot.model
        torque = (rows.rigid + rows.torque)[rows.used[:, joint], joint]
        load = float(np.sqrt(np.mean(torque**2)))
        slowest = min(float(dead_bands(model)[joint]), fastest)
        steps = np.geomspace(slowest, fastest, SPEEDS)
        v = np.concatenate([-steps[::-1], steps])
        own = [term for term, _ in rows.terms if not term.shared]
        slopes = curve_slopes(self._robot.dynamics, own, v, load)
        places = np.array([rows.places(name)[joint] for name in self._names])
        law, centre = slopes @ self._fit.theta[places], slopes @ whole.theta[places]
        half = whole.covariances.half_widths(slopes @ whole.slopes[places])
        low, high = np.minimum(centre - half, law), np.maximum(centre + half, law)
        return FrictionCurve(model.effort_units[joint], load, v, law, low, high)


def _rows(
    names: Sequence[str],
    units: Sequence[str],
    nominal: Array,
    value: Array,
    low: Array,
    high: Array,
    known: Flags,
) -> tuple[ParameterRow, ...]:
    """Rows whose intervals hold their values."""
    low = np.where(known, np.minimum(low, value), np.nan)
    high = np.where(known, np.maximum(high, value), np.nan)
    columns = (one.tolist() for one in (nominal, value, low, high))
    return tuple(starmap(ParameterRow, zip(names, units, *columns, strict=True)))
