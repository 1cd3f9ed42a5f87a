"""Behind the real forward_command_controller: what is refused, waited for, and begun again."""

import re

import numpy as np
import pytest
from control_cell import GRAVITY, JOINTS, cell
from std_msgs.msg import Float64MultiArray

pytestmark = pytest.mark.contract

CONTROLLER = 'effort_controller'
# Of the fade at 200 Hz, with some to spare.
COMMANDS_OF_A_FADE = 250


@pytest.fixture
def stack(tmp_path, monkeypatch):
    with cell(tmp_path, monkeypatch) as opened:
        yield opened


@pytest.mark.parametrize(
    ('controller', 'words'),
    [
        ('swapped_controller', 'set parameter joints'),
        ('position_controller', "interface_name of /position_controller is 'position'"),
    ],
)
def test_a_controller_that_does_not_fit_is_refused(stack, controller, words):
    stack.start_manager()
    stack.load(controller)
    if controller == 'swapped_controller':
        stack.switch(on=[controller])
    node = stack.start_node(controller)
    stack.until_logged(node, words)
    if controller == 'swapped_controller':
        assert re.search(
            rf'/{controller} .*\[{", ".join(reversed(JOINTS))}\].*\[{", ".join(JOINTS)}\]',
            node.log(),
        )
    stack.check_silent()
    assert not stack.torques
    assert not np.any([torque for _, torque in stack.efforts])


def test_an_inactive_controller_is_waited_for_and_gets_the_fade(stack):
    stack.start_manager()
    stack.load(CONTROLLER)
    node = stack.start_node()
    stack.until_logged(node, f'controller /{CONTROLLER} is inactive')
    stack.check_silent()
    assert not stack.torques
    since = len(stack.efforts)
    stack.switch(on=[CONTROLLER])
    stack.until_effort(GRAVITY)
    stack.check_fade(since)
    stack.until_logged(node, f'controller /{CONTROLLER} is active')


def test_a_controller_manager_that_goes_and_comes_back(stack):
    manager = stack.start_manager(CONTROLLER)
    node = stack.start_node()
    stack.until_effort(GRAVITY)
    manager.kill()
    stack.until_logged(node, f'controller /{CONTROLLER} has ended')
    stack.until(stack.silent, 'silence')
    stack.start_manager(CONTROLLER)
    # The first state of the new one: the drives have no torque.
    since = len(stack.efforts) - 1
    stack.until(lambda: not stack.silent(), 'commands')
    stack.until_effort(GRAVITY)
    stack.check_fade(since)


def test_a_wrong_number_of_values_deactivates_the_controller_and_the_drive_keeps_its_torque(stack):
    """A command of another node; ours is silent until the controller is active again."""
    stack.start_manager(CONTROLLER)
    node = stack.start_node()
    stack.until_effort(GRAVITY)
    publisher = stack.node.create_publisher(Float64MultiArray, f'/{CONTROLLER}/commands', 1)

    def inactive():
        publisher.publish(Float64MultiArray(data=[1.0, 2.0, 3.0]))
        return stack.state(CONTROLLER) == 'inactive'

    stack.until(inactive, 'the controller')
    stack.until_logged(node, f'controller /{CONTROLLER} is inactive')
    stack.until(stack.silent, 'silence')
    stack.check_silent()
    np.testing.assert_allclose(stack.efforts[-1][1], GRAVITY, atol=1e-9)
    stack.node.destroy_publisher(publisher)
    stack.switch(on=[CONTROLLER])
    stack.until(lambda: not stack.silent(), 'commands')
    stack.until_effort(GRAVITY)


# The torque of the drives when the node, or its controller, begins again.


def largest_step(stack, begin):
    """Of the torque of the drives in one cycle (2,), from its beginning until it is over."""
    since = len(stack.efforts) - 1
    stack.torques.clear()
    begin()
    stack.until(lambda: len(stack.torques) > COMMANDS_OF_A_FADE, 'commands')
    stack.until_effort(GRAVITY)
    return stack.steps(since)[1].max(axis=0)


@pytest.mark.parametrize(('on_restart', 'share'), [('fade_from_zero', 1.0), ('take_over', 0.0)])
def test_a_restart_after_sigkill_behind_an_active_controller(stack, on_restart, share):
    """The controller keeps the torque of the process that was killed."""
    stack.start_manager(CONTROLLER)
    node = stack.start_node(on_restart=on_restart)
    stack.until_effort(GRAVITY)
    node.kill()
    stack.until_next_states()
    np.testing.assert_allclose(stack.efforts[-1][1], GRAVITY, atol=1e-9)
    step = largest_step(stack, lambda: stack.start_node(on_restart=on_restart))
    np.testing.assert_allclose(step, share * np.abs(GRAVITY), rtol=0.05, atol=1e-6)


def test_a_restart_after_sigkill_leaves_the_arm_as_it_is(stack):
    """By default: the driver may add gravity, so an operator decides."""
    stack.start_manager(CONTROLLER)
    node = stack.start_node()
    stack.until_effort(GRAVITY)
    node.kill()
    since = len(stack.efforts) - 1
    node = stack.start_node()
    stack.until_logged(node, 'set on_restart to take_over')
    stack.check_silent()
    np.testing.assert_allclose(stack.steps(since)[1], 0.0, atol=1e-6)


@pytest.mark.parametrize('on_restart', ['automatic', 'fade_from_zero', 'take_over'])
def test_a_controller_off_and_on_behind_a_drive_that_keeps_its_torque(stack, on_restart):
    stack.start_manager(CONTROLLER)
    node = stack.start_node(on_restart=on_restart)
    stack.until_effort(GRAVITY)
    stack.switch(off=[CONTROLLER])
    stack.until(stack.silent, 'silence')

    step = largest_step(stack, lambda: stack.switch(on=[CONTROLLER]))
    np.testing.assert_allclose(step, 0.0, atol=1e-6)
    assert 'last command' in node.log()
