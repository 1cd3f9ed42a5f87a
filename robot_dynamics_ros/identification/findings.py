"""Findings of an identification: about its recordings, its motion, and what it contradicts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from robot_dynamics_ros.comparison import Finding
from robot_dynamics_ros.core import RobotModel
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.regression.bodies import BODY
from robot_dynamics_ros.regression.fit import TINY

from .base_parameters import MAX_CONDITION, body_names
from .parameters import Parameters
from .recorded_rows import RecordedRows, Source
from .validation import JointValidation

# Findings of a comparison that the fit takes up; and those about the scale of efforts, which is
# estimated where efforts are currents.
FITTED = ('friction', 'payload', 'mass', 'rotor', 'unexplained', 'delay', 'still')
OF_SCALE = ('scale', 'sign', 'swapped', 'gravity_compensated', 'turned_base')
# Times what a robot of a block alone leaves of its efforts: there the robot was another. Blocks of
# one robot have up to 2.2 on the recordings of real arms of docs/recordings.md. And the share of
# the effort that an identified model of the right robot does not leave.
CHANGED, LEFT = 3.0, 0.5
# Masses change by more than a factor e in one of twenty URDFs (`regression.bodies.KNOWN`), of e^3
# in none: then lengths or efforts are of another robot. Logarithms.
DOUBTFUL, IMPOSSIBLE = 1.0, 3.0
# Of all masses: a lighter body may be anything beside its neighbours. Of the largest effort of all
# joints: one with less is not loaded. Of samples: from there on saturation is said.
SHARE, LOADED, SATURATED = 0.05, 0.02, 0.01


def of_recordings(sources: Sequence[Source], *, scaled: bool) -> Iterator[Finding]:
    """What the comparisons say of the data, and not of what is identified.

    Of several recordings, each finding names its own. Not scaled: gains are estimated.
    """
    left_out = FITTED if scaled else (*FITTED, *OF_SCALE)
    for source in sources:
        for one in source.compared.findings:
            # A mass may be such a scale; what is not recorded is not looked for in other joints.
            of_mass = one.code == 'scale' and one.is_of_few
            other = one.code == 'missing' and {*one.joints} <= {*source.compared.joints}
            if not (one.code in left_out or of_mass or other):
                name = f'{source.name}: ' if len(sources) > 1 else ''
                yield replace(one, message=f'{name}{one.message}')


def of_rows(recorded: RecordedRows, changed: Array) -> Iterator[Finding]:
    """Joints that rest, saturated efforts, and blocks (b, n) of `cross_validated` that changed."""
    names, share = np.array(recorded.robot.model.joint_names), float(recorded.saturated.max())
    rests = ~recorded.whole.used.any(axis=0) & recorded.robot.measured
    if joints := tuple(names[rests].tolist()):
        text = 'too little motion with an effort: values of the URDF'
        yield Finding('still', joints, None, text)
    if joints := tuple(names[recorded.saturated > SATURATED].tolist()):
        text = f'effort at its limit in up to {100.0 * share:.0f} % of the samples'
        yield Finding('saturated', joints, share, text)
    ends = np.cumsum([len(part.times) for part in recorded.parts])[:-1]
    for block, ratios in enumerate(changed):
        if joints := tuple(names[ratios > CHANGED].tolist()):
            own = np.split(recorded.blocks == block, ends)
            places = ', '.join(
                f'{one.name} {part.times[inside][0]:.4g} to {part.times[inside][-1]:.4g} s'
                for one, part, inside in zip(recorded.sources, recorded.parts, own, strict=True)
                if inside.any()
            )
            text = f'{places}: {ratios.max():.3g} times the residual of a model of that part alone'
            yield Finding('changed', joints, float(ratios.max()), text)


def of_parameters(model: RobotModel, found: Parameters) -> Iterator[Finding]:
    """What is not determined, and what no robot with these lengths has."""
    rows = [row.name for row in found.joints if row.name.endswith(' gain') and not row.interval]
    if unknown := tuple(name.removesuffix(' gain') for name in rows):
        yield Finding('unknown_gain', unknown, None, 'the recordings do not fix the gain')
    count, structural, condition = found.determined, len(found.sums), found.condition
    if count < structural or condition > MAX_CONDITION:
        text = f'{count} of {structural} base parameters determined, condition {condition:.3g}'
        yield Finding('excitation', (), float(count), text)
    before, after = (one.inertial_parameters()[::BODY] for one in (model, found.model.model))
    heavy = np.maximum(before, after) > SHARE * after.sum()
    known = heavy & (before > 0.0) & (after > 0.0)
    factors = np.where(known, after, 1.0) / np.where(known, before, 1.0)
    sizes = np.abs(np.log(factors))
    impossible = sizes.max() > IMPOSSIBLE
    code, limit = ('another_robot', IMPOSSIBLE) if impossible else ('implausible', DOUBTFUL)
    if len(own := np.flatnonzero(sizes > limit)):
        links = body_names(model)
        text = ', '.join(f'{links[one]} {before[one]:.3g} to {after[one]:.3g} kg' for one in own)
        joints = tuple(model.joints[body].name for body in own)
        yield Finding(code, joints, float(factors[np.argmax(sizes)]), f'mass of {text}')


def of_residuals(
    recorded: RecordedRows, joints: Mapping[str, JointValidation]
) -> Iterator[Finding]:
    """Loaded joints whose efforts no parameters explain, of motion that was not fitted."""
    model, rows = recorded.robot.model, recorded.whole
    efforts = np.where(rows.moving, rows.rigid + rows.torque, np.nan)
    sizes = np.sqrt(np.nan_to_num(efforts**2).mean(axis=0))
    # Torques and forces apart.
    largest = (sizes * (model.sliding == model.sliding[:, None])).max(axis=1)
    shares = {
        name: one.rms_identified / max(float(np.nanstd(own)), TINY)
        for (name, one), own, loaded in zip(
            joints.items(), efforts.T, sizes > LOADED * largest, strict=True
        )
        if loaded
    }
    if left := {name: share for name, share in shares.items() if share > LEFT}:
        share = max(left.values())
        text = f'the identified model leaves up to {100.0 * share:.0f} % of the effort'
        yield Finding('unexplained', tuple(left), share, text)


def of_delay(delay: float) -> Iterator[Finding]:
    """A delay that was found [s]."""
    if delay:
        late, early = ('efforts', 'states') if delay > 0.0 else ('states', 'efforts')
        text = f'{1e3 * abs(delay):.3g} ms: {late} come after {early}, and were shifted'
        yield Finding('delay', (), delay, text, 's')
