"""What the start of the node does, and what ends it before the first command."""

import pytest
from three_joints import URDF


@pytest.mark.parametrize('configured', [False, True], ids=['before configure', 'after configure'])
def test_a_start_does_not_go_on_after_an_end_was_asked_for(graph, capfd, configured):
    with graph(start=False, robot_description=URDF) as (node, _):
        if configured:
            real = node.trigger_configure

            def configure():
                result = real()
                node.end_requested = True
                return result

            node.trigger_configure = configure
        else:
            node.end_requested = True
        node.start()
        assert (node.robot_holder.current is not None) == configured
        assert not (configured and node.robot_holder.current.guard.supervisor.active)
    assert 'torques go' not in capfd.readouterr().err


def test_a_robot_that_is_compiled_when_a_signal_comes_is_not_configured(graph, capfd):
    with graph(start=False, robot_description=URDF) as (node, _):
        real = node._configuration.robot_of

        def compiled_and_interrupted(description):
            robot = real(description)
            node.end_requested = True
            return robot

        node._configuration.robot_of = compiled_and_interrupted
        node.start()
        assert node.robot_holder.current is None
    text = capfd.readouterr().err
    assert 'not configured: a signal' in text
    assert 'configured: robot' not in text
    assert 'compiled in' not in text
