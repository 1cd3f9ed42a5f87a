"""A wall that one link of the arm can touch."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import ArrayLike, NDArray

from .mujoco_description import SimulationError

Vector = NDArray[np.float64]

STIFFNESS = (0.0015, 1.0)
"""MuJoCo's time constant [s] and damping ratio of a contact, for the longest step [s]."""
IMPEDANCE = 0.9999
"""MuJoCo's share of a contact that is rigid [-]."""
NAME, BALL = 'wall', 'ball'


@dataclass(frozen=True)
class Wall:
    """A plane without friction, and a ball about the origin of a link that cannot pass it.

    Attributes:
        link: name of the link.
        point: a point of the plane, in the frame of the root link, (3,) [m].
        normal: out of the wall, towards the arm, in the same frame, (3,), of any length.
        radius: of the ball [m].
    """

    link: str
    point: ArrayLike
    normal: ArrayLike
    radius: float = 0.05

    def add_to(self, spec: mujoco.MjSpec) -> None:
        """Add plane and ball to a model that is not compiled yet.

        Raises:
            SimulationError: the link does not exist, or the normal is zero.
        """
        normal = np.array(self.normal, dtype=float)
        if not np.linalg.norm(normal) > 0.0:
            raise SimulationError('the normal of the wall is zero: it must have a direction')
        links = [body.name for body in spec.bodies[1:]]
        if self.link not in links:
            raise SimulationError(
                f'the wall is for link {self.link!r}: known are {", ".join(links)}'
            )
        turn = np.empty(4)
        mujoco.mju_quatZ2Vec(turn, normal / np.linalg.norm(normal))
        contact = {
            'condim': 1,
            'solref': STIFFNESS,
            'solimp': (IMPEDANCE, IMPEDANCE, 0.001, 0.5, 2.0),
        }
        spec.worldbody.add_geom(
            name=NAME,
            type=mujoco.mjtGeom.mjGEOM_PLANE,
            pos=np.array(self.point, dtype=float),
            quat=turn,
            size=[1.0, 1.0, 0.1],
            **contact,
        )
        spec.body(self.link).add_geom(
            name=BALL,
            type=mujoco.mjtGeom.mjGEOM_SPHERE,
            size=[self.radius, 0.0, 0.0],
            density=0.0,
            **contact,
        )
