"""Parameters of dynamics_node: how the dynamics is computed, and compared with Pinocchio."""

from __future__ import annotations

from .bounds import Bounds
from .parameter import Parameter

# The cross-check: random states on configure, random states at a change
# of payload or gravity, and the largest error, relative to the largest entry of a result [-].
# A change needs few: torques are linear in the ten parameters of a payload and in gravity, so that
# an error in one shows at nearly any state.
CHECKED_STATES, CHANGE_STATES = 100, 10
TOLERANCE = 1e-10
# What a request may ask for: a state takes about 0.3 ms, and other services wait meanwhile.
SAMPLE_COUNT = Bounds(1, 1000)

COMPUTATION_ROWS = (
    Parameter(
        'backend',
        'string',
        'auto',
        'Back end that compiles the dynamics.',
        choices={
            'auto': 'native if llvmlite is installed, else python',
            'native': 'machine code, compiled by LLVM; needs llvmlite',
            'python': 'plain Python, 25 to 200 times slower',
        },
    ),
    Parameter(
        'payload_frame',
        'string',
        '',
        'Link on whose body `~/set_payload` attaches payloads; empty: the link at the tip of '
        '`joints`.',
    ),
    Parameter(
        'cross_check',
        'bool',
        True,
        f'Whether the dynamics is compared with Pinocchio: at {CHECKED_STATES} random states on '
        f'configure, at {CHANGE_STATES} at each change of payload or '
        f'gravity. An error above {TOLERANCE:g} of the largest entry refuses the robot or the '
        'change.',
        'false: they are never compared, and Pinocchio need not be installed.',
    ),
)
