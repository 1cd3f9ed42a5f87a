"""Whether identified masses are those of the described robot.

A robot with the same names of joints and other lengths may fit the efforts nearly as well: lengths
and masses act together. Masses that are far from the description are what shows it.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from robot_dynamics_ros.comparison import Finding

from .estimation import Estimate
from .parameters.parameter_layout import BODY

# A description is not wrong by more than this factor, of a body with this share of all masses:
# what is mounted on a flange may be many times as heavy as the flange.
FACTOR, SHARE = 2.0, 0.05
# Beyond this factor it is no body of the robot at all.
IMPOSSIBLE = 20.0


def mass_findings(final: Estimate) -> Iterator[Finding]:
    """Bodies whose mass is far from that of the description.

    Args:
        final: the estimate that is written.
    """
    layout = final.layout
    masses = slice(0, BODY * len(layout.model.joints), BODY)
    described, found = layout.nominal()[masses], final.parameters[masses]
    heavy = described > SHARE * described.sum()
    with np.errstate(all='ignore'):
        ratios = found / described
    bad = np.flatnonzero(heavy & ~((ratios > 1.0 / FACTOR) & (ratios < FACTOR)))
    if not bad.size:
        return
    listed = ', '.join(
        f'{layout.bodies[body]} {described[body]:.3g} to {found[body]:.3g} kg' for body in bad
    )
    joints = tuple(layout.joints[i] for i in _joints(final, bad))
    farthest = float(ratios[bad[np.argmax(np.abs(np.log(np.maximum(ratios[bad], 1e-9))))]])
    if not 1.0 / IMPOSSIBLE < farthest < IMPOSSIBLE:
        yield Finding(
            'impossible_masses',
            joints,
            farthest,
            f'Masses change by more than a factor of {IMPOSSIBLE:g}, which no error of a '
            f'URDF explains: {listed}. The efforts may be currents (--effort current) or '
            'have another unit, a --gain may be wrong, or the URDF is of another robot: '
            'look at --urdf.',
        )
        return
    yield Finding(
        'other_masses',
        joints,
        farthest,
        f'Masses change by more than a factor of {FACTOR:g}: {listed}. Is the URDF that of '
        'this robot and its size? Joints of the same names on other lengths cannot be told from '
        'efforts alone.',
    )


def _joints(final: Estimate, bodies: np.ndarray) -> list[int]:
    """Independent joints that move these bodies, or that their joints mimic."""
    model = final.layout.model
    names = [model.joints[body].mimicked or model.joints[body].name for body in bodies]
    return sorted({model.index_of(name) for name in names})
