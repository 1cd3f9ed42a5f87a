"""What scripts/benchmarks/identification.py measures, in a process of its own.

Usage: identification_run.py URDF RECORDING CUTOFF PARTS
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np

from robot_dynamics_ros.core import parse_urdf
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.identification.consistency import consistent
from robot_dynamics_ros.identification.estimation import (
    OutlierWeights,
    disturbed_periods,
    estimate,
    lagged_influence,
    with_correlation,
)
from robot_dynamics_ros.identification.observability import BaseParameters, base_parameters
from robot_dynamics_ros.identification.parameters import ParameterLayout
from robot_dynamics_ros.identification.regression import (
    Cutoffs,
    EquationBlock,
    EquationOptions,
    MotionEquations,
    RecordedEquations,
    ReducedEquations,
    reduce,
)
from robot_dynamics_ros.recordings import motions, open_recording


def main(urdf: str, recording: str, cutoff: str, parts: str) -> None:
    started = time.perf_counter()
    layout = ParameterLayout(parse_urdf(Path(urdf).read_text()))
    blocks = RecordedEquations(lambda: _blocks(layout, Path(recording), float(cutoff)))
    whole = reduce(blocks)
    base = base_parameters(whole)
    robust = estimate(whole, partial(reduce, blocks), base)
    periods = disturbed_periods(blocks, robust.parameters)
    weights = OutlierWeights(robust.parameters, robust.noise, periods)
    weighted = reduce(blocks, weights)
    found = estimate(weighted, base=base_parameters(weighted))
    independence = float(whole.independent.sum() / whole.counts.sum())
    found = with_correlation(found, lagged_influence(blocks, found, weights), independence)
    consistent(weighted, found)
    seconds = time.perf_counter() - started
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0
    pieces = [reduce(list(blocks)[part :: int(parts)]) for part in range(int(parts))]
    one, other = (_solution(each, base) for each in (whole, ReducedEquations.merged(pieces)))
    error = float(np.abs(other - one).max() / np.abs(one).max())
    print(json.dumps({'seconds': seconds, 'megabytes': megabytes, 'error': error}))


def _blocks(layout: ParameterLayout, recording: Path, cutoff: float) -> Iterator[EquationBlock]:
    """The equations of the recording."""
    with open_recording([recording], joints=layout.joints) as opened:
        cutoffs = Cutoffs.of(opened, cutoff)
        made = MotionEquations(layout, EquationOptions(cutoff=cutoffs.equations))
        yield from made.of_motions(motions(opened, cutoff=cutoffs.motions))


def _solution(reduced: ReducedEquations, base: BaseParameters) -> Array:
    """Base parameters by least squares."""
    rows = np.concatenate(list(reduced.triangles))
    return np.linalg.lstsq(rows[:, list(base.columns)], rows[:, -1], rcond=None)[0]


if __name__ == '__main__':
    main(*sys.argv[1:])
