"""How well a robot is known: residuals of motion that was not fitted, with intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from robot_dynamics_ros.core import RobotModel
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.extra import required
from robot_dynamics_ros.regression.intervals import BLOCK, HIGH, blocks
from robot_dynamics_ros.regression.rows import Rows

from .friction_law import friction_columns
from .recorded_rows import MIN_ROWS, FittedRobot, RecordedRows, of_joints

# A model is worse than another one where its RMS is larger by more than this share, and better
# where it is smaller by a tenth.
WORSE, BETTER = 1.05, 0.9


def cross_validated(recorded: RecordedRows, everything: FittedRobot) -> tuple[Array, Array]:
    """Each of `BLOCKS` blocks of time, or what is held out, predicted by a robot of the others.

    Between a block and what is fitted lies a second that is neither: what friction or the model
    lacks is alike for neighbours. Torques (N, n) are beside those of the rigid bodies of the URDF,
    NaN where there are none [N m or N]; and of each block and joint (b, n) the residual of the
    robot of everything, relative to that of a robot of this block alone: 0 where it is unknown.
    """
    robot, rows, numbers = recorded.robot, recorded.whole, recorded.blocks
    torque, changed = np.full_like(rows.torque, np.nan), []
    for block in range(int(numbers.max(initial=-1)) + 1):
        own = numbers == block
        near, part = own, rows.part(own)
        if numbers.min() == 0:
            begin, end = part.times[[0, -1]]
            near = (rows.times > begin - BLOCK) & (rows.times < end + BLOCK)
        torque[own] = robot.fit(rows.part(~near)).fitted.predicted(part)
        counts, noise = part.used.sum(axis=0), robot.whole(part).noise
        residual = part.used * (part.torque - everything.fitted.predicted(part))
        known = (counts >= MIN_ROWS) & (noise > 0.0)
        size = np.sqrt((residual**2).sum(axis=0) / np.maximum(counts, 1))
        changed.append(np.where(known, size / np.where(known, noise, 1.0), 0.0))
    return torque, np.array(changed)


@dataclass(frozen=True)
class JointValidation:
    """Figures of one joint while it moves, on motion that was not fitted; NaN where unknown."""

    unit: str  #: of its effort: 'N m', or 'N' for a prismatic joint
    moves: bool  #: whether it is fitted
    samples: int = 0  #: rows that are predicted, with an effort
    rms_measured: float = math.nan  #: root mean square of the measured effort [unit]
    rms_nominal: float = math.nan  #: of the residual of the URDF [unit]
    rms_identified: float = math.nan  #: of that of the identified model [unit]
    rms_low: float = math.nan  #: begin of its 95 % interval
    rms_high: float = math.nan
    gain: float = math.nan  #: rms_identified / rms_nominal [-]
    gain_low: float = math.nan  #: begin of its 95 % interval
    gain_high: float = math.nan

    @property
    def standing(self) -> Literal['better', 'same', 'worse', 'unknown']:
        """The identified model beside the URDF; 'same' where the interval holds equal ones.

        Without an interval the ratio itself counts.
        """
        if not math.isfinite(self.gain) or self.rms_measured == 0.0:
            return 'unknown'
        if self.gain > WORSE and not self.gain_low <= 1.0:
            return 'worse'
        return 'better' if self.gain <= BETTER and not self.gain_high >= 1.0 else 'same'

    @property
    def is_worse(self) -> bool:
        """Whether the identified model is worse than the URDF, certainly."""
        return self.moves and self.standing == 'worse'


def validated(model: RobotModel, rows: Rows, torque: Array) -> dict[str, JointValidation]:
    """The figures of all joints of the model of a URDF.

    Torques (N, n) are of models that have not seen these rows, beside that of the rigid bodies of
    the URDF; NaN where there is none [N m or N].
    """
    nominal, found = rows.torque - nominal_friction(model, rows), {}
    for joint, (name, unit) in enumerate(zip(model.joint_names, model.effort_units, strict=True)):
        own = np.isfinite(torque[:, joint]) & rows.moving[:, joint]
        signals = rows.rigid + rows.torque, nominal, rows.torque - torque
        measured, before, after = (one[own, joint] ** 2 for one in signals)
        known: Any = ()
        if (count := len(after)) >= MIN_ROWS:
            rms = _root_ratio(rows.times[own], after, np.ones(count))
            gain = _root_ratio(rows.times[own], after, before)
            known = count, math.sqrt(measured.mean()), math.sqrt(before.mean()), *rms, *gain
        found[name] = JointValidation(unit, bool(rows.used[:, joint].any()), *known)
    return found


def nominal_friction(model: RobotModel, rows: Rows) -> Array:
    """Friction (N, n) of the URDF at rows [N m or N]."""
    viscous = friction_columns(rows, 'viscous') * of_joints(model, 'damping')
    return np.asarray(viscous + friction_columns(rows, 'coulomb') * of_joints(model, 'friction'))


def _root_ratio(times: Array, over: Array, under: Array) -> tuple[float, float, float]:
    """Root of a ratio of sums, with its 95 % interval by a jackknife of its logarithm."""
    if under.sum() == 0.0:
        return (math.nan,) * 3
    value, begins = math.sqrt(over.sum() / under.sum()), blocks(times)[:-1]
    if (count := len(begins)) < 2 or value == 0.0:
        return value, math.nan, math.nan
    left = [one.sum() - np.add.reduceat(one, begins) for one in (over, under)]
    logs = 0.5 * np.log(left[0] / left[1])
    deviation = math.sqrt((count - 1) / count * np.sum((logs - logs.mean()) ** 2))
    quantile = required('scipy.special', 'identification').stdtrit(count - 1, HIGH)
    factor = math.exp(float(quantile) * deviation)
    return value, value / factor, value * factor
