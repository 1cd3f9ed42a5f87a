"""`RobotDynamics`: the dynamics of one robot, compiled, with every input checked once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from . import task
from .algorithms.crba import SMALLEST_PIVOT
from .algorithms.kinematics import Axes
from .checks import Array, check_one_state, checked_gravity, checked_name, checked_vector
from .compiler.kernel import Backend, choose_backend
from .compiler.threads import checked_threads
from .definiteness import without_rounding_noise
from .errors import ParameterError, StateError
from .model.gravity import STANDARD_GRAVITY
from .model.robot import RobotModel, checked_model
from .programs import Programs
from .quantity import PROGRAMS, Key, key_of
from .quantity_methods import QuantityMethods
from .spatial import ZERO, ZERO_MATRIX, Matrix, Vector
from .task import ALL_ROWS, SPATIAL_ENTRIES, TaskInertia, TaskSpace, VelocitySolution

# Calls by quantity, axes (None for a quantity without) and frame.
Framed = dict[str, dict[str | None, dict[str, Callable[..., Array]]]]


class RobotDynamics(QuantityMethods):
    """The dynamics of one robot, in SI units, in the order of `model.joint_names`.

    A quantity is compiled when it is asked for more than 20 times, for a batch, with `out`, or by
    `compile` and `bind`; before, it is evaluated. Positions q, velocities v
    and accelerations a are vectors (n,): NumPy arrays, lists, or anything that converts. Methods
    with `out` take a float64 array of the shape of the result, to write into; without it the
    result is a new array. Wrong sizes, types and non-finite values raise StateError.

    For a batch of N samples pass (N, n) arrays to these: every shape of a result begins with N
    then. A vector (n,) beside them holds for all samples. See docs/batches.md.

    A frame is given by its name. Twists and wrenches are [linear; angular], in one of Pinocchio's
    reference frames: LOCAL (origin and axes of the frame), WORLD (origin and axes of the base),
    LOCAL_WORLD_ALIGNED (origin of the frame, axes of the base). A quantity is compiled for each
    frame and axes.

    Attributes:
        model: the robot.
        backend: 'native' or 'python'.
        backend_description: one line that says which back end computes, and why.
        threads: that may compute a batch.
        payload_frame: link on whose body payloads are inputs of the compiled programs; None for
            none.
    """

    def __init__(
        self,
        model: RobotModel,
        *,
        gravity: ArrayLike = STANDARD_GRAVITY,
        backend: Backend | None = None,
        threads: int | None = None,
        payload_frame: str | None = None,
    ) -> None:
        """Choose the back end; nothing is compiled yet.

        Args:
            model: the robot.
            gravity: (3,) in the base frame [m/s^2].
            backend: None for native code where llvmlite is installed, else plain Python. With a
                name, or with a payload frame, the first call compiles.
            threads: that may compute a batch; None for one for each core that the process may
                use. Small batches use one. The results do not depend on it.
            payload_frame: name of a link. Payloads on it, and on what is fixed to it, become
                inputs of the compiled programs: `with_payload` and `without_payload` then compile
                nothing. Calls take about 5 % longer.

        Raises:
            UnknownNameError: no link has the name `payload_frame`.
            TopologyError: the robot has no moving joint.
            ParameterError: the back end does not exist or does not work here, `threads` is not a
                whole number from 1 on, the model is not a RobotModel, or the link `payload_frame`
                does not move.
            StateError: gravity is not three finite numbers, or above 100 m/s^2.
        """
        self.model = checked_model(model)
        self.backend, self.backend_description = choose_backend(backend)
        self._wanted = backend, threads
        self._gravity = checked_gravity(gravity)
        self.threads = checked_threads(threads)
        self.payload_frame = payload_frame
        self._call = Programs(
            model, self.backend, self.threads, payload_frame,
            patient=backend is None and payload_frame is None,
        )  # fmt: skip
        # Each method of a frame looks its call up itself, in plain dictionaries: a function of its
        # own for it, or tuples as keys, make a call a third longer.
        self._framed: Framed = {}
        self._rest = np.zeros(model.size)

    def __reduce__(self) -> tuple[Callable[..., RobotDynamics], tuple[RobotModel]]:
        """For pickle and deepcopy: the copy compiles anew, compiled code belongs to a process."""
        backend, threads = self._wanted
        rebuild = partial(
            type(self),
            gravity=self.gravity,
            backend=backend,
            threads=threads,
            payload_frame=self.payload_frame,
        )
        return rebuild, (self.model,)

    def __copy__(self) -> RobotDynamics:
        return self.with_gravity(self._gravity)

    @property
    def gravity(self) -> Array:
        """(3,) in the base frame [m/s^2], read-only.

        Change it by assignment of a whole vector, at any time: `dynamics.gravity = (0, 0, -9.81)`.
        """
        gravity = self._gravity.copy()
        # `dynamics.gravity[2] = 0` would change this copy alone: it raises ValueError instead.
        gravity.flags.writeable = False
        return gravity

    @gravity.setter
    def gravity(self, value: ArrayLike) -> None:
        self._gravity[:] = checked_gravity(value)

    def with_gravity(self, gravity: ArrayLike) -> RobotDynamics:
        """The same robot under another gravity (3,) [m/s^2]; shares the compiled programs.

        For a base mounted at an angle see `mounted_gravity`.

        Raises:
            StateError: gravity is not three finite numbers, or above 100 m/s^2.
        """
        other = object.__new__(type(self))
        vars(other).update(vars(self))
        other._gravity = checked_gravity(gravity)
        return other

    def with_model(self, model: RobotModel) -> RobotDynamics:
        """Another model with the same gravity and settings.

        Where only payloads on the body of `payload_frame` differ, it shares the compiled programs;
        else it compiles its own when they are asked for.

        Raises:
            UnknownNameError: no link has the name `payload_frame`.
            TopologyError: the robot has no moving joint.
            ParameterError: it is not a RobotModel, or the link `payload_frame` does not move.
        """
        other = self.with_gravity(self._gravity)
        other.model = checked_model(model)
        other._call, other._framed = self._call.of(model), {}
        other._rest = np.zeros(model.size)
        return other

    def with_payload(
        self,
        frame: str,
        mass: float,
        com: Vector = ZERO,
        inertia: Matrix = ZERO_MATRIX,
        *,
        name: str = 'payload',
        strict: bool = False,
    ) -> RobotDynamics:
        """The robot with a body fixed to a link, see `RobotModel.with_payload` and `with_model`.

        Args:
            frame: name of the link.
            mass: [kg].
            com: (3,) centre of mass in the link frame [m].
            inertia: (3, 3) about the centre of mass, in the axes of the link [kg m^2].
            name: of the payload; one of the same name is replaced.
            strict: whether a doubtful payload is refused; else it gives a UserWarning.

        Raises:
            UnknownNameError: the link does not exist.
            ParameterError: the link does not move, or no real body has such an inertia; with
                `strict`, the payload is probably given in a wrong unit.
        """
        loaded = self.model.with_payload(frame, mass, com, inertia, name=name, strict=strict)
        return self.with_model(loaded)

    def without_payload(self, name: str = 'payload') -> RobotDynamics:
        """The same robot without the payload of that name; see `with_payload`.

        Where the programs are shared, results are those before the payload, to the last bit.

        Raises:
            UnknownNameError: no payload has that name.
        """
        return self.with_model(self.model.without_payload(name))

    def takes_payload_on(self, frame: str) -> bool:
        """Whether a payload on a link is an input, so that attaching it compiles nothing.

        Raises:
            UnknownNameError: no link has that name.
        """
        body = self.model.frame(frame).body
        given = self.payload_frame
        return given is not None and body == self.model.frame(given).body

    def compile(self, *quantities: Key) -> None:
        """Compile quantities now, so that their first call is as fast as the others.

        Args:
            quantities: names of methods; for a quantity of a frame a tuple,
                `('jacobian', frame)` or `('jacobian', frame, axes)`.

        Raises:
            UnknownNameError: no method, or no link, has that name.
            ParameterError: as for `bind`.
            NativeCodeError: native code computes other values than plain Python.
        """
        for quantity in quantities:
            names = quantity if isinstance(quantity, tuple) else (quantity,)
            if not 1 <= len(names) <= 3:
                raise ParameterError(f'{names} is not (quantity, frame, axes)')
            self._call.compiled(key_of(*names))

    def bind(
        self,
        quantity: str,
        *inputs: Array,
        out: Array,
        frame: str | None = None,
        axes: Axes | None = None,
    ) -> Callable[[], None]:
        """A function that computes a quantity from these arrays into `out`, in place.

        The function allocates and converts nothing: use it in a control loop. It raises StateError
        for a value that is not finite, and for an array that has been resized, reshaped or made
        read-only since. It leaves `out` as it was then; of a batch, rows other than the one that
        is named may have been written.

        With rows (N, n) it computes a batch, and costs as much as a call.

        Args:
            quantity: name of a method.
            inputs: the arguments of that method: contiguous float64 arrays, (n,) or (N, n).
            out: contiguous float64 array of the shape of the result, which shares no memory with
                the inputs; for frame_pose (3, 4), the rotation and the origin beside it.
                Its shape begins with N if an input has rows.
            frame: name of a link, for the quantities of a frame.
            axes: of a twist; LOCAL_WORLD_ALIGNED if not given.

        Raises:
            UnknownNameError: no method, or no link, has that name.
            ParameterError: a frame is missing, the quantity takes no frame or no axes, or there
                are no such axes.
            StateError: an array would have to be converted or copied.
        """
        key, record = key_of(quantity, frame, axes), PROGRAMS[quantity]
        if len(inputs) != len(record.arguments):
            raise StateError(
                f'bind: {quantity} takes {len(record.arguments)} inputs '
                f'({", ".join(record.arguments)}), got {len(inputs)}'
            )
        gravity = [self._gravity] if 'gravity' in record.inputs else []
        return self._call.bind(key, [*inputs, *gravity], out)

    def inertial_parameters(self) -> Array:
        """The vector (10 bodies,) of `RobotModel.inertial_parameters`."""
        return self.model.inertial_parameters()

    # What takes one state: several programs, and linear algebra that copes with singularities.

    def forward_dynamics_holding(
        self, joints: Sequence[str], q: ArrayLike, v: ArrayLike, tau: ArrayLike
    ) -> Array:
        """The acceleration (k,) of some joints while the others are held [rad/s^2 or m/s^2].

        M_mm a_m = tau_m - (C v + g)_m, with m the joints that move: the acceleration of the others
        is zero, so that their columns of M drop out. Equivalent to the `forward_dynamics` of the
        robot reduced to these joints, but nothing is compiled for a choice of joints. It takes one
        state.

        Args:
            joints: that move, k of them.
            q: (n,) positions of all independent joints [rad or m].
            v: (k,) velocities of the joints that move [rad/s or m/s].
            tau: (k,) their torques [N m or N].

        Raises:
            UnknownNameError: no independent joint has that name.
            ParameterError: `joints` is empty, or names one twice.
            StateError: sizes or values are wrong.
            SingularMassMatrixError: the mass matrix of these joints is singular.
        """
        check_one_state('forward_dynamics_holding', q=q, v=v, tau=tau)
        moving = self.model.indices_of(joints)
        velocity = np.zeros(self.model.size)
        velocity[moving] = checked_vector('v', v, joints)
        torque = checked_vector('tau', tau, joints) - self.bias_torque(q, velocity)[moving]
        M = self._mass_matrix_without_rounding(q)[np.ix_(moving, moving)]
        return task.acceleration_of_moving_joints(M, torque, joints)

    def joint_velocity(
        self,
        q: ArrayLike,
        twist: ArrayLike,
        frame: str,
        axes: Axes = 'LOCAL_WORLD_ALIGNED',
        rows: Sequence[int] = ALL_ROWS,
    ) -> VelocitySolution:
        """The joint velocities that give the frame a twist (m,), damped near singularities.

        It takes one state.

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
        check_one_state('joint_velocity', q=q, twist=twist)
        chosen = task.checked_rows(rows)
        asked = checked_vector('twist', twist, [SPATIAL_ENTRIES[row] for row in chosen])
        J = task.without_rounding(self.jacobian(q, frame, axes), self._reach(axes))
        return task.resolve_twist(J, self.model.sliding, asked, chosen)

    def task_inertia(
        self,
        q: ArrayLike,
        frame: str,
        axes: Axes = 'LOCAL_WORLD_ALIGNED',
        rows: Sequence[int] = ALL_ROWS,
        joints: Sequence[str] | None = None,
    ) -> TaskInertia:
        """Lambda = (J M^-1 J^T)^-1 at a frame, and the directions in which it is singular.

        It takes one state.

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
        check_one_state('task_inertia', q=q)
        chosen = task.checked_rows(rows)
        moving = self.model.indices_of(self.model.joint_names if joints is None else joints)
        J = task.without_rounding(self.jacobian(q, frame, axes), self._reach(axes))
        M = self._mass_matrix_without_rounding(q)
        return task.task_inertia(J[np.ix_(chosen, moving)], M[np.ix_(moving, moving)], chosen)

    def task_space(
        self,
        q: ArrayLike,
        v: ArrayLike,
        frame: str,
        axes: Axes = 'LOCAL_WORLD_ALIGNED',
        rows: Sequence[int] = ALL_ROWS,
    ) -> TaskSpace:
        """Inertia, Coriolis and gravity forces at a frame, and the consistent inverse of J.

        It takes one state.

        Args:
            q: (n,) positions [rad or m].
            v: (n,) velocities [rad/s or m/s].
            frame: name of a link.
            axes: of the twist.
            rows: entries of the twist that the task is about, such as (0, 1, 2) for the position.

        Raises:
            StateError: sizes or values are wrong, or there are no such rows.
        """
        check_one_state('task_space', q=q, v=v)
        chosen = task.checked_rows(rows)
        M = self._mass_matrix_without_rounding(q)
        terms = self._call['torque_terms'](q, v, self._rest, self._gravity, None)
        J = task.without_rounding(self.jacobian(q, frame, axes), self._reach(axes))
        drift = self.frame_acceleration(q, v, self._rest, frame, axes)
        places = list(chosen)
        return task.task_space(J[places], drift[places], M, terms[:2], chosen)

    def payload_margin(self, q: ArrayLike, frame: str) -> float | Array:
        """The largest point mass at the origin of a frame that the joints hold at rest [kg].

        With that mass one joint is at its effort limit, and none beyond it. The limits are those
        of the description; one that is not positive counts as none, as in `effort_bounds` of the
        model. Payloads of the model and its gravity are included. Motion, friction, and the
        centre of mass and inertia of a real payload are not: give a tool to `with_payload` first,
        and ask for a frame at the centre of mass of what it grips.

        Args:
            q: (n,) positions [rad or m]; or a batch (N, n).
            frame: name of a link.

        Returns:
            Infinite if no joint with an effort limit lifts the mass at q, as in zero gravity.
            Negative if the joints cannot hold the robot itself at q, and would if so much mass
            were taken off at the frame; -infinite if no mass there makes them hold it. A float;
            for a batch an array (N,).
        """
        J = task.without_rounding(self.jacobian(q, frame), self._reach('LOCAL_WORLD_ALIGNED'))
        margin = task.largest_mass(
            self.gravity_torque(q), task.weight_torque(J, self._gravity), self.model.effort_bounds
        )
        return margin if margin.ndim else float(margin)

    def _compiled(
        self, quantity: str, frame: str, axes: str | None = None
    ) -> Callable[..., Array]:
        """The compiled quantity of a frame, remembered for the next call."""
        key = PROGRAMS[quantity].key(checked_name('frame', frame), axes)
        call = self._call[key]
        if key in self._call:
            self._framed.setdefault(quantity, {}).setdefault(axes, {})[frame] = call
        return call

    def _mass_matrix_without_rounding(self, q: ArrayLike) -> Array:
        """M(q) (n, n) with zeros for joints that move no mass, so that they can be told."""
        noise = SMALLEST_PIVOT * self._call['largest_inertias'](q, None)
        return without_rounding_noise(self._call['mass_matrix'](q, None), noise)

    def _reach(self, axes: Axes) -> float:
        """How far the origin of a frame can be from that of the twist's axes [m]."""
        return (self.model if axes == 'WORLD' else self.model.at_origin).reach
