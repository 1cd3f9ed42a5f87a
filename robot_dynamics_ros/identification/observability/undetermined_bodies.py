"""Bodies that data do not determine, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from robot_dynamics_ros.core.model.inertial_parameters import PARAMETERS
from robot_dynamics_ros.core.model.robot import RobotModel

from ..parameters.parameter_layout import ParameterLayout
from ..regression.reduced_equations import ReducedEquations
from .structure import Structure

# Equations of a joint, below which it counts as still.
FEWEST = 20


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
    structure: Structure, reduced: ReducedEquations, untold: Sequence[int]
) -> tuple[UndeterminedBody, ...]:
    """Bodies with parameters that no drive feels, or that these data do not tell.

    Args:
        structure: of the robot.
        reduced: the data.
        untold: columns that the structure allows to determine, and these data do not.
    """
    layout = structure.layout
    felt = structure.combination.any(axis=0) | layout.is_known
    still = still_joints(reduced)
    found = []
    for index, body in enumerate(layout.bodies):
        columns = range(*layout.body_columns(index).indices(layout.size))
        unfelt = [PARAMETERS[k] for k, column in enumerate(columns) if not felt[column]]
        missed = [PARAMETERS[k] for k, column in enumerate(columns) if column in untold]
        if unfelt or missed:
            chain = carrying_joints(layout, index)
            reasons = [_unfelt(body, unfelt, chain), _missed(body, missed, chain, still)]
            count = len(PARAMETERS) - len(unfelt) - len(missed)
            sentence = ' '.join(reason for reason in reasons if reason)
            found.append(UndeterminedBody(body, count, sentence))
    return tuple(found)


def still_joints(reduced: ReducedEquations) -> tuple[str, ...]:
    """Joints that have hardly any equation: they did not move out of the dead band."""
    layout = reduced.layout
    if len(reduced.equations) != len(layout.joints):
        return ()
    return tuple(
        joint for joint, count in zip(layout.joints, reduced.counts, strict=True) if count < FEWEST
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
    body: str, parameters: Sequence[str], chain: Sequence[str], still: Sequence[str]
) -> str:
    """Why these data do not determine them."""
    if not parameters:
        return ''
    resting = [joint for joint in chain if joint in still]
    which = ', '.join(parameters)
    if resting:
        moved = f'{", ".join(resting)} did not move'
    else:
        moved = f'the motion of {", ".join(chain)} changes the torques too little'
    return f'{body}: {which} stay at their prior: {moved}.'
