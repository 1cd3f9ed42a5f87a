"""The friction that a URDF can hold: one law for both directions of a joint."""

from __future__ import annotations

from dataclasses import dataclass

from robot_dynamics_ros.core import RobotModel

from ..identified_model import IdentifiedModel


@dataclass(frozen=True)
class DynamicsValues:
    """The attributes of a <dynamics>.

    Attributes:
        damping: viscous friction [N m s/rad or N s/m].
        friction: Coulomb friction [N m or N].
    """

    damping: float
    friction: float


def written_friction(
    described: RobotModel, identified: IdentifiedModel
) -> dict[str, DynamicsValues]:
    """The <dynamics> of each joint whose friction was identified, by name.

    A URDF has no directions: it gets the mean of both. Mimic joints get none, for that of the
    joint that they mimic includes theirs.

    Args:
        described: model of the whole description.
        identified: the model; joints that were not recorded are not in it.
    """
    damping = 0.5 * (identified.viscous + identified.viscous_negative)
    friction = 0.5 * (identified.coulomb + identified.coulomb_negative)
    rows = zip(identified.model.joint_names, damping, friction, strict=True)
    written = {name: DynamicsValues(float(fv), float(fs)) for name, fv, fs in rows}
    for joint in described.joints:
        if joint.mimicked in written:
            written[joint.name] = DynamicsValues(0.0, 0.0)
    return written
