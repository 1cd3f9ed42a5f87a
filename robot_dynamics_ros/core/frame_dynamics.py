"""The part of `RobotDynamics` about a frame: pose, Jacobian, task space."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .algorithms.crba import rounding_of_inertias
from .algorithms.kinematics import Axes
from .checks import Array, checked_name, checked_vector
from .compiled_quantities import CompiledQuantities
from .model.robot import RobotModel
from .quantity import key_of
from .scaled_eigenvalues import without_rounding_noise
from .task.payload_margin import largest_mass, weight_torque
from .task.resolved_rate import VelocitySolution, resolve_twist
from .task.samples import for_each_sample, stacked
from .task.task_space import TaskInertia, TaskSpace, task_inertia, task_space
from .task.twist_rows import ALL_ROWS, SPATIAL_ENTRIES, checked_rows, without_rounding

# Compiled quantities by axes and frame.
ByAxes = dict[str, dict[str, Callable[..., Array]]]


class FrameDynamics:
    """Quantities of a frame, which is given as the name of a link; twists are [linear; angular].

    The axes are one of Pinocchio's reference frames: LOCAL (origin and axes of the frame), WORLD
    (origin and axes of the base), LOCAL_WORLD_ALIGNED (origin of the frame, axes of the base). A
    quantity is compiled for each frame and axes when it is first asked for.

    Batches (N, n) are taken as by `RobotDynamics`. `joint_velocity`, `task_inertia` and
    `task_space` answer them with a tuple of N results; they and `payload_margin` compute one
    sample after the other.
    """

    model: RobotModel
    _call: CompiledQuantities
    _gravity: Array

    def __init__(self) -> None:
        """Start with no Jacobian compiled."""
        # Two plain dictionaries cost less on every call than one with tuples as keys.
        self._jacobians: ByAxes = {}
        self._jacobian_derivatives: ByAxes = {}

    def _compiled(
        self, compiled: ByAxes, quantity: str, frame: str, axes: str
    ) -> Callable[..., Array]:
        """The compiled quantity, remembered in `compiled` for the next call."""
        call = self._call[key_of(quantity, frame, axes)]
        compiled.setdefault(axes, {})[frame] = call
        return call

    def _of_frame(self, quantity: str, frame: str) -> Callable[..., Array]:
        """The compiled quantity of a frame that takes no axes."""
        try:
            return self._call[quantity, frame]
        except TypeError:
            # The frame is a list or the like. Checking first would slow down every call.
            checked_name('frame', frame)
            raise

    def frame_pose(
        self, q: npt.ArrayLike, frame: str, out: Array | None = None
    ) -> tuple[Array, Array]:
        """Rotation (3, 3) and origin (3,) [m] of a frame in the base.

        Args:
            q: (n,) positions [rad or m].
            frame: name of a link.
            out: (3, 4) to write into, the rotation and the origin beside it; the result is two
                views of it.
        """
        pose = self._of_frame('frame_pose', frame)(q, out)
        return pose[..., :3], pose[..., 3]

    def frame_poses(self, q: npt.ArrayLike, out: Array | None = None) -> Array:
        """[R | p] of every frame in the base, shape (frames, 3, 4) [m].

        The order is that of `model.frames`: `poses[i]` is the rotation of the link
        `model.frames[i].name`, and its origin in the last column.
        """
        return self._call['frame_poses'](q, out)

    def jacobian(
        self,
        q: npt.ArrayLike,
        frame: str,
        axes: Axes = 'LOCAL_WORLD_ALIGNED',
        out: Array | None = None,
    ) -> Array:
        """J(q), shape (6, n): the twist of the frame is J v, [linear; angular]."""
        try:
            call = self._jacobians[axes][frame]
        except (KeyError, TypeError):
            call = self._compiled(self._jacobians, 'jacobian', frame, axes)
        return call(q, out)

    def jacobian_derivative(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        frame: str,
        axes: Axes = 'LOCAL_WORLD_ALIGNED',
        out: Array | None = None,
    ) -> Array:
        """dJ/dt at q and v, shape (6, n): x_ddot = J a + J_dot v."""
        try:
            call = self._jacobian_derivatives[axes][frame]
        except (KeyError, TypeError):
            call = self._compiled(self._jacobian_derivatives, 'jacobian_derivative', frame, axes)
        return call(q, v, out)

    def external_torque(
        self, q: npt.ArrayLike, wrench: npt.ArrayLike, frame: str, out: Array | None = None
    ) -> Array:
        """tau_external = J^T wrench, shape (n,) [N m or N]: what a wrench on a frame does.

        M a + C v + g = tau + tau_external: subtract it from inverse_dynamics while the wrench
        acts. Signs are explained in docs/theory.md.

        Args:
            q: (n,) positions [rad or m].
            wrench: (6,) that acts on the robot: force [N], and moment about the origin of the
                frame [N m], in the axes of the base.
            frame: name of a link.
            out: (n,) to write into.
        """
        return self._of_frame('external_torque', frame)(q, wrench, out)

    def joint_velocity(
        self,
        q: npt.ArrayLike,
        twist: npt.ArrayLike,
        frame: str,
        axes: Axes = 'LOCAL_WORLD_ALIGNED',
        rows: Sequence[int] = ALL_ROWS,
    ) -> VelocitySolution | Any:
        """The joint velocities that give the frame a twist (m,), damped near singularities.

        Args:
            q: (n,) positions [rad or m].
            twist: (m,) wanted, one entry per row [m/s or rad/s].
            frame: name of a link.
            axes: of the twist.
            rows: entries of the twist that the task is about, such as (0, 1, 5) for an arm that
                moves in the x-y plane; the others may become anything.

        Raises:
            StateError: sizes or values are wrong, or there are no such rows.
        """
        chosen = checked_rows(rows)
        self._check_frame(frame, axes)
        entries = [SPATIAL_ENTRIES[row] for row in chosen]
        batch = for_each_sample(
            lambda q, twist: self.joint_velocity(q, twist, frame, axes, chosen),
            q=(q, self.model.joint_names),
            twist=(twist, entries),
        )
        if batch is not None:
            return batch
        asked = checked_vector('twist', twist, entries)
        jacobian = self._task_jacobian(q, frame, axes)
        return resolve_twist(jacobian, self.model.sliding, asked, chosen)

    def task_inertia(
        self,
        q: npt.ArrayLike,
        frame: str,
        axes: Axes = 'LOCAL_WORLD_ALIGNED',
        rows: Sequence[int] = ALL_ROWS,
        joints: Sequence[str] | None = None,
    ) -> TaskInertia | Any:
        """Lambda = (J M^-1 J^T)^-1 at a frame, and the directions in which it is singular.

        Args:
            q: (n,) positions of all independent joints [rad or m].
            frame: name of a link.
            axes: of the twist.
            rows: entries of the twist that the task is about, as for `task_space`.
            joints: that move, while the others are held; None: all.

        Raises:
            UnknownNameError: no independent joint has that name.
            ParameterError: `joints` is empty, or names one twice.
            StateError: sizes or values are wrong, or there are no such rows.
        """
        chosen = checked_rows(rows)
        moving = self.model.indices_of(self.model.joint_names if joints is None else joints)
        self._check_frame(frame, axes)
        batch = for_each_sample(
            lambda q: self.task_inertia(q, frame, axes, chosen, joints),
            q=(q, self.model.joint_names),
        )
        if batch is not None:
            return batch
        jacobian = self._task_jacobian(q, frame, axes)[np.ix_(chosen, moving)]
        M = self._task_mass_matrix(q)[np.ix_(moving, moving)]
        return task_inertia(jacobian, M, chosen)

    def task_space(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        frame: str,
        axes: Axes = 'LOCAL_WORLD_ALIGNED',
        rows: Sequence[int] = ALL_ROWS,
    ) -> TaskSpace | Any:
        """Inertia, Coriolis and gravity forces at a frame, and the consistent inverse of J.

        Args:
            q: (n,) positions [rad or m].
            v: (n,) velocities [rad/s or m/s].
            frame: name of a link.
            axes: of the twist.
            rows: entries of the twist that the task is about, such as (0, 1, 2) for the position.

        Raises:
            StateError: sizes or values are wrong, or there are no such rows.
        """
        chosen, rest = checked_rows(rows), np.zeros(self.model.size)
        self._check_frame(frame, axes)
        names = self.model.joint_names
        batch = for_each_sample(
            lambda q, v: self.task_space(q, v, frame, axes, chosen), q=(q, names), v=(v, names)
        )
        if batch is not None:
            return batch
        velocities = checked_vector('v', v, names)
        gravity, velocity, _ = self._call['torque_terms'](q, v, rest, self._gravity, None)
        return task_space(
            self._task_jacobian(q, frame, axes)[chosen],
            self.jacobian_derivative(q, v, frame, axes)[chosen],
            self._task_mass_matrix(q),
            velocity,
            gravity,
            velocities,
            chosen,
        )

    def payload_margin(self, q: npt.ArrayLike, frame: str) -> Any:
        """The largest point mass at the origin of a frame that the joints hold at rest [kg].

        With that mass one joint is at its effort limit, and none beyond it. The limits are those
        of the description; one that is not positive counts as none, as in `effort_bounds` of the
        model. Payloads of the model and its gravity are included. Motion, friction, and the
        centre of mass and inertia of a real payload are not: give a tool to `with_payload` first,
        and ask for a frame at the centre of mass of what it grips.

        Args:
            q: (n,) positions [rad or m].
            frame: name of a link.

        Returns:
            Infinite if no joint with an effort limit lifts the mass at q, as in zero gravity.
            Negative if the joints cannot hold the robot itself at q, and would if so much mass
            were taken off at the frame; -infinite if no mass there makes them hold it. A float;
            for a batch an array (N,).
        """
        self._check_frame(frame)
        batch = for_each_sample(
            lambda q: self.payload_margin(q, frame), q=(q, self.model.joint_names)
        )
        if batch is not None:
            return stacked(batch, ())
        per_mass = weight_torque(
            self._task_jacobian(q, frame, 'LOCAL_WORLD_ALIGNED'), self._gravity
        )
        held = self._call['gravity_torque'](q, self._gravity, None)
        return largest_mass(held, per_mass, self.model.effort_bounds)

    def _check_frame(self, frame: str, axes: str | None = None) -> None:
        """Whether there are such a frame and axes: nothing else asks in a batch without samples.

        Raises:
            UnknownNameError: no link has that name.
            ParameterError: there are no such axes, or one of the two is not a str.
        """
        key_of('jacobian', frame, axes)
        self.model.frame(frame)

    def _task_jacobian(self, q: npt.ArrayLike, frame: str, axes: Axes) -> Array:
        """J(q) (6, n) without rounding, so that what is singular can be told."""
        model = self.model if axes == 'WORLD' else self.model.at_origin
        return without_rounding(self.jacobian(q, frame, axes), model.reach)

    def _task_mass_matrix(self, q: npt.ArrayLike) -> Array:
        """M(q) (n, n) without rounding, so that what is singular can be told."""
        M = self._call['mass_matrix'](q, None)
        return without_rounding_noise(M, rounding_of_inertias(self.model, q))
