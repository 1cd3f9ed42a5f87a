"""The acts, in their order: what arm and node are told, and what is measured of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sensor_msgs.msg import JointState

from robot_dynamics_interfaces.srv import GetCoriolisMatrix, GetMassMatrix
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.model.sampling import random_states
from robot_dynamics_ros.oracle.pinocchio_reference import PinocchioReference

from . import figures
from .client import ARM, NODE, DemoClient, Phase
from .figures import Results
from .plan import Plan

# How long the phases take [s].
FALL, HOLD, TRACK, PUSHED = 1.5, 5.0, 4.0, 1.2
# From the release of the brake, or from now, to a planned start: the servo has settled, and what
# is sent comes in time.
LEAD = 3.0
STEP = 1e-4  # of the difference quotient dM/dt [s]: truncation and rounding are about equal
LAGS = 0.6  # after the estimate has begun, until it counts: the fast band is zero for 0.2 s [s]
AFTER = 1.5  # recorded after the wall was reached: the fade to gravity takes 1 s [s]


class Stage:
    """Plays the acts with an arm that starts, and a node that is not configured yet."""

    def __init__(self, client: DemoClient, plan: Plan, log: Callable[..., None], share: float):
        """Call `log` with one line for each phase; each takes a share of its duration."""
        self._client, self._plan, self._log, self._share = client, plan, log, share

    def play(self, urdf: str) -> Results:
        """Play all acts, and return what was measured; `urdf` is the text for Pinocchio."""
        client, plan = self._client, self._plan
        client.connect()
        self._log('configure the node: parse, compile, cross-check with Pinocchio')
        client.change_state('configure')
        self._log('release the arm without torque')
        fall = self._recorded(client.release_arm(), self._share * FALL)
        takes = {}
        self._log('track a fast trajectory: servo alone')
        takes['servo_only'] = self._track(ARM)
        self._log(f'hold it by gravity compensation for {self._share * HOLD:g} s')
        client.reset_arm(servo=False)
        client.change_state('activate')
        hold = self._recorded(client.release_arm(), self._share * HOLD)

        # Without a reference the node compensates gravity only: the take with one comes last.
        self._log('track it: servo and gravity compensation')
        takes['with_gravity'] = self._track(ARM)
        self._log('track it: servo and feedforward')
        takes['with_feedforward'] = self._track(ARM, NODE)

        self._log(f'push {plan.tool}: the node feels it')
        pushed = self._pushed()
        self._log('move it into a wall: the node finds the collision and holds')
        collided = self._collided()
        client.change_state('deactivate')
        self._log('call the services for M and C')
        reference = PinocchioReference(urdf, plan.dynamics.model)
        shown = takes['with_feedforward']
        phases = {'fall': fall, 'hold': hold, 'follow': shown, 'push': pushed, 'wall': collided}
        return (
            {'phases': phases}
            | figures.release(plan, fall, hold)
            | figures.tracking(plan, takes)
            | figures.push(plan, pushed)
            | figures.collision(plan, collided)
            | figures.matrices(self._matrices(), reference)
            | figures.timing(shown)
        )

    def _track(self, *targets: str) -> Phase:
        """Let the arm follow the fast trajectory, that each target is sent."""
        client, plan = self._client, self._plan
        client.reset_arm(servo=True)
        start = client.release_arm() + nanoseconds(LEAD)
        client.send_trajectory(plan.trajectory, plan.joints, start, *targets)
        return self._recorded(start, plan.trajectory.end)

    def _pushed(self) -> Phase:
        """Push the arm, which the servo holds, where it feels its tool best."""
        client, plan = self._client, self._plan
        client.set_node(external_observer=True, on_collision='report')
        client.reset_arm(servo=True)
        start = client.release_arm() + nanoseconds(LEAD)
        client.send_trajectory(plan.out, plan.joints, start, ARM, NODE)
        begin = start + nanoseconds(plan.out.end + LAGS)
        end = begin + nanoseconds(self._share * PUSHED)
        client.push(plan.tool, plan.force, begin, end)
        client.wait_for(end + nanoseconds(LAGS))
        return client.phase(begin - nanoseconds(0.1), end + nanoseconds(LAGS))

    def _collided(self) -> Phase:
        """Let the arm run into the wall; the node finds it, and stays in a hold."""
        client, plan = self._client, self._plan
        client.set_node(on_collision='hold')
        client.set_arm(wall=True)
        start = client.now() + nanoseconds(LEAD)
        # The drive ends its motion at the wall, by itself.
        client.send_trajectory(plan.back, plan.joints, start, NODE)
        client.send_trajectory(plan.against, plan.joints, start, ARM)
        collided = self._recorded(start, plan.against.end + AFTER)
        client.set_arm(wall=False)
        client.set_node(external_observer=False)
        return collided

    def _recorded(self, start: int, seconds: float) -> Phase:
        """What is recorded from a time on [ns] for some time [s]; then the brake is set."""
        end = start + nanoseconds(seconds)
        self._client.wait_for(end)
        self._client.set_arm(brake=True)
        return self._client.phase(start, end)

    def _matrices(self) -> list[tuple[Array, ...]]:
        """M and C by the services, at the start and at random states; dM/dt by differences."""
        names = list(self._plan.joints)

        def ask(kind: Any, name: str, q: Array, v: Array) -> Array:
            state = JointState(name=names, position=q, velocity=v)
            answer = self._client.call(kind, f'{NODE}/get_{name}', state=state)
            order = [answer.joint_names.index(joint) for joint in names]
            matrix = np.array(getattr(answer, name).data).reshape(len(names), len(names))
            return matrix[np.ix_(order, order)]

        samples = []
        for i, state in enumerate(random_states(self._plan.dynamics.model, 5, seed=1)):
            q, v = state.q if i else self._plan.home, state.v
            M = [ask(GetMassMatrix, 'mass_matrix', q + k * STEP * v, v) for k in range(-2, 3)]
            rate = (M[0] - 8 * M[1] + 8 * M[3] - M[4]) / (12 * STEP)
            C = ask(GetCoriolisMatrix, 'coriolis_matrix', q, v)
            samples.append((q, v, M[2], rate, C))
        return samples


def nanoseconds(seconds: float) -> int:
    """A duration [ns]."""
    return round(1e9 * seconds)
