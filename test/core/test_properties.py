"""The laws of mechanics on random trees; Hypothesis looks for the smallest that breaks one."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from mechanics import laws, model_laws
from mechanics.drawn_trees import random_trees
from mechanics.float_dynamics import FloatDynamics
from mechanics.robots import random_state
from property_settings import examples

from robot_dynamics_ros.core import parse_urdf

pytestmark = pytest.mark.contract

SETTINGS = examples(
    100, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)


@dataclass
class RandomRobot:
    text: str
    name: str = 'random'

    @cached_property
    def model(self):
        return parse_urdf(self.text, strict=True)


@SETTINGS
@given(random_trees(), st.integers(0, 10**6))
def test_laws_hold_on_any_tree(text, seed):
    robot = RandomRobot(text)
    state = random_state(robot.model, np.random.default_rng(seed))
    for law in laws.LAWS:
        law(robot, FloatDynamics(robot.model), state)


@SETTINGS
@given(random_trees(), st.integers(0, 10**6))
def test_laws_between_robots_hold_on_any_tree(text, seed):
    robot = RandomRobot(text)
    state = random_state(robot.model, np.random.default_rng(seed))
    for law in model_laws.LAWS:
        law(robot, state)
