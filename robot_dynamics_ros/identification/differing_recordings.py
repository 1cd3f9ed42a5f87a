"""Whether recordings show one robot: what the model of all leaves of each, against its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from robot_dynamics_ros.comparison import Finding
from robot_dynamics_ros.core.checks import Array

from .estimation import Estimate, estimate
from .observability import Structure, base_parameters
from .regression import ReducedEquations

# By how much more the model of all recordings leaves than that of one alone; and of the effort,
# what it leaves beside that: friction that changes with the temperature leaves less.
MORE, SHARE = 1.5, 0.1
# Independent equations of a joint for each base parameter, from which on a model of one recording
# is more than a fit of its noise.
ENOUGH = 4.0


def difference_findings(
    recordings: Mapping[str, ReducedEquations], structure: Structure, together: Estimate
) -> Iterator[Finding]:
    """Recordings that one robot does not explain, and each alone does.

    Args:
        recordings: the equations of the joints in each, by its name; of torques.
        structure: of the robot.
        together: least squares of all of them.
    """
    differ: dict[str, Array] = {}
    for name, reduced in recordings.items():
        ratios = _ratios(reduced, structure, together)
        if np.isfinite(ratios).any():
            differ[name] = ratios
    if not differ:
        return
    joints = together.layout.joints
    listed = '; '.join(
        f'{name}: '
        + ', '.join(
            f'{joint} {ratio:.2g} times'
            for joint, ratio in zip(joints, ratios, strict=True)
            if np.isfinite(ratio)
        )
        for name, ratios in differ.items()
    )
    worst = np.fmax.reduce(list(differ.values()))
    yield Finding(
        'recordings_differ',
        tuple(np.array(joints)[np.isfinite(worst)].tolist()),
        float(np.nanmax(worst)),
        'The recordings do not show one robot: what the model of all leaves is a multiple of what '
        f'a model of the recording alone leaves, {listed}. If the robot carries something in one '
        'of them, declare it, --load FRAME=KG@BAG; else they are of different robots or tools: '
        'identify them apart.',
    )


def _ratios(reduced: ReducedEquations, structure: Structure, together: Estimate) -> Array:
    """What the model of all leaves (r,), relative to that of one recording; NaN: no difference."""
    base = base_parameters(reduced, structure)
    alone = estimate(reduced, base=base).noise
    roots = np.sqrt(np.maximum(reduced.weights, 1.0))
    errors = reduced.triangles @ np.append(together.parameters, -1.0)
    left = np.linalg.norm(errors, axis=1) / roots
    efforts = np.linalg.norm(reduced.triangles[:, :, -1], axis=1) / roots
    differs = (
        (reduced.independent >= ENOUGH * base.rank)
        & (left > MORE * alone)
        & (left**2 > alone**2 + (SHARE * efforts) ** 2)
    )
    with np.errstate(all='ignore'):
        ratios: Array = np.where(differs, left / alone, np.nan)
    return ratios
