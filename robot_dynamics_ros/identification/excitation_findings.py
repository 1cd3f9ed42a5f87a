"""Findings about motion that determines too little."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from robot_dynamics_ros.comparison import Finding

from .observability import BaseParameters, carrying_joints, unmeasured_joints
from .reduced import REASONS, ReducedEquations

# Above it, errors of the data grow by two orders of magnitude (Gautier, Khalil, "Exciting
# trajectories for the identification of base inertial parameters of robots", 1992: below 100).
LARGEST_CONDITION = 100.0
# Parameters that a message names.
NAMED = 4


def excitation_findings(reduced: ReducedEquations, base: BaseParameters) -> tuple[Finding, ...]:
    """What is missing in the motion; empty for good data.

    Args:
        reduced: equations of all data.
        base: what they determine.
    """
    silent = unmeasured_joints(reduced)
    return (
        *_unknown_gains(base, silent),
        *_undetermined(base, silent),
        *_ill_conditioned(base),
        *_saturated(reduced),
    )


def _unknown_gains(base: BaseParameters, silent: Sequence[str]) -> Iterator[Finding]:
    """Drive gains that nothing fixes, or that these data do not determine, of measured efforts."""
    layout = base.layout
    gains = layout.columns('gain')
    named = ((layout.joints[joint], column) for joint, column in layout.unknown_gains.items())
    free = {joint: column for joint, column in named if joint not in silent}
    mixed = gains[~np.isin(gains, base.columns)]

    def is_alone(column: int) -> bool:
        """Whether it is a base parameter in which no gain takes part but its own."""
        rows = [row for row, own in enumerate(base.columns) if own == column]
        return bool(rows) and not base.combination[rows[0], mixed].any()

    # A gain that stays where it was is a wrong torque, and pulls the gains of all other joints.
    unknown = list(free) if set(free.values()) & set(base.undetermined_columns) else []
    unknown = unknown or [joint for joint, column in free.items() if not is_alone(column)]
    if unknown:
        yield Finding(
            'unknown_gain',
            tuple(unknown),
            None,
            f'{", ".join(unknown)}: the efforts are not torques, and the data do not fix their '
            'scale.',
        )


def _undetermined(base: BaseParameters, silent: Sequence[str]) -> Iterator[Finding]:
    """Base parameters that more motion would determine."""
    layout = base.layout
    # No motion fixes the gain of a drive: `_unknown_gains` says what does.
    gains = layout.columns('gain').tolist()
    columns = [column for column in base.undetermined_columns if column not in gains]
    moving: set[str] = set()
    ends = 10 * len(layout.bodies)
    for column in columns:
        if column < ends:
            moving.update(carrying_joints(layout, column // 10))
        else:
            moving.add(layout.joints[(column - ends) % len(layout.joints)])
    # Another finding says which efforts are not measured, or saturated.
    joints = tuple(name for name in layout.joints if name in moving and name not in silent)
    if not joints:
        return
    names = [layout.names[column] for column in columns]
    more = f' and {len(names) - NAMED} more' if len(names) > NAMED else ''
    yield Finding(
        'excitation',
        joints,
        float(len(names)),
        f'{base.rank} of the {base.structural_rank} base parameters of this robot are determined '
        f'by the data; as in the URDF: {", ".join(names[:NAMED])}{more}. Move '
        f'{", ".join(joints)} farther and faster{", at the same time" if joints[1:] else ""}.',
    )


def _ill_conditioned(base: BaseParameters) -> Iterator[Finding]:
    if base.condition > LARGEST_CONDITION:
        yield Finding(
            'excitation',
            (),
            base.condition,
            f'{base.condition:.3g} is the condition number of the equations, above '
            f'{LARGEST_CONDITION:g}: small errors of the data change some parameters by much, as '
            'their intervals show.',
        )


def _saturated(reduced: ReducedEquations) -> Iterator[Finding]:
    total = np.maximum(1.0, reduced.counts + reduced.left_out.sum(axis=1))
    shares = reduced.left_out[:, REASONS.index('saturated')] / total
    for joint, share in zip(reduced.layout.joints, shares.tolist(), strict=True):
        if share > 0.0:
            yield Finding(
                'saturated',
                (joint,),
                share,
                f'{100.0 * share:.3g} % of the equations of {joint} were left out, as its effort '
                'was at its limit.',
            )
