"""The external torques of a robot that is commanded: from its joint states to contacts."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.dynamics import RobotDynamics
from robot_dynamics_ros.core.errors import StateError
from robot_dynamics_ros.core.model.friction import JointFriction
from robot_dynamics_ros.core.model.payload_body import tip_frame

from ..joint_choice import choice
from .applied_commands import AppliedCommands
from .drive_torques import NO_STATE
from .effort_sources import EffortSources
from .external_settings import ExternalSettings, Source
from .given_state import GivenState
from .live_contact import LiveContact
from .momentum_observer import ExternalForceObserver
from .new_joints import NewJoints
from .tap import Collection, Tap
from .tare import Tare
from .wrench import FeltDirections, WrenchEstimator

# Why there is no estimate, where that ends by itself; so does NO_STATE.
SETTLING = 'the estimate has just begun'


class ExternalForceEstimate:
    """External torques of the commanded joints, or the reason why there are none.

    A number is given only where it means something: velocities and efforts are measured (or
    commands known), the observer has settled after the last discontinuity, and the efforts have
    not been found to lack gravity, or to be in another unit.

    Attributes:
        torque: (k,) the estimate, less what is taken off [N m or N]; valid while `reason` is
            empty.
        reason: why there is no estimate, as a phrase; empty if there is.
        tare: what is taken off.
        applied: whether commands are the torques of the drives, where they take their place.
        stamp: of the last step [s]; NaN before the first one.
        contact: what touches the robot.
        settings: of the estimate.
        collection: the tap that gets each estimate, if there is one.
        sources: of the torques of the drives.
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
            settings: of the estimate, one value for each commanded joint.
            friction: of the joints.
            offset: (k,) constant torque that the joints need beside the model [N m or N].

        Raises:
            UnknownNameError: there is no link `external_frame`.
            ParameterError: a threshold is not positive.
        """
        model = dynamics.model
        self._joints, self._dynamics = tuple(joints), dynamics
        self._indices: npt.NDArray[np.intp] = np.array(model.indices_of(joints))
        self._chosen = choice(self._indices)
        self.settings, self._friction, self._offset = settings, friction, offset
        self._q = np.zeros(model.size)
        self.reason, self.stamp = NO_STATE, math.nan
        self._restarts, self._settled = 0, False
        size = len(self._joints)
        self.torque, self._residual = np.zeros((2, size))
        self.tare, self.applied = Tare(size), AppliedCommands()
        self.contact = LiveContact(model, self._joints, self._indices, settings)
        self.collection = Collection()
        self._wrench = self._wrench_estimator()
        self._new_joints = NewJoints(self._indices)
        self.sources = EffortSources(model, self._joints, self._indices, settings.external_from)
        self._observer = self._new_observer()

    @property
    def frame(self) -> str:
        """The link of the wrench."""
        return self._wrench.frame

    def wrench(self, torque: Array | None = None) -> Array:
        """The wrench (6,) on the link `frame`, at its origin and in its axes, at the last state.

        Args:
            torque: (k,) that it explains [N m or N]; None for the estimate.
        """
        given = self.torque if torque is None else torque
        return self._wrench.wrench(self._q, self._all(given, 0.0))

    def felt_directions(self) -> FeltDirections:
        """Which wrenches on that link the joints feel, at the last state."""
        return self._wrench.estimate(self._q, np.zeros_like(self._q)).felt

    def contact_direction(self) -> Array:
        """Direction (3,) of the force on the touched link, see `LiveContact.direction`."""
        return self.contact.direction(self._q, self.torque)

    def take_off(self, torque: Array) -> None:
        """Take that off the estimates from now on, beside what is taken off already.

        Args:
            torque: (k,) [N m or N].
        """
        self.tare.add(torque, self._model_settings())
        # Else the step of the estimates would be a contact.
        self.contact.reset()

    def collect(self, tap: Tap) -> None:
        """Give a tap the estimates from now on, in place of another one."""
        self.collection.begin(tap, self._estimate_settings())

    def apply(self, settings: ExternalSettings, friction: JointFriction, offset: Array) -> None:
        """Use other settings from the next state on; arguments as of the constructor.

        Raises:
            UnknownNameError: there is no link `external_frame`.
            ParameterError: a threshold is not positive.
        """
        before, self.settings = self.settings, settings
        self._friction, self._offset = friction, offset
        self.tare.compare(self._model_settings())
        self.collection.compare(self._estimate_settings())
        self.contact.apply(settings)
        if settings.external_frame != before.external_frame:
            self._wrench = self._wrench_estimator()
        if settings.external_from != before.external_from:
            self.sources.use(settings.external_from)
            # Nobody has followed the commands meanwhile.
            self.applied = AppliedCommands()
            self._observer = self._new_observer()
            self._restarts = 0
            self.tare.drop('external_from')
            self.collection.doubt('external_from')
            self.reset()
        else:
            self._observer.bandwidth = self._bandwidth()
            self._observer.use(self._dynamics, friction=friction, offset=self._all(offset, 0.0))

    def use(self, dynamics: RobotDynamics) -> None:
        """Go on with these dynamics: of the same joints, with another payload."""
        self._dynamics = dynamics
        self.tare.doubt('the payload or the robot')
        self.collection.doubt('the payload or the robot')
        self.contact.use(dynamics.model)
        self._wrench = self._wrench_estimator()
        self.apply(self.settings, self._friction, self._offset)

    def reset(self) -> None:
        """Begin anew, after a discontinuity of the states; what is known of the efforts stays."""
        self.withhold(SETTLING)
        self._new_joints.reset()
        self.contact.reset()

    def distrust(self, source: Source) -> None:
        """Compare the efforts of a source with gravity anew: they come from another device."""
        self.sources.distrust(source)
        if source == self.settings.external_from:
            self.contact.reset()
            self.collection.doubt('the driver' if source == 'measured' else 'the controller')

    def withhold(self, reason: str) -> None:
        """Give no estimate, for a reason; the observer begins anew with the next usable state."""
        self._observer.reset()
        self.stamp = math.nan
        self._forget(reason)

    def update(
        self, stamp: float, q: Array, v: Array, given: GivenState, *, longest_interval: float
    ) -> None:
        """Take a joint state that was accepted.

        A step is taken when each commanded joint is new.

        Args:
            stamp: of the state [s], on any clock.
            q: (n,) last positions of all joints [rad or m].
            v: (n,) last velocities of all joints [rad/s or m/s].
            given: what the state itself holds.
            longest_interval: after a longer time without a state the estimate begins anew [s].
        """
        self.contact.collides = False
        complete = self._new_joints.complete(stamp, given.q)
        if reason := self.sources.take(given):
            gap = self._new_joints.stamp - self.stamp
            # A state without an effort counts as lost: the observer takes longer steps.
            if self.settings.external_from == 'commanded' or not 0.0 <= gap <= longest_interval:
                self.withhold(reason)
            return
        if not complete:
            return
        stamp = self._new_joints.stamp
        self._observer.longest_interval = longest_interval
        try:
            r = self._observer.step(q, v, self.sources.torque, stamp)
        except StateError as error:
            self.withhold(str(error))
            return
        if self._observer.restarts != self._restarts:
            self._restarts = self._observer.restarts
            self._forget(SETTLING)
        elapsed, self.stamp = stamp - self.stamp, stamp
        self._q[:] = q
        self._residual = r[self._chosen]
        if reason := self._doubt(elapsed):
            self._silence(reason)
            return
        self.reason = ''
        np.subtract(self._residual, self.tare.torque, out=self.torque)
        speeds = v[self._chosen]
        self.contact.step(self.torque, speeds, stamp)
        if (tap := self.collection.tap) is not None:
            tap.step(self.torque, speeds, stamp)

    def _model_settings(self) -> dict[str, Array]:
        """On which the error of the model depends, by the name of the parameter."""
        return {
            'friction': self._friction.coefficients,
            'torque_offset': self._offset,
            'gravity': self._dynamics.gravity,
        }

    def _estimate_settings(self) -> dict[str, Array]:
        """On which an estimate depends, by the name of the parameter."""
        return self._model_settings() | {'external_bandwidth': self._bandwidth()}

    def _doubt(self, elapsed: float) -> str:
        """Why the residual means nothing yet, or never will; empty if it does mean something."""
        if not self._settled:
            self._settled = self._observer.settled
            return SETTLING
        sources = self.sources
        if sources.fits or not self.settings.driver_gravity_check:
            return ''
        gravity = self._dynamics.gravity_torque(self._q)[self._indices]
        sources.compare(self._residual, gravity, elapsed)
        return sources.reason if sources.known else SETTLING

    def _forget(self, reason: str) -> None:
        """Give no estimate until the observer has settled."""
        self._settled = False
        self.sources.reset()
        self._silence(reason)

    def _silence(self, reason: str) -> None:
        """Give no estimate, and forget what was felt."""
        if not self.reason:
            self.contact.pause()
            self.collection.reset()
        self.reason = reason

    def _new_observer(self) -> ExternalForceObserver:
        return ExternalForceObserver(
            self._dynamics,
            self._bandwidth(),
            friction=self._friction,
            offset=self._all(self._offset, 0.0),
            held=self.settings.external_from == 'commanded',
        )

    def _wrench_estimator(self) -> WrenchEstimator:
        frame = self.settings.external_frame or tip_frame(self._dynamics.model, self._joints)
        return WrenchEstimator(self._dynamics, frame, 'LOCAL', self._joints)

    def _bandwidth(self) -> Array:
        """(n,) of the observer [Hz]; joints that are not commanded have that of the first."""
        given = self.settings.external_bandwidth
        return self._all(given, given[0])

    def _all(self, values: npt.ArrayLike, others: float) -> Array:
        """(n,) of all independent joints, from values (k,) of the commanded ones."""
        array = np.full(self._q.size, others)
        array[self._indices] = values
        return array
