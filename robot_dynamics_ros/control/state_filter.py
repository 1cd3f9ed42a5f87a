"""The newest measurement of each joint, or the reason why a joint state is refused."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import StateError
from robot_dynamics_ros.core.model.robot import RobotModel
from robot_dynamics_ros.core.model.sampling import position_range

from .settings import OTHER_JOINTS

# A joint without a velocity limit may cover its range in this time [s].
RANGE_TIME = 1.0
# The jump tolerance of a joint: what it covers in this time [s], at its velocity limit, or at one
# that would take it through its range in `RANGE_TIME` where that is less.
JUMP_TIME = 0.05
# A velocity is refused beyond this multiple of its limit [-], and beyond this where there is none.
FASTEST, IMPOSSIBLE = 10.0, 1e9
# Cutoff of the estimated velocity of joints whose velocity is not measured [Hz].
VELOCITY_CUTOFF = 20.0
# A joint this far outside its position limits is reported [rad or m]: a wrong offset or a soft
# limit gives less, degrees sent as radians give more.
LIMIT_MARGIN = 0.5
# Stamps that lie farther apart, three years, are of two clocks: since 1970, and since the machine
# started, as where some states have no stamp [s].
MAX_PAUSE = 1e8
# So many joints far outside their limits cannot be a wrong limit in the description.
SEVERAL = 2


class VelocityEstimate:
    """Low-pass filtered derivative of positions that may be measured at different times.

    With q_k measured dt after q_(k-1):
    v_k = v_(k-1) + (1 - exp(-2 pi f dt)) ((q_k - q_(k-1)) / dt - v_(k-1)). It lags behind the true
    velocity by about 1 / (2 pi f). A high cutoff passes the steps of the encoder on: a resolution
    of dq gives steps of up to 2 pi f dq.

    Attributes:
        v: (n,) the estimate [rad/s or m/s]; zero before the second position.
        turns: (n,) which joints are continuous.
    """

    def __init__(self, model: RobotModel, cutoff: float = VELOCITY_CUTOFF) -> None:
        """Without a position yet; those of continuous joints may be wrapped. Cutoff: f [Hz]."""
        self._rate = 2.0 * math.pi * cutoff
        self.turns = np.array([joint.kind == 'continuous' for joint in model.independent_joints])
        self.v, self._q = np.zeros((2, model.size))
        self._times = np.full(model.size, -math.inf)

    def reset(self, joints: npt.NDArray[np.bool_] | slice = slice(None)) -> None:
        """Return to zero, without positions to compare with; these joints only (n,)."""
        self.v[joints] = 0.0
        self._times[joints] = -math.inf

    def update(self, time: float, q: Array) -> Array:
        """Take positions, and return the new estimate (n,).

        Args:
            time: of the measurement [s]; positions that are not newer than the last are ignored.
            q: (n,) what was measured [rad or m]; NaN for what was not.
        """
        elapsed = time - self._times
        newer = (elapsed > 0.0) & ~np.isnan(q)
        usable = newer & (elapsed < math.inf)
        if usable.any():
            step = q - self._q
            turned = np.remainder(step + math.pi, 2.0 * math.pi) - math.pi
            step = np.where(self.turns, turned, step)[usable]
            durations, present = elapsed[usable], self.v[usable]
            weight = -np.expm1(-self._rate * durations)
            self.v[usable] = present + weight * (step / durations - present)
        np.copyto(self._q, q, where=newer)
        np.copyto(self._times, time, where=newer)
        return self.v


class PositionLimits:
    """Finds the joints of a robot that are far outside their position limits.

    Continuous joints, and joints whose lower limit is not below the upper one, have none.
    """

    def __init__(self, model: RobotModel) -> None:
        self._names = model.joint_names
        limits = [
            (joint.limits.lower, joint.limits.upper)
            if joint.kind != 'continuous' and joint.limits.lower < joint.limits.upper
            else (-math.inf, math.inf)
            for joint in model.independent_joints
        ]
        self._lower, self._upper = np.array(limits).reshape(-1, 2).T

    def phrase(self, q: Array, least: int = 1) -> str:
        """For a message: these joints, with limits; empty if there are fewer than `least`.

        Positions q (n,) [rad or m] may be NaN.
        """
        below, above = q < self._lower - LIMIT_MARGIN, q > self._upper + LIMIT_MARGIN
        beyond = np.flatnonzero(below | above)
        each = (
            f'{self._names[index]} is at {q[index]:.4g}, allowed are {self._lower[index]:.4g} to '
            f'{self._upper[index]:.4g}'
            for index in beyond
        )
        return ', '.join(each) if len(beyond) >= least else ''

    def question(self, q: Array) -> str:
        """What to ask where several joints are far outside (q as in `phrase`); else empty."""
        phrase = self.phrase(q, SEVERAL)
        return phrase and f'{phrase}: is the unit rad (or m), not degrees (or mm)?'


@dataclass(frozen=True, eq=False)
class JointReach:
    """How far joints can move from one state to the next: at `speeds`, and by `tolerances` more.

    Attributes:
        unlimited: (n,) which joints have no velocity limit: a measured velocity may be larger.
        speeds: (n,) velocity limits; without one, through the range of the joint in `RANGE_TIME`
            [rad/s or m/s].
        tolerances: (n,) the jump tolerances [rad or m].
        fastest: (n,) larger velocities are no measurements [rad/s or m/s].
    """

    unlimited: npt.NDArray[np.bool_]
    speeds: Array
    tolerances: Array
    fastest: Array

    @classmethod
    def of(cls, model: RobotModel) -> JointReach:
        """That of the independent joints of a model."""
        ranges = [np.ptp(position_range(joint)) for joint in model.independent_joints]
        usual, unlimited = np.array(ranges) / RANGE_TIME, model.velocity_bounds >= IMPOSSIBLE
        speeds = np.where(unlimited, usual, model.velocity_bounds)
        fastest = np.where(unlimited, IMPOSSIBLE, FASTEST * speeds)
        return cls(unlimited, speeds, JUMP_TIME * np.minimum(speeds, usual), fastest)


class StateFilter:
    """Keeps the last good measurement of each joint.

    A state holds any of the joints, and each has a time of its own. A joint is compared with its
    own last measurement, since stamps of two drivers may run backwards relative to each other. A
    state is refused where a stamp runs backwards, a position is out of reach, or a velocity
    exceeds `FASTEST` times its limit (`IMPOSSIBLE` without one): a joint that falls or is pushed
    may exceed its limit, but not by so much. The next state is compared with the last one, also
    where that was refused. So only one state is refused where the robot really is elsewhere, or
    its clock really was set back.

    Within reach is what the joint covers at its velocity limit since the last state, and the jump
    tolerance. Without a limit its speed counts, that of the last good state or of this one; where
    no velocity says more, its range in `RANGE_TIME`.

    Joints that are measured for the first time, or have moved by more than their jump tolerance,
    are refused for as long as several of them are far outside their position limits, and their
    states are not compared with: after a pause the velocity limits explain any step, also that
    from radians to degrees.

    Attributes:
        q: (n,) positions [rad or m]; zero where none was measured yet.
        v: (n,) velocities [rad/s or m/s]; those that are not measured are estimated.
        times: (n,) when each joint was measured [s], on the clock of the node; -inf for never. A
            measurement that repeats the stamp of the one before does not change it.
        repeated: (n,) when a state came last that repeats the stamp of a joint [s].
        time: the earliest of the `times` of the commanded joints.
        counts: (n,) how often each joint was measured, with newer stamps.
        timeouts: (n,) the age at which a measurement of each joint is too old [s]: the state
            timeout, and `OTHER_JOINTS` times that for joints that are not commanded.
        deadlines: (n,) until when the measurement of each joint is fresh [s]; -inf for never.
        derived: (n,) whose velocity is derived from positions.
        limits: of the positions.
        jump: for the log: that the last state accepted a position after a jump; else empty.
    """

    def __init__(self, model: RobotModel, commanded: npt.NDArray[np.intp], timeout: float) -> None:
        """Without a state yet; indices (k,) of the commanded joints, state timeout [s]."""
        size = model.size
        self.q, self.v = np.zeros((2, size))
        self.times, self.repeated, self.deadlines = np.full((3, size), -math.inf)
        self.counts = np.zeros(size, dtype=np.int64)
        self.derived = np.zeros(size, dtype=bool)
        self._commanded = commanded
        self._others = np.ones(size, dtype=bool)
        self._others[commanded] = False
        self._any_others = bool(self._others.any())
        self.use_timeout(timeout)
        self.jump = ''
        self._velocity = VelocityEstimate(model)
        self._names, self.limits = model.joint_names, PositionLimits(model)
        self._reach = JointReach.of(model)
        self.jump_tolerances = self._reach.tolerances
        # The last plausible state of each joint, also if it was refused: position, and stamp [s].
        self._seen_q = np.zeros(size)
        self._stamps = np.full(size, -math.inf)
        # (n,) which joints have been plausible, and have not moved far from one state to the next
        # since; of which a state was refused since their last good one.
        self._plausible, self._refused = np.zeros((2, size), dtype=bool)

    @property
    def complete(self) -> bool:
        """Whether each joint has been measured."""
        return self._deadline > -math.inf

    @property
    def missing(self) -> npt.NDArray[np.bool_]:
        """(n,) which joints have never been measured."""
        return np.isinf(self.deadlines)

    def use_timeout(self, timeout: float) -> None:
        """Use another state timeout [s]: a longer one from the next measurement of a joint on.

        What was measured before is never fresh for longer: a stale state does not become a good
        one.
        """
        self.timeouts = np.full(self.times.size, OTHER_JOINTS * timeout)
        self.timeouts[self._commanded] = timeout
        np.minimum(self.deadlines, self.times + self.timeouts, out=self.deadlines)
        self._set_deadline()

    def fresh(self, now: float) -> bool:
        """Whether each commanded joint was measured, and not too long ago [s].

        Each other joint must have been measured once.
        """
        return now <= self._deadline

    def set_clock(self, step: float) -> None:
        """The clock has been set, by this step [s]: ages stay, stamps are compared with none."""
        self._stamps.fill(-math.inf)
        self._velocity.reset()
        for times in (self.times, self.repeated, self.deadlines):
            times += step
        self._set_deadline()

    def update(self, stamp: float, q: Array, v: Array | None, now: float) -> bool:
        """Take a state.

        Args:
            stamp: of the state [s], on any clock.
            q: (n,) positions [rad or m]; NaN for joints that the state does not hold.
            v: (n,) velocities [rad/s or m/s], NaN where they were not measured; None if none was.
            now: [s], on the clock of the node.

        Returns:
            Whether the robot moved by more than the jump tolerances while states were refused.

        Raises:
            StateError: it is refused; the last good state stays.
        """
        held = ~np.isnan(q)
        try:
            newer = self._check(stamp, q, v, held)
        except StateError:
            self._velocity.reset(held)
            self._refused |= held
            raise
        moved = bool(self._refused.any()) and self._has_jumped(
            np.where(self._refused, q, math.nan)
        )
        if not moved:
            self.jump = ''
        self._refused &= ~held
        missing = held if v is None else held & np.isnan(v)
        np.copyto(self.derived, missing, where=held)
        velocities = self.v if v is None else v
        if missing.any():
            velocities = np.where(missing, self._velocity.update(stamp, q), velocities)
        np.copyto(self.q, q, where=held)
        np.copyto(self.v, velocities, where=held)
        # A new array: readers keep the one before, and compare.
        self.counts = self.counts + newer
        np.copyto(self.times, now, where=newer)
        np.copyto(self.deadlines, now + self.timeouts, where=newer)
        np.copyto(self.repeated, now, where=held & ~newer)
        if self._any_others:
            self.v[self._others & (now > self.deadlines)] = 0.0
        self._set_deadline()
        return moved

    def _set_deadline(self) -> None:
        self.time = float(self.times[self._commanded].min())
        complete = not self._any_others or self.deadlines.min() > -math.inf
        self._deadline = float(self.deadlines[self._commanded].min()) if complete else -math.inf

    def _has_jumped(self, q: Array) -> bool:
        """Whether a position is beyond the jump tolerance; `jump` then says where."""
        steps = np.abs(q - self.q)
        jumped = np.flatnonzero(steps > self.jump_tolerances)
        each = (f'position of {self._names[i]!r} jumped by {steps[i]:.3g}' for i in jumped)
        self.jump = f'{", ".join(each)} [rad or m] and stayed: accepted'
        return bool(jumped.size)

    def _check(
        self, stamp: float, q: Array, v: Array | None, held: npt.NDArray[np.bool_]
    ) -> npt.NDArray[np.bool_]:
        """Compare a state with the last one of each joint; (n,) which have a newer stamp."""
        elapsed, step = stamp - self._stamps, np.abs(q - self._seen_q)
        if (far := step > self.jump_tolerances).any():
            turned = step % (2.0 * math.pi)
            # Some drivers wrap the angle of a continuous joint.
            step = np.where(self._velocity.turns, np.minimum(turned, 2.0 * math.pi - turned), step)
            far = step > self.jump_tolerances
            self._plausible &= ~far
        if not self._plausible.all():
            if question := self.limits.question(np.where(self._plausible, math.nan, q)):
                raise StateError(question)
            self._plausible |= held
        np.copyto(self._seen_q, q, where=held)
        np.copyto(self._stamps, stamp, where=held)
        # No comparison with NaN holds: what was not measured is not newer, and jumps nowhere.
        elapsed[~held] = math.nan
        if v is not None and (fast := np.abs(v) > self._reach.fastest).any():
            worst = int(fast.argmax())
            raise StateError(
                f'velocity of {self._names[worst]!r} is {v[worst]:.4g}, allowed is up to '
                f'{self._reach.fastest[worst]:.4g}: {FASTEST:g} times its limit, or without one '
                f'{IMPOSSIBLE:g}'
            )
        if (elapsed < 0.0).any():
            worst = int(np.nanargmin(elapsed))
            raise StateError(
                f'the stamp is {-elapsed[worst]:.6g} s before that of the state before '
                f'({self._names[worst]})'
            )
        if far.any():
            self._check_steps(step, elapsed, v)
        return np.asarray(elapsed > 0.0)

    def _check_steps(self, step: Array, elapsed: Array, v: Array | None) -> None:
        """Refuse steps that neither the velocity limits nor the velocities explain."""
        fastest = np.fmax(np.abs(self.v), 0.0 if v is None else np.abs(v))
        speeds = np.where(
            self._reach.unlimited, np.maximum(self._reach.speeds, fastest), self._reach.speeds
        )
        two_clocks = (elapsed > MAX_PAUSE) & (elapsed < math.inf)
        allowed = speeds * np.where(two_clocks, 0.0, elapsed) + self.jump_tolerances
        if (step > allowed).any():
            worst = int(np.nanargmax(step - allowed))
            raise StateError(
                f'position of {self._names[worst]!r} jumps by {step[worst]:.3g} in '
                f'{elapsed[worst]:.3g} s, its velocity and range allow {allowed[worst]:.3g}'
            )
