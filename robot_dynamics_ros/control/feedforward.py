"""The feedforward torque: selected terms of the dynamics, and the reference that they are at."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from robot_dynamics_ros.core.algorithms.friction import SLIPS
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.dynamics import RobotDynamics
from robot_dynamics_ros.core.errors import ParameterError, StateError
from robot_dynamics_ros.core.friction import JointFriction, dead_bands
from robot_dynamics_ros.core.model.robot import RobotModel

from .settings import FRICTION_SHARE

# The first rows of `RobotDynamics.feedforward_step`; friction with the constant offset.
TERMS = ('gravity', 'coriolis', 'inertial', 'friction')
# Friction is rarely known, and a wrong friction torque drives a joint: it must be selected.
DEFAULT_TERMS = TERMS[:3]
GRAVITY = TERMS.index('gravity')
FRICTION = TERMS.index('friction')
# Over which a joint at rest forgets how it has moved [s].
FORGETS = 0.1
# A motion in one direction without a reference lasts no longer [s]. Half of the 10 s within which
# an arm that was nudged rests, or friction is dropped: a joint may turn back once.
LONGEST_MOTION = 5.0
# Time between two looks at the velocities [s]: a look costs as much as the torque of an arm.
BETWEEN = 0.05


class FrictionWatch:
    """Drops friction where a joint moves on and on without a reference, until the arm has rested.

    A joint rests below `TURNING_BAND` or `SLIDING_BAND`. Whether what drives it is friction that
    is compensated too much, or a torque offset that is wrong, cannot be told, and need not be.

    Attributes:
        dropped: which joint has not come to rest, and how fast it is; empty where none is.
    """

    def __init__(self, model: RobotModel) -> None:
        self._model, self.dropped = model, ''
        self._bands = dead_bands(model)
        # Of each joint: -1, 0 at rest, or 1; and for how long [s].
        self._direction, self._since = np.zeros((2, model.size))
        # Since the last look [s].
        self._passed = 0.0

    def reset(self) -> None:
        """Begin at rest."""
        self.dropped, self._passed = '', 0.0
        self._since.fill(0.0)

    def update(self, v: Array, elapsed: float) -> None:
        """Take velocities (n,) [rad/s or m/s], the time since the last ones [s]."""
        self._passed += elapsed
        if self._passed < BETWEEN:
            return
        direction = np.sign(v) * (np.abs(v) > self._bands)
        if not direction.any():
            self.reset()
            return
        self._since = np.where(direction == self._direction, self._since + self._passed, 0.0)
        self._passed = 0.0
        self._direction = direction
        lasting = np.where(direction, self._since, 0.0)
        if not self.dropped and lasting.max() > LONGEST_MOTION:
            index = int(lasting.argmax())
            joint = self._model.independent_joints[index]
            unit = 'm/s' if joint.kind == 'prismatic' else 'rad/s'
            self.dropped = (
                f'{joint.name} has moved in one direction for {LONGEST_MOTION:g} s without a '
                f'reference, at {v[index]:.3g} {unit} now'
            )


class Feedforward:
    """Computes tau = M(q) a + C(q, v) v + g(q) + f + b, for some joints of a robot.

    The term friction is f + b: the friction, and a constant torque of each joint. Data of a
    moving arm cannot tell b from friction that differs between the directions. At rest f is zero
    and b is not. The states of f advance along the velocity of the evaluation, from a rest on. A
    joint that rests forgets them: the noise of a measured velocity would push it.

    At the velocity of a reference f is exact. At a measured velocity it is motion fed back: f is
    what `JointFriction.fed_back` leaves, and where motion does not decay without a reference, the
    term is dropped until the arm has rested. In both cases the speed of f is held inside
    `JointFriction.speed_range`.

    Joints that are not commanded have their measured position, zero velocity and zero
    acceleration. A call allocates no arrays for results: they are filled in place.

    Attributes:
        dynamics: of the robot.
        joints: names of the commanded joints, k of them.
        indices: (k,) indices of these among the independent joints of the model.
        selected_terms: names of the terms that are summed.
        offset: (k,) b of the commanded joints [N m or N]; may be replaced at any time.
        q: (n,) positions of the last evaluation [rad or m].
        v: (n,) velocities of the last evaluation [rad/s or m/s].
        a: (n,) accelerations of the last evaluation [rad/s^2 or m/s^2].
        rows: (6, n) result of `RobotDynamics.feedforward_step` there [N m or N].
        parts: (4, k) terms of the commanded joints, in the order of `TERMS` [N m or N].
        effort: (k,) sum of the selected terms [N m or N].
        watch: of motion without a reference; `watch.dropped` says why friction is zero.
    """

    def __init__(
        self,
        dynamics: RobotDynamics,
        joints: Sequence[str] = (),
        *,
        terms: Sequence[str] = DEFAULT_TERMS,
        friction: JointFriction | None = None,
        offset: Array | None = None,
    ) -> None:
        """Select joints and terms, and allocate the results.

        Args:
            dynamics: of the robot.
            joints: names of the joints to command, in this order; all if empty.
            terms: names of the terms to sum, of `TERMS`.
            friction: of the joints; None for that of the URDF.
            offset: (k,) constant torque of the commanded joints [N m or N]; None for zero.

        Raises:
            UnknownNameError: no independent joint has that name.
            ParameterError: a joint or term is named twice, or a term does not exist.
        """
        model = dynamics.model
        self.joints = tuple(joints) or model.joint_names
        check_choices('joints', self.joints)
        self.indices = np.array([model.index_of(name) for name in self.joints])
        self.select_terms(terms)
        self.friction = friction or JointFriction(model)
        self.watch = FrictionWatch(model)
        self._exact = self.friction.coefficients
        self._coefficients = self._exact.copy()
        self.feed_back(FRICTION_SHARE)
        self.offset = np.zeros(len(self.joints)) if offset is None else offset
        self.q, self.v, self.a = np.zeros((3, model.size))
        self._speed, self._travel, self._rest = np.zeros((3, model.size))
        self.rows = np.zeros((len(TERMS) + SLIPS, model.size))
        self._slips = np.zeros(SLIPS * model.size)
        self._bands = dead_bands(model)
        self.parts = np.zeros((len(TERMS), len(self.joints)))
        self.effort = np.zeros(len(self.joints))
        self.use(dynamics)

    def use(self, dynamics: RobotDynamics) -> None:
        """Compute with these dynamics from now on: of the same joints, with another payload."""
        self.dynamics = dynamics
        self._step = dynamics.bind(
            'feedforward_step', self.q, self.v, self.a, self._speed, self._travel,
            self._coefficients, self._slips, out=self.rows,
        )  # fmt: skip

    def forget(self) -> None:
        """Begin at rest: what follows is another motion than what was before."""
        self._slips.fill(0.0)
        self.watch.reset()

    def feed_back(self, share: float) -> None:
        """Compensate this share of the friction at a measured velocity, from the next call on."""
        self._fed_back = self.friction.fed_back(share)

    def select_terms(self, terms: Sequence[str]) -> None:
        """Sum these terms, of `TERMS`, from the next call on.

        Raises:
            ParameterError: a term is named twice or does not exist.
        """
        check_choices('terms', terms, TERMS)
        self.selected_terms = tuple(terms)
        self._weights = np.array([float(term in terms) for term in TERMS])

    def compute(
        self, q: Array, v: Array, reference: Array | None = None, *, elapsed: float = 0.0
    ) -> None:
        """Compute the torque, in `parts` and `effort`.

        Args:
            q: (n,) measured positions of all independent joints [rad or m].
            v: (n,) measured velocities [rad/s or m/s].
            reference: (3, k) rows q, v, a of the commanded joints; None for the measured state.
            elapsed: time since the evaluation before [s]; 0 where there is none.

        Raises:
            StateError: a value is not finite, and `parts` and `effort` stay; or the torque is not
                finite.
        """
        commanded = self.indices
        self.q[:] = q
        if reference is not None:
            self.q[commanded], self.v[commanded] = reference[0], reference[1]
        else:
            self.v[commanded] = v[commanded]
        self.a[commanded] = 0.0 if reference is None else reference[2]
        np.multiply(self.v, elapsed, out=self._travel)
        fastest = self.friction.speed_range
        # Two calls of a ufunc: np.clip takes three times as long for so few numbers.
        np.minimum(self.v, fastest, out=self._speed)
        np.maximum(self._speed, -fastest, out=self._speed)
        self._coefficients[:] = self._fed_back if reference is None else self._exact
        self._step()
        kept = np.where(np.abs(self.v) < self._bands, math.exp(-elapsed / FORGETS), 1.0)
        np.multiply(kept, self.rows[len(TERMS) :], out=self._slips.reshape(SLIPS, -1))
        np.take(self.rows[: len(TERMS)], commanded, axis=1, out=self.parts)
        self.parts[FRICTION] += self.offset
        if self._weights[FRICTION]:
            if reference is None:
                self.watch.update(self.v, elapsed)
            else:
                self.watch.reset()
            if self.watch.dropped:
                self.parts[FRICTION] = 0.0
        np.dot(self._weights, self.parts, out=self.effort)
        if not np.isfinite(self.effort).all():
            raise StateError('the torque is not finite at this state and reference')

    def hold(self, q: Array) -> None:
        """Compute the torque that holds the robot at rest, in `parts` and `effort`, at q (n,).

        That is the gravity torque if gravity is selected, and the offset if friction is.
        """
        self.forget()
        self.compute(q, self._rest)

    def relax(self) -> None:
        """Zero torque, in `parts` and `effort`."""
        self.forget()
        self.parts.fill(0.0)
        self.effort.fill(0.0)


def check_choices(name: str, chosen: Sequence[str], allowed: Sequence[str] | None = None) -> None:
    """Check that each choice of a parameter is one of those allowed, if any, and named once.

    Raises:
        ParameterError: one is not.
    """
    for choice in chosen:
        if allowed is not None and choice not in allowed:
            known = ', '.join(allowed)
            raise ParameterError(f'{name}: {choice!r} is unknown, allowed are {known}')
        if list(chosen).count(choice) > 1:
            raise ParameterError(f'{name}: {choice!r} is named twice')
