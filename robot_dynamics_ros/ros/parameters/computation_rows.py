"""Parameters of dynamics_node: how the dynamics is computed, and compared with Pinocchio."""

from __future__ import annotations

from .bounds import Bounds
from .parameter import Parameter

# The comparison takes about 0.3 ms a sample, and other services wait meanwhile.
SAMPLE_COUNT = Bounds(1, 1000)
# With a larger one no disagreement would be found.
LARGEST_TOLERANCE = 1e-3

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
        'Whether the dynamics is compared with Pinocchio; on configure, the node refuses a robot '
        'for which they disagree.',
        'false: they are never compared, and Pinocchio need not be installed.',
    ),
    Parameter(
        'cross_check_samples',
        'int',
        100,
        'Number of random states in the comparison on configure.',
        bounds=SAMPLE_COUNT,
    ),
    Parameter(
        'cross_check_tolerance',
        'double',
        1e-10,
        'Largest error that counts as agreement with Pinocchio, relative to the largest entry of '
        'the result.',
        bounds=Bounds(0.0, LARGEST_TOLERANCE, lower_open=True),
        live=True,
    ),
    Parameter(
        'cross_check_rate',
        'double',
        1.0,
        'Rate at which the live torque is compared with Pinocchio; 0: never.',
        unit='Hz',
        bounds=Bounds(0.0, 100.0),
        live=True,
    ),
    Parameter(
        'on_disagreement',
        'string',
        'stop',
        'Reaction when the live torque and Pinocchio disagree.',
        choices={
            'stop': 'the last command as `on_stop` says, then nothing until `~/enable`',
            'warn': 'error in the log and in the diagnostics',
        },
        live=True,
    ),
)
