"""The external torques of a robot that is commanded: from its joint states to contacts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.dynamics import RobotDynamics
from robot_dynamics_ros.core.errors import StateError
from robot_dynamics_ros.core.friction import JointFriction

from ..driver_effort import MEANINGS, SLOWEST, EffortFit, effort_of, link_torque
from ..settings import UNKNOWN_LIMIT, DriverEffort
from ..torque_text import torque_text, units_of
from .contact import Contact
from .drive_torques import NO_STATE, DriveTorques, GivenState
from .momentum_observer import ExternalForceObserver
from .thresholds import ContactThresholds
from .wrench import WrenchEstimator

# Why there is no estimate, where that ends by itself; so does NO_STATE.
SETTLING = 'the estimate has just begun'
# What the log and the diagnostics need not warn of.
PASSING = (NO_STATE, SETTLING)
# Time over which residuals are averaged for a tare [s].
AVERAGED = 0.5
# Shares of the effort limit of a joint [-]: the largest residual that may be taken off, which is
# 20 N at the tip of a stretched UR5, and how far one may be from the mean meanwhile.
LARGEST, STEADY = 0.1, 0.05


class Tare:
    """The mean of the residual of a while, which is the error of one model at one pose.

    It belongs to the model, the payload and the gravity that it was measured with: with others,
    nothing is taken off.

    Attributes:
        torque: (k,) what is taken off [N m or N].
        dropped: what was changed since then, so that nothing is taken off any more; else empty.
        averaging: whether a new mean is being measured.
    """

    def __init__(self, joints: Sequence[str], units: Sequence[str]) -> None:
        """Nothing is taken off of these joints (k), whose torques have the units 'N m' or 'N'."""
        self._joints, self._units = tuple(joints), tuple(units)
        self.torque, self.dropped, self.averaging = np.zeros(len(self._joints)), '', False
        # Of the mean that is being measured: times, residuals and speeds, and what was touched.
        self._times: list[float] = []
        self._states: list[Array] = []
        self._touched = ''

    @property
    def complete(self) -> bool:
        """Whether the mean is one of `AVERAGED` seconds."""
        times = self._times
        return self.averaging and len(times) > 1 and times[-1] - times[0] >= AVERAGED

    def begin(self, limits: Array) -> None:
        """Measure the mean of the residuals that come; effort limits (k,) may be infinite.

        Raises:
            StateError: that goes on already.
        """
        if self.averaging:
            raise StateError('another call of ~/zero_external is being answered: call again')
        self._limits = np.where(np.isfinite(limits), limits, UNKNOWN_LIMIT)
        self.averaging, self._times, self._states, self._touched = True, [], [], ''

    def stop(self) -> None:
        """Measure no mean any more: what comes is not of the same kind."""
        self.averaging = False

    def step(self, r: Array, v: Array, time: float, touched: str) -> None:
        """Take a residual, while a mean is measured.

        Args:
            r: (k,) residual, nothing taken off [N m or N].
            v: (k,) velocities [rad/s or m/s].
            time: of both [s].
            touched: what touches the arm, as a phrase; empty for nothing.
        """
        self._times.append(time)
        self._states.append(np.array([r, np.abs(v)]))
        self._touched = self._touched or touched

    def take_off(self) -> None:
        """Take the mean off from now on, in place of what was taken off before.

        Raises:
            StateError: the mean is not complete, the arm moved, or something touches it.
        """
        if not self.complete:
            raise StateError('the estimate of external torques was interrupted: call again')
        self.stop()
        residuals, speeds = np.array(self._states).swapaxes(0, 1)
        mean, fastest = residuals.mean(axis=0), speeds.max(axis=0)
        if (fastest > SLOWEST).any():
            i = int(fastest.argmax())
            unit = 'm/s' if self._units[i] == 'N' else 'rad/s'
            raise StateError(
                f'the arm moves: {self._joints[i]} at {fastest[i]:.3g} {unit}, allowed are '
                f'{SLOWEST:g}'
            )
        if self._touched:
            raise StateError(
                f'{self._touched}: nothing may touch the arm; if nothing does, its model is wrong '
                'by more than the thresholds: remove these and call again'
            )
        self._limit('varies by', np.abs(residuals - mean).max(axis=0), STEADY)
        self._limit('is', np.abs(mean), LARGEST)
        self.torque, self.dropped = mean, ''

    def drop(self, changed: str) -> None:
        """Take nothing off any more: it was measured with something else than what `changed`."""
        self.stop()
        if self.torque.any():
            self.torque, self.dropped = np.zeros_like(self.torque), changed

    def _limit(self, what: str, torques: Array, share: float) -> None:
        """Refuse torques (k,) above a share of the effort limits."""
        allowed = share * self._limits
        if (torques > allowed).any():
            i = int((torques > allowed).argmax())
            found, most = (torque_text(each[i], self._units[i]) for each in (torques, allowed))
            raise StateError(
                f'the external torque of {self._joints[i]} {what} {found}, allowed are {most}: '
                'something touches the arm, or a payload is not set'
            )


@dataclass(frozen=True)
class ExternalSettings:
    """Settings of the estimate and of the contact detection; each may change at any time.

    Attributes:
        external_observer: whether external torques are estimated.
        external_bandwidth: of the observer, one for each commanded joint [Hz].
        external_frame: link of the wrench; empty for that at the tip of the commanded joints.
        thresholds: of contacts, of the commanded joints; None: nothing is detected.
        driver_effort: what the efforts are, see `driver_effort`.
    """

    external_observer: bool = False
    external_bandwidth: tuple[float, ...] = (20.0,)
    external_frame: str = ''
    thresholds: ContactThresholds | None = None
    driver_effort: DriverEffort = 'torque'


class ExternalForceEstimate:
    """External torques of the commanded joints, or the reason why there are none.

    A number is given only where it means something: velocities and efforts are measured, the
    observer has settled after the last discontinuity, and the efforts do not contradict
    `driver_effort`.

    Attributes:
        torque: (k,) the estimate, less what is taken off [N m or N]; valid while `reason` is
            empty.
        reason: why there is no estimate, as a phrase; empty if there is.
        stamp: of the last step [s]; NaN before the first one.
        settings: of the estimate.
        contact: what touches the robot.
        drives: the states that the observer is given.
        tare: what is taken off.
    """

    def __init__(
        self,
        dynamics: RobotDynamics,
        joints: Sequence[str],
        settings: ExternalSettings,
        *,
        friction: JointFriction,
        offset: Array,
    ) -> None:
        """Compile what is needed, if it is not yet; no state so far.

        Args:
            dynamics: of the robot.
            joints: names of the commanded joints, k of them.
            settings: with one bandwidth for each of these.
            friction: of all joints.
            offset: (k,) constant torque that the joints need beside the model [N m or N].

        Raises:
            UnknownNameError: there is no link `external_frame`.
        """
        model = dynamics.model
        self._joints, self._dynamics = tuple(joints), dynamics
        self._indices: npt.NDArray[np.intp] = np.array(model.indices_of(joints))
        self.settings, self._friction = settings, friction
        self._offset = self._all(offset, 0.0)
        self._gravity: Array = dynamics.gravity.copy()
        self.reason, self.stamp = NO_STATE, math.nan
        self.torque = np.zeros(len(self._joints))
        limits = model.effort_bounds[self._indices]
        self.tare = Tare(self._joints, units_of(model, self._joints))
        self.contact = Contact(model, self._joints, self._indices, self._thresholds())
        self.drives = DriveTorques(model, self._joints, self._indices)
        self._check = EffortFit(limits, settings.driver_effort)
        self._wrench = self._wrench_estimator()
        self._observer = ExternalForceObserver(
            dynamics, self._bandwidth(), friction=friction, offset=self._offset
        )

    @property
    def frame(self) -> str:
        """The link of the wrench."""
        return self._wrench.frame

    def wrench(self, torque: Array | None = None) -> Array:
        """The wrench (6,) on the link `frame`, at its origin and in its axes, at the last state.

        It explains the torque (k,) [N m or N]; None for the estimate.
        """
        given = self.torque if torque is None else torque
        return self._wrench.estimate(self.drives.q, self._all(given, 0.0)).wrench

    def contact_direction(self) -> Array:
        """Direction (3,) of the force on the touched link, see `Contact.direction`."""
        return self.contact.direction(self.drives.q, self.torque)

    def touch(self) -> str:
        """What touches the robot, with the torques, as a phrase; empty for nothing."""
        return self.contact.sentence(self.torque)

    def take_off(self) -> None:
        """Take the mean that the tare has measured off the estimates from now on.

        Raises:
            StateError: it must not be taken off, see `Tare.take_off`.
        """
        self.tare.take_off()
        # Else the step of the estimates would be a contact.
        self.contact.reset()

    def apply(self, settings: ExternalSettings) -> None:
        """Use other settings from the next state on; the gravity of the dynamics may be another.

        Raises:
            UnknownNameError: there is no link `external_frame`.
        """
        if not np.array_equal(self._gravity, self._dynamics.gravity):
            self._drop_tare('gravity')
        self._gravity = self._dynamics.gravity.copy()
        before, self.settings = self.settings, settings
        if settings.external_frame != before.external_frame:
            self._wrench = self._wrench_estimator()
        if settings.external_bandwidth != before.external_bandwidth:
            self.tare.stop()
            self._observer.bandwidth = self._bandwidth()
        if settings.driver_effort != before.driver_effort:
            self._check.use(settings.driver_effort)
            self._drop_tare('driver_effort')
            self.reset()
        self.contact.use(self._thresholds())

    def use(self, dynamics: RobotDynamics) -> None:
        """Compute with another payload from the next state on, without a step in the estimate."""
        self._drop_tare('the payload')
        self._dynamics = dynamics
        self._wrench = self._wrench_estimator()
        self._observer.use(dynamics, friction=self._friction, offset=self._offset)
        self.apply(self.settings)

    def reset(self) -> None:
        """Begin anew, after a discontinuity of the states; what is known of the efforts stays."""
        self.drives.reset()
        self.withhold(SETTLING)
        self.contact.reset()

    def withhold(self, reason: str) -> None:
        """Give no estimate, for a reason; the observer begins anew with the next usable state."""
        self._observer.reset()
        self._check.reset()
        self.stamp = math.nan
        self._silence(reason)

    def update(
        self, stamp: float, q: Array, v: Array, given: GivenState, *, longest_interval: float
    ) -> None:
        """Take a joint state that was accepted; a step is taken when each joint has come anew.

        A state that is not whole, such as one without an effort, counts as lost: the observer
        takes longer steps.

        Args:
            stamp: of the state [s], on any clock.
            q: (n,) last positions of all joints [rad or m].
            v: (n,) last velocities of all joints [rad/s or m/s].
            given: what the state itself holds, with efforts as the driver publishes them.
            longest_interval: after a longer time without a state the estimate begins anew [s].
        """
        self.contact.collides = False
        drives, observer, meaning = self.drives, self._observer, self.settings.driver_effort
        if meaning not in MEANINGS:
            self.withhold(f'driver_effort is {meaning}: external torques need measured torques')
            return
        due = drives.take(stamp, q, v, given)
        if not 0.0 <= drives.stamp - self.stamp <= longest_interval:
            self.withhold(SETTLING if due else drives.missing())
        if not due:
            return
        elapsed, self.stamp = drives.stamp - self.stamp, drives.stamp
        observer.longest_interval = longest_interval
        torque = link_torque(drives.effort, self._gravity_torque, meaning)
        try:
            r = observer.step(drives.q, drives.v, torque, self.stamp)
        except StateError as error:
            self.withhold(str(error))
            return
        residual = r[self._indices]
        if reason := self._doubt(residual, elapsed):
            self._silence(reason)
            return
        self.reason = ''
        np.subtract(residual, self.tare.torque, out=self.torque)
        speeds = drives.v[self._indices]
        self.contact.step(self.torque, speeds, self.stamp)
        if self.tare.averaging:
            self.tare.step(residual, speeds, self.stamp, self.touch())

    def _drop_tare(self, changed: str) -> None:
        if self.tare.torque.any():
            # Else the step of the estimates would be a contact.
            self.contact.reset()
        self.tare.drop(changed)

    def _doubt(self, residual: Array, elapsed: float) -> str:
        """Why the residual means nothing yet, or never will; empty if it does mean something."""
        if not self._observer.settled:
            return SETTLING
        check = self._check
        if check.fits:
            return ''
        gravity = self._gravity_torque()[self._indices]
        effort = effort_of(gravity - residual, gravity, check.meaning)
        known = check.step(effort, gravity, elapsed)
        return check.doubt or ('' if known else SETTLING)

    def _gravity_torque(self) -> Array:
        return self._dynamics.gravity_torque(self.drives.q)

    def _silence(self, reason: str) -> None:
        """Give no estimate, and forget what was felt."""
        if not self.reason:
            self.contact.pause()
            self.tare.stop()
        self.reason = reason

    def _wrench_estimator(self) -> WrenchEstimator:
        model = self._dynamics.model
        # The link, which tf2 knows, where a joint stands for it.
        frame = model.frame(self.settings.external_frame or model.tip_frame(self._joints)).name
        return WrenchEstimator(self._dynamics, frame, 'LOCAL', self._joints)

    def _thresholds(self) -> ContactThresholds:
        return self.settings.thresholds or ContactThresholds.of(len(self._joints))

    def _bandwidth(self) -> Array:
        """(n,) of the observer [Hz]; joints that are not commanded have that of the first."""
        given = self.settings.external_bandwidth
        return self._all(given, given[0])

    def _all(self, values: npt.ArrayLike, others: float) -> Array:
        """(n,) of all independent joints, from values (k,) of the commanded ones."""
        array = np.full(self._dynamics.model.size, others)
        array[self._indices] = values
        return array
