"""Results made from arrays: an arm whose friction the model does not know."""

from types import SimpleNamespace

import numpy as np

from robot_dynamics_ros.comparison import Compared, Finding, FrictionFit, JointComparison
from robot_dynamics_ros.comparison.compared import Samples

# They are shown, and do nothing.
NAMES = (
    '</script><script>window.hacked = 1</script>',
    '<img src="http://127.0.0.1/x" onerror="window.hacked = 1">',
    '"><b onmouseover="window.hacked = 1">\'&amp;',
    '<!-- <script> {figures} {{ plotly }} %s $title \\u003c',
    'zero\x00 bell\x07 surrogate\ud800 turned\u202e',
    'long_' * 200,
    'κόσμος 関節 🤖',
)
COULOMB, VISCOUS = 1.5, 0.8


def comparison(names=('a', 'b', 'c'), count=1000, *, findings=None, robot='arm', file='one.mcap'):
    """Smooth motion; measured effort is that of the model with friction and noise."""
    w, t = 0.5 + 0.35 * np.arange(len(names)), np.arange(count) / 100.0
    q = np.sin(t[:, None] * w + np.arange(len(names)))
    v, a = w * np.cos(t[:, None] * w + np.arange(len(names))), -(w**2) * q
    terms = 30.0 * np.sin(q + 0.4), 0.3 * v * np.roll(v, 1, axis=1), 2.0 * a, 0.0 * v
    noise = 0.15 * np.random.default_rng(0).standard_normal(q.shape)
    measured = sum(terms) + COULOMB * np.sign(v) + VISCOUS * v + noise
    samples = Samples(tuple(names), np.arange(count) == 0, t, q, v, a, measured, *terms)
    figures = JointComparison(
        unit='N m', rms_measured=20.0, rms_residual=2.0, bias=0.1, correlation=0.9,
        shares={'gravity': 0.7, 'inertia': 0.2, 'residual': 0.1},
        friction=FrictionFit(VISCOUS, COULOMB, 0.0), rms_after_fit=0.15, result='friction',
    )  # fmt: skip
    if findings is None:
        findings = [Finding('friction', tuple(names), COULOMB, '1.5 N m Coulomb', 'N m')]
    return Compared(
        robot, file, '/joint_states', count, 10.0, 100.0, 10.0, findings=findings, drawn=samples,
        joints=dict.fromkeys(names, figures),
    )  # fmt: skip


def identification(names=('one', 'two'), gain=0.2, doubts=()):
    """The report: the residual is `gain` times that of the URDF, and the first joint rests."""
    from robot_dynamics_ros.identification import FrictionCurve, JointValidation, ParameterRow
    from robot_dynamics_ros.identification.identification_report import identification_report
    from robot_dynamics_ros.regression.rows import Rows

    times = np.arange(200) / 20.0
    measured = np.sin(np.outer(times, 1.0 + np.arange(len(names))))
    nothing, every = np.zeros((*measured.shape, 0)), np.ones(measured.shape, bool)
    rows = Rows((), times, nothing, nothing, 0.5 * measured, 0.5 * measured, every, every)
    figures = 0.7, 0.35, 0.35 * gain, 0.3 * gain, 0.4 * gain, gain, 0.8 * gain, 1.2 * gain
    row = ParameterRow(f'{names[0]} offset', 'N m', 0.0, 0.5, 0.4, 0.6)
    v = np.array([-1.0, 1.0])
    curves = dict.fromkeys(names, FrictionCurve('N m', 3.0, v, v, v - 0.1, v + 0.1))
    joints = [SimpleNamespace(damping=0.0, friction=0.0)] * len(names)
    found = SimpleNamespace(
        name=names[0], summary='24 of 25 base parameters', doubts=doubts, remarks=(), held_out=(),
        findings=[Finding('still', (names[0],), None, 'no motion')], predicted=0.4 * measured,
        parameters=SimpleNamespace(joints=(row,), bodies=(row,), sums=(row,), curves=curves),
        validation={name: JointValidation('N m', True, 200, *figures) for name in names},
        recorded=SimpleNamespace(whole=rows),
        robot=SimpleNamespace(model=SimpleNamespace(independent_joints=joints)),
        recordings=(Compared(names[0], names[-1], duration=10.0),),
    )  # fmt: skip
    return identification_report(found)
