"""A payload from motions: of robots without errors, and of the simulated arm with its tool."""

import re
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip('mujoco')
pytest.importorskip('scipy')

from arm_motions import motion_of
from simulated_recordings import JOINTS, TOOL_CENTER, TOOL_MASS, simulated, urdf
from three_joints import URDF

from robot_dynamics_ros.core import RobotDynamics, parse_urdf
from robot_dynamics_ros.core.errors import ParameterError, RecordingError, UnknownNameError
from robot_dynamics_ros.identification.payload import estimate_recorded_payload
from robot_dynamics_ros.joint_model import JointModel

FRAME = 'flange_link'
FOLLOWING = URDF.replace(
    'name="wrist" type="revolute">',
    'name="wrist" type="revolute"><mimic joint="turn" multiplier="-2" offset="0.3"/>',
)
# Sliding along the vertical: its weight is as a torque offset.
LIFT = """<robot name="lift"><link name="base"/><link name="carriage"><inertial>
<mass value="2"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
</link><joint name="rail" type="prismatic"><parent link="base"/><child link="carriage"/>
<axis xyz="0 0 1"/><limit lower="-2" upper="2" effort="900" velocity="3"/></joint></robot>"""


@pytest.mark.parametrize('text', [URDF, FOLLOWING])
@pytest.mark.parametrize('frame', ['hand', 'slider'])
def test_exact_motion_gives_the_payload(text, frame):
    """Inverse dynamics of the robot with it: joints that slide and that follow, tilted gravity."""
    model, gravity = parse_urdf(text), (0.3, -1.2, -9.6)
    body = 0.7, (0.05, -0.1, 0.15), np.diag([0.02, 0.03, 0.04])
    loaded = RobotDynamics(model.with_payload(frame, *body), gravity=gravity)
    viscous = JointModel(viscous=tuple((name, 0.5) for name in model.joint_names))

    def efforts(q, v, a):
        return loaded.inverse_dynamics(q, v, a) + 0.5 * v + 1.0

    # Two segments.
    motions = [motion_of(model, seed, efforts, noise=0.0, seconds=30.0) for seed in (3, 4)]
    motions[1] = replace(motions[1], times=motions[1].times + 130.0)
    estimate = estimate_recorded_payload(model, frame, motions, None, viscous, gravity=gravity)
    assert all(estimate.equations.values())
    assert estimate.mass == pytest.approx(body[0], abs=max(1e-3, estimate.mass_interval))
    if estimate.determined == 'mass, centre and inertia':
        np.testing.assert_allclose(estimate.com, body[1], atol=1e-4)
        np.testing.assert_allclose(
            np.take(estimate.inertia, [0, 2, 5]), [0.02, 0.03, 0.04], atol=1e-3
        )


def test_a_lift_determines_the_mass_alone():
    """Of a link that does not turn: the mass by its acceleration, beside an unknown offset."""
    model = parse_urdf(LIFT)
    motion = motion_of(model, 3, lambda q, v, a: 3.3 * (a + 9.81) + 7.0, 0.2, seconds=90.0)
    estimate = estimate_recorded_payload(model, 'carriage', [motion])
    assert estimate.determined == 'mass'
    assert abs(estimate.mass - 1.3) < 2.0 * estimate.mass_interval < 0.1
    assert np.isnan(estimate.com).all()
    # Links that do not move, or that there are not.
    with pytest.raises(ParameterError, match="'base'"):
        estimate_recorded_payload(model, 'base', [])
    with pytest.raises(UnknownNameError, match="unknown frame 'tool'"):
        estimate_recorded_payload(model, 'tool', [])


@pytest.fixture(scope='module')
def model():
    return parse_urdf(urdf())


def assert_found(estimate, share=1.5, width=0.01):
    """Mass and centre are within so many of their intervals, which are not wider than that."""
    assert not estimate.refusal
    error = np.abs(np.subtract([estimate.mass, *estimate.com], [TOOL_MASS, *TOOL_CENTER]))
    assert (error <= share * np.array([estimate.mass_interval, *estimate.com_interval])).all()
    assert estimate.mass_interval < width * TOOL_MASS
    assert max(estimate.com_interval) < 0.5 * width


def test_a_recording_without_the_payload_cancels_the_error_of_the_model(model):
    """Against a wrong model the error is part of the payload, against the recording not.

    The links of the wrong one are 5 % too heavy, and the last one 0.3 kg. To 1 % and 5 mm.
    """
    parameters = 1.05 * model.inertial_parameters()
    parameters[-10:] *= 1.0 + 0.3 / parameters[-10]
    wrong, loaded = model.with_inertial_parameters(parameters), simulated(tool=True).reader
    assert_found(estimate_recorded_payload(model, FRAME, loaded.motions()))
    assert abs(estimate_recorded_payload(wrong, FRAME, loaded.motions()).mass - TOOL_MASS) > 0.1
    empty = simulated(seed=7).reader.motions()
    assert_found(estimate_recorded_payload(wrong, FRAME, loaded.motions(), empty))


