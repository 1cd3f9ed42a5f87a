"""Curves that share a panel differ without colour."""

import itertools

import pytest

from robot_dynamics_ros.report.figures.styles import STYLES

TOGETHER = [
    ('measured', 'model'),
    ('measured', 'residual', 'cutoff'),
    ('gravity', 'coriolis', 'inertia', 'friction'),
    ('samples', 'mean', 'fit'),
    ('measured', 'nominal', 'identified'),
    ('nominal points', 'identified points'),
]


def brightness(colour):
    """Relative luminance of #rrggbb by ITU-R BT.709, from 0 to 1."""
    parts = [int(colour[i : i + 2], 16) / 255.0 for i in (1, 3, 5)]
    linear = [(p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4) for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize('roles', TOGETHER, ids=' '.join)
def test_curves_of_one_panel_differ_in_grey(roles):
    for one, other in itertools.combinations((STYLES[role] for role in roles), 2):
        assert (
            one.dash != other.dash
            or one.kind != other.kind
            or (
                abs(brightness(one.colour) - brightness(other.colour)) > 0.25
                and max(one.width, other.width) >= 2 * min(one.width, other.width)
            )
        ), (one, other)


@pytest.mark.parametrize('role', STYLES)
def test_every_line_shows_on_white(role):
    assert 1.05 / (brightness(STYLES[role].colour) + 0.05) > 2.0
