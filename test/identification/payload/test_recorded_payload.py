"""A payload from recordings of the simulated arm, with its tool and without."""

import re
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip('mujoco')
pytest.importorskip('scipy')

from simulated_recordings import TOOL_CENTER, TOOL_MASS, simulated, urdf

from robot_dynamics_ros.core import parse_urdf
from robot_dynamics_ros.core.errors import ParameterError, RecordingError
from robot_dynamics_ros.identification.payload import estimate_recorded_payload
from robot_dynamics_ros.joint_model import JointModel

FRAME = 'flange_link'


@pytest.fixture(scope='module')
def model():
    return parse_urdf(urdf())


@pytest.fixture(scope='module')
def wrong(model):
    """A description whose links are 5 % too heavy, and the last one 0.3 kg."""
    parameters = 1.05 * model.inertial_parameters()
    parameters[-10:] *= 1.0 + 0.3 / parameters[-10]
    return model.with_inertial_parameters(parameters)


def inside(estimate, share=1.0):
    """Whether mass and centre are within so many of their intervals."""
    error = np.abs(np.subtract([estimate.mass, *estimate.com], [TOOL_MASS, *TOOL_CENTER]))
    return (error <= share * np.array([estimate.mass_interval, *estimate.com_interval])).all()


@pytest.mark.parametrize('seed', [1, 2])
def test_against_the_model(model, seed):
    """To 1 % and 5 mm; the intervals cover it, and are not wider than that."""
    estimate = estimate_recorded_payload(
        model, FRAME, simulated(tool=True, seed=seed).reader.motions()
    )
    assert not estimate.refusal
    assert inside(estimate, 1.5)
    assert estimate.mass_interval < 0.01 * TOOL_MASS
    assert max(estimate.com_interval) < 0.005


def test_a_recording_without_the_payload_cancels_the_error_of_the_model(wrong):
    """Against the wrong model the error is part of the payload, against the recording not."""
    loaded = simulated(tool=True).reader
    against_model = estimate_recorded_payload(wrong, FRAME, loaded.motions())
    assert abs(against_model.mass - TOOL_MASS) > 0.1
    against_recording = estimate_recorded_payload(
        wrong, FRAME, loaded.motions(), simulated(seed=7).reader.motions()
    )
    assert not against_recording.refusal
    assert inside(against_recording, 1.5)
    assert against_recording.mass_interval < 0.01 * TOOL_MASS
    assert max(against_recording.com_interval) < 0.005


def test_rotors_and_offsets_are_not_payload(model):
    """The torque of known rotors and offsets, added to the efforts, changes nothing."""
    rotors, offsets = np.array([0.9, 0.8, 0.5, 0.05, 0.04, 0.03]), np.linspace(-2.0, 2.0, 6)
    names = model.joint_names
    parameters = JointModel(
        armature=tuple(zip(names, rotors, strict=True)),
        torque_offset=tuple(zip(names, offsets, strict=True)),
    )
    bare = list(simulated(tool=True).reader.motions())
    geared = [
        replace(one, efforts=one.efforts + rotors * one.accelerations + offsets) for one in bare
    ]
    expected = estimate_recorded_payload(model, FRAME, bare)
    found = estimate_recorded_payload(model, FRAME, geared, parameters=parameters)
    np.testing.assert_allclose(found.mass, expected.mass, rtol=1e-6)
    np.testing.assert_allclose(found.com, expected.com, atol=1e-6)
    np.testing.assert_allclose(found.inertia, expected.inertia, atol=1e-6)
    ignored = estimate_recorded_payload(model, FRAME, geared)
    assert ignored.noise['base'] > 3.0 * expected.noise['base']


def test_without_a_payload_none_is_found(model):
    estimate = estimate_recorded_payload(model, FRAME, simulated().reader.motions())
    assert 'no payload' in estimate.refusal


@pytest.fixture(scope='module')
def without_inertials():
    """A description with joints alone."""
    return parse_urdf(re.sub(r'<inertial>.*?</inertial>', '', urdf(), flags=re.DOTALL))


def test_two_recordings_need_no_inertials(without_inertials):
    """The prior of the robot is not its description alone: the data outweigh it."""
    estimate = estimate_recorded_payload(
        without_inertials,
        FRAME,
        simulated(tool=True).reader.motions(),
        simulated(seed=7).reader.motions(),
    )
    assert not estimate.refusal
    assert inside(estimate, 1.5)
    assert estimate.mass_interval < 0.03 * TOOL_MASS


def test_a_description_without_inertials_is_no_reference(without_inertials):
    """The payload would be the whole arm: 6.5 kg instead of 1.3."""
    with pytest.raises(ParameterError, match='has no mass'):
        estimate_recorded_payload(without_inertials, FRAME, simulated(tool=True).reader.motions())


def test_a_reference_at_rest_leaves_the_robot_at_its_prior(model):
    """Mass that the description may lack could be the payload: at least that of the last link.

    One standard deviation is half the mass of a link and 0.2 kg; at most, it is that of all links.
    """
    resting = [
        replace(motion, velocities=0.0 * motion.velocities, accelerations=0.0 * motion.velocities)
        for motion in simulated(seed=7).reader.motions()
    ]
    estimate = estimate_recorded_payload(
        model, FRAME, simulated(tool=True).reader.motions(), resting
    )
    deviations = np.array([0.5 * joint.inertia.mass + 0.2 for joint in model.joints])
    lowest, highest = 1.96 * deviations[-1], 1.96 * np.sqrt(np.sum(deviations**2))
    assert lowest < estimate.mass_interval < highest
    assert abs(estimate.mass - TOOL_MASS) < estimate.mass_interval
    assert estimate.refusal


def test_a_recording_without_efforts_is_refused(model):
    recorded = simulated(tool=True)
    silent = replace(recorded, efforts=np.full_like(recorded.efforts, np.nan))
    with pytest.raises(RecordingError, match='effort was recorded'):
        estimate_recorded_payload(model, FRAME, silent.reader.motions())