def test_rotors_offsets_and_friction_are_not_payload(model):
    """Their known torque, added to the efforts, changes nothing that matters."""
    rotors, offsets = np.array([0.9, 0.8, 0.5, 0.05, 0.04, 0.03]), np.linspace(-2.0, 2.0, 6)
    names = model.joint_names
    parameters = JointModel(
        armature=tuple(zip(names, rotors, strict=True)),
        torque_offset=tuple(zip(names, offsets, strict=True)),
        stribeck=tuple(zip(names, rotors, strict=True)),
    )
    known, described = parameters.friction(model), JointModel().friction(model)
    bare = list(simulated(tool=True).reader.motions())
    geared = [
        replace(
            one,
            efforts=one.efforts + rotors * one.accelerations + offsets
            + known.torque(one.velocities) - described.torque(one.velocities),
        )
        for one in bare
    ]  # fmt: skip
    expected = estimate_recorded_payload(model, FRAME, bare)
    found = estimate_recorded_payload(model, FRAME, geared, parameters=parameters)
    # The prior and the bounds alone know of them.
    for name in ('mass', 'com', 'inertia'):
        change = np.abs(np.subtract(getattr(found, name), getattr(expected, name)))
        assert (change <= 0.05 * np.array(getattr(expected, f'{name}_interval'))).all()
    ignored = estimate_recorded_payload(model, FRAME, geared)
    assert ignored.noise['base'] > 3.0 * expected.noise['base']


def changed(recorded=None, **columns):
    """Motions of a recording with other columns."""
    return replace(recorded or simulated(tool=True), **columns).reader.motions()


def without_gravity(tool):
    return changed(tool, efforts=tool.efforts - tool.gravity)


def test_defects_of_the_data_do_no_harm(model):
    """Velocities that are not measured, lost states and a pause, a joint without an effort."""
    tool = simulated(tool=True)
    kept = np.random.default_rng(3).random(len(tool.times)) > 0.05
    kept[800:1000] = False
    silent = tool.efforts.copy()
    silent[:, 0] = np.nan
    for motions in (
        changed(tool, velocities=np.full_like(tool.velocities, np.nan)),
        tool.part(kept).reader.motions(),
        changed(tool, efforts=silent),
    ):
        estimate = estimate_recorded_payload(model, FRAME, motions)
        assert_found(estimate, 2.0, width=0.012)
    assert estimate.equations['base'] == 0
    with pytest.raises(RecordingError, match='no effort'):
        estimate_recorded_payload(model, FRAME, changed(tool, efforts=np.nan * silent))


@pytest.mark.parametrize(
    ('motions', 'tool_described', 'cause'),
    [
        (lambda: simulated().reader.motions(), False, 'no payload'),
        (lambda: simulated(tool=True).part(slice(500)).reader.motions(), False, 'too short'),
        # Only the first joint moves, about the vertical: gravity on the tool does not change.
        (lambda: simulated(tool=True, still=JOINTS[1:]).reader.motions(), False, 'did not move'),
        (lambda: changed(efforts=0.1 * simulated(tool=True).efforts), False, 'N m'),
        (lambda: without_gravity(simulated(tool=True)), False, 'takes gravity'),
        (lambda: simulated().reader.motions(), True, 'not mounted'),
    ],
)
def test_data_that_do_not_determine_it_are_refused(motions, tool_described, cause):
    estimate = estimate_recorded_payload(parse_urdf(urdf(tool=tool_described)), FRAME, motions())
    assert cause in estimate.refusal
    assert estimate.service_call() == ''


def test_two_recordings_need_no_inertials():
    """The prior of the robot is not its URDF alone: the data outweigh it."""
    joints = parse_urdf(re.sub(r'<inertial>.*?</inertial>', '', urdf(), flags=re.DOTALL))
    motions, empty = simulated(tool=True).reader.motions(), simulated(seed=7).reader.motions()
    assert_found(estimate_recorded_payload(joints, FRAME, motions, empty), width=0.03)
    with pytest.raises(ParameterError, match='has no mass'):
        estimate_recorded_payload(joints, FRAME, simulated(tool=True).reader.motions())


def test_a_reference_at_rest_leaves_the_robot_at_its_prior(model):
    """Mass that the description may lack could be the payload: at least that of the last link.

    One standard deviation is half the mass of a link, 0.2 kg at least; at most, that of all links.
    """
    resting = [
        replace(motion, velocities=0.0 * motion.velocities, accelerations=0.0 * motion.velocities)
        for motion in simulated(seed=7).reader.motions()
    ]
    estimate = estimate_recorded_payload(
        model, FRAME, simulated(tool=True).reader.motions(), resting
    )
    deviations = np.array([max(0.5 * joint.inertia.mass, 0.2) for joint in model.joints])
    lowest, highest = 1.96 * deviations[-1], 1.96 * np.sqrt(np.sum(deviations**2))
    assert lowest < estimate.mass_interval < highest
    assert abs(estimate.mass - TOOL_MASS) < estimate.mass_interval
    assert estimate.refusal
