"""The independent joints of a robot: the order of q, and the limits in that order."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ..checks import Array, checked_names
from ..errors import ParameterError, UnknownNameError
from .tree import Joint


class IndependentJoints:
    """The part of `RobotModel` about the vectors that have one entry per independent joint.

    Limits are those of the description: infinite where it gives none, and 0 where it says 0.
    Bounds are the same, but infinite where a limit is not positive, see `Limits.known`: whatever
    judges efforts, the guards of the node and `payload_margin` count that as none.
    The limits of a mimic joint are not among those of the joint that it mimics.
    """

    joints: tuple[Joint, ...]

    @cached_property
    def independent_joints(self) -> tuple[Joint, ...]:
        """The joints that mimic no other, in the order of q."""
        return tuple(joint for joint in self.joints if joint.mimicked is None)

    @cached_property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the independent joints, in the order of q and of every other vector."""
        return tuple(joint.name for joint in self.independent_joints)

    @property
    def size(self) -> int:
        """n, the number of independent joints."""
        return len(self.independent_joints)

    @property
    def lower(self) -> Array:
        """Smallest positions (n,), read-only [rad or m]; -infinite for a continuous joint."""
        return _read_only([joint.limits.lower for joint in self.independent_joints])

    @property
    def upper(self) -> Array:
        """Largest positions (n,), read-only [rad or m]; infinite for a continuous joint."""
        return _read_only([joint.limits.upper for joint in self.independent_joints])

    @property
    def velocity_limits(self) -> Array:
        """Largest speeds (n,), read-only [rad/s or m/s]."""
        return _read_only([joint.limits.velocity for joint in self.independent_joints])

    @property
    def effort_limits(self) -> Array:
        """Largest torques and forces (n,), read-only [N m or N]."""
        return _read_only([joint.limits.effort for joint in self.independent_joints])

    @property
    def velocity_bounds(self) -> Array:
        """Largest speeds (n,), read-only [rad/s or m/s]; infinite for a limit up to 0."""
        return _read_only([joint.limits.known.velocity for joint in self.independent_joints])

    @property
    def effort_bounds(self) -> Array:
        """Largest torques and forces (n,), read-only [N m or N]; infinite for a limit up to 0."""
        return _read_only([joint.limits.known.effort for joint in self.independent_joints])

    @property
    def effort_units(self) -> tuple[str, ...]:
        """Units of the torques and forces, (n,): 'N' of a prismatic joint, else 'N m'."""
        return tuple('N' if j.kind == 'prismatic' else 'N m' for j in self.independent_joints)

    @property
    def sliding(self) -> npt.NDArray[np.bool_]:
        """Whether each joint slides, (n,)."""
        return np.array([joint.kind == 'prismatic' for joint in self.independent_joints])

    def index_of(self, name: str) -> int:
        """Index of a joint in q.

        Raises:
            UnknownNameError: no independent joint has that name.
        """
        if name not in self.joint_names:
            mimics = any(joint.name == name for joint in self.joints)
            kind = 'independent joint' if mimics else 'joint'
            hint = 'it mimics another' if mimics else ''
            raise UnknownNameError(kind, name, self.joint_names, hint)
        return self.joint_names.index(name)

    def indices_of(self, names: Iterable[str]) -> list[int]:
        """Indices of joints in q, in the order of the names.

        Raises:
            UnknownNameError: no independent joint has that name.
            ParameterError: there is no name, or one comes twice.
        """
        joints = checked_names('joints', names)
        indices = [self.index_of(name) for name in joints]
        if not indices:
            known = ', '.join(self.joint_names)
            raise ParameterError(f'joints is empty: name at least one of {known}')
        if repeated := sorted({name for name in joints if joints.count(name) > 1}):
            raise ParameterError(f'joints are named twice: {", ".join(repeated)}')
        return indices


def _read_only(values: list[float]) -> Array:
    """A vector of its own for each caller: a copy of the model shares none."""
    vector: Array = np.array(values, dtype=np.float64)
    vector.flags.writeable = False
    return vector
