"""The external torque of each joint, by a momentum observer."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core.algorithms.observer import STATE
from robot_dynamics_ros.core.checks import Array, checked_vector
from robot_dynamics_ros.core.dynamics import RobotDynamics
from robot_dynamics_ros.core.errors import ParameterError, StateError
from robot_dynamics_ros.core.friction import JointFriction

# The mean of the efforts of two states, and the effort that was held between them.
SAMPLED, HELD = 0.5, 0.0
TORQUE = STATE.index('external torque')
# Lags after which r has reached 99.3 % of a constant torque.
SETTLED = 5.0


class ExternalForceObserver:
    """First-order momentum observer: r follows the external torque with a lag of 1 / (2 pi f).

    r is the torque that the surroundings exert, positive where it pushes the joint forward:
    M(q) a + C(q, v) v + g(q) + f(v) + offset = effort + r. It needs no acceleration and no
    inverse of M. See `core.algorithms.observer` for its equations and sources.

    What the model does not know, it takes for an external torque: a payload, wrong friction, a
    wrong gain of the efforts. A robot that is 2 % heavier than its model seems to be pushed with
    2 % of its torques.

    Attributes:
        dynamics: of the robot; see `use`.
        longest_interval: after a longer time without a state [s], r starts anew from zero: the
            motion between two states is taken as even. May be changed at any time.
    """

    def __init__(
        self,
        dynamics: RobotDynamics,
        bandwidth: npt.ArrayLike = 10.0,
        *,
        friction: JointFriction | None = None,
        offset: npt.ArrayLike | None = None,
        held: bool = False,
        longest_interval: float = 0.1,
    ) -> None:
        """Compile the step, if the dynamics have not yet.

        Args:
            dynamics: of the robot, with its payload.
            bandwidth: f of all joints, or (n,) of each [Hz].
            friction: of the joints; None for that of the URDF.
            offset: (n,) constant torque that the joints need beside the model [N m or N]; None
                for zero.
            held: whether the effort that a step gets was held since the step before, as a
                command is; else it was sampled with q and v, as a measured effort is.
            longest_interval: see the attribute.

        Raises:
            ParameterError: a bandwidth is not positive.
            StateError: `bandwidth` or `offset` has a wrong size, or is not finite.
        """
        self.longest_interval = longest_interval
        size = dynamics.model.size
        self._interval = np.array([0.0, HELD if held else SAMPLED])
        # See `STATE`; each step reads one of them, and writes the other.
        self._present, self._other = np.zeros((2, len(STATE), size))
        self._time = self._started = math.nan
        self.use(dynamics, friction=friction, offset=offset)
        self.bandwidth = bandwidth

    @property
    def bandwidth(self) -> Array:
        """(n,) f of each joint [Hz]; a change takes effect with the next step, without a jump."""
        return self._rates / (2.0 * math.pi)

    @bandwidth.setter
    def bandwidth(self, value: npt.ArrayLike) -> None:
        names = self.dynamics.model.joint_names
        given = [value] * len(names) if np.ndim(value) == 0 else value
        frequencies = checked_vector('bandwidth', given, names)
        for name, frequency in zip(names, frequencies.tolist(), strict=True):
            if frequency <= 0.0:
                raise ParameterError(
                    f'bandwidth of joint {name!r} is {frequency:g} Hz: it must be positive'
                )
        self._rates: Array = 2.0 * math.pi * frequencies

    @property
    def torque(self) -> Array:
        """A copy of r (n,) [N m or N]; zero before the first step."""
        return self._present[TORQUE].copy()

    @property
    def settled(self) -> bool:
        """Whether r has had the time of `SETTLED` lags since it started from zero."""
        return self._time - self._started >= SETTLED / float(self._rates.min())

    def use(
        self,
        dynamics: RobotDynamics,
        *,
        friction: JointFriction | None = None,
        offset: npt.ArrayLike | None = None,
    ) -> None:
        """Compute with another model of the same joints, or payload, without a step in r.

        The interval before the next step is left out.

        Args:
            dynamics: of the robot.
            friction: of the joints; None for that of the URDF.
            offset: (n,) constant torque that the joints need beside the model [N m or N]; None
                for zero.

        Raises:
            ParameterError: the robot has another number of joints.
            StateError: `offset` has a wrong size, or is not finite.
        """
        names = dynamics.model.joint_names
        size = self._present.shape[1]
        if len(names) != size:
            raise ParameterError(
                f'the robot has {len(names)} joints, the observer is of {size}: make another one'
            )
        given = [0.0] * len(names) if offset is None else offset
        checked = checked_vector('offset', given, names)
        dynamics.compile('observer_step')
        self.dynamics, self._step = dynamics, dynamics.observer_step
        self._friction = (friction or JointFriction(dynamics.model)).coefficients
        self._offset = checked
        self._time = math.nan

    def step(self, q: Array, v: Array, effort: Array, time: float) -> Array:
        """r (n,) at a state, in a new array [N m or N].

        The first step, and the one after `reset` and `use`, only begin the next interval. So does
        a state with a time before the last one, or more than `longest_interval` after it: r is
        zero then. A state with the same time as the last one is ignored.

        Args:
            q: (n,) positions [rad or m].
            v: (n,) velocities [rad/s or m/s].
            effort: (n,) of the drives [N m or N]. The r of a joint depends on its own effort
                alone: where one is not known, pass 0, and do not use that r.
            time: of the state [s], on any clock. A double of seconds since 1970 is rounded to
                2.4e-7 s, which is harmless: the error does not accumulate.

        Raises:
            StateError: a size is wrong, or a value is not finite; r stays as it was.
        """
        elapsed = time - self._time
        if not 0.0 < elapsed <= self.longest_interval:
            return self._begin(q, v, effort, time, elapsed)
        torque = self._advance(q, v, effort, elapsed)
        self._time = time
        return torque.copy()

    def reset(self) -> None:
        """Forget all states: r is zero, and starts from there with the next step, without a jump.

        For every discontinuity: the robot was moved while nothing was measured, the clock was
        set, another driver runs.
        """
        self._present.fill(0.0)
        self._time = self._started = math.nan

    def _advance(self, q: Array, v: Array, effort: Array, elapsed: float) -> Array:
        """Compute the next state; its row r (n,), which may be written."""
        before, after = self._present, self._other
        self._interval[0] = elapsed
        self._step(
            q, v, effort, self._friction, self._offset, self._rates, self._interval,
            before.reshape(-1), after,
        )  # fmt: skip
        self._present, self._other = after, before
        return after[TORQUE]

    def _begin(self, q: Array, v: Array, effort: Array, time: float, elapsed: float) -> Array:
        """Begin an interval at a state; r stays, or is zero where the state came too late."""
        if not math.isfinite(time):
            raise StateError(f'time is {time} s: it must be finite')
        if elapsed == 0.0:
            return self.torque
        broken = not math.isnan(elapsed)
        if broken:
            self._present.fill(0.0)
        kept = self.torque
        self._advance(q, v, effort, 0.0)[:] = kept
        if broken or math.isnan(self._started):
            self._started = time
        self._time = time
        return kept
