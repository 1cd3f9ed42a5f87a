"""Bodies that data do not determine, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from robot_dynamics_ros.core.model.inertial_parameters import PARAMETERS
from robot_dynamics_ros.core.model.robot import RobotModel

from ..parameters.parameter_layout import ParameterLayout
from ..regression.equations import REASONS
from ..regression.reduced_equations import ReducedEquations
from .structure import Structure

# Equations of a joint, below which it counts as still.
FEWEST = 20
# Of all equations: a joint that moved was slow in a smaller share of them.
RESTED = 0.5


@dataclass(frozen=True)
class UndeterminedBody:
    """A body some of whose parameters the data do not determine.

    Attributes:
        body: its name.
        determined: how many of its ten parameters are determined alone or in combinations.
        reason: why the others stay at their prior, as a sentence.
    """

    body: str
    determined: int
    reason: str


def undetermined_bodies(
    structure: Structure, reduced: ReducedEquations, undetermined_columns: Sequence[int]
) -> tuple[UndeterminedBody, ...]:
    """Bodies with parameters that no drive feels, or that these data do not tell.

    Args:
        structure: of the robot.
        reduced: the data.
        undetermined_columns: those that the structure allows to determine, and these data do not.
    """
    layout = structure.layout
    felt = structure.combination.any(axis=0) | layout.is_known
    still, unmeasured = still_joints(reduced), unmeasured_joints(reduced)
    found = []
    for index, body in enumerate(layout.bodies):
        columns = range(*layout.body_columns(index).indices(layout.size))
        unfelt = [PARAMETERS[k] for k, column in enumerate(columns) if not felt[column]]
        missed = [
            PARAMETERS[k] for k, column in enumerate(columns) if column in undetermined_columns
        ]
        if unfelt or missed:
            chain = carrying_joints(layout, index)
            reasons = [
                _unfelt(body, unfelt, chain),
                _missed(body, missed, chain, still, unmeasured),
            ]
            count = len(PARAMETERS) - len(unfelt) - len(missed)
            sentence = ' '.join(reason for reason in reasons if reason)
            found.append(UndeterminedBody(body, count, sentence))
    return tuple(found)


def still_joints(reduced: ReducedEquations) -> tuple[str, ...]:
    """Joints that have hardly any equation: they did not move out of the dead band."""
    return _without_equations(reduced, slow=True)


def unmeasured_joints(reduced: ReducedEquations) -> tuple[str, ...]:
    """Joints that moved and have hardly any equation: no effort of them can be used."""
    return _without_equations(reduced, slow=False)


def _without_equations(reduced: ReducedEquations, *, slow: bool) -> tuple[str, ...]:
    """Joints with hardly any equation, as they were slow for most of the time or not."""
    layout = reduced.layout
    if len(reduced.equations) != len(layout.joints):
        return ()
    rested = np.full(len(layout.joints), np.inf)
    every = 0.0
    if reduced.left_out is not None:
        rested = reduced.left_out[:, REASONS.index('slow')]
        every = float((reduced.counts + reduced.left_out.sum(axis=1)).max(initial=0.0))
    was_slow = rested >= RESTED * every
    return tuple(
        joint
        for joint, count, one in zip(layout.joints, reduced.counts, was_slow, strict=True)
        if count < FEWEST and one == slow
    )


def carrying_joints(layout: ParameterLayout, body: int) -> tuple[str, ...]:
    """Independent joints that move a body or a load, from the base to it.

    Args:
        layout: of the parameters.
        body: index in `layout.bodies`.
    """
    model, moving = layout.model, len(layout.model.joints)
    index = body if body < moving else model.frame(layout.loads[body - moving].frame).body
    return _chain(model, index)


def _chain(model: RobotModel, index: int) -> tuple[str, ...]:
    names: list[str] = []
    while index >= 0:
        joint = model.joints[index]
        name = joint.mimicked or joint.name
        names = [name, *(other for other in names if other != name)]
        index = joint.parent
    return tuple(names)


def _unfelt(body: str, parameters: Sequence[str], chain: Sequence[str]) -> str:
    """Why no data of this robot determine them."""
    if not parameters:
        return ''
    moved = f'{chain[0]} moves' if len(chain) == 1 else f'{", ".join(chain)} move'
    which = 'all ten' if len(parameters) == len(PARAMETERS) else ', '.join(parameters)
    return f'{body}: no drive feels {which}: only {moved} it; they stay at their prior.'


def _missed(
    body: str,
    parameters: Sequence[str],
    chain: Sequence[str],
    still: Sequence[str],
    unmeasured: Sequence[str],
) -> str:
    """Why these data do not determine them."""
    if not parameters:
        return ''
    resting = [joint for joint in chain if joint in still]
    silent = [joint for joint in chain if joint in unmeasured]
    which = ', '.join(parameters)
    if resting:
        moved = f'{", ".join(resting)} did not move'
    elif silent:
        moved = f'no effort of {", ".join(silent)} can be used'
    else:
        moved = f'the motion of {", ".join(chain)} changes the torques too little'
    return f'{body}: {which} stay at their prior: {moved}.'
