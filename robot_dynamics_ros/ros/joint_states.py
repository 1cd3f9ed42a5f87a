"""From a JointState message to arrays in the order of the model, by name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import compress
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray
from sensor_msgs.msg import JointState

from robot_dynamics_ros.core.checks import Array, all_finite
from robot_dynamics_ros.core.errors import StateError

# Larger efforts count as not measured [N m or N]: no drive has them, and a single one would
# dominate an average of squares.
LARGEST_EFFORT = 1e6
# Lists of names whose match is kept; drivers send the same few each time.
MOST_LISTS = 16


@dataclass(frozen=True)
class NameMatch:
    """Where the joints of the model stand in messages with one list of names.

    Attributes:
        names: the list.
        repeated: names that it holds more than once.
        joints: (m,) indices of the joints of the model that it names, ascending.
        places: (m,) where their values stand in a message.
        first: the first of `joints`; -1 for none.
        complete: whether it names every joint of the model.
        commanded: (n,) whether a joint of the model is commanded, and named.
        names_commanded: whether it names one that is.
    """

    names: list[str]
    repeated: list[str]
    joints: NDArray[np.intp]
    places: NDArray[np.intp]
    first: int
    complete: bool
    commanded: NDArray[np.bool_]
    names_commanded: bool

    def take(self, source: Sequence[float], target: Array, others: Array) -> None:
        """Fill `target` (n,) with the values of the named joints, else with those of `others`."""
        values = np.asarray(source, dtype=np.float64)
        if self.complete:
            # The indices are in range: 'clip' spares NumPy a buffer for those that are not.
            values.take(self.places, out=target, mode='clip')
            return
        target[:] = others
        target[self.joints] = values[self.places]


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

        Positions of `commanded` joints must be finite, all if empty; those of `locked` ones are
        not read.
        """
        self.locked = locked
        self._joint_names = tuple(joint_names)
        self._commanded = np.array([not commanded or name in commanded for name in joint_names])
        # What the arrays hold of joints that a message does not name.
        self._no_q = np.array([locked.get(name, np.nan) for name in joint_names], dtype=np.float64)
        self._no_v = np.array([0.0 if name in locked else np.nan for name in joint_names])
        self._no_effort = np.full(len(joint_names), np.nan)
        self.q, self.v, self.effort = self._no_q.copy(), self._no_v.copy(), self._no_effort.copy()
        self.has_velocity = self.has_effort = False
        self._find = lru_cache(MOST_LISTS)(self._match_names)
        self._match = self._find(())

    def names_other_joints_only(self, message: JointState) -> bool:
        """Whether a message names none of the joints, as one of a gripper's driver may do."""
        return not self._match_of(message).joints.size and bool(message.name)

    @property
    def first(self) -> int:
        """Index of the first joint that the last message names; -1 for none."""
        return self._match.first

    @property
    def names_commanded(self) -> bool:
        """Whether the last message names a commanded joint."""
        return self._match.names_commanded

    def read(self, message: JointState) -> None:
        """Fill `q`, `v` and `effort` with the joints that a message names.

        Velocities and efforts may be NaN, and positions of joints that are not commanded:
        joint_state_broadcaster sends NaN for what the hardware does not measure.

        Raises:
            StateError: no joint is named, one is named twice, a value is infinite or a commanded
                position NaN, or a field has a wrong length. The content of the arrays is then
                undefined.
        """
        match, count = self._match_of(message), len(message.name)
        if not count:
            raise StateError(f'name is empty; needed are {", ".join(self._joint_names)}')
        if match.repeated:
            raise StateError(f'joints named more than once: {", ".join(match.repeated)}')
        sizes = len(message.position), len(message.velocity), len(message.effort)
        for field, size in zip(('position', 'velocity', 'effort'), sizes, strict=True):
            if size != count and (size or field == 'position'):
                raise StateError(f'{field} has {size} values for {count} names')
        match.take(message.position, self.q, self._no_q)
        if not all_finite(self.q):
            wrong = np.isinf(self.q) | (np.isnan(self.q) & match.commanded)
            _require_finite(self.q, wrong, 'position', self._joint_names)
        self.has_velocity, self.has_effort = sizes[1] > 0, sizes[2] > 0
        if self.has_velocity:
            match.take(message.velocity, self.v, self._no_v)
            if not all_finite(self.v):
                _require_finite(self.v, np.isinf(self.v), 'velocity', self._joint_names)
        else:
            self.v[:] = self._no_v
        if self.has_effort:
            match.take(message.effort, self.effort, self._no_effort)
            measured = np.abs(self.effort) < LARGEST_EFFORT
            if not measured.all():
                self.effort[~measured] = np.nan

    def read_all(self, message: JointState) -> None:
        """Fill the arrays with a message that names all joints but the locked ones.

        Raises:
            StateError: as `read`, or a joint is missing, or its position or velocity NaN.
        """
        self.read(message)
        names = self._joint_names
        if missing := ', '.join(compress(names, np.isnan(self.q))):
            raise StateError(f'joints missing: {missing}; needed are {", ".join(names)}')
        if self.has_velocity:
            _require_finite(self.v, ~np.isfinite(self.v), 'velocity', names)

    def _match_of(self, message: JointState) -> NameMatch:
        """The match of the message's names: compared with those of the message before."""
        if message.name != self._match.names:
            self._match = self._find(tuple(message.name))
        return self._match

    def _match_names(self, names: tuple[str, ...]) -> NameMatch:
        place_of = {name: place for place, name in enumerate(names)}
        joints = [
            joint
            for joint, name in enumerate(self._joint_names)
            if name in place_of and name not in self.locked
        ]
        commanded = np.zeros_like(self._commanded)
        commanded[joints] = self._commanded[joints]
        return NameMatch(
            names=list(names),
            repeated=sorted(name or "''" for name, count in Counter(names).items() if count > 1),
            joints=np.array(joints, dtype=np.intp),
            places=np.array([place_of[self._joint_names[j]] for j in joints], dtype=np.intp),
            first=joints[0] if joints else -1,
            complete=len(joints) == len(self._joint_names),
            commanded=commanded,
            names_commanded=bool(commanded.any()),
        )


def _require_finite(
    values: Array, wrong: NDArray[np.bool_], field: str, names: Sequence[str]
) -> None:
    if wrong.any():
        index = int(wrong.argmax())
        raise StateError(f'{field} of {names[index]!r} is {values[index]}, it must be finite')
