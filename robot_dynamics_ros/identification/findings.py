"""Findings of an identification: about its recordings, its motion, and what it contradicts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from robot_dynamics_ros.comparison import Finding
from robot_dynamics_ros.core import ParameterError, RobotModel
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.regression.bodies import BODY
from robot_dynamics_ros.regression.rows import Rows

from .base_parameters import body_names
from .parameters import Parameters
from .recorded_rows import FEWEST, RecordedRobot, RecordedRows, Source
from .validation import CHANGED, JointValidation

# Findings of a comparison that the fit takes up; and those about the scale of efforts, which is
# estimated where efforts are currents.
FITTED = ('friction', 'payload', 'mass', 'rotor', 'unexplained', 'delay', 'still')
OF_SCALE = ('scale', 'sign', 'swapped', 'gravity_compensated', 'turned_base')
# Share of the effort that an identified model of the right robot does not leave.
LEFT = 0.5
# Above it, errors of the data grow by two orders of magnitude (Gautier, Khalil, "Exciting
# trajectories for the identification of base inertial parameters of robots", 1992: below 100).
MAX_CONDITION = 100.0
# Masses change by more than a factor e in one of twenty URDFs (`regression.bodies.KNOWN`), of e^3
# in none: then lengths or efforts are of another robot.
DOUBTFUL, IMPOSSIBLE = np.e, np.e**3
# Of all masses: a lighter body may be anything beside its neighbours.
SHARE = 0.05
# Of the largest effort of all joints: one with less is not loaded.
LOADED = 0.02
# Of samples: from there on saturation is said.
SATURATED = 0.01


def check_motion(rows: Rows) -> None:
    """Refuse recordings that show nothing of the dynamics.

    Raises:
        ParameterError: no joint moves with a measured effort.
    """
    if not rows.used.any():
        raise ParameterError(
            f'no joint has {FEWEST} rows with motion and a measured effort: record a motion of '
            'all joints, such as that of robot_dynamics excite, with efforts'
        )


def of_recordings(sources: Sequence[Source], *, scaled: bool) -> Iterator[Finding]:
    """What the comparisons say of the data, and not of what is identified.

    Args:
        sources: the recordings; of several, each finding names its own.
        scaled: whether the scale and the sign of the efforts are known, and not estimated.
    """
    left_out = FITTED if scaled else (*FITTED, *OF_SCALE)
    for source in sources:
        recorded = source.compared.joints
        for one in source.compared.findings:
            # A mass may be such a scale; what is not recorded is not looked for in other joints.
            of_mass = one.code == 'scale' and one.is_of_few
            other = one.code == 'missing' and set(one.joints) <= set(recorded)
            if one.code in left_out or of_mass or other:
                continue
            name = f'{source.name}: ' if len(sources) > 1 else ''
            yield replace(one, message=f'{name}{one.message}')


def of_rows(robot: RecordedRobot, recorded: RecordedRows, changed: Array) -> Iterator[Finding]:
    """Joints that rest, saturated efforts, and blocks that no robot of all explains.

    Args:
        robot: of the joints.
        recorded: rows of all recordings.
        changed: (b, r) see `Prediction.changed`.
    """
    names, rows = np.array(robot.model.joint_names), recorded.whole
    rests = ~rows.used.any(axis=0) & ~np.isin(names, list(robot.unmeasured))
    if still := tuple(names[rests].tolist()):
        yield Finding('still', still, None, 'too little motion with an effort: values of the URDF')
    if saturated := tuple(names[recorded.saturated > SATURATED].tolist()):
        share = float(recorded.saturated.max())
        text = f'effort at its limit in up to {100.0 * share:.0f} % of the samples'
        yield Finding('saturated', saturated, share, text)
    for block, ratios in enumerate(changed):
        joints = tuple(names[ratios > CHANGED].tolist())
        if joints:
            own = recorded.blocks == block
            places = ', '.join(
                f'{name} {begin:.4g} to {end:.4g} s'
                for name, (begin, end) in recorded.spans(own).items()
            )
            text = f'{places}: {ratios.max():.3g} times the residual of a model of that part alone'
            yield Finding('changed', joints, float(ratios.max()), text)


def of_parameters(model: RobotModel, found: Parameters) -> Iterator[Finding]:
    """What is not determined, and what no robot with these lengths has."""
    if unknown := found.unknown_gains:
        yield Finding('unknown_gain', unknown, None, 'the recordings do not fix the gain')
    count, structural, condition = found.determined, len(found.sums), found.condition
    if count < structural or condition > MAX_CONDITION:
        text = f'{count} of {structural} base parameters determined, condition {condition:.3g}'
        yield Finding('excitation', (), float(count), text)
    before, after = (one.inertial_parameters()[::BODY] for one in (model, found.model.model))
    heavy = np.maximum(before, after) > SHARE * after.sum()
    known = heavy & (before > 0.0) & (after > 0.0)
    factors = np.where(known, after, 1.0) / np.where(known, before, 1.0)
    for bodies, code in (
        (np.abs(np.log(factors)) > np.log(IMPOSSIBLE), 'another_robot'),
        (np.abs(np.log(factors)) > np.log(DOUBTFUL), 'implausible'),
    ):
        if bodies.any():
            own = np.flatnonzero(bodies)
            links = body_names(model)
            text = ', '.join(
                f'{links[one]} {before[one]:.3g} to {after[one]:.3g} kg' for one in own
            )
            joints = tuple(model.joints[body].name for body in own)
            value = float(factors[own[np.argmax(np.abs(np.log(factors[own])))]])
            yield Finding(code, joints, value, f'mass of {text}')
            return


def of_residuals(
    model: RobotModel, rows: Rows, joints: Mapping[str, JointValidation]
) -> Iterator[Finding]:
    """Joints whose efforts no parameters explain, of motion that was not fitted."""
    left: dict[str, float] = {}
    for joint, (name, one) in enumerate(joints.items()):
        efforts = (rows.rigid + rows.torque)[rows.moving[:, joint], joint]
        if len(efforts) and one.rms_identified > LEFT * (size := float(efforts.std())):
            left[name] = one.rms_identified / size if size else np.inf
    loaded = _loaded(model, rows)
    if names := tuple(name for name in left if name in loaded):
        share = max(left[name] for name in names)
        text = f'the identified model leaves up to {100.0 * share:.0f} % of the effort'
        yield Finding('unexplained', names, share, text)


def _loaded(model: RobotModel, rows: Rows) -> tuple[str, ...]:
    """Joints whose effort is not small beside that of the others of their kind."""
    size = np.sqrt((rows.moving * (rows.rigid + rows.torque) ** 2).mean(axis=0))
    found = np.zeros(model.size, bool)
    for kind in model.sliding, ~model.sliding:
        found[kind] = size[kind] > LOADED * size[kind].max(initial=0.0)
    return tuple(np.array(model.joint_names)[found].tolist())
