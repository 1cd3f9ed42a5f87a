"""What scripts/benchmarks/identification.py measures, in a process of its own.

Usage: identification_run.py URDF RECORDING CUTOFF PARTS
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import numpy as np
from process_figures import peak_memory

from robot_dynamics_ros.cli.fleet_options import Fleet
from robot_dynamics_ros.cli.identify import identify_sources
from robot_dynamics_ros.cli.identify.identify_setup import Equations, Setup
from robot_dynamics_ros.cli.identify.surveys import surveyed
from robot_dynamics_ros.cli.output import Output
from robot_dynamics_ros.cli.recording_options import RecordingOptions, options_of
from robot_dynamics_ros.core import parse_urdf
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.identification import (
    EquationOptions,
    IdentifiedParameters,
    LocalEquations,
    ParameterLayout,
    RecordedEquations,
    identify,
)
from robot_dynamics_ros.identification.observability import BaseParameters
from robot_dynamics_ros.identification.regression import ReducedEquations


def main(urdf: str, recording: str, cutoff: str, parts: str) -> None:
    started = time.perf_counter()
    found = _identified(Path(urdf), Path(recording), float(cutoff))
    seconds = time.perf_counter() - started
    megabytes = 1e-6 * peak_memory()
    options = options_of(Path(urdf), [], None, (), float(cutoff))
    whole, merged = (
        _solution(_reduced(options, Path(recording), fleet, int(parts)), found.base)
        for fleet in (Fleet(), Fleet(jobs=2))
    )
    error = float(np.abs(merged - whole).max() / np.abs(whole).max())
    print(json.dumps({'seconds': seconds, 'megabytes': megabytes, 'error': error}))


def _identified(urdf: Path, recording: Path, cutoff: float) -> IdentifiedParameters:
    """What all samples of the recording tell."""
    layout = ParameterLayout(parse_urdf(urdf.read_text()))
    options = EquationOptions(cutoff=cutoff)
    equations = RecordedEquations.of_files(layout, {recording.name: [recording]}, options)
    return identify(LocalEquations(equations))


def _reduced(
    options: RecordingOptions, recording: Path, fleet: Fleet, parts: int
) -> ReducedEquations:
    """Its fitted part, reduced by the command: by one process, or by a task for each part."""
    identify_sources.LARGEST_PART = -(-recording.stat().st_size // parts)
    files = {recording.name: (recording,)}
    surveys = surveyed(options, files, (), Fleet(), Output())
    setup = Setup(options, surveys.first.urdf, surveys.first.joints, Equations())
    return identify_sources.Sources.of(setup, surveys, files, fleet, Output()).reduced()


def _solution(reduced: ReducedEquations, base: BaseParameters) -> Array:
    """Base parameters by least squares."""
    rows = np.concatenate(list(reduced.triangles))
    return np.linalg.lstsq(rows[:, list(base.columns)], rows[:, -1], rcond=None)[0]


if __name__ == '__main__':
    main(*sys.argv[1:])
