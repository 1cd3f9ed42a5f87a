"""How well a robot is known: residuals of motion that was not fitted, with intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core import RobotModel
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.extra import required
from robot_dynamics_ros.regression.intervals import BLOCK, HIGH, blocks
from robot_dynamics_ros.regression.rows import Rows

from .recorded_rows import FEWEST, Flags, RecordedRows
from .robot_fit import RobotFit

# Times what a robot of a block alone leaves of its efforts: there the robot was another. Blocks of
# one robot have up to 2.2 on the recordings of real arms of docs/recordings.md.
CHANGED = 3.0
# A model is worse than another one where its RMS is larger by more than this share, and better
# where it is smaller by a tenth.
WORSE, BETTER = 1.05, 0.9

Standing = Literal['better', 'same', 'worse', 'unknown']


@dataclass(frozen=True, eq=False)
class Prediction:
    """Torques by models that have not seen what they predict.

    Attributes:
        blocks: (N,) which block of time a row is of; -1: it is not predicted.
        torque: (N, r) beside that of the rigid bodies of the URDF [N m or N].
        noise: (b, r) standard deviation of what a robot of a block alone leaves [N m or N].
    """

    blocks: npt.NDArray[np.int_]
    torque: Array
    noise: Array

    def changed(self, rows: Rows, torque: Array) -> Array:
        """Times what a robot of a block alone leaves, by block and joint (b, r); 0 if unknown.

        Args:
            rows: of all recordings.
            torque: (N, r) by a robot of all blocks [N m or N].
        """
        found = []
        for block, noise in enumerate(self.noise):
            own = rows.used & (self.blocks == block)[:, None]
            counts = own.sum(axis=0)
            left = (own * (rows.torque - torque) ** 2).sum(axis=0) / np.maximum(counts, 1)
            known = (counts >= FEWEST) & (noise > 0.0)
            found.append(np.where(known, np.sqrt(left) / np.where(known, noise, 1.0), 0.0))
        return np.array(found)


def cross_validated(recorded: RecordedRows, rows: Rows, fit: RobotFit) -> Prediction:
    """Each of `BLOCKS` blocks of time, or what is held out, predicted by a robot of the others.

    Between a block and what is fitted lies a second that is neither: what friction or the model
    lacks is alike for neighbours.
    """
    numbers, apart = recorded.blocks, not recorded.held_out.any()
    torque, noise = np.zeros_like(rows.torque), []
    for block in range(int(numbers.max(initial=-1)) + 1):
        own = numbers == block
        near = own.copy()
        if apart:
            begin, end = rows.times[own][[0, -1]]
            near = (rows.times > begin - BLOCK) & (rows.times < end + BLOCK)
        part = rows.part(own)
        torque[own] = fit(rows.part(~near)).fitted.predicted(part)
        noise.append(fit.whole(part).noise)
    return Prediction(numbers, torque, np.array(noise).reshape(-1, rows.torque.shape[1]))


@dataclass(frozen=True)
class JointValidation:
    """Figures of one joint while it moves, on motion that was not fitted; NaN where unknown.

    Attributes:
        unit: of its effort: 'N m', or 'N' for a prismatic joint.
        moves: whether it is fitted.
        samples: rows that are predicted, with an effort.
        rms_measured: root mean square of the measured effort [N m or N].
        rms_nominal: of the residual of the URDF [N m or N].
        rms_identified: of the residual of the identified model [N m or N].
        rms_low: begin of the 95 % interval of `rms_identified` [N m or N].
        rms_high: its end [N m or N].
        gain: rms_identified / rms_nominal [-].
        gain_low: begin of its 95 % interval [-].
        gain_high: its end [-].
    """

    unit: str
    moves: bool
    samples: int = 0
    rms_measured: float = math.nan
    rms_nominal: float = math.nan
    rms_identified: float = math.nan
    rms_low: float = math.nan
    rms_high: float = math.nan
    gain: float = math.nan
    gain_low: float = math.nan
    gain_high: float = math.nan

    @property
    def standing(self) -> Standing:
        """The identified model beside the URDF; 'same' where the interval holds equal ones.

        Better by less than a tenth, or worse by less than 5 %, is the same too. Without an
        interval the ratio itself counts.
        """
        if not math.isfinite(self.gain) or self.rms_measured == 0.0:
            return 'unknown'
        if self.gain > WORSE and not self.gain_low <= 1.0:
            return 'worse'
        if self.gain <= BETTER and not self.gain_high >= 1.0:
            return 'better'
        return 'same'

    @property
    def is_worse(self) -> bool:
        """Whether the identified model is worse than the URDF, certainly."""
        return self.moves and self.standing == 'worse'

    def as_json(self) -> dict[str, Any]:
        """Part of the contract of `robot_dynamics identify --json`."""
        return {**vars(self), 'standing': self.standing}


def validated(
    model: RobotModel, rows: Rows, predicted: Flags, torque: Array
) -> dict[str, JointValidation]:
    """The figures of all joints.

    Args:
        model: of the URDF.
        rows: of all recordings.
        predicted: (N,) those that a model has predicted which has not seen them.
        torque: (N, r) what it predicts, beside that of the rigid bodies of the URDF [N m or N].
    """
    nominal = rows.torque - nominal_friction(model, rows)
    found = {}
    for joint, (name, unit) in enumerate(zip(model.joint_names, model.effort_units, strict=True)):
        own = predicted & rows.moving[:, joint]
        moves = bool(rows.used[:, joint].any())
        if own.sum() < FEWEST:
            found[name] = JointValidation(unit, moves)
            continue
        measured = (rows.rigid + rows.torque)[own, joint]
        both = nominal[own, joint], (rows.torque - torque)[own, joint]
        squares = [np.square(one) for one in both]
        low, high, least, most = _intervals(rows.times[own], *squares)
        before, after = (float(np.sqrt(one.mean())) for one in squares)
        found[name] = JointValidation(
            unit, moves, int(own.sum()), float(np.sqrt(np.mean(measured**2))), before, after,
            low, high, after / before if before else math.nan, least, most,
        )  # fmt: skip
    return found


def nominal_friction(model: RobotModel, rows: Rows) -> Array:
    """Friction (N, r) of the URDF at rows [N m or N]."""
    names = [term.name for term, _ in rows.terms if not term.shared]
    directed = [i for i, one in enumerate(names) if one in ('coulomb', 'coulomb_negative')]
    first = [i for i, one in enumerate(names) if one.startswith('coulomb ')][:1]
    viscous = [i for i, one in enumerate(names) if one in ('viscous', 'viscous_negative')]
    found = np.zeros_like(rows.torque)
    for kind, places in (('damping', viscous), ('friction', directed or first)):
        values = np.array([getattr(joint, kind) for joint in model.independent_joints])
        found += values * rows.own[..., places].sum(axis=2)
    return found


def _intervals(times: Array, nominal: Array, identified: Array) -> tuple[float, ...]:
    """95 % intervals of an RMS, and of its ratio to another; by a jackknife over blocks of time.

    Of logarithms: an RMS is positive.
    """
    special = required('scipy.special', 'identification')
    begins = blocks(times)[:-1]
    if len(begins) < 2:
        return (math.nan,) * 4
    sums = [np.add.reduceat(one, begins) for one in (nominal, identified)]
    counts = np.diff([*begins, len(times)])
    if min(one.sum() for one in sums) <= 0.0:
        return (math.nan,) * 4
    count = len(begins)
    before, after = (one.sum() - one for one in sums)
    logs = 0.5 * np.log(after / (len(times) - counts)), 0.5 * np.log(after / before)
    rms = math.sqrt(identified.mean()), math.sqrt(identified.sum() / nominal.sum())
    found: list[float] = []
    for value, one in zip(rms, logs, strict=True):
        deviation = math.sqrt((count - 1) / count * np.sum((one - one.mean()) ** 2))
        factor = math.exp(float(special.stdtrit(count - 1, HIGH)) * deviation)
        found += [value / factor, value * factor]
    return tuple(found)


def mean_gain(joints: Sequence[JointValidation]) -> float:
    """The geometric mean of the ratios of joints that move; NaN without one."""
    logs = [math.log(one.gain) for one in joints if one.moves and one.gain > 0.0]
    return math.exp(sum(logs) / len(logs)) if logs else math.nan
