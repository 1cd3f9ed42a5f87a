"""`RobotDynamics`: the dynamics of one robot, compiled, with every input checked."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from .algorithms import coriolis, crba, rnea
from .checks import Array, checked_vector
from .codegen.kernel import Backend, Kernel, choose_backend
from .codegen.program import trace
from .errors import StateError, TopologyError, UnknownNameError
from .model import RobotModel

STANDARD_GRAVITY = (0.0, 0.0, -9.81)

# quantity -> the algorithm, and the vectors that it takes after the model.
QUANTITIES: dict[str, tuple[Callable[..., Any], tuple[str, ...]]] = {
    'inverse_dynamics': (rnea.inverse_dynamics, ('q', 'v', 'a', 'gravity')),
    'gravity_torque': (rnea.gravity_torque, ('q', 'gravity')),
    'bias_torque': (rnea.bias_torque, ('q', 'v', 'gravity')),
    'torque_terms': (rnea.torque_terms, ('q', 'v', 'a', 'gravity')),
    'mass_matrix': (crba.mass_matrix, ('q',)),
    'coriolis_matrix': (coriolis.coriolis_matrix, ('q', 'v')),
}


class RobotDynamics:
    """The dynamics of one robot, in SI units, in the order of `model.joint_names`.

    A quantity is compiled when it is first asked for (or by `compile`). Positions q, velocities v
    and accelerations a are vectors (n,): NumPy arrays, lists, or anything that converts. Every
    method takes `out`, a float64 array of the shape of the result, to write into; without it the
    result is a new array. Wrong sizes, types and non-finite values raise StateError.

    Attributes:
        model: the robot.
        backend: 'native' or 'python'.
        backend_description: one line that says which back end computes, and why.
    """

    def __init__(
        self,
        model: RobotModel,
        *,
        gravity: npt.ArrayLike = STANDARD_GRAVITY,
        backend: Backend | None = None,
    ) -> None:
        """Take a robot.

        Args:
            model: the robot.
            gravity: (3,) acceleration of free fall, in the base frame [m/s^2].
            backend: None for native code where llvmlite is installed, else plain Python.

        Raises:
            TopologyError: the robot has no moving joint.
            ParameterError: the back end does not exist or does not work here.
            StateError: gravity is not three finite numbers.
        """
        if not model.size:
            raise TopologyError(f'robot {model.name!r} has no moving joint: nothing to compute')
        self.model = model
        self.backend, self.backend_description = choose_backend(backend)
        self._gravity: Array = np.zeros(3)
        self.gravity = gravity
        self._call = _Calls(self)

    @property
    def gravity(self) -> Array:
        """(3,) acceleration of free fall, in the base frame [m/s^2]; set it at any time."""
        return self._gravity.copy()

    @gravity.setter
    def gravity(self, value: npt.ArrayLike) -> None:
        self._gravity[:] = checked_vector('gravity', value, ('x', 'y', 'z'))

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

    def compile(self, *quantities: str) -> None:
        """Compile these now, so that no later call has to.

        Raises:
            UnknownNameError: no method has that name.
        """
        for quantity in quantities:
            self._call[quantity]

    def bind(self, quantity: str, *inputs: Array, out: Array) -> Callable[[], None]:
        """A function that computes a quantity from these arrays into `out`, in place.

        It allocates and converts nothing: the path for a control loop. A value that is not finite
        when it is called raises StateError and leaves `out` as it was.

        Args:
            quantity: name of a method.
            inputs: the arguments of that method: contiguous float64 arrays (n,).
            out: contiguous float64 array of the shape of the result, apart from the inputs.

        Raises:
            UnknownNameError: no method has that name.
            StateError: an array cannot be used where it lies.
        """
        kernel = self._call.kernel(quantity)
        _, names = QUANTITIES[quantity]
        expected = [name for name in names if name != 'gravity']
        if len(inputs) != len(expected):
            raise StateError(
                f'bind: {quantity} takes {len(expected)} inputs ({", ".join(expected)}), '
                f'got {len(inputs)}'
            )
        gravity = [self._gravity] if 'gravity' in names else []
        return kernel.bind([*inputs, *gravity], out)


class _Calls(dict[str, Callable[..., Array]]):
    """The compiled quantities by name; one that is missing is compiled."""

    def __init__(self, dynamics: RobotDynamics) -> None:
        super().__init__()
        self._model = dynamics.model
        self._backend = dynamics.backend
        self._kernels: dict[str, Kernel] = {}

    def kernel(self, quantity: str) -> Kernel:
        self[quantity]
        return self._kernels[quantity]

    def __missing__(self, quantity: str) -> Callable[..., Array]:
        if quantity not in QUANTITIES:
            raise UnknownNameError('quantity', quantity, tuple(QUANTITIES))
        algorithm, names = QUANTITIES[quantity]
        labels = dict.fromkeys(names, self._model.joint_names)
        if 'gravity' in labels:
            labels['gravity'] = ('x', 'y', 'z')
        sizes = {name: len(labels[name]) for name in names}
        program = trace(quantity, partial(algorithm, self._model), sizes)
        self._kernels[quantity] = Kernel(program, labels, self._backend)
        self[quantity] = self._kernels[quantity].call
        return self[quantity]
