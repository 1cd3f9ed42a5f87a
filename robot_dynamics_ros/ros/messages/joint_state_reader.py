"""From a JointState message to arrays in the order of the model, by name."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType

import numpy as np
from sensor_msgs.msg import JointState

from robot_dynamics_ros.core.checks import Array, all_finite
from robot_dynamics_ros.core.errors import StateError

from .joint_places import JointPlaces

# Larger efforts count as not measured [N m or N]: no drive has them, and a single one would
# dominate an average of squares.
LARGEST_EFFORT = 1e6
NO_POSITIONS = ': velocities and efforts need the positions in the same message'
# Lists of names that are kept; drivers send the same few each time.
MOST_LISTS = 16


class JointStateReader:
    """Reads joint states with any of the joints into its own arrays, NaN for the others.

    Joints that the model does not have are ignored. Locked joints stand at their positions,
    whatever a message says of them.

    Attributes:
        q: (n,) positions of the last message [rad or m].
        v: (n,) velocities of the last message [rad/s or m/s]; NaN where they were not measured.
        has_velocity: whether the last message had velocities.
        effort: (n,) measured efforts of the last message [N m or N]; NaN where they were not
            measured, or are not below LARGEST_EFFORT.
        has_effort: whether the last message had efforts.
        locked: positions of the locked joints, by name [rad or m].
    """

    def __init__(
        self,
        joint_names: Sequence[str],
        *,
        commanded: Collection[str] = (),
        locked: Mapping[str, float] = MappingProxyType({}),
    ) -> None:
        """Read the joints of these names, in this order.

        Args:
            joint_names: of the independent joints of the model.
            commanded: joints whose positions must be finite; all if empty.
            locked: positions of joints that are not read, by name [rad or m].
        """
        self._joint_names = tuple(joint_names)
        self._needed = frozenset(commanded or joint_names)
        self.locked = locked
        size = len(joint_names)
        # What the arrays hold before a message is read.
        self._no_q = np.array([locked.get(name, np.nan) for name in joint_names], dtype=np.float64)
        self._no_v = np.array([0.0 if name in locked else np.nan for name in joint_names])
        self.q, self.v = self._no_q.copy(), self._no_v.copy()
        self.effort = np.full(size, np.nan)
        self.has_velocity = self.has_effort = False
        self._places = JointPlaces([], self._joint_names, self.locked, self._needed)
        self._known_places: dict[tuple[str, ...], JointPlaces] = {}

    def names_other_joints_only(self, message: JointState) -> bool:
        """Whether a message names none of the joints, as one of a gripper's driver may do."""
        if message.name != self._places.names:
            self._find_places(message.name)
        return not self._places.joints.size and bool(message.name)

    @property
    def names_commanded(self) -> bool:
        """Whether the last message names a commanded joint."""
        return self._places.needed

    def read(self, message: JointState) -> None:
        """Fill `q`, `v` and `effort` with the joints that a message names.

        Velocities and efforts may be NaN, and positions of joints that are not commanded:
        joint_state_broadcaster sends NaN for what the hardware does not measure.

        Raises:
            StateError: no joint is named, one is named twice, a value is infinite or a commanded
                position NaN, or a field has a wrong length. The content of the arrays is then
                undefined.
        """
        if message.name != self._places.names:
            self._find_places(message.name)
        places, count = self._places, len(message.name)
        if not count:
            raise StateError(f'name is empty; needed are {", ".join(self._joint_names)}')
        if places.repeated:
            raise StateError(f'joints named more than once: {places.repeated}')
        if len(message.position) != count:
            raise StateError(
                f'position has {len(message.position)} values for {count} names'
                + ('' if message.position else NO_POSITIONS)
            )
        self.has_velocity = bool(message.velocity)
        if self.has_velocity and len(message.velocity) != count:
            raise StateError(f'velocity has {len(message.velocity)} values for {count} names')
        places.take(message.position, self.q, self._no_q)
        if not all_finite(self.q):
            self._check_positions()
        if self.has_velocity:
            places.take(message.velocity, self.v, self._no_v)
            if not all_finite(self.v):
                self._refuse_infinite(self.v, 'velocity')
        else:
            self.v[:] = self._no_v
        self.has_effort = bool(message.effort)
        if self.has_effort:
            if len(message.effort) != count:
                raise StateError(f'effort has {len(message.effort)} values for {count} names')
            places.take(message.effort, self.effort)
            measured = np.abs(self.effort) < LARGEST_EFFORT
            if not measured.all():
                self.effort[~measured] = np.nan

    def read_all(self, message: JointState) -> None:
        """Fill the arrays with a message that names all joints but the locked ones.

        Raises:
            StateError: as `read`, or a joint is missing or its position NaN.
        """
        self.read(message)
        missing = [n for n, q in zip(self._joint_names, self.q.tolist(), strict=True) if q != q]
        if missing:
            raise self._missing(missing)
        if self.has_velocity and not all_finite(self.v):
            self._refuse(self.v, ~np.isfinite(self.v), 'velocity')

    def reorder(self, names: Sequence[str], values: Sequence[float], field: str) -> Array:
        """Values given in the order of `names`, in the order of the model.

        Raises:
            StateError: a joint is missing, named twice or not finite, or the length is wrong.
        """
        if len(values) != len(names):
            raise StateError(f'{field} has {len(values)} values for {len(names)} names')
        places = JointPlaces(list(names), self._joint_names)
        if missing := [name for name in self._joint_names if name not in names]:
            raise self._missing(missing)
        if places.repeated:
            raise StateError(f'joints named more than once: {places.repeated}')
        result = np.zeros(len(self._joint_names))
        places.take(values, result)
        if not all_finite(result):
            self._refuse(result, ~np.isfinite(result), field)
        return result

    def _find_places(self, names: list[str]) -> None:
        key = tuple(names)
        places = self._known_places.get(key)
        if places is None:
            if len(self._known_places) >= MOST_LISTS:
                self._known_places.clear()
            places = JointPlaces(list(names), self._joint_names, self.locked, self._needed)
            self._known_places[key] = places
        self._places = places

    def _missing(self, missing: Sequence[str]) -> StateError:
        return StateError(
            f'joints missing: {", ".join(missing)}; needed are {", ".join(self._joint_names)}'
        )

    def _check_positions(self) -> None:
        self._refuse_infinite(self.q, 'position')
        named = np.zeros(self.q.size, dtype=bool)
        named[self._places.needed_joints] = True
        wrong = named & np.isnan(self.q)
        if wrong.any():
            self._refuse(self.q, wrong, 'position')

    def _refuse_infinite(self, values: Array, field: str) -> None:
        infinite = np.isinf(values)
        if infinite.any():
            self._refuse(values, infinite, field)

    def _refuse(self, values: Array, wrong: Array, field: str) -> None:
        index = int(wrong.argmax())
        raise StateError(
            f'{field} of {self._joint_names[index]!r} is {values[index]}, it must be finite'
        )
