"""What is measured from messages whose answer is known; how it is judged and printed."""

import json
import math
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip('rclpy')
pytest.importorskip('robot_dynamics_interfaces')

from geometry_msgs.msg import Vector3, Wrench, WrenchStamped
from sensor_msgs.msg import JointState

from robot_dynamics_interfaces.msg import Contact, JointTorques
from robot_dynamics_ros.control.feedforward import TERMS
from robot_dynamics_ros.demo import figures
from robot_dynamics_ros.demo.client import TOPICS, Samples
from robot_dynamics_ros.json_text import json_text

# Those of the arm, and of the messages.
MODEL = SimpleNamespace(
    name='ur5',
    joint_names=('a', 'b'),
    sliding=np.array([False, True]),
    effort_units=('N m', 'N'),
)
NAMES = ['b', 'a']
PLAN = SimpleNamespace(joints=MODEL.joint_names)
TIMES = np.arange(1000) * 1e-3
ON = TIMES[200:700]
FORCE = Vector3(x=3.0, z=-4.0)


def samples(stamps, messages=None, delay=0.0):
    """Messages with these stamps, which are sent then and received after a delay [s]."""
    messages = [None] * len(stamps) if messages is None else list(messages)
    stamps = np.asarray(stamps)
    return Samples('/topic', messages, stamps, stamps, stamps + delay)


def states(stamps, positions):
    return samples(stamps, [JointState(name=NAMES, position=row) for row in positions])


def torques(stamps, **parts):
    fields = dict.fromkeys(('effort', *TERMS), np.zeros((len(stamps), 2))) | parts
    messages = [
        JointTorques(joint_names=NAMES, **{name: rows[i] for name, rows in fields.items()})
        for i in range(len(stamps))
    ]
    return samples(stamps, messages)


def phase(**recorded):
    return {topic: recorded.get(topic, samples(np.empty(0))) for topic in TOPICS}


def test_latency_runs_from_the_state_to_its_answer():
    """A second at 1 kHz: ten states are lost, all other answers are equally late."""
    answered = np.delete(TIMES, np.linspace(0, 900, 10).astype(int))
    told = samples(answered, delay=4e-4)
    results = figures.timing(phase(states=samples(TIMES), torques=told))
    np.testing.assert_allclose(results.pop('latency'), 0.4)
    expected = {'latency_p50': 0.4, 'latency_p99': 0.4, 'state_rate': 1000.0, 'lost': 1.0}
    assert results == pytest.approx(expected, rel=2e-3)


def matrices(share=1.0, **errors):
    """M and C of a state for a reference that knows them; without a share, C vanishes."""
    C = share * np.array([[1.0, -0.5], [2.0, 0.0]])
    true = {'mass': np.array([[3.0, 1.0], [1.0, 1.0]]), 'mass_rate': C + C.T, 'coriolis': C}
    reference = SimpleNamespace(
        mass_matrix=lambda q: true['mass'], coriolis_matrix=lambda q, v: true['coriolis']
    )
    corner = np.array([[0.0, 1.0], [0.0, 0.0]])
    given = [matrix + errors.get(name, 0.0) * corner for name, matrix in true.items()]
    return figures.matrices([(np.zeros(2), np.array([1.0, -2.0]), *given)], reference)


def broken(share, **errors):
    """The laws of M and C that do not hold."""
    results = matrices(share, **errors)
    assert results.pop('smallest_eigenvalue') > 0.1
    del results['mass']
    return {key for key, error in results.items() if not error < 1e-8}


@pytest.mark.parametrize('share', [1.0, 0.0])
def test_a_false_matrix_breaks_a_law_also_where_c_vanishes(share):
    """As of a stretched arm, whose C is zero: its rounding is not an error."""
    assert broken(share, coriolis=1e-16, mass_rate=1e-12) == set()
    assert broken(share, mass=0.01) == {'mass_error', 'mass_asymmetry'}
    assert broken(share, coriolis=0.01) == {'coriolis_error', 'skewness'}
    assert broken(share, mass_rate=0.01) == {'skewness'}
    assert broken(share, coriolis=np.nan) == {'coriolis_error', 'skewness'}


def collision(found=0.203, kind=2):
    """Positions move until 0.6 s, the command is gravity from 0.5 s on."""
    ones = np.ones((len(TIMES), 2))
    effort = np.where(TIMES[:, None] < 0.5, 5.0, 2.0) * ones
    recorded = phase(
        states=states(TIMES, np.minimum(TIMES, 0.6)[:, None] * ones),
        torques=torques(TIMES, effort=effort, gravity=2.0 * ones),
        external=torques(TIMES),
        applied=samples(ON, [WrenchStamped(wrench=Wrench(force=FORCE))] * 500),
        contacts=samples(np.array([found]), [Contact(kind=kind)]),
    )
    return figures.collision(PLAN, recorded)


def test_the_delay_runs_from_the_first_touch_in_stamps_of_states():
    results = collision()
    assert results.pop('after')['effort'][0][0] == pytest.approx(-0.2)
    expected = {'collision_delay': 3.0, 'collision_hold': 0.0, 'collision_rest': 0.0}
    assert results == pytest.approx(expected | {'wall_force': 5.0})
    assert np.isnan(collision(found=0.15)['collision_delay'])
    assert np.isnan(collision(kind=0)['collision_delay'])


def every_act(**changes):
    """What is measured in a good run, at its bounds, but for these changes."""
    good = {key: bound[1] if bound else 1.0 for key, (_, _, *bound) in figures.FIGURES.items()}
    return good | {'rms': np.ones((3, 2)), 'ratios': np.ones(2)} | changes


def missed(**changes):
    report = figures.judge(MODEL, every_act(**changes))
    keys = {key for key, one in report['figures'].items() if not one['passed']}
    assert report['passed'] is (not keys)
    return keys


def test_what_exceeds_its_bound_fails_and_rates_and_latencies_have_none():
    assert missed() == missed(latency_p99=1e3, lost=50.0) == set()
    assert missed(drift=0.0011) == missed(drift=math.nan) == {'drift'}
    assert missed(fall=0.01, ratio=0.3, worst_ratio=0.5) == {'fall', 'ratio', 'worst_ratio'}
    # A collision that was not found.
    assert missed(push_error=3.0, collision_delay=math.nan) == {'push_error', 'collision_delay'}


def test_the_table_and_json_have_the_same_figures_in_one_unit_each():
    """In JSON null stands for what is no number."""
    rms, ratios = [[0.02, 0.0], [0.01, 0.0], [0.001, 0.0]], [0.05, math.nan]
    changes = {'drift': 0.002, 'collision_delay': math.nan, 'lost': 0.0}
    report = figures.judge(MODEL, every_act(rms=rms, ratios=ratios, **changes))
    rows = [' '.join(line.split()) for line in figures.table(report).splitlines()]
    assert 'a 20.000 10.000 1.000 mrad x 0.050' in rows
    assert any(row.endswith('0.002 <= 0.001 rad or m FAIL') for row in rows)
    data = json.loads(json_text(report))
    assert (data['arm'], data['passed']) == ('ur5', False)
    drift = {'value': 0.002, 'unit': 'rad or m', 'passed': False, 'at_most': 0.001}
    assert data['figures']['drift'] == drift
    assert data['figures']['collision_delay']['value'] is None
    assert data['figures']['lost'] == {'value': 0.0, 'unit': '%', 'passed': True}
    assert (data['rms_error']['b']['unit'], data['rms_error']['b']['ratio']) == ('m', None)
