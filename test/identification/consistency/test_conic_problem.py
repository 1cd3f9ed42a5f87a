"""The minimum of the cost, by its definition, by another solver, and in closed form."""

import numpy as np
import pytest
from identified_equations import identifiable
from mechanics.robots import hand_written

from robot_dynamics_ros.core import parse_urdf
from robot_dynamics_ros.core.errors import IdentificationError
from robot_dynamics_ros.identification.consistency import conic_problem, consistent
from robot_dynamics_ros.identification.consistency.pseudo_matrices import pseudo_inertia
from robot_dynamics_ros.identification.consistency.unknowns import NOT_NEGATIVE
from robot_dynamics_ros.identification.parameters import ParameterLayout

pytest.importorskip('cvxpy')

SLIDER = """<robot name="lift"><link name="base"/><link name="box"><inertial>
<origin xyz="0.1 0.2 0.05"/><mass value="2"/>
<inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0.001" ixz="0" iyz="0.002"/></inertial></link>
<joint name="lift" type="prismatic"><parent link="base"/><child link="box"/><axis xyz="0 0 1"/>
<limit lower="-2" upper="2" effort="100" velocity="9"/></joint></robot>"""


@pytest.fixture(scope='module')
def noisy():
    """Few equations and much noise: least squares gives bodies that cannot exist."""
    return identifiable(hand_written('oblique').model, noise=0.05, count=60)


@pytest.fixture(scope='module')
def found(noisy):
    return consistent(noisy.reduced, noisy.estimate)


def bodies(known, parameters):
    return [
        parameters[known.layout.body_columns(body)] for body in range(len(known.layout.bodies))
    ]


def cost(known, parameters, scales):
    """Half the squared residual, and the log-det prior, from the equations themselves."""
    residuals = known.block.rows @ parameters - known.block.torques
    total = 0.5 * np.sum(np.where(known.block.used, residuals / known.estimate.noise, 0.0) ** 2)
    nominal = known.layout.nominal()
    for found, described in zip(bodies(known, parameters), bodies(known, nominal), strict=True):
        ratio = np.linalg.solve(pseudo_inertia(described), pseudo_inertia(found))
        sign, logarithm = np.linalg.slogdet(ratio)
        if sign <= 0.0 or np.linalg.eigvalsh(pseudo_inertia(found))[0] <= 0.0:
            return np.inf
        total += np.trace(ratio) - logarithm - 4.0
    terms = slice(10 * len(known.layout.bodies), None)
    changes = (parameters - nominal)[terms] / scales[terms]
    return total + 0.5 * np.sum(changes**2)


@pytest.fixture(scope='module')
def scales(noisy):
    """Plausible values of the terms, as the problem has them."""
    kept = []
    with pytest.MonkeyPatch.context() as patch:
        solved = conic_problem.solved
        module = 'robot_dynamics_ros.identification.consistency.consistent_estimate.solved'
        patch.setattr(module, lambda u, *rest: (kept.append(u.scales), solved(u, *rest))[1])
        consistent(noisy.reduced, noisy.estimate)
    return kept[0]


def test_no_change_that_is_allowed_improves_the_cost(noisy, found, scales):
    """The cost is convex: what no small change improves is the minimum."""
    random = np.random.default_rng(8)
    least = cost(noisy, found.parameters, scales)
    assert np.isfinite(least)
    limited = [
        column
        for term in set(NOT_NEGATIVE) & set(noisy.layout.terms)
        for column in noisy.layout.columns(term)
    ]
    for size in (1e-1, 1e-2, 1e-3):
        for _ in range(100):
            changed = found.parameters + size * scales * random.normal(size=len(scales))
            changed[limited] = np.maximum(changed[limited], 0.0)
            assert cost(noisy, changed, scales) > least - 1e-6
    for better in (noisy.estimate.parameters, noisy.parameters, noisy.layout.nominal()):
        assert cost(noisy, better, scales) > least


def test_the_gradient_vanishes_where_nothing_is_bounded(noisy, found, scales):
    """Changes of single parameters, by central differences."""
    step = 1e-4
    for column, value in enumerate(found.parameters):
        if column >= 10 * len(noisy.layout.bodies) and value < 2.0 * step * scales[column]:
            continue
        change = np.zeros_like(scales)
        change[column] = step * scales[column]
        higher, least, lower = (
            cost(noisy, found.parameters + sign * change, scales) for sign in (1, 0, -1)
        )
        # Against the size of the step that would minimise a parabola, in plausible values.
        slope, curvature = 0.5 * (higher - lower) / step, (higher - 2.0 * least + lower) / step**2
        assert abs(slope) < 1e-3 * max(1.0, curvature)


def test_another_solver_finds_the_same(noisy, found, monkeypatch):
    monkeypatch.setattr(
        conic_problem,
        'SOLVERS',
        {'CLARABEL': {'max_iter': 1}, 'SCS': conic_problem.SOLVERS['SCS']},
    )
    other = consistent(noisy.reduced, noisy.estimate)
    differences = noisy.block.rows @ (other.parameters - found.parameters)
    assert np.all(np.abs(differences) < 1e-3 * noisy.estimate.noise)


def test_where_both_solvers_fail_the_error_says_how(noisy, monkeypatch):
    failing = {'CLARABEL': {'max_iter': 1}, 'SCS': {'max_iters': 1}}
    monkeypatch.setattr(conic_problem, 'SOLVERS', failing)
    with pytest.raises(IdentificationError, match=r'CLARABEL: .*, SCS: .*excite'):
        consistent(noisy.reduced, noisy.estimate)


def test_what_is_not_told_follows_the_divergence():
    """A body that is lifted tells its mass alone: the centre and the shape stay.

    With P = diag(1, 1, 1, x) in units of the description, x minimises
    w (m_0 x - m)^2 / 2 + x - log x, so w m_0 (m_0 x - m) + 1 - 1 / x = 0.
    """
    model = parse_urdf(SLIDER)
    known = identifiable(model, noise=0.3, count=20, layout=ParameterLayout(model, ()))
    found = consistent(known.reduced, known.estimate).parameters
    rows = known.block.rows[:, 0, 0] / known.estimate.noise[0]
    torques = known.block.torques[:, 0] / known.estimate.noise[0]
    weight, wanted, described = rows @ rows, rows @ torques, known.layout.nominal()
    mass = described[0]
    ratio = max(np.roots([weight * mass**2, 1.0 - wanted * mass, -1.0]))
    assert found[0] == pytest.approx(ratio * mass, rel=1e-6)
    expected, same = pseudo_inertia(described), pseudo_inertia(found)
    np.testing.assert_allclose(same[:3, 3] / found[0], expected[:3, 3] / mass, rtol=1e-6)
    center = expected[:3, 3] / mass
    spread = same[:3, :3] - found[0] * np.outer(center, center)
    np.testing.assert_allclose(
        spread, expected[:3, :3] - mass * np.outer(center, center), rtol=1e-4, atol=1e-9
    )
