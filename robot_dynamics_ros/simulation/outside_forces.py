"""What acts on the arm from outside: pushes on its links, and a wall."""

from __future__ import annotations

import math
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import ArrayLike, NDArray

from .mujoco_model import BALL, WALL, SimulationError, Wall

Vector = NDArray[np.float64]

ROUNDING = 1e-9
"""By how much the sum of many cycles may be short of a time that is meant [s]."""


@dataclass(frozen=True)
class Push:
    """A constant force and moment on a link for some time.

    Attributes:
        link: name of the link.
        force: along the axes of the root link, (3,) [N].
        moment: likewise, (3,) [N m].
        point: where the force acts, in the frame of the link, (3,) [m].
        delay: time until it begins [s].
        duration: how long it lasts [s].
    """

    link: str
    force: tuple[float, ...] = (0.0, 0.0, 0.0)
    moment: tuple[float, ...] = (0.0, 0.0, 0.0)
    point: tuple[float, ...] = (0.0, 0.0, 0.0)
    delay: float = 0.0
    duration: float = 1.0

    def check(self) -> None:
        """Whether all values are finite, and the times not negative.

        Raises:
            SimulationError: they are not.
        """
        for name in ('force', 'moment', 'point'):
            if not np.isfinite(value := getattr(self, name)).all():
                raise SimulationError(f'{name} of the push is {list(value)}: it must be finite')
        for name in ('delay', 'duration'):
            if not 0.0 <= (value := getattr(self, name)) < math.inf:
                raise SimulationError(
                    f'{name} of the push is {value} s: it must be at least 0 and finite'
                )


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
        # By link: the push, and the time at which it begins.
        self._pushes: dict[str, tuple[Push, float]] = {}
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

    def push(self, push: Push) -> None:
        """Begin a push after its delay; it replaces the one before on the same link.

        Raises:
            SimulationError: the link does not exist or does not move, or a value is not allowed.
        """
        push.check()
        self._require(push.link)
        self._pushes[push.link] = push, self._data.time + push.delay

    def clear(self) -> None:
        """End all pushes."""
        self._pushes.clear()
        self._data.xfrc_applied[:] = 0.0

    def exert(self) -> None:
        """Apply the pushes of the present time, at the present positions, until the next call."""
        if not self._pushes:
            return
        data = self._data
        data.xfrc_applied[:] = 0.0
        self._pushes = {
            link: (push, begin)
            for link, (push, begin) in self._pushes.items()
            if self._now < begin + push.duration
        }
        mujoco.mj_kinematics(self._model, data)
        for push in self._acting():
            site = self._sites[push.link]
            body = self._model.site_bodyid[site]
            R, origin = self._pose(site)
            lever = origin + R @ push.point - data.xipos[body]
            data.xfrc_applied[body, :3] += push.force
            data.xfrc_applied[body, 3:] += push.moment + _cross(lever, push.force)

    def wrenches(self) -> dict[str, Vector]:
        """Force and moment (6,) [N, N m] on each link on which something acts now.

        The moment is about the origin of the link; both are in the axes of the link. The force of
        the wall is that of the last integration step.
        """
        acting = self._acting()
        if not acting and not self._data.ncon:
            return {}
        mujoco.mj_kinematics(self._model, self._data)
        wrenches = {push.link: self._of_push(push) for push in acting}
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

    @property
    def _now(self) -> float:
        return float(self._data.time) + ROUNDING

    def _acting(self) -> list[Push]:
        now = self._now
        return [
            push for push, begin in self._pushes.values() if begin <= now < begin + push.duration
        ]

    def _of_push(self, push: Push) -> Vector:
        R, _ = self._pose(self._sites[push.link])
        force = R.T @ push.force
        return np.concatenate([force, R.T @ push.moment + _cross(push.point, force)])

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
