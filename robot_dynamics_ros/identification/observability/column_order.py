"""The order in which columns are preferred as independent ones.

Source: M. Gautier, W. Khalil, "Direct calculation of minimum set of inertial parameters of serial
robots" (1990): of a body that turns about its axis z, Iyy, m z and m are felt as parts of the
bodies before it; of one that slides, the inertia.
"""

from __future__ import annotations

import numpy as np

from robot_dynamics_ros.core.model.inertial_parameters import PARAMETERS
from robot_dynamics_ros.core.model.tree import Joint

from ..parameters.parameter_layout import ParameterLayout

AXES = 'xyz'
# Of the terms of joints: those that are preferred to inertias, and those that are not.
FIRST, LAST = 0, 3


def column_order(layout: ParameterLayout) -> list[int]:
    """All columns (p,), preferred ones first."""
    ranks = np.full(layout.size, FIRST)
    for body, joint in enumerate(layout.model.joints):
        regrouped = _regrouped(joint)
        block = ranks[layout.body_columns(body)]
        block[:] = [2 if parameter in regrouped else 1 for parameter in PARAMETERS]
    for load in range(len(layout.model.joints), len(layout.bodies)):
        ranks[layout.body_columns(load)] = 1
    for term in ('armature', 'gain'):
        if term in layout.terms:
            # What depends on a gain cannot be known: it comes after all others.
            ranks[layout.columns(term)] = LAST if term == 'armature' else LAST + 1
    order: list[int] = np.argsort(ranks, kind='stable').tolist()
    return order


def _regrouped(joint: Joint) -> set[str]:
    """Parameters of a body that are felt as parts of the bodies before it."""
    if joint.kind == 'prismatic':
        return {name for name in PARAMETERS if name.startswith('I')}
    axis = int(np.abs(joint.axis).argmax())
    across = AXES[(axis + 2) % 3]
    return {'m', f'm{AXES[axis]}', f'I{across}{across}'}
