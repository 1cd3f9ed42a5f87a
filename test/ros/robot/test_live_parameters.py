"""What the log says of a change."""

import pytest

pytest.importorskip('rclpy')

from fed_node import fed_node
from rclpy.parameter import Parameter


def test_a_list_of_numbers_is_logged_as_it_is_written(capfd):
    # As it comes by service.
    message = Parameter('gravity', value=[0.0, 0.0, 9.81]).to_parameter_msg()
    with fed_node() as node:
        assert node.set_parameters([Parameter.from_parameter_msg(message)])[0].successful
    assert 'gravity is now [0.0, 0.0, 9.81]' in capfd.readouterr().err
