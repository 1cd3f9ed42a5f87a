"""Which link of a robot is touched."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core.model.robot import RobotModel

Mask = npt.NDArray[np.bool_]


class ContactLinks:
    """Tells the touched link from the joints that feel an external torque.

    A push on a link moves the joints between it and the base, and no other: the touched link is
    the last one whose joint feels it (Haddadin, De Luca, Albu-Schaeffer, "Robot collisions: a
    survey on detection, isolation, and identification", 2017). A joint does not feel a force whose
    line meets its axis or is parallel to it, nor a torque below its threshold: the answer is then
    a link before the touched one, by as many links as joints that do not feel it.

    Attributes:
        names: (n,) link that each independent joint carries.
    """

    def __init__(self, model: RobotModel) -> None:
        """Look at the tree of a robot once."""
        carried: dict[int, str] = {}
        for frame in model.frames:
            # The link that the joint leads to comes first.
            carried.setdefault(frame.body, frame.name)
        self.names = [''] * model.size
        # [i, k]: joint k lies between the joint i and the base; not as one that mimics it.
        self._between = np.zeros((model.size, model.size), bool)
        for index, joint in enumerate(model.joints):
            if joint.mimicked is not None:
                continue
            own = joint.coordinate.index
            self.names[own] = carried[index]
            parent = joint.parent
            while parent >= 0:
                carrier = model.joints[parent]
                if carrier.mimicked is None:
                    self._between[own, carrier.coordinate.index] = True
                parent = carrier.parent

    def touched(self, joints: Mask) -> tuple[str, ...]:
        """The touched links: one where a chain is touched; one of each branch of a tree.

        Args:
            joints: (n,) whether each independent joint feels an external torque.

        Returns:
            Names of links in the order of the joints; empty where no joint feels any.
        """
        if not joints.any():
            return ()
        last = joints & ~self._between[joints].any(axis=0)
        return tuple(self.names[index] for index in np.flatnonzero(last))
