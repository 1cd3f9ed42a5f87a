"""`RobotDynamics`: the dynamics of one robot, compiled, with every input checked once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import numpy.typing as npt

from .algorithms.kinematics import Axes
from .body_sums import BodySums
from .checks import Array, checked_gravity, checked_vector
from .codegen.kernel import Backend, choose_backend
from .codegen.threads import checked_threads
from .errors import ParameterError, StateError, TopologyError
from .frame_dynamics import FrameDynamics
from .model.gravity import STANDARD_GRAVITY
from .model.robot import RobotModel
from .quantities import EVERY_QUANTITY, CompiledQuantities, Key, key_of
from .task.held_joints import acceleration_of_moving_joints


class RobotDynamics(FrameDynamics, BodySums):
    """The dynamics of one robot, in SI units, in the order of `model.joint_names`.

    A quantity is compiled when it is first asked for (or by `compile`). Positions q, velocities v
    and accelerations a are vectors (n,): NumPy arrays, lists, or anything that converts. Every
    method takes `out`, a float64 array of the shape of the result, to write into; without it the
    result is a new array. Wrong sizes, types and non-finite values raise StateError.

    For a batch of N samples pass (N, n) arrays: every shape of a result begins with N then. A
    vector (n,) beside them holds for all samples. See docs/batches.md.

    Put the base frame near the robot: `coriolis_matrix`, the derivatives of inverse and forward
    dynamics and `kinetic_energy` sum moments about its origin, and lose digits with the square of
    the distance d [m] between the two. With m the mass [kg] of all moving bodies and w the sum of
    the joint rates, the error of C is at most about 2e-16 m d^2 w. An arm of 20 kg keeps 12 digits
    of C at 10 m, 8 at 1 km and 6 at 10 km. Torques, mass matrix, its inverse, forward dynamics,
    regressor and the Jacobian of the centre of mass are computed in the frames of the bodies, and
    lose none.

    Attributes:
        model: the robot.
        backend: 'native' or 'python'.
        backend_description: one line that says which back end computes, and why.
        threads: that may compute a batch.
    """

    def __init__(
        self,
        model: RobotModel,
        *,
        gravity: npt.ArrayLike = STANDARD_GRAVITY,
        backend: Backend | None = None,
        threads: int | None = None,
    ) -> None:
        """Choose the back end; nothing is compiled yet.

        Args:
            model: the robot.
            gravity: (3,) acceleration of free fall, in the base frame [m/s^2].
            backend: None for native code where llvmlite is installed, else plain Python.
            threads: that may compute a batch; None for one for each core that the process may
                use. Small batches use one. The results do not depend on it.

        Raises:
            TopologyError: the robot has no moving joint.
            ParameterError: the back end does not exist or does not work here, `threads` is not a
                whole number from 1 on, or the model is not a RobotModel.
            StateError: gravity is not three finite numbers, or above 100 m/s^2.
        """
        if not isinstance(model, RobotModel):
            raise ParameterError(
                f'model is a {type(model).__name__}: a RobotModel is needed, from parse_urdf'
            )
        if not model.size:
            raise TopologyError(f'robot {model.name!r} has no moving joint: nothing to compute')
        super().__init__()
        self.model = model
        self.backend, self.backend_description = choose_backend(backend)
        self._wanted_backend = backend
        self._wanted_threads = threads
        self._gravity: Array = np.zeros(3)
        self.gravity = gravity
        self.threads = checked_threads(threads)
        self._call = CompiledQuantities(model, self.backend, self.threads)

    def __reduce__(self) -> tuple[Callable[..., RobotDynamics], tuple[RobotModel]]:
        """For pickle and deepcopy: the copy compiles anew, compiled code belongs to a process."""
        rebuild = partial(
            type(self),
            gravity=self.gravity,
            backend=self._wanted_backend,
            threads=self._wanted_threads,
        )
        return rebuild, (self.model,)

    def __copy__(self) -> RobotDynamics:
        return self.with_gravity(self._gravity)

    @property
    def gravity(self) -> Array:
        """(3,) acceleration of free fall, in the base frame [m/s^2], read-only.

        Change it by assignment of a whole vector, at any time: `dynamics.gravity = (0, 0, -9.81)`.
        """
        gravity = self._gravity.copy()
        # `dynamics.gravity[2] = 0` would change this copy alone: it raises ValueError instead.
        gravity.flags.writeable = False
        return gravity

    @gravity.setter
    def gravity(self, value: npt.ArrayLike) -> None:
        self._gravity[:] = checked_gravity(value)

    def with_gravity(self, gravity: npt.ArrayLike) -> RobotDynamics:
        """The same robot under another gravity (3,) [m/s^2]; shares the compiled programs.

        For a base mounted at an angle see `mounted_gravity`.

        Raises:
            StateError: gravity is not three finite numbers, or above 100 m/s^2.
        """
        other = object.__new__(type(self))
        vars(other).update(vars(self))
        other._gravity = checked_gravity(gravity)
        return other

    def inverse_dynamics(
        self, q: npt.ArrayLike, v: npt.ArrayLike, a: npt.ArrayLike, out: Array | None = None
    ) -> Array:
        """tau = M(q) a + C(q, v) v + g(q), shape (n,) [N m or N]."""
        return self._call['inverse_dynamics'](q, v, a, self._gravity, out)

    def gravity_torque(self, q: npt.ArrayLike, out: Array | None = None) -> Array:
        """g(q), shape (n,) [N m or N]: the torque that holds the robot still."""
        return self._call['gravity_torque'](q, self._gravity, out)

    def bias_torque(self, q: npt.ArrayLike, v: npt.ArrayLike, out: Array | None = None) -> Array:
        """C(q, v) v + g(q), shape (n,) [N m or N]: the torque that gives no acceleration."""
        return self._call['bias_torque'](q, v, self._gravity, out)

    def torque_terms(
        self, q: npt.ArrayLike, v: npt.ArrayLike, a: npt.ArrayLike, out: Array | None = None
    ) -> Array:
        """Rows g(q), C(q, v) v and M(q) a, shape (3, n) [N m or N]: what inverse_dynamics sums."""
        return self._call['torque_terms'](q, v, a, self._gravity, out)

    def mass_matrix(self, q: npt.ArrayLike, out: Array | None = None) -> Array:
        """M(q), shape (n, n) [kg m^2, kg m or kg], full and symmetric."""
        return self._call['mass_matrix'](q, out)

    def coriolis_matrix(
        self, q: npt.ArrayLike, v: npt.ArrayLike, out: Array | None = None
    ) -> Array:
        """C(q, v), shape (n, n), by Christoffel symbols: M_dot - 2 C is skew-symmetric."""
        return self._call['coriolis_matrix'](q, v, out)

    def forward_dynamics(
        self, q: npt.ArrayLike, v: npt.ArrayLike, tau: npt.ArrayLike, out: Array | None = None
    ) -> Array:
        """The acceleration a (n,) that the torques give [rad/s^2 or m/s^2].

        Raises:
            InertiaError: a joint moves no mass at any q, so that any acceleration would do.
            StateError: M(q) is singular at this q; the message names the joint.
        """
        return self._call['forward_dynamics'](q, v, tau, self._gravity, out)

    def forward_dynamics_holding(
        self,
        joints: Sequence[str],
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        tau: npt.ArrayLike,
    ) -> Array:
        """The acceleration (k,) of some joints while the others are held [rad/s^2 or m/s^2].

        M_mm a_m = tau_m - (C v + g)_m, with m the joints that move: the acceleration of the others
        is zero, so that their columns of M drop out. Equivalent to the `forward_dynamics` of the
        robot reduced to these joints, but nothing is compiled for a choice of joints.

        Args:
            joints: that move, k of them.
            q: (n,) positions of all independent joints [rad or m].
            v: (k,) velocities of the joints that move [rad/s or m/s].
            tau: (k,) their torques [N m or N].

        Raises:
            UnknownNameError: no independent joint has that name.
            ParameterError: `joints` is empty, or names one twice.
            StateError: sizes or values are wrong.
            InertiaError: the mass matrix is singular here.
        """
        moving = self.model.indices_of(joints)
        velocity = np.zeros(self.model.size)
        velocity[moving] = checked_vector('v', v, joints)
        torque = checked_vector('tau', tau, joints) - self.bias_torque(q, velocity)[moving]
        M = self._task_mass_matrix(q)[np.ix_(moving, moving)]
        return acceleration_of_moving_joints(M, torque, joints)

    def mass_matrix_inverse(self, q: npt.ArrayLike, out: Array | None = None) -> Array:
        """M(q)^-1, shape (n, n), full and symmetric; singular as for `forward_dynamics`."""
        return self._call['mass_matrix_inverse'](q, out)

    def inverse_dynamics_derivatives(
        self, q: npt.ArrayLike, v: npt.ArrayLike, a: npt.ArrayLike, out: Array | None = None
    ) -> Array:
        """dtau/dq, dtau/dv and dtau/da = M of inverse_dynamics, shape (3, n, n), exact."""
        return self._call['inverse_dynamics_derivatives'](q, v, a, self._gravity, out)

    def forward_dynamics_derivatives(
        self, q: npt.ArrayLike, v: npt.ArrayLike, tau: npt.ArrayLike, out: Array | None = None
    ) -> Array:
        """da/dq, da/dv and da/dtau = M^-1 of forward_dynamics, shape (3, n, n), exact.

        Singular as for `forward_dynamics`.
        """
        return self._call['forward_dynamics_derivatives'](q, v, tau, self._gravity, out)

    def regressor(
        self, q: npt.ArrayLike, v: npt.ArrayLike, a: npt.ArrayLike, out: Array | None = None
    ) -> Array:
        """Y with inverse_dynamics = Y inertial_parameters() without armature, (n, 10 bodies)."""
        return self._call['regressor'](q, v, a, self._gravity, out)

    def inertial_parameters(self) -> Array:
        """The vector (10 bodies,) of `RobotModel.inertial_parameters`."""
        return self.model.inertial_parameters()

    def compile(self, *quantities: Key) -> None:
        """Compile quantities now, so that their first call is as fast as the others.

        Args:
            quantities: names of methods; for a quantity of a frame a tuple,
                `('jacobian', frame)` or `('jacobian', frame, axes)`.

        Raises:
            UnknownNameError: no method, or no link, has that name.
            ParameterError: as for `bind`.
        """
        for quantity in quantities:
            names = quantity if isinstance(quantity, tuple) else (quantity,)
            if not 1 <= len(names) <= 3:
                raise ParameterError(f'{names} is not (quantity, frame, axes)')
            self._call[key_of(*names)]

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
        read-only since, and leaves `out` as it was.

        Args:
            quantity: name of a method.
            inputs: the arguments of that method: contiguous float64 arrays (n,).
            out: contiguous float64 array of the shape of the result, which shares no memory with
                the inputs; for frame_pose (3, 4), the rotation and the origin beside it.
            frame: name of a link, for the quantities of a frame.
            axes: of a Jacobian; LOCAL_WORLD_ALIGNED if not given.

        Raises:
            UnknownNameError: no method, or no link, has that name.
            ParameterError: a frame is missing, the quantity takes no frame or no axes, or there
                are no such axes.
            StateError: an array would have to be converted or copied.
        """
        kernel = self._call.kernel(key_of(quantity, frame, axes))
        _, names = EVERY_QUANTITY[quantity]
        expected = [name for name in names if name != 'gravity']
        if len(inputs) != len(expected):
            raise StateError(
                f'bind: {quantity} takes {len(expected)} inputs ({", ".join(expected)}), '
                f'got {len(inputs)}'
            )
        gravity = [self._gravity] if 'gravity' in names else []
        return kernel.bind([*inputs, *gravity], out)
