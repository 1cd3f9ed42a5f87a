"""A comparison as text for a terminal."""

from __future__ import annotations

import math
from collections.abc import Iterator

from robot_dynamics_ros.comparison import Comparison
from robot_dynamics_ros.comparison.comparison import TERMS
from robot_dynamics_ros.core.model.findings import listed

from ..tables import FittedTable


def summary(comparison: Comparison) -> str:
    """What was compared, in one line."""
    used = [one for one in comparison.recordings if not one.error]
    samples, duration = sum(one.samples for one in used), sum(one.duration for one in used)
    filtered = {f'{one.cutoff:.3g} Hz' for one in used}
    what = '1 recording' if len(used) == 1 else f'{len(used)} recordings'
    locked = listed(comparison.locked)
    return (
        f'{comparison.robot}: {what}, {samples} samples, {duration:.4g} s, low pass '
        f'{", ".join(sorted(filtered))}'
        + (f', not recorded with these and locked: {locked}' if locked else '')
    )


def joint_table(comparison: Comparison) -> FittedTable:
    """Measured effort and residual of each joint."""
    table = FittedTable(
        'joint', 'measured RMS', 'residual RMS', 'relative', 'bias', 'correlation', 'delay'
    )
    for name, joint in comparison.joints.items():
        table.add_row(
            name,
            _number(joint.rms_measured, 4, joint.unit),
            _number(joint.rms_residual, 3, joint.unit),
            _percent(joint.relative_residual),
            _number(joint.bias, 3, joint.unit),
            _number(joint.correlation, 3),
            _number(1e3 * joint.delay, 3, 'ms'),
        )
    return table


# Above the table of shares.
SHARE_WORDS = 'share of the sum of squares; negative: opposite to the effort'


def share_table(comparison: Comparison) -> FittedTable:
    """What explains the measured effort of each joint."""
    table = FittedTable('shares of', *TERMS, 'residual', 'friction: Coulomb', 'viscous')
    for name, joint in comparison.joints.items():
        friction = joint.friction
        rate = 'm/s' if joint.unit == 'N' else 'rad/s'
        table.add_row(
            name,
            *(_percent(joint.shares[term]) for term in (*TERMS, 'residual')),
            _number(friction.coulomb, 3, joint.unit) if friction else '-',
            _number(friction.viscous, 3, f'{joint.unit} per {rate}') if friction else '-',
        )
    return table


def finding_lines(comparison: Comparison) -> Iterator[str]:
    """One line for each finding."""
    for finding in comparison.findings:
        yield f'{finding.code}: {finding.message}'
        if finding.code == 'unreadable':
            failed = [one.error for one in comparison.recordings if one.error]
            # The finding has the first reason.
            yield from (f'  {error}' for error in failed[1:])
    if not comparison.findings:
        yield 'no findings: the recording agrees with the model'


def _number(value: float, digits: int, unit: str = '') -> str:
    return f'{value:.{digits}g} {unit}'.rstrip() if math.isfinite(value) else '-'


def _percent(share: float) -> str:
    if not math.isfinite(share):
        return '-'
    # Of next to nothing.
    if abs(share) > 9.99:
        return '> 999 %' if share > 0.0 else '< -999 %'
    # Rounded to an int: no share is -0 %.
    return f'{round(100.0 * share)} %'
