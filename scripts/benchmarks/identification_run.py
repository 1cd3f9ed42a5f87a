"""What scripts/benchmarks/identification.py measures, in a process of its own.

Usage: identification_run.py URDF RECORDING CUTOFF
"""

from __future__ import annotations

import json
import sys
import time
from itertools import pairwise
from pathlib import Path

from process_figures import peak_memory

from robot_dynamics_ros.core import parse_urdf
from robot_dynamics_ros.identification import Identifier
from robot_dynamics_ros.recordings import Recording


def main(urdf: str, recording: str, cutoff: str) -> None:
    text = Path(urdf).read_text()
    with Recording.read(recording, parse_urdf(text), cutoff=float(cutoff)) as read:
        times = [time.perf_counter()]
        found = Identifier(text).fit([read])
        times.append(time.perf_counter())
        found.judge([read])
        times.append(time.perf_counter())
    fitted, judged = (later - sooner for sooner, later in pairwise(times))
    print(json.dumps({'fitted': fitted, 'judged': judged, 'megabytes': 1e-6 * peak_memory()}))


if __name__ == '__main__':
    main(*sys.argv[1:])
