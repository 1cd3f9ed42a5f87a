"""The model of MuJoCo: a URDF reduced to inertials and joints, a site for each link, a wall."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import ArrayLike

from robot_dynamics_ros.core.errors import UrdfError
from robot_dynamics_ros.mjcf import spec_of

MAX_STEP = 0.0006
"""Longest step of RK4 [s]: the error of a falling arm is then about 1e-9 rad."""
WALL, BALL = 'wall', 'ball'
"""Names of the two bodies of a wall."""
# Of the wall: time constant [s] and damping ratio, for the longest step; share that is rigid [-].
_STIFFNESS, _IMPEDANCE = (0.0015, 1.0), 0.9999


class SimulationError(Exception):
    """The arm cannot be simulated as described."""


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


def compile_model(urdf_text: str, wall: Wall | None = None) -> mujoco.MjModel:
    """Compile a URDF: its inertials and joints, and a site for each link, of its name.

    MuJoCo merges links that fixed joints connect; the sites keep their frames.

    Args:
        urdf_text: text of the URDF.
        wall: that one link can touch; None for none.

    Raises:
        SimulationError: the text is no URDF, no joint moves or one of them in a way that is not
            simulated, MuJoCo refuses it, the link of the wall is unknown, or its normal is zero.
    """
    try:
        spec = spec_of(urdf_text)
        if wall is not None:
            _add_wall(spec, wall)
        model = spec.compile()
    except UrdfError as error:
        raise SimulationError(f'robot_description cannot be simulated: {error}') from error
    except ValueError as error:
        raise SimulationError(
            f'MuJoCo refuses this URDF: {" ".join(str(error).split())}. The simulated arm needs '
            'mass and inertia of a real body in every moving link; the dynamics node does not.'
        ) from error
    # A mimic joint is a gear, as stiff as the step allows; by default MuJoCo uses a soft spring.
    model.eq_solref[:] = (2.5 * MAX_STEP, 1.0)
    model.eq_solimp[:, :2] = 0.9999
    # By default MuJoCo resets the state without an error where it is not finite.
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_AUTORESET)
    return model


def _add_wall(spec: mujoco.MjSpec, wall: Wall) -> None:
    normal = np.array(wall.normal, dtype=float)
    if not np.linalg.norm(normal) > 0.0:
        raise SimulationError('the normal of the wall is zero: it must have a direction')
    links = [body.name for body in spec.bodies[1:]]
    if wall.link not in links:
        raise SimulationError(f'the wall is for link {wall.link!r}: known are {", ".join(links)}')
    turn = np.empty(4)
    mujoco.mju_quatZ2Vec(turn, normal / np.linalg.norm(normal))
    impedance = _IMPEDANCE, _IMPEDANCE, 0.001, 0.5, 2.0
    contact = {'condim': 1, 'solref': _STIFFNESS, 'solimp': impedance}
    plane, ball = mujoco.mjtGeom.mjGEOM_PLANE, mujoco.mjtGeom.mjGEOM_SPHERE
    point, size = np.array(wall.point, dtype=float), [1.0, 1.0, 0.1]
    spec.worldbody.add_geom(name=WALL, type=plane, pos=point, quat=turn, size=size, **contact)
    size = [wall.radius, 0.0, 0.0]
    spec.body(wall.link).add_geom(name=BALL, type=ball, size=size, density=0.0, **contact)
