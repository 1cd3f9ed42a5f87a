"""How long `robot_dynamics validate` takes for every URDF of example-robot-data."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from importlib import metadata
from pathlib import Path

from figures import Figure

# [s], on two cores.
BOUND = 20.0
ROBOTS = 'cmeel.prefix/share/example-robot-data/robots'


def measure() -> list[Figure]:
    """The wall-clock time of one call, with the start of its processes."""
    root = Path(str(metadata.distribution('example-robot-data').locate_file(ROBOTS)))
    files = sorted(map(str, root.rglob('*.urdf')))
    print('\nvalidate:', flush=True)
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder, 'result.json')
        command = ['validate', *files, '--json', str(result)]
        start = time.perf_counter()
        subprocess.run(
            [sys.executable, '-m', 'robot_dynamics_ros.cli.command_line', *command],
            stdout=subprocess.DEVNULL,
            check=False,
        )
        seconds = time.perf_counter() - start
        rows = json.loads(result.read_text())['files']
    compared = sum(row.get('agreement') is not None for row in rows)
    disagreeing = sum(not row['agreement']['agrees'] for row in rows if row.get('agreement'))
    figures = [
        Figure(f'validate, {len(files)} URDFs', seconds, 's', BOUND),
        Figure('of which compared with Pinocchio', compared, 'files'),
        Figure('of which disagree', disagreeing, 'files', 0),
    ]
    for figure in figures:
        print(figure)
    return figures
