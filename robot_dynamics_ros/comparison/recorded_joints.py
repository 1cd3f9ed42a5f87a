"""The recorded joints of a robot: their model, its torques, and what is unknown without others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core import RobotDynamics, RobotModel
from robot_dynamics_ros.core.algorithms.crba import mass_matrix
from robot_dynamics_ros.core.algorithms.rnea import gravity_torque
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import ParameterError
from robot_dynamics_ros.core.model.gravity import STANDARD_GRAVITY
from robot_dynamics_ros.core.model.sampling import random_states
from robot_dynamics_ros.joint_model import AS_DESCRIBED, JointModel
from robot_dynamics_ros.recordings import Motion
from robot_dynamics_ros.recordings.joint_names import offered_renaming, rename_options

Flags = npt.NDArray[np.bool_]

# Of the mass that the recorded joints carry: what a joint moves at least, as no finger does.
LIGHT = 0.02
# Poses that are tried, and the share of gravity torque or inertia from where on it changes.
POSES, CHANGED = 16, 0.05
# A gravity torque that is a smaller share of the largest of the robot is not one.
NO_GRAVITY = 0.005


def compared_model(model: RobotModel, recorded: Sequence[str]) -> RobotModel:
    """The robot whose other joints are locked, at zero or at the limit nearest to it.

    Raises:
        ParameterError: the robot has none of the recorded joints.
    """
    kept = [name for name in model.joint_names if name in recorded]
    if not kept:
        raise ParameterError(
            f'the recording has the joints {", ".join(recorded)}, the robot {model.name} has '
            f'{", ".join(model.joint_names)}: map the names with --rename'
        )
    locked = zip(model.joint_names, _locked(model).tolist(), strict=True)
    others = {name: q for name, q in locked if name not in kept}
    return model.reduced(kept, others) if others else model


def _locked(model: RobotModel) -> Array:
    """Where joints (n,) are taken to be that were not recorded [rad or m]."""
    limits = [joint.limits for joint in model.independent_joints]
    return np.array([min(max(0.0, one.lower), one.upper) for one in limits])


def unused_joints(model: RobotModel, names: Mapping[str, str]) -> str:
    """That joints were recorded which the robot has not, and what they may be; or empty.

    Args:
        model: the whole robot.
        names: of the recorded joints after renaming, by recorded ones.
    """
    robot = {joint.name for joint in model.joints}
    others = [old for old, new in names.items() if new not in robot]
    if not others:
        return ''
    recorded = [name for name in model.joint_names if name in names.values()]
    absent = joints_that_matter(model, recorded) if recorded else model.joint_names
    offer = rename_options(offered_renaming(tuple(names), absent))
    unused = 'Recorded and not used, as the URDF has no moving joint of that name'
    return f'{unused}: {", ".join(others)}.' + (f' Perhaps {offer}.' if offer else '')


def moved_bodies(model: RobotModel) -> Flags:
    """Whether each independent joint moves each body, (n, bodies)."""
    moves = np.zeros((model.size, len(model.joints)), bool)
    for body, joint in enumerate(model.joints):
        if joint.parent >= 0:
            moves[:, body] = moves[:, joint.parent]
        moves[joint.coordinate.index, body] = True
    return moves


def joints_that_matter(model: RobotModel, recorded: Sequence[str]) -> tuple[str, ...]:
    """Joints that were not recorded, but whose position changes the torque of one that was.

    They carry a recorded joint, or a recorded one carries them with a mass that is not light.
    """
    moves, known = moved_bodies(model), np.isin(model.joint_names, recorded)
    own = np.isin([joint.mimicked or joint.name for joint in model.joints], recorded)
    heavy = _are_heavy(model, moves & moves[known].any(axis=0), known)
    return names_of(model, ((moves & own).any(axis=1) | heavy) & ~known)


def heavy_joints(model: RobotModel, recorded: Sequence[str]) -> tuple[str, ...]:
    """Other joints that move a mass that is not light against what the recorded ones carry."""
    known = np.isin(model.joint_names, recorded)
    return names_of(model, _are_heavy(model, moved_bodies(model), known) & ~known)


def _are_heavy(model: RobotModel, moved: Flags, known: Flags) -> Flags:
    """Whether bodies (n, bodies) are together not light against what recorded joints carry."""
    masses = np.array([joint.inertia.mass for joint in model.joints])
    return moved @ masses > LIGHT * (masses @ moved_bodies(model)[known].any(axis=0))


def names_of(model: RobotModel, chosen: Flags) -> tuple[str, ...]:
    """Of the independent joints for which (n,) holds."""
    return tuple(np.array(model.joint_names)[chosen].tolist())


def joints_that_depend(
    robot: RobotModel, recorded: Sequence[str], missing: Sequence[str], gravity: Sequence[float]
) -> tuple[str, ...]:
    """Recorded joints whose gravity torque or own inertia depends on where missing joints are."""
    if not missing:
        return ()
    known, absent = (np.isin(robot.joint_names, names) for names in (recorded, missing))
    moved = np.array([state.q for state in random_states(robot, POSES)])
    held = np.where(known, moved, _locked(robot))
    poses = [*held.tolist(), *np.where(absent, moved, held).tolist()]
    x, y, z = gravity
    torques = np.array([gravity_torque(robot, q, (x, y, z)) for q in poses], np.float64)
    inertia = np.array([np.diag(np.array(mass_matrix(robot, q), np.float64)) for q in poses])
    changed = np.zeros(robot.size, bool)
    for values, floor in (torques, NO_GRAVITY), (inertia, 0.0):
        size = np.abs(values[:POSES]).max(axis=0)
        change = np.abs(values[POSES:] - values[:POSES]).max(axis=0)
        changed |= change > np.maximum(CHANGED * size, floor * size.max())
    return names_of(robot, changed & known)


class ModelTorques:
    """What the recorded joints of a robot need for a motion; the other joints are locked."""

    def __init__(
        self,
        robot: RobotModel,
        recorded: Sequence[str],
        parameters: JointModel = AS_DESCRIBED,
        gravity: Sequence[float] = STANDARD_GRAVITY,
    ) -> None:
        """Of some joints of a robot.

        Args:
            robot: the whole one.
            recorded: names of joints, in any order.
            parameters: friction, offsets and rotors in place of those of the URDF.
            gravity: (3,) in the axes of the root link [m/s^2].

        Raises:
            ParameterError: the robot has none of the joints, or not one of the parameters.
        """
        parameters.check_joints(robot)
        self.parameters, self.given = parameters, np.array(gravity, float)
        #: names of joints: not recorded; of these, those that matter; of the others, those whose
        #: torque is unknown without them
        self.locked = tuple(name for name in robot.joint_names if name not in recorded)
        self.missing = joints_that_matter(robot, recorded)
        self.dependent = joints_that_depend(robot, recorded, self.missing, gravity)
        #: whose independent joints are those of the motions, in their order
        self.model = model = parameters.with_rotors(compared_model(robot, recorded))
        #: of the model; and with the payload that it lacks
        self.dynamics = self.carrying = RobotDynamics(model, gravity=gravity)
        self._friction, self.offsets = parameters.friction(model), parameters.offsets(model)

    def under(self, gravity: Array, payload: Array) -> ModelTorques:
        """The same under another gravity (3,) [m/s^2], with parameters (10 b,) of a payload."""
        other = copy(self)
        other.dynamics = self.dynamics.with_gravity(gravity)
        parameters = self.model.inertial_parameters() + payload
        carrying = self.model.with_inertial_parameters(parameters, physical=False)
        other.carrying = other.dynamics.with_model(carrying)
        return other

    def terms(self, motion: Motion) -> Array:
        """Gravity, Coriolis, inertia, and friction with the offsets, (4, N, n) [N m or N]."""
        q, v, a = motion.positions, motion.velocities, motion.accelerations
        parts = np.moveaxis(self.dynamics.torque_terms(q, v, a), 1, 0)
        load, slips = parts.sum(axis=0) - self._friction.rotors * a, self._friction.slips()
        friction = self._friction.torque(v, load=load, slips=slips.along(q)) + self.offsets
        return np.stack([*parts, friction])
