"""From a JointState message to q and v in the order of the model, by name."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from sensor_msgs.msg import JointState

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import StateError

# Larger efforts count as not measured [N m or N]: no drive has them, and a single one would
# dominate an average of squares.
LARGEST_EFFORT = 1e6


class JointStateReader:
    """Reads joint states into its own arrays; joints that the model does not have are ignored.

    Attributes:
        q: (n,) positions of the last message [rad or m].
        v: (n,) velocities of the last message [rad/s or m/s]; zero if it had none.
        has_velocity: whether the last message had velocities.
        effort: (n,) measured efforts of the last message [N m or N].
        has_effort: whether the last message had efforts of all joints, below LARGEST_EFFORT.
    """

    def __init__(self, joint_names: Sequence[str]) -> None:
        """Read the joints of these names, in this order."""
        self._joint_names = tuple(joint_names)
        self._known = frozenset(joint_names)
        self.q = np.zeros(len(joint_names))
        self.v = np.zeros(len(joint_names))
        self.has_velocity = False
        self.effort = np.zeros(len(joint_names))
        self.has_effort = False
        # Drivers send the same names each time: the map is made when they change.
        self._mapped_names: list[str] | None = None
        self._indices = np.zeros(0, dtype=np.intp)

    def names_other_joints_only(self, message: JointState) -> bool:
        """Whether a message names none of the joints, as one of a gripper's driver does."""
        if message.name == self._mapped_names or not message.name:
            return False
        return not self._known.intersection(message.name)

    def read(self, message: JointState) -> None:
        """Fill `q`, `v` and `effort`.

        Raises:
            StateError: a joint is missing, named twice or not finite, or a field has a wrong
                length. The content of the arrays is then undefined. Efforts need not be finite:
                joint_state_broadcaster sends NaN for what a driver does not measure.
        """
        if message.name != self._mapped_names:
            self._map(message.name)
        count = len(message.name)
        if len(message.position) != count:
            raise StateError(f'position has {len(message.position)} values for {count} names')
        self.has_velocity = bool(message.velocity)
        if self.has_velocity and len(message.velocity) != count:
            raise StateError(f'velocity has {len(message.velocity)} values for {count} names')
        self._take(message.position, self.q, 'position')
        if self.has_velocity:
            self._take(message.velocity, self.v, 'velocity')
        else:
            self.v.fill(0.0)
        self.has_effort = bool(message.effort)
        if self.has_effort:
            if len(message.effort) != count:
                raise StateError(f'effort has {len(message.effort)} values for {count} names')
            self._gather(message.effort, self.effort)
            self.has_effort = bool((np.abs(self.effort) < LARGEST_EFFORT).all())

    def reorder(self, names: Sequence[str], values: Sequence[float], field: str) -> Array:
        """Values given in the order of `names`, in the order of the model.

        Raises:
            StateError: a joint is missing, named twice or not finite, or the length is wrong.
        """
        if len(values) != len(names):
            raise StateError(f'{field} has {len(values)} values for {len(names)} names')
        self._map(list(names))
        result = np.zeros(len(self._joint_names))
        self._take(values, result, field)
        return result

    def _map(self, names: list[str]) -> None:
        index_of = {name: index for index, name in enumerate(names)}
        if missing := [name for name in self._joint_names if name not in index_of]:
            raise StateError(
                f'joints missing: {", ".join(missing)}; needed are {", ".join(self._joint_names)}'
            )
        if len(index_of) < len(names):
            repeated = sorted({name for name in names if names.count(name) > 1})
            raise StateError(f'joints named more than once: {", ".join(repeated)}')
        self._indices = np.array([index_of[name] for name in self._joint_names], dtype=np.intp)
        self._mapped_names = list(names)

    def _gather(self, source: Sequence[float], target: Array) -> None:
        # The indices are in range: 'clip' spares NumPy a buffer for the case that they are not.
        np.asarray(source, dtype=np.float64).take(self._indices, out=target, mode='clip')

    def _take(self, source: Sequence[float], target: Array, field: str) -> None:
        self._gather(source, target)
        if not np.isfinite(target).all():
            index = int(np.flatnonzero(~np.isfinite(target))[0])
            raise StateError(
                f'{field} of {self._joint_names[index]!r} is {target[index]}, it must be finite'
            )
