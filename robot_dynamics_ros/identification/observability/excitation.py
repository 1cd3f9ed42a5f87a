"""Findings about motion that determines too little, with advice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from robot_dynamics_ros.comparison.comparison import Finding

from ..regression.equations import REASONS
from ..regression.reduced_equations import ReducedEquations
from .determined_parameters import BaseParameters
from .undetermined_bodies import carrying_joints, still_joints, unmeasured_joints

# Above it, errors of the data grow by two orders of magnitude (Gautier, Khalil, "Exciting
# trajectories for the identification of base inertial parameters of robots", 1992: below 100).
LARGEST_CONDITION = 100.0
# Share of the samples of a joint that its dead band may take without being said, and samples with
# saturated efforts that may.
SLOW, SATURATED = 0.5, 0.0
# Parameters that a message names.
NAMED = 4
ADVICE = 'robot_dynamics excite computes a motion that determines them'


def excitation_findings(reduced: ReducedEquations, base: BaseParameters) -> tuple[Finding, ...]:
    """What is missing in the motion; empty for good data.

    Args:
        reduced: equations of all data.
        base: what they determine.
    """
    return (
        *_unknown_gains(reduced, base),
        *_still(reduced),
        *_undetermined(reduced, base),
        *_ill_conditioned(base),
        *_left_out(reduced),
    )


def _unknown_gains(reduced: ReducedEquations, base: BaseParameters) -> Iterator[Finding]:
    """Drive gains that nothing fixes, or that these data do not determine, of measured efforts."""
    layout = base.layout
    if 'gain' not in layout.terms:
        return
    columns, unmeasured = layout.columns('gain'), unmeasured_joints(reduced)
    free = {
        joint: int(column)
        for joint, column in zip(layout.joints, columns, strict=True)
        if joint not in unmeasured and not layout.is_known[column]
    }
    # A gain that stays where it was is a wrong torque, and pulls the gains of all other joints.
    unknown = [
        joint for joint, column in free.items() if column in base.undetermined_columns
    ] and list(free)
    unknown = unknown or [joint for joint, column in free.items() if not _is_alone(base, column)]
    if unknown:
        yield Finding(
            'unknown_gain',
            tuple(unknown),
            None,
            f'{", ".join(unknown)}: the efforts are not torques, and the data do not fix their '
            'scale: give the gain of each of them, or record a part with a load of known mass',
        )


def _is_alone(base: BaseParameters, column: int) -> bool:
    """Whether a column is a base parameter in which no gain takes part but its own."""
    if column not in base.columns:
        return False
    gains = base.layout.columns('gain')
    others = gains[~np.isin(gains, base.columns)]
    return not base.combination[base.columns.index(column), others].any()


def _still(reduced: ReducedEquations) -> Iterator[Finding]:
    still = still_joints(reduced)
    if still:
        moved, their, which = (
            ('moves', 'its', 'it') if len(still) == 1 else ('move', 'their', 'each of them')
        )
        yield Finding(
            'still',
            still,
            float(len(still)),
            f'{", ".join(still)} hardly {moved}: friction at rest is unknown, so that {their} '
            f'equations are left out; move {which}',
        )


def _undetermined(reduced: ReducedEquations, base: BaseParameters) -> Iterator[Finding]:
    """Columns that the structure allows to determine."""
    if not base.undetermined_columns:
        return
    layout = base.layout
    # No motion fixes the gain of a drive: `_unknown_gains` says what does.
    gains = set(layout.columns('gain').tolist()) if 'gain' in layout.terms else set()
    columns = [column for column in base.undetermined_columns if column not in gains]
    if not columns:
        return
    names = [layout.names[column] for column in columns]
    listed = ', '.join(names[:NAMED])
    more = f' and {len(names) - NAMED} more' if len(names) > NAMED else ''
    silent = unmeasured_joints(reduced)
    joints = tuple(joint for joint in _moving(base, columns) if joint not in silent)
    if not joints:
        # Another finding says that their efforts are not measured, or saturated.
        return
    stay = 'stays at its prior' if len(names) == 1 else 'stay at their prior'
    together = '' if len(joints) == 1 else ', at the same time'
    yield Finding(
        'poor_excitation',
        joints,
        float(len(names)),
        f'the data determine {base.rank} of the {base.structural_rank} base parameters of this '
        f'robot; {listed}{more} {stay}: move {", ".join(joints)} farther and faster{together}; '
        f'{ADVICE}',
    )


def _moving(base: BaseParameters, columns: Sequence[int]) -> tuple[str, ...]:
    """Joints whose motion would determine some columns, in the order of the model."""
    layout = base.layout
    found: set[str] = set()
    ends = 10 * len(layout.bodies)
    for column in columns:
        if column < ends:
            found.update(carrying_joints(layout, column // 10))
        else:
            found.add(layout.joints[(column - ends) % len(layout.joints)])
    return tuple(joint for joint in layout.joints if joint in found)


def _ill_conditioned(base: BaseParameters) -> Iterator[Finding]:
    if base.condition > LARGEST_CONDITION:
        yield Finding(
            'ill_conditioned',
            (),
            base.condition,
            f'the condition number of the equations is {base.condition:.3g}, above '
            f'{LARGEST_CONDITION:g}: small errors of the data change some parameters by much: '
            f'read their intervals; {ADVICE}',
        )


def _left_out(reduced: ReducedEquations) -> Iterator[Finding]:
    """Equations in the dead band, where they are many, and saturated ones."""
    if reduced.left_out is None or len(reduced.equations) != len(reduced.layout.joints):
        return
    total = np.maximum(1.0, reduced.counts + reduced.left_out.sum(axis=1))
    for code, limit, words in (
        (
            'slow',
            SLOW,
            'it rested, or moved too slowly for its friction to be known: move it faster',
        ),
        ('saturated', SATURATED, 'its effort was at its limit: move it less fast'),
    ):
        shares = reduced.left_out[:, REASONS.index(code)] / total
        for joint, share in zip(reduced.equations, shares, strict=True):
            if share > limit and (code == 'saturated' or joint not in still_joints(reduced)):
                yield Finding(
                    code,
                    (joint,),
                    float(share),
                    f'{joint}: {100.0 * share:.3g} % of the equations were left out, as {words}',
                )
