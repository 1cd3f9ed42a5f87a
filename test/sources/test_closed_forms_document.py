"""docs/closed_forms.md, and the closed forms of document 004 as an identity of symbols."""

import importlib.util
from dataclasses import fields
from pathlib import Path

import pytest
from three_link_arm.closed_forms import (
    Parameters,
    coriolis_matrix,
    gravity_torque,
    mass_matrix,
)

from robot_dynamics_ros.core.algorithms import crba, rnea
from robot_dynamics_ros.textbook import kronecker

sp = pytest.importorskip('sympy')
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope='module')
def script():
    spec = importlib.util.spec_from_file_location('closed_forms', ROOT / 'scripts/closed_forms.py')
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_document_is_up_to_date(script):
    """If not: python scripts/closed_forms.py."""
    assert (ROOT / 'docs/closed_forms.md').read_text() == script.document()


def test_printed_forms_of_the_three_link_arm_are_identities(script):
    """Equations 64 to 69, for all parameters, positions and rates: exact, with no tolerance."""
    paper = Parameters(**{field.name: sp.Symbol(field.name) for field in fields(Parameters)})
    model, q, v = script.three_link_model(), script.Q, script.V
    g = (0.0, 0.0, -paper.g)
    pairs = [
        (mass_matrix(q, paper), crba.mass_matrix(model, q)),
        (coriolis_matrix(q, v, paper), kronecker.coriolis_matrix(model, q, v)),
        ([gravity_torque(q, paper)], [rnea.gravity_torque(model, q, g)]),
    ]
    for printed, ours in pairs:
        for row, expected in zip(printed, ours, strict=True):
            for entry, right in zip(row, expected, strict=True):
                assert script.harmonics(entry) == script.harmonics(right)
