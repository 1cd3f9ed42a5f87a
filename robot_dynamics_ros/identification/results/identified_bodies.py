"""The bodies that were identified, as the description has to give them."""

from __future__ import annotations

import numpy as np

from robot_dynamics_ros.core import ParameterError, RobotModel
from robot_dynamics_ros.core.model.inertial_parameters import body_of, parameters_of
from robot_dynamics_ros.core.spatial import Inertia


def identified_bodies(
    described: RobotModel, nominal: RobotModel, identified: RobotModel
) -> dict[str, Inertia]:
    """The inertia of each body that differs from the description, by the name of its joint.

    Joints that were not recorded are locked in the model that is identified, and what they carry
    is part of other bodies. The description keeps them: its bodies change by what the bodies of
    the model have changed.

    Args:
        described: model of the description.
        nominal: the model of the identification before it: `described`, or reduced.
        identified: the same with identified parameters; payloads are left out.

    Raises:
        ParameterError: the models do not belong together.
    """
    nominal, identified = nominal.unloaded or nominal, identified.unloaded or identified
    names = [joint.name for joint in described.joints]
    for joint in identified.joints:
        if joint.name not in names:
            raise ParameterError(
                f'identified joint {joint.name!r} is not in the description, which has '
                f'{", ".join(names)}: pass the description that was identified'
            )
    before = {joint.name: joint.inertia for joint in nominal.joints}
    after = {joint.name: joint.inertia for joint in identified.joints}
    if before.keys() != after.keys():
        raise ParameterError('the nominal and the identified model have different joints')
    return {
        joint.name: _changed(joint.inertia, before[joint.name], after[joint.name])
        for joint in described.joints
        if joint.name in after and after[joint.name] != before[joint.name]
    }


def _changed(described: Inertia, before: Inertia, after: Inertia) -> Inertia:
    """A described body, changed as the body of the model is."""
    if described == before:
        return after
    own, old, new = (np.array(parameters_of(body)) for body in (described, before, after))
    return body_of((own + (new - old)).tolist())
