"""The clock of references, and a service that compiles beside the loop."""

import time
from dataclasses import dataclass

import pytest
from rclpy.time import Time
from three_joints import URDF, state

from robot_dynamics_interfaces.srv import GetJacobian
from robot_dynamics_ros.ros.loop import ReferenceClock

Q, V = [0.3, 0.1, -0.7], [0.5, -0.2, 0.4]


@dataclass
class NodeClock:
    """Stands for the clock of a node."""

    nanoseconds: int = 10**18
    ros_time_is_active: bool = False

    def now(self):
        return Time(nanoseconds=self.nanoseconds)


@pytest.mark.parametrize('step', [-3600, -1, 1, 3600])
def test_setting_the_clock_of_the_machine_changes_no_reference_time(step):
    clock = NodeClock()
    references = ReferenceClock(clock)
    start = time.monotonic()
    before = references.time()
    clock.nanoseconds += step * 10**9
    now, after = references.both()
    assert now == clock.nanoseconds
    assert 0.0 <= after - before <= time.monotonic() - start


@pytest.mark.parametrize('step', [0, 1, 3600])
def test_simulated_time_is_used_to_the_nanosecond(step):
    clock = NodeClock(ros_time_is_active=True)
    references = ReferenceClock(clock)
    before = references.time()
    clock.nanoseconds += step * 10**9 + 7
    assert references.both() == (clock.nanoseconds, references.time())
    assert references.time() - before == pytest.approx(step + 7e-9, abs=1e-12)


def test_states_are_answered_while_a_service_compiles_a_frame(graph):
    """The thread of the states needs nothing that the service holds while it compiles."""
    with graph(robot_description=URDF) as (node, observer):
        compiling = node.robot_holder.require().dynamics
        jacobian, answered = compiling.jacobian, []

        def slow(*arguments):
            # The executor, which runs this very call, cannot hear the commands meanwhile.
            counters = node.topic_counters['joint_states']

            def used():
                observer.states.publish(state(Q, V))
                return counters.used

            observer.wait(used, 'answer to a state')
            answered.append(True)
            return jacobian(*arguments)

        compiling.jacobian = slow
        response = observer.call(GetJacobian, 'get_jacobian', state=state(Q), frame='hand')
        assert response.success, response.message
        assert answered
        observer.until(lambda: observer.commands, 'command')
