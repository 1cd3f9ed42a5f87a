"""What touches a robot: since when, at which link, in which direction."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core.algorithms.kinematics import jacobian
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.model.robot import RobotModel

from ..torque_text import joint_torques, units_of
from .contact_detector import ContactDetector, ContactState
from .thresholds import ContactThresholds
from .wrench import estimated_wrench

COLLISION = 'collision'


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

    def touched(self, joints: npt.NDArray[np.bool_]) -> tuple[str, ...]:
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


class Contact(ContactDetector):
    """A contact of the commanded joints of a robot: detected, and where it is.

    Attributes:
        collides: whether a collision began with the last step.
        links: that are touched: one, or one of each touched branch of a tree; empty without a
            contact.
    """

    def __init__(
        self,
        model: RobotModel,
        joints: Sequence[str],
        indices: npt.NDArray[np.intp],
        thresholds: ContactThresholds,
    ) -> None:
        """Without a contact.

        Args:
            model: of the robot.
            joints: names of the commanded joints, k of them.
            indices: (k,) of these among the independent joints.
            thresholds: of the commanded joints.
        """
        super().__init__(thresholds)
        self._joints, self._indices = tuple(joints), indices
        # The payload that the model has now moves no joint and no link.
        self._model, self._links = model, ContactLinks(model)
        self._sliding, self._units = model.sliding[indices], units_of(model, joints)
        self._forget()

    def step(self, r: Array, v: Array, time: float) -> ContactState:
        """The state with a new residual; arguments as of `ContactDetector.step`."""
        before = self.state
        super().step(r, v, time)
        self.collides = self.state.kind == COLLISION != before.kind
        if self.state is before:
            return before
        if not self.state:
            self._forget()
        elif self.state.joints:
            # A contact below the thresholds stays where it was.
            felt = np.zeros(self._model.size, dtype=bool)
            felt[self._indices[list(self.state.joints)]] = True
            self.links = self._links.touched(felt)
        return self.state

    def touched_joints(self) -> list[str]:
        """Names of the commanded joints that feel the contact."""
        return [self._joints[index] for index in self.state.joints]

    @property
    def link(self) -> str:
        """The touched link; of several branches, that of the first touched joint; '' for none."""
        return self.links[0] if self.links else ''

    def direction(self, q: Array, r: Array) -> Array:
        """Of the smallest force on `link` that explains the torques.

        Found where it is asked for: the Jacobian is evaluated, not compiled, because a contact is
        rare and a robot has many links. That takes longer than all else in a cycle.

        Args:
            q: (n,) positions of all independent joints at the last step [rad or m].
            r: (k,) external torques at the last step [N m or N].

        Returns:
            (3,) in the axes of the link, with norm 1; zero where the torques tell none. A contact
            that no joint feels any more keeps its direction.
        """
        if self.state.joints:
            frame = self._model.frame(self.link)
            columns = np.array(jacobian(self._model, q.tolist(), frame, 'LOCAL'), dtype=float)
            force = estimated_wrench(columns[:, self._indices], r, self._sliding).wrench[:3]
            size = float(np.linalg.norm(force))
            self._direction = force / size if size > 0.0 else force
        return self._direction

    def sentence(self, r: Array) -> str:
        """For log and diagnostics: the kind, the links, and the torques of the touched joints.

        Empty without a contact; r (k,) are the external torques [N m or N].
        """
        if not self.state:
            return ''
        felt = 'hardly felt any more'
        if touched := list(self.state.joints):
            units = [self._units[index] for index in touched]
            torques = joint_torques(self.touched_joints(), r[touched].tolist(), units)
            felt = f'external torque of {torques}'
        return f'{self.state.kind} at {" and ".join(self.links)}: {felt}'

    def _forget(self) -> None:
        super()._forget()
        self.collides, self._direction = False, np.zeros(3)
        self.links = ()
