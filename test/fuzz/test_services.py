"""Every service answers every request: with a result, or with the reason why there is none."""

import inspect

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from malformed import anything
from property_settings import tried
from three_joints import state

INPUTS = st.data()


def own_services(node):
    """Those that this package offers; rclpy offers others."""
    ours = ('robot_dynamics_interfaces', 'std_srvs')
    services = [s for s in node.services if s.srv_type.__module__.startswith(ours)]
    return sorted(services, key=lambda service: service.srv_name)


def response_of(service, request):
    """The response; of one that waits for another message, what is there so far."""
    response = service.srv_type.Response()
    answer = service.callback(request, response)
    if not inspect.iscoroutine(answer):
        return answer
    try:
        answer.send(None)
    except StopIteration as end:
        return end.value
    answer.close()
    response.message = 'transform of tf2'
    return response


@tried
@given(INPUTS)
def test_every_request_is_answered(node, data):
    service = data.draw(st.sampled_from(own_services(node)))
    response = response_of(service, data.draw(anything(service.srv_type.Request)))
    assert response.success or response.message
    with node.robot_holder.lock:
        robot = node.robot_holder.require()
        now = node.robot_holder.clock.now()
        robot.guard.supervisor.enabled = True
        robot.guard.set_clock(now)
        robot.take(state([0.1, 0.2, 0.3]), now)
        command = robot.guard.command(now)
    assert np.isfinite(command).all()
