"""Locked joints: as the whole robot with them at rest."""

from __future__ import annotations

import numpy as np
import pytest
from mechanics.closeness import assert_close
from mechanics.examples import MOVING_EXAMPLES
from mechanics.float_dynamics import FloatDynamics
from mechanics.robots import HAND_WRITTEN, hand_written

from robot_dynamics_ros.core import ParameterError, UnknownNameError

ROBOTS = [robot for robot in HAND_WRITTEN + MOVING_EXAMPLES if robot.model.size > 1]


def some_joints(robot):
    """Half of the joints, the positions of the others, and a state of the first."""
    (state,) = robot.states(1)
    names = robot.model.joint_names
    kept = names[:: 2 if robot.model.size < 8 else 3]
    index = [names.index(name) for name in kept]
    locked = {name: x for name, x in zip(names, state.q.tolist(), strict=True) if name not in kept}
    return kept, locked, index, state


@pytest.mark.parametrize('robot', ROBOTS, ids=str)
def test_locked_joints_are_joints_at_rest(robot):
    """And a wrench at any link is borne by the kept joints as before."""
    kept, locked, index, (q, v, a, _) = some_joints(robot)
    resting_v, resting_a = np.zeros_like(v), np.zeros_like(a)
    resting_v[index], resting_a[index] = v[index], a[index]
    whole, part = FloatDynamics(robot.model), FloatDynamics(robot.model.reduced(kept, locked))
    tau = whole.inverse_dynamics(q, resting_v, resting_a)
    # The whole robot is the scale: a part that turns about its own centre bears no weight.
    scale = np.abs(tau).max()
    whole_q, q, v, a = q, q[index], v[index], a[index]
    assert_close(part.inverse_dynamics(q, v, a), tau[index], scale)
    block = np.ix_(index, index)
    M = whole.mass_matrix(whole_q)
    assert_close(part.mass_matrix(q), M[block], np.abs(M).max())
    C = whole.coriolis_matrix(whole_q, resting_v)
    assert_close(part.coriolis_matrix(q, v), C[block], np.abs(M).max() * np.abs(v).max())
    wrench = [3.0, -4.0, 5.0, 0.7, -0.2, 0.4]
    for frame in robot.model.frames:
        expected = whole.external_torque(whole_q, wrench, frame.name)
        borne = part.external_torque(q, wrench, frame.name)
        assert_close(borne, expected[index], max(np.abs(expected).max(), 5.0))


@pytest.mark.parametrize('position', [0.0, 0.3])
def test_joints_in_neither_are_locked_at_the_position_of_others(position):
    model = hand_written('tree').model
    kept, first, *rest = model.joint_names
    named = {first: 0.1, **dict.fromkeys(rest, position)}
    assert model.reduced([kept], {first: 0.1}, others=position) == model.reduced([kept], named)


def test_payloads_stay_on_their_links():
    model = hand_written('tree').model
    frame = model.frames[-1].name
    kept = model.joint_names[:1]
    before = model.with_payload(frame, 2.0, (0.1, 0.2, 0.3)).reduced(kept, others=0.0)
    after = model.reduced(kept, others=0.0)
    if after.frame(frame).body >= 0:
        assert before == after.with_payload(frame, 2.0, (0.1, 0.2, 0.3))
    assert before.without_payload() == after


@pytest.mark.parametrize(
    ('joints', 'locked', 'error', 'named'),
    [
        (['nose'], {}, UnknownNameError, "'nose'"),
        (['wrist'], {'nose': 0.0}, UnknownNameError, "'nose'"),
        (['knuckle'], {}, UnknownNameError, "'finger'"),
        # A joint that is forgotten must not be locked at zero without a word.
        (['wrist'], {}, ParameterError, 'finger'),
        (['wrist', 'wrist'], {}, ParameterError, 'wrist'),
        (['wrist'], {'wrist': 0.0}, ParameterError, 'wrist'),
        (['wrist'], {'finger': float('nan')}, ParameterError, "'finger'.* nan"),
        (['wrist'], {'finger': 'open'}, ParameterError, "'finger'.*'open'"),
        ('wrist', {}, ParameterError, "joints is 'wrist'"),
        ([['wrist']], {}, ParameterError, r"joints is \['wrist'\]"),
        (['wrist'], ['finger'], ParameterError, r"locked is \['finger'\]"),
    ],
)
def test_refused(joints, locked, error, named):
    with pytest.raises(error, match=named):
        hand_written('mimic').model.reduced(joints, locked)
