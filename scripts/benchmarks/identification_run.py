"""What scripts/benchmarks/identification.py measures, in a process of its own.

Usage: identification_run.py URDF RECORDING CUTOFF PARTS
"""

from __future__ import annotations

import json
import resource
import sys
import time
from pathlib import Path

import numpy as np

from robot_dynamics_ros.core import parse_urdf
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.identification.observability import BaseParameters, base_parameters
from robot_dynamics_ros.identification.parameters import ParameterLayout
from robot_dynamics_ros.identification.regression import (
    Cutoffs,
    EquationOptions,
    MotionEquations,
    ReducedEquations,
    reduce,
)
from robot_dynamics_ros.recordings import motions, open_recording


def main(urdf: str, recording: str, cutoff: str, parts: str) -> None:
    started = time.perf_counter()
    layout = ParameterLayout(parse_urdf(Path(urdf).read_text()))
    with open_recording([Path(recording)], joints=layout.joints) as opened:
        cutoffs = Cutoffs.of(opened, float(cutoff))
        made = MotionEquations(layout, EquationOptions(cutoff=cutoffs.equations))
        blocks = list(made.of_motions(motions(opened, cutoff=cutoffs.motions)))
    whole = reduce(blocks)
    base = base_parameters(whole)
    values = _solution(whole, base)
    seconds = time.perf_counter() - started
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0
    pieces = [reduce(blocks[part :: int(parts)]) for part in range(int(parts))]
    other = _solution(ReducedEquations.merged(pieces), base)
    error = float(np.abs(other - values).max() / np.abs(values).max())
    print(json.dumps({'seconds': seconds, 'megabytes': megabytes, 'error': error}))


def _solution(reduced: ReducedEquations, base: BaseParameters) -> Array:
    """Base parameters by least squares."""
    rows = np.concatenate(list(reduced.triangles))
    return np.linalg.lstsq(rows[:, list(base.columns)], rows[:, -1], rcond=None)[0]


if __name__ == '__main__':
    main(*sys.argv[1:])
