"""The parameters of a fitted robot, with intervals, and curves of friction."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import starmap
from typing import Any

import numpy as np

from robot_dynamics_ros.core import RobotDynamics
from robot_dynamics_ros.core.algorithms.friction import CONSTANTS, TERMS, constant_unit
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.friction import dead_bands
from robot_dynamics_ros.regression.bodies import BODY
from robot_dynamics_ros.regression.fit import Fit
from robot_dynamics_ros.regression.rows import Rows

from .base_parameters import BaseParameters, base_parameters
from .friction_law import curve_slopes, node_friction
from .identified_model import IdentifiedModel
from .recorded_rows import Flags
from .robot_fit import FittedRobot

# Of the variance of the prior: data that leave less determine a parameter.
DETERMINED = 0.25
# Half of the interval of a gain, of the gain: a wider one is unknown.
UNKNOWN_GAIN = 0.2
# Speeds of a curve of friction, in each direction.
SPEEDS = 12


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

    def __str__(self) -> str:
        """Value and interval in a line."""
        known = math.isfinite(self.low) and math.isfinite(self.high)
        interval = f'95 % from {self.low:.3g} to {self.high:.3g}' if known else 'no interval'
        return f'{self.name}: {self.value:.3g} {self.unit}, {interval}'


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

    def as_json(self) -> dict[str, Any]:
        """Part of the contract of `robot_dynamics identify --json`."""
        return vars(self)


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
        self,
        dynamics: RobotDynamics,
        rows: Rows,
        found: FittedRobot,
        whole: Fit,
        scales: Array,
        speeds: Array,
    ) -> None:
        """Read the coefficients.

        Args:
            dynamics: of the robot of the URDF.
            rows: that were fitted.
            found: with the law of each joint.
            whole: with the whole basis, without bounds: intervals are of it.
            scales: (n,) torque of an effort, before gains are free.
            speeds: (n,) largest ones of the recordings [rad/s or m/s].
        """
        self._dynamics, self._robot = dynamics, dynamics.model
        self._rows, self._found, self._whole = rows, found, whole
        self._names = [term.name for term, _ in rows.terms if not term.shared]
        self._fitted: Flags = np.asarray(rows.used.any(axis=0))
        nominal = self._robot.inertial_parameters()
        change = np.where(self._felt(), found.fitted.value('bodies'), 0.0)
        armature = np.array([one.armature for one in self._robot.independent_joints])
        rotors = 'armature' in self._names
        rotor = armature + found.fitted.value('armature') if rotors else 0.0 * armature
        kinds = node_friction(self._robot, found.fitted, found.laws)
        for kind, name in (('damping', 'viscous'), ('friction', 'coulomb')):
            given = np.array([getattr(one, kind) for one in self._robot.independent_joints])
            for direction in (name, f'{name}_negative'):
                kinds[direction] = np.where(self._fitted, kinds[direction], given)
        offset = self._own('offset')
        gain = scales / (1.0 + self._own('gain')) if 'gain' in self._names else scales
        self._scales = scales
        self.model = IdentifiedModel(
            self._robot.with_inertial_parameters(nominal + change, physical=False),
            np.where(self._fitted, rotor, armature), offset, gain, kinds,
            tuple(dynamics.gravity.tolist()),
        )  # fmt: skip
        self.base: BaseParameters = base_parameters(dynamics, rotors=rotors)
        self._nominal = np.concatenate([nominal, armature]) if rotors else nominal
        self._value = np.concatenate([nominal + change, rotor]) if rotors else nominal + change
        count = len(nominal)
        each = np.eye(len(self._value))
        self.bodies = self._parameter_rows(self.base.names[:count], each[:count])
        self.sums = self._parameter_rows(self.base.sentences, self.base.combination)
        self.curves = {
            name: self._curve(joint, float(speeds[joint]))
            for joint, name in enumerate(self._robot.joint_names)
            if self._fitted[joint]
        }
        self.viscous_lower = np.array([self._least(name) for name in self._robot.joint_names])
        self.joints = tuple(self._joint_rows(each[count:]))

    @property
    def determined(self) -> int:
        """How many base parameters the data determine."""
        return sum(math.isfinite(row.low) for row in self.sums)

    @cached_property
    def condition(self) -> float:
        """Largest to smallest singular value of the columns of determined base parameters.

        Of unit length.
        """
        rows = self._rows
        known = [math.isfinite(row.low) for row in self.sums]
        columns = [one for one, is_known in zip(self.base.columns, known, strict=True) if is_known]
        bodies = rows.shared[..., rows.places('bodies')]
        parts = []
        for joint in range(self._robot.size):
            own = rows.used[:, joint]
            whole = np.zeros((int(own.sum()), len(self._value)))
            whole[:, : bodies.shape[2]] = bodies[own, joint]
            if 'armature' in self._names:
                column = self._names.index('armature')
                whole[:, bodies.shape[2] + joint] = rows.own[own, joint, column]
            parts.append(whole[:, columns] / self._whole.noise[joint])
        stacked = np.concatenate(parts)
        lengths = np.linalg.norm(stacked, axis=0)
        if not stacked.size or not (lengths > 0.0).all():
            return math.inf
        values = np.linalg.svd(stacked / lengths, compute_uv=False)
        return float(values[0] / values[-1]) if values[-1] else math.inf

    def _felt(self) -> Array:
        """Which parameters of bodies (10 b,) any row feels at all, by body."""
        rows = self._rows
        bodies = rows.shared[..., rows.places('bodies')] * rows.used[..., None]
        felt = np.abs(bodies).max(axis=(0, 1), initial=0.0).reshape(-1, BODY).max(axis=1) > 0.0
        return np.repeat(felt, BODY)

    def _own(self, name: str) -> Array:
        if name not in self._names:
            return np.zeros(self._robot.size)
        return np.where(self._fitted, self._found.fitted.value(name), 0.0)

    def _places(self) -> Array:
        """Of bodies and rotors among all coefficients."""
        found = [self._whole.rows.places('bodies')]
        if 'armature' in self._names:
            found.append(self._whole.rows.places('armature'))
        return np.concatenate(found)

    def _parameter_rows(
        self, names: Sequence[str], combination: Array
    ) -> tuple[ParameterRow, ...]:
        """Rows of combinations (k, p) of bodies and rotors."""
        whole, places = self._whole, self._places()
        slopes = combination @ whole.slopes[places]
        half, prior = whole.covariances.half_widths(slopes), whole.prior_half_widths(slopes)
        centre = combination @ (self._nominal + whole.theta[places])
        value, nominal = combination @ self._value, combination @ self._nominal
        known = half**2 < DETERMINED * prior**2
        low = np.where(known, np.minimum(centre - half, value), np.nan)
        high = np.where(known, np.maximum(centre + half, value), np.nan)
        units = [self.base.units[int(np.flatnonzero(row)[0])] for row in combination]
        columns = (one.tolist() for one in (nominal, value, low, high))
        return tuple(starmap(ParameterRow, zip(names, units, *columns, strict=True)))

    def _joint_rows(self, rotors: Array) -> list[ParameterRow]:
        found: list[ParameterRow] = []
        of_rotors = self._parameter_rows(
            self.base.names[len(self.bodies) :], rotors
        ) if len(rotors) else ()  # fmt: skip
        for joint, one in enumerate(self._robot.independent_joints):
            slides = one.kind == 'prismatic'
            found += of_rotors[joint : joint + 1]
            for term, units in TERMS.items():
                value = float(self.model.kinds[term][joint])
                nominal = {'viscous': one.damping, 'coulomb': one.friction}.get(
                    term.removesuffix('_negative'), 0.0
                )
                same = value == self.model.kinds[term.removesuffix('_negative')][joint]
                if (value or nominal) and not (term.endswith('_negative') and same):
                    low = float(self.viscous_lower[joint]) if term == 'viscous' else math.nan
                    row = ParameterRow(f'{one.name} {term}', units[slides], nominal, value, low)
                    found.append(row)
            for name, usual in CONSTANTS.items():
                value = float(self.model.kinds[name][joint])
                if value != usual:
                    unit = constant_unit(name, slides=slides)
                    found.append(ParameterRow(f'{one.name} {name}', unit, usual, value))
            found += self._coefficient(joint, 'offset', ('N m', 'N')[slides], 0.0)
            scale = float(self._scales[joint])
            found += self._coefficient(joint, 'gain', ('N m/A', 'N/A')[slides], scale)
        return found

    def _coefficient(self, joint: int, name: str, unit: str, nominal: float) -> list[ParameterRow]:
        """The row of an offset or a gain."""
        if name not in self._names:
            return []
        whole, row = self._whole, f'{self._robot.joint_names[joint]} {name}'
        value = float(getattr(self.model, name)[joint])
        half = float(whole.half_widths(name)[joint])
        centre = float(whole.value(name)[joint])
        ends = [centre - half, centre + half]
        if name == 'gain':
            if half > UNKNOWN_GAIN:
                return [ParameterRow(row, unit, nominal, value)]
            ends = sorted(float(self._scales[joint]) / (1.0 + end) for end in ends)
        if not self._fitted[joint]:
            return [ParameterRow(row, unit, nominal, value)]
        return [ParameterRow(row, unit, nominal, value, min(ends[0], value), max(ends[1], value))]

    def _curve(self, joint: int, fastest: float) -> FrictionCurve:
        """Friction up to a speed, with the torque that the joint usually transmits."""
        rows, whole = self._rows, self._whole
        used = rows.used[:, joint]
        torque = float(np.sqrt(np.mean((rows.rigid + rows.torque)[used, joint] ** 2)))
        slowest = min(float(dead_bands(self._robot)[joint]), fastest)
        steps = np.geomspace(slowest, fastest, SPEEDS)
        v = np.concatenate([-steps[::-1], steps])
        own = [term for term, _ in rows.terms if not term.shared]
        slopes = curve_slopes(self._dynamics, own, v, torque)
        shared, k = rows.shared.shape[2], len(own)
        place = shared + joint * k + np.arange(k)
        law, centre = slopes @ self._found.fitted.theta[place], slopes @ whole.theta[place]
        half = whole.covariances.half_widths(slopes @ whole.slopes[place])
        low, high = np.minimum(centre - half, law), np.maximum(centre + half, law)
        return FrictionCurve(self._robot.effort_units[joint], torque, v, law, low, high)

    def _least(self, name: str) -> float:
        """Viscous friction, as far as the fastest motion shows it."""
        value = float(self.model.kinds['viscous'][self._robot.joint_names.index(name)])
        curve = self.curves.get(name)
        if curve is None:
            return value
        return max(0.0, value - float(curve.torques[-1] - curve.low[-1]) / curve.velocities[-1])

    @property
    def unknown_gains(self) -> tuple[str, ...]:
        """Joints whose drive gain the recordings do not fix."""
        if 'gain' not in self._names:
            return ()
        unknown = self._whole.half_widths('gain') > UNKNOWN_GAIN
        return tuple(np.array(self._robot.joint_names)[unknown].tolist())
