"""Findings about data that contradict every robot that can exist."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from robot_dynamics_ros.comparison import Finding

from .consistency.unknowns import columns_not_negative
from .estimation import Estimate
from .observability import BaseParameters, Structure
from .parameter_rows import DEVIATIONS, deviations_alone

# Of the torque of a joint: more noise than that is assumed only where no solver finds a robot.
LARGEST_NOISE = 1e-5


def contradiction_findings(
    structure: Structure, base: BaseParameters, unconstrained: Estimate, final: Estimate
) -> Iterator[Finding]:
    """What the physically consistent estimate has to change of the data's own.

    Args:
        structure: of the robot.
        base: what the data determine.
        unconstrained: estimate of least squares.
        final: the consistent one.
    """
    yield from _negative_terms(structure, base, unconstrained)
    if final.least_noise > LARGEST_NOISE:
        yield Finding(
            'assumed_noise',
            (),
            final.least_noise,
            'no robot that can exist fits the data within their noise: the estimate takes '
            f'{100.0 * final.least_noise:g} % of the torque of each joint for noise at least, so '
            'that the joints with the least noise count less. Look at the masses of the '
            'URDF (robot_dynamics validate) and at the efforts of the driver.',
        )


def _negative_terms(
    structure: Structure, base: BaseParameters, unconstrained: Estimate
) -> Iterator[Finding]:
    """Terms that are negative by more than their interval."""
    layout, values = base.layout, unconstrained.parameters
    widths = DEVIATIONS * deviations_alone(structure, base, unconstrained)
    with np.errstate(invalid='ignore'):
        negative = values + widths < 0.0
    found = [column for column in columns_not_negative(layout) if negative[column]]
    if not found:
        return
    listed = ', '.join(
        f'{layout.names[column]} {values[column]:.2g} +- {widths[column]:.1g} '
        f'{layout.units[column]}'
        for column in found
    )
    joints = {layout.names[column].rpartition(' ')[0] for column in found}
    yield Finding(
        'negative_term',
        tuple(joint for joint in layout.joints if joint in joints),
        float(min(values[found])),
        f'without constraints the data ask for {listed}, which no robot has: 0 or more is used. '
        'The efforts may be filtered or late in the driver, or accelerations damped by a low '
        'rate: record raw efforts, at 200 Hz or more.'
        + _sign_words([layout.names[column] for column in found]),
    )


def _sign_words(negative: Sequence[str]) -> str:
    """The hint of a turned sign; empty without Coulomb friction that drives its joint.

    Args:
        negative: names of parameters.
    """
    joints = [name.rpartition(' ')[0] for name in negative if name.endswith(' coulomb')]
    if not joints:
        return ''
    return (
        f' Friction would drive instead of brake: {", ".join(joints)}. The sign of the effort '
        'there may be turned.'
    )
