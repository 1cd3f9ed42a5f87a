"""Written by scripts/stubs.py."""

from numpy.typing import ArrayLike

from .algorithms.kinematics import Axes
from .checks import Array

class QuantityMethods:
    def inverse_dynamics(
        self, q: ArrayLike, v: ArrayLike, a: ArrayLike, out: Array | None = None
    ) -> Array:
        """tau = M(q) a + C(q, v) v + g(q), shape (n,) [N m or N]."""
    def passivity_torque(
        self,
        q: ArrayLike,
        v: ArrayLike,
        v_reference: ArrayLike,
        a_reference: ArrayLike,
        out: Array | None = None,
    ) -> Array:
        """M(q) a_reference + C(q, v) v_reference + g(q), shape (n,) [N m or N]."""
    def gravity_torque(self, q: ArrayLike, out: Array | None = None) -> Array:
        """g(q), the torque that holds the robot still, shape (n,) [N m or N]."""
    def bias_torque(self, q: ArrayLike, v: ArrayLike, out: Array | None = None) -> Array:
        """C(q, v) v + g(q), the torque that gives no acceleration, shape (n,) [N m or N]."""
    def torque_terms(
        self, q: ArrayLike, v: ArrayLike, a: ArrayLike, out: Array | None = None
    ) -> Array:
        """Rows g(q), C(q, v) v and M(q) a, whose sum is tau, shape (3, n) [N m or N]."""
    def mass_matrix(self, q: ArrayLike, out: Array | None = None) -> Array:
        """M(q), full and symmetric, shape (n, n) [kg m^2, kg m or kg]."""
    def mass_matrix_inverse(self, q: ArrayLike, out: Array | None = None) -> Array:
        """M(q)^-1, full and symmetric, shape (n, n) [1/(kg m^2), 1/(kg m) or 1/kg]."""
    def largest_inertias(self, q: ArrayLike, out: Array | None = None) -> Array:
        """Upper bounds of the diagonal of M(q) without armature, shape (n,) [kg m^2 or kg]."""
    def coriolis_matrix(self, q: ArrayLike, v: ArrayLike, out: Array | None = None) -> Array:
        """C(q, v): dM/dt - 2 C is skew-symmetric, shape (n, n) [kg m^2/s, kg m/s or kg/s]."""
    def momentum_terms(self, q: ArrayLike, v: ArrayLike, out: Array | None = None) -> Array:
        """Rows p = M(q) v and C(q, v)^T v, shape (2, n) [N m s or N s; N m or N]."""
    def observer_step(
        self,
        q: ArrayLike,
        v: ArrayLike,
        effort: ArrayLike,
        friction: ArrayLike,
        offset: ArrayLike,
        rates: ArrayLike,
        interval: ArrayLike,
        previous: ArrayLike,
        out: Array | None = None,
    ) -> Array:
        """One step of the momentum observer of external torques, shape (5, n) [N m or N; N m s; N m]."""
    def forward_dynamics(
        self, q: ArrayLike, v: ArrayLike, tau: ArrayLike, out: Array | None = None
    ) -> Array:
        """The acceleration a that the torques tau give, shape (n,) [rad/s^2 or m/s^2]."""
    def inverse_dynamics_derivatives(
        self, q: ArrayLike, v: ArrayLike, a: ArrayLike, out: Array | None = None
    ) -> Array:
        """dtau/dq, dtau/dv and dtau/da = M, shape (3, n, n) [unit of tau per unit of q, v and a]."""
    def forward_dynamics_derivatives(
        self, q: ArrayLike, v: ArrayLike, tau: ArrayLike, out: Array | None = None
    ) -> Array:
        """da/dq, da/dv and da/dtau = M^-1, shape (3, n, n) [unit of a per unit of q, v and tau]."""
    def regressor(
        self, q: ArrayLike, v: ArrayLike, a: ArrayLike, out: Array | None = None
    ) -> Array:
        """Y with tau = Y pi, without armature, shape (n, 10 bodies) [N m or N per unit of pi]."""
    def center_of_mass(self, q: ArrayLike, out: Array | None = None) -> Array:
        """c, the centre of mass of the moving bodies, in the base, shape (3,) [m]."""
    def center_of_mass_jacobian(self, q: ArrayLike, out: Array | None = None) -> Array:
        """J(q) with dc/dt = J v of the centre of mass c, in base axes, shape (3, n) [m or 1]."""
    def momentum(self, q: ArrayLike, v: ArrayLike, out: Array | None = None) -> Array:
        """Momentum [linear; angular] about the base origin, in base axes, shape (6,) [N s; N m s]."""
    def kinetic_energy(
        self, q: ArrayLike, v: ArrayLike, out: Array | None = None
    ) -> float | Array:
        """v^T M(q) v / 2 of the moving bodies, a number [J]."""
    def potential_energy(self, q: ArrayLike, out: Array | None = None) -> float | Array:
        """U with dU/dq = g(q), zero for mass at the base origin, a number [J]."""
    def frame_pose(
        self, q: ArrayLike, frame: str, out: Array | None = None
    ) -> tuple[Array, Array]:
        """[R | p] of a frame, rotation and origin in the base, shape (3, 4) [1; m]."""
    def frame_poses(self, q: ArrayLike, out: Array | None = None) -> Array:
        """[R | p] of every frame, rotation and origin in the base, shape (frames, 3, 4) [1; m]."""
    def jacobian(
        self,
        q: ArrayLike,
        frame: str,
        axes: Axes = 'LOCAL_WORLD_ALIGNED',
        out: Array | None = None,
    ) -> Array:
        """J(q): the twist [linear; angular] of a frame is J v, shape (6, n) [m or 1; 1 or 0]."""
    def jacobian_derivative(
        self,
        q: ArrayLike,
        v: ArrayLike,
        frame: str,
        axes: Axes = 'LOCAL_WORLD_ALIGNED',
        out: Array | None = None,
    ) -> Array:
        """dJ/dt at q and v, shape (6, n) [m/s; 1/s]."""
    def frame_velocity(
        self,
        q: ArrayLike,
        v: ArrayLike,
        frame: str,
        axes: Axes = 'LOCAL_WORLD_ALIGNED',
        out: Array | None = None,
    ) -> Array:
        """J v, the twist [linear; angular] of a frame, shape (6,) [m/s; rad/s]."""
    def frame_acceleration(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        frame: str,
        axes: Axes = 'LOCAL_WORLD_ALIGNED',
        out: Array | None = None,
    ) -> Array:
        """J a + dJ/dt v, the derivative of frame_velocity, shape (6,) [m/s^2; rad/s^2]."""
    def external_torque(
        self, q: ArrayLike, wrench: ArrayLike, frame: str, out: Array | None = None
    ) -> Array:
        """tau_external = J^T wrench: M a + C v + g = tau + tau_external, shape (n,) [N m or N]."""
    def friction_step(
        self,
        v: ArrayLike,
        load: ArrayLike,
        travel: ArrayLike,
        friction: ArrayLike,
        slip: ArrayLike,
        out: Array | None = None,
    ) -> Array:
        """The torque that overcomes friction, and two states, shape (3, n) [N m or N; 1]."""
    def feedforward_step(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        speed: ArrayLike,
        travel: ArrayLike,
        friction: ArrayLike,
        slip: ArrayLike,
        out: Array | None = None,
    ) -> Array:
        """Rows g(q), C(q, v) v, M(q) a, friction, and the states of friction, shape (6, n) [N m or N; 1]."""
