"""Where the joints of the model stand in messages with one list of names."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from robot_dynamics_ros.core.checks import Array


class JointPlaces:
    """Takes values out of messages with one list of names, in the order of the model.

    Attributes:
        names: the list.
        repeated: names that it holds more than once, as a phrase; empty for none.
        joints: (m,) indices of the joints of the model that it names.
        needed_joints: indices of those of them that are needed.
        needed: whether it names one that is needed.
    """

    def __init__(
        self,
        names: list[str],
        joint_names: Sequence[str],
        left_out: Collection[str] = (),
        needed: Collection[str] = (),
    ) -> None:
        """Find the joints.

        Args:
            names: of the messages.
            joint_names: of the model, in its order.
            left_out: joints of the model that are not taken.
            needed: see the attribute.
        """
        index_of = {name: index for index, name in enumerate(names)}
        found = [
            (joint, index_of[name])
            for joint, name in enumerate(joint_names)
            if name in index_of and name not in left_out
        ]
        self.names = names
        self.repeated = ''
        if len(index_of) < len(names):
            self.repeated = ', '.join(
                sorted({name or "''" for name in names if names.count(name) > 1})
            )
        self.joints = np.array([joint for joint, _ in found], dtype=np.intp)
        self.needed_joints = [joint for joint, _ in found if joint_names[joint] in needed]
        self.needed = bool(self.needed_joints)
        self._places = np.array([place for _, place in found], dtype=np.intp)
        self._complete = len(found) == len(joint_names)

    def take(self, source: Sequence[float], target: Array, others: Array | None = None) -> None:
        """Fill an array (n,) with the values of the joints.

        Args:
            source: a value for each name.
            target: (n,) filled in place.
            others: (n,) values of the joints that are not named; None for NaN.
        """
        values = np.asarray(source, dtype=np.float64)
        if self._complete:
            # The indices are in range: 'clip' spares NumPy a buffer for those that are not.
            values.take(self._places, out=target, mode='clip')
            return
        target[:] = np.nan if others is None else others
        target[self.joints] = values[self._places]
