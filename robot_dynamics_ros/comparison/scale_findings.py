"""Findings about efforts that are a multiple of the torques, and what that says of the data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from .comparison import Finding, JointComparison
from .explanations.explanation import Explanation
from .explanations.judge import Judge

# A joint has gravity if its torque is at least this share of the largest of all joints.
HAS_GRAVITY = 0.005
# A description is not wrong by more than this factor; a current is.
CURRENT = 2.0
# An effort below this share of the gravity torque is not that torque, in that unit.
FAR_BELOW = 0.1


def scale_findings(
    judge: Judge, joints: Mapping[str, JointComparison], found: Explanation
) -> list[Finding]:
    """Joints whose effort is a multiple of their torque, and what most of them say together.

    Args:
        judge: has the observations.
        joints: figures of the joints.
        found: the explanation.
    """
    factors = list(_factors(judge, joints, found))
    conclusion = list(_conclusion(factors, joints))
    if any(one.code == 'other_masses' for one in conclusion):
        factors = [one for one in factors if one.code != 'factor']
    return [*conclusion, *factors, *_far_below_gravity(judge, joints, found)]


def causes_of_scale(ratios: Sequence[float]) -> str:
    """What makes efforts that are a multiple of the torques of the description."""
    gravity = (
        'Or the driver compensates a part of gravity itself: record all of the torque. '
        if min(map(abs, ratios)) < 1.0
        else ''
    )
    return (
        'Either they are currents, each joint with a scale and sign of its own: use --effort '
        'current of identify, with the gain of one joint, or convert them in the driver. '
        f'{gravity}Or it is the URDF of another robot: look at --urdf. Masses would be '
        'wrong by these factors.'
    )


def _conclusion(
    findings: Sequence[Finding], joints: Mapping[str, JointComparison]
) -> Iterator[Finding]:
    """That the efforts are no torques, or the description is that of another robot."""
    factors = {one.joints[0]: one.value for one in findings if one.value}
    far = {name: one for name, one in factors.items() if not 1.0 / CURRENT < one < CURRENT}
    chosen = far or factors
    ratios = ', '.join(f'{name} {value:.3g}' for name, value in chosen.items())
    text = f'The efforts are not the torques of this URDF: their ratio is {ratios}.'
    if far and 2 * len(far) >= len(factors):
        code, text = 'current', f'{text} {causes_of_scale(list(far.values()))}'
    elif len(factors) > 1 and 2 * len(factors) >= sum(one.shows_scale for one in joints.values()):
        code = 'other_masses'
        text += (
            ' Is the URDF that of this robot and its size? Look at --urdf, then at gear '
            'ratios and torque constants in the driver. A payload is not looked for.'
        )
    else:
        return
    yield Finding(code, tuple(chosen), float(np.median(list(chosen.values()))), text)


def _factors(
    judge: Judge, joints: Mapping[str, JointComparison], found: Explanation
) -> Iterator[Finding]:
    for joint, (name, gain) in enumerate(zip(joints, found.gains, strict=True)):
        if abs(gain) != 1.0:
            factor, unit = abs(gain), joints[name].unit
            quantity = 'force' if unit == 'N' else 'torque'
            text = f'The effort of {name} is {factor:.3g} times the {quantity} of the model'
            if name in judge.observations.torques.carrying:
                missing = ', '.join(judge.observations.torques.missing)
                text += (
                    '. A factor and a payload cannot be told apart without the position of '
                    f'{missing}: record it.'
                )
                yield Finding('not_judged', (name,), None, text)
                continue
            text += (
                f', {1.0 / factor:.3g} {unit} for one unit: a current, or a wrong gear ratio or '
                f'{quantity} constant in the driver.{_without_gravity(judge, joint)}'
            )
            yield Finding('factor', (name,), factor, text)


def _without_gravity(judge: Judge, joint: int) -> str:
    seen = judge.observations
    if np.ptp(seen.gravity[:, joint]) > HAS_GRAVITY * np.ptp(seen.motion[:, joint]):
        return ''
    return ' Gravity does not load this joint: a rotor inertia that is missing looks the same.'


def _far_below_gravity(
    judge: Judge, joints: Mapping[str, JointComparison], found: Explanation
) -> Iterator[Finding]:
    """Joints whose weight is constant, so that a fitted offset hides that the effort lacks it."""
    seen = judge.observations
    efforts = np.abs(seen.measured[:, list(found.order)]).max(axis=0, initial=0.0)
    weights = np.abs(seen.gravity).min(axis=0, initial=np.inf)
    unscaled = judge.judged & (np.abs(found.gains) == 1.0) & found.gravity
    for index in np.flatnonzero(unscaled & (efforts < FAR_BELOW * weights)).tolist():
        name, unit = list(joints)[index], list(joints.values())[index].unit
        text = (
            f'The effort of {name} is at most {efforts[index]:.3g} {unit}, the gravity torque of '
            f'the model at least {weights[index]:.3g} {unit}: check unit and scale, or a '
            'counterweight.'
        )
        yield Finding('not_judged', (name,), None, text)
