"""What acts on the arm from outside: pushes on its links, and a wall."""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import ArrayLike, NDArray

from .mujoco_model import BALL, WALL, SimulationError, Wall

Vector = NDArray[np.float64]

ROUNDING = 1e-9
"""By how much the sum of many cycles may be short of a time that is meant [s]."""


class OutsideForces:
    """Applies pushes to the bodies of MuJoCo, and tells what acts on each link."""

    def __init__(
        self, model: mujoco.MjModel, data: mujoco.MjData, wall: Wall | None = None
    ) -> None:
        """Act on the bodies of `data`.

        Args:
            model: as `mujoco_model.compile_model` gives it.
            data: its state.
            wall: that the model was compiled with; it is absent until `wall` is set.
        """
        self._model, self._data = model, data
        self._walled = '' if wall is None else wall.link
        # By name of the links that move.
        self._sites = {
            model.site(i).name: i for i in range(model.nsite) if model.site_bodyid[i] > 0
        }
        # What is to act from a time on, by time: that time, the link, force and moment.
        self._coming: list[tuple[float, str, Vector]] = []
        self._pushes: dict[str, Vector] = {}
        if self._walled:
            self.wall = False

    @property
    def wall(self) -> bool:
        """Whether the wall is present: it can be touched."""
        return bool(self._walled) and bool(self._model.geom(WALL).contype[0])

    @wall.setter
    def wall(self, present: bool) -> None:
        if not self._walled:
            raise SimulationError(
                'the arm has no wall: parameter wall_link names the link that can touch one'
            )
        if present and not self.wall and (depth := self._depth()) > 0.0:
            raise SimulationError(
                f'link {self._walled} is {depth:.3g} m behind the surface of the wall, which '
                'would throw the arm: move it to the other side first (~/reset, a reference), or '
                'change wall_point or wall_normal'
            )
        geom = self._model.geom(WALL)
        geom.contype[:] = geom.conaffinity[:] = int(present)

    def _depth(self) -> float:
        """How far the ball is behind the surface of the wall [m]; negative in front of it."""
        mujoco.mj_kinematics(self._model, self._data)
        plane, ball = self._data.geom(WALL), self._data.geom(BALL)
        normal = plane.xmat.reshape(3, 3)[:, 2]
        radius = self._model.geom(BALL).size[0]
        return float(radius - normal @ (ball.xpos - plane.xpos))

    def push(self, link: str, wrench: ArrayLike, begin: float | None = None) -> None:
        """Push a link from a time on; what was to act on it from then on is dropped.

        Args:
            link: name of a link that moves.
            wrench: force and moment about the origin of the link, in its axes, (6,) [N, N m];
                zeros end a push.
            begin: simulated time [s]; None for now.

        Raises:
            SimulationError: the link does not exist or does not move, or a value is not finite.
        """
        begin = self._data.time if begin is None else begin
        values = np.array(wrench, dtype=float)
        self._require(link)
        if not np.isfinite([*values, begin]).all():
            raise SimulationError(f'the push is {values.tolist()}, it must be finite')
        kept = [push for push in self._coming if push[1] != link or push[0] < begin]
        self._coming = sorted([*kept, (begin, link, values)], key=lambda push: push[0])

    def clear(self) -> None:
        """End all pushes."""
        self._coming.clear()
        self._pushes.clear()

    def exert(self) -> None:
        """Apply the pushes of the present time, at the present positions, until the next call."""
        data, acting = self._data, self._acting()
        if not acting and not data.xfrc_applied.any():
            return
        data.xfrc_applied[:] = 0.0
        mujoco.mj_kinematics(self._model, data)
        for link, wrench in acting.items():
            site = self._sites[link]
            body = self._model.site_bodyid[site]
            R, origin = self._pose(site)
            force = R @ wrench[:3]
            data.xfrc_applied[body, :3] += force
            data.xfrc_applied[body, 3:] += R @ wrench[3:] + _cross(
                origin - data.xipos[body], force
            )

    def wrenches(self) -> dict[str, Vector]:
        """Force and moment (6,) [N, N m] on each link on which something acts now.

        The moment is about the origin of the link; both are in the axes of the link. The force of
        the wall is that of the last integration step.
        """
        acting = self._acting()
        if not acting and not self._data.ncon:
            return {}
        mujoco.mj_kinematics(self._model, self._data)
        wrenches = dict(acting)
        for index in range(self._data.ncon):
            before = wrenches.get(self._walled, np.zeros(6))
            wrenches[self._walled] = before + self._of_contact(index)
        return wrenches

    def frame(self, link: str) -> tuple[Vector, Vector]:
        """Rotation (3, 3) from the axes of a link to those of the root link, and its origin (3,).

        Raises:
            SimulationError: the link does not exist or does not move.
        """
        self._require(link)
        mujoco.mj_kinematics(self._model, self._data)
        return self._pose(self._sites[link])

    def _acting(self) -> dict[str, Vector]:
        """Force and moment (6,) of the pushes by link, now."""
        while self._coming and self._coming[0][0] <= self._data.time + ROUNDING:
            _, link, wrench = self._coming.pop(0)
            self._pushes.pop(link, None)
            if wrench.any():
                self._pushes[link] = wrench
        return self._pushes

    def _of_contact(self, index: int) -> Vector:
        contact, local = self._data.contact[index], np.zeros(6)
        mujoco.mj_contactForce(self._model, self._data, index, local)
        R, origin = self._pose(self._sites[self._walled])
        # Rows: the axes of the contact, the first from plane to ball.
        force = R.T @ contact.frame.reshape(3, 3).T @ local[:3]
        return np.concatenate([force, _cross(R.T @ (contact.pos - origin), force)])

    def _pose(self, site: int) -> tuple[Vector, Vector]:
        return self._data.site_xmat[site].reshape(3, 3).copy(), self._data.site_xpos[site].copy()

    def _require(self, link: str) -> None:
        if link not in self._sites:
            raise SimulationError(
                f'no link {link!r} moves: those that move are {", ".join(self._sites)}'
            )


def _cross(a: ArrayLike, b: ArrayLike) -> Vector:
    # numpy.cross takes ten times as long.
    product = np.empty(3)
    mujoco.mju_cross(product, np.asarray(a, dtype=float), np.asarray(b, dtype=float))
    return product
