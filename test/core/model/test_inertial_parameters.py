"""Inertial parameters: exchanged, and refused where no body has them."""

from dataclasses import replace

import numpy as np
import pytest
from mechanics.closeness import assert_close
from mechanics.examples import MOVING_EXAMPLES
from mechanics.model_laws import point
from mechanics.robots import HAND_WRITTEN, LOAD, hand_written

from robot_dynamics_ros.core import InertiaError, ParameterError
from robot_dynamics_ros.core.model.inertial_parameters import impossible, parameters_of
from robot_dynamics_ros.core.spatial import Inertia
from robot_dynamics_ros.inspection import audit


def other_parameters(model, count=6):
    """Of some point masses for each body: those of a body that exists."""
    random, found = np.random.default_rng(11), []
    for _ in model.joints:
        masses, places = random.uniform(0.1, 2.0, count), random.uniform(-0.4, 0.4, (count, 3))
        found += parameters_of(sum(map(point, masses, places), Inertia()))
    return np.array(found)


def test_the_parameters_include_the_payload():
    model = hand_written('tree').model
    frame = model.frames[-1].name
    loaded = model.with_payload(frame, **LOAD)
    assert loaded.with_inertial_parameters(loaded.inertial_parameters()) == loaded
    payload = loaded.inertial_parameters() - model.inertial_parameters()
    pi = other_parameters(model) + payload
    changed = loaded.with_inertial_parameters(pi)
    assert changed.payloads == loaded.payloads
    assert_close(changed.inertial_parameters(), pi)
    assert_close(changed.without_payload().inertial_parameters(), pi - payload)
    assert changed.without_payload().with_payload(frame, **LOAD) == changed


def test_rotors_and_friction_stay():
    model, armature = hand_written('tree').model, {'left_slide': 0.3, 'leg': 0.2}
    geared, pi = model.with_armature(armature), other_parameters(model)
    one = geared.with_inertial_parameters(pi)
    assert one == model.with_inertial_parameters(pi).with_armature(armature)
    assert np.array_equal(geared.inertial_parameters(), model.inertial_parameters())
    for before, after in zip(geared.joints, one.joints, strict=True):
        assert replace(after, inertia=before.inertia) == before


@pytest.mark.parametrize('robot', HAND_WRITTEN + MOVING_EXAMPLES, ids=str)
def test_links_add_up_to_their_bodies(robot):
    """Of the changed model too, which the audit examines link by link; with its own it stays."""
    own = robot.model.inertial_parameters()
    same = robot.model.with_inertial_parameters(own, physical=False)
    assert (same, same.findings) == (robot.model, robot.model.findings)
    pi = other_parameters(robot.model)
    model = robot.model.with_inertial_parameters(pi)
    assert_close(model.inertial_parameters(), pi)
    sums = [Inertia() for _ in model.joints]
    for frame, link in zip(model.frames, model.links, strict=True):
        if frame.body >= 0:
            sums[frame.body] += frame.placement @ link.inertia
    for total, joint in zip(sums, model.joints, strict=True):
        assert total.mass == joint.inertia.mass
        assert_close(total.first_moment, joint.inertia.first_moment)
        assert_close(total.second_moment, joint.inertia.second_moment)


def test_findings_are_those_of_the_new_bodies():
    model = hand_written('massless_tip').model
    assert [finding.code for finding in model.findings] == ['massless_body']
    assert not model.with_inertial_parameters(other_parameters(model)).findings
    pi = other_parameters(model)
    pi[:10] = 0.0
    (finding,) = model.with_inertial_parameters(pi).findings
    assert (finding.code, finding.joints) == ('massless_body', (model.joints[0].name,))
    pi[:10] = [1.0, 0.0, 0.0, 0.0, 0.1, 0.0, 0.1, 0.0, 0.0, 0.9]
    wrong = model.with_inertial_parameters(pi, physical=False)
    assert wrong.findings[0].code == 'triangle_inequality'
    assert wrong.findings[0] in audit(wrong)


# Ten parameters of the first body.
REFUSED = {
    'negative mass': [-0.1, 0, 0, 0, 1, 0, 1, 0, 0, 1],
    'moment without mass': [0, 0, 0.2, 0, 1, 0, 1, 0, 0, 1],
    'negative moment': [1, 0, 0, 0, -0.1, 0, 1, 0, 0, 1],
    'triangle': [1, 0, 0, 0, 0.1, 0, 0.1, 0, 0, 0.3],
    # Positive about the joint frame, and not about the centre of mass 1 m away from it.
    'no parallel axis': [1, 1, 0, 0, 0.5, 0, 0.5, 0, 0, 0.5],
    'product': [1, 0, 0, 0, 0.2, 0.3, 0.2, 0, 0, 0.2],
}


@pytest.mark.parametrize('kind', REFUSED)
def test_what_no_body_has_is_refused(kind):
    model = hand_written('tree').model
    pi = other_parameters(model)
    pi[:10] = REFUSED[kind]
    with pytest.raises(InertiaError, match=f'joint {model.joints[0].name!r}'):
        model.with_inertial_parameters(pi)
    assert_close(model.with_inertial_parameters(pi, physical=False).inertial_parameters(), pi)


def test_is_the_definiteness_of_the_pseudo_inertia():
    """[[S, m c], [m c^T, m]] of numbers drawn at random, far from the boundary or beyond it."""
    random = np.random.default_rng(0)
    verdicts = []
    for _ in range(500):
        root = random.uniform(-1.0, 1.0, (4, 4))
        matrix = root @ root.T + random.uniform(-0.3, 0.1) * np.eye(4)
        smallest = np.linalg.eigvalsh(matrix)[0]
        if abs(smallest) > 1e-3:
            S, first, mass = matrix[:3, :3], matrix[:3, 3], matrix[3, 3]
            body = Inertia(float(mass), tuple(first.tolist()), tuple(map(tuple, S.tolist())))
            assert (impossible(body) == '') == (smallest > 0.0)
            verdicts.append(smallest > 0.0)
    assert 0.1 < np.mean(verdicts) < 0.9


@pytest.mark.parametrize(
    ('pi', 'named'),
    [
        (np.zeros(9), '9'),
        (np.zeros((1, 10)), r'\(1, 10\)'),
        ('heavy', '<U5'),
        ([1.0, 0.0, np.nan] + [0.0] * 7, "'my of swing'"),
    ],
)
def test_what_is_no_vector_of_parameters(pi, named):
    model = hand_written('pendulum').model
    with pytest.raises(ParameterError, match=f'^pi .*{named}'):
        model.with_inertial_parameters(pi)
